/* What the files of the search share: drafts of plans, how they are judged, and what leads the
 * moves. */
#ifndef SL_SEARCHPARTS_H
#define SL_SEARCHPARTS_H
#include "planner.h"
#include "search.h"

/* What happens in one gap.  `timing`: an index of the space's texts; 0: as the rules say. */
enum sl_step_action { SL_STEP_RULES, SL_STEP_RETAIN, SL_STEP_REMAT, SL_STEP_OFFLOAD };
struct sl_step {
    uint8_t action, timing;
};

/* A plan as choices: a step per gap over the rules of a policy, and choices about nodes. */
struct sl_draft {
    uint32_t base;
    struct sl_step *steps;
    const struct sl_node_choice *nodes; /* borrowed */
    uint32_t node_count;
};

#define SL_TIMINGS 64 /* texts of `prefetch`, in the order from late to early */

struct sl_space {
    const struct sl_scenario *scenario;
    struct sl_planner *planner;
    const struct sl_open_gap *gaps;
    uint32_t gap_count;
    const struct sl_policy_spec **bases;
    struct sl_draft *starts; /* by base: its own plan; steps NULL where it has none */
    const char **refusals;   /* by base: why it has none; NULL: it has one */
    uint32_t base_count;
    const char *timings[SL_TIMINGS];
    uint32_t timing_count;
    uint32_t usual_timings; /* of them those that moves choose from: 1 .. */
    uint32_t *family;       /* per gap: those of alike objects have one number */
    uint32_t families;
    struct sl_arena arena;
};

/* search_space.c */
enum sl_status sl_space_open(struct sl_space *space, const struct sl_scenario *scenario,
                             const struct sl_policy_spec *start, struct sl_diags *diags,
                             struct sl_error *err) SL_NODISCARD;
void sl_space_close(struct sl_space *space);
/* A fresh draft's steps, in `arena`; false when out of memory. */
bool sl_draft_new(const struct sl_space *space, struct sl_draft *draft, struct sl_arena *arena);
void sl_draft_copy(const struct sl_space *space, struct sl_draft *to, const struct sl_draft *from);
uint64_t sl_draft_hash(const struct sl_space *space, const struct sl_draft *draft);
/* Whether the step can be taken in the gap; a gap that the base's rules close has one step alone.
 */
bool sl_step_allowed(const struct sl_space *space, uint32_t base, uint32_t gap,
                     struct sl_step step);
/* The policy of a draft, its table in `arena`. */
enum sl_status sl_draft_policy(const struct sl_space *space, const struct sl_draft *draft,
                               struct sl_policy_spec *policy, struct sl_arena *arena,
                               struct sl_error *err) SL_NODISCARD;
/* Plans of all drafts; INFINITY above 1e300. */
double sl_space_size(const struct sl_space *space);

/* What the trials of a plan were, as far as figures need it. */
struct sl_samples {
    uint32_t count, capacity;
    int64_t *metric_ps; /* by trial; INT64_MAX where it deadlocked */
    double unfinished;  /* sum over trials of the share of nodes left over */
    int64_t longest_wait_ps;
    uint32_t missed;        /* trials with a missed deadline */
    int64_t *peak_bytes;    /* by domain, largest */
    double *staging_byte_s; /* by domain, sum */
    uint32_t *kept;         /* by constraint: trials that keep its limit */
};

