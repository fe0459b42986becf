/* Explain: the Gantt chart of the trial in a folder of its own, with the critical chain marked, and
 * the bars it was drawn from. */
#include "config.h"

#include "explain.h"
#include "kept.h"
#include "outfile.h"
#include "plot.h"
#include "result_parts.h"
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool is_ours(const char *name)
{
    static const char *const ours[] = {"gantt.csv", "gantt.png", "gantt.svg", "costs.csv"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (strcmp(name, ours[i]) == 0)
            return true;
    return sl_outfile_is_left(name) || strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

enum sl_status sl_explain_check_folder(const char *dir, bool force, struct sl_error *err)
{
    DIR *folder = opendir(dir);
    if (!folder)
        return errno == ENOENT ? SL_OK : SL_FAIL(err, SL_SYSTEM, "%s: %s", dir, strerror(errno));
    char foreign[256] = "";
    bool any = false;
    for (struct dirent *entry; (entry = readdir(folder));) {
        any |= *entry->d_name != '.';
        if (!is_ours(entry->d_name))
            snprintf(foreign, sizeof foreign, "%s", entry->d_name);
    }
    closedir(folder);
    if (*foreign)
        return SL_FAIL(err, SL_USAGE, "'%s' holds '%s', which explain did not write", dir, foreign);
    if (any && !force)
        return SL_FAIL(err, SL_USAGE, "'%s' exists already (--force replaces it)", dir);
    return SL_OK;
}

/* ---- the title ------------------------------------------------------------------------------- */

/* The chain's parts: nodes by kind and first resource (the last of them: none), and in the end lags
 * and releases. */
struct parts {
    int64_t *ps;
    uint32_t columns, count;
};

static bool sum_parts(struct sl_explain *x, struct parts *parts)
{
    parts->columns = x->platform->resource_names.count + 1;
    parts->count = SL_NODE_KINDS * parts->columns + 1;
    parts->ps = sl_arena_array(&x->arena, parts->count, sizeof *parts->ps);
    for (size_t k = 0; parts->ps && k < x->link_count; k++) {
        const struct sl_link *link = &x->links[k];
        const struct sl_node *node = &x->graph->nodes[link->node];
        uint32_t resource = node->demands.count > 0
                                ? x->graph->demands[node->demands.first].resource
                                : parts->columns - 1;
        uint32_t part =
            link->waiting ? parts->count - 1 : (uint32_t)node->kind * parts->columns + resource;
        parts->ps[part] += link->end_ps - link->begin_ps;
    }
    return parts->ps != NULL;
}

/* The largest part besides computation on the busy resource, which is the work itself. */
static const char *finding(struct sl_explain *x)
{
    struct parts parts;
    if (!sum_parts(x, &parts))
        return NULL;
    uint32_t busy = x->scenario->objective.busy, largest = SL_NONE;
    for (uint32_t i = 0; i < parts.count; i++)
        if (parts.ps[i] > (largest == SL_NONE ? 0 : parts.ps[largest]) &&
            (busy == SL_NONE || i != SL_COMPUTE * parts.columns + busy))
            largest = i;
    if (largest == SL_NONE)
        return "its critical chain is all computation";
    double percent = 100 * (double)parts.ps[largest] / (double)x->trial->makespan_ps;
    if (largest == parts.count - 1)
        return sl_arena_printf(&x->arena, "%.2g%% of its critical chain is lags and releases",
                               percent);
    uint32_t resource = largest % parts.columns;
    bool named = resource < parts.columns - 1;
    return sl_arena_printf(&x->arena, "%.2g%% of its critical chain is %s%s%s", percent,
                           sl_node_kind_name((enum sl_node_kind)(largest / parts.columns)),
                           named ? " on " : "",
                           named ? x->platform->resource_names.names[resource] : "");
}

/* "p99 trial 2718 of jit, domains.hbm.capacity=44GiB: 1.54 s, 31% of its critical chain is prefetch
 * on h2d" */
static const char *title(struct sl_explain *x, const char *settings)
{
    const char *at = x->at.is_trial ? "" : sl_arena_printf(&x->arena, "%s ", x->at.text);
    const char *name = sl_arena_printf(
        &x->arena, "%s%s %u of %s%s", at ? at : "", x->at.is_trial ? "Trial" : "trial",
        (unsigned)x->trial->trial, sl_explain_clean(x, x->cell->spec.policy), settings);
    const char *found = x->trial->outcome == SL_DONE ? finding(x) : "";
    const char *text =
        x->trial->outcome == SL_DONE
            ? sl_arena_printf(&x->arena, "%s: %s, %s", sl_kept(name),
                              sl_explain_instant(x, x->trial->makespan_ps), sl_kept(found))
            : sl_arena_printf(&x->arena, "%s deadlocks: %s", sl_kept(name),
                              sl_explain_clean(x, x->trial->deadlock));
    return sl_kept(text);
}

/* ---- the folder ------------------------------------------------------------------------------ */

static enum sl_status write_bars(struct sl_explain *x, FILE *out, struct sl_error *err)
{
    struct sl_bar *bars;
    uint32_t count;
    enum sl_status status = sl_trial_bars(&bars, &count, x->program, x->trial, &x->arena, err);
    if (status != SL_OK)
        return status;
    sl_gantt_header(out);
    sl_gantt_bars(out, x->graph, x->cell->spec.index, x->at.text, x->trial->trial, bars, count);
    return fflush(out) == 0 ? SL_OK : SL_FAIL(err, SL_SYSTEM, "gantt.csv: %s", strerror(errno));
}

enum sl_status sl_explain_draw(struct sl_explain *x, const char *dir, const char *settings,
                               struct sl_error *err)
{
    struct sl_outfile file = {0};
    enum sl_status status = sl_make_dirs(dir, err);
    if (status == SL_OK)
        status = sl_outfile_open_in(&file, dir, "gantt.csv", err);
    if (status != SL_OK)
        return status;
    status = write_bars(x, file.stream, err);
    const char *text = status == SL_OK ? title(x, settings) : NULL;
    if (status == SL_OK && (x->arena.starved || !sl_report_is_whole()))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the picture's title");
    if (status == SL_OK)
        status = sl_plot_trial(file.temp, dir, text, err);
    if (status == SL_OK)
        return sl_outfile_commit(&file, err);
    sl_outfile_abandon(&file);
    rmdir(dir); /* one that this made is empty again */
    return status;
}
