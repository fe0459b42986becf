/* Legality of overlap.csv: permissions without evidence, and prohibitions that cannot hold.
 *
 * Two nodes that must not run together take turns.  With r the earliest start, d the time that a
 * node needs (of which h on its resources) and LF its required finish, there is no turn left when
 *
 *     max(r_j, r_i + h_i) + d_j > LF_j   and   max(r_i, r_j + h_j) + d_i > LF_i
 *
 * Edges of type lifetime-hold and staging that is held until another node ends bind bytes and
 * order, not when nodes run: they force no overlap. */
#include <config.h>

#include "legality.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- permissions ----------------------------------------------------------------------------- */

/* Groups in which nodes of a class run, or its routes' engines are. */
static uint64_t *groups_of_classes(const struct sl_legality *l)
{
    const struct sl_platform *platform = &l->scenario->platform;
    const struct sl_graph *graph = l->graph;
    uint64_t *groups = calloc((size_t)platform->kappa.classes.count + 1, sizeof *groups);
    for (uint32_t i = 0; groups && i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        for (uint32_t k = 0; node->klass != SL_NONE && k < node->demands.count; k++)
            groups[node->klass] |=
                platform->resources[graph->demands[node->demands.first + k].resource].groups;
    }
    for (uint32_t r = 0; groups && r < platform->route_count; r++)
        if (platform->routes[r].klass != SL_NONE)
            groups[platform->routes[r].klass] |=
                platform->resources[platform->routes[r].resource].groups;
    return groups;
}

/* The class that a side of a row stands for: its own, or that of the node that it names. */
static uint32_t class_of(const struct sl_legality *l, const char *name)
{
    uint32_t klass = sl_names_find(&l->scenario->platform.kappa.classes, name);
    uint32_t node = sl_names_find(&l->graph->node_names, name);
    return klass == SL_NONE && node != SL_NONE ? l->graph->nodes[node].klass : klass;
}

/* True when the two contend somewhere and nothing says how much. */
static bool lacks_kappa(const struct sl_legality *l, const uint64_t *groups, uint32_t a, uint32_t b)
{
    const struct sl_kappa *kappa = &l->scenario->platform.kappa;
    return a != SL_NONE && b != SL_NONE && (groups[a] & groups[b]) &&
           kappa->unknown != SL_UNKNOWN_NUMBER &&
           (sl_kappa_unknown_pair(kappa, a, b) || sl_kappa_unknown_pair(kappa, b, a));
}

void sl_check_permissions(struct sl_legality *l)
{
    uint64_t *groups = groups_of_classes(l);
    for (uint32_t o = 0; groups && o < l->graph->overlap_count; o++) {
        const struct sl_overlap *row = &l->graph->overlaps[o];
        if (!row->allowed)
            continue;
        bool unproven = !row->proof;
        bool unknown = lacks_kappa(l, groups, class_of(l, row->a), class_of(l, row->b));
        if (!unproven && !unknown)
            continue;
        sl_report(l, row->place, "'%s' may run beside '%s' without %s%s%s", row->a, row->b,
                  unproven ? "a proof that they are independent" : "",
                  unproven && unknown ? " and without " : "",
                  unknown ? "a kappa of either beside the other" : "");
        sl_diags_suggest(
            l->diags, "%s%s%s",
            unproven ? "state the reason in column proof, such as 'no common object'" : "",
            unproven && unknown ? "; " : "",
            unknown ? "measure the pair, or state an estimate in column contention" : "");
    }
    free(groups);
}

/* ---- prohibitions ---------------------------------------------------------------------------- */

struct side_pair {
    const char *a, *b; /* in the order of their names */
    const struct sl_overlap *row;
};

static int compare_pairs(const void *x, const void *y)
{
    const struct side_pair *p = x, *q = y;
    int order = strcmp(p->a, q->a);
    if (order == 0)
        order = strcmp(p->b, q->b);
    return order ? order : (p->row > q->row) - (p->row < q->row);
}

