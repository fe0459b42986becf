/* slackline-calibrate replay: a plan executed on real hardware, again and again, and its projection
 * held against what was measured. */
#include "config.h"

#include "calibration.h"
#include "progress.h"
#include "replay_csv.h"
#include "replay_files.h"
#include "same_graph.h"
#include "text.h"
#include "thread_pool.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_SET = SL_KEY_OWN, KEY_TRIALS, KEY_SEED, KEY_THREADS, KEY_ACCEPT, KEY_FORCE };
enum {
    REPETITIONS = 1000, /* by default */
    WARM_UPS = 3,       /* not counted: they touch what is touched for the first time */
    SETTINGS_MOST = 64,
    REGIMES_MOST = 4,
};
#define SHOWN_EVERY 50 /* repetitions between two looks at the terminal */

struct regime {
    const char *name;
    struct sl_replay_tally *tally;
};

struct replay {
    const struct sl_command *command;
    struct sl_calibration calibration; /* the backend, and the folder */
    struct sl_arena arena;
    /* As given. */
    const char *policy;
    const char *accept; /* keys of the fingerprint in which the device may differ; NULL: none */
    uint32_t repetitions;
    struct sl_run_options options;
    uint32_t threads; /* of the projection; 0: one per core */
    struct sl_override overrides[SETTINGS_MOST];
    uint32_t override_count;
    bool force;
    /* The projection. */
    struct sl_scenario scenario;
    struct sl_diags diags;
    struct sl_cell cell;
    /* The replay. */
    struct sl_replay_plan plan;
    uint32_t *order;
    struct sl_replay_log log;
    struct sl_replay_files files;
    struct regime regimes[REGIMES_MOST];
    uint32_t regime_count;
    uint32_t done, rejects[SL_REJECT_COUNT];
};

/* ---- options --------------------------------------------------------------------------------- */

static enum sl_status take_count(const char *option, const char *value, int64_t least, int64_t most,
                                 uint32_t *count, struct sl_error *err)
{
    char why[SL_WHY_SIZE];
    int64_t number;
    if (!sl_parse_integer(value, least, most, &number, why))
        return SL_FAIL(err, SL_USAGE, "--%s: %s", option, why);
    *count = (uint32_t)number;
    return SL_OK;
}

static enum sl_status take_seed(struct replay *r, const char *value, struct sl_error *err)
{
    char why[SL_WHY_SIZE];
    int64_t number;
    if (!sl_parse_integer(value, 0, INT64_MAX, &number, why))
        return SL_FAIL(err, SL_USAGE, "--seed: %s", why);
    r->options.seed = (uint64_t)number;
    r->options.seed_given = true;
    return SL_OK;
}

static enum sl_status take(void *user, int key, const char *value, struct sl_error *err)
{
    struct replay *r = user;
    switch (key) {
    case 'p':
        r->policy = value;
        return SL_OK;
    case 'n':
        return take_count("repetitions", value, 1, 10000000, &r->repetitions, err);
    case KEY_SET:
        if (r->override_count == SETTINGS_MOST)
            return SL_FAIL(err, SL_USAGE, "more than %d --set", SETTINGS_MOST);
        return sl_override_parse(&r->overrides[r->override_count++], value, &r->arena, err);
    case KEY_TRIALS:
        return take_count("trials", value, 1, 100000000, &r->options.trials, err);
    case KEY_SEED:
        return take_seed(r, value, err);
    case KEY_THREADS:
        return take_count("threads", value, 1, SL_POOL_MOST, &r->threads, err);
    case KEY_ACCEPT:
        r->accept = value;
        return SL_OK;
    case KEY_FORCE:
        r->force = true;
        return SL_OK;
    default:
        return sl_calibration_take(&r->calibration, key, value, err);
    }
}

/* ---- the projection -------------------------------------------------------------------------- */

