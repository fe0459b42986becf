/* Figures without an interval, in words. */
#include <config.h>

#include "exactness.h"
#include "memout.h"
#include <stdlib.h>

#define SHOWN_NAMES 6

/* "durations of gemm, attention and 3 more": a heading, and names behind it. */
struct listing {
    FILE *out;
    const char *heading;
    unsigned count;
};

static void list(struct listing *listing, const char *name, const char *joint, const char *other)
{
    if (listing->count == 0)
        fprintf(listing->out, "%s%s ", ftell(listing->out) > 0 ? "; " : "", listing->heading);
    if (listing->count < SHOWN_NAMES)
        fprintf(listing->out, "%s%s%s%s", listing->count > 0 ? ", " : "", name, joint, other);
    listing->count++;
}

static void end_list(const struct listing *listing)
{
    if (listing->count > SHOWN_NAMES)
        fprintf(listing->out, " and %u more", listing->count - SHOWN_NAMES);
}

bool sl_exactness_meets(const struct sl_exactness *exactness, const struct sl_kappa_row *row)
{
    bool meets = exactness->runs[row->victim];
    for (uint32_t k = 0; k < row->set_size; k++)
        meets = meets && exactness->runs[row->set[k]];
    return meets;
}

static void list_durations(FILE *out, const struct sl_graph *graph, const bool *met)
{
    const struct sl_platform *platform = graph->platform;
    struct listing listing = {out, "durations without an interval:", 0};
    uint32_t last = SL_NONE;
    for (uint32_t i = 0; i < platform->duration_count; i++) {
        const struct sl_duration_row *row = &platform->durations[i];
        if (!met[i] || sl_known_varies(row->factor) || row->klass == last)
            continue;
        last = row->klass;
        list(&listing, platform->kappa.classes.names[row->klass], "", "");
    }
    end_list(&listing);
}

static void list_routes(FILE *out, const struct sl_graph *graph)
{
    const struct sl_platform *platform = graph->platform;
    struct listing listing = {out, "routes:", 0};
    for (uint32_t r = 0; r < platform->route_count; r++) {
        const struct sl_route *route = &platform->routes[r];
        bool used = false;
        for (uint32_t i = 0; i < graph->node_count && !used; i++)
            used = sl_node_moves(graph->nodes[i].kind) && graph->nodes[i].from == route->from &&
                   graph->nodes[i].to == route->to;
        if (used)
            list(&listing, platform->domain_names.names[route->from], "->",
                 platform->domain_names.names[route->to]);
    }
    end_list(&listing);
}

/* Durations that are written out, and declared costs: neither from a table nor from a route. */
static void count_literals(FILE *out, const struct sl_graph *graph)
{
    uint32_t literals = 0, costs = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        bool routed =
            sl_node_moves(node->kind) && sl_platform_route(graph->platform, node->from, node->to);
        if (!node->dist || node->work || routed)
            continue;
        bool is_cost = node->derived && (node->kind == SL_ALLOCATION || node->kind == SL_MAPPING ||
                                         node->kind == SL_RECLAMATION);
        costs += is_cost;
        literals += !is_cost;
    }
    if (literals > 0)
        fprintf(out, "%sdurations written out: %u nodes", ftell(out) > 0 ? "; " : "", literals);
    if (costs > 0)
        fprintf(out, "%sdeclared costs: %u nodes", ftell(out) > 0 ? "; " : "", costs);
}

static void list_kappas(FILE *out, const struct sl_exactness *exactness)
{
    const struct sl_kappa *kappa = &exactness->graph->platform->kappa;
    struct listing listing = {out, "kappa without an interval:", 0};
    for (uint32_t r = 0; r < kappa->row_count; r++) {
        const struct sl_kappa_row *row = &kappa->rows[r];
        if (sl_known_varies(sl_kappa_known(row)) || !sl_exactness_meets(exactness, row))
            continue;
        list(&listing, kappa->classes.names[row->victim], " beside ",
             kappa->classes.names[row->set[0]]);
    }
    end_list(&listing);
    if (kappa->demand_count > 0 && !kappa->rule->uses_pairs)
        fprintf(out, "%sdemands of rule %s", ftell(out) > 0 ? "; " : "", kappa->rule_name);
}

enum sl_status sl_exactness_find(struct sl_exactness *exactness, const struct sl_graph *graph,
                                 const bool *met, struct sl_arena *arena, struct sl_error *err)
{
    struct sl_memout out;
    bool open = sl_memout_open(&out);
    *exactness = (struct sl_exactness){.graph = graph};
    exactness->runs = sl_arena_array(arena, (size_t)graph->platform->kappa.classes.count + 1, 1);
    for (uint32_t i = 0; exactness->runs && i < graph->node_count; i++)
        if (graph->nodes[i].klass != SL_NONE && sl_node_groups(graph, &graph->nodes[i]))
            exactness->runs[graph->nodes[i].klass] = true;
    if (open && exactness->runs) {
        list_durations(out.stream, graph, met);
        count_literals(out.stream, graph);
        list_routes(out.stream, graph);
        list_kappas(out.stream, exactness);
    }
    char *text = sl_memout_close(&out);
    if (text)
        exactness->text = sl_arena_strdup(arena, text);
    free(text);
    return exactness->runs && exactness->text ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}
