/* The pictures of a results folder: which tables they are drawn from, and in which order. */
#include "config.h"

#include "plot.h"
#include "plot_set.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_FOUND 64 /* plans that the summary names besides the policies */

static const char *const trial_columns[] = {"cell", "metric_us"};
static const char *const slack_columns[] = {"cell",     "node",        "kind",      "means_limit",
                                            "slack_us", "slack_p5_us", "negative_p"};

/* The tables, but jobs.csv, of which a job's metric alone is read. */
static const struct {
    const char *file;
    size_t frame;               /* where in struct sl_plot_set */
    bool optional;              /* not every folder has it */
    const char *const *columns; /* NULL: all */
    uint32_t column_count;
} tables[] = {
#define TABLE(name) #name ".csv", offsetof(struct sl_plot_set, name)
    {TABLE(summary), false, NULL, 0},
    {TABLE(trials), false, trial_columns, sizeof trial_columns / sizeof *trial_columns},
    {TABLE(pressure), false, NULL, 0},
    {TABLE(gantt), false, sl_plot_gantt_columns, SL_PLOT_GANTT_COLUMNS},
    {TABLE(slack), false, slack_columns, sizeof slack_columns / sizeof *slack_columns},
    {"jobs_load.csv", offsetof(struct sl_plot_set, load), true, NULL, 0},
    {TABLE(sensitivity), true, NULL, 0},
    {"win_shares.csv", offsetof(struct sl_plot_set, shares), true, NULL, 0},
    {TABLE(winners), true, NULL, 0},
    {TABLE(race), true, NULL, 0},
    {TABLE(map), true, NULL, 0},
    {TABLE(boundary), true, NULL, 0},
    {TABLE(robustness), true, NULL, 0},
    {TABLE(iterations), true, NULL, 0},
#undef TABLE
};
#define TABLE_COUNT (sizeof tables / sizeof tables[0])

/* The pictures of a group that has a lowest tail. */
static enum sl_status gantt_of_median(struct sl_plot_set *set, uint32_t group, struct sl_error *err)
{
    return sl_plot_gantt(set, group, "median", err);
}

static enum sl_status gantt_of_p99(struct sl_plot_set *set, uint32_t group, struct sl_error *err)
{
    return sl_plot_gantt(set, group, "p99", err);
}

static enum sl_status (*const pictures[])(struct sl_plot_set *, uint32_t, struct sl_error *) = {
    sl_plot_tail, sl_plot_pareto, sl_plot_stalls, sl_plot_pressure,  gantt_of_median,
    gantt_of_p99, sl_plot_slack,  sl_plot_band,   sl_plot_iterations};

static struct sl_frame *frame_of(struct sl_plot_set *set, size_t table)
{
    return (struct sl_frame *)(void *)((char *)set + tables[table].frame);
}

/* The plans that a search found are no policies of its scenario: they stand in the summary alone,
 * and get what comes behind the policies' colours. */
static enum sl_status add_found_plans(struct sl_plot_set *set, struct sl_error *err)
{
    struct sl_manifest *manifest = &set->manifest;
    uint32_t most = manifest->policy_count + MOST_FOUND;
    const char **names = sl_arena_array(&manifest->arena, most, sizeof *names);
    if (!names)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the names of plans");
    if (manifest->policy_count > 0)
        memcpy(names, manifest->policies, manifest->policy_count * sizeof *names);
    manifest->policies = names;
    for (uint32_t row = 0; row < set->summary.row_count && manifest->policy_count < most; row++) {
        const char *name = sl_frame_text_of(&set->summary, row, "policy");
        uint32_t p = 0;
        while (p < manifest->policy_count && strcmp(names[p], name) != 0)
            p++;
        if (p == manifest->policy_count)
            names[manifest->policy_count++] = name;
    }
    return SL_OK;
}

