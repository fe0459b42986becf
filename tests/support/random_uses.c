/* Steps in which nodes allocate, compute, read and meet; see random_lives.h. */
#include <config.h>

#include "random_steps.h"

static bool is_unborn_written_out(const struct maker *m, unsigned o)
{
    return m->lives[o].stage == UNBORN && m->lives[o].written_out;
}

static bool is_fillable(const struct maker *m, unsigned o)
{
    const struct life *life = &m->lives[o];
    return life->written_out ? life->stage == ROOM : life->stage == UNBORN;
}

void step_follow_reclamation(struct maker *m, unsigned n)
{
    if (m->reclaimed != SL_NONE && maker_chance(m, 40))
        maker_join(m, m->reclaimed, n, SL_EDGE_CAPACITY, m->draft->nodes[m->reclaimed].object);
}

void step_make_room(struct maker *m, unsigned o)
{
    struct life *life = &m->lives[o];
    unsigned n = maker_emit(m, SL_ALLOCATION, "alloc");
    m->draft->nodes[n].object = o;
    m->draft->nodes[n].to = maker_chance(m, 50) ? HBM : SL_NONE;
    step_follow_reclamation(m, n);
    maker_need(m, life->ended, n, SL_EDGE_STORAGE, o, true);
    draft_list_add(&life->users, n);
    life->room = n;
}

bool step_allocate(struct maker *m)
{
    unsigned o = maker_pick(m, is_unborn_written_out);
    if (o == SL_NONE)
        return false;
    step_make_room(m, o);
    m->lives[o].stage = ROOM;
    return true;
}

static bool is_mappable(const struct maker *m, unsigned o)
{
    return m->lives[o].stage == ROOM && !m->lives[o].mapped;
}

bool step_map(struct maker *m)
{
    unsigned o = maker_pick(m, is_mappable);
    if (o == SL_NONE)
        return false;
    struct life *life = &m->lives[o];
    unsigned n = maker_emit(m, SL_MAPPING, "map");
    struct draft_node *node = &m->draft->nodes[n];
    node->object = o;
    node->to = m->draft->nodes[life->room].to;
    node->shape = CONSTANT;
    node->mean_ns = 5000;
    maker_need(m, life->room, n, SL_EDGE_STORAGE, o, true);
    draft_list_add(&life->users, n);
    life->room = n;
    life->mapped = true;
    return true;
}

bool step_fill(struct maker *m)
{
    unsigned o = maker_pick(m, is_fillable);
    if (o == SL_NONE)
        return false;
    unsigned n = maker_emit(m, SL_COMPUTE, "fill");
    maker_give_work(m, n);
    maker_read_some(m, n, maker_below(m, 4));
    maker_write(m, n, o, SL_NONE);
    if (maker_chance(m, 60))
        maker_note(m, n, o);
    return true;
}

static void guard(struct maker *m, unsigned n, unsigned which, bool negated, const char *layer)
{
    m->draft->nodes[n].guard = which;
    m->draft->nodes[n].guard_negated = negated;
    m->draft->nodes[n].layer = layer;
}

/* Two nodes of complementary guards make one value. */
bool step_fill_either_way(struct maker *m)
{
    static const char *const layers[] = {"L0", "L1"};
    unsigned o = maker_pick(m, is_fillable);
    if (o == SL_NONE)
        return false;
    unsigned which = maker_chance(m, 50) ? 0 : 1, first = SL_NONE;
    const char *layer = which == 1 ? layers[maker_below(m, 2)] : NULL;
    for (unsigned k = 0; k < 2; k++) {
        unsigned n = maker_emit(m, SL_COMPUTE, k ? "miss" : "hit");
        maker_give_work(m, n);
        guard(m, n, which, k == 1, layer);
        maker_read_some(m, n, maker_below(m, 3));
        maker_write(m, n, o, first);
        m->lives[o].hidden = k == 0;
        first = n;
    }
    return true;
}

/* A deadline that is met, missed or certain to be missed, but not before the precedence bound. */
static int64_t fallback_deadline(struct maker *m, unsigned n)
{
    return maker_end_ns(m, n) + 1000 * (1 + maker_below(m, maker_chance(m, 50) ? 100 : 20000));
}

