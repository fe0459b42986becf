/* Speed as one table of ratios, each to a reference in the same run, in alternating rounds: the
 * median of the rounds' ratios, the least and the largest.  Nothing here is a check, as the speed
 * of a shared machine proves nothing; but mean makespans stand beside it, for a simulator that is
 * wrong is not fast.
 *
 * usage: bench ROUNDS [NAME COMMAND]...
 * COMMAND simulates w1 in another way: it is called with a folder, the number of nodes and of
 * trials, and prints ns per node and the mean makespan in us; exit status 77 says that it is not
 * installed. */
#include <config.h>

#include "dist.h"
#include "engine.h"
#include "isa.h"
#include "plain_loops.h"
#include "whole_run.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROUNDS = 99, FEW_TRIALS = 1200, DRAWS = 1 << 16, MOST_FOLDERS = 16, MILLION = 1000000 };

/* What a side of a row runs; which members matter depends on `cost`. */
struct side {
    const char *name;
    struct cost (*cost)(const struct side *side);
    const char *workload;             /* or family, or command */
    uint32_t n, trials, few, threads; /* few: beyond those that are looked at more closely */
};

struct cost {
    double ns;      /* per node, draw or job */
    double mean_us; /* makespan, or a job's response; 0: there is none */
};

/* The ratio of the side's cost to the reference's: at most the goal; where `faster`, how many times
 * the cost of the reference is that of the side: at least the goal.  0: none is set. */
struct row {
    struct side side, reference;
    bool faster;
    double goal;
};

/* ---- folders --------------------------------------------------------------------------------- */

static char home[64] = "/tmp/slackline-bench-XXXXXX";
static char folders[MOST_FOLDERS][128];
static int folder_count;

static void clear_folder(const char *dir)
{
    static const char *const names[] = {"nodes.csv", "edges.csv", "objects.csv", "kappa.csv",
                                        "scenario.yaml"};
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%.*s/%s", (int)sizeof folders[0], dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
}

static void clear_folders(void)
{
    for (int i = 0; i < folder_count; i++)
        clear_folder(folders[i]);
    rmdir(home);
}

/* The folder of a workload, written when it is first asked for. */
static const char *folder(const char *workload, uint32_t n)
{
    char path[sizeof folders[0]];
    snprintf(path, sizeof path, "%s/%s-%u", home, workload, (unsigned)n);
    for (int i = 0; i < folder_count; i++)
        if (strcmp(folders[i], path) == 0)
            return folders[i];
    if (folder_count == MOST_FOLDERS || workload_write(workload, n, path) != 0)
        exit(EXIT_FAILURE);
    memcpy(folders[folder_count], path, sizeof path);
    return folders[folder_count++];
}

/* ---- costs ----------------------------------------------------------------------------------- */

static struct whole_run difference(const struct side *side)
{
    uint32_t few = side->few ? side->few : FEW_TRIALS, threads = side->threads ? side->threads : 1;
    return whole_run_difference(folder(side->workload, side->n), few, side->trials, threads);
}

static struct cost run_cpu(const struct side *side)
{
    struct whole_run run = difference(side);
    return (struct cost){run.cpu_s * 1e9 / (double)run.nodes, run.makespan_us};
}

static struct cost run_wall(const struct side *side)
{
    struct whole_run run = difference(side);
    return (struct cost){run.wall_s * 1e9 / (double)run.nodes, run.makespan_us};
}

/* The engine in batches, where the order is fixed, and by events. */
static struct cost makespans(const struct side *side)
{
    return (struct cost){
        engine_ns(folder(side->workload, side->n), side->trials, SL_ONLY_MAKESPAN, true), 0};
}

static struct cost records(const struct side *side)
{
    return (struct cost){engine_ns(folder(side->workload, side->n), side->trials, 0, true), 0};
}

static struct cost events(const struct side *side)
{
    return (struct cost){engine_ns(folder(side->workload, side->n), side->trials, 0, false), 0};
}

