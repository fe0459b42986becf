/* What steps of lives are made of: nodes, the edges that they need, reading and writing. */
#include <config.h>

#include "random_maker.h"

unsigned maker_below(struct maker *m, unsigned bound)
{
    return dice_below(&m->dice, bound);
}

bool maker_chance(struct maker *m, unsigned percent)
{
    return dice_chance(&m->dice, percent);
}

/* ---- nodes and edges ------------------------------------------------------------------------- */

static int64_t mean_ns(const struct draft *draft, const struct draft_node *node)
{
    if (!sl_node_moves(node->kind))
        return node->shape == TAKES_NO_TIME ? 0 : node->mean_ns;
    return DRAFT_OVERHEAD_NS + DRAFT_LATENCY_NS +
           (int64_t)draft->objects[node->object].mib * 1000000 / DRAFT_BANDWIDTH_MIB_PER_MS;
}

int64_t maker_end_ns(const struct maker *m, unsigned node)
{
    return m->start_ns[node] + mean_ns(m->draft, &m->draft->nodes[node]);
}

int64_t maker_total_ns(const struct maker *m)
{
    int64_t total = 0, release = 0;
    for (unsigned i = 0; i < m->draft->node_count; i++) {
        total += mean_ns(m->draft, &m->draft->nodes[i]);
        if (m->draft->nodes[i].release_ns > release)
            release = m->draft->nodes[i].release_ns;
    }
    for (unsigned e = 0; e < m->draft->edge_count; e++)
        total += m->draft->edges[e].lag_ns;
    return total + release;
}

static void come_after(struct maker *m, unsigned from, unsigned to, int64_t lag_ns)
{
    int64_t start = maker_end_ns(m, from) + lag_ns;
    if (start > m->start_ns[to])
        m->start_ns[to] = start;
}

/* Who follows a cancelled node does not follow what that one would have waited for. */
static void order(struct maker *m, unsigned from, unsigned to)
{
    m->before[to][from] = true;
    for (unsigned k = 0; k < from && !m->cancellable[from]; k++)
        m->before[to][k] |= m->before[from][k];
}

void maker_join(struct maker *m, unsigned from, unsigned to, enum sl_edge_type type,
                unsigned object)
{
    draft_edge(m->draft, from, to, type, object);
    int64_t *lag = &m->draft->edges[m->draft->edge_count - 1].lag_ns;
    if (maker_chance(m, 5))
        *lag = 1000 * (1 + maker_below(m, 500));
    come_after(m, from, to, *lag);
    order(m, from, to);
}

/* `to` must follow `from`.  What stated edges imply need not be said, and what is not `stated`
 * planning adds. */
void maker_need(struct maker *m, unsigned from, unsigned to, enum sl_edge_type type,
                unsigned object, bool stated)
{
    if (from == to || from == SL_NONE)
        return;
    if ((m->before[to][from] && maker_chance(m, 60)) || (!stated && maker_chance(m, 40)))
        come_after(m, from, to, 0);
    else
        maker_join(m, from, to, type, object);
}

void maker_need_all(struct maker *m, const struct draft_list *list, unsigned to,
                    enum sl_edge_type type, unsigned object, bool stated)
{
    for (unsigned i = 0; i < list->count; i++) {
        bool barrier = m->draft->nodes[list->items[i]].kind == SL_BARRIER;
        maker_need(m, list->items[i], to, barrier ? SL_EDGE_BARRIER : type, object, stated);
    }
}

unsigned maker_emit(struct maker *m, enum sl_node_kind kind, const char *word)
{
    char name[DRAFT_NAME];
    snprintf(name, sizeof name, "%.12s.%u", word, m->draft->node_count);
    unsigned n = draft_node(m->draft, kind, name);
    m->start_ns[n] = 0;
    if (m->barrier_owes && kind != SL_BARRIER && maker_chance(m, 70)) {
        maker_join(m, m->barrier, n, SL_EDGE_BARRIER, SL_NONE);
        m->barrier_owes--;
    }
    unsigned before = maker_below(m, n + 1); /* n: nobody */
    if (before < n && maker_chance(m, 6) && !m->cancellable[before])
        maker_join(m, before, n, SL_EDGE_ORDERING, SL_NONE);
    return n;
}

void maker_enter_lane(struct maker *m, unsigned n)
{
    static const char *const of_resource[DRAFT_RESOURCES] = {"step", NULL, "host", "in", "out"};
    static const char *const free_lanes[] = {"s0", "s1", "s2"};
    struct draft_node *node = &m->draft->nodes[n];
    if (m->lanes == ONE_LANE_EACH && node->resource != SL_NONE && maker_chance(m, 60))
        node->lane = of_resource[node->resource];
    else if (m->lanes == FREE_LANES && maker_chance(m, 60))
        node->lane = free_lanes[maker_below(m, 3)];
    for (unsigned k = n; node->lane && k-- > 0;)
        if (m->draft->nodes[k].lane && strcmp(m->draft->nodes[k].lane, node->lane) == 0) {
            come_after(m, k, n, 0);
            order(m, k, n);
            break;
        }
}