/* The same pair allowed in one row and forbidden in another. */
static void check_contradictions(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    struct side_pair *pairs = malloc(((size_t)graph->overlap_count + 1) * sizeof *pairs);
    for (uint32_t o = 0; pairs && o < graph->overlap_count; o++) {
        const struct sl_overlap *row = &graph->overlaps[o];
        bool swap = strcmp(row->a, row->b) > 0;
        pairs[o] = (struct side_pair){swap ? row->b : row->a, swap ? row->a : row->b, row};
    }
    if (pairs && graph->overlap_count > 0)
        qsort(pairs, graph->overlap_count, sizeof *pairs, compare_pairs);
    for (uint32_t o = 1; pairs && o < graph->overlap_count; o++) {
        const struct side_pair *before = &pairs[o - 1], *pair = &pairs[o];
        if (strcmp(before->a, pair->a) != 0 || strcmp(before->b, pair->b) != 0 ||
            before->row->allowed == pair->row->allowed)
            continue;
        sl_report(l, pair->row->place, "'%s' and '%s' are %s here and %s in line %d", pair->row->a,
                  pair->row->b, pair->row->allowed ? "allowed together" : "forbidden together",
                  before->row->allowed ? "allowed" : "forbidden", before->row->place.line);
        sl_diags_suggest(l->diags,
                         "keep one of the two rows: where both stand, the pair never runs "
                         "together");
    }
    free(pairs);
}

/* Times of all nodes under one reading of their durations, ps. */
struct times {
    double *start, *finish; /* earliest, required */
    double *hold, *whole;
};

static bool open_times(struct times *t, uint32_t nodes)
{
    size_t size = ((size_t)nodes + 1) * sizeof(double);
    *t = (struct times){malloc(size), malloc(size), malloc(size), malloc(size)};
    return t->start && t->finish && t->hold && t->whole;
}

static void close_times(struct times *t)
{
    free(t->start);
    free(t->finish);
    free(t->hold);
    free(t->whole);
}

static void fill_times(const struct sl_legality *l, struct times *t, bool least)
{
    for (uint32_t i = 0; i < l->graph->node_count; i++) {
        const struct sl_node *node = &l->graph->nodes[i];
        double mean = sl_node_mean_hold(l->graph, (sl_node_id){i});
        t->whole[i] = least ? sl_least_time(l, i)
                      : sl_may_be_left_out(l, i)
                          ? 0.0
                          : mean + sl_node_mean_latency(l->graph, (sl_node_id){i});
        double scale = sl_node_mean_scale(node), sum = scale + node->latency_scale;
        t->hold[i] = sum > 0 ? t->whole[i] * scale / sum : t->whole[i];
    }
    sl_earliest_starts(l, t->whole, t->start);
    sl_latest_finishes(l, t->whole, t->finish);
}

/* True when neither can run before the other; a node that is late by itself is another fault. */
static bool no_turn(const struct times *t, uint32_t i, uint32_t j)
{
    const double tick = 1.0;
    if (t->start[i] + t->whole[i] > t->finish[i] + tick ||
        t->start[j] + t->whole[j] > t->finish[j] + tick)
        return false;
    return fmax(t->start[j], t->start[i] + t->hold[i]) + t->whole[j] > t->finish[j] + tick &&
           fmax(t->start[i], t->start[j] + t->hold[j]) + t->whole[i] > t->finish[i] + tick;
}

struct forced {
    struct sl_legality *l;
    struct times least, mean;
    uint32_t *bounded; /* nodes that some deadline bounds, in the order of rows */
    uint32_t count;
};

/* True for a node that takes time and has a deadline at or after it. */
static bool is_bounded(const struct forced *f, uint32_t node)
{
    return node != SL_NONE && f->mean.whole[node] > 0 && isfinite(f->mean.finish[node]);
}

static bool is_side(const struct sl_legality *l, uint32_t node, const char *name, uint32_t klass)
{
    const struct sl_node *n = &l->graph->nodes[node];
    return (klass != SL_NONE && n->klass == klass) || strcmp(n->name, name) == 0;
}

