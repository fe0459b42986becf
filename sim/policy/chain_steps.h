/* A chain of steps that is walked forwards and then backwards: which nodes and objects it is made
 * of, and what its steps need of memory.  Private to policy/.
 *
 * Step t is made by one node, from state t - 1 and from what is there from start to end.  It writes
 * state t, the objects that step t + 1 reads, and saved objects, which only its backward step
 * reads.  Backward step t is what runs from the first node that reads what t saved, or states t and
 * t - 1 (where there is none: that reads state t), until the one of t - 1.  Nodes that read the
 * last state before that are the turn: a step of its own, which writes nothing. */
#ifndef SL_CHAIN_STEPS_H
#define SL_CHAIN_STEPS_H
#include "attempt.h"
#include "chain_optimum.h"

struct sl_chain_object {
    uint32_t object, step;
    bool is_state;
};

struct sl_chain {
    const struct sl_facts *facts;
    const struct sl_rule *rule;
    uint32_t domain;                 /* in which all its objects have their home */
    struct sl_chain_object *objects; /* by step; malloc'ed */
    uint32_t object_count, object_capacity;
    uint32_t *at;   /* per object of the graph: in `objects`, SL_NONE; malloc'ed */
    uint32_t made;  /* steps that a node makes */
    uint32_t count; /* ... and the turn, where there is one; 0: nothing can be recomputed */
    /* By step, from 1 on. */
    uint32_t maker[SL_CHAIN_STEPS + 1];
    uint32_t begin[SL_CHAIN_STEPS + 1]; /* first place of its backward step in plan order */
    uint32_t last[SL_CHAIN_STEPS + 1];  /* the last place that uses its objects or its input */
    struct sl_chain_step steps[SL_CHAIN_STEPS + 1]; /* amounts in bytes, by sl_chain_weigh */
};

/* The chain of a rule; SL_NO, by name, where its objects are none.  sl_chain_free in every case. */
enum sl_status sl_chain_find(struct sl_chain *chain, const struct sl_facts *facts,
                             const struct sl_rules *rules, const struct sl_rule *rule,
                             struct sl_error *err) SL_NODISCARD;
void sl_chain_free(struct sl_chain *chain);
/* Fills in what the plan holds beside the chain, from a plan in which all of the chain stays.
 * *peak: that plan's, in the chain's domain. */
enum sl_status sl_chain_weigh(struct sl_chain *chain, const struct sl_attempt *attempt,
                              int64_t *peak) SL_NODISCARD;
#endif
