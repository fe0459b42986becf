/* Factors: one draw that multiplies the durations of many nodes, which their own noise cannot do:
 * independent noise vanishes in a sum, what nodes share does not.
 *
 * A device may state factors and a scenario adds to them; a name that is there already keeps the
 * fields that the later section does not state, and `none` takes the factor away. */
#ifndef SL_FACTOR_H
#define SL_FACTOR_H
#include "fields.h"

/* For what one draw holds. */
enum sl_scope { SL_SCOPE_NODE, SL_SCOPE_LAYER, SL_SCOPE_ITERATION, SL_SCOPE_JOB };

struct sl_factor {
    const char *name;
    const struct sl_dist *draw; /* NULL for a regime */
    enum sl_scope scope;        /* ITERATION, or JOB, which stands for a trial (`per: trial`) */
    bool is_regime;             /* two levels in simulated time, read when a node starts */
    double p, level;            /* share of time at `level`; otherwise 1 */
    int64_t dwell_ps;           /* mean (exponential) stay at `level` */
    /* ';'-separated globs, NULL: none by this key.  A route is named "FROM->TO". */
    const char *classes, *nodes, *routes;
    const char
        *with; /* it takes the random number that a factor of this name takes; NULL: its own */
    const char *evidence; /* NULL: none */
    struct sl_place place;
};

#define SL_MOST_FACTORS 1024 /* they are searched one by one */

/* The factors of a device and of a scenario over it, in the order in which they were first named.
 */
struct sl_factors {
    struct sl_factor *items;
    uint32_t count, capacity;
};

/* Reads a section `factors` over what is there; of a device (`is_device`) each must state its
 * evidence.  Absent (NULL) sections are fine.  Faults go to the diagnostics. */
void sl_factors_read(struct sl_factors *factors, const struct sl_reader *reader,
                     const struct sl_yaml *section, bool is_device);
/* What only the merged sections show: factors that share a random number are drawn alike (no
 * regime, one `per`) and go with a factor that has a number of its own. */
void sl_factors_check(const struct sl_factors *factors, struct sl_diags *diags);
void sl_factors_free(struct sl_factors *factors);
#endif
