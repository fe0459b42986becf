/* Random small planned graphs. */
#include <config.h>

#include "random_graph.h"

static struct random_features draw_features(struct dice *dice)
{
    struct random_features f = {0};
    bool all = f.all = dice_chance(dice, 33);
    f.contention = all || dice_chance(dice, 50);
    f.capacity = all || dice_chance(dice, 50);
    f.orders = all || dice_chance(dice, 50);
    f.guards = all || dice_chance(dice, 30);
    f.multi = dice_chance(dice, 50);
    f.strict = dice_chance(dice, all ? 20 : 40);
    f.aging = dice_chance(dice, 20);
    f.issue = dice_chance(dice, 30);
    f.latency = dice_chance(dice, 30);
    f.overlap = dice_chance(dice, all ? 20 : 40);
    f.windows = dice_chance(dice, 60);
    f.noise = dice_chance(dice, 25);
    f.fragmentation = dice_chance(dice, 15);
    f.sets = f.contention && dice_chance(dice, 40);
    f.bandwidth = f.contention && dice_chance(dice, 20);
    f.iterations = dice_chance(dice, 40) ? 2 + dice_below(dice, 3) : 1;
    f.nodes = 4 + dice_below(dice, f.iterations > 1 ? 8 : 16) + (all ? 8 : 0);
    f.resources = (all ? 2 : 1) + dice_below(dice, all ? 3 : 4);
    f.domains = 1 + dice_below(dice, 2);
    f.classes = 1 + dice_below(dice, 3);
    f.unit = dice_chance(dice, 50) ? 1 : 97;
    return f;
}

/* ---- the machine ----------------------------------------------------------------------------- */

static const char *const class_names[] = {"x", "y", "z"};

static void add_set_row(struct lab *lab, struct dice *dice, const struct random_features *f)
{
    uint32_t set[3], size = 2 + dice_below(dice, 2);
    for (uint32_t k = 0; k < size; k++)
        set[k] = dice_below(dice, f->classes);
    struct sl_kappa_row row = {
        .victim = dice_below(dice, f->classes), .set_size = size, .set = set};
    row.kappa = row.lo = row.hi = 0.8 + dice_below(dice, 30) / 10.0;
    struct sl_diags diags = {0}; /* a second row for one set is refused there */
    LAB_OK(lab, sl_kappa_add_row(&lab->platform.kappa, row, &lab->arena, &diags, &lab->err));
    sl_diags_free(&diags);
}

static void add_demands(struct lab *lab, struct dice *dice, const struct random_features *f)
{
    struct sl_kappa *kappa = &lab->platform.kappa;
    (void)sl_names_add(&kappa->links, "hbm");
    (void)sl_names_add(&kappa->links, "bus");
    for (uint32_t c = 0; c < f->classes; c++)
        for (uint32_t l = 0; l < 2; l++) {
            if (dice_chance(dice, 30))
                continue;
            ck_assert(sl_grow((void **)&kappa->demands, &kappa->demand_capacity,
                              kappa->demand_count + 1, sizeof *kappa->demands));
            kappa->demands[kappa->demand_count++] =
                (struct sl_kappa_demand){c, l, dice_below(dice, 11) / 10.0};
        }
}

static void build_contention(struct lab *lab, struct dice *dice, const struct random_features *f)
{
    static const char *const rules[] = {"additive", "product", "max"};
    struct sl_kappa *kappa = &lab->platform.kappa;
    for (uint32_t k = 0; k < f->classes; k++)
        lab_class(lab, class_names[k]);
    lab_rule(lab, f->bandwidth ? "bandwidth" : rules[dice_below(dice, 3)]);
    if (f->bandwidth)
        add_demands(lab, dice, f);
    for (uint32_t a = 0; f->contention && a < f->classes; a++)
        for (uint32_t b = 0; b < f->classes; b++)
            if (dice_chance(dice, f->bandwidth ? 10 : 80))
                lab_kappa(lab, class_names[a], class_names[b], 1 + dice_below(dice, 30) / 10.0);
    for (uint32_t k = f->sets ? 1 + dice_below(dice, 3) : 0; k > 0; k--)
        add_set_row(lab, dice, f);
    if (f->overlap && dice_chance(dice, 50))
        kappa->unknown = SL_UNKNOWN_FORBID;
    else if (dice_chance(dice, 50))
        kappa->unknown = SL_UNKNOWN_BOUND;
    else
        kappa->unknown_value = dice_chance(dice, 50) ? 1 : 1.7;
    if (dice_chance(dice, 30))
        lab->options.corner = SL_CORNER_OPTIMISTIC;
}

