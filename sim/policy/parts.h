/* What a part of a policy is, and a policy's settings once read.  Private to policy/.
 *
 * A part is one file ending in a `const struct sl_part` and one line in policies.def.  Its role
 * says which of the functions it has:
 *
 *     select          weigh, compare: candidates in the order in which they are taken, until the
 * rest fits (NULL: `takes_all` decides at once) action          eligible, cost, way, relief, apply
 *     prefetch.when   trigger: what a move waits for
 *     reclaim         place: where the bytes of a copy that ends go back
 *     evict           worth: which copies leave while running, when bytes are wanted */
#ifndef SL_PARTS_H
#define SL_PARTS_H
#include "policy.h"

enum sl_param_type {
    SL_PARAM_BYTES,
    SL_PARAM_TIME,
    SL_PARAM_INTEGER,
    SL_PARAM_NUMBER,
    SL_PARAM_DOMAIN,
    SL_PARAM_DOMAINS,
    SL_PARAM_WORD
};

/* A parameter: BYTES, TIME and INTEGER are int64_t in struct sl_rule, NUMBER is double, DOMAIN a
 * name (const char *), DOMAINS names with ';' between them (const char *), WORD the int64_t place
 * among `words`. */
struct sl_param {
    const char *key; /* as in a policy: "prefetch.lookahead" */
    enum sl_param_type type;
    size_t offset; /* in struct sl_rule */
    double min, max;
    const char *const *words; /* up to a NULL */
};

struct sl_part;
struct sl_chain_plan;

enum sl_evict_by { SL_EVICT_OFFLOAD, SL_EVICT_REMAT, SL_EVICT_CHEAPEST };

/* Resolved settings of one rule of a policy. */
struct sl_rule {
    const struct sl_part *action, *select, *when, *reclaim, *evict;
    const char *objects; /* ';'-separated globs; NULL: every object */
    int64_t headroom;    /* bytes that must stay free below capacity - reserve */
    int64_t lookahead;   /* consumers */
    double quantile;     /* of a transfer's time */
    int64_t margin_ps;
    double threshold; /* share of capacity - reserve - headroom */
    const char *to;   /* domain in which objects lie in their gaps; NULL: by their placements */
    int64_t slots;    /* states of a chain at a time; 0: by bytes */
    int64_t memory;   /* bytes of a domain for a chain and all else; 0: what it has */
    const struct sl_chain_plan *chain; /* what action chain-optimal does; NULL: the chain stays */
    int64_t evict_by;                  /* enum sl_evict_by */
    int64_t evict_pins;  /* 0: what nodes gather stays for them; 1: only what running ones use */
    const char *spill;   /* ';'-separated tiers to which shared blocks leave; "none"; NULL: all */
    int64_t cache_order; /* enum sl_cache_order */
    int64_t cache_write; /* 0: blocks go to the next tier when they leave; 1: once made */
    int64_t livelock;    /* departures of a copy without progress of the plan */
    struct sl_place place;
};

struct sl_rules {
    struct sl_rule *items; /* tried in order; the last one is the policy's top level */
    uint32_t count;
    /* Of a table of choices (tuned.c): rules for single moves, and which one an object's first
     * arrival has; NULL: none, or the rule that takes the object. */
    struct sl_rule *tuned;
    uint32_t tuned_count;
    const struct sl_rule **arrivals;
    struct sl_engine_options engine;
    struct sl_arena arena;
};

struct sl_facts;
struct sl_gap;
struct sl_attempt;
struct sl_candidate;
struct sl_copy;
struct sl_walk;

/* qsort's order of candidates: the first is taken first. */
typedef int sl_order_gaps(const struct sl_candidate *a, const struct sl_candidate *b);

