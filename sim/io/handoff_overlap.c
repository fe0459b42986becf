/* The hand-off's permissions to overlap: what is allowed, what is forbidden, and what nobody has
 * measured. */
#include "class_groups.h"
#include "handoff_parts.h"
#include <math.h>
#include <string.h>

enum pair_list { ALLOWED, FORBIDDEN, HYPOTHETICAL };

/* From the scenario's folder, so that one that has moved has the same hand-off. */
static const char *from_scenario(const struct sl_handoff *h, const char *path)
{
    const char *dir = h->what->source ? h->what->source->dir : NULL;
    size_t length = dir ? strlen(dir) : 0;
    bool inside = length > 0 && strncmp(path, dir, length) == 0 && path[length] == '/';
    return inside ? path + length + 1 : path;
}

/* A pair of classes in a common group: its kappas, and where the table says so. */
static void put_kappa(struct sl_handoff *h, const char *key, uint32_t victim, uint32_t other)
{
    const struct sl_kappa *kappa = &h->graph->platform->kappa;
    const struct sl_kappa_row *row = sl_kappa_pair_row(kappa, victim, other);
    char place[600];
    if (!row) {
        sl_json_text(h->gen, key, NULL);
        return;
    }
    sl_json_open_map(h->gen, key);
    sl_json_number(h->gen, "value", row->kappa);
    sl_json_number(h->gen, "lo", row->lo);
    sl_json_number(h->gen, "hi", row->hi);
    snprintf(place, sizeof place, "%.500s:%d",
             row->place.file ? from_scenario(h, row->place.file) : "", row->place.line);
    sl_json_text(h->gen, "evidence",
                 row->evidence     ? row->evidence
                 : row->place.file ? place
                                   : NULL);
    yajl_gen_map_close(h->gen);
}

/* What the rule for unknown kappas makes of a pair. */
static enum pair_list list_of(const struct sl_kappa *kappa, uint32_t a, uint32_t b)
{
    bool unknown = sl_kappa_unknown_pair(kappa, a, b) || sl_kappa_unknown_pair(kappa, b, a) ||
                   !sl_kappa_has_evidence(kappa);
    return !unknown ? ALLOWED : kappa->unknown == SL_UNKNOWN_FORBID ? FORBIDDEN : HYPOTHETICAL;
}

static void put_class_pair(struct sl_handoff *h, uint32_t a, uint32_t b)
{
    const struct sl_kappa *kappa = &h->graph->platform->kappa;
    sl_json_open_map(h->gen, NULL);
    sl_json_text(h->gen, "a", kappa->classes.names[a]);
    sl_json_text(h->gen, "b", kappa->classes.names[b]);
    sl_json_text(h->gen, "of", "classes");
    sl_json_text(h->gen, "proof", NULL);
    put_kappa(h, "kappa_a", a, b);
    put_kappa(h, "kappa_b", b, a);
    yajl_gen_map_close(h->gen);
}

static void put_row(struct sl_handoff *h, const struct sl_overlap *row)
{
    const struct sl_names *classes = &h->graph->platform->kappa.classes;
    uint32_t a = sl_names_find(classes, row->a), b = sl_names_find(classes, row->b);
    sl_json_open_map(h->gen, NULL);
    sl_json_text(h->gen, "a", row->a);
    sl_json_text(h->gen, "b", row->b);
    sl_json_text(h->gen, "of", "overlap.csv");
    sl_json_text(h->gen, "proof", row->proof && *row->proof ? row->proof : NULL);
    if (row->allowed && sl_overlap_restricts(row)) {
        sl_json_us(h->gen, "earliest_us", row->earliest_ps);
        sl_json_us(h->gen, "latest_us", row->latest_ps);
    }
    if (a != SL_NONE && b != SL_NONE) {
        put_kappa(h, "kappa_a", a, b);
        put_kappa(h, "kappa_b", b, a);
    } else {
        sl_json_text(h->gen, "kappa_a", NULL);
        sl_json_text(h->gen, "kappa_b", NULL);
    }
    yajl_gen_map_close(h->gen);
}

static void put_list(struct sl_handoff *h, const char *key, enum pair_list list,
                     const uint64_t *groups)
{
    const struct sl_graph *graph = h->graph;
    const struct sl_kappa *kappa = &graph->platform->kappa;
    sl_json_open_array(h->gen, key);
    for (uint32_t o = 0; o < graph->overlap_count; o++)
        if (list != HYPOTHETICAL && graph->overlaps[o].allowed == (list == ALLOWED))
            put_row(h, &graph->overlaps[o]);
    for (uint32_t a = 0; groups && a < kappa->classes.count; a++)
        for (uint32_t b = a; groups[a] && b < kappa->classes.count; b++)
            if (groups[a] & groups[b] && list_of(kappa, a, b) == list)
                put_class_pair(h, a, b);
    yajl_gen_array_close(h->gen);
}

void sl_handoff_put_overlap(struct sl_handoff *h)
{
    static const char *const unknowns[] = {"bound", "forbid", "number"};
    const struct sl_kappa *kappa = &h->graph->platform->kappa;
    const uint64_t *groups = sl_class_groups(h->graph, &h->arena);
    sl_json_open_map(h->gen, "overlap");
    sl_json_text(h->gen, "rule", kappa->rule_name);
    sl_json_text(h->gen, "unknown_kappa", unknowns[kappa->unknown]);
    sl_json_number(h->gen, "unknown_kappa_value",
                   kappa->unknown == SL_UNKNOWN_NUMBER ? kappa->unknown_value : NAN);
    put_list(h, "allowed", ALLOWED, groups);
    put_list(h, "forbidden", FORBIDDEN, groups);
    put_list(h, "hypothetical", HYPOTHETICAL, groups);
    yajl_gen_map_close(h->gen);
}
