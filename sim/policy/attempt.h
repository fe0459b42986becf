/* An attempt at a plan: which objects are treated how, and the graph that follows from it.
 *
 *     choices  --actions-->  clones, offloads and moves in the graph and in its sequence
 *              --prefetch.when-->  what each move waits for, and its place in the sequence
 *              --copies.c-->  copies of objects, their holdings, data and storage edges
 *              --reclaim-->  where their bytes go back
 *              --project.c-->  peaks of every domain, by which `select` decides
 *
 * The sequence is the order of execution that the plan has in mind: a linked list of nodes in which
 * every edge points forward, so that the plan has no cycle and can be run in that order. */
#ifndef SL_ATTEMPT_H
#define SL_ATTEMPT_H
#include "facts.h"

/* What happens to an object in one of its gaps. */
struct sl_choice {
    const struct sl_part *action; /* NULL: it stays */
    const struct sl_rule *rule;   /* that chose the action */
};

/* Something that ranked selections can take. */
struct sl_candidate {
    uint32_t object, gap;
    const struct sl_rule *rule;
    const struct sl_part *action; /* the rule's, or what it stands for in this gap */
    sl_order_gaps *order;         /* the selection's, NULL */
    int64_t bytes;
    double gap_ps, cost_ps, slack_ps;
    uint32_t last_use, next_use; /* places of the gap's ends in plan order */
};

struct sl_trigger {
    uint32_t node;
    int64_t lag_ps;
};

/* A copy that comes (back) home. */
struct sl_move {
    uint32_t object, from;
    const struct sl_rule *rule;
    uint32_t before;             /* last use before the gap; SL_NONE: first arrival of an object */
    uint32_t source;             /* the node that made the copy that leaves; SL_NONE: it was there */
    const struct sl_way *out;    /* by which it left; NULL: the copy it reads is there anyway */
    uint32_t offload;            /* its last hop (hops are numbered in a row); SL_NONE */
    uint32_t consumer;           /* the node that ends the gap */
    const struct sl_way *back;   /* by which it comes */
    uint32_t first, node;        /* first and last hop of the prefetch */
    struct sl_trigger *triggers; /* malloc'ed */
    uint32_t trigger_count, trigger_capacity;
    uint32_t anchor_label;
};

/* A node that a move waits for because the plan has no room before. */
struct sl_room_wait {
    uint32_t move, node;
};
struct sl_room {
    struct sl_room_wait *waits; /* malloc'ed */
    uint32_t count, capacity;
};

/* A copy of an object in a domain, from what takes its bytes to what gives them back. */
struct sl_copy {
    uint32_t object, domain, holding;
    uint32_t taker;     /* SL_NONE: initial */
    uint32_t stand_ins; /* head in attempt->users: who takes the bytes where the taker does not run,
                         * while it is not known yet what takes them for all (costs.c) */
    uint32_t reclaimer; /* the node that gives the bytes back; SL_NONE: never */
    uint32_t previous;  /* copy in the same domain before this one, SL_NONE */
    uint32_t number;    /* 1, 2 ... among the object's copies in the domain */
    uint32_t users;     /* head in attempt->users: every node that mentions it */
    bool read, kept;    /* kept: never reclaimed */
    struct sl_flow flow;
};
struct sl_user {
    uint32_t node, next;
};

struct sl_attempt {
    const struct sl_facts *facts;
    struct sl_diags *diags;
    struct sl_graph *graph; /* a copy of the facts' graph being edited; owned */
    struct sl_editor editor;
    struct sl_plan *plan; /* NULL: only the peaks are of interest */
    struct sl_error *err;
    const struct sl_rules *rules;
    const struct sl_choice *choices; /* per gap; borrowed */
    const struct sl_room *room;      /* what moves wait for besides their triggers, or NULL; borrowed */
    /* Sequence. */
    uint32_t *next, *prev, *label;
    uint32_t *slot; /* the user's node before which an inserted node runs; the node itself */
    uint32_t head, tail, sequence_capacity;
    /* Recomputation. */
    uint32_t *returned_at; /* per object: the last consumer for which it was recomputed; SL_NONE */
    bool *returned;        /* per gap: it ended with a recomputation */
    uint32_t *clones_of;   /* per node: clones so far */
    /* Movement: in order of their consumers. */
    struct sl_move *moves;
    uint32_t move_count, move_capacity;
    /* Copies. */
    struct sl_copy *copies;
    uint32_t copy_count, copy_capacity;
    struct sl_user *users; /* entry 0 is not used */
    uint32_t user_count, user_capacity;
    uint32_t *live; /* per object and domain: copy, SL_NONE */
    uint32_t *made; /* per object and domain: copies so far */
    struct sl_flow_pool pool;
};

