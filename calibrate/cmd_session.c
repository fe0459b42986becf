/* slackline-calibrate session: one session of a calibration, which `measure` starts as a process of
 * its own. */
#include "config.h"

#include "calibration.h"
#include "clock.h"
#include "outfile.h"
#include "units.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define TELL_EVERY_S 0.2
#define PATH_SIZE    4096

enum { KEY_NUMBER = SL_KEY_OWN, KEY_PROGRESS };

struct session_args {
    struct sl_calibration calibration;
    uint32_t number;
    int progress_fd; /* -1: nobody is told */
    double told_s;
};

/* Both Ctrl-C and `measure` may send signals; a second one changes nothing. */
static volatile sig_atomic_t stop_wanted;

static void on_signal(int number)
{
    (void)number;
    stop_wanted = 1;
}

static void catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static enum sl_status take(void *user, int key, const char *value, struct sl_error *err)
{
    struct session_args *args = user;
    char why[SL_WHY_SIZE];
    int64_t number;
    if (key != KEY_NUMBER && key != KEY_PROGRESS)
        return sl_calibration_take(&args->calibration, key, value, err);
    if (!sl_parse_integer(value, key == KEY_NUMBER ? 1 : 0,
                          key == KEY_NUMBER ? SL_SESSIONS_MAX : INT16_MAX, &number, why))
        return SL_FAIL(err, SL_USAGE, "--%s: %s", key == KEY_NUMBER ? "session" : "progress-fd",
                       why);
    if (key == KEY_NUMBER)
        args->number = (uint32_t)number;
    else
        args->progress_fd = (int)number;
    return SL_OK;
}

/* A line "DONE SHOTS CASES SECONDS_LEFT SHARE" for `measure`.  Where nobody reads any more, the
 * session stops. */
static bool watch(void *user, const struct sl_session_state *state)
{
    struct session_args *args = user;
    double now = sl_clock_s();
    if (stop_wanted || args->progress_fd < 0 ||
        (now - args->told_s < TELL_EVERY_S && state->shots_done > 0))
        return !stop_wanted;
    char line[128];
    int length =
        snprintf(line, sizeof line, "%" PRIu64 " %" PRIu64 " %" PRIu32 " %.1f %.3f\n",
                 state->shots_done, state->shots, state->cases, state->seconds_left, state->share);
    args->told_s = now;
    return write(args->progress_fd, line, (size_t)length) == length || errno == EINTR;
}

static enum sl_status measure(struct session_args *args, struct sl_error *err)
{
    struct sl_calibration *calibration = &args->calibration;
    char path[PATH_SIZE], folder[PATH_SIZE], start[32];
    time_t now = time(NULL);
    strftime(start, sizeof start, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    if (!calibration->dir)
        return SL_FAIL(err, SL_USAGE, "-o DIR is missing: where the session's file goes");
    if (args->number == 0)
        return SL_FAIL(err, SL_USAGE, "--session is missing: the number of the session");
    enum sl_status status = sl_session_path(path, sizeof path, calibration->dir, args->number, err);
    if (status == SL_OK && access(path, F_OK) == 0)
        status = SL_FAIL(err, SL_USAGE, "'%s' is there already: take another number", path);
    if (status == SL_OK)
        status = sl_calibration_open(calibration, args->number, err);
    if (status == SL_OK)
        status = sl_calibration_check_cases(calibration, err);
    if (status == SL_OK) {
        snprintf(folder, sizeof folder, "%s/sessions", calibration->dir);
        status = sl_make_dirs(folder, err);
    }
    if (status != SL_OK)
        return status;
    struct sl_measurements measured = {0};
    struct sl_session_identity identity = sl_calibration_identity(calibration);
    struct sl_session_request request = {.backend = calibration->backend,
                                         .bench = calibration->bench,
                                         .cases = &calibration->cases,
                                         .depth = &calibration->depth,
                                         .seed = calibration->seed,
                                         .session = args->number,
                                         .watch = watch,
                                         .user = args};
    status = sl_session_measure(&request, &measured, err);
    if (status == SL_OK)
        status = sl_session_write(path, &identity, start, &measured, err);
    free(measured.items);
    return status;
}

static enum sl_status run_session(const struct sl_command *command, int argc, char **argv)
{
    struct session_args args = {.calibration = sl_calibration_defaults(), .progress_fd = -1};
    struct sl_error err = {0};
    bool done = false;
    int first = 0;
    enum sl_status status = sl_options_read(command, argc, argv, take, &args, &first, &done);
    if (status != SL_OK || done)
        return status;
    catch_signals();
    if (args.progress_fd >= 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a driver that hangs outlives nobody */
    status = measure(&args, &err);
    if (status != SL_OK && status != SL_INTERRUPTED)
        sl_report_error(command->name, &err);
    sl_calibration_close(&args.calibration);
    return status;
}

static const struct sl_option options[] = {
    SL_CALIBRATION_OPTIONS,
    {KEY_NUMBER, "session", "N", "the session's number, from 1"},
    {KEY_PROGRESS, "progress-fd", "FD", "write a line of progress there now and then"},
};

const struct sl_command sl_command_session = {
    .name = "session",
    .summary = "Measure one session of a calibration",
    .operands = "",
    .description =
        "Measures one session into DIR/sessions/session-NN.csv, which is written whole or not at\n"
        "all.  'slackline-calibrate measure' starts its sessions by this command, each as a\n"
        "process of its own, so that they are independent.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_session,
};