static void build_platform(struct lab *lab, struct dice *dice, const struct random_features *f)
{
    for (uint32_t k = 0; k < f->resources; k++) {
        char name[16];
        snprintf(name, sizeof name, "r%u", k);
        uint32_t servers = 1 + dice_below(dice, f->all && dice_chance(dice, 70) ? 1 : 3);
        uint32_t i = lab_resource(lab, name, dice_chance(dice, 10) ? SL_UNLIMITED : servers);
        struct sl_resource *resource = &lab->resources[i];
        resource->order =
            f->orders ? (enum sl_order)dice_below(dice, SL_ORDER_ISSUE) : SL_ORDER_FIFO;
        if (f->orders && dice_chance(dice, f->all ? 60 : 20))
            resource->order = SL_ORDER_PRIORITY;
        if (f->issue && dice_chance(dice, 50))
            resource->order = SL_ORDER_ISSUE;
        if (f->strict && dice_chance(dice, 60))
            resource->admission = SL_STRICT;
        if (f->aging)
            resource->aging_ps = 1 + (int64_t)dice_below(dice, 4) * f->unit;
        resource->groups = dice_chance(dice, 70) ? 1 : dice_below(dice, 4);
    }
    unsigned most = f->all ? 6 : 8 + f->nodes / 2;
    for (uint32_t k = 0; k < f->domains; k++) {
        char name[16];
        snprintf(name, sizeof name, "d%u", k);
        uint32_t m = lab_domain(lab, name,
                                dice_chance(dice, 10) ? -1 : (int64_t)(8 + dice_below(dice, most)));
        struct sl_domain *domain = &lab->domains[m];
        if (domain->capacity > 0 && dice_chance(dice, 50))
            domain->reserve = dice_below(dice, 3);
        if (dice_chance(dice, 30))
            domain->rounding = 2;
        if (f->fragmentation)
            domain->fragmentation =
                lab_dist(lab, dice_chance(dice, 50) ? "1.25" : "1", SL_DIST_NUMBER);
    }
    build_contention(lab, dice, f);
}

/* ---- the graph ------------------------------------------------------------------------------- */

static void describe_duration(struct dice *dice, const struct random_features *f, char text[64])
{
    long long ps = (long long)(dice_below(dice, 7) * f->unit);
    if (f->noise && dice_chance(dice, 50))
        snprintf(text, 64, "uniform(low=%lldps, high=%lldps)", ps, ps + 4 * (long long)f->unit);
    else
        snprintf(text, 64, "%lldps", ps);
}

/* Now and then more than there are. */
static uint32_t draw_units(const struct lab *lab, struct dice *dice, uint32_t resource,
                           uint32_t most)
{
    uint32_t servers = lab->resources[resource].servers;
    return 1 + dice_below(dice, dice_chance(dice, 3) || servers > most ? most : servers);
}

static void give_demands(struct lab *lab, struct dice *dice, const struct random_features *f,
                         uint32_t n, uint32_t resource)
{
    uint32_t second = dice_below(dice, f->resources);
    if (resource == SL_NONE)
        return;
    bool several = f->multi && dice_chance(dice, 40);
    lab_demand(lab, n, resource, several ? draw_units(lab, dice, resource, 3) : 1);
    if (f->multi && second != resource && dice_chance(dice, 30))
        lab_demand(lab, n, second, draw_units(lab, dice, second, 2));
}

