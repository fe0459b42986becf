/* The run of a decision: its cells are simulated, kept, and looked at one by one as they finish. */
#include "config.h"

#include "decide_parts.h"
#include "same_graph.h"
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

const char *sl_record_keep(struct sl_record *record, const char *text, bool *good)
{
    const char *copy = text ? sl_arena_strdup(&record->arena, text) : NULL;
    *good &= !text || copy;
    return copy;
}

const char *sl_record_text(struct sl_record *record, bool *good, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sl_record_keep(record, text, good);
}

const char *sl_record_hex(struct sl_record *record, uint64_t digest, bool *good)
{
    return sl_record_text(record, good, "%016llx", (unsigned long long)digest);
}

/* What the simulation's figures depend on, besides the version of the tool. */
static void hash_inputs(struct sl_decision *decision)
{
    const struct sl_record *record = decision->record;
    SHA2_CTX context;
    char numbers[100];
    SHA256Init(&context);
    for (uint32_t i = 0; i < record->inputs.count; i++) {
        const char *hash = record->inputs.items[i].sha256, *role = record->inputs.items[i].role;
        if (strcmp(role, "scenario") != 0 && strcmp(role, "baseline") != 0)
            continue;
        SHA256Update(&context, (const uint8_t *)hash, strlen(hash) + 1);
    }
    const struct sl_record_texts *settings = &record->environment.settings;
    for (uint32_t i = 0; i < settings->count; i++)
        SHA256Update(&context, (const uint8_t *)settings->items[i], strlen(settings->items[i]) + 1);
    for (uint32_t i = 0; i < record->environment.point.count; i++) {
        const struct sl_record_axis *axis = &record->environment.point.items[i];
        SHA256Update(&context, (const uint8_t *)axis->axis, strlen(axis->axis) + 1);
        SHA256Update(&context, (const uint8_t *)axis->value, strlen(axis->value) + 1);
    }
    int length =
        snprintf(numbers, sizeof numbers, "%llu %llu", (unsigned long long)record->fresh_seed,
                 (unsigned long long)record->trials);
    SHA256Update(&context, (const uint8_t *)numbers, (size_t)length);
    SHA256End(&context, decision->input_hash);
}

/* The selected policy at the selected values of policies' axes. */
static bool is_selected(const struct sl_decision *decision, const struct sl_cell_spec *spec)
{
    if (!decision->policy || strcmp(spec->policy, decision->policy) != 0)
        return false;
    for (uint32_t a = 0; a < spec->axis_count && decision->policy_axes; a++)
        if (decision->policy_axes[a] && strcmp(decision->policy_axes[a], spec->axis_texts[a]) != 0)
            return false;
    return true;
}

static enum sl_status look_at_selected(struct sl_decision *decision, const struct sl_cell *cell,
                                       struct sl_error *err)
{
    struct sl_record *record = decision->record;
    enum sl_status status = sl_decide_schedule(decision, cell, &record->selected, err);
    if (status == SL_OK)
        status = sl_decide_policy(decision, cell, err);
    if (status != SL_OK || !cell->plan.graph)
        return status;
    status = sl_decide_graph(decision, cell, err);
    if (status == SL_OK)
        status = sl_decide_costs(decision, cell, err);
    if (status == SL_OK)
        status = sl_decide_unknowns(decision, cell, err);
    if (status == SL_OK)
        status = sl_decide_proofs(decision, cell, err);
    return status == SL_OK ? sl_decide_projection(decision, cell, err) : status;
}

/* The declared baseline where it is feasible; else, if there is one that is, the fallback. */
static bool is_better_base(const struct sl_decision *decision, const struct sl_cell *cell)
{
    const struct sl_scenario *scenario = decision->scenario;
    const char *policy = cell->spec.policy;
    const char *first = decision->baseline ? decision->baseline : scenario->baseline;
    const char *second = decision->baseline ? NULL : scenario->fallback_baseline;
    if (decision->other.path)
        return false;
    bool is_first = first && strcmp(policy, first) == 0;
    bool is_second = second && strcmp(policy, second) == 0;
    if (decision->base == SL_NONE)
        return is_first || is_second;
    const struct sl_decide_cell *base = &decision->cells[decision->base];
    bool base_is_first = strcmp(base->policy, first ? first : "") == 0;
    if (is_first && !base_is_first)
        return cell->verdict == SL_VERDICT_OK;
    return is_second && base_is_first && base->verdict != SL_VERDICT_OK &&
           cell->verdict == SL_VERDICT_OK;
}

