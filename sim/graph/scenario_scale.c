/* The section `scale`: dimensionless factors on what globs name.
 *
 *     bandwidth   routes, by "FROM->TO" or by their resource
 *     size        objects
 *     duration    nodes by name or class; not those whose duration a route gives
 *     slack       objects: the nodes that lie between two uses of such an object and do not use it,
 *                 whose time is what can hide a movement of it
 *
 * What several globs match is scaled by their product. */
#include <config.h>

#include "order_sets.h"
#include "scenario_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_FACTOR   1e-6
#define MAX_FACTOR   1e6
#define MAX_BYTES    0x1p61               /* of all objects together */
#define MAX_FOLLOWED UINT64_C(2000000000) /* edges */

static const char *const kinds[] = {"bandwidth", "size", "duration", "slack"};
enum kind { BANDWIDTH, SIZE, DURATION, SLACK };

const char *sl_scale_path(const char *path)
{
    for (size_t k = 0; strncmp(path, "scale.", 6) == 0 && k < SL_COUNT(kinds); k++) {
        size_t length = strlen(kinds[k]);
        if (strncmp(path + 6, kinds[k], length) == 0 && path[6 + length] == '.' && path[7 + length])
            return path + 7 + length;
    }
    return NULL;
}

/* One glob and its factor, and what it has met. */
struct entry {
    const char *glob;
    struct sl_place place;
    double factor;
    uint32_t matched;
};

/* Of bandwidth, which comes first, with what is wrong with the section as a whole. */
static const struct sl_yaml *section(struct sl_loader *loader, enum kind kind)
{
    const struct sl_yaml *scale = sl_yaml_get(loader->root, "scale");
    if (kind == BANDWIDTH && sl_field_is(&loader->reader, scale, SL_YAML_MAP, "scale"))
        sl_yaml_check_keys(scale, kinds, SL_COUNT(kinds), "scale", loader->reader.diags);
    const struct sl_yaml *map = sl_yaml_get(scale, kinds[kind]);
    return sl_field_is(&loader->reader, map, SL_YAML_MAP, kinds[kind]) ? map : NULL;
}

static bool read_entry(struct sl_loader *loader, enum kind kind, const struct sl_yaml *map,
                       uint32_t at, struct entry *entry)
{
    const struct sl_yaml *value = map->items[at];
    char what[32];
    snprintf(what, sizeof what, "scale.%s", kinds[kind]);
    *entry = (struct entry){.glob = map->keys[at], .place = map->key_places[at]};
    return sl_field_is(&loader->reader, value, SL_YAML_SCALAR, what) &&
           sl_value_number(&loader->reader, value->text, value->place, what, MIN_FACTOR, MAX_FACTOR,
                           &entry->factor);
}

static bool matches(struct entry *entry, const char *name)
{
    bool yes = name && sl_glob_any(entry->glob, name);
    entry->matched += yes;
    return yes;
}

/* `words`: what could have been meant; NULL where memory ran out. */
static void complain(struct sl_loader *loader, enum kind kind, const struct entry *entry,
                     const char *of, const char *const *words, size_t count)
{
    char hint[600] = "";
    if (words)
        sl_suggest(hint, sizeof hint, entry->glob, words, count);
    sl_diags_add(loader->reader.diags, SL_ERROR, "no-match", entry->place,
                 "scale.%s: '%s' matches no %s%s", kinds[kind], entry->glob, of, hint);
}

static const char *route_name(struct sl_loader *loader, const struct sl_route *route)
{
    const char *const *domains = loader->scenario->platform.domain_names.names;
    return sl_arena_printf(loader->reader.arena, "%s->%s", domains[route->from],
                           domains[route->to]);
}

static void no_route(struct sl_loader *loader, const struct entry *entry)
{
    const struct sl_platform *platform = &loader->scenario->platform;
    const char **words =
        sl_arena_array(loader->reader.arena, 2 * (size_t)platform->route_count + 1, sizeof *words);
    for (uint32_t r = 0; words && r < platform->route_count; r++) {
        words[r] = route_name(loader, &platform->routes[r]);
        words[platform->route_count + r] =
            platform->resource_names.names[platform->routes[r].resource];
        if (!words[r])
            return;
    }
    complain(loader, BANDWIDTH, entry, "route and no route's resource", words,
             2 * (size_t)platform->route_count);
}

void sl_scale_routes(struct sl_loader *loader)
{
    struct sl_platform *platform = &loader->scenario->platform;
    const struct sl_yaml *map = section(loader, BANDWIDTH);
    struct entry entry;
    for (uint32_t i = 0; map && loader->routes_known && i < map->count; i++) {
        if (!read_entry(loader, BANDWIDTH, map, i, &entry))
            continue;
        for (uint32_t r = 0; r < platform->route_count; r++) {
            struct sl_route *route = &platform->routes[r];
            if (matches(&entry, route_name(loader, route)) ||
                matches(&entry, platform->resource_names.names[route->resource]))
                route->bandwidth *= entry.factor;
        }
        if (entry.matched == 0)
            no_route(loader, &entry);
    }
}

