/* Steps in which copies move, end and are made again, and the growth of a whole graph. */
#include <config.h>

#include "random_lives.h"
#include "random_steps.h"

static unsigned move(struct maker *m, unsigned o, enum sl_node_kind kind, bool home)
{
    unsigned n = maker_emit(m, maker_chance(m, 25) ? SL_TRANSFER : kind, home ? "fetch" : "evict");
    struct draft_node *node = &m->draft->nodes[n];
    node->object = o;
    node->from = home ? PINNED : HBM;
    node->to = home ? HBM : PINNED;
    node->resource = SL_NONE; /* the route's engine */
    if (m->lanes == FREE_LANES)
        maker_enter_lane(m, n);
    if (maker_chance(m, 30)) {
        node->staging[PINNED] = 8 * (1 + maker_below(m, 4));
        if (m->stager == SL_NONE && maker_chance(m, 60))
            m->stager = n;
    }
    return n;
}

static bool is_evictable(const struct maker *m, unsigned o)
{
    const struct life *life = &m->lives[o];
    const char *placements = m->draft->objects[o].placements;
    return life->written_out && maker_can_read(m, o) && !life->away && !life->hidden &&
           (!placements || strstr(placements, "pinned"));
}

static bool evict(struct maker *m)
{
    unsigned o = maker_pick(m, is_evictable);
    if (o == SL_NONE)
        return false;
    struct life *life = &m->lives[o];
    unsigned n = move(m, o, SL_OFFLOAD, false);
    maker_need_all(m, &life->writers, n, SL_EDGE_DATA, o, true);
    maker_need(m, life->ended_away, n, SL_EDGE_STORAGE, o, true);
    draft_list_add(&life->users, n);
    life->away_users.count = 0;
    draft_list_add(&life->away_users, n);
    life->away = life->frozen = life->owed = true;
    return true;
}

static unsigned reclaim(struct maker *m, unsigned o, unsigned domain)
{
    struct life *life = &m->lives[o];
    unsigned n = maker_emit(m, SL_RECLAMATION, "reclaim");
    m->draft->nodes[n].object = o;
    m->draft->nodes[n].from = domain == HBM && maker_chance(m, 50) ? SL_NONE : domain;
    struct draft_list *users = domain == HBM ? &life->users : &life->away_users;
    maker_need_all(m, users, n, SL_EDGE_LIFETIME, o, true);
    users->count = 0;
    m->reclaimed = n;
    return n;
}

/* The value can be computed once more: every input is there and unchanged. */
static bool is_repeatable(const struct maker *m, unsigned o)
{
    const struct life *life = &m->lives[o];
    if (life->maker == SL_NONE || m->draft->nodes[life->maker].outputs.count != 1)
        return false;
    const struct draft_list *inputs = &m->draft->nodes[life->maker].inputs;
    for (unsigned i = 0; i < inputs->count; i++) {
        unsigned input = draft_root(m->draft, inputs->items[i]);
        if (!maker_can_read(m, input) || input == o ||
            m->lives[input].version != life->maker_versions[i])
            return false;
    }
    return true;
}

static bool is_reclaimable(const struct maker *m, unsigned o)
{
    const struct life *life = &m->lives[o];
    bool lasts_elsewhere = life->away && m->draft->objects[o].initial == PINNED;
    return life->stage == VALID && life->written_out && !life->unread &&
           (!m->draft->objects[o].persist || lasts_elsewhere) && life->users.count > 1;
}

static void end_at_home(struct maker *m, unsigned o)
{
    struct life *life = &m->lives[o];
    life->ended = reclaim(m, o, HBM);
    life->stage = life->away ? AWAY : life->maker != SL_NONE ? DROPPED : GONE;
    life->room = SL_NONE;
    life->mapped = false;
    life->writers.count = 0;
}

static bool drop(struct maker *m)
{
    unsigned o = maker_pick(m, is_reclaimable);
    if (o == SL_NONE)
        return false;
    end_at_home(m, o);
    return true;
}

static bool is_away(const struct maker *m, unsigned o)
{
    return m->lives[o].stage == AWAY && m->lives[o].away_users.count + 2 < DRAFT_LIST;
}

static bool fetch(struct maker *m)
{
    unsigned o = maker_pick(m, is_away);
    if (o == SL_NONE)
        return false;
    struct life *life = &m->lives[o];
    if (maker_chance(m, 30))
        step_make_room(m, o);
    unsigned n = move(m, o, SL_PREFETCH, true);
    step_follow_reclamation(m, n);
    maker_need(m, life->room, n, SL_EDGE_STORAGE, o, true);
    maker_need(m, life->ended, n, SL_EDGE_STORAGE, o, true);
    if (life->away_users.count)
        maker_need(m, life->away_users.items[0], n, SL_EDGE_DATA, o, true);
    draft_list_add(&life->away_users, n);
    draft_list_add(&life->writers, n);
    draft_list_add(&life->users, n);
    life->stage = VALID;
    life->unread = true;
    life->owed = false;
    return true;
}

static bool is_twice(const struct maker *m, unsigned o)
{
    return m->lives[o].written_out && m->lives[o].away && !m->lives[o].owed &&
           m->lives[o].stage == VALID && !m->draft->objects[o].persist;
}

static bool drop_away(struct maker *m)
{
    unsigned o = maker_pick(m, is_twice);
    if (o == SL_NONE)
        return false;
    m->lives[o].ended_away = reclaim(m, o, PINNED);
    m->lives[o].away = false;
    return true;
}

static bool is_remakable(const struct maker *m, unsigned o)
{
    const struct life *life = &m->lives[o];
    bool dropped = life->written_out
                       ? life->stage == DROPPED
                       : life->stage == VALID && maker_can_read(m, o) && !life->frozen;
    return dropped && !life->hidden && is_repeatable(m, o);
}

