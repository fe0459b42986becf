/* The machine around a random graph, and what is drawn once the graph is known. */
#include <config.h>

#include "random_lives.h"
#include "random_scenario.h"

static const char *const every_policy =
    "  - {name: retain, action: retain}\n"
    "  - {name: retain-fifo, action: retain, dispatch: fifo}\n"
    "  - {name: retain-priority, action: retain, dispatch: priority, aging: 2ms}\n"
    "  - {name: retain-edf, action: retain, dispatch: edf}\n"
    "  - {name: retain-sjf, action: retain, dispatch: sjf}\n"
    "  - {name: retain-rank, action: retain, dispatch: critical-path}\n"
    "  - {name: as-given, action: as-given}\n"
    "  - {name: demand, action: offload, prefetch: demand}\n"
    "  - {name: asap, action: offload, prefetch: asap}\n"
    "  - {name: ahead, action: offload, prefetch: {when: lookahead, lookahead: 2}}\n"
    "  - {name: jit, action: offload, prefetch: {when: jit, quantile: 0.9, margin: 10us}}\n"
    "  - {name: remat, action: remat}\n"
    "  - {name: largest, action: offload, select: largest, prefetch: lookahead}\n"
    "  - {name: belady, action: offload, select: {how: belady, headroom: 16MiB}, prefetch: jit}\n"
    "  - {name: cheapest, action: remat, select: cost-benefit}\n"
    "  - {name: lru, action: offload, select: lru, prefetch: lookahead}\n"
    "  - {name: lru-remat, action: remat, select: {how: lru, headroom: 16MiB}}\n"
    "  - {name: slack, action: offload, select: slack, prefetch: jit}\n"
    "  - {name: window, action: offload, select: belady, prefetch: window}\n"
    "  - {name: lazy, action: offload, select: lru, reclaim: lazy}\n"
    "  - {name: lazy-mix, action: remat, reclaim: lazy, rules: [{objects: \"x?\", action: offload, "
    "prefetch: window}]}\n"
    "  - {name: pressure, action: offload, reclaim: {when: on-pressure, threshold: 0.6}}\n"
    "  - {name: windows, action: offload, prefetch: window}\n"
    "  - {name: mix, action: remat, rules: [{objects: \"x?\", action: offload, prefetch: jit}, "
    "{objects: \"x1*\", action: retain}]}\n"
    "  - {name: mix-rank, action: offload, prefetch: asap, dispatch: critical-path, "
    "rules: [{objects: \"x2;x3;x4;x5\", action: remat}]}\n";

/* These plan a few dozen times each: every tenth scenario has them. */
static const char *const searching_policies =
    "  - {name: best, action: best, prefetch: window}\n"
    "  - {name: best-lru, action: best, select: {how: lru, headroom: 16MiB}, prefetch: jit}\n"
    "  - {name: chain, action: chain-optimal}\n"
    "  - {name: chain-out, action: offload, select: {how: chain-optimal, headroom: 32MiB}}\n"
    "  - {name: chain-of-some, action: {how: chain-optimal, slots: 1}, objects: \"x2;x5\"}\n"
    "  - {name: best-mix, action: best, prefetch: lookahead, reclaim: lazy, rules: [{objects: "
    "\"x?\", action: remat}]}\n";

/* Lanes that cross resources are a mechanism: only a graph that is run as given may state them. */
static const char *const given_policies =
    "  - {name: as-given, action: as-given}\n"
    "  - {name: given-fifo, action: as-given, dispatch: fifo}\n"
    "  - {name: given-priority, action: as-given, dispatch: priority, aging: 2ms}\n"
    "  - {name: given-edf, action: as-given, dispatch: edf}\n"
    "  - {name: given-sjf, action: as-given, dispatch: sjf}\n"
    "  - {name: given-rank, action: as-given, dispatch: critical-path}\n";

static const char *pick_text(struct dice *dice, const char *const *texts, unsigned count)
{
    return texts[dice_below(dice, count)];
}
#define PICK(dice, texts) pick_text(dice, texts, sizeof(texts) / sizeof *(texts))

