/* Candidates on two devices. */
#include "config.h"

#include "paired.h"
#include "rebase_parts.h"
#include "same_graph.h"
#include "search.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *sl_rebase_outcome_name(enum sl_rebase_outcome outcome)
{
    static const char *const names[] = {"kept", "flipped", "open"};
    return names[outcome];
}

static enum sl_status no_memory(struct sl_error *err)
{
    return SL_FAIL(err, SL_SYSTEM, "out of memory for another device");
}

/* ---- scenarios ---------------------------------------------------------------------------------
 */

/* A path in a scenario is from its folder. */
static enum sl_status open_new(struct sl_rebase *rebase, const struct sl_record *record,
                               const char *device, struct sl_diags *diags, struct sl_error *err)
{
    char *whole = realpath(device, NULL);
    bool starved = !whole && errno == ENOMEM;
    const char *text = whole ? sl_arena_printf(&rebase->arena, "device=%s", whole) : NULL;
    free(whole);
    if (starved || rebase->arena.starved)
        return no_memory(err);
    if (!text)
        return SL_FAIL(err, SL_INVALID, "there is no device folder '%s'", device);
    const char *const more[] = {text, NULL};
    return sl_record_scenario_open(&rebase->at[1], record, more, diags, err);
}

/* Two devices of one name are told apart by the new one's folder. */
static enum sl_status name_devices(struct sl_rebase *rebase, const char *device,
                                   struct sl_error *err)
{
    for (int side = 0; side < 2; side++) {
        const char *name = rebase->at[side].scenario.platform.device_name;
        rebase->devices[side] = name ? name : "none";
    }
    if (strcmp(rebase->devices[0], rebase->devices[1]) == 0)
        rebase->devices[1] = sl_arena_printf(&rebase->arena, "%s (%s)", rebase->devices[0], device);
    return rebase->devices[1] ? SL_OK : no_memory(err);
}

static enum sl_status open_both(struct sl_rebase *rebase, const struct sl_record *record,
                                const char *device, struct sl_diags *diags, struct sl_error *err)
{
    enum sl_status status = sl_record_scenario_decided(&rebase->at[0], record, diags, err);
    rebase->jobs = status == SL_OK && sl_scenario_has_jobs(&rebase->at[0].scenario);
    if (status == SL_OK)
        status = open_new(rebase, record, device, diags, err);
    if (status == SL_OK)
        status = name_devices(rebase, device, err);
    return status;
}

/* ---- candidates --------------------------------------------------------------------------------
 */

/* "prefetch.lookahead=2 reclaim=lazy": a value goes up to the blank before the next key. */
static const struct sl_policy_spec *with_point(const struct sl_policy_spec *spec, const char *point,
                                               struct sl_arena *arena)
{
    char *text = point ? sl_arena_strdup(arena, point) : NULL;
    for (char *key = text, *next; spec && key && *key; key = next) {
        char *value = strchr(key, '=');
        if (!value)
            return spec;
        *value++ = '\0';
        char *equals = strchr(value, '='), *blank = equals;
        while (blank && blank > value && *blank != ' ')
            blank--;
        next = equals && blank > value ? blank + 1 : value + strlen(value);
        if (equals && blank > value)
            *blank = '\0';
        spec = sl_policy_with(spec, key, value, arena);
    }
    return spec;
}

static bool add(struct sl_rebase *rebase, const struct sl_record *record, const char *policy,
                const char *point, bool selected)
{
    struct sl_rebase_candidate *candidate = &rebase->candidates[rebase->count];
    *candidate = (struct sl_rebase_candidate){.policy = policy, .point = point};
    for (int side = 0; side < 2; side++) {
        const struct sl_scenario *scenario = &rebase->at[side].scenario;
        const struct sl_policy_spec *named = sl_scenario_policy(scenario, policy);
        if (!selected && !named) {
            const char *before = rebase->missing;
            rebase->missing = sl_arena_printf(&rebase->arena, "%s%s%s", before ? before : "",
                                              before ? ", " : "", policy);
            return rebase->missing != NULL;
        }
        candidate->specs[side] = selected ? sl_record_policy_spec(record, scenario, &rebase->arena)
                                          : with_point(named, point, &rebase->arena);
        if (!candidate->specs[side])
            return false;
    }
    rebase->count++;
    return true;
}