static struct cost loop_trials(const struct side *side, struct plain_loop *l,
                               double (*trial)(struct plain_loop *))
{
    double begin = cpu_seconds(), sum = 0;
    for (uint32_t t = 0; t < side->trials; t++)
        sum += trial(l);
    double ns = (cpu_seconds() - begin) * 1e9 / side->n / side->trials;
    return (struct cost){ns, sum / side->trials};
}

static struct cost loop(const struct side *side, uint32_t classes,
                        double (*trial)(struct plain_loop *))
{
    struct layered g = layered_make(side->n, classes);
    struct plain_loop *l = plain_loop_create(&g);
    struct cost cost = loop_trials(side, l, trial);
    plain_loop_free(l);
    layered_free(&g);
    return cost;
}

static struct cost loop_fifo(const struct side *side)
{
    return loop(side, 4, plain_loop_fifo);
}

static struct cost loop_full(const struct side *side)
{
    struct layered g = layered_make(side->n, 4);
    struct full_load load = full_load_make(&g);
    struct plain_loop *l = plain_loop_create(&g);
    plain_loop_load(l, &load);
    struct cost cost = loop_trials(side, l, plain_loop_full);
    plain_loop_free(l);
    full_load_free(&load);
    layered_free(&g);
    return cost;
}

static struct cost loop_kappa(const struct side *side)
{
    return loop(side, 8, plain_loop_kappa);
}

static struct cost engine_of_jobs(const struct side *side)
{
    struct jobs_cost cost = engine_jobs(folder(side->workload, side->n));
    return (struct cost){cost.ns, cost.response_us};
}

static struct cost loop_sharing(const struct side *side)
{
    double begin = cpu_seconds(), response_us = plain_sharing(side->n);
    return (struct cost){(cpu_seconds() - begin) * 1e9 / side->n, response_us};
}

/* A family's bulk draws; `workload` is the text of the distribution. */
static struct cost draws(const struct side *side)
{
    static double u[DRAWS], u2[DRAWS], scale[DRAWS], values[DRAWS];
    struct sl_arena arena = {0};
    struct sl_error err = {0};
    const struct sl_dist *dist;
    if (sl_dist_parse(&dist, side->workload, SL_DIST_TIME, home, (struct sl_place){0}, &arena,
                      &err) != SL_OK) {
        fprintf(stderr, "%s: %s\n", side->workload, err.message);
        exit(EXIT_FAILURE);
    }
    uint64_t state = 1;
    for (int i = 0; i < DRAWS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        u[i] = ((double)(state >> 11) + 0.5) * 0x1p-53;
        u2[i] = 1 - u[i];
        scale[i] = 1;
    }
    double begin = cpu_seconds();
    for (uint32_t t = 0; t < side->trials; t++)
        sl_dist_values(dist, u, u2, scale, values, DRAWS);
    double ns = (cpu_seconds() - begin) * 1e9 / DRAWS / side->trials;
    sl_arena_free(&arena);
    return (struct cost){ns, 0};
}

/* Another program: cost NAN when it is not installed. */
static struct cost command(const struct side *side)
{
    char line[1024];
    struct cost cost = {NAN, 0};
    snprintf(line, sizeof line, "%s %s %u %u", side->workload, folder("w1", side->n),
             (unsigned)side->n, (unsigned)side->trials);
    fflush(stdout);
    FILE *out = popen(line, "r");
    bool read_it = out && fscanf(out, "%lf %lf", &cost.ns, &cost.mean_us) == 2;
    int state = out ? pclose(out) : -1;
    if (WIFEXITED(state) && WEXITSTATUS(state) == 77)
        return (struct cost){NAN, 0};
    if (!read_it || state != 0) {
        fprintf(stderr, "'%s' failed\n", line);
        exit(EXIT_FAILURE);
    }
    return cost;
}

