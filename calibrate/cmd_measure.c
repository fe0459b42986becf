/* slackline-calibrate measure: sessions one after the other, each a process of its own, then the
 * tables of what all of them say. */
#include "config.h"

#include "calibration.h"
#include "calibration_folder.h"
#include "clock.h"
#include "pictures.h"
#include "progress.h"
#include "session_process.h"
#include "summary.h"
#include "tables.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PS_PER_S      1e12
#define PATH_SIZE     4096
#define SHOWN_EVERY_S 0.2

enum { KEY_SESSIONS = SL_KEY_OWN, KEY_LIST, KEY_RESUME, KEY_FORCE };

struct measure {
    const struct sl_command *command;
    struct sl_calibration calibration;
    uint32_t sessions; /* asked for; 0: as the depth says */
    bool list, resume, force;
    struct sl_folder_lock lock; /* of the calibration's folder */
    bool written;               /* the tables are this calibration's */
    /* What was measured, all sessions together. */
    struct sl_measurements measured;
    struct sl_names texts;
    const char *start;              /* of the first session */
    bool have[SL_SESSIONS_MAX + 1]; /* by session number: its file is there */
    /* Progress. */
    uint32_t running, to_run, finished;
    bool budget_told, line_shown;
    double begin_s, shown_s;
};

static enum sl_status take(void *user, int key, const char *value, struct sl_error *err)
{
    struct measure *m = user;
    char why[SL_WHY_SIZE];
    int64_t number;
    switch (key) {
    case KEY_SESSIONS:
        if (!sl_parse_integer(value, 1, SL_SESSIONS_MAX, &number, why))
            return SL_FAIL(err, SL_USAGE, "--sessions: %s", why);
        m->sessions = (uint32_t)number;
        return SL_OK;
    case KEY_LIST:
        m->list = true;
        return SL_OK;
    case KEY_RESUME:
        m->resume = true;
        return SL_OK;
    case KEY_FORCE:
        m->force = true;
        return SL_OK;
    default:
        return sl_calibration_take(&m->calibration, key, value, err);
    }
}

static void print_cases(const struct sl_case_list *cases)
{
    for (uint32_t i = 0; i < cases->count; i++) {
        const struct sl_case *one = &cases->cases[i];
        printf("%s%s", one->key, one->waived ? "\twaived: " : "\n");
        if (one->waived) {
            sl_put_clean(one->waived, stdout);
            putchar('\n');
        }
    }
}

/* Reads a session's file, if it is there. */
static enum sl_status read_session(struct measure *m, uint32_t session, struct sl_error *err)
{
    char path[PATH_SIZE];
    const char *start = NULL;
    struct sl_session_identity identity = sl_calibration_identity(&m->calibration);
    enum sl_status status = sl_session_path(path, sizeof path, m->calibration.dir, session, err);
    if (status != SL_OK || access(path, F_OK) != 0)
        return status;
    status = sl_session_read(path, &identity, session, &m->measured, &m->texts, &start, err);
    m->have[session] = status == SL_OK;
    if (!m->start)
        m->start = start;
    return status;
}

/* "1 min 32 s" of the seconds that are left. */
static const char *duration_text(double seconds, char text[32])
{
    uint32_t whole = (uint32_t)fmin(seconds + 0.5, 1e9);
    if (whole < 60)
        snprintf(text, 32, "%" PRIu32 " s", whole);
    else
        snprintf(text, 32, "%" PRIu32 " min %02" PRIu32 " s", whole / 60, whole % 60);
    return text;
}

static void tell_budget(struct measure *m, const struct sl_session_state *state)
{
    char shots[32], time[32];
    sl_format_count(shots, sizeof shots, state->shots);
    fprintf(stderr, "%" PRIu32 " session%s of %" PRIu32 " case%s, %s shots each: about %s\n",
            m->to_run, m->to_run == 1 ? "" : "s", state->cases, state->cases == 1 ? "" : "s", shots,
            duration_text(m->to_run * (state->seconds_left + sl_clock_s() - m->begin_s), time));
    if (state->share < 1)
        fprintf(stderr,
                "this machine is slow: a session takes %.0f%% of the shots that --%s says\n",
                100 * state->share, m->calibration.depth.name);
    m->budget_told = true;
}