/* A node, and one or two that stand by to make its value. */
bool step_fill_with_fallback(struct maker *m)
{
    unsigned o = maker_pick(m, is_fillable);
    if (o == SL_NONE)
        return false;
    unsigned first = SL_NONE, count = 2 + maker_chance(m, 25);
    for (unsigned k = 0; k < count; k++) {
        unsigned n = maker_emit(m, SL_COMPUTE, k ? "standby" : "primary");
        m->cancellable[n] = k + 1 < count;
        maker_give_work(m, n);
        maker_read_some(m, n, maker_below(m, 3));
        maker_write(m, n, o, first);
        m->lives[o].hidden = k + 1 < count;
        if (first != SL_NONE)
            m->draft->nodes[first].fallback = n;
        first = n;
        if (k + 1 == count)
            break;
        if (k == 0 && maker_chance(m, 30))
            guard(m, n, 0, maker_chance(m, 50), NULL);
        if (m->draft->nodes[n].guard == SL_NONE || maker_chance(m, 50))
            m->draft->nodes[n].deadline_ns = fallback_deadline(m, n);
    }
    return true;
}

/* Keeps a copy that somebody used until the node has ended. */
static void hold(struct maker *m, unsigned n)
{
    unsigned o = maker_pick(m, maker_can_read);
    if (o == SL_NONE || m->lives[o].users.count == 0)
        return;
    unsigned user = m->lives[o].users.items[m->lives[o].users.count - 1];
    if (user == n || m->cancellable[user])
        return;
    maker_join(m, user, n, SL_EDGE_LIFETIME, o);
    draft_list_add(&m->lives[o].users, n);
}

bool step_read_only(struct maker *m)
{
    unsigned n = maker_emit(m, SL_COMPUTE, "read");
    maker_give_work(m, n);
    maker_read_some(m, n, 1 + maker_below(m, 3));
    if (maker_chance(m, 15))
        hold(m, n);
    if (maker_chance(m, 20)) /* speculative work */
        guard(m, n, maker_chance(m, 50) ? 0 : 2, maker_chance(m, 50), NULL);
    return true;
}

static bool is_updatable(const struct maker *m, unsigned o)
{
    return maker_can_read(m, o) && !m->lives[o].frozen;
}

bool step_update(struct maker *m)
{
    unsigned o = maker_pick(m, is_updatable);
    if (o == SL_NONE)
        return false;
    unsigned n = maker_emit(m, SL_COMPUTE, "update");
    maker_give_work(m, n);
    maker_read(m, n, o);
    maker_read_some(m, n, 1 + maker_below(m, 2));
    maker_write(m, n, o, SL_NONE);
    if (maker_chance(m, 20))
        guard(m, n, 0, maker_chance(m, 50), NULL);
    return true;
}

/* A value that is made and used only where a guard holds. */
bool step_guarded_pair(struct maker *m)
{
    if (m->draft->object_count == DRAFT_OBJECTS)
        return false;
    char name[DRAFT_NAME];
    snprintf(name, sizeof name, "h%u", m->draft->object_count);
    unsigned o = draft_object(m->draft, name, 8 * (1 + maker_below(m, 16)));
    m->lives[o] = (struct life){.hidden = true,
                                .room = SL_NONE,
                                .alias = SL_NONE,
                                .ended = SL_NONE,
                                .ended_away = SL_NONE,
                                .maker = SL_NONE};
    bool negated = maker_chance(m, 50);
    for (unsigned k = 0; k < 2; k++) {
        unsigned n = maker_emit(m, SL_COMPUTE, k ? "use" : "expert");
        maker_give_work(m, n);
        guard(m, n, 0, negated, NULL);
        maker_read_some(m, n, maker_below(m, 3));
        if (k == 0)
            maker_write(m, n, o, SL_NONE);
        else
            maker_read(m, n, o);
    }
    m->lives[o].stage = GONE;
    return true;
}

static bool is_protectable(const struct maker *m, unsigned o)
{
    return maker_can_read(m, o) && m->lives[o].written_out;
}

/* Two or more nodes meet before two or more others; it may protect an object until then. */
bool step_barrier(struct maker *m)
{
    unsigned nodes = m->draft->node_count;
    if (m->barrier_owes || nodes < 4)
        return false;
    unsigned o = maker_chance(m, 40) ? maker_pick(m, is_protectable) : SL_NONE;
    unsigned n = maker_emit(m, SL_BARRIER, "barrier");
    for (unsigned k = 1; k <= 3 && k <= n; k++)
        maker_join(m, n - k, n, SL_EDGE_BARRIER, SL_NONE);
    if (o != SL_NONE) {
        m->draft->nodes[n].object = o;
        maker_need_all(m, &m->lives[o].writers, n, SL_EDGE_DATA, o, true);
        draft_list_add(&m->lives[o].users, n);
    }
    m->barrier = n;
    m->barrier_owes = 2;
    return true;
}