static void give_guards(struct lab *lab, struct dice *dice, uint32_t n)
{
    uint32_t first = dice_below(dice, RANDOM_GUARDS);
    lab_guard(lab, n, first, dice_chance(dice, 30));
    if (dice_chance(dice, 30))
        lab_guard(lab, n, (first + 1) % RANDOM_GUARDS, dice_chance(dice, 50));
}

static void build_node(struct lab *lab, struct dice *dice, const struct random_features *f,
                       uint32_t i)
{
    static const char *const lanes[] = {"l0", "l1"};
    char name[16], text[64];
    snprintf(name, sizeof name, "n%u", i);
    describe_duration(dice, f, text);
    uint32_t resource = dice_chance(dice, 92) ? dice_below(dice, f->resources) : SL_NONE;
    uint32_t n = lab_node(lab, name, dice_chance(dice, 90) ? text : NULL, SL_NONE);
    give_demands(lab, dice, f, n, resource);
    struct sl_node *node = &LAB_NODE(lab, n);
    if (dice_chance(dice, 15))
        node->kind = SL_BARRIER; /* edges of type data from it count as barrier edges */
    node->klass = dice_chance(dice, 85) ? dice_below(dice, f->classes) : SL_NONE;
    node->priority = dice_below(dice, 3);
    if (dice_chance(dice, 60))
        node->deadline_ps = (int64_t)dice_below(dice, 20) * f->unit;
    if (dice_chance(dice, 20))
        node->release_ps = (int64_t)dice_below(dice, 10) * f->unit;
    if (dice_chance(dice, 25))
        node->lane = sl_names_add(&lab->graph->lane_names, lanes[dice_below(dice, 2)]);
    if (f->latency && dice_chance(dice, 40))
        node->latency_scale = dice_chance(dice, 50) ? 1 : 0.5;
    if (f->guards && dice_chance(dice, 25))
        give_guards(lab, dice, n);
    if (f->capacity && dice_chance(dice, f->all ? 60 : 40))
        lab_workspace(lab, n, dice_below(dice, f->domains), (f->all ? 2 : 1) + dice_below(dice, 5));
}

/* Holdings taken by one node and given back by a later one: some graphs deadlock. */
static void build_holdings(struct lab *lab, struct dice *dice, const struct random_features *f)
{
    uint32_t most = f->all ? f->nodes / 4 : 2 * f->nodes / 3;
    uint32_t count = f->capacity ? dice_below(dice, most + 1) : 0;
    int64_t initial[2] = {0, 0};
    for (uint32_t k = 0; k < count; k++) {
        uint32_t domain = dice_below(dice, f->domains);
        int64_t bytes = 1 + dice_below(dice, 5);
        bool start = dice_chance(dice, 10) && initial[domain] + bytes < 4;
        if (start)
            initial[domain] += bytes + 1;
        uint32_t h = lab_holding(lab, dice_chance(dice, 30) ? SL_HOLD_STAGING : SL_HOLD_OBJECT,
                                 domain, bytes, start);
        uint32_t taker = dice_below(dice, f->nodes);
        uint32_t giver = taker + dice_below(dice, f->nodes - taker);
        if (!start || dice_chance(dice, 30))
            lab_takes(lab, taker, h);
        /* What is there at the start of every iteration stays. */
        if (dice_chance(dice, 95) && !(start && f->iterations > 1))
            lab_gives(lab, giver, h);
    }
}