/* Progress on stderr when it is a terminal; the budget is always said. */
static bool watch(void *user, const struct sl_session_state *state)
{
    struct measure *m = user;
    double now = sl_clock_s();
    if (state->shots > 0 && !m->budget_told)
        tell_budget(m, state);
    if (!isatty(STDERR_FILENO) || state->shots == 0 || now - m->shown_s < SHOWN_EVERY_S)
        return !sl_progress_stop_wanted();
    char done[32], shots[32], time[32];
    double one_s = now - m->begin_s + state->seconds_left; /* a whole session */
    fprintf(stderr, "\rsession %" PRIu32 "/%" PRIu32 ", %s/%s shots, %s left\033[K",
            m->finished + 1, m->to_run, sl_format_count(done, sizeof done, state->shots_done),
            sl_format_count(shots, sizeof shots, state->shots),
            duration_text(state->seconds_left + (m->to_run - m->finished - 1) * one_s, time));
    m->shown_s = now;
    m->line_shown = true;
    return !sl_progress_stop_wanted();
}

/* The command line of a session. */
static enum sl_status run_session(struct measure *m, uint32_t session, struct sl_error *err)
{
    const struct sl_calibration *c = &m->calibration;
    struct sl_arena arena = {0};
    char *argv[12] = {0};
    size_t count = 0;
    argv[count++] = sl_arena_strdup(&arena, "slackline-calibrate");
    argv[count++] = sl_arena_strdup(&arena, "session");
    argv[count++] = sl_arena_printf(&arena, "--backend=%s", c->backend_name);
    argv[count++] = sl_arena_printf(&arena, "--%s", c->depth.name);
    argv[count++] = sl_arena_printf(&arena, "--device=%" PRIu32, c->device);
    argv[count++] = sl_arena_printf(&arena, "--seed=%" PRIu64, c->seed);
    argv[count++] = sl_arena_printf(&arena, "--output=%s", c->dir);
    argv[count++] = sl_arena_printf(&arena, "--session=%" PRIu32, session);
    if (c->script)
        argv[count++] = sl_arena_printf(&arena, "--script=%s", c->script);
    if (c->from)
        argv[count++] = sl_arena_printf(&arena, "--from=%s", c->from);
    if (c->globs)
        argv[count++] = sl_arena_printf(&arena, "--cases=%s", c->globs);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count; i++)
        if (!argv[i])
            status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    m->begin_s = sl_clock_s();
    if (status == SL_OK)
        status = sl_session_process(argv, watch, m, err);
    if (m->line_shown)
        fputs("\r\033[K", stderr);
    m->line_shown = false;
    sl_arena_free(&arena);
    return status;
}

static uint32_t sessions_of(const struct measure *m)
{
    return m->sessions ? m->sessions : m->calibration.depth.sessions;
}

/* Measures the sessions that are missing. */
static enum sl_status run_sessions(struct measure *m, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t s = 1; s <= sessions_of(m); s++)
        m->to_run += !m->have[s];
    sl_progress_start("sessions");
    for (uint32_t s = 1; status == SL_OK && s <= sessions_of(m); s++) {
        if (m->have[s])
            continue;
        status = run_session(m, s, err);
        if (status == SL_OK && sl_progress_stop_wanted())
            status = SL_INTERRUPTED;
        if (status == SL_OK)
            status = read_session(m, s, err);
        if (status == SL_OK && !m->have[s])
            status = SL_FAIL(err, SL_SYSTEM, "session %" PRIu32 " left no file", s);
        m->finished += status == SL_OK;
    }
    return status;
}

/* The tables are whole without pictures: where gnuplot is missing, it is said. */
static enum sl_status draw_pictures(const char *dir, const struct sl_estimates *estimates,
                                    struct sl_error *err)
{
    struct sl_error why = {0};
    bool missing;
    fflush(stdout);
    enum sl_status status = sl_pictures_draw(dir, estimates, stdout, &missing, &why);
    if (status == SL_OK || !missing)
        return status == SL_OK
                   ? SL_OK
                   : SL_FAIL(err, status, "the tables are whole, but not all pictures: %s",
                             why.message);
    fprintf(stderr, "no pictures were drawn: %s\n", why.message);
    return SL_OK;
}

/* Tables without a figure would be no device. */
static enum sl_status no_shot(const struct sl_estimates *estimates, const char *dir,
                              struct sl_error *err)
{
    int most = 0;
    for (int r = 1; r < SL_REJECT_COUNT; r++)
        if (estimates->rejects[r] > estimates->rejects[most])
            most = r;
    return SL_FAIL(err, SL_SYSTEM,
                   "all %" PRIu64 " shots were rejected, most of them for '%s': no tables were "
                   "written; '%s/sessions' has the shots",
                   estimates->shots, sl_reject_name((enum sl_reject)most), dir);
}