static void draw_machine(struct draft *d, struct dice *dice)
{
    static const char *const of_gpu[] = {", group: gpu0",
                                         ", group: gpu0, order: priority, aging: 5ms",
                                         ", group: gpu0, order: priority, admission: strict",
                                         ", group: gpu0, order: edf",
                                         ", group: gpu0, order: sjf, admission: strict",
                                         ", group: gpu0, order: critical-path",
                                         ", order: fifo"};
    static const char *const of_engine[] = {", group: gpu0", ", group: gpu0, order: fifo",
                                            ", order: issue", ", order: priority"};
    for (unsigned r = 0; r < DRAFT_RESOURCES; r++) {
        d->resources[r].servers = 1 + (dice_chance(dice, 50) ? dice_below(dice, 3) : 0);
        d->resources[r].settings = r <= AUX ? PICK(dice, of_gpu) : PICK(dice, of_engine);
    }
    d->resources[CPU].servers = dice_chance(dice, 50) ? 0 : 2 + dice_below(dice, 3);
    d->resources[CPU].settings = NULL;
    d->engine_out = dice_chance(dice, 75) ? D2H : H2D;
    static const char *const noises[] = {NULL, "\"lognormal(mean=1, cv=0.1)\"",
                                         "\"uniform(low=0.5, high=1.5)\""};
    d->noise = PICK(dice, noises);
    static const char *const costs[] = {
        NULL, NULL, NULL,
        "  - {what: allocation, duration: 3us, domain: hbm, evidence: \"assumed: random\"}\n",
        "  - {what: allocation, duration: 3us, resource: cpu, evidence: \"assumed: random\"}\n"
        "  - {what: mapping, duration: 1us, domain: hbm, evidence: \"assumed: random\"}\n"
        "  - {what: reclamation, duration: 2us, domain: hbm, evidence: \"assumed: random\"}\n"};
    d->costs = PICK(dice, costs);
    static const char *const factors[] = {
        NULL,
        "  clock: {draw: \"lognormal(mean=1, cv=0.05)\", per: trial, classes: [gemm, attn]}\n",
        "  link: {draw: \"regime(p=0.2, level=2, dwell=5ms)\", classes: [copy.h2d, copy.d2h]}\n"};
    d->factors = PICK(dice, factors);
    static const char *const kappas[] = {
        NULL, "{table: kappa.csv, rule: additive, unknown_kappa: 1.2}",
        "{table: kappa.csv, rule: max, unknown_kappa: bound}",
        "{table: kappa.csv, rule: product, unknown_kappa: forbid}"};
    d->kappa = PICK(dice, kappas);
    d->kappa_rows = d->kappa ? "victim,set,kappa\ngemm,copy.h2d,1.1\ngemm,copy.d2h,1.05\n"
                               "copy.h2d,gemm,1.3\ncopy.d2h,gemm,1.2\nattn,gemm,1.4\n"
                               "gemm,attn,1.5\ngemm,gemm,2\nattn,attn,1.8\n"
                             : NULL;
    d->guards[0] = (struct draft_guard){"hit", dice_chance(dice, 50) ? "job" : "iteration", 0.7};
    d->guards[1] = (struct draft_guard){"expert", "layer", 0.5};
    d->guards[2] = (struct draft_guard){"speculate", "node", 0.4};
    d->guard_count = 3;
}

/* Pairs that may not run together, and pairs that may and say why. */
static void draw_overlaps(struct draft *d, struct dice *dice, bool forbid)
{
    for (unsigned k = dice_below(dice, 3); k > 0 && d->node_count > 1; k--) {
        struct draft_overlap *row = &d->overlaps[d->overlap_count++];
        *row = (struct draft_overlap){.allowed = !forbid};
        if (!forbid)
            row->proof = "they touch different objects";
        if (!forbid && dice_chance(dice, 50)) {
            row->earliest_ns = 1000 * dice_below(dice, 3000);
            row->latest_ns = row->earliest_ns + 1000 * (1 + dice_below(dice, 20000));
        }
        unsigned a = dice_below(dice, d->node_count);
        unsigned b = (a + 1 + dice_below(dice, d->node_count - 1)) % d->node_count;
        if (d->overlap_count == 1 && dice_chance(dice, 30)) {
            snprintf(row->a, sizeof row->a, "copy.h2d");
            snprintf(row->b, sizeof row->b, "copy.d2h");
            row->contention = forbid ? NULL : "1.2;1.05";
        } else {
            memcpy(row->a, d->nodes[a].name, sizeof row->a);
            memcpy(row->b, d->nodes[b].name, sizeof row->b);
        }
    }
}

