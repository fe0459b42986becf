/* Tail against the peak of the scarcest domain: every cell that is ok in the group, the Pareto set
 * ringed, and steps through those of it that these two axes alone explain. */
#include "alternatives.h"
#include "plot_set.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct point {
    double peak, tail, lo, hi; /* bytes, us */
    uint32_t row, policy;
    bool in_set;
};

/* A group's points, the least peak first. */
struct cloud {
    struct point *points;
    size_t count, members;
    const char *domain;
};

static int less_peak(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->peak != y->peak)
        return x->peak < y->peak ? -1 : 1;
    if (x->tail != y->tail)
        return x->tail < y->tail ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static uint32_t policy_of(const struct sl_plot_set *set, uint32_t row)
{
    const char *name = sl_frame_text_of(&set->summary, row, "policy");
    uint32_t p = 0;
    while (p + 1 < set->manifest.policy_count && strcmp(set->manifest.policies[p], name) != 0)
        p++;
    return p;
}

static void gather(const struct sl_plot_set *set, uint32_t group,
                   const struct sl_alternatives *alternatives, struct cloud *cloud)
{
    const struct sl_frame *summary = &set->summary;
    cloud->domain = alternatives->domains[group];
    for (uint32_t row = 0; cloud->domain && row < summary->row_count; row++) {
        if (set->grouping.group_of_row[row] != group || !sl_row_ranks(summary, row))
            continue;
        cloud->points[cloud->count++] =
            (struct point){sl_row_peak(summary, row, cloud->domain),
                           sl_frame_number_of(summary, row, "tail_us"),
                           sl_frame_number_of(summary, row, "tail_lo_us"),
                           sl_frame_number_of(summary, row, "tail_hi_us"),
                           row,
                           policy_of(set, row),
                           alternatives->in_set[row]};
        cloud->members += alternatives->in_set[row];
    }
    qsort(cloud->points, cloud->count, sizeof *cloud->points, less_peak);
}

/* An index per policy, then the rings, then the line: going up in peak, the tail must fall. */
static enum sl_status write_points(struct sl_plot_set *set, const struct cloud *cloud,
                                   struct sl_plot_unit bytes, struct sl_plot_unit time,
                                   struct sl_error *err)
{
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "pareto.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (uint32_t p = 0; p < set->manifest.policy_count; p++) {
        fputs("NaN NaN NaN NaN\n", data); /* gnuplot skips an empty index */
        for (size_t k = 0; k < cloud->count; k++)
            if (cloud->points[k].policy == p)
                fprintf(data, "%.17g %.17g %.17g %.17g\n", cloud->points[k].peak / bytes.divisor,
                        cloud->points[k].tail / time.divisor, cloud->points[k].lo / time.divisor,
                        cloud->points[k].hi / time.divisor);
        fputs("\n\n", data);
    }
    double lowest = INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < cloud->count; k++) {
            const struct point *point = &cloud->points[k];
            if (!point->in_set || (pass == 1 && point->tail >= lowest))
                continue;
            if (pass == 1)
                lowest = point->tail;
            fprintf(data, "%.17g %.17g\n", point->peak / bytes.divisor, point->tail / time.divisor);
        }
        fputs("\n\n", data);
    }
    fclose(data);
    return SL_OK;
}