static enum sl_status write_tables(struct measure *m, struct sl_error *err)
{
    struct sl_calibration *c = &m->calibration;
    struct sl_measured measured = {&c->cases, m->measured.items, m->measured.count};
    struct sl_estimates estimates = {0};
    struct sl_provenance provenance = {.backend = c->backend,
                                       .layout = c->backend->layout(c->bench),
                                       .fingerprint = c->backend->fingerprint(c->bench),
                                       .seed = c->seed,
                                       .start = m->start};
    enum sl_status status = SL_OK;
    if (c->from) {
        uint32_t count = 0;
        const struct sl_work_class *classes = c->backend->classes(c->bench, &count);
        status = sl_workload_write(&c->workload, c->dir, classes, count, err);
    }
    if (status == SL_OK)
        status = sl_estimate(&estimates, &measured, err);
    if (status == SL_OK && estimates.rejects[SL_REJECT_NONE] == 0)
        status = no_shot(&estimates, c->dir, err);
    if (status == SL_OK)
        status = sl_tables_write(c->dir, &estimates, &provenance, err);
    m->written = status == SL_OK;
    if (status == SL_OK)
        status = sl_summary_print(&estimates, stdout, err);
    if (status == SL_OK)
        status = draw_pictures(c->dir, &estimates, err);
    sl_estimates_free(&estimates);
    return status;
}

static void tell_what_is_kept(const struct measure *m)
{
    uint32_t kept = 0;
    for (uint32_t s = 1; s <= SL_SESSIONS_MAX; s++)
        kept += m->have[s];
    fprintf(stderr, "%" PRIu32 " of %" PRIu32 " sessions are in '%s'; --resume goes on\n", kept,
            sessions_of(m), m->calibration.dir);
}

static bool has_tables(const char *dir)
{
    char path[PATH_SIZE];
    return (size_t)snprintf(path, sizeof path, "%s/durations.csv", dir) < sizeof path &&
           access(path, F_OK) == 0;
}

static enum sl_status measure(struct measure *m, struct sl_error *err)
{
    enum sl_status status = sl_calibration_open(&m->calibration, 0, err);
    if (status == SL_OK && m->list) {
        print_cases(&m->calibration.cases);
        return SL_OK;
    }
    if (status == SL_OK)
        status = sl_calibration_check_cases(&m->calibration, err);
    if (status == SL_OK)
        status = sl_calibration_claim(m->calibration.dir, m->resume, m->force, &m->lock, err);
    for (uint32_t s = 1; status == SL_OK && s <= SL_SESSIONS_MAX; s++)
        status = read_session(m, s, err);
    if (status != SL_OK)
        return status;
    status = run_sessions(m, err);
    if (status == SL_OK)
        status = write_tables(m, err);
    else
        tell_what_is_kept(m);
    if (status != SL_OK && m->force && !m->written && has_tables(m->calibration.dir))
        fprintf(stderr, "the tables in '%s' are those of the calibration before\n",
                m->calibration.dir);
    return status;
}

static enum sl_status run_measure(const struct sl_command *command, int argc, char **argv)
{
    struct measure m = {
        .command = command, .calibration = sl_calibration_defaults(), .lock = {-1, false}};
    struct sl_error err = {0};
    bool done = false;
    int first = 0;
    enum sl_status status = sl_options_read(command, argc, argv, take, &m, &first, &done);
    if (status != SL_OK || done)
        return status;
    status = measure(&m, &err);
    /* A session has said itself why it failed. */
    if (err.status != SL_OK)
        sl_report_error(command->name, &err);
    sl_folder_unlock(m.calibration.dir, &m.lock);
    sl_calibration_close(&m.calibration);
    sl_names_free(&m.texts);
    free(m.measured.items);
    return status;
}

static const struct sl_option options[] = {
    SL_CALIBRATION_OPTIONS,
    {KEY_SESSIONS, "sessions", "N", "so many sessions, not 3 or 8"},
    {KEY_LIST, "list", NULL, "print the keys of all cases, and why some are waived"},
    {KEY_RESUME, "resume", NULL, "measure only the sessions that DIR does not hold yet"},
    {KEY_FORCE, "force", NULL, "replace the calibration in DIR"},
};

const struct sl_command sl_command_measure = {
    .name = "measure",
    .summary = "Measure durations and slowdowns on this machine into a device folder",
    .operands = "",
    .description =
        "Measures each class of work alone, beside every other class, beside sets of two, and\n"
        "beside nothing at all (the control), in sessions that are processes of their own, and\n"
        "writes a device folder that scenarios name: device.yaml, durations.csv, kappa.csv,\n"
        "composition.csv, samples.csv.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_measure,
};