/* Faults of the input are printed where they are found; *err has the first. */
static enum sl_status load(struct replay *r, const char *path, struct sl_error *err)
{
    enum sl_status status =
        sl_scenario_load(&r->scenario, path, r->overrides, r->override_count, &r->diags, err);
    if (status == SL_OK) {
        sl_policy_check(&r->scenario, &r->diags);
        status = sl_diags_status(&r->diags, err);
    }
    sl_diags_print(&r->diags, stderr);
    return status;
}

/* The policy named, the baseline, or the only one. */
static enum sl_status find_policy(const struct replay *r, const struct sl_policy_spec **policy,
                                  struct sl_error *err)
{
    const struct sl_scenario *scenario = &r->scenario;
    const char *name = r->policy ? r->policy : scenario->baseline;
    if (!name && scenario->policy_count == 1)
        name = scenario->policies[0].name;
    if (!name)
        return SL_FAIL(err, SL_USAGE, "the scenario names no baseline; choose one with --policy");
    *policy = sl_scenario_policy(scenario, name);
    if (*policy)
        return SL_OK;
    const char *names[SETTINGS_MOST];
    char hint[256] = "";
    uint32_t count = 0;
    for (; count < scenario->policy_count && count < SETTINGS_MOST; count++)
        names[count] = scenario->policies[count].name;
    sl_suggest(hint, sizeof hint, name, names, count);
    return SL_FAIL(err, SL_USAGE, "the scenario has no policy '%s'%s", name, hint);
}

/* The threads of the projection are gone before anything is measured. */
static enum sl_status run_cell(struct replay *r, const struct sl_policy_spec *policy,
                               struct sl_diags *found, struct sl_error *err)
{
    const struct sl_cell_spec spec = {.policy = policy->name};
    enum sl_status status = sl_pool_create(&r->options.pool, r->threads, err);
    if (status != SL_OK)
        return status;
    r->options.progress = sl_progress;
    status = sl_cell_run(&r->cell, &r->scenario, policy, &spec, &r->options, found, err);
    sl_progress_end();
    sl_pool_free(r->options.pool);
    r->options.pool = NULL;
    return status;
}

static enum sl_status project(struct replay *r, struct sl_error *err)
{
    const struct sl_policy_spec *policy = NULL;
    struct sl_diags found = {0};
    enum sl_status status = find_policy(r, &policy, err);
    if (status != SL_OK)
        return status;
    status = run_cell(r, policy, &found, err);
    sl_diags_print(&found, stderr);
    sl_diags_free(&found);
    if (status != SL_OK)
        return status;
    if (!r->cell.plan.graph)
        return SL_FAIL(err, SL_NO, "policy '%s' has no legal plan: %s", policy->name,
                       r->cell.reason);
    if (r->cell.deadlocked > 0)
        return SL_FAIL(err, SL_NO, "policy '%s' deadlocks in %u of %u projected trials",
                       policy->name, r->cell.deadlocked, r->cell.trials);
    return SL_OK;
}

/* What was measured on another machine says nothing about this one. */
static enum sl_status check_machine(struct replay *r, struct sl_error *err)
{
    const char *dir = r->scenario.platform.device_dir;
    struct sl_table_head head;
    const char *path = dir ? sl_arena_printf(&r->arena, "%s/durations.csv", dir) : NULL;
    if (dir && !path)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (!path || access(path, F_OK) != 0)
        return SL_OK;
    enum sl_status status = sl_table_head_read(&head, path, &r->arena, err);
    return status == SL_OK ? sl_calibration_check_machine(&r->calibration, &head, r->accept, err)
                           : status;
}

/* ---- the repetitions ------------------------------------------------------------------------- */