static bool remake(struct maker *m)
{
    unsigned o = maker_pick(m, is_remakable);
    if (o == SL_NONE)
        return false;
    struct life *life = &m->lives[o];
    unsigned n, first = life->maker;
    if (life->written_out && maker_chance(m, 30))
        step_make_room(m, o);
    n = maker_emit(m, SL_REMATERIALIZATION, "remake");
    maker_give_work(m, n);
    struct draft_list inputs = m->draft->nodes[first].inputs;
    for (unsigned i = 0; i < inputs.count; i++)
        maker_read(m, n, draft_root(m->draft, inputs.items[i]));
    maker_write(m, n, o, SL_NONE);
    life->version--; /* the same value */
    life->maker = m->draft->objects[o].reconstruct = first;
    life->unread = true;
    return true;
}

/* ---- whole graphs ---------------------------------------------------------------------------- */

static bool is_unread(const struct maker *m, unsigned o)
{
    return m->lives[o].unread && m->lives[o].stage == VALID;
}

static bool read_moved(struct maker *m)
{
    unsigned o = maker_pick(m, is_unread);
    if (o == SL_NONE)
        return false;
    unsigned n = maker_emit(m, SL_COMPUTE, "consume");
    maker_give_work(m, n);
    maker_read(m, n, o);
    maker_read_some(m, n, 1 + maker_below(m, 2));
    return true;
}

/* Whoever comes next, unless it may not run, ends the staging that still waits for its end. */
static void end_staging(struct maker *m)
{
    unsigned n = m->draft->node_count - 1;
    if (m->stager == SL_NONE || n <= m->stager || m->draft->nodes[n].guard != SL_NONE)
        return;
    maker_need(m, m->stager, n, SL_EDGE_DATA, SL_NONE, true);
    m->draft->nodes[m->stager].staging_until = n;
    m->stager = SL_NONE;
}

static void add_object(struct maker *m)
{
    static const char *const placements[] = {NULL, "hbm;pinned", "hbm"};
    char name[DRAFT_NAME];
    unsigned o = m->draft->object_count;
    snprintf(name, sizeof name, "x%u", o);
    draft_object(m->draft, name, 8 * (1 + maker_below(m, 32)));
    struct draft_object *object = &m->draft->objects[o];
    struct life *life = &m->lives[o];
    *life = (struct life){.room = SL_NONE,
                          .alias = SL_NONE,
                          .ended = SL_NONE,
                          .ended_away = SL_NONE,
                          .maker = SL_NONE};
    object->placements = placements[maker_below(m, 3)];
    if (maker_chance(m, 15)) { /* weights, at home */
        object->initial = HBM;
        object->persist = maker_chance(m, 70);
        life->stage = VALID;
        life->frozen = maker_chance(m, 70);
    } else if (maker_chance(
                   m, 12)) { /* in host memory at first; brought by policies or by the graph */
        object->initial = PINNED;
        object->placements = maker_chance(m, 50) ? NULL : "hbm;pinned";
        life->written_out = m->lanes == FREE_LANES || maker_chance(m, 70);
        life->stage = life->written_out ? AWAY : VALID;
        life->away = life->frozen = true;
        object->persist = maker_chance(m, 50);
    } else {
        life->written_out = maker_chance(m, 50);
        object->persist = maker_chance(m, 5);
    }
    if (maker_chance(m, 25) && m->draft->object_count < DRAFT_OBJECTS) {
        snprintf(name, sizeof name, "v%u", o);
        life->alias = draft_object(m->draft, name, object->mib);
        m->draft->objects[life->alias].alias_of = o;
        m->lives[life->alias] = (struct life){.stage = GONE};
    }
}

/* Every life that is written out ends: fetched, read and reclaimed in every place. */
static void end_lives(struct maker *m)
{
    for (unsigned o = 0; o < m->draft->object_count; o++)
        if (m->lives[o].owed && m->lives[o].stage == VALID && !m->draft->objects[o].persist)
            end_at_home(m, o);
    while (step_fill(m) || fetch(m) || read_moved(m))
        end_staging(m);
    for (unsigned o = 0; o < m->draft->object_count; o++) {
        struct life *life = &m->lives[o];
        if (!life->written_out || m->draft->objects[o].persist)
            continue;
        if (life->stage == VALID)
            end_at_home(m, o);
        if (life->away)
            reclaim(m, o, PINNED);
    }
    end_staging(m);
    if (m->barrier_owes == 2) /* nobody came after it */
        m->barrier_owes = 0;
}

void random_lives_grow(struct maker *m, unsigned objects, unsigned nodes)
{
    static const struct {
        unsigned weight;
        bool (*take)(struct maker *m);
    } steps[] = {{8, step_allocate},
                 {5, step_map},
                 {14, step_fill},
                 {4, step_fill_either_way},
                 {4, step_fill_with_fallback},
                 {14, step_read_only},
                 {6, step_update},
                 {3, step_guarded_pair},
                 {5, step_barrier},
                 {6, evict},
                 {10, drop},
                 {9, fetch},
                 {4, drop_away},
                 {8, remake},
                 {6, read_moved}};
    m->barrier = m->reclaimed = m->stager = SL_NONE;
    m->barrier_owes = 0;
    while (m->draft->object_count < objects)
        add_object(m);
    while (m->draft->node_count < nodes) {
        unsigned at = 0, drawn = maker_below(m, 106);
        while (drawn >= steps[at].weight)
            drawn -= steps[at++].weight;
        if (steps[at].take(m))
            end_staging(m);
    }
    end_lives(m);
}