/* search_figures.c */
struct sl_search_goal {
    const struct sl_scenario *scenario;
    struct sl_order_item order[SL_SEARCH_LEVELS];
    uint32_t levels;
    bool pareto;
};
/* Names of measures that no order states are made in `arena`. */
enum sl_status sl_search_goal_set(struct sl_search_goal *goal, const struct sl_space *space,
                                  struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
bool sl_samples_reserve(struct sl_samples *samples, const struct sl_scenario *scenario,
                        uint32_t trials);
void sl_samples_clear(struct sl_samples *samples, const struct sl_scenario *scenario);
void sl_samples_free(struct sl_samples *samples);
void sl_samples_add(struct sl_samples *samples, const struct sl_scenario *scenario,
                    const struct sl_graph *graph, const struct sl_trial *record);
/* `exact`: the tail is the quantile itself, not the mean of the worst trials around it, which fewer
 * trials tell better. */
enum sl_status sl_search_figure(const struct sl_search_goal *goal, const struct sl_samples *samples,
                                bool exact, struct sl_search_figures *figures,
                                struct sl_error *err) SL_NODISCARD;

/* A plan to judge, and what came of it. */
struct sl_contestant {
    struct sl_draft draft;
    uint32_t move;   /* that made it */
    bool full;       /* gets all trials whatever they say */
    uint64_t digest; /* of its plan; 0: it has none */
    bool repeated;   /* the plan was run before */
    bool dropped;    /* clearly worse: it did not get all trials */
    struct sl_samples samples;
    struct sl_search_figures figures;
    double plan_s, run_s;
    bool refused; /* there is no plan, and `err` says why */
    enum sl_status status;
    struct sl_error err;
};

/* A set of hashes that are not 0 (search_archive.c).  Zero-initialise; free the slots. */
struct sl_seen {
    uint64_t *slots;
    uint32_t count, capacity;
};
bool sl_seen_has(const struct sl_seen *seen, uint64_t hash);
bool sl_seen_add(struct sl_seen *seen, uint64_t hash); /* false: out of memory */

/* The best plans so far, best first; or where no order is stated, those that no other dominates, by
 * the first measure (search_archive.c). */
struct sl_elite {
    struct sl_draft draft;
    struct sl_search_figures figures;
    uint64_t digest;
};
struct sl_archive {
    const struct sl_space *space;
    const struct sl_search_goal *goal;
    struct sl_elite items[SL_SEARCH_BEST + 1];
    uint32_t count;
};
bool sl_archive_open(struct sl_archive *archive, const struct sl_space *space,
                     const struct sl_search_goal *goal, struct sl_arena *arena);
/* Takes the plan if it is good enough and new; true when it did. */
bool sl_archive_add(struct sl_archive *archive, const struct sl_contestant *contestant);

/* All drafts of a space, one after the other (search_archive.c).  `draft` is the first one before
 * the first call; false: there is no further one. */
void sl_space_first(const struct sl_space *space, struct sl_draft *draft);
bool sl_space_next(const struct sl_space *space, struct sl_draft *draft);

/* search_judge.c */
struct sl_judge {
    const struct sl_space *space;
    const struct sl_search_goal *goal;
    uint64_t seed;
    uint32_t trials;
    struct sl_pool *pool;
    const struct sl_seen *seen; /* digests of plans that need no run; NULL: none */
    bool (*go_on)(void *user);  /* asked on the calling thread before every trial; NULL: always */
    void *user;
};
/* Judges all of them, on the threads of the pool.  `against`: the plan that they should beat; NULL:
 * nobody.  SL_INTERRUPTED when go_on says so; what was judged then depends on the threads. */
enum sl_status sl_judge_all(const struct sl_judge *judge, struct sl_contestant *contestants,
                            uint32_t count, const struct sl_samples *against,
                            struct sl_error *err) SL_NODISCARD;

/* search_guide.c: where a plan loses time and what holds memory, per gap. */
struct sl_guide {
    double *move_ps;  /* mean time of its copies on the chain of the trials that count */
    double *remat_ps; /* ... of its recomputations */
    bool *at_peak;    /* the gap spans the time of the largest level of its home */
};
enum sl_status sl_guide_make(struct sl_guide *guide, const struct sl_judge *judge,
                             const struct sl_draft *draft, const struct sl_samples *samples,
                             struct sl_error *err) SL_NODISCARD;

/* search_moves.c */
struct sl_dice {
    uint64_t key, counter;
};
uint32_t sl_dice_below(struct sl_dice *dice, uint32_t n); /* n at least 1 */
double sl_dice_share(struct sl_dice *dice);               /* [0, 1) */

struct sl_move_input {
    const struct sl_space *space;
    const struct sl_guide *guide;
    const struct sl_draft *mate; /* another good plan */
    struct sl_dice *dice;
};
struct sl_move_kind {
    const char *name;
    /* Changes the draft; false: it has nothing to change. */
    bool (*apply)(const struct sl_move_input *input, struct sl_draft *draft);
};
uint32_t sl_move_kinds(void);
const struct sl_move_kind *sl_move_kind_at(uint32_t index);
/* `times` random steps. */
void sl_draft_shake(const struct sl_move_input *input, struct sl_draft *draft, uint32_t times);

#define SL_SEARCH_BATCH 8 /* drafts that are judged at once */

/* Moves of the log: where drafts come from, before those that draw. */
enum { SL_OF_START, SL_OF_SHAKE, SL_OF_WALK, SL_OF_ORDER, SL_OF_MOVES };

/* A search under way. */
struct sl_search {
    const struct sl_search_options *options;
    struct sl_search_result *result;
    struct sl_error *err;
    struct sl_space space;
    struct sl_search_goal goal;
    struct sl_judge judge;
    struct sl_archive archive;
    struct sl_guide guide;
    struct sl_dice dice;
    struct sl_seen drafts,
        plans;              /* hashes of drafts that were made, digests of plans that were run */
    struct sl_seen ordered; /* hashes of drafts whose orders were looked for, and of those found */
    struct sl_contestant batch[SL_SEARCH_BATCH], current;
    uint64_t *start_digests; /* by base; 0: none */
    struct sl_elite named;   /* the best of the policies' own plans */
    uint32_t most;           /* evaluations */
    double begin_s, budget_s; /* wall time; INFINITY: no budget */
    bool stopped; /* by its budget or by its user */
};

/* search_climb.c: judges the first `count` of the batch and takes them in, or sets `stopped`. */
enum sl_status sl_search_batch(struct sl_search *search, uint32_t count,
                               const struct sl_samples *against) SL_NODISCARD;
/* Goes on from `current` until so many plans were made in all, or no new ones are found. */
enum sl_status sl_search_climb(struct sl_search *search, uint32_t most) SL_NODISCARD;
/* search_reorder.c: the best plans in orders of their own, within what is left of the budget. */
enum sl_status sl_search_reorder(struct sl_search *search) SL_NODISCARD;
/* The contestant's plan, with its trials, becomes the one to go on from. */
void sl_search_stand_on(struct sl_search *search, struct sl_contestant *contestant);
#endif