static enum sl_status make_plan(struct replay *r, struct sl_error *err)
{
    const struct sl_backend *backend = r->calibration.backend;
    struct sl_bench *bench = r->calibration.bench;
    struct sl_replay_machine machine = {.seats_max = backend->layout(bench)->actors_max};
    if (!backend->replay)
        return SL_FAIL(err, SL_USAGE, "backend %s can't execute a plan", backend->name);
    machine.classes = backend->classes(bench, &machine.class_count);
    enum sl_status status = sl_replay_plan_make(&r->plan, &r->cell.plan, &machine, err);
    if (status != SL_OK)
        return status;
    r->order = sl_replay_planned_order(&r->plan, &r->cell);
    r->log.times = calloc((size_t)r->plan.node_count + 1, sizeof *r->log.times);
    return r->order && r->log.times ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

/* The largest work of each class. */
static enum sl_status prepare(struct replay *r, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    uint32_t classes;
    r->calibration.backend->classes(r->calibration.bench, &classes);
    for (uint32_t c = 0; status == SL_OK && c < classes; c++) {
        struct sl_work largest = {.klass = c};
        for (uint32_t i = 0; i < r->plan.node_count; i++) {
            const struct sl_work *work = &r->plan.nodes[i].work;
            if (r->plan.nodes[i].act == SL_REPLAY_WORK && work->klass == c &&
                work->bytes > largest.bytes)
                largest = *work;
        }
        if (largest.bytes > 0)
            status = r->calibration.backend->prepare(r->calibration.bench, &largest, err);
    }
    return status;
}

static enum sl_reject judge(const struct sl_replay_log *log)
{
    if (log->gate_timeout)
        return SL_REJECT_GATE_TIMEOUT;
    if (log->preemptions > 0)
        return SL_REJECT_PREEMPTED;
    return sl_sentinel_moved(log->sentinel_before_ns, log->sentinel_after_ns) ? SL_REJECT_SENTINEL
                                                                              : SL_REJECT_NONE;
}

static enum sl_status stopped(const struct replay *r, struct sl_error *err)
{
    uint32_t at = 0;
    while (at + 1 < r->plan.node_count && r->log.times[at].start_ns >= 0)
        at++;
    return SL_FAIL(err, SL_NO, "the replay came to a stop: nothing runs, and '%s' has not started",
                   r->plan.nodes[at].name);
}

static enum sl_status add_to_regime(struct replay *r, const char *name, struct sl_error *err)
{
    uint32_t at = 0;
    while (at < r->regime_count && strcmp(r->regimes[at].name, name) != 0)
        at++;
    if (at == REGIMES_MOST)
        return SL_FAIL(err, SL_SYSTEM, "more than %d regimes", REGIMES_MOST);
    if (at == r->regime_count) {
        enum sl_status status = sl_replay_tally_create(&r->regimes[at].tally, &r->plan,
                                                       r->cell.plan.graph, r->order, err);
        if (status != SL_OK)
            return status;
        r->regimes[at].name = name;
        r->regime_count++;
    }
    return sl_replay_tally_add(r->regimes[at].tally, &r->log, err);
}

static enum sl_status repeat(struct replay *r, struct sl_error *err)
{
    const struct sl_backend *backend = r->calibration.backend;
    enum sl_status status = backend->replay(r->calibration.bench, &r->plan, &r->log, err);
    if (status != SL_OK)
        return status;
    return r->log.stuck ? stopped(r, err) : SL_OK;
}

static void show_progress(const struct replay *r)
{
    if (r->done % SHOWN_EVERY == 0 && isatty(STDERR_FILENO))
        fprintf(stderr, "\rrepetition %" PRIu32 " of %" PRIu32 "\033[K", r->done, r->repetitions);
}

static enum sl_status run_repetitions(struct replay *r, struct sl_error *err)
{
    const struct sl_backend *backend = r->calibration.backend;
    enum sl_status status = prepare(r, err);
    for (uint32_t i = 0; status == SL_OK && i < WARM_UPS; i++)
        status = repeat(r, err);
    while (status == SL_OK && r->done < r->repetitions && !sl_progress_stop_wanted()) {
        status = repeat(r, err);
        if (status != SL_OK)
            break;
        enum sl_reject reject = judge(&r->log);
        const char *regime =
            backend->regime(r->calibration.bench,
                            sl_sentinel_mean(r->log.sentinel_before_ns, r->log.sentinel_after_ns));
        sl_replay_files_add(&r->files, ++r->done, &r->log, regime, reject);
        r->rejects[reject]++;
        if (reject == SL_REJECT_NONE)
            status = add_to_regime(r, regime, err);
        show_progress(r);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return status;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* The regime of the projection's slowdowns; where nothing was measured in it, or they state none,
 * the one in which most repetitions were.  NULL: no repetition can be judged. */
static const struct regime *choose_regime(const struct replay *r)
{
    const char *projected = r->scenario.platform.kappa.regime;
    const struct regime *most = NULL;
    for (uint32_t i = 0; i < r->regime_count; i++) {
        const struct regime *regime = &r->regimes[i];
        if (projected && strcmp(regime->name, projected) == 0)
            return regime;
        if (!most || sl_replay_tally_count(regime->tally) > sl_replay_tally_count(most->tally))
            most = regime;
    }
    return most;
}

static void print_head(const struct replay *r, const struct regime *judged)
{
    const char *projected = r->scenario.platform.kappa.regime;
    printf("%s, policy %s, on backend %s\n", r->scenario.name, r->cell.spec.policy,
           r->calibration.backend->name);
    printf("%" PRIu32 " repetitions, %" PRIu32 " judged", r->done,
           sl_replay_tally_count(judged->tally));
    for (uint32_t i = 0; i < r->regime_count; i++)
        if (r->regimes[i].name[0])
            printf("%s %" PRIu32 " in regime %s%s", i ? "," : ":",
                   sl_replay_tally_count(r->regimes[i].tally), r->regimes[i].name,
                   &r->regimes[i] == judged ? " (judged)" : "");
    for (int reject = SL_REJECT_NONE + 1; reject < SL_REJECT_COUNT; reject++)
        if (r->rejects[reject] > 0)
            printf("; rejected as %s: %" PRIu32, sl_reject_name((enum sl_reject)reject),
                   r->rejects[reject]);
    printf("\nbeside %" PRIu32 " projected trials%s%s%s\n", r->cell.trials,
           projected ? " with the slowdowns of regime " : "", projected ? projected : "",
           r->cell.hypothetical ? ", some with a kappa that nobody measured" : "");
    if (projected && judged->name[0] && strcmp(projected, judged->name) != 0)
        printf(
            "no repetition was in that regime: --set kappa.regime=%s projects the one measured\n",
            judged->name);
    putchar('\n');
}

/* For whoever reads the folder later: what was replayed, and what of it counts. */
static enum sl_status write_identity(const struct replay *r, const struct regime *judged,
                                     struct sl_error *err)
{
    const struct sl_replay_identity identity = {
        .scenario = r->scenario.name,
        .policy = r->cell.spec.policy,
        .backend = r->calibration.backend->name,
        .plan = sl_graph_digest(r->cell.plan.graph),
        .regime = judged->name,
        .repetitions = r->done,
        .judged = sl_replay_tally_count(judged->tally),
    };
    return r->files.dir ? sl_replay_identity_write(r->files.dir, &identity, err) : SL_OK;
}

static enum sl_status tell_verdict(struct replay *r, struct sl_error *err)
{
    const struct regime *judged = choose_regime(r);
    if (!judged)
        return SL_FAIL(err, SL_SYSTEM,
                       "of %" PRIu32 " repetitions none could be judged: the machine is too busy "
                       "with something else",
                       r->done);
    struct sl_replay_verdict verdict;
    enum sl_status status =
        sl_replay_verdict_make(&verdict, judged->tally, &r->plan, &r->cell, err);
    if (status == SL_OK)
        status = sl_replay_files_verdict(&r->files, &verdict, &r->cell, err);
    if (status == SL_OK)
        status = write_identity(r, judged, err);
    if (status == SL_OK) {
        print_head(r, judged);
        sl_replay_report(stdout, &verdict, &r->plan, &r->cell);
        if (r->files.dir)
            printf("\ntimelines and tables: %s\n", r->files.dir);
    }
    sl_replay_verdict_free(&verdict);
    return status;
}

/* What is done when somebody interrupts is kept, and judged. */
static enum sl_status execute(struct replay *r, struct sl_error *err)
{
    r->files = (struct sl_replay_files){.dir = r->calibration.dir, .plan = &r->plan};
    enum sl_status status = sl_replay_files_open(&r->files, r->force, err);
    if (status == SL_OK)
        status = run_repetitions(r, err);
    if (status == SL_OK)
        status = sl_replay_files_commit(&r->files, err);
    bool interrupted = r->done < r->repetitions;
    if (status == SL_OK && !(interrupted && r->regime_count == 0))
        status = tell_verdict(r, err);
    return status == SL_OK && interrupted ? SL_INTERRUPTED : status;
}

static void close_replay(struct replay *r)
{
    sl_replay_files_abandon(&r->files);
    for (uint32_t i = 0; i < r->regime_count; i++)
        sl_replay_tally_free(r->regimes[i].tally);
    free(r->log.times);
    free(r->order);
    sl_replay_plan_free(&r->plan);
    sl_cell_free(&r->cell);
    sl_scenario_free(&r->scenario);
    sl_diags_free(&r->diags);
    sl_calibration_close(&r->calibration);
    sl_arena_free(&r->arena);
}

static enum sl_status run_replay(const struct sl_command *command, int argc, char **argv)
{
    struct replay r = {
        .command = command, .calibration = sl_calibration_defaults(), .repetitions = REPETITIONS};
    struct sl_error err = {0};
    bool done = false;
    int first = 0;
    r.calibration.backend_name = "cpu";
    enum sl_status status = sl_options_read(command, argc, argv, take, &r, &first, &done);
    if (status == SL_OK && !done) {
        sl_progress_start("cells");
        status = load(&r, argv[first], &err);
        bool told = status != SL_OK && status != SL_SYSTEM;
        if (status == SL_OK)
            status = sl_calibration_open(&r.calibration, 0, &err);
        if (status == SL_OK)
            status = check_machine(&r, &err);
        if (status == SL_OK)
            status = project(&r, &err);
        if (status == SL_OK)
            status = make_plan(&r, &err);
        if (status == SL_OK)
            status = execute(&r, &err);
        if (err.status != SL_OK && !told && status != SL_INTERRUPTED)
            sl_report_error(command->name, &err);
        if (status == SL_INTERRUPTED)
            fprintf(stderr,
                    "slackline-calibrate replay: interrupted after %" PRIu32 " of %" PRIu32
                    " repetitions\n",
                    r.done, r.repetitions);
    }
    close_replay(&r);
    return status;
}

static const struct sl_option options[] = {
    {'p', "policy", "P", "the plan of this policy (default: the baseline)"},
    {'n', "repetitions", "N", "execute it so often; 1000 by default"},
    {'b', "backend", "NAME", "what executes it; cpu by default"},
    {SL_KEY_DEVICE, "device", "N", "the GPU's number; 0 by default"},
    {'o', "output", "DIR", "write timelines and tables into this folder"},
    {KEY_FORCE, "force", NULL, "replace a replay in DIR"},
    {KEY_ACCEPT, "accept", "KEYS", "the device may be another machine's in these, ';' between"},
    {KEY_SET, "set", "KEY=VALUE", "override a key of the scenario; may be repeated"},
    {KEY_TRIALS, "trials", "N", "trials of the projection (default: the scenario's)"},
    {KEY_SEED, "seed", "S", "seed of the projection (default: the scenario's)"},
    {KEY_THREADS, "threads", "T", "threads of the projection (default: one per core)"},
};

const struct sl_command sl_command_replay = {
    .name = "replay",
    .summary = "Execute a plan on this machine and hold its projection against it",
    .operands = "SCENARIO",
    .description =
        "Plans a policy as slackline does, executes the plan with real work of the backend's\n"
        "classes, and prints what was measured beside what the simulator projects: makespans,\n"
        "order, overlap, slowdowns, and the nodes that deviate most.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_replay,
};
