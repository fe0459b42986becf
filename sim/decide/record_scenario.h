/* The scenario of a record, as the decision saw it, and the selected policy's plan, made again. */
#ifndef SL_RECORD_SCENARIO_H
#define SL_RECORD_SCENARIO_H
#include "policy.h"
#include "record.h"

struct sl_record_scenario {
    struct sl_arena arena;
    struct sl_override *overrides; /* the record's settings and point, then what was asked for */
    uint32_t override_count;
    struct sl_scenario scenario;
    /* With sl_record_scenario_plan: */
    const struct sl_policy_spec *policy; /* by the record's settings */
    struct sl_plan plan;
    struct sl_program *program; /* NULL in modes open and closed */
};

/* Loads the scenario at the record's settings and point.  `more`: KEY=VALUE that come last; NULL
 * ends them.  Faults go to `diags`.  sl_record_scenario_close releases in every case. */
enum sl_status sl_record_scenario_open(struct sl_record_scenario *at,
                                       const struct sl_record *record, const char *const *more,
                                       struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* Plans the selected policy.  SL_NO: it has no legal plan. */
enum sl_status sl_record_scenario_plan(struct sl_record_scenario *at,
                                       const struct sl_record *record, struct sl_diags *diags,
                                       struct sl_error *err) SL_NODISCARD;
/* SL_USAGE in modes open and closed, which `what` does not have. */
enum sl_status sl_record_scenario_once(const struct sl_record_scenario *at, const char *what,
                                       struct sl_error *err) SL_NODISCARD;
/* Plans the record's baseline.  SL_NO: the record has none, or it is another scenario's or another
 * point's.  sl_plan_free releases in every case. */
enum sl_status sl_record_scenario_baseline(const struct sl_record_scenario *at,
                                           const struct sl_record *record, struct sl_plan *plan,
                                           struct sl_diags *diags,
                                           struct sl_error *err) SL_NODISCARD;
/* Opens at the record's own point, and plans.  SL_INVALID unless the files are the record's
 * inputs, and that is still the plan that was decided on.  sl_record_scenario_close releases in
 * every case. */
enum sl_status sl_record_scenario_decided(struct sl_record_scenario *at,
                                          const struct sl_record *record, struct sl_diags *diags,
                                          struct sl_error *err) SL_NODISCARD;
void sl_record_scenario_close(struct sl_record_scenario *at);
/* The policy by the settings in the record; its table of choices is the scenario's.  In the arena;
 * NULL: out of memory. */
const struct sl_policy_spec *sl_record_policy_spec(const struct sl_record *record,
                                                   const struct sl_scenario *scenario,
                                                   struct sl_arena *arena);
#endif
