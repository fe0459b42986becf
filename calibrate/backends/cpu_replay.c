/* A repetition of a replay: a seat of the crew for each server that works.
 *
 * Nobody plans but who has just ended a node: under a lock it tells the rules, which start what can
 * start, and puts it into the idle servers' letter boxes.  Servers without work spin on theirs,
 * because being woken takes longer than many a node; the one that sees something fall due (a lag, a
 * delay) while no node ends tells the rules, too. */
#include "config.h"

#include "cpu_bench.h"
#include "cpu_sentinel.h"
#include "replay_rules.h"
#include <math.h>
#include <stdlib.h>

#define PATIENCE_NS INT64_C(500000000) /* at gates; nodes take as long as they take */

struct server {
    uint32_t resource;
    bool busy; /* guarded by the lock */
    uint64_t preemptions;
    _Alignas(SL_CPU_APART) _Atomic uint32_t letter; /* node + 1; 0: none */
    char apart[SL_CPU_APART];
};

struct player {
    struct sl_bench *bench;
    const struct sl_replay_plan *plan;
    struct sl_replay_log *log;
    struct sl_replay_rules *rules; /* guarded by the lock */
    uint32_t servers;
    struct sl_cpu_gate gate;
    struct sl_cpu_sentinel sentinel;
    double before_ns, after_ns;
    int64_t origin_ns;
    struct server server[SL_CPU_SEATS_MOST];
    _Alignas(SL_CPU_APART) atomic_flag lock;
    _Alignas(SL_CPU_APART) _Atomic int64_t due_ns; /* of the rules; INT64_MAX: nothing */
    atomic_bool over;
};

static void lock(struct player *player)
{
    struct sl_cpu_wait wait = {0};
    while (atomic_flag_test_and_set_explicit(&player->lock, memory_order_acquire))
        (void)sl_cpu_wait(&wait);
}

static void unlock(struct player *player)
{
    atomic_flag_clear_explicit(&player->lock, memory_order_release);
}

static int64_t now_ns(const struct player *player)
{
    return sl_cpu_now_ns() - player->origin_ns;
}

/* Called by the rules, which start no more nodes of a resource than it has servers. */
static void hand_over(void *user, uint32_t node)
{
    struct player *player = user;
    const struct sl_span *demands = &player->plan->nodes[node].demands;
    uint32_t resource = player->plan->demands[demands->first].resource;
    for (uint32_t s = 0; s < player->servers; s++) {
        struct server *server = &player->server[s];
        if (server->busy || server->resource != resource)
            continue;
        server->busy = true;
        atomic_store_explicit(&server->letter, node + 1, memory_order_release);
        return;
    }
}

/* Under the lock. */
static void settle(struct player *player)
{
    sl_replay_rules_settle(player->rules, now_ns(player));
    int64_t due_ns = sl_replay_rules_due(player->rules);
    bool waits = sl_replay_rules_running(player->rules) > 0 || due_ns != INT64_MAX;
    atomic_store_explicit(&player->due_ns, due_ns, memory_order_release);
    if (!waits)
        atomic_store_explicit(&player->over, true, memory_order_release);
}

static void stay_busy(const struct player *player, int64_t until_ns)
{
    while (now_ns(player) < until_ns)
        ;
}

static void do_node(struct player *player, uint32_t seat, uint32_t index)
{
    const struct sl_replay_node *node = &player->plan->nodes[index];
    struct sl_replay_times *times = &player->log->times[index];
    int64_t start_ns = now_ns(player);
    if (node->work.klass == SL_NONE)
        stay_busy(player, start_ns + node->hold_ns);
    else
        sl_cpu_work(&player->bench->stores[seat], (enum sl_cpu_class)node->work.klass,
                    node->work.bytes, NULL);
    int64_t end_ns = now_ns(player);
    lock(player);
    times->start_ns = start_ns;
    player->server[seat].busy = false;
    sl_replay_rules_end(player->rules, index, end_ns);
    settle(player);
    unlock(player);
}

