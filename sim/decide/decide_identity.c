/* What a record is about: workload, environment, objective, inputs; and what `check` says of it. */
#include "config.h"

#include "decide_parts.h"
#include "outfile.h"
#include "units.h"
#include <math.h>
#include <string.h>

void sl_record_forget(struct sl_record *record)
{
    sl_record_clear(&record->workload, &sl_shape_workload);
    sl_record_clear(&record->environment, &sl_shape_environment);
    sl_record_clear(&record->objective, &sl_shape_objective);
    sl_record_clear(&record->graph, &sl_shape_graph);
    sl_record_clear(&record->baseline, &sl_shape_schedule);
    sl_record_clear(&record->selected, &sl_shape_schedule);
    sl_record_clear(&record->selection, &sl_shape_selection);
    sl_record_clear(&record->policy, &sl_shape_policy);
    sl_record_clear(&record->projected, &sl_shape_result);
    sl_record_clear(&record->proofs, &sl_shape_proofs);
    sl_record_clear(&record->fallback, &sl_shape_fallback);
    record->inputs.count = record->findings.count = record->alternatives.count = 0;
    record->drifts = NULL;
    record->costs.count = record->unknowns.count = record->falsifiers.count = 0;
}

/* From the scenario's folder where they lie in it, as in manifest.json. */
const char *sl_record_input_name(const struct sl_scenario *scenario, const char *path)
{
    size_t length = scenario->dir ? strlen(scenario->dir) : 0;
    bool inside = length > 0 && strncmp(path, scenario->dir, length) == 0 && path[length] == '/';
    return inside ? path + length + 1 : path;
}

enum sl_status sl_record_add_inputs(struct sl_record *record, const struct sl_scenario *scenario,
                                    const char *role, struct sl_error *err)
{
    const struct sl_platform *platform = &scenario->platform;
    bool good = true;
    for (uint32_t i = 0; good && i < platform->input_count; i++) {
        char hex[65];
        enum sl_status status = sl_file_sha256(platform->input_files[i], hex, err);
        if (status != SL_OK)
            return status;
        struct sl_record_input *input = sl_record_add(record, &record->inputs, &sl_shape_input);
        if (!input)
            return sl_decide_no_memory(err);
        *input = (struct sl_record_input){
            .role = sl_record_keep(record, role, &good),
            .path = sl_record_keep(record, sl_record_input_name(scenario, platform->input_files[i]),
                                   &good),
            .sha256 = sl_record_keep(record, hex, &good)};
    }
    return good ? SL_OK : sl_decide_no_memory(err);
}

void sl_record_mark_policies(struct sl_record *record, const char *path)
{
    for (uint32_t i = 0; i < record->inputs.count; i++)
        if (strcmp(record->inputs.items[i].path, path) == 0)
            record->inputs.items[i].role = SL_RECORD_POLICIES;
}

static bool identify_objective(struct sl_record *record, const struct sl_scenario *scenario)
{
    struct sl_record_objective *objective = &record->objective;
    bool good = true;
    objective->metric = sl_record_keep(record, sl_metric_name(scenario), &good);
    objective->tail = scenario->objective.tail;
    objective->tail_stated = scenario->objective.tail_given;
    objective->min_gain = scenario->objective.min_gain;
    if (scenario->objective.busy != SL_NONE)
        objective->busy = sl_record_keep(
            record, scenario->platform.resource_names.names[scenario->objective.busy], &good);
    for (uint32_t i = 0; good && i < scenario->objective.order_count; i++)
        good = sl_record_add_text(record, &objective->order, scenario->objective.order[i].name);
    for (uint32_t i = 0; good && i < scenario->objective.constraint_count; i++)
        good = sl_record_add_text(record, &objective->constraints,
                                  scenario->objective.constraints[i].text);
    if (scenario->starvation_bound_ps >= 0)
        objective->wait_bound_us = sl_us_of(scenario->starvation_bound_ps);
    return good;
}

static bool identify_domains(struct sl_record *record, const struct sl_platform *platform)
{
    bool good = true;
    for (uint32_t d = 0; good && d < platform->domain_names.count; d++) {
        const struct sl_domain *domain = &platform->domains[d];
        struct sl_record_domain *item =
            sl_record_add(record, &record->environment.domains, &sl_shape_domain);
        if (!item)
            return false;
        item->domain = sl_record_keep(record, platform->domain_names.names[d], &good);
        item->reserve_stated = domain->reserve_given;
        if (domain->capacity < 0)
            continue;
        item->capacity_bytes = (double)domain->capacity;
        item->reserve_bytes = (double)domain->reserve;
    }
    return good;
}

enum sl_status sl_record_identify(struct sl_record *record, const struct sl_scenario *scenario,
                                  const char *path, struct sl_error *err)
{
    struct sl_record_workload *workload = &record->workload;
    bool good = true;
    workload->scenario = sl_record_keep(record, scenario->name ? scenario->name : "", &good);
    workload->description = sl_record_keep(record, scenario->description, &good);
    workload->folder = sl_record_keep(record, path, &good);
    workload->mode = sl_mode_words[scenario->mode];
    if (scenario->graph) {
        workload->nodes = scenario->graph->node_count;
        workload->edges = scenario->graph->edge_count;
        workload->objects = scenario->graph->object_count;
    }
    record->environment.device = sl_record_keep(record, scenario->platform.device_name, &good);
    if (!good || !identify_domains(record, &scenario->platform) ||
        !identify_objective(record, scenario))
        return sl_decide_no_memory(err);
    return sl_record_add_inputs(record, scenario, "scenario", err);
}

static bool add_finding(struct sl_record *record, const struct sl_diag *diag)
{
    const char *severity = sl_severity_name(diag->severity);
    bool good = true;
    for (uint32_t i = 0; i < record->findings.count; i++) {
        struct sl_record_finding *known = &record->findings.items[i];
        if (strcmp(known->code, diag->code) != 0 || strcmp(known->severity, severity) != 0)
            continue;
        known->count++;
        return true;
    }
    struct sl_record_finding *finding = sl_record_add(record, &record->findings, &sl_shape_finding);
    if (!finding)
        return false;
    *finding = (struct sl_record_finding){
        sl_record_keep(record, diag->code, &good), sl_record_keep(record, severity, &good), 1,
        diag->place.file && diag->place.line > 0
            ? sl_record_text(record, &good, "%s:%d: %s", diag->place.file, diag->place.line,
                             diag->message ? diag->message : "")
            : sl_record_keep(record, diag->message ? diag->message : "", &good)};
    return good;
}

enum sl_status sl_record_note_findings(struct sl_record *record, const struct sl_diags *diags,
                                       struct sl_error *err)
{
    bool good = true;
    for (uint32_t i = 0; good && i < diags->count; i++)
        if (diags->items[i].severity != SL_NOTE)
            good = add_finding(record, &diags->items[i]);
    return good ? SL_OK : sl_decide_no_memory(err);
}
