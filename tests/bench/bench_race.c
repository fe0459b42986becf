/* How often a race names the cells that a full sweep does, and with how many trials.
 *
 *     bench_race SCENARIO [POOL [TRIALS [SWEEPS]]]
 *
 * Runs every cell for POOL trials once (default 40,000), draws SWEEPS (100) sets of TRIALS (4,000)
 * from them without replacement, and judges each set in full and as a race: cells that the first
 * measure, the tail, leaves tied.  Sets overlap; the first POOL / TRIALS do not, and how often two
 * full sweeps in a row agree is told of these. */
#include "race_sweep.h"
#include "sweep.h"
#include "units.h"
#include "winner.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    double *pool; /* NULL: not ok */
    double *set;  /* the trials of one sweep */
    char group[256];
    uint32_t same_as;
    bool full, race; /* tied in the set */
};

static struct entry *entries;
static uint32_t count, pool_trials = 40000, trials = 4000, ranked;
static struct sl_winner_rule rule;
static uint64_t state = 1;

static uint32_t below(uint32_t bound)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % bound);
}

static void *need(void *memory)
{
    if (memory)
        return memory;
    fputs("out of memory\n", stderr);
    exit(4);
}

static enum sl_status take(void *user, const struct sl_cell *cell, struct sl_error *err)
{
    (void)err;
    entries = need(realloc(entries, (count + 1) * sizeof *entries));
    struct entry *entry = &entries[count];
    *entry = (struct entry){.same_as = count};
    const struct sl_scenario *scenario = user;
    for (uint32_t a = 0; a < scenario->axis_count; a++)
        if (strncmp(scenario->axes[a].path, "policy.", 7) != 0)
            snprintf(entry->group + strlen(entry->group),
                     sizeof entry->group - strlen(entry->group), "%s;", cell->spec.axis_texts[a]);
    if (cell->verdict == SL_VERDICT_OK) {
        entry->pool = need(malloc(pool_trials * sizeof *entry->pool));
        entry->set = need(malloc(trials * sizeof *entry->set));
        for (uint32_t t = 0; t < pool_trials; t++)
            entry->pool[t] = (double)cell->metric_ps[t] / (double)SL_PS_PER_US;
        ranked++;
    }
    for (uint32_t i = 0; entry->pool && i < count; i++)
        if (entries[i].pool && strcmp(entries[i].group, entry->group) == 0 &&
            memcmp(entries[i].pool, entry->pool, pool_trials * sizeof(double)) == 0) {
            entry->same_as = entries[i].same_as;
            break;
        }
    count++;
    return SL_OK;
}

/* Judges the members of a group that are `in`; sets `tied` of those that are. */
static void judge(const uint32_t *members, uint32_t n, const bool *in, double error, bool *tied)
{
    struct sl_error err = {0};
    struct sl_winner winner;
    const double **samples = need(calloc(n + 1, sizeof *samples));
    double *figures = need(calloc(n + 1, sizeof *figures));
    double *sorted = need(malloc(trials * sizeof *sorted));
    uint32_t *of = need(calloc(n + 1, sizeof *of)), used = 0;
    bool *worse = need(calloc(n + 1, sizeof *worse));
    for (uint32_t i = 0; i < n; i++) {
        tied[i] = false;
        if (!in[i])
            continue;
        memcpy(sorted, entries[members[i]].set, trials * sizeof *sorted);
        sl_sort_doubles(sorted, trials);
        samples[used] = entries[members[i]].set;
        figures[used] = sorted[sl_quantile_rank(trials, rule.q) - 1];
        of[used++] = i;
    }
    rule.error = error / ranked;
    if (sl_winner_judge(&winner, samples, figures, used, trials, &rule, worse, &err) != SL_OK)
        exit(4);
    for (uint32_t k = 0; k < used; k++)
        tied[of[k]] = !worse[k];
    free(samples);
    free(figures);
    free(sorted);
    free(of);
    free(worse);
}