static void serve(struct player *player, uint32_t seat)
{
    struct server *server = &player->server[seat];
    struct sl_cpu_wait wait = {INT64_MAX / 2, &player->gate.broken, 0, 0};
    while (!atomic_load_explicit(&player->over, memory_order_acquire)) {
        uint32_t letter = atomic_exchange_explicit(&server->letter, 0, memory_order_acquire);
        int64_t due_ns = atomic_load_explicit(&player->due_ns, memory_order_acquire);
        if (letter > 0) {
            do_node(player, seat, letter - 1);
        } else if (due_ns != INT64_MAX && now_ns(player) >= due_ns) {
            lock(player);
            settle(player);
            unlock(player);
        } else if (!sl_cpu_wait(&wait)) {
            return; /* the others are not there */
        }
    }
}

static void take_part(void *user, uint32_t seat)
{
    struct player *player = user;
    sl_cpu_sentinel_play(&player->sentinel, seat);
    if (seat == 0)
        player->before_ns = player->sentinel.ns;
    if (!sl_cpu_gate_pass(&player->gate, PATIENCE_NS))
        return;
    if (seat == 0) {
        lock(player);
        player->origin_ns = sl_cpu_now_ns();
        settle(player);
        unlock(player);
    }
    uint64_t before = sl_cpu_preemptions();
    serve(player, seat); /* who is no server finds no letter */
    player->server[seat].preemptions = sl_cpu_preemptions() - before;
    if (!sl_cpu_gate_pass(&player->gate, PATIENCE_NS))
        return;
    sl_cpu_sentinel_play(&player->sentinel, seat);
    if (seat == 0)
        player->after_ns = player->sentinel.ns;
}

static void place_servers(struct player *player)
{
    const struct sl_replay_plan *plan = player->plan;
    for (uint32_t r = 0; r < plan->resource_count; r++)
        for (uint32_t k = 0; k < plan->resources[r].seats; k++)
            player->server[player->servers++].resource = r;
}

static void write_log(const struct player *player)
{
    struct sl_replay_log *log = player->log;
    log->makespan_ns = sl_replay_rules_makespan(player->rules);
    log->gate_timeout = atomic_load(&player->gate.broken);
    log->stuck = sl_replay_rules_left(player->rules) > 0 && !log->gate_timeout;
    log->sentinel_before_ns = player->before_ns;
    log->sentinel_after_ns = player->after_ns;
    log->timer = "host";
    log->sm_mhz = (double)NAN;
    log->preemptions = 0;
    for (uint32_t s = 0; s < player->servers; s++)
        log->preemptions += player->server[s].preemptions;
}

enum sl_status sl_cpu_replay(struct sl_bench *bench, const struct sl_replay_plan *plan,
                             struct sl_replay_log *log, struct sl_error *err)
{
    struct player player = {.bench = bench,
                            .plan = plan,
                            .log = log,
                            .gate.count = bench->seats,
                            .lock = ATOMIC_FLAG_INIT,
                            .due_ns = INT64_MAX};
    player.sentinel.gate = &player.gate;
    player.before_ns = player.after_ns = (double)NAN;
    if (plan->seat_count > bench->seats)
        return SL_FAIL(err, SL_USAGE, "the plan wants %u seats of %u", plan->seat_count,
                       bench->seats);
    enum sl_status status = sl_replay_rules_create(&player.rules, plan, hand_over, &player, err);
    if (status != SL_OK)
        return status;
    sl_replay_rules_reset(player.rules, log->times);
    place_servers(&player);
    sl_cpu_crew_run(bench->crew, take_part, &player);
    write_log(&player);
    sl_replay_rules_free(player.rules);
    for (uint32_t s = 0; s < player.servers; s++)
        if (bench->stores[s].failed)
            return SL_FAIL(err, SL_SYSTEM, "the system refused a mapping");
    return SL_OK;
}