/* Of a job its metric alone is drawn; a throughput has none. */
static enum sl_status read_jobs(struct sl_plot_set *set, const char *dir, struct sl_error *err)
{
    if (set->load.row_count == 0 || strcmp(set->manifest.metric, "throughput") == 0)
        return SL_OK;
    char path[4096], metric[SL_NAME_MAX + 8];
    const char *const columns[] = {"cell", "job", metric};
    snprintf(metric, sizeof metric, "%s_us", set->manifest.metric);
    snprintf(path, sizeof path, "%.4000s/jobs.csv", dir);
    return sl_frame_read(&set->jobs, path, columns, 3, err);
}

static enum sl_status read_tables(struct sl_plot_set *set, const char *dir, struct sl_error *err)
{
    char path[4096];
    enum sl_status status = sl_manifest_read(&set->manifest, dir, err);
    if (status == SL_OK && !set->manifest.finished)
        status = SL_FAIL(err, SL_INVALID,
                         "'%s' is unfinished (slackline sweep --resume completes it)", dir);
    for (size_t i = 0; status == SL_OK && i < TABLE_COUNT; i++) {
        snprintf(path, sizeof path, "%.4000s/%s", dir, tables[i].file);
        if (!tables[i].optional || access(path, F_OK) == 0)
            status = sl_frame_read(frame_of(set, i), path, tables[i].columns,
                                   tables[i].column_count, err);
    }
    if (status == SL_OK)
        status = sl_manifest_has_cells(&set->manifest, dir, &set->summary, err);
    if (status == SL_OK)
        status = read_jobs(set, dir, err);
    if (status == SL_OK)
        status = add_found_plans(set, err);
    if (status == SL_OK)
        status = sl_grouping_make(&set->grouping, &set->summary, set->manifest.axes,
                                  set->manifest.axis_count, &set->arena, err);
    return status;
}

/* In the place of a throughput stands the time per completed job, which has no quantiles. */
static void name_throughput(struct sl_plot_set *set)
{
    if (strcmp(set->manifest.metric, "throughput") != 0)
        return;
    set->manifest.metric = "one completed job";
    snprintf(set->tail_name, sizeof set->tail_name, "mean time");
}

static enum sl_status draw_all(struct sl_plot_set *set, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    /* A map has dozens of points, whose own pictures nobody would look through. */
    if (set->map.row_count > 0)
        return sl_plot_maps(set, err);
    for (uint32_t g = 0; status == SL_OK && g < set->grouping.group_count; g++) {
        status = sl_plot_load(set, g, err);
        if (set->grouping.groups[g].best_row == SL_NONE)
            continue;
        for (size_t i = 0; status == SL_OK && i < sizeof pictures / sizeof pictures[0]; i++)
            status = pictures[i](set, g, err);
    }
    if (status == SL_OK)
        status = sl_plot_axes(set, err);
    if (status == SL_OK)
        status = sl_plot_robustness(set, err);
    return status == SL_OK ? sl_plot_tornado(set, err) : status;
}

enum sl_status sl_plot_results(const char *dir, FILE *out, struct sl_error *err)
{
    struct sl_plot_set *set = calloc(1, sizeof *set);
    if (!set)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    set->out = out;
    char plots[4096];
    enum sl_status status = read_tables(set, dir, err);
    if (status == SL_OK) {
        sl_quantile_name(set->tail_name, set->manifest.tail_quantile);
        name_throughput(set);
        snprintf(plots, sizeof plots, "%.4000s/plots", dir);
        status = sl_gnuplot_open(&set->gnuplot, plots, err);
    }
    if (status == SL_OK)
        status = draw_all(set, err);
    if (status == SL_OK && set->drawn == 0)
        status = SL_FAIL(err, SL_NO, "nothing to draw: no cell has an estimate of its %s",
                         set->tail_name);
    sl_gnuplot_close(&set->gnuplot);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        sl_frame_free(frame_of(set, i));
    sl_frame_free(&set->jobs);
    sl_manifest_free(&set->manifest);
    sl_arena_free(&set->arena);
    free(set);
    return status;
}