/* Races the members; the trials spent.  in[i]: had all trials and is to be judged. */
static uint64_t race(const uint32_t *members, uint32_t n, bool *in)
{
    const struct sl_race_rule race_rule = {.q = rule.q,
                                           .min_gain = rule.min_gain,
                                           .error = SL_RACE_ERROR,
                                           .runners = count,
                                           .trials = trials};
    struct sl_race_looks looks = sl_race_looks(&race_rule);
    struct sl_runner *runners = need(calloc(n + 1, sizeof *runners));
    uint32_t *wanted = need(calloc(n + 1, sizeof *wanted));
    struct sl_error err = {0};
    uint64_t spent = 0;
    bool more = true;
    for (uint32_t i = 0; i < n; i++) {
        runners[i] = sl_runner_new();
        if (entries[members[i]].same_as == members[i])
            wanted[i] = looks.first;
        else
            runners[i].state = SL_RACE_OUT;
    }
    while (more) {
        for (uint32_t i = 0; i < n; i++)
            if (wanted[i] > runners[i].trials &&
                sl_runner_look(&runners[i], &looks, &race_rule, entries[members[i]].set, wanted[i],
                               &err) != SL_OK)
                exit(4);
        uint32_t leader = sl_race_decide(runners, n, &race_rule);
        more = false;
        for (uint32_t i = 0; i < n; i++) {
            wanted[i] = sl_race_next(runners, n, leader, i, &looks, &race_rule);
            more = more || wanted[i] > runners[i].trials;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        in[i] = runners[i].state == SL_RACE_DONE;
        spent += runners[i].trials;
        for (uint32_t k = 0; k < i; k++)
            in[i] = in[i] || (members[k] == entries[members[i]].same_as && in[k]);
    }
    free(runners);
    free(wanted);
    return spent;
}

/* Both ways to judge the set; the trials of the race. */
static uint64_t judge_set(void)
{
    uint32_t *members = need(calloc(count + 1, sizeof *members));
    bool *in = need(calloc(count + 1, sizeof *in)), *tied = need(calloc(count + 1, sizeof *tied));
    bool *done = need(calloc(count + 1, sizeof *done));
    uint64_t spent = 0;
    for (uint32_t first = 0; first < count; first++) {
        uint32_t n = 0;
        for (uint32_t i = first; i < count; i++)
            if (entries[i].pool && !done[i] &&
                strcmp(entries[i].group, entries[first].group) == 0) {
                done[i] = true;
                in[n] = true;
                members[n++] = i;
            }
        judge(members, n, in, 0.05, tied);
        for (uint32_t i = 0; i < n; i++)
            entries[members[i]].full = tied[i];
        spent += race(members, n, in);
        judge(members, n, in, 0.05 - SL_RACE_ERROR, tied);
        for (uint32_t i = 0; i < n; i++)
            entries[members[i]].race = tied[i];
    }
    free(members);
    free(in);
    free(tied);
    free(done);
    return spent;
}

static void draw_set(uint32_t number, uint32_t *order)
{
    uint32_t from = number < pool_trials / trials ? number * trials : 0;
    for (uint32_t t = 0; t < pool_trials; t++)
        order[t] = t;
    for (uint32_t t = 0; from == 0 && number > 0 && t < trials; t++) {
        uint32_t other = t + below(pool_trials - t), kept = order[t];
        order[t] = order[other];
        order[other] = kept;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t t = 0; entries[i].pool && t < trials; t++)
            entries[i].set[t] = entries[i].pool[order[from + t]];
}

static void run_sets(uint32_t sets)
{
    uint32_t *order = need(malloc(pool_trials * sizeof *order)), agree = 0, stable = 0, pairs = 0;
    bool *before = need(calloc(count + 1, sizeof *before));
    uint64_t spent = 0, most = 0;
    for (uint32_t s = 0; s < sets; s++) {
        draw_set(s, order);
        uint64_t now = judge_set();
        bool same = true, as_before = true;
        for (uint32_t i = 0; i < count; i++) {
            same = same && entries[i].full == entries[i].race;
            as_before = as_before && entries[i].full == before[i];
            before[i] = entries[i].full;
        }
        agree += same;
        spent += now;
        most = now > most ? now : most;
        if (s > 0 && s < pool_trials / trials) {
            pairs++;
            stable += as_before;
        }
    }
    double full = (double)count * trials;
    printf(
        "race: the full sweep's tied cells in %u of %u sweeps, with %.1f%% of its trials (at most "
        "%.1f%%)\n",
        agree, sets, 100 * (double)spent / sets / full, 100 * (double)most / full);
    printf("two independent full sweeps: the same tied cells in %u of %u\n", stable, pairs);
    free(order);
    free(before);
}

int main(int argc, char **argv)
{
    struct sl_scenario scenario = {0};
    struct sl_sweep_totals totals;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    if (argc < 2) {
        puts("usage: bench_race SCENARIO [POOL [TRIALS [SWEEPS]]]");
        return 0;
    }
    pool_trials = argc > 2 ? (uint32_t)atoi(argv[2]) : pool_trials;
    trials = argc > 3 ? (uint32_t)atoi(argv[3]) : trials;
    struct sl_sweep_request request = {.path = argv[1], .sink = take, .user = &scenario};
    request.options.trials = pool_trials;
    enum sl_status status = sl_scenario_load(&scenario, argv[1], NULL, 0, &diags, &err);
    rule.q = scenario.objective.tail;
    rule.min_gain = scenario.objective.min_gain;
    rule.seed = scenario.seed;
    if (status == SL_OK && trials <= pool_trials)
        status = sl_sweep_run(&request, &totals, &diags, &err);
    if (status == SL_OK && trials <= pool_trials)
        run_sets(argc > 4 ? (uint32_t)atoi(argv[4]) : 100);
    else
        fprintf(stderr, "bench_race: %s\n", *err.message ? err.message : "a pool too small");
    sl_diags_free(&diags);
    sl_scenario_free(&scenario);
    return status;
}