static void report_forced(struct forced *f, const struct sl_overlap *row, uint32_t i, uint32_t j,
                          bool always, uint32_t more)
{
    struct sl_legality *l = f->l;
    const struct times *t = always ? &f->least : &f->mean;
    const struct sl_node *a = &l->graph->nodes[i], *b = &l->graph->nodes[j];
    char first[32], second[32], due_a[32], due_b[32], rest[40] = "";
    if (more > 0)
        snprintf(rest, sizeof rest, " (and %u more pairs)", more);
    sl_diags_add(l->diags, always ? SL_ERROR : SL_WARNING, l->rule->code, row->place,
                 "'%s' and '%s' must not run together, but %s neither can wait for the other: from "
                 "%s until %s, and from %s until %s%s",
                 a->name, b->name, always ? "in every run" : "at mean durations",
                 sl_format_time(first, sizeof first, t->start[i]),
                 sl_format_time(due_a, sizeof due_a, t->finish[i]),
                 sl_format_time(second, sizeof second, t->start[j]),
                 sl_format_time(due_b, sizeof due_b, t->finish[j]), rest);
    sl_report_also_node(l, i);
    sl_report_also_node(l, j);
    sl_diags_suggest(l->diags,
                     "allow the overlap, move a deadline or a release, or give '%s' or "
                     "'%s' a fallback",
                     a->name, b->name);
}

/* What is wrong with a row: by certainty, at means (0) and always (1). */
struct found {
    uint32_t first[2], second[2], count[2];
};

static void judge_pair(const struct forced *f, uint32_t i, uint32_t j, struct found *found)
{
    bool always = no_turn(&f->least, i, j);
    if (!always && !no_turn(&f->mean, i, j))
        return;
    if (found->count[always]++ == 0) {
        found->first[always] = i;
        found->second[always] = j;
    }
}

/* The rows of a table of nodes are many; each names one pair. */
static void judge_nodes(const struct forced *f, const struct sl_overlap *row, struct found *found)
{
    const struct sl_names *nodes = &f->l->graph->node_names;
    uint32_t a = sl_names_find(nodes, row->a), b = sl_names_find(nodes, row->b);
    if (a != b && is_bounded(f, a) && is_bounded(f, b))
        judge_pair(f, a < b ? a : b, a < b ? b : a, found);
}

static void judge_classes(const struct forced *f, const struct sl_overlap *row, uint32_t a,
                          uint32_t b, struct found *found)
{
    struct sl_legality *l = f->l;
    for (uint32_t x = 0; x < f->count && l->budget > 0; x++) {
        uint32_t i = f->bounded[x];
        bool is_a = is_side(l, i, row->a, a), is_b = is_side(l, i, row->b, b);
        l->budget--;
        for (uint32_t y = x + 1; (is_a || is_b) && y < f->count && l->budget > 0; y++) {
            uint32_t j = f->bounded[y];
            l->budget--;
            if ((is_a && is_side(l, j, row->b, b)) || (is_b && is_side(l, j, row->a, a)))
                judge_pair(f, i, j, found);
        }
    }
}

/* Reports the first pair of a row, errors before warnings, and the number of the others. */
static void judge_row(struct forced *f, const struct sl_overlap *row)
{
    const struct sl_names *classes = &f->l->scenario->platform.kappa.classes;
    uint32_t a = sl_names_find(classes, row->a), b = sl_names_find(classes, row->b);
    struct found found = {0};
    if (a == SL_NONE && b == SL_NONE)
        judge_nodes(f, row, &found);
    else
        judge_classes(f, row, a, b, &found);
    for (int always = 1; always >= 0; always--)
        if (found.count[always] > 0) {
            report_forced(f, row, found.first[always], found.second[always], always,
                          found.count[always] - 1);
            break;
        }
}

static void check_forced(struct forced *f)
{
    const struct sl_graph *graph = f->l->graph;
    fill_times(f->l, &f->least, true);
    fill_times(f->l, &f->mean, false);
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (is_bounded(f, i))
            f->bounded[f->count++] = i;
    for (uint32_t o = 0; o < graph->overlap_count && f->count > 1; o++)
        if (!graph->overlaps[o].allowed)
            judge_row(f, &graph->overlaps[o]);
}

void sl_check_prohibitions(struct sl_legality *l)
{
    if (l->graph->overlap_count == 0)
        return;
    struct forced forced = {.l = l};
    bool ready = open_times(&forced.least, l->graph->node_count);
    ready = open_times(&forced.mean, l->graph->node_count) && ready;
    forced.bounded = malloc(((size_t)l->graph->node_count + 1) * sizeof *forced.bounded);
    check_contradictions(l);
    if (ready && forced.bounded)
        check_forced(&forced);
    close_times(&forced.least);
    close_times(&forced.mean);
    free(forced.bounded);
}
