/* Which cells a sweep has: settings of the axes x policies, in the order of sweep.h. */
#ifndef SL_AXES_H
#define SL_AXES_H
#include "sweep.h"

#define SL_MAX_CELLS 1000000

/* The cells, and how each is made.  Everything lives in the arena given to sl_axes_cells. */
struct sl_axes_table {
    uint32_t count, axis_count;
    struct sl_cell_spec *specs;
    uint32_t *policies; /* index in the scenario */
    uint32_t *choices;  /* cell x axis: index of the value, SL_NONE where the axis does not apply */
};

/* `scenario` is the one without any axis set; its policies already carry the overrides.  Of the
 * request only the policies count, and whether every axis is left alone. */
enum sl_status sl_axes_cells(struct sl_axes_table *table, const struct sl_scenario *scenario,
                             const struct sl_sweep_request *request, struct sl_arena *arena,
                             struct sl_error *err) SL_NODISCARD;

static inline const uint32_t *sl_axes_choice(const struct sl_axes_table *table, uint32_t cell)
{
    return table->choices + (size_t)cell * table->axis_count;
}

/* The key of a policy axis or override ("policy.prefetch.lookahead" -> "prefetch.lookahead"), NULL
 * for a path into the scenario. */
const char *sl_axes_policy_key(const char *path);

/* The policy with every policy axis of `choice` set that applies to it, the result of one making
 * others apply (`prefetch.when` = lookahead makes `prefetch.lookahead` a parameter).  applied[a]
 * tells which axes were used; axes into the scenario always count as used.  NULL: out of memory. */
const struct sl_policy_spec *sl_axes_policy(const struct sl_scenario *scenario,
                                            const struct sl_policy_spec *policy,
                                            const uint32_t *choice, bool *applied,
                                            struct sl_arena *arena);

/* A value as one line of text: scalars as written, lists and maps in flow style. */
const char *sl_axes_text(const struct sl_yaml *value, struct sl_arena *arena);

/* True when the policy axis is a parameter of at least one policy at some setting of the others. */
bool sl_axes_used(const struct sl_axes_table *table, uint32_t axis);
#endif
