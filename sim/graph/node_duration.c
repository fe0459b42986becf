/* Where a node's duration comes from: written out, looked up by `work`, or given by a route. */
#include <config.h>

#include "nodes_csv.h"
#include <string.h>

/* "pinned->hbm, hbm->pinned": the routes that there are, into `buffer`. */
static void list_routes(const struct sl_platform *platform, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (uint32_t i = 0; i < platform->route_count && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s->%s", i > 0 ? ", " : "",
                                 platform->domain_names.names[platform->routes[i].from],
                                 platform->domain_names.names[platform->routes[i].to]);
}

/* The evidence of a route or a measured row stands for a node that states none. */
static void borrow_evidence(struct sl_loader *loader, const char *text, struct sl_node *node)
{
    if (text && node->evidence == SL_EVIDENCE_NONE)
        sl_cell_evidence(loader, (struct sl_cell_text){text, node->place}, &node->evidence,
                         &node->evidence_text);
}

static void fail(struct sl_loader *loader, const char *code, struct sl_place place,
                 const struct sl_node *node, const char *why)
{
    sl_diags_add(loader->reader.diags, SL_ERROR, code, place, "node '%s' %s", node->name, why);
}

static void by_route(struct sl_loader *loader, struct sl_node *node)
{
    const struct sl_platform *platform = &loader->scenario->platform;
    const struct sl_route *route = sl_platform_route(platform, node->from, node->to);
    if (!route) {
        if (!loader->routes_known)
            return;
        char routes[400];
        list_routes(platform, routes, sizeof routes);
        sl_diags_add(loader->reader.diags, SL_ERROR, "no-route", node->place,
                     "node '%s': there is no route from '%s' to '%s' (routes: %s)", node->name,
                     platform->domain_names.names[node->from],
                     platform->domain_names.names[node->to], routes[0] ? routes : "none");
        return;
    }
    sl_object_id root = sl_object_root(loader->graph, node->object);
    struct sl_error err = {0};
    if (sl_graph_route_node(loader->graph, node, route, loader->graph->objects[root.i].bytes, &err))
        sl_diags_add(loader->reader.diags, SL_ERROR,
                     err.status == SL_SYSTEM ? "out-of-memory" : "bad-quantity", node->place, "%s",
                     err.message);
    borrow_evidence(loader, route->evidence, node);
}

static void by_work(struct sl_loader *loader, struct sl_cell_text work, struct sl_node *node)
{
    const struct sl_platform *platform = &loader->scenario->platform;
    struct sl_error err = {0};
    node->work = sl_arena_strdup(&loader->graph->arena, work.text);
    if (!loader->platform_known)
        return;
    if (sl_work_duration(platform, node->klass, work.text, work.place, &node->dist, &node->scale,
                         &err))
        sl_diags_add(loader->reader.diags, SL_ERROR,
                     err.status == SL_SYSTEM ? "out-of-memory" : "bad-work", work.place, "%s",
                     err.message);
    else
        for (uint32_t i = 0; i < platform->duration_count; i++)
            if (platform->durations[i].dist == node->dist) {
                borrow_evidence(loader, platform->durations[i].evidence, node);
                break;
            }
}

static bool device_measured(const struct sl_platform *platform, uint32_t klass)
{
    for (uint32_t i = 0; klass != SL_NONE && i < platform->duration_count; i++)
        if (platform->durations[i].klass == klass)
            return true;
    return false;
}

/* DIST * EXPR, of which the factor begins behind the '*' at `split`. */
static void by_scaled(struct sl_loader *loader, struct sl_cell_text duration, size_t split,
                      struct sl_node *node)
{
    struct sl_arena *arena = loader->reader.arena;
    struct sl_cell_text dist = {sl_arena_printf(arena, "%.*s", (int)split, duration.text),
                                duration.place};
    const char *behind = duration.text + split + 1; /* the '*' */
    struct sl_cell_text factor = {behind + strspn(behind, " \t"), duration.place};
    if (!dist.text)
        (void)SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
    else if (!sl_is_one_product(factor.text))
        sl_diags_add(loader->reader.diags, SL_ERROR, "bad-expression", duration.place,
                     "duration '%s': a distribution multiplies one factor; put a sum in "
                     "parentheses: DIST * (x + 1)",
                     duration.text);
    else if (sl_cell_dist(loader, dist, &node->dist) &&
             sl_cell_expr(loader, factor, SL_EXPR_NUMBER, "duration", &node->times,
                          &node->times_mean) &&
             !node->times)
        node->scale = node->times_mean;
}

/* EXPR: the constant 1 (ps) times it. */
static void by_expression(struct sl_loader *loader, struct sl_cell_text duration,
                          struct sl_node *node)
{
    node->dist = loader->graph->one;
    if (sl_cell_expr(loader, duration, SL_EXPR_TIME, "duration", &node->times, &node->times_mean) &&
        !node->times)
        node->scale = node->times_mean;
}

static void by_literal(struct sl_loader *loader, struct sl_cell_text duration, struct sl_node *node)
{
    const struct sl_platform *platform = &loader->scenario->platform;
    size_t split;
    switch (sl_cell_form(loader, duration.text, &split)) {
    case SL_CELL_PLAIN:
        sl_cell_dist(loader, duration, &node->dist);
        break;
    case SL_CELL_EXPR:
        by_expression(loader, duration, node);
        break;
    case SL_CELL_SCALED:
        by_scaled(loader, duration, split, node);
        break;
    case SL_CELL_BACKWARDS:
        sl_diags_add(loader->reader.diags, SL_ERROR, "bad-expression", duration.place,
                     "duration '%s': a distribution stands first, and one factor behind it: "
                     "DIST * EXPR",
                     duration.text);
        break;
    }
    if ((node->kind == SL_COMPUTE || node->kind == SL_REMATERIALIZATION) && platform->device_name &&
        device_measured(platform, node->klass) && loader->literal_count++ == 0)
        loader->literal_first = duration.place;
}

void sl_load_duration(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                      struct sl_node *node)
{
    struct sl_cell_text duration, work, cell;
    bool has_duration = sl_cell(table, row, SL_COL_DURATION, &duration);
    bool has_work = sl_cell(table, row, SL_COL_WORK, &work);
    bool named_ends =
        sl_cell(table, row, SL_COL_FROM, &cell) && sl_cell(table, row, SL_COL_TO, &cell);
    bool moves = sl_node_moves(node->kind);
    bool routed = moves && node->from != SL_NONE && node->to != SL_NONE &&
                  sl_platform_route(&loader->scenario->platform, node->from, node->to);
    if (has_duration && has_work)
        fail(loader, "duration-twice", work.place, node, "has a duration and work: state one");
    else if (has_duration && routed)
        fail(loader, "duration-twice", duration.place, node,
             "has a duration, and a route gives one: leave the column empty, or from and to");
    else if (has_work && routed)
        fail(loader, "duration-twice", work.place, node,
             "has work, and a route gives its duration: leave the column empty");
    else if (has_duration)
        by_literal(loader, duration, node);
    else if (has_work)
        by_work(loader, work, node);
    else if (moves && !named_ends)
        fail(loader, "missing-duration", node->place, node,
             "moves bytes: it needs object, from and to (a route gives its duration), or a "
             "duration");
    else if (moves && !sl_cell(table, row, SL_COL_OBJECT, &cell))
        fail(loader, "missing-object", node->place, node,
             "takes its duration from a route: it needs an object");
    else if (moves && node->from != SL_NONE && node->to != SL_NONE && node->object.i != SL_NONE)
        by_route(loader, node);
}
