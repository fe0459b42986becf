/* Every cost has evidence, a defensible bound, or an explicit unknown marker. */
#include "config.h"

#include "gate.h"
#include <string.h>

void sl_gate_costs(const struct sl_record *record, struct sl_gate_claims *claims)
{
    uint32_t without = 0, assumed = 0, unknown = 0;
    for (uint32_t i = 0; i < record->costs.count; i++) {
        const struct sl_record_cost *cost = &record->costs.items[i];
        if (cost->evidence) {
            assumed += strcmp(cost->evidence, "assumed") == 0;
            unknown += strcmp(cost->evidence, "unknown") == 0;
            continue;
        }
        if (++without <= 3)
            sl_gate_claim(claims, SL_GATE_FAIL, "costs", "%s '%.100s' has no evidence", cost->what,
                          cost->name);
    }
    if (without > 3)
        sl_gate_claim(claims, SL_GATE_FAIL, "costs", "%u costs have none in all", without);
    if (record->costs.count == 0)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "costs", "no cost is recorded");
    else if (without == 0)
        sl_gate_claim(claims, SL_GATE_PASS, "costs",
                      "all %u costs state where they come from (%u assumed, %u marked unknown); "
                      "%u unknowns are named",
                      record->costs.count, assumed, unknown, record->unknowns.count);
}
