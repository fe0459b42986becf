/* Sensitivity: a cell's plan simulated again with one thing changed at a time, on the cell's draws.
 *
 *     lever    what can be changed: a class, a route, the lags of an edge type, a row of kappa, the
 *              capacity of a domain; or a speedup that was asked for
 *     effect   one change of a lever (-20, -5, -1, +1, +5, +20%), and what came of it
 *
 * A change is as change.h has it.  A difference is changed - base in us; negative: faster. */
#ifndef SL_SENSITIVITY_H
#define SL_SENSITIVITY_H
#include "cell.h"
#include "change.h"
#include "paired.h"

enum sl_lever_kind {
    SL_LEVER_CLASS,
    SL_LEVER_ROUTE,
    SL_LEVER_LAG,
    SL_LEVER_KAPPA,
    SL_LEVER_CAPACITY,
    SL_LEVER_SPEEDUP,
    SL_LEVER_KINDS
};
const char *sl_lever_kind_name(enum sl_lever_kind kind);
/* "factor", "kappa" or "bytes": the unit of its effects' values. */
const char *sl_lever_unit(enum sl_lever_kind kind);

enum sl_effect_state {
    SL_EFFECT_WAITS,   /* to be simulated */
    SL_EFFECT_SOME,    /* simulated: some trial differs */
    SL_EFFECT_NONE,    /* simulated: no trial differs by a picosecond */
    SL_EFFECT_CANNOT,  /* shown not to act, and not simulated */
    SL_EFFECT_REFUSED, /* there is no such plan, or the engine refuses it */
    SL_EFFECT_STATES
};
const char *sl_effect_state_name(enum sl_effect_state state);

enum sl_effect_figure { SL_EFFECT_MEAN, SL_EFFECT_MEDIAN, SL_EFFECT_TAIL, SL_EFFECT_FIGURES };
const char *sl_effect_figure_name(enum sl_effect_figure figure);

/* Scheduling anomalies: a figure that is shown to move the way it should not, at 95% for all
 * simulated effects together. */
enum sl_anomaly_kind {
    SL_ANOMALY_NONE,
    SL_ANOMALY_REVERSAL, /* against the base: a shorter part, a slower run */
    SL_ANOMALY_TURN,     /* against the next smaller change of the lever in the same direction */
};
const char *sl_anomaly_name(enum sl_anomaly_kind kind); /* "" for none */

struct sl_effect {
    double percent;       /* as asked for */
    bool replanned;       /* the policy planned on the changed scenario; else the plan is kept */
    double before, after; /* what is scaled: a factor from 1, kappa, bytes */
    enum sl_effect_state state;
    const char *note;    /* why it cannot act or is refused; NULL */
    uint32_t deadlocked; /* trials */
    uint32_t against;    /* trials that moved the wrong way: longer by a shorter part */
    struct sl_difference figures[SL_EFFECT_FIGURES]; /* of SL_EFFECT_SOME */
    enum sl_anomaly_kind anomaly;
    enum sl_effect_figure anomaly_figure;
    struct sl_estimate anomaly_us; /* its difference, against what the kind says */
    double anomaly_percent;        /* what it is against: 0, or the smaller change */
};

/* The tail's change in percent of it per percent of the lever, between `step` percent less and as
 * much more: the largest step that the smaller ones do not speak against (sensitivity_slope.c). */
struct sl_slope {
    struct sl_estimate estimate; /* the 95% interval of more against less; NAN: there is none */
    double step;                 /* 1, 5 or 20; NAN */
    bool kinked;                 /* none, as the smallest step up differs in slope from that down */
};

struct sl_lever {
    enum sl_lever_kind kind;
    uint32_t index; /* class, route, edge type, row or domain */
    const char *name;
    struct sl_effect *effects; /* by percent */
    uint32_t effect_count;
    double chain_share;    /* of the chains near the tail; NAN where time has no such part */
    double elasticity;     /* the same where it is one; NAN */
    struct sl_slope slope; /* not of a speedup */
};

struct sl_speedup {
    const char *name; /* of a class or a route ("pinned->hbm") */
    double share;     /* 0.2: it takes 20% less time; at most 1 */
};

struct sl_sensitivity {
    struct sl_arena arena;
    const struct sl_cell *cell;        /* borrowed */
    const struct sl_speedup *speedups; /* borrowed */
    uint32_t speedup_count;
    struct sl_lever *levers;
    uint32_t lever_count, lever_capacity;
    uint32_t simulated, cannot; /* effects */
    double tail;                /* quantile of the objective */
    double base_us[SL_EFFECT_FIGURES];
    uint32_t chain_trials; /* near the tail; 0: none looked at */
    bool order_fixed;      /* chain derivatives hold: see fixed_order.h */
    char order_reason[256];
};

/* What sl_cell_run found is asked what can act; nothing is simulated.  `steps`: every lever of the
 * plan; `speedups`: these, together, with the plan kept and with it made again.  The cell has a
 * plan; it must outlive `sensitivity`, and so must the speedups, whose names are those of classes
 * or routes.  sl_sensitivity_free releases, after a failure too. */
enum sl_status sl_sensitivity_open(struct sl_sensitivity *sensitivity, const struct sl_cell *cell,
                                   bool steps, const struct sl_speedup *speedups, uint32_t count,
                                   struct sl_error *err) SL_NODISCARD;
/* Simulates what waits, with the cell's trials and seed.  Progress counts effects as cells;
 * SL_INTERRUPTED when it says so. */
enum sl_status sl_sensitivity_run(struct sl_sensitivity *sensitivity,
                                  const struct sl_run_options *options,
                                  struct sl_error *err) SL_NODISCARD;
void sl_sensitivity_free(struct sl_sensitivity *sensitivity);

/* "FROM->TO" in the arena; NULL: out of memory. */
const char *sl_route_name(const struct sl_platform *platform, uint32_t route,
                          struct sl_arena *arena);
/* "copy.h2d beside gemm+attention", of a row of the table, likewise. */
const char *sl_kappa_row_name(const struct sl_kappa *kappa, uint32_t index, struct sl_arena *arena);
/* The change of the tail in percent of it, per percent of the change; NAN where there is none. */
double sl_effect_per_percent(const struct sl_effect *effect);
/* The largest change of the tail of any effect, us; INFINITY: a trial at the tail deadlocked, or a
 * change is refused; 0: none. */
double sl_lever_weight(const struct sl_lever *lever);
#endif