static void build_guards(struct lab *lab, struct dice *dice)
{
    static const enum sl_scope scopes[] = {SL_SCOPE_NODE, SL_SCOPE_JOB, SL_SCOPE_ITERATION};
    const struct sl_guard guards[RANDOM_GUARDS] = {
        {.name = "always", .probability = 1, .scope = SL_SCOPE_JOB},
        {.name = "never", .probability = 0, .scope = SL_SCOPE_JOB},
        {.name = "maybe", .probability = 0.5, .scope = scopes[dice_below(dice, 3)]}};
    struct sl_graph *graph = lab->graph;
    ck_assert(
        sl_grow((void **)&graph->guards, &graph->guard_capacity, RANDOM_GUARDS, sizeof *guards));
    memcpy(graph->guards, guards, sizeof guards);
    graph->guard_count = RANDOM_GUARDS;
}

static void build_edges(struct lab *lab, struct dice *dice, const struct random_features *f)
{
    for (uint32_t i = 1; i < f->nodes; i++)
        for (uint32_t k = dice_below(dice, 3); k > 0; k--) {
            uint32_t from = dice_below(dice, i);
            lab_edge_typed(lab, from, i, (enum sl_edge_type)dice_below(dice, SL_EDGE_TYPES),
                           dice_chance(dice, 15) ? (int64_t)dice_below(dice, 4) * f->unit : 0);
        }
    for (uint32_t k = f->iterations > 1 ? dice_below(dice, 5) : dice_chance(dice, 30); k > 0; k--) {
        struct sl_edge edge = {.from = {dice_below(dice, f->nodes)},
                               .to = {dice_below(dice, f->nodes)},
                               .object = {SL_NONE}};
        edge.type = (enum sl_edge_type)dice_below(dice, SL_EDGE_TYPES);
        edge.lag_ps = dice_chance(dice, 30) ? (int64_t)dice_below(dice, 4) * f->unit : 0;
        edge.next = 1 + dice_below(dice, 2);
        LAB_OK(lab, sl_graph_add_edge(lab->graph, &edge, &lab->err));
    }
}

static void build_overlaps(struct lab *lab, struct dice *dice, const struct random_features *f)
{
    static const char *const some[] = {"x", "y", "n1", "n2", "n3"};
    struct sl_graph *graph = lab->graph;
    for (uint32_t k = 0; f->overlap && k < (f->windows ? 4u : 2u); k++) {
        struct sl_overlap row = {.latest_ps = INT64_MAX};
        row.a = some[dice_below(dice, 5)];
        row.b = some[dice_below(dice, 5)];
        if (f->windows && dice_chance(dice, 70)) {
            row.allowed = true;
            row.earliest_ps = (int64_t)dice_below(dice, 16) * f->unit;
            if (dice_chance(dice, 60))
                row.latest_ps = row.earliest_ps + (int64_t)dice_below(dice, 8) * f->unit;
        }
        ck_assert(sl_grow((void **)&graph->overlaps, &graph->overlap_capacity, k + 1, sizeof row));
        graph->overlaps[graph->overlap_count++] = row;
    }
}

void random_graph_make(struct lab *lab, uint64_t seed, struct random_features *features)
{
    struct dice dice = {.state = UINT64_C(0x9e3779b97f4a7c15) * (seed + 1)};
    struct random_features *f = features;
    *f = draw_features(&dice);
    build_platform(lab, &dice, f);
    lab_graph(lab);
    if (f->guards)
        build_guards(lab, &dice);
    for (uint32_t i = 0; i < f->nodes; i++)
        build_node(lab, &dice, f, i);
    build_edges(lab, &dice, f);
    build_holdings(lab, &dice, f);
    for (uint32_t k = 0; f->guards && k < 3; k++) { /* a fallback comes later: no rings */
        uint32_t i = dice_below(&dice, f->nodes - 1);
        LAB_NODE(lab, i).fallback.i = i + 1 + dice_below(&dice, f->nodes - i - 1);
    }
    build_overlaps(lab, &dice, f);
    if (f->orders && dice_chance(&dice, 20)) {
        lab->options.dispatch_given = true;
        lab->options.dispatch = (enum sl_order)dice_below(&dice, SL_ORDER_ISSUE + 1);
    }
}
