/* A repetition of a replay on a machine that is written down: the rules start nodes, and a node of
 * T ns alone is done at the time t of which
 *
 *     T = integral from its start to t of 1 / kappa(node | the others that run at s) ds
 *
 * Works fill the machine.  Troubles are of shots only. */
#include "config.h"

#include "replay_rules.h"
#include "script_bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct running {
    uint32_t node;
    double left_ns, kappa; /* time alone that is left; as of the last change */
};

struct player {
    struct sl_bench *bench;
    const struct sl_replay_plan *plan;
    struct sl_replay_log *log;
    struct sl_replay_rules *rules;
    struct running *running; /* a place per seat of the plan */
    uint32_t count;
    int64_t now_ns;
};

static void start(void *user, uint32_t index)
{
    struct player *player = user;
    const struct sl_replay_node *node = &player->plan->nodes[index];
    /* Shots count from 0 to 2^32, so that no key of theirs has this bit. */
    uint64_t key = UINT64_C(1) << 63 | index;
    int64_t alone_ns = node->work.klass == SL_NONE ? node->hold_ns
                                                   : sl_script_work_ns(player->bench, &node->work,
                                                                       player->bench->replays, key);
    player->log->times[index].start_ns = player->now_ns;
    player->running[player->count++] = (struct running){index, (double)alone_ns, 1};
}

static uint32_t class_of(const struct player *player, uint32_t at)
{
    return player->plan->nodes[player->running[at].node].work.klass;
}

static void find_slowdowns(struct player *player)
{
    uint32_t counts[SL_SCRIPT_CLASSES_MAX] = {0};
    for (uint32_t i = 0; i < player->count; i++)
        if (class_of(player, i) != SL_NONE)
            counts[class_of(player, i)]++;
    for (uint32_t i = 0; i < player->count; i++) {
        uint32_t klass = class_of(player, i);
        if (klass == SL_NONE)
            continue;
        counts[klass]--;
        player->running[i].kappa = sl_script_slowdown(player->bench, klass, SL_SHAPE_FILL, counts);
        counts[klass]++;
    }
}

static int64_t end_ns(const struct player *player, uint32_t at)
{
    const struct running *running = &player->running[at];
    return player->now_ns + (int64_t)ceil(running->left_ns * running->kappa);
}

/* Lets time pass until something happens; false: nothing will. */
static bool go_on(struct player *player)
{
    int64_t next_ns = sl_replay_rules_due(player->rules);
    find_slowdowns(player);
    for (uint32_t i = 0; i < player->count; i++)
        if (end_ns(player, i) < next_ns)
            next_ns = end_ns(player, i);
    if (next_ns == INT64_MAX)
        return false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < player->count; i++) {
        struct running running = player->running[i];
        if (end_ns(player, i) <= next_ns) {
            sl_replay_rules_end(player->rules, running.node, next_ns);
            continue;
        }
        running.left_ns -= (double)(next_ns - player->now_ns) / running.kappa;
        player->running[kept++] = running;
    }
    player->count = kept;
    player->now_ns = next_ns;
    return true;
}

enum sl_status sl_script_replay(struct sl_bench *bench, const struct sl_replay_plan *plan,
                                struct sl_replay_log *log, struct sl_error *err)
{
    struct player player = {.bench = bench, .plan = plan, .log = log};
    player.running = calloc((size_t)plan->seat_count + 1, sizeof *player.running);
    if (!player.running)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a repetition");
    enum sl_status status = sl_replay_rules_create(&player.rules, plan, start, &player, err);
    if (status == SL_OK) {
        sl_replay_rules_reset(player.rules, log->times);
        do
            sl_replay_rules_settle(player.rules, player.now_ns);
        while (go_on(&player));
        log->makespan_ns = sl_replay_rules_makespan(player.rules);
        log->stuck = sl_replay_rules_left(player.rules) > 0;
        log->gate_timeout = false;
        log->preemptions = 0;
        log->sentinel_before_ns = log->sentinel_after_ns = sl_script_sentinel_ns(bench);
        bench->now_ns += log->makespan_ns + bench->script.step_ns;
        bench->replays++;
    }
    sl_replay_rules_free(player.rules);
    free(player.running);
    return status;
}
