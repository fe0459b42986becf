/* State of the reference simulator and what its parts offer each other. */
#ifndef SL_REFERENCE_PARTS_H
#define SL_REFERENCE_PARTS_H
#include "reference_sim.h"

enum ref_status { NOT_READY, WAITING, HOLDING, IN_LATENCY, GONE };
enum ref_reason { MET, OUT_OF_TURN, BEHIND_ONE, NO_UNITS, NO_BYTES, NOT_BESIDE };
/* Cause of a skipped fallback: its last primary started or was skipped. */
#define REF_DECISION 254

struct ref_pred {
    uint32_t from;
    int64_t lag;
    int cause;
};

/* A node's facts and where it is. */
struct ref_run {
    const struct sl_node *node;
    const char *name; /* of the same node in the first iteration */
    uint32_t origin;  /* ... and its index */
    uint32_t first;   /* its first resource, SL_NONE */
    enum sl_order order;
    uint64_t groups;
    struct ref_pred *preds;
    uint32_t pred_count;
    uint32_t lane_predecessor, fallback; /* SL_NONE */
    bool is_fallback;
    double rank; /* upward; -1: not known yet */
    enum ref_status status;
    enum ref_reason reason, last_reason; /* of the last two attempts */
    int64_t end;                         /* of a fixed hold or latency; -1: contended */
    double target;                       /* of its cell's clock */
    bool entering;                       /* started at this instant, not yet in its cell */
    uint64_t passed_at, done_at;         /* order of starts, and of ends */
};

/* (class, set of groups) and its virtual clock. */
struct ref_cell {
    uint32_t klass;
    uint64_t groups;
    double clock, kappa;
    int64_t since;
};

/* What was free after `node` had given back, in this round. */
struct ref_snapshot {
    uint32_t node;
    int64_t units[REF_MOST], room[REF_MOST];
    bool *running;
};

struct ref_sim {
    const struct sl_graph *g;
    const struct sl_platform *platform;
    const struct sl_engine_options *options;
    struct ref_result *out;
    struct ref_node *record; /* = out->nodes */
    uint32_t base,
        n; /* nodes of one iteration, and of all: i is node i % base of iteration i / base */
    int64_t now;
    uint64_t passes;
    struct ref_run *runs;
    bool *held;                                 /* by iteration and holding */
    bool *given_back;                           /* by holding: somebody does */
    int64_t level[REF_MOST], part[REF_MOST][3]; /* objects, workspace, staging */
    int64_t noted[REF_MOST][3];
    struct ref_cell *cells;
    uint32_t cell_count;
    uint64_t touched; /* groups in which a contended node started or came free at this instant */
    struct ref_snapshot *shots;
    uint32_t shot_count;
    uint32_t *started, started_count; /* by this scan of one list */
    uint32_t *list, *failed;          /* of this scan */
};

static inline void ref_saw(struct ref_sim *s, enum ref_event event)
{
    s->out->seen[event]++;
}

/* reference_facts.c: what the graph says of nodes. */
void ref_open(struct ref_sim *s, uint32_t iterations);
void ref_close(struct ref_sim *s);
uint32_t ref_holding(const struct ref_sim *s, uint32_t i, uint32_t h); /* index in `held` */
int64_t ref_holding_bytes(const struct ref_sim *s, uint32_t h);
bool ref_demands_domain(const struct ref_sim *s, uint32_t i, uint32_t m);
int64_t ref_bytes_wanted(const struct ref_sim *s, uint32_t i, uint32_t m);
/* They demand a common resource or domain. */
bool ref_compete(const struct ref_sim *s, uint32_t a, uint32_t b);
/* Neither of the two may start now while the other runs. */
bool ref_kept_apart(const struct ref_sim *s, uint32_t a, uint32_t b);
/* Parts of an overlap demand are kinds of nodes: equal class and groups, or one that a row names.
 */
bool ref_same_kind(const struct ref_sim *s, uint32_t a, uint32_t b);
bool ref_before(struct ref_sim *s, uint32_t a, uint32_t b); /* in their common list, now */
double ref_priority(const struct ref_sim *s, uint32_t i);   /* aged */

/* reference_kappa.c: contention. */
bool ref_contends(const struct ref_sim *s, uint32_t i);
int64_t ref_contended_end(struct ref_sim *s, uint32_t i);
void ref_update_contention(struct ref_sim *s);

/* reference_ready.c: conditions, guards and fallbacks. */
struct ref_readiness {
    int64_t at;
    int cause;
    uint32_t behind;
    bool skip; /* it will be skipped then */
};
/* True when every condition of `i` has a time. */
bool ref_conditions(const struct ref_sim *s, uint32_t i, struct ref_readiness *ready);
void ref_expiries(struct ref_sim *s);
int64_t ref_cancelled_at(const struct ref_sim *s, uint32_t i); /* INT64_MAX: not at a time */
bool ref_latest_starts(struct ref_sim *s);
void ref_pass(struct ref_sim *s, uint32_t i); /* started, skipped or cancelled */

/* reference_cause.c: what is free, and why a node waited. */
int64_t ref_units_free(const struct ref_sim *s, uint32_t r);
int64_t ref_room(const struct ref_sim *s, uint32_t m);
void ref_snapshot(struct ref_sim *s, uint32_t node);
void ref_blame(struct ref_sim *s, uint32_t i, int cause, uint32_t behind, int by_free);
void ref_blame_like(struct ref_sim *s, uint32_t i, int cause, uint32_t other);
void ref_blame_start(struct ref_sim *s, uint32_t i);

/* reference_sim.c */
int64_t ref_ends_at(struct ref_sim *s, uint32_t i); /* INT64_MAX: not running, or not known yet */
void ref_change(struct ref_sim *s, uint32_t m, int part, int64_t bytes);
void ref_give_bytes(struct ref_sim *s, uint32_t i, bool skipped);
#endif