/* Of the objects or nodes that there are, as words to suggest. */
static void no_name(struct sl_loader *loader, enum kind kind, const struct entry *entry,
                    const char *of, const struct sl_names *names)
{
    complain(loader, kind, entry, of, names->names, names->count);
}

void sl_scale_objects(struct sl_loader *loader)
{
    struct sl_graph *graph = loader->graph;
    const struct sl_yaml *map = section(loader, SIZE);
    struct entry entry;
    for (uint32_t i = 0; map && i < map->count; i++) {
        if (!read_entry(loader, SIZE, map, i, &entry))
            continue;
        double total = 0;
        for (uint32_t o = 0; o < graph->object_count; o++) {
            struct sl_object *object = &graph->objects[o];
            double factor = matches(&entry, object->name) ? entry.factor : 1;
            total += (double)object->bytes * factor;
            if (factor == 1 || total >= MAX_BYTES)
                continue;
            object->bytes = llround((double)object->bytes * factor);
            if (object->size &&
                !(object->size = sl_expr_scaled(object->size, factor, &graph->arena)))
                (void)SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
        }
        if (entry.matched == 0 && loader->objects_known)
            no_name(loader, SIZE, &entry, "object", &graph->object_names);
        if (total >= MAX_BYTES)
            sl_diags_add(loader->reader.diags, SL_ERROR, "too-many-bytes", entry.place,
                         "scale.size: all objects together exceed 2^61 bytes");
    }
}

static bool by_route(const struct sl_graph *graph, const struct sl_node *node)
{
    return sl_node_moves(node->kind) && sl_platform_route(graph->platform, node->from, node->to);
}

static const char *class_of(const struct sl_loader *loader, const struct sl_node *node)
{
    const struct sl_names *classes = &loader->scenario->platform.kappa.classes;
    return node->klass == SL_NONE ? NULL : classes->names[node->klass];
}

static void no_node(struct sl_loader *loader, const struct entry *entry)
{
    const struct sl_graph *graph = loader->graph;
    const char **words =
        sl_arena_array(loader->reader.arena, 2 * (size_t)graph->node_count + 1, sizeof *words);
    size_t count = 0;
    for (uint32_t k = 0; words && k < graph->node_count; k++) {
        const char *name = class_of(loader, &graph->nodes[k]);
        if (by_route(graph, &graph->nodes[k]))
            continue;
        words[count++] = graph->nodes[k].name;
        if (name && (count < 2 || words[count - 2] != name))
            words[count++] = name;
    }
    complain(
        loader, DURATION, entry,
        "node, by name or class, that has a duration of its own (scale.bandwidth is for moves)",
        words, count);
}

static void stretch(struct sl_loader *loader, uint32_t index, double factor)
{
    struct sl_node *node = sl_graph_edit_node(loader->graph, index, loader->err);
    if (!node)
        return; /* out of memory stays in loader->err and ends the load */
    node->scale *= factor;
    node->latency_scale *= factor;
}

void sl_scale_nodes(struct sl_loader *loader)
{
    struct sl_graph *graph = loader->graph;
    const struct sl_yaml *map = section(loader, DURATION);
    struct entry entry;
    for (uint32_t i = 0; map && i < map->count; i++) {
        if (!read_entry(loader, DURATION, map, i, &entry))
            continue;
        for (uint32_t k = 0; k < graph->node_count; k++) {
            const struct sl_node *node = &graph->nodes[k];
            if (!by_route(graph, node) &&
                (matches(&entry, node->name) || matches(&entry, class_of(loader, node))))
                stretch(loader, k, entry.factor);
        }
        if (entry.matched == 0 && loader->nodes_known)
            no_node(loader, &entry);
    }
}

/* ---- slack ----------------------------------------------------------------------------------- */

struct gaps {
    struct sl_order_sets sets;
    uint64_t *uses, *before, *after; /* by node: bits of up to 64 objects */
    bool *between;                   /* by node, of any object of the glob */
    uint64_t budget;
};

static void gaps_close(struct gaps *gaps)
{
    sl_order_sets_close(&gaps->sets);
    free(gaps->uses);
    free(gaps->before);
    free(gaps->after);
    free(gaps->between);
}

