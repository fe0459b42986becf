/* Every material action and dependency appears in the graph: nothing is read that nothing provided,
 * and a measurement, where there is one, shows no action that the plan lacks. */
#include "config.h"

#include "gate.h"
#include <string.h>

static void judge_measured(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_measurement *measurement = &record->measurement;
    const char *digest = record->measured.source.plan_digest;
    bool same = !digest || !record->graph.plan_digest ||
                strcmp(digest, record->graph.plan_digest) == 0 ||
                (record->runtime_feasible.present && record->runtime_feasible.source.plan_digest &&
                 strcmp(digest, record->runtime_feasible.source.plan_digest) == 0);
    if (!same)
        sl_gate_claim(claims, SL_GATE_FAIL, "measured.source.plan_digest",
                      "what was measured is another plan (%s)", digest);
    if (measurement->missing.count > 0)
        sl_gate_claim(claims, SL_GATE_FAIL, "measurement.missing",
                      "%u planned actions were not seen, first '%.100s'",
                      measurement->missing.count, measurement->missing.items[0]);
    if (measurement->unexpected.count > 0)
        sl_gate_claim(claims, SL_GATE_FAIL, "measurement.unexpected",
                      "%u measured actions are not in the plan, first '%.100s'",
                      measurement->unexpected.count, measurement->unexpected.items[0]);
    if (measurement->matched == 0)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "measurement.matched",
                      "no measured action was told by name");
    else if (measurement->missing.count == 0 && measurement->unexpected.count == 0 && same)
        sl_gate_claim(claims, SL_GATE_PASS, "measurement.matched",
                      "all %llu planned actions were measured, and no others",
                      (unsigned long long)measurement->planned);
}

void sl_gate_actions(const struct sl_record *record, struct sl_gate_claims *claims)
{
    uint32_t found = sl_gate_claim_findings(record, "actions", claims);
    if (record->measurement.present)
        judge_measured(record, claims);
    if (found > 0 || sl_gate_lacks_run(record, claims))
        return;
    sl_gate_claim(claims, SL_GATE_PASS, "graph",
                  "%llu nodes and %llu edges, in which every read comes after what provides it%s",
                  (unsigned long long)record->graph.nodes, (unsigned long long)record->graph.edges,
                  record->measurement.present ? "" : "; no measurement to hold them against");
}