/* Resources, class, duration, workspace and the like of a node that computes. */
void maker_give_work(struct maker *m, unsigned n)
{
    static const char *const classes[] = {"gemm", "attn", NULL};
    static const enum draft_shape shapes[] = {CONSTANT,  CONSTANT,    UNIFORM,
                                              LOGNORMAL, EXPONENTIAL, TAKES_NO_TIME};
    static const int64_t scales[] = {10000, 100000, 1000000};
    struct draft_node *node = &m->draft->nodes[n];
    if (maker_chance(m, 95))
        node->resource = maker_chance(m, 65) ? GPU : maker_chance(m, 60) ? AUX : CPU;
    unsigned servers = node->resource == SL_NONE ? 1 : m->draft->resources[node->resource].servers;
    node->units = servers > 1 && maker_chance(m, 20) ? 1 + maker_below(m, servers) : 1;
    if (node->resource == GPU && maker_chance(m, 10))
        node->second = CPU;
    node->klass = classes[maker_below(m, 3)];
    node->shape = shapes[maker_below(m, 6)];
    node->mean_ns = scales[maker_below(m, 3)] * (1 + maker_below(m, 9));
    if (maker_chance(m, 25))
        node->workspace[maker_chance(m, 80) ? HBM : PINNED] = 16 * (1 + maker_below(m, 8));
    node->priority = (int)maker_below(m, 4);
    if (maker_chance(m, 6)) {
        node->release_ns = 100000 * (1 + maker_below(m, 20));
        if (node->release_ns > m->start_ns[n])
            m->start_ns[n] = node->release_ns;
    }
    maker_enter_lane(m, n);
}

/* ---- reading and writing --------------------------------------------------------------------- */

bool maker_can_read(const struct maker *m, unsigned o)
{
    const struct life *life = &m->lives[o];
    return life->stage == VALID && !life->hidden && life->users.count + 3 < DRAFT_LIST;
}

void maker_read(struct maker *m, unsigned n, unsigned o)
{
    struct life *life = &m->lives[o];
    struct draft_list *inputs = &m->draft->nodes[n].inputs;
    maker_need_all(m, &life->writers, n, SL_EDGE_DATA, o, life->written_out);
    draft_list_add(inputs, life->alias != SL_NONE && maker_chance(m, 40) ? life->alias : o);
    draft_list_add(&life->users, n);
    life->unread = false;
}

static bool reads(const struct maker *m, unsigned n, unsigned o)
{
    const struct draft_node *node = &m->draft->nodes[n];
    for (unsigned i = 0; i < node->inputs.count; i++)
        if (draft_root(m->draft, node->inputs.items[i]) == o)
            return true;
    return false;
}

/* Reads up to `most` further objects. */
void maker_read_some(struct maker *m, unsigned n, unsigned most)
{
    for (unsigned tries = 3 * most; tries-- > 0 && m->draft->nodes[n].inputs.count < most;) {
        unsigned o = maker_below(m, m->draft->object_count);
        if (maker_can_read(m, o) && !reads(m, n, o))
            maker_read(m, n, o);
    }
}

/* A writer follows the users of what it overwrites; rows tell so only where both use one name. */
static void need_user(struct maker *m, unsigned user, unsigned writer, unsigned o)
{
    const struct life *life = &m->lives[o];
    bool two_names =
        life->alias != SL_NONE && draft_list_has(&m->draft->nodes[user].inputs, life->alias);
    const struct draft_list one = {1, {user}};
    maker_need_all(m, &one, writer, SL_EDGE_ORDERING, o, life->written_out || two_names);
}

/* The node makes a new value at home.  `besides` is another node that does so in its stead. */
void maker_write(struct maker *m, unsigned n, unsigned o, unsigned besides)
{
    struct life *life = &m->lives[o];
    draft_list_add(&m->draft->nodes[n].outputs, o);
    maker_need(m, life->room, n, SL_EDGE_STORAGE, o, true);
    maker_need(m, life->ended, n, SL_EDGE_STORAGE, o, true);
    if (besides == SL_NONE) {
        for (unsigned i = 0; i < life->users.count; i++)
            need_user(m, life->users.items[i], n, o);
        life->writers.count = life->users.count = 0;
    }
    draft_list_add(&life->writers, n);
    draft_list_add(&life->users, n);
    life->stage = VALID;
    life->version++;
    life->maker = SL_NONE;
    m->draft->objects[o].reconstruct = SL_NONE;
}

void maker_note(struct maker *m, unsigned n, unsigned o)
{
    struct life *life = &m->lives[o];
    const struct draft_list *inputs = &m->draft->nodes[n].inputs;
    life->maker = n;
    for (unsigned i = 0; i < inputs->count; i++)
        life->maker_versions[i] = m->lives[draft_root(m->draft, inputs->items[i])].version;
    m->draft->objects[o].reconstruct = n;
    m->draft->objects[o].equivalence = maker_chance(m, 50) ? "bitwise" : "tolerance";
}

/* A random object for which `fits` holds; SL_NONE. */
unsigned maker_pick(struct maker *m, bool (*fits)(const struct maker *m, unsigned object))
{
    unsigned count = m->draft->object_count, first = maker_below(m, count);
    for (unsigned k = 0; k < count; k++)
        if (m->draft->objects[(first + k) % count].alias_of == SL_NONE &&
            fits(m, (first + k) % count))
            return (first + k) % count;
    return SL_NONE;
}
