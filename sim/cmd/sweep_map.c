/* Making the map of a sweep. */
#include "sweep_map.h"
#include "order_figures.h"
#include "progress.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct maker {
    struct sl_map *map;
    const struct sl_session *session;
    const char *path;
    const struct sl_metric_store *store;
    struct sl_metric_store more; /* of cells that a race cut short, with all their trials */
};

/* ---- trials of the sweep's cells ------------------------------------------------------------- */

/* What the map's measure is taken from. */
struct values {
    const double *by_trial; /* NULL: there are none */
    uint32_t trials;
};

static struct values values_of(const struct maker *maker, uint32_t row)
{
    uint32_t cell = row == SL_NONE ? SL_NONE : sl_row_cell(&maker->map->standings->summary, row);
    const struct sl_metric_store *stores[] = {&maker->more, maker->store};
    for (size_t i = 0; i < 2; i++)
        if (sl_metric_store_get(stores[i], cell))
            return (struct values){sl_metric_store_get_of(stores[i], cell, maker->map->measure),
                                   stores[i]->by_cell[cell].trials};
    return (struct values){0};
}

static enum sl_status difference_of(const struct maker *maker, uint32_t row_a, uint32_t row_b,
                                    struct sl_estimate *difference, struct sl_error *err)
{
    struct values a = values_of(maker, row_a), b = values_of(maker, row_b);
    uint32_t n = a.trials < b.trials ? a.trials : b.trials;
    return sl_map_difference(maker->map, a.by_trial, b.by_trial, n, difference, err);
}

struct completion {
    struct maker *maker;
    bool *wanted; /* by cell */
    uint32_t count;
};

static bool is_unwanted(void *user, const struct sl_cell_spec *spec)
{
    const struct completion *completion = user;
    return spec->index >= completion->count || !completion->wanted[spec->index];
}

static enum sl_status keep_cell(void *user, const struct sl_cell *cell, struct sl_error *err)
{
    struct completion *completion = user;
    return sl_metric_store_keep(&completion->maker->more, cell, err);
}

static struct sl_sweep_request request_of(const struct maker *maker)
{
    const struct sl_run_args *args = &maker->session->args;
    struct sl_sweep_request request = {.path = maker->path,
                                       .overrides = args->overrides,
                                       .override_count = args->override_count,
                                       .policies = args->policies,
                                       .policy_count = args->policy_count,
                                       .options = args->options};
    request.options.nominal = true;
    request.options.progress = sl_progress;
    return request;
}

/* Cells that a race dropped have too few trials for the difference that a boundary is made of. */
static enum sl_status complete(struct maker *maker, struct sl_error *err)
{
    const struct sl_map *map = maker->map;
    struct completion completion = {.maker = maker, .count = maker->session->line_count};
    uint32_t trials = sl_asked_trials(&maker->session->args.options, &maker->session->scenario);
    uint32_t any = 0;
    completion.wanted = calloc((size_t)completion.count + 1, sizeof *completion.wanted);
    if (!completion.wanted)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a map");
    for (uint32_t e = 0; e < map->edge_count; e++)
        for (int k = 0; k < 4 && map->edges[e].kind == SL_MAP_CROSSING; k++) {
            uint32_t row = map->edges[e].rows[k / 2][k % 2];
            if (values_of(maker, row).trials >= trials)
                continue;
            completion.wanted[sl_row_cell(&map->standings->summary, row)] = true;
            any++;
        }
    struct sl_sweep_request request = request_of(maker);
    struct sl_sweep_totals totals;
    struct sl_diags said_before = {0};
    request.sink = keep_cell;
    request.skip = is_unwanted;
    request.user = &completion;
    enum sl_status status =
        any ? sl_metric_store_open(&maker->more, &maker->session->scenario, err) : SL_OK;
    if (any && status == SL_OK)
        status = sl_sweep_run(&request, &totals, &said_before, err);
    sl_diags_free(&said_before);
    free(completion.wanted);
    return status == SL_NO ? SL_OK : status;
}

/* ---- runs between two points ----------------------------------------------------------------- */

/* What one cell gave in between; values NULL: its verdict there is not ok. */
struct sample {
    const struct sl_order_item *measure;
    double *values;
    uint32_t trials;
};

static enum sl_status take_sample(void *user, const struct sl_cell *cell, struct sl_error *err)
{
    struct sample *sample = user;
    if (cell->verdict != SL_VERDICT_OK)
        return SL_OK;
    sample->trials = cell->trials;
    sample->values = malloc(((size_t)cell->trials + 1) * sizeof *sample->values);
    if (!sample->values)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a map");
    for (uint32_t t = 0; t < cell->trials; t++)
        sample->values[t] = sl_order_trial_value(sample->measure, cell, t);
    return SL_OK;
}