/* Deadlines of nodes that have none: no earlier than the precedence bound, and where pairs are kept
 * apart, late enough for one node after the other. */
static void draw_deadlines(struct maker *m)
{
    struct draft *d = m->draft;
    int64_t total = maker_total_ns(m);
    for (unsigned i = 0; i < d->node_count; i++) {
        struct draft_node *node = &d->nodes[i];
        if (m->bounded && node->deadline_ns)
            node->deadline_ns += 2 * total;
        else if (!node->deadline_ns && dice_chance(&m->dice, 12))
            node->deadline_ns =
                m->bounded ? 2 * total : maker_end_ns(m, i) + 1000 + dice_below(&m->dice, 5000000);
    }
}

/* Edges into later iterations, which a single one ignores. */
static void draw_next_edges(struct draft *d, struct dice *dice)
{
    for (unsigned k = dice_below(dice, 4); k > 0; k--) {
        draft_edge(d, dice_below(dice, d->node_count), dice_below(dice, d->node_count),
                   SL_EDGE_ORDERING, SL_NONE);
        d->edges[d->edge_count - 1].next = 1 + dice_below(dice, 2);
    }
}

/* ---- capacity -------------------------------------------------------------------------------- */

static bool mentions(const struct draft *d, const struct draft_node *node, unsigned o,
                     unsigned domain)
{
    bool reclaims = node->kind == SL_RECLAMATION;
    const struct draft_list *lists[] = {&node->inputs, &node->outputs};
    for (unsigned l = 0; l < 2; l++)
        for (unsigned i = 0; i < lists[l]->count; i++)
            if (domain == HBM && draft_root(d, lists[l]->items[i]) == o)
                return true;
    if (node->object != o)
        return false;
    unsigned from = node->from == SL_NONE ? HBM : node->from;
    unsigned to = node->to == SL_NONE ? HBM : node->to;
    return sl_node_moves(node->kind) ? from == domain || to == domain
                                     : (reclaims ? from : to) == domain;
}

/* An edge keeps the object's copy at home until the node ends. */
static bool holds(const struct draft *d, unsigned node, unsigned o, unsigned domain)
{
    for (unsigned e = 0; e < d->edge_count && domain == HBM; e++)
        if (d->edges[e].to == node && d->edges[e].type == SL_EDGE_LIFETIME &&
            d->edges[e].object == o && d->nodes[node].kind != SL_RECLAMATION)
            return true;
    return false;
}

/* Bytes of one copy (or several one after the other) while the nodes run in order of rows. */
static void add_copies(const struct draft *d, unsigned o, unsigned domain, unsigned *level)
{
    const struct draft_object *object = &d->objects[o];
    unsigned last = SL_NONE, rounding = d->domains[domain].rounding_mib;
    unsigned mib = (object->mib + rounding - 1) / rounding * rounding;
    bool live = object->initial == domain;
    bool lasts = object->persist && (object->initial == SL_NONE || object->initial == domain);
    for (unsigned i = 0; i < d->node_count; i++)
        if (mentions(d, &d->nodes[i], o, domain) || holds(d, i, o, domain))
            last = i;
    for (unsigned i = 0; i < d->node_count; i++) {
        bool now = mentions(d, &d->nodes[i], o, domain);
        live |= now;
        if (live)
            level[i] += mib;
        if (now && d->nodes[i].kind == SL_RECLAMATION)
            live = false;
        if (i == last && !lasts) /* without a reclamation, planning puts one here */
            live = false;
    }
}

/* Whatever the policy brings home at a first use leaves the other domain then: the copy there is
 * counted to the end, which is more. */
static unsigned peak(const struct draft *d, unsigned domain)
{
    unsigned level[DRAFT_NODES] = {0}, peak = 0;
    for (unsigned o = 0; o < d->object_count; o++)
        if (d->objects[o].alias_of == SL_NONE)
            add_copies(d, o, domain, level);
    for (unsigned i = 0; i < d->node_count; i++) {
        unsigned until = d->nodes[i].staging_until;
        level[i] += d->nodes[i].workspace[domain];
        for (unsigned k = i; k <= (until == SL_NONE ? i : until); k++)
            level[k] += d->nodes[i].staging[domain];
    }
    for (unsigned i = 0; i < d->node_count; i++)
        peak = level[i] > peak ? level[i] : peak;
    return peak;
}