static enum sl_status list_candidates(struct sl_rebase *rebase, const struct sl_record *record,
                                      struct sl_error *err)
{
    rebase->candidates = sl_arena_array(&rebase->arena, (size_t)record->alternatives.count + 3,
                                        sizeof *rebase->candidates);
    bool good = rebase->candidates && add(rebase, record, record->policy.name, NULL, true);
    for (uint32_t i = 0; good && i < record->alternatives.count; i++) {
        const struct sl_record_alternative *alternative = &record->alternatives.items[i];
        if (strcmp(alternative->standing, "selected") != 0)
            good = add(rebase, record, alternative->policy, alternative->point, false);
    }
    return good ? SL_OK : no_memory(err);
}

static enum sl_status search(struct sl_rebase *rebase, const struct sl_record *record,
                             const struct sl_rebase_request *request, struct sl_diags *diags,
                             struct sl_error *err)
{
    struct sl_search_result result = {0};
    const struct sl_search_options options = {.budget_s = request->budget_s,
                                              .pool = request->pool,
                                              .seed_given = true,
                                              .seed = record->seed};
    enum sl_status status = sl_search_run(&result, &rebase->at[1].scenario, &options, diags, err);
    rebase->plans_searched = result.evaluations;
    if (status == SL_OK && result.plan_count > 0 && !result.plans[0].named) {
        struct sl_rebase_candidate *candidate = &rebase->candidates[rebase->count++];
        struct sl_policy_spec *spec = sl_arena_alloc(&rebase->arena, sizeof *spec);
        *candidate = (struct sl_rebase_candidate){.policy = "searched", .searched = true};
        if (!spec)
            status = no_memory(err);
        else
            *spec = result.plans[0].policy;
        candidate->specs[0] = candidate->specs[1] = spec;
        /* The policy lives in the result's arena. */
        rebase->searched = result;
        return status;
    }
    sl_search_free(&result);
    return status;
}

/* ---- runs --------------------------------------------------------------------------------------
 */

static enum sl_status run_candidate(struct sl_rebase *rebase, const struct sl_record *record,
                                    struct sl_rebase_candidate *candidate, int side,
                                    struct sl_pool *pool, struct sl_error *err)
{
    const struct sl_run_options options = {.pool = pool,
                                           .trials = rebase->trials,
                                           .seed_given = true,
                                           .seed = record->fresh_seed,
                                           .nominal = true};
    const struct sl_cell_spec spec = {.policy = candidate->policy};
    struct sl_diags diags = {0}; /* what planning remarks was said by the decision */
    struct sl_cell cell = {0};
    enum sl_status status = sl_cell_run(&cell, &rebase->at[side].scenario, candidate->specs[side],
                                        &spec, &options, &diags, err);
    if (status == SL_OK) {
        candidate->verdicts[side] = cell.verdict;
        candidate->reasons[side] = sl_arena_strdup(&rebase->arena, cell.reason);
        if (!candidate->reasons[side])
            status = no_memory(err);
    }
    double *metric = sl_arena_array(&rebase->arena, (size_t)rebase->trials + 1, sizeof *metric);
    double *scratch = sl_arena_array(&rebase->arena, (size_t)rebase->trials + 1, sizeof *scratch);
    if (status == SL_OK && (!metric || !scratch)) {
        status = no_memory(err);
    } else if (status == SL_OK && cell.trials == rebase->trials &&
               sl_rebase_take(rebase, &cell, metric)) {
        candidate->metric_us[side] = metric;
        candidate->figure[side] = sl_rebase_figure(rebase, metric, scratch);
    }
    sl_cell_free(&cell);
    sl_diags_free(&diags);
    return status;
}

static bool is_feasible(const struct sl_rebase_candidate *candidate, int side)
{
    return candidate->verdicts[side] == SL_VERDICT_OK && candidate->metric_us[side];
}

/* The same time as the selected one in each trial: what they do is the same there. */
static bool is_same(const struct sl_rebase *rebase, const struct sl_rebase_candidate *candidate,
                    int side)
{
    const double *own = candidate->metric_us[side];
    const double *selected = rebase->candidates[0].metric_us[side];
    bool same = own && selected;
    for (uint32_t t = 0; same && t < rebase->trials; t++)
        same = own[t] == selected[t];
    return same;
}

