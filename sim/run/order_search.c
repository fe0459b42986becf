/* The genetic search over lists.  A member is a list and what its schedule scores; children take a
 * stretch of one parent and the rest in the order of the other, and the worst member gives way. */
#include "order_search.h"
#include "order_scheme.h"
#include "text.h"
#include <Random123/philox.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS     80
#define SPREADS     8   /* sizes of the noise of first lists */
#define IDLE        100 /* lists in a row without a better member: the search starts anew */
#define PROGRESS    128 /* schedules between two calls */
#define SWAP_CHANCE 20  /* one in so many neighbours of a child's list is swapped */

struct score {
    int64_t tardiness_ps, makespan_ps;
};

struct member {
    uint32_t *list;
    struct score score;
    uint64_t hash; /* of the starts: two members never have the same schedule */
};

struct key {
    int64_t time;
    uint32_t tie, node;
};

struct search {
    const struct sl_order_options *options;
    struct sl_order_model model, turned;
    struct sl_order_scheme forward, backward;
    struct member members[MEMBERS];
    uint32_t member_count, idle;
    int64_t *head_ps, *latest_ps;
    struct key *keys;
    uint32_t *list, *rank;
    bool *taken;
    int64_t *found; /* starts of the last schedule that was asked for */
    struct sl_order_schedule *order;
    struct score best;
    uint64_t key, draws;
    bool stopped;
    struct sl_arena arena;
};

/* ---- random choices ------------------------------------------------------------------------- */

static uint32_t draw_below(struct search *s, uint32_t bound)
{
    philox4x32_key_t key = {{(uint32_t)s->key, (uint32_t)(s->key >> 32)}};
    philox4x32_ctr_t counter = {{(uint32_t)s->draws, (uint32_t)(s->draws >> 32), 0, 0}};
    s->draws++;
    return (uint32_t)((uint64_t)philox4x32(counter, key).v[0] * bound >> 32);
}

/* ---- scores --------------------------------------------------------------------------------- */

static int compare_scores(struct score a, struct score b)
{
    if (a.tardiness_ps != b.tardiness_ps)
        return a.tardiness_ps < b.tardiness_ps ? -1 : 1;
    return (a.makespan_ps > b.makespan_ps) - (a.makespan_ps < b.makespan_ps);
}

static struct score score_starts(const struct sl_order_model *m, const int64_t *start_ps)
{
    struct score score = {0};
    for (uint32_t i = 0; i < m->node_count; i++) {
        int64_t finish = start_ps[i] + m->span_ps[i], late;
        if (!m->runs[i])
            continue;
        if (finish > score.makespan_ps)
            score.makespan_ps = finish;
        if (finish > m->deadline_ps[i] &&
            (late = finish - m->deadline_ps[i]) <= INT64_MAX - score.tardiness_ps)
            score.tardiness_ps += late;
    }
    return score;
}

static bool is_over(const struct search *s)
{
    bool reached = s->order->schedules > 0 && s->best.tardiness_ps == 0 &&
                   s->best.makespan_ps <= s->order->bound_ps;
    return s->stopped || reached || s->order->schedules >= s->options->schedules;
}

static void note_best(struct search *s, struct score score, const int64_t *start_ps)
{
    if (compare_scores(score, s->best) >= 0)
        return;
    s->best = score;
    memcpy(s->order->start_ps, start_ps, s->model.node_count * sizeof *start_ps);
}

/* ---- schedules ------------------------------------------------------------------------------ */

static bool build(struct search *s, struct sl_order_scheme *scheme, const uint32_t *list)
{
    const struct sl_order_options *options = s->options;
    if (++s->order->schedules % PROGRESS == 0 && options->progress)
        s->stopped |=
            !options->progress(options->user, s->order->schedules,
                               s->best.makespan_ps == INT64_MAX ? -1 : s->best.makespan_ps);
    return sl_order_generate(scheme, list, s->rank);
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->tie < y->tie ? -1 : x->tie > y->tie;
}

/* The list by keys[i].time of node i; ties stay in the order of `list`, or turned around. */
static void sort_list(struct search *s, uint32_t *list, bool turn)
{
    uint32_t n = s->model.node_count;
    for (uint32_t k = 0; k < n; k++) {
        s->keys[list[k]].tie = turn ? n - k : k;
        s->keys[list[k]].node = list[k];
    }
    qsort(s->keys, n, sizeof *s->keys, compare_keys);
    for (uint32_t k = 0; k < n; k++)
        list[k] = s->keys[k].node;
}

/* Sorts by when nodes end, last first: in time turned around, the order of their starts. */
static void sort_by_end(struct search *s, uint32_t *list, const int64_t *start_ps)
{
    for (uint32_t i = 0; i < s->model.node_count; i++)
        s->keys[i].time = -(start_ps[i] + s->model.span_ps[i]);
    sort_list(s, list, true);
}