struct sl_part {
    const char *role, *name, *description, *parameters, *example;
    const struct sl_param *params;
    size_t param_count;
    /* select */
    bool takes_all;
    bool walks; /* every gap counts, and is taken where the plan runs out of room (see walk.c) */
    bool needs_objects;
    /* ... which begins with these, NULL: those that compare says */
    enum sl_status (*begin_walk)(const struct sl_walk *walk, uint32_t *added, struct sl_error *err);
    sl_order_gaps *compare;
    /* ... and, where it is not NULL, what compare needs besides: fills slack_ps */
    enum sl_status (*weigh)(const struct sl_facts *facts, struct sl_candidate *candidates,
                            uint32_t count, struct sl_error *err);
    /* action: why a gap cannot be treated so (NULL: it can), and what it would cost, in ps */
    bool selects; /* the action treats selected objects, so that `select` matters */
    bool moves;   /* ... and brings copies back, so that `prefetch` matters */
    const char *(*eligible)(const struct sl_facts *facts, const struct sl_gap *gap);
    double (*cost)(const struct sl_facts *facts, const struct sl_gap *gap);
    /* ... the expected time at which its bytes at home are free, and how long its way back takes */
    void (*way)(const struct sl_facts *facts, const struct sl_gap *gap, double *free_ps,
                double *back_ps);
    /* ... and the places of the plan at which it takes the object from home; from > to: none */
    void (*relief)(const struct sl_facts *facts, const struct sl_gap *gap, uint32_t *from,
                   uint32_t *to);
    enum sl_status (*apply)(struct sl_attempt *attempt);
    /* prefetch.when: adds triggers to every move whose rule has this part */
    enum sl_status (*trigger)(struct sl_attempt *attempt, const struct sl_part *self);
    bool waits_for_room; /* moves may become ready long before their bytes are free */
    bool needs_room;     /* ... and are held back until the plan has room for them */
    bool fills_room;     /* ... and begin as soon as it has */
    /* reclaim */
    enum sl_status (*place)(struct sl_attempt *attempt);
    bool keeps;  /* copies stay in their gaps while there is room */
    bool shares; /* ... up to a share of it, the rule's `threshold` */
    /* evict: what a copy is worth while running (NULL: none leaves) */
    sl_evict_worth *worth;
    bool neighbours; /* ... by the absent copies whose recomputation goes with it as well */
};

#define SL_PART(symbol) extern const struct sl_part symbol;
#include "policies.def"
#undef SL_PART

/* registry.c.  NULL past the end. */
const struct sl_part *sl_part_get(size_t index);
const struct sl_part *sl_part_find(const char *role, const char *name);
/* The role's words, built ones first; *count of them, at most 32. */
void sl_part_words(const char *role, const char *words[32], size_t *count);
/* Waiting orders by name. */
bool sl_dispatch_parse(const char *name, enum sl_order *order);

/* evictions.c: the parameters of every part of role evict but `none`. */
#define SL_EVICT_PARAMS 3
extern const struct sl_param sl_evict_params[SL_EVICT_PARAMS];
#define SL_EVICT_PARAMETERS                                                                        \
    "by (offload, remat, cheapest): how copies leave; pins (gathered, running): whose copies "     \
    "stay; "                                                                                       \
    "livelock (integer): how often a copy may leave without progress of the plan"

/* settings.c: reads every rule of `policy`; faults and remarks go to `diags`, SL_INVALID when there
 * were faults.  sl_rules_free in every case. */
enum sl_status sl_rules_read(struct sl_rules *rules, const struct sl_policy_spec *policy,
                             struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
void sl_rules_free(struct sl_rules *rules);
/* dispatch.c: warns of an order by shortest mean, of jobs, where no two keys differ. */
void sl_dispatch_check(const struct sl_graph *graph, const struct sl_engine_options *engine,
                       const struct sl_policy_spec *policy, struct sl_diags *diags);
/* shared.c: whether blocks that jobs share can come home so. */
bool sl_shared_when(const struct sl_part *when);
/* shared.c: warns of tiers to which no policy spills. */
void sl_shared_check(const struct sl_scenario *scenario, struct sl_diags *diags);
/* settings_keys.c: whether the policy's cache.spill names that domain, or states nothing. */
bool sl_policy_spills(const struct sl_policy_spec *policy, const char *domain);
/* shared.c: whether a ';'-separated list has that name. */
bool sl_list_has(const char *list, const char *name);
/* tuned.c: faults in the words of a policy's table of choices. */
void sl_tuning_check(const struct sl_policy_spec *policy, struct sl_diags *diags);
/* Adds a warning unless the list already holds it: plans of many cells find the same things. */
void sl_policy_warn(struct sl_diags *diags, const char *code, struct sl_place place,
                    const char *format, ...) SL_PRINTF(4, 5);
#endif