static bool gaps_open(struct gaps *gaps, const struct sl_graph *graph)
{
    size_t nodes = (size_t)graph->node_count + 1;
    *gaps = (struct gaps){.uses = malloc(nodes * sizeof(uint64_t)),
                          .before = malloc(nodes * sizeof(uint64_t)),
                          .after = malloc(nodes * sizeof(uint64_t)),
                          .between = malloc(nodes * sizeof(bool)),
                          .budget = MAX_FOLLOWED};
    return gaps->uses && gaps->before && gaps->after && gaps->between &&
           sl_order_sets_open(&gaps->sets, graph, &gaps->budget);
}

static void mark_uses(const struct sl_graph *graph, struct sl_span span, const uint8_t *bit_of,
                      uint64_t *word)
{
    for (uint32_t k = 0; k < span.count; k++) {
        uint8_t bit = bit_of[sl_object_root(graph, graph->objects_pool[span.first + k]).i];
        *word |= bit < 64 ? UINT64_C(1) << bit : 0;
    }
}

/* Marks what lies between uses of the objects that have a bit; false when the budget ran out. */
static bool mark_between(struct gaps *gaps, const struct sl_graph *graph, const uint8_t *bit_of)
{
    uint32_t n = graph->node_count;
    for (uint32_t i = 0; i < n; i++) {
        gaps->uses[i] = 0;
        mark_uses(graph, graph->nodes[i].inputs, bit_of, &gaps->uses[i]);
        mark_uses(graph, graph->nodes[i].outputs, bit_of, &gaps->uses[i]);
    }
    memcpy(gaps->before, gaps->uses, n * sizeof *gaps->uses);
    memcpy(gaps->after, gaps->uses, n * sizeof *gaps->uses);
    if (n > 0 && (!sl_order_sets_forward(&gaps->sets, 0, n - 1, gaps->before) ||
                  !sl_order_sets_backward(&gaps->sets, 0, n - 1, gaps->after)))
        return false;
    for (uint32_t i = 0; i < n; i++)
        gaps->between[i] |= (gaps->before[i] & gaps->after[i] & ~gaps->uses[i]) != 0;
    return true;
}

/* The nodes between uses of the objects that the glob matches, 64 objects at a time. */
static enum sl_status find_between(struct sl_loader *loader, struct gaps *gaps, struct entry *entry)
{
    const struct sl_graph *graph = loader->graph;
    uint8_t *bit_of = malloc((size_t)graph->object_count + 1);
    uint32_t bits = 0;
    bool enough = true;
    if (!bit_of)
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
    memset(gaps->between, 0, graph->node_count * sizeof *gaps->between);
    memset(bit_of, 64, graph->object_count);
    for (uint32_t o = 0; o < graph->object_count && enough; o++) {
        if (matches(entry, graph->objects[o].name))
            bit_of[sl_object_root(graph, (sl_object_id){o}).i] = (uint8_t)bits++;
        if (bits == 64 || (o + 1 == graph->object_count && bits > 0)) {
            enough = mark_between(gaps, graph, bit_of);
            memset(bit_of, 64, graph->object_count);
            bits = 0;
        }
    }
    free(bit_of);
    if (!enough)
        sl_diags_add(loader->reader.diags, SL_ERROR, "too-many", entry->place,
                     "scale.slack: '%s' matches more objects than can be followed through a graph "
                     "of this size; name fewer, or scale.duration of the nodes between their uses",
                     entry->glob);
    return SL_OK;
}

/* Scales what was found; a glob that finds no node is a fault, too. */
static void stretch_between(struct sl_loader *loader, const struct gaps *gaps,
                            const struct entry *entry)
{
    struct sl_graph *graph = loader->graph;
    uint32_t found = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!gaps->between[i] || by_route(graph, &graph->nodes[i]))
            continue;
        found++;
        stretch(loader, i, entry->factor);
    }
    if (found == 0)
        sl_diags_add(loader->reader.diags, SL_ERROR, "no-match", entry->place,
                     "scale.slack: nothing runs between two uses of '%s'", entry->glob);
}

enum sl_status sl_scale_slack(struct sl_loader *loader)
{
    const struct sl_yaml *map = section(loader, SLACK);
    struct gaps gaps;
    if (!map || map->count == 0)
        return SL_OK;
    enum sl_status status =
        gaps_open(&gaps, loader->graph) ? SL_OK : SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < map->count && status == SL_OK; i++) {
        struct entry entry;
        size_t errors = loader->reader.diags->errors;
        if (!read_entry(loader, SLACK, map, i, &entry))
            continue;
        status = find_between(loader, &gaps, &entry);
        if (entry.matched == 0)
            no_name(loader, SLACK, &entry, "object", &loader->graph->object_names);
        else if (status == SL_OK && loader->reader.diags->errors == errors)
            stretch_between(loader, &gaps, &entry);
    }
    gaps_close(&gaps);
    return status;
}