/* ---- the table ------------------------------------------------------------------------------- */

#define EVENT_LOOP(nodes, count)                                                                   \
    {                                                                                              \
        .name = "event loop", .cost = loop_fifo, .n = (nodes), .trials = (count)                   \
    }

static const struct row rows[] = {
    {.side = {"w1-1000", run_cpu, "w1", 1000, 4000},
     .reference = EVENT_LOOP(1000, 4000),
     .goal = 0.7},
    {.side = {"w1-10000", run_cpu, "w1", 10000, 1000, .few = 450},
     .reference = EVENT_LOOP(10000, 300),
     .goal = 0.7},
    {.side = {"w1-full-1000", run_cpu, "w1-full", 1000, 2500},
     .reference = EVENT_LOOP(1000, 4000),
     .goal = 1.2},
    {.side = {"w1-full-1000", run_cpu, "w1-full", 1000, 2500},
     .reference = {"loop with bytes, priorities, slowdowns", loop_full, NULL, 1000, 4000}},
    {.side = {"loop with bytes, priorities, slowdowns", loop_full, NULL, 1000, 4000},
     .reference = EVENT_LOOP(1000, 4000)},
    {.side = {"w2b-1000", run_cpu, "w2b", 1000, 3000},
     .reference = {"loop with slowdowns", loop_kappa, NULL, 1000, 3000},
     .goal = 1.2},
    {.side = {"500 nodes running", run_cpu, "many-running", 500, 900, .few = 450},
     .reference = {"50 nodes running", run_cpu, "many-running", 50, 900, .few = 450},
     .goal = 1.3},
    {.side = {"gamma draw", draws, "gamma(mean=1us, cv=0.25)", 0, 60},
     .reference = {"lognormal draw", draws, "lognormal(median=1us, sigma=0.25)", 0, 60},
     .goal = 1},
    {.side = {"empirical draw", draws, "empirical(sample.csv)", 0, 60},
     .reference = {"lognormal draw", draws, "lognormal(median=1us, sigma=0.25)", 0, 60},
     .goal = 1},
    {.side = {"w1-lanes-1000 in batches, makespans", makespans, "w1-lanes", 1000, 8000},
     .reference = {"by events", events, "w1-lanes", 1000, 3000},
     .faster = true,
     .goal = 5},
    {.side = {"w1-lanes-1000 in batches, records", records, "w1-lanes", 1000, 6000},
     .reference = {"by events", events, "w1-lanes", 1000, 3000},
     .faster = true,
     .goal = 5},
    {.side = {"w1-1000, 2 threads", run_wall, "w1", 1000, 20000, .threads = 2},
     .reference = {"1 thread", run_wall, "w1", 1000, 20000},
     .faster = true,
     .goal = 1.85},
    {.side = {"w1-1000000", run_cpu, "w1", 1000000, 5, .few = 1},
     .reference = {"w1-1000", run_cpu, "w1", 1000, 900, .few = 1},
     .goal = 2.5},
    {.side = {"a million jobs that share, engine", engine_of_jobs, "sharing", MILLION},
     .reference = {"loop in virtual time", loop_sharing, NULL, MILLION},
     .goal = 1.5},
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_means(double side_us, double reference_us)
{
    if (side_us > 0 && reference_us > 0)
        printf("%.1f, %.1f |\n", side_us, reference_us);
    else
        printf("|\n");
}

static void compare(const struct row *row, uint32_t rounds)
{
    double ratios[MOST_ROUNDS], side_ns = INFINITY, reference_ns = INFINITY;
    struct cost side, reference;
    for (uint32_t k = 0; k < rounds; k++) {
        reference = row->reference.cost(&row->reference);
        side = row->side.cost(&row->side);
        ratios[k] = row->faster ? reference.ns / side.ns : side.ns / reference.ns;
        side_ns = fmin(side_ns, side.ns);
        reference_ns = fmin(reference_ns, reference.ns);
    }
    if (isnan(side_ns)) {
        printf("| %s | %s | not installed | | | | |\n", row->side.name, row->reference.name);
        return;
    }
    qsort(ratios, rounds, sizeof *ratios, by_value);
    printf("| %s | %s | %.3g | %.3g | %.3g (%.3g to %.3g) | ", row->side.name, row->reference.name,
           side_ns, reference_ns, ratios[rounds / 2], ratios[0], ratios[rounds - 1]);
    if (row->goal > 0)
        printf("%s %g ", row->faster ? "at least" : "at most", row->goal);
    printf("| ");
    print_means(side.mean_us, reference.mean_us);
    fflush(stdout);
}

static void print_machine(uint32_t rounds)
{
    char model[128] = "unknown", line[256], date[32];
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info && fgets(line, sizeof line, info))
        if (sscanf(line, "model name : %127[^\n]", model) == 1)
            break;
    if (info)
        fclose(info);
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf(
        "%s: %s, %ld cores in use, %s; compiler " __VERSION__ "; version %s.  Ratios of CPU time "
        "(threads: wall time): median (least to largest) of %u rounds; ns per node: the least.\n\n",
        date, model, sysconf(_SC_NPROCESSORS_ONLN), sl_isa_name(sl_isa()), PACKAGE_VERSION,
        (unsigned)rounds);
}

