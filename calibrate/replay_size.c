/* Durations grow with size, so that the size of a duration is found by halving. */
#include "config.h"

#include "replay_size.h"
#include <inttypes.h>
#include <math.h>

enum { HALVINGS = 60 };
#define PS_PER_US 1e6

struct sizing {
    const struct sl_platform *platform;
    uint32_t klass;
    const struct sl_route *route; /* NULL: by the class's durations */
    struct sl_place place;
    struct sl_error *err;
};

/* By the class's durations; a size that was measured, or between two. */
static enum sl_status find_duration(const struct sizing *s, double bytes,
                                    const struct sl_dist **dist, double *scale)
{
    char work[64];
    snprintf(work, sizeof work, "bytes=%" PRId64 "B", (int64_t)bytes);
    return sl_work_duration(s->platform, s->klass, work, s->place, dist, scale, s->err);
}

/* NAN: not known, the error is set. */
static double duration_ps(const struct sizing *s, double bytes)
{
    const struct sl_dist *dist;
    double scale;
    if (s->route)
        return sl_route_hold(s->platform, s->route, (int64_t)bytes);
    if (find_duration(s, bytes, &dist, &scale) != SL_OK)
        return (double)NAN;
    double mean = sl_dist_mean(dist);
    return scale * (isfinite(mean) ? mean : sl_dist_quantile(dist, 0.5));
}

/* The least and the largest size of which there is a duration; false: there is none. */
static bool find_range(const struct sizing *s, double *least, double *most)
{
    *least = (double)INFINITY;
    *most = 0;
    for (uint32_t i = 0; i < s->platform->duration_count; i++) {
        const struct sl_duration_row *row = &s->platform->durations[i];
        if (row->klass != s->klass || isnan(row->size_bytes))
            continue;
        *least = fmin(*least, ceil(row->size_bytes));
        *most = fmax(*most, floor(row->size_bytes));
    }
    return *most > 0;
}

/* The size between `least` and `most` whose duration is the target's; in proportion beyond them. */
static double find_size(const struct sizing *s, double least, double most, double target_ps)
{
    double short_ps = duration_ps(s, least), long_ps = duration_ps(s, most);
    if (isnan(short_ps) || isnan(long_ps))
        return (double)NAN;
    if (target_ps <= short_ps)
        return least * target_ps / short_ps;
    if (target_ps >= long_ps)
        return most * target_ps / long_ps;
    for (int i = 0; i < HALVINGS && most - least > 1; i++) {
        double middle = floor((least + most) / 2);
        if (duration_ps(s, middle) <= target_ps)
            least = middle;
        else
            most = middle;
    }
    return least;
}

/* What a movement along a route copies, of the whole object or of one of its chunks: the bytes for
 * which the route takes as long as the node, its noise aside. */
static double moved_bytes(struct sizing *s, const struct sl_graph *graph,
                          const struct sl_node *node)
{
    sl_object_id root = sl_object_root(graph, node->object);
    double whole = (double)graph->objects[root.i].bytes;
    double noise = s->route->noise ? sl_dist_mean(s->route->noise) : 1;
    double target_ps = node->dist ? sl_dist_mean(node->dist) * node->scale / noise : 0;
    return fmin(whole, find_size(s, 1, fmax(whole, 1), target_ps));
}

static struct sizing sizing_of(const struct sl_graph *graph, uint32_t index, struct sl_error *err)
{
    const struct sl_node *node = &graph->nodes[index];
    struct sizing s = {graph->platform, node->klass, NULL, node->place, err};
    if (sl_node_moves(node->kind) && node->object.i != SL_NONE)
        s.route = sl_platform_route(graph->platform, node->from, node->to);
    if (s.route && s.route->klass != node->klass)
        s.route = NULL;
    return s;
}

enum sl_status sl_replay_size(const struct sl_graph *graph, uint32_t index, int64_t *bytes,
                              struct sl_error *err)
{
    const struct sl_node *node = &graph->nodes[index];
    struct sizing s = sizing_of(graph, index, err);
    double least, most, size;
    if (s.route) {
        size = moved_bytes(&s, graph, node);
    } else {
        if (!find_range(&s, &least, &most))
            return SL_FAIL_AT(err, SL_INVALID, node->place,
                              "'%s' can't be sized: the device has no durations by size of class "
                              "'%s'",
                              node->name, graph->platform->kappa.classes.names[node->klass]);
        size = find_size(&s, least, most, sl_node_mean_hold(graph, (sl_node_id){index}));
    }
    if (isnan(size))
        return err->status;
    *bytes = size < 1 ? 1 : size > 0x1p60 ? INT64_C(1) << 60 : (int64_t)size;
    return SL_OK;
}

/* Of the nearest size by ratio. */
static const struct sl_duration_row *nearest_row(const struct sizing *s, int64_t bytes)
{
    const struct sl_duration_row *nearest = NULL;
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < s->platform->duration_count; i++) {
        const struct sl_duration_row *row = &s->platform->durations[i];
        double off = fabs(log(row->size_bytes / (double)bytes));
        if (row->klass == s->klass && off < least) { /* false where the row has no size */
            least = off;
            nearest = row;
        }
    }
    return nearest;
}

enum sl_status sl_replay_isolated(struct sl_replay_isolated *isolated, const struct sl_graph *graph,
                                  uint32_t node, int64_t bytes, struct sl_error *err)
{
    const struct sizing s = sizing_of(graph, node, err);
    const struct sl_dist *dist;
    double scale, least, most, median_ps;
    *isolated = (struct sl_replay_isolated){.row = nearest_row(&s, bytes)};
    if (s.route) {
        median_ps = sl_route_hold(s.platform, s.route, bytes);
        if (s.route->noise)
            median_ps *= sl_dist_quantile(s.route->noise, 0.5);
    } else {
        /* The plan has such a work, so that there is a range. */
        double size = find_range(&s, &least, &most) ? fmin(fmax((double)bytes, least), most) : 1;
        enum sl_status status = find_duration(&s, size, &dist, &scale);
        if (status != SL_OK)
            return status;
        median_ps = scale * sl_dist_quantile(dist, 0.5) * (double)bytes / size;
    }
    isolated->median_us = median_ps / PS_PER_US;
    return SL_OK;
}