static void put_title(struct sl_plot_set *set, uint32_t group, const struct cloud *cloud)
{
    const struct point *fast = NULL, *small = NULL;
    for (size_t k = 0; k < cloud->count; k++) {
        const struct point *point = &cloud->points[k];
        if (!point->in_set)
            continue;
        small = small ? small : point;
        fast = !fast || point->tail < fast->tail ? point : fast;
    }
    const char *title;
    /* cppcheck-suppress nullPointer ; some point is in the set of any cloud */
    if (fast->peak == small->peak)
        title = sl_arena_printf(
            &set->arena, "%s%s has the lowest %s, %s, at the smallest peak of %s, %s%s%s",
            sl_plot_at(set, group), sl_plot_cell_label(set, small->row), set->tail_name,
            sl_plot_estimate(set, small->tail), cloud->domain, sl_plot_bytes(set, small->peak),
            sl_plot_ties(set, group), sl_plot_rejected(set, group));
    else
        title = sl_arena_printf(&set->arena,
                                "%s%s has the lowest %s, %s with %s of %s; %s the smallest peak, "
                                "%s in %s%s%s",
                                sl_plot_at(set, group), sl_plot_cell_label(set, fast->row),
                                set->tail_name, sl_plot_estimate(set, fast->tail),
                                sl_plot_bytes(set, fast->peak), cloud->domain,
                                sl_plot_cell_label(set, small->row),
                                sl_plot_bytes(set, small->peak), sl_plot_estimate(set, small->tail),
                                sl_plot_ties(set, group), sl_plot_rejected(set, group));
    sl_gnuplot_title(&set->gnuplot, title);
}

static enum sl_status draw(struct sl_plot_set *set, uint32_t group, const struct cloud *cloud,
                           struct sl_error *err)
{
    uint32_t policies = set->manifest.policy_count;
    uint32_t *styles = sl_arena_array(&set->arena, (size_t)policies + 1, sizeof *styles);
    const char **titles = sl_arena_array(&set->arena, (size_t)policies + 1, sizeof *titles);
    if (!styles || !titles)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    double slowest = 0;
    for (size_t k = 0; k < cloud->count; k++) {
        titles[cloud->points[k].policy] = set->manifest.policies[cloud->points[k].policy];
        slowest = fmax(slowest, cloud->points[k].tail);
    }
    for (uint32_t p = 0; p < policies; p++) {
        styles[p] = p;
        titles[p] = titles[p] ? titles[p] : "";
    }
    struct sl_plot_unit time = sl_plot_time_unit(slowest);
    struct sl_plot_unit bytes = sl_plot_bytes_unit(cloud->points[cloud->count - 1].peak);
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = write_points(set, cloud, bytes, time, err);
    if (status != SL_OK)
        return status;
    put_title(set, group, cloud);
    sl_plot_note_absent(set, group);
    sl_gnuplot_number(&set->gnuplot, "POLICIES", (double)policies);
    sl_gnuplot_texts(&set->gnuplot, "TITLES", titles, policies);
    sl_plot_put_styles(set, styles, policies);
    double peak = cloud->points[cloud->count - 1].peak / bytes.divisor;
    bool one = cloud->points[0].peak == cloud->points[cloud->count - 1].peak;
    sl_gnuplot_number(&set->gnuplot, "ONE_PEAK", one ? peak : 0);
    sl_gnuplot_text(&set->gnuplot, "XLABEL",
                    sl_arena_printf(&set->arena, "peak of %s (%s)", cloud->domain, bytes.name));
    sl_gnuplot_text(&set->gnuplot, "UNIT", time.name);
    sl_gnuplot_text(&set->gnuplot, "METRIC", set->manifest.metric);
    sl_gnuplot_text(&set->gnuplot, "TAIL_NAME", set->tail_name);
    const char *name = sl_arena_printf(&set->arena, "pareto_%s", set->grouping.groups[group].slug);
    return sl_plot_finish(set, "pareto.gp", name ? name : "pareto", 640, err);
}

enum sl_status sl_plot_pareto(struct sl_plot_set *set, uint32_t group, struct sl_error *err)
{
    struct sl_alternatives alternatives;
    struct cloud cloud = {.points =
                              calloc(set->summary.row_count + (size_t)1, sizeof(struct point))};
    if (!cloud.points)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status =
        sl_alternatives_find(&alternatives, &set->summary, &set->grouping, &set->arena, err);
    if (status == SL_OK)
        gather(set, group, &alternatives, &cloud);
    if (status == SL_OK && cloud.count > 1 && cloud.points[cloud.count - 1].peak > 0)
        status = draw(set, group, &cloud, err);
    free(cloud.points);
    return status;
}