static bool keep(struct search *s, struct score *score)
{
    struct score now = score_starts(&s->model, s->forward.start_ps);
    note_best(s, now, s->forward.start_ps);
    if (compare_scores(now, *score) >= 0)
        return false;
    *score = now;
    memcpy(s->found, s->forward.start_ps, s->model.node_count * sizeof *s->found);
    return true;
}

/* Builds the schedule of s->list, then pushes everything to its end and back to time 0 while that
 * helps.  s->list and s->found are of the best one.  False: bytes never fit. */
static bool improve(struct search *s, struct score *score)
{
    *score = (struct score){INT64_MAX, INT64_MAX};
    if (!build(s, &s->forward, s->list))
        return false;
    bool better = keep(s, score);
    while (better && !is_over(s)) {
        sort_by_end(s, s->list, s->forward.start_ps);
        if (!build(s, &s->backward, s->list) || is_over(s))
            break;
        sort_by_end(s, s->list, s->backward.start_ps);
        if (!build(s, &s->forward, s->list))
            break;
        better = keep(s, score);
    }
    for (uint32_t i = 0; i < s->model.node_count; i++)
        s->keys[i].time = s->found[i];
    sort_list(s, s->list, false);
    return true;
}

/* ---- members -------------------------------------------------------------------------------- */

static uint64_t hash_starts(const struct search *s)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < s->model.node_count; i++)
        hash = sl_hash_index(hash ^ (uint64_t)s->found[i]);
    return hash;
}

/* A new member takes a free place, or that of the worst where it is no worse itself. */
static void admit(struct search *s, struct score score)
{
    uint64_t hash = hash_starts(s);
    uint32_t worst = 0;
    for (uint32_t m = 0; m < s->member_count; m++) {
        if (s->members[m].hash == hash)
            return;
        if (compare_scores(s->members[m].score, s->members[worst].score) > 0)
            worst = m;
    }
    if (s->member_count < MEMBERS)
        worst = s->member_count++;
    else if (compare_scores(score, s->members[worst].score) > 0)
        return;
    struct member *member = &s->members[worst];
    if (compare_scores(score, member->score) < 0)
        s->idle = 0;
    member->score = score;
    member->hash = hash;
    memcpy(member->list, s->list, s->model.node_count * sizeof *s->list);
}

static void try_list(struct search *s)
{
    struct score score;
    s->idle++;
    if (!is_over(s) && improve(s, &score))
        admit(s, score);
}

/* Lists by given times, least first; ties in topological order. */
static void try_by_keys(struct search *s)
{
    memcpy(s->list, s->model.topo, s->model.node_count * sizeof *s->list);
    sort_list(s, s->list, false);
    try_list(s);
}

/* Latest starts with noise of up to a part of the whole, or all of it. */
static void try_noise(struct search *s)
{
    int64_t end = s->order->bound_ps;
    for (uint32_t round = 0; round < 2 * MEMBERS && s->member_count < MEMBERS && !is_over(s);
         round++) {
        double spread = (double)end / SPREADS * (round % SPREADS + 1);
        for (uint32_t i = 0; i < s->model.node_count; i++) {
            double share = (double)draw_below(s, 1u << 20) / (1u << 20);
            s->keys[i].time = s->latest_ps[i] + (int64_t)(share * spread);
        }
        try_by_keys(s);
    }
}

/* The given schedule, latest starts, earliest starts. */
static void try_rules(struct search *s)
{
    uint32_t n = s->model.node_count;
    if (s->options->start_ps) {
        for (uint32_t i = 0; i < n; i++)
            s->keys[i].time = s->options->start_ps[i];
        try_by_keys(s);
    }
    for (uint32_t i = 0; i < n; i++)
        s->keys[i].time = s->latest_ps[i];
    try_by_keys(s);
    for (uint32_t i = 0; i < n; i++)
        s->keys[i].time = s->head_ps[i];
    try_by_keys(s);
}

static const struct member *pick(struct search *s)
{
    const struct member *a = &s->members[draw_below(s, s->member_count)];
    const struct member *b = &s->members[draw_below(s, s->member_count)];
    return compare_scores(a->score, b->score) <= 0 ? a : b;
}

/* The nodes at places [from, to) of the one parent stay there; the others come in the order of the
 * other parent. */
static void cross(struct search *s, const struct member *one, const struct member *other)
{
    uint32_t n = s->model.node_count;
    uint32_t from = draw_below(s, n), to = draw_below(s, n);
    if (from > to) {
        uint32_t swapped = from;
        from = to;
        to = swapped;
    }
    memset(s->taken, 0, n * sizeof *s->taken);
    for (uint32_t k = from; k <= to; k++)
        s->taken[one->list[k]] = true;
    for (uint32_t k = 0, at = 0; k < n; k++) {
        if (k >= from && k <= to) {
            s->list[k] = one->list[k];
            continue;
        }
        while (s->taken[other->list[at]])
            at++;
        s->list[k] = other->list[at++];
    }
}