static enum sl_status take_cell(void *user, const struct sl_cell *cell, struct sl_error *err)
{
    struct sl_decision *decision = user;
    if (!sl_grow((void **)&decision->cells, &decision->capacity, decision->count + 1,
                 sizeof *decision->cells))
        return sl_decide_no_memory(err);
    struct sl_decide_cell *kept = &decision->cells[decision->count];
    enum sl_status status = sl_decide_keep(decision, cell, kept, err);
    if (status != SL_OK)
        return status;
    uint32_t index = decision->count++;
    if (is_better_base(decision, cell)) {
        decision->base = index;
        status = sl_decide_schedule(decision, cell, &decision->record->baseline, err);
        bool good = true;
        if (cell->plan.graph)
            decision->record->graph.baseline_digest =
                sl_record_hex(decision->record, sl_graph_digest(cell->plan.graph), &good);
        if (!good)
            return sl_decide_no_memory(err);
    }
    if (status == SL_OK && is_selected(decision, &cell->spec)) {
        if (decision->selected != SL_NONE)
            return SL_FAIL(err, SL_USAGE,
                           "policy '%s' has several points, %s among them, and a decision is about "
                           "one: choose it with --at policy.AXIS=VALUE",
                           kept->policy, kept->point ? kept->point : "one without axes");
        decision->selected = index;
        status = look_at_selected(decision, cell, err);
    }
    return status;
}

static enum sl_status take_other(void *user, const struct sl_cell *cell, struct sl_error *err)
{
    struct sl_decision *decision = user;
    struct sl_record *record = decision->record;
    bool good = true;
    enum sl_status status = sl_decide_keep(decision, cell, &decision->other_cell, err);
    if (status == SL_OK)
        status = sl_decide_schedule(decision, cell, &record->baseline, err);
    if (status == SL_OK && cell->plan.graph)
        record->graph.baseline_digest =
            sl_record_hex(record, sl_graph_digest(cell->plan.graph), &good);
    record->baseline.scenario = sl_record_keep(record, decision->other.path, &good);
    decision->has_other = true;
    return good ? status : sl_decide_no_memory(err);
}

/* A cell without a trial that completes is an answer here. */
static enum sl_status sweep(struct sl_decision *decision, struct sl_sweep_request *request,
                            sl_cell_sink sink, struct sl_error *err)
{
    struct sl_diags diags = {0};
    struct sl_sweep_totals totals;
    request->sink = sink;
    request->user = decision;
    enum sl_status status = sl_sweep_run(request, &totals, &diags, err);
    if (status == SL_INVALID)
        sl_diags_print(&diags, stderr);
    sl_diags_free(&diags);
    if (status == SL_NO && err)
        *err = (struct sl_error){0};
    return status == SL_NO ? SL_OK : status;
}

enum sl_status sl_decide_simulate(struct sl_decision *decision, struct sl_error *err)
{
    decision->selected = decision->base = SL_NONE;
    hash_inputs(decision);
    enum sl_status status = SL_OK;
    if (decision->other.path)
        status = sweep(decision, &decision->other, take_other, err);
    if (status == SL_OK)
        status = sweep(decision, &decision->request, take_cell, err);
    if (status == SL_OK)
        status = sl_decide_compare(decision, err);
    if (status == SL_OK)
        status = sl_decide_fallback(decision, err);
    return status == SL_OK ? sl_decide_falsifiers(decision, err) : status;
}

void sl_decide_free(struct sl_decision *decision)
{
    free(decision->cells);
    sl_arena_free(&decision->arena);
}
