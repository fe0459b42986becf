/* One planned policy of one scenario, and what a trial of it did: the subject of relations between
 * a run and the run of a changed graph. */
#ifndef SL_METAMORPHIC_H
#define SL_METAMORPHIC_H
#include "dice.h"
#include "policy.h"

/* A copy of a trial's record. */
struct kept_run {
    uint32_t nodes, domains;
    bool deadlock;
    int64_t makespan;
    int64_t *ready, *start, *free, *finish;
    uint8_t *state, *cause;
    uint32_t *behind;
    int64_t *peak;
};

struct subject {
    const char *what; /* for messages: scenario, policy */
    struct sl_scenario *scenario;
    const struct sl_policy_spec *policy;
    struct sl_plan *plan;
    uint64_t seed;
    struct dice dice;
    struct sl_graph *frozen; /* the plan with the durations of the trial; finished */
    struct kept_run base;    /* of `frozen` */
    bool slowed;             /* some node ran slower than alone */
};

/* False where the plan can't be frozen: copies leave while it runs. */
bool subject_open(struct subject *s);
void subject_close(struct subject *s);

/* Runs a trial of a finished graph; kept_free frees the copy. */
void kept_make(struct kept_run *run, const struct subject *s, const struct sl_graph *graph,
               const struct sl_engine_options *options);
void kept_free(struct kept_run *run);

/* How two runs must agree: a's node i is b's node place[i] (NULL: i), and times of b are those of a
 * times `factor`, up to `tolerance` ps. */
struct agreement {
    const char *relation;
    const uint32_t *place;
    int64_t factor, tolerance;
    uint32_t except; /* a's node that is not compared, SL_NONE */
    bool causes;     /* why, and behind whom, too */
};
void kept_compare(const struct agreement *how, const struct subject *s, const struct kept_run *a,
                  const struct kept_run *b);

/* True where two events that don't fall on one instant lie so close that `ps` could change their
 * order, or where two contended nodes come free at once, which a tick may take apart. */
bool subject_is_close(const struct subject *s, int64_t ps);

/* The relations: each returns how often it was compared. */
unsigned relate_scaled(struct subject *s);
unsigned relate_scaled_jobs(struct subject *s);
unsigned relate_renamed(struct subject *s);
unsigned relate_permuted(struct subject *s);
unsigned relate_split(struct subject *s);
unsigned relate_idle(struct subject *s);
#endif