static unsigned everything(const struct draft *d)
{
    unsigned sum = 0;
    for (unsigned o = 0; o < d->object_count; o++)
        sum += d->objects[o].alias_of == SL_NONE ? d->objects[o].mib + 4 : 0;
    return sum;
}

/* As much as the rows need one after the other, and sometimes more; host memory holds whatever a
 * policy may move there. */
static void draw_capacities(struct draft *d, struct dice *dice)
{
    for (unsigned m = 0; m < DRAFT_DOMAINS; m++)
        d->domains[m].rounding_mib = dice_chance(dice, 20) ? 4 : 1;
    static const unsigned percents[] = {100, 100, 110, 130, 160, 250};
    unsigned home = peak(d, HBM), away = peak(d, PINNED) + everything(d);
    unsigned percent = percents[dice_below(dice, 6)];
    d->domains[HBM].capacity_mib =
        dice_chance(dice, 15) ? -1 : (long)home * percent / 100 + (home == 0);
    d->tight = percent == 100 && d->domains[HBM].capacity_mib >= 0;
    d->domains[PINNED].capacity_mib = dice_chance(dice, 50) ? -1 : (long)away + 1;
    for (unsigned m = 0; m < DRAFT_DOMAINS; m++)
        d->domains[m].reserve_mib = dice_chance(dice, 50) ? 0 : 64;
}

void random_scenario_make(struct random_scenario *made, uint64_t seed)
{
    struct dice dice = {.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    random_scenario_draw(made, dice, seed % 10 == 0);
}

void random_scenario_draw(struct random_scenario *made, struct dice dice, bool searching)
{
    static struct maker m;
    memset(&m, 0, sizeof m);
    *made = (struct random_scenario){0};
    struct draft *d = m.draft = &made->draft;
    m.dice = dice;
    m.lanes = (enum lane_mode)dice_below(&m.dice, 3);
    draw_machine(d, &m.dice);
    bool forbid = dice_chance(&m.dice, 40);
    m.bounded = forbid || (d->kappa && strstr(d->kappa, "forbid"));
    unsigned objects = 4 + dice_below(&m.dice, 12), nodes = 10 + dice_below(&m.dice, 40);
    random_lives_grow(&m, objects, nodes);
    draw_overlaps(d, &m.dice, forbid);
    draw_deadlines(&m);
    draw_next_edges(d, &m.dice);
    draw_capacities(d, &m.dice);
    d->policies = m.lanes == FREE_LANES ? given_policies
                  : searching           ? searching_policies
                                        : every_policy;
    for (unsigned o = 0; o < d->object_count; o++)
        made->begins_away |= d->objects[o].initial == PINNED && !m.lives[o].written_out;
}

/* Each chunk but the first costs a copy an overhead more, which deadlines must leave room for. */
static void allow_for_chunks(struct draft *d)
{
    int64_t more_ns = 0;
    for (unsigned n = 0; n < d->node_count; n++)
        if (sl_node_moves(d->nodes[n].kind))
            more_ns +=
                DRAFT_OVERHEAD_NS * (int64_t)(d->objects[d->nodes[n].object].mib / d->chunk_mib);
    for (unsigned n = 0; n < d->node_count; n++)
        if (d->nodes[n].deadline_ns)
            d->nodes[n].deadline_ns += more_ns;
}

void random_scenario_send_far(struct random_scenario *made, unsigned chunk_mib)
{
    struct draft *d = &made->draft;
    d->disk = true;
    d->chunk_mib = chunk_mib;
    if (chunk_mib)
        allow_for_chunks(d);
    for (unsigned o = 0; o < d->object_count; o++) {
        struct draft_object *object = &d->objects[o];
        bool moved = false;
        for (unsigned n = 0; n < d->node_count; n++)
            moved |= sl_node_moves(d->nodes[n].kind) && draft_root(d, d->nodes[n].object) == o;
        if (moved || object->placements || object->alias_of != SL_NONE || object->home != HBM)
            continue;
        object->placements = "hbm;nvme";
        object->far = object->initial == PINNED;
    }
}