/* Runs the row's policy at the row's axes, but for the one that the edge is along. */
static enum sl_status run_between(const struct maker *maker, const struct sl_map_edge *edge,
                                  uint32_t row, const char *middle, struct sample *sample,
                                  struct sl_error *err)
{
    const struct sl_run_args *args = &maker->session->args;
    const struct sl_scenario *scenario = &maker->session->scenario;
    const struct sl_frame *summary = &maker->map->standings->summary;
    const char *policy = sl_frame_text_of(summary, row, "policy");
    uint32_t count = args->override_count;
    struct sl_override *overrides = calloc((size_t)count + scenario->axis_count, sizeof *overrides);
    struct sl_yaml *values = calloc((size_t)scenario->axis_count + 1, sizeof *values);
    enum sl_status status =
        overrides && values ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for a map");
    for (uint32_t i = 0; status == SL_OK && i < count; i++)
        overrides[i] = args->overrides[i];
    for (uint32_t a = 0; status == SL_OK && a < scenario->axis_count; a++) {
        const char *path = scenario->axes[a].path;
        bool moves = a == maker->map->axes[edge->along].index;
        const char *text = moves ? middle : sl_frame_text_of(summary, row, path);
        values[a] = (struct sl_yaml){.type = SL_YAML_SCALAR, .text = text};
        if (*text)
            overrides[count++] = (struct sl_override){.path = path, .value = &values[a]};
    }
    struct sl_sweep_request request = request_of(maker);
    struct sl_sweep_totals totals;
    struct sl_diags said_before = {0};
    request.overrides = overrides;
    request.override_count = count;
    request.policies = &policy;
    request.policy_count = 1;
    request.no_axes = true;
    request.sink = take_sample;
    request.user = sample;
    if (status == SL_OK)
        status = sl_sweep_run(&request, &totals, &said_before, err);
    sl_diags_free(&said_before);
    free(overrides);
    free(values);
    return status == SL_NO ? SL_OK : status;
}

/* *going is false where one of the two has no figure in between. */
static enum sl_status halve(const struct maker *maker, struct sl_map_edge *edge, bool *going,
                            struct sl_error *err)
{
    const struct sl_map *map = maker->map;
    char text[64];
    struct sample samples[2] = {{.measure = map->measure}, {.measure = map->measure}};
    struct sl_map_end middle = {.value = sl_map_middle(map, edge, text)};
    enum sl_status status = SL_OK;
    for (int k = 0; k < 2 && status == SL_OK; k++)
        status = run_between(maker, edge, edge->rows[k][0], text, &samples[k], err);
    uint32_t n = samples[0].trials < samples[1].trials ? samples[0].trials : samples[1].trials;
    if (status == SL_OK)
        status = sl_map_difference(map, samples[0].values, samples[1].values, n, &middle.difference,
                                   err);
    *going = status == SL_OK && !isnan(middle.difference.lo);
    if (*going) {
        sl_map_narrow(edge, middle);
        sl_map_settle(map, edge);
    }
    free(samples[0].values);
    free(samples[1].values);
    return status;
}

static enum sl_status judge_edge(const struct maker *maker, struct sl_map_edge *edge,
                                 struct sl_error *err)
{
    bool going = true;
    enum sl_status status = SL_OK;
    if (edge->kind != SL_MAP_CROSSING)
        return SL_OK;
    for (int end = 0; end < 2 && status == SL_OK; end++)
        status = difference_of(maker, edge->rows[0][end], edge->rows[1][end],
                               &edge->ends[end].difference, err);
    if (status == SL_OK)
        sl_map_settle(maker->map, edge);
    while (status == SL_OK && going && edge->kind == SL_MAP_CROSSING &&
           edge->halvings < maker->session->args.refine)
        status = halve(maker, edge, &going, err);
    return status;
}

static enum sl_status judge_all(const struct maker *maker, struct sl_error *err)
{
    struct sl_map *map = maker->map;
    enum sl_status status = SL_OK;
    for (uint32_t g = 0; g < map->standings->grouping.group_count && status == SL_OK; g++) {
        const struct sl_standing *standing = &map->standings->groups[g];
        status =
            difference_of(maker, standing->runner_up, standing->candidate, &map->margins[g], err);
        if (standing->one_course) /* of which copies are as many as one likes */
            map->margins[g].lo = map->margins[g].hi = NAN;
    }
    for (uint32_t e = 0; e < map->edge_count && status == SL_OK; e++)
        status = judge_edge(maker, &map->edges[e], err);
    return status;
}

enum sl_status sl_sweep_map_make(struct sl_map *map, const struct sl_session *session,
                                 const char *path, const struct sl_standings *standings,
                                 const struct sl_metric_store *store, struct sl_error *err)
{
    struct maker maker = {.map = map, .session = session, .path = path, .store = store};
    enum sl_status status = sl_map_lay(map, &session->scenario, standings, err);
    sl_progress_start("cells");
    if (status == SL_OK && session->args.race)
        status = complete(&maker, err);
    if (status == SL_OK)
        status = judge_all(&maker, err);
    sl_progress_end();
    sl_metric_store_free(&maker.more);
    return status;
}