/* Builds the whole plan for `choices` into attempt->graph (not finished, not renumbered). */
enum sl_status sl_attempt_build(struct sl_attempt *attempt, const struct sl_facts *facts,
                                const struct sl_rules *rules, const struct sl_choice *choices,
                                const struct sl_room *room, struct sl_plan *plan,
                                struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
void sl_attempt_free(struct sl_attempt *attempt);

/* Sequence: room for the nodes of the graph, labels 0, 1, 2 ... from head to tail, insertion. */
enum sl_status sl_sequence_open(struct sl_attempt *attempt) SL_NODISCARD;
void sl_sequence_relabel(struct sl_attempt *attempt);
enum sl_status sl_sequence_insert(struct sl_attempt *attempt, uint32_t node, uint32_t behind,
                                  uint32_t slot) SL_NODISCARD; /* behind SL_NONE: in front */

/* Adds a node for each hop of `way`, numbered in a row, and an edit for each; not in the sequence yet.
 * Names are PREFIX:OBJECT, with @DOMAIN where there are several; `purpose` goes to the edits' text
 * (hops.c). */
enum sl_status sl_hops_add(struct sl_attempt *attempt, enum sl_node_kind kind, uint32_t object,
                           const struct sl_way *way, const char *purpose, const char *reason,
                           uint32_t *first) SL_NODISCARD;

enum sl_status sl_moves_arrange(struct sl_attempt *attempt) SL_NODISCARD; /* moves.c */
enum sl_status sl_move_wait(struct sl_attempt *attempt, struct sl_move *move, uint32_t node,
                            int64_t lag_ps) SL_NODISCARD;
enum sl_status sl_copies_derive(struct sl_attempt *attempt) SL_NODISCARD; /* copies.c */
/* Where the bytes of each copy that is not kept go back (reclaim_immediate.c). */
enum sl_status sl_copies_end(struct sl_attempt *attempt) SL_NODISCARD;
enum sl_status sl_costs_derive(struct sl_attempt *attempt) SL_NODISCARD;  /* costs.c */
/* The declared cost of an API call in a domain, NULL: none (costs.c). */
const struct sl_api_cost *sl_cost_find(const struct sl_platform *platform, int what,
                                       uint32_t domain);
/* Peak bytes per domain when the nodes run one after the other in the sequence (project.c). */
enum sl_status sl_peaks_project(const struct sl_attempt *attempt, int64_t *peaks) SL_NODISCARD;
/* The same of one domain, by place of the user's nodes in plan order. */
enum sl_status sl_levels_project(const struct sl_attempt *attempt, uint32_t domain,
                                 int64_t *by_place) SL_NODISCARD;
/* Bytes of an object as the domain rounds them (project.c). */
int64_t sl_bytes_rounded(const struct sl_platform *platform, uint32_t domain, int64_t bytes);
/* For each move of a part that needs room: the nodes that must have run before its bytes fit until
 * its consumer (room.c).  They have the same numbers in every attempt with the same choices. */
enum sl_status sl_room_find(const struct sl_attempt *attempt, struct sl_room *room) SL_NODISCARD;
/* Splits hops of pipelined routes into a node per chunk (chunks.c). */
enum sl_status sl_chunks_split(struct sl_attempt *attempt) SL_NODISCARD;
/* Puts the nodes in order of submission and finishes the graph (renumber.c). */
enum sl_status sl_plan_renumber(struct sl_attempt *attempt) SL_NODISCARD;
/* What rules with action best do, where they do something. */
struct sl_preference {
    const struct sl_part *const *actions; /* per gap; NULL in a gap that can only stay */
    const struct sl_part *order;          /* in which rules that name no ranked selection take gaps */
};
/* Decides what happens in each gap (selection.c); `preference` NULL: no rule has action best. */
enum sl_status sl_selection_decide(const struct sl_facts *facts, const struct sl_rules *rules,
                                   const struct sl_policy_spec *policy,
                                   const struct sl_preference *preference,
                                   struct sl_choice *choices, struct sl_diags *diags,
                                   struct sl_error *err) SL_NODISCARD;
/* The same for policies with rules of action best (best.c). */
enum sl_status sl_best_decide(const struct sl_facts *facts, const struct sl_rules *rules,
                              const struct sl_policy_spec *policy, struct sl_choice *choices,
                              struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* Decides what rules with action chain-optimal do, given what all others do
 * (action_chain_optimal.c). */
enum sl_status sl_chain_fit(const struct sl_facts *facts, struct sl_rules *rules,
                            const struct sl_policy_spec *policy, const struct sl_choice *choices,
                            struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* Inserts one more run of a node right before `consumer`, of which only `outputs` are kept,
 * `object` among them (action_remat.c). */
enum sl_status sl_remat_clone(struct sl_attempt *attempt, uint32_t original, struct sl_span outputs,
                              uint32_t object, uint32_t consumer, const char *reason) SL_NODISCARD;
/* Run-time eviction (evictions.c): notes the users of copies at home, while they are known ... */
enum sl_status sl_evictions_note(struct sl_attempt *attempt) SL_NODISCARD;
/* ... and adds the latent nodes by which copies leave and return to a finished plan; a warning when
 * nothing can leave. */
enum sl_status sl_evictions_arrange(struct sl_plan *plan, const struct sl_facts *facts,
                                    const struct sl_rule *rule,
                                    const struct sl_policy_spec *policy, struct sl_diags *diags,
                                    struct sl_error *err) SL_NODISCARD;
/* Adds the nodes that fetch and spill blocks of objects that jobs share (shared.c). */
enum sl_status sl_shared_arrange(struct sl_attempt *attempt,
                                 const struct sl_policy_spec *policy) SL_NODISCARD;
/* Builds the whole plan, with what moves wait for until there is room (plan.c). */
enum sl_status sl_attempt_complete(struct sl_attempt *attempt, const struct sl_facts *facts,
                                   const struct sl_rules *rules, const struct sl_choice *choices,
                                   struct sl_plan *plan, struct sl_diags *diags,
                                   struct sl_error *err) SL_NODISCARD;
/* The finished plan of these choices, with its iterations (plan.c). */
enum sl_status sl_plan_make(struct sl_plan *plan, const struct sl_facts *facts,
                            const struct sl_rules *rules, const struct sl_policy_spec *policy,
                            const struct sl_choice *choices, struct sl_diags *diags,
                            struct sl_error *err) SL_NODISCARD;
/* What decision.h promises, and planner.c reads. */
struct sl_decision {
    const struct sl_policy_spec *policy;
    struct sl_rules rules;
    struct sl_facts facts;
    const struct sl_facts *lender; /* of all facts but where objects go; NULL: they are its own */
    struct sl_choice *choices;     /* per gap */
};
/* As sl_decision_make, over facts that were gathered without rules and outlive the decision
 * (decision.c).  Where objects go is up to the policy's rules all the same. */
enum sl_status sl_decision_over(struct sl_decision **decision, const struct sl_facts *facts,
                                const struct sl_policy_spec *policy, struct sl_diags *diags,
                                struct sl_error *err) SL_NODISCARD;
/* What the policy's rules choose, gap by gap (decision.c). */
enum sl_status sl_rules_decide(const struct sl_facts *facts, const struct sl_rules *rules,
                               const struct sl_policy_spec *policy, struct sl_choice *choices,
                               struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* Lays the policy's table of choices over what its rules chose; and the part of it that is about nodes
 * over the graph of a built attempt (tuned.c). */
enum sl_status sl_tuning_choose(const struct sl_facts *facts, struct sl_rules *rules,
                                const struct sl_policy_spec *policy, struct sl_choice *choices,
                                struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_tuning_apply(struct sl_attempt *attempt,
                               const struct sl_policy_spec *policy) SL_NODISCARD;
/* The rule by which copies come back that leave where `own` (or NULL) decides: itself, else the policy's
 * first rule that moves, else one on demand (decision.c). */
const struct sl_rule *sl_rule_that_moves(const struct sl_rules *rules, const struct sl_rule *own);
/* What action offload is told (action_offload.c). */
extern const struct sl_param sl_offload_params[1];
/* The rule that takes an object; NULL: none, or one that leaves it alone. */
const struct sl_rule *sl_rule_for(const struct sl_rules *rules, const struct sl_graph *graph,
                                  uint32_t object);
#endif