static enum sl_status run_all(struct sl_rebase *rebase, const struct sl_record *record,
                              struct sl_pool *pool, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; status == SL_OK && i < rebase->count; i++)
        for (int side = 0; status == SL_OK && side < 2; side++) {
            struct sl_rebase_candidate *candidate = &rebase->candidates[i];
            const struct sl_rebase_candidate *selected = &rebase->candidates[0];
            candidate->figure[side] = candidate->against[side] = SL_NO_ESTIMATE;
            status = run_candidate(rebase, record, candidate, side, pool, err);
            if (status != SL_OK || i == 0 || !candidate->metric_us[side] ||
                !selected->metric_us[side])
                continue;
            candidate->same[side] = is_same(rebase, candidate, side);
            if (candidate->same[side]) {
                candidate->against[side] = (struct sl_estimate){0, 0, 0};
                continue;
            }
            status =
                sl_rebase_difference(rebase, candidate->metric_us[side], selected->metric_us[side],
                                     record->fresh_seed, &candidate->against[side], err);
        }
    return status;
}

/* The lowest figure of those that are feasible on the new device and differ from the selected one:
 * there, or, where none does, on the old one. */
static uint32_t nearest(const struct sl_rebase *rebase)
{
    uint32_t best = SL_NONE;
    for (int differs = 1; best == SL_NONE && differs >= 0; differs--)
        for (uint32_t i = 1; i < rebase->count; i++) {
            const struct sl_rebase_candidate *candidate = &rebase->candidates[i];
            if (is_feasible(candidate, 1) && !candidate->same[differs] &&
                (best == SL_NONE ||
                 candidate->figure[1].value < rebase->candidates[best].figure[1].value))
                best = i;
        }
    return best;
}

static void judge(struct sl_rebase *rebase, double min_gain)
{
    const struct sl_rebase_candidate *selected = &rebase->candidates[0];
    double margin = (isnan(min_gain) ? 0 : min_gain) * fabs(selected->figure[1].value);
    rebase->rival = nearest(rebase);
    rebase->outcome = SL_REBASE_KEPT;
    if (!is_feasible(selected, 1)) {
        rebase->outcome = rebase->rival == SL_NONE ? SL_REBASE_OPEN : SL_REBASE_FLIPPED;
        return;
    }
    for (uint32_t i = 1; i < rebase->count; i++) {
        const struct sl_rebase_candidate *candidate = &rebase->candidates[i];
        if (!is_feasible(candidate, 1) || candidate->same[1])
            continue;
        if (candidate->against[1].hi < -margin)
            rebase->outcome = SL_REBASE_FLIPPED;
        else if (!(candidate->against[1].lo > 0) && rebase->outcome == SL_REBASE_KEPT)
            rebase->outcome = SL_REBASE_OPEN;
    }
    for (int side = 0; side < 2 && rebase->rival != SL_NONE; side++)
        rebase->difference[side] = rebase->candidates[rebase->rival].against[side];
}

enum sl_status sl_rebase_make(struct sl_rebase *rebase, const struct sl_record *record,
                              const struct sl_rebase_request *request, struct sl_diags *diags,
                              struct sl_error *err)
{
    *rebase = (struct sl_rebase){.rival = SL_NONE,
                                 .difference = {SL_NO_ESTIMATE, SL_NO_ESTIMATE},
                                 .together = SL_NO_ESTIMATE,
                                 .interaction = SL_NO_ESTIMATE,
                                 .others = SL_NO_ESTIMATE};
    const char *target = record->projected.target;
    rebase->q = target && strcmp(target, "median") == 0 ? 0.5
                : target && strcmp(target, "mean") == 0 ? (double)NAN
                                                        : record->objective.tail;
    rebase->trials = request->trials > 0 ? request->trials : (uint32_t)record->trials;
    enum sl_status status = open_both(rebase, record, request->device, diags, err);
    if (status == SL_OK)
        status = list_candidates(rebase, record, err);
    if (status == SL_OK && request->budget_s > 0)
        status = search(rebase, record, request, diags, err);
    if (status == SL_OK)
        status = run_all(rebase, record, request->pool, err);
    if (status == SL_OK)
        judge(rebase, record->objective.min_gain);
    if (status == SL_OK)
        status = sl_swaps_find(&rebase->swaps, &rebase->at[0].scenario, &rebase->at[1].scenario,
                               &rebase->arena, err);
    return status == SL_OK ? sl_rebase_effects(rebase, record, request->pool, err) : status;
}

void sl_rebase_free(struct sl_rebase *rebase)
{
    for (int side = 0; side < 2; side++)
        sl_record_scenario_close(&rebase->at[side]);
    sl_search_free(&rebase->searched);
    sl_arena_free(&rebase->arena);
}