/* The file that the empirical row names. */
static void write_sample(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/sample.csv", home);
    FILE *out = workload_must(fopen(path, "w"));
    fputs("value\n", out);
    for (int i = 0; i < 1000; i++)
        fprintf(out, "%dns\n", 500 + i * i % 997);
    fclose(out);
}

static void remove_sample(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/sample.csv", home);
    unlink(path);
}

/* Bytes per job between a tenth of a million and a million, by `peak_kib`.  To be called while this
 * process is small: a child begins with what its parent has. */
static double growth(double (*peak_kib)(const char *dir))
{
    double few = peak_kib(folder("sharing", MILLION / 10)),
           many = peak_kib(folder("sharing", MILLION));
    return (many - few) * 1024 / (MILLION - MILLION / 10);
}

int main(int argc, char **argv)
{
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    if (rounds < 1 || rounds > MOST_ROUNDS || argc % 2 != 0) {
        fputs("usage: bench ROUNDS [NAME COMMAND]...\n", stderr);
        return 2;
    }
    workload_must(mkdtemp(home));
    atexit(clear_folders);
    write_sample();
    double engine_growth = growth(engine_jobs_kib), run_growth = growth(whole_run_kib);
    print_machine((uint32_t)rounds);
    puts("| | reference | ns | reference, ns | ratio | goal | mean makespans or responses, us |\n"
         "| --- | --- | --- | --- | --- | --- | --- |");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        compare(&rows[i], (uint32_t)rounds);
    for (int k = 2; k < argc; k += 2) {
        struct row row = {.side = {"w1-1000", run_cpu, "w1", 1000, 4000},
                          .reference = {argv[k], command, argv[k + 1], 1000, 100},
                          .faster = true,
                          .goal = strcmp(argv[k], "SimGrid") == 0 ? 30 : 100};
        compare(&row, (uint32_t)rounds);
    }
    struct first_trial first = first_trial(folder("w1", MILLION));
    printf(
        "\nA million nodes: loaded, checked and planned in %.2f s of CPU time (goal: under 5) and "
        "%.2f GiB (under 0.93, which is 1 GB), first trial %.2f s (under 1), with the run's sums "
        "and reports at most %.2f GiB.\n",
        first.load_s, first.load_gib, first.all_s - first.load_s, first.peak_gib);
    printf(
        "Memory of jobs that share grows by %.2f bytes per job (goal: at most 8), of a whole run "
        "with its report by %.2f.\n",
        engine_growth, run_growth);
    remove_sample();
    return EXIT_SUCCESS;
}