static void mutate(struct search *s)
{
    for (uint32_t k = 0; k + 1 < s->model.node_count; k++)
        if (draw_below(s, SWAP_CHANCE) == 0) {
            uint32_t node = s->list[k];
            s->list[k] = s->list[k + 1];
            s->list[k + 1] = node;
        }
}

/* Starts anew, without what is known, when nothing gets better: the members are then too alike. */
static void breed(struct search *s)
{
    s->idle = 0;
    while (!is_over(s)) {
        if (s->idle > IDLE || s->member_count < 2) {
            s->member_count = 0;
            try_noise(s);
            s->idle = 0;
            continue;
        }
        const struct member *one = pick(s), *other = pick(s);
        cross(s, one, other);
        mutate(s);
        try_list(s);
    }
}

/* ---- the search ----------------------------------------------------------------------------- */

static bool allocate(struct search *s)
{
    size_t n = (size_t)s->model.node_count + 1;
    struct sl_arena *arena = &s->arena;
    for (uint32_t m = 0; m < MEMBERS; m++)
        if (!(s->members[m].list = sl_arena_array(arena, n, sizeof *s->members[m].list)))
            return false;
    struct sl_order_schedule *order = s->order;
    return (s->head_ps = sl_arena_array(arena, n, sizeof *s->head_ps)) &&
           (s->latest_ps = sl_arena_array(arena, n, sizeof *s->latest_ps)) &&
           (s->keys = sl_arena_array(arena, n, sizeof *s->keys)) &&
           (s->list = sl_arena_array(arena, n, sizeof *s->list)) &&
           (s->rank = sl_arena_array(arena, n, sizeof *s->rank)) &&
           (s->taken = sl_arena_array(arena, n, sizeof *s->taken)) &&
           (s->found = sl_arena_array(arena, n, sizeof *s->found)) &&
           (order->start_ps = malloc(n * sizeof *order->start_ps)) &&
           (order->free_ps = malloc(n * sizeof *order->free_ps)) &&
           (order->finish_ps = malloc(n * sizeof *order->finish_ps));
}

static enum sl_status open_search(struct search *s, const struct sl_graph *graph,
                                  const struct sl_order_options *options, struct sl_error *err)
{
    struct sl_order_durations means = {0};
    enum sl_status status = SL_OK;
    if (!options->durations)
        status = sl_order_durations_make(&means, graph, err);
    if (status == SL_OK)
        status =
            sl_order_model_make(&s->model, graph, options->durations ? options->durations : &means,
                                options->keep_issue, err);
    if (status == SL_OK)
        status = sl_order_model_turn(&s->turned, &s->model, err);
    if (status == SL_OK)
        status = sl_order_scheme_make(&s->forward, &s->model, err);
    if (status == SL_OK)
        status = sl_order_scheme_make(&s->backward, &s->turned, err);
    if (status == SL_OK && !allocate(s))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for an order");
    sl_order_durations_free(&means);
    return status;
}

static void close_search(struct search *s)
{
    sl_order_scheme_free(&s->forward);
    sl_order_scheme_free(&s->backward);
    sl_order_model_free(&s->model);
    sl_order_model_free(&s->turned);
    sl_arena_free(&s->arena);
}

static void fill_times(const struct search *s)
{
    struct sl_order_schedule *order = s->order;
    for (uint32_t i = 0; i < s->model.node_count; i++) {
        order->finish_ps[i] = order->start_ps[i] + s->model.span_ps[i];
        order->free_ps[i] = order->finish_ps[i] - s->model.latency_ps[i];
        if (!s->model.runs[i])
            order->start_ps[i] = order->free_ps[i] = order->finish_ps[i] = -1;
    }
    order->makespan_ps = s->best.makespan_ps;
    order->tardiness_ps = s->best.tardiness_ps;
}

enum sl_status sl_order_search(struct sl_order_schedule *order, const struct sl_graph *graph,
                               const struct sl_order_options *options, struct sl_error *err)
{
    *order = (struct sl_order_schedule){0};
    struct search search = {.options = options,
                            .order = order,
                            .best = {INT64_MAX, INT64_MAX},
                            .key = options->seed ^ sl_hash_text("order search")};
    enum sl_status status = open_search(&search, graph, options, err);
    if (status == SL_OK) {
        sl_order_heads(&search.model, search.head_ps);
        sl_order_tails(&search.model, search.latest_ps);
        order->bound_ps = sl_order_bound(&search.model, search.head_ps, search.latest_ps);
        sl_order_latest(&search.model, order->bound_ps, search.latest_ps);
        try_rules(&search);
        try_noise(&search);
        breed(&search);
        if (search.best.makespan_ps == INT64_MAX)
            status = SL_FAIL(err, SL_NO, "no order was met in which the bytes fit");
        else
            fill_times(&search);
    }
    close_search(&search);
    return status;
}

void sl_order_schedule_free(struct sl_order_schedule *order)
{
    free(order->start_ps);
    free(order->free_ps);
    free(order->finish_ps);
    *order = (struct sl_order_schedule){0};
}
