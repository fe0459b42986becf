/* slackline-calibrate replay: a plan executed on real hardware, again and again, and its projection
 * held against what was measured. */
#include "config.h"

#include "progress.h"
#include "replay_parts.h"
#include "thread_pool.h"
#include "units.h"
#include <inttypes.h>
#include <stdlib.h>

enum { KEY_SET = SL_KEY_OWN, KEY_TRIALS, KEY_SEED, KEY_THREADS, KEY_ACCEPT, KEY_FORCE };
enum { REPETITIONS = 1000 /* by default */ };

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

static enum sl_status take_seed(struct sl_replay_run *r, const char *value, struct sl_error *err)
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
    struct sl_replay_run *r = user;
    switch (key) {
    case 'p':
        r->policy = value;
        return SL_OK;
    case 'n':
        return take_count("repetitions", value, 1, 10000000, &r->repetitions, err);
    case KEY_SET:
        if (r->override_count == SL_REPLAY_SETTINGS)
            return SL_FAIL(err, SL_USAGE, "more than %d --set", SL_REPLAY_SETTINGS);
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

/* What is done when somebody interrupts is kept, and judged. */
static enum sl_status execute(struct sl_replay_run *r, struct sl_error *err)
{
    r->files =
        (struct sl_replay_files){.dir = r->calibration.dir, .plan = &r->plan, .lock = {-1, false}};
    enum sl_status status = sl_replay_files_open(&r->files, r->force, err);
    if (status == SL_OK)
        status = sl_replay_repeat(r, err);
    if (status == SL_OK)
        status = sl_replay_files_commit(&r->files, err);
    bool interrupted = r->done < r->repetitions;
    if (status == SL_OK && !(interrupted && r->regime_count == 0))
        status = sl_replay_tell(r, err);
    return status == SL_OK && interrupted ? SL_INTERRUPTED : status;
}

static void close_replay(struct sl_replay_run *r)
{
    sl_replay_files_close(&r->files);
    for (uint32_t i = 0; i < r->regime_count; i++)
        sl_replay_tally_free(r->regimes[i].tally);
    sl_replay_drift_close(r->drift);
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
    struct sl_replay_run r = {.calibration = sl_calibration_defaults(), .repetitions = REPETITIONS};
    struct sl_error err = {0};
    bool done = false;
    int first = 0;
    r.calibration.backend_name = "cpu";
    enum sl_status status = sl_options_read(command, argc, argv, take, &r, &first, &done);
    if (status == SL_OK && !done) {
        sl_progress_start("cells");
        status = sl_replay_load(&r, argv[first], &err);
        bool told = status != SL_OK && status != SL_SYSTEM;
        if (status == SL_OK)
            status = sl_calibration_open(&r.calibration, 0, &err);
        if (status == SL_OK)
            status = sl_replay_check_machine(&r, &err);
        if (status == SL_OK)
            status = sl_replay_project(&r, &err);
        if (status == SL_OK)
            status = sl_replay_make_plan(&r, &err);
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
    {SL_KEY_SCRIPT, "script", "FILE", "the machine that backend script plays"},
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
