/* The projection: what the simulation says of the selected cell alone. */
#include "config.h"

#include "cell_facts.h"
#include "decide_parts.h"
#include "result_parts.h"
#include "units.h"
#include <math.h>

enum sl_status sl_decide_projection(struct sl_decision *decision, const struct sl_cell *cell,
                                    struct sl_error *err)
{
    struct sl_record *record = decision->record;
    struct sl_record_result *projected = &record->projected;
    const struct sl_names *domains = &cell->scenario->platform.domain_names;
    bool good = true;
    if (!cell->metric_ps)
        return SL_OK;
    projected->present = true;
    projected->source = (struct sl_record_source){
        .kind = "simulation",
        .sha256 = sl_record_keep(record, decision->input_hash, &good),
        .plan_digest = record->graph.plan_digest,
        .seed = sl_record_text(record, &good, "%llu", (unsigned long long)record->fresh_seed),
    };
    projected->metric = sl_record_keep(record, sl_metric_name(cell->scenario), &good);
    projected->unit = "us";
    projected->counted = cell->jobs ? "replications" : "trials";
    projected->count = cell->trials;
    projected->failed = cell->deadlocked;
    projected->tail_quantile = cell->scenario->objective.tail;
    projected->median = cell->median;
    projected->tail = sl_decide_tail(cell);
    projected->worst = cell->max_us;
    projected->max_wait_us = record->selected.max_wait_us;
    projected->longest_wait = record->selected.longest_wait;
    projected->starved = record->selected.starved;
    for (uint32_t d = 0; good && d < domains->count; d++) {
        struct sl_record_peak *peak = sl_record_add(record, &projected->peaks, &sl_shape_peak);
        if (!peak)
            return sl_decide_no_memory(err);
        *peak = (struct sl_record_peak){sl_record_keep(record, domains->names[d], &good),
                                        (double)sl_peak_of(cell, d)};
    }
    return good ? SL_OK : sl_decide_no_memory(err);
}
