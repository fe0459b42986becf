/* Progress on stderr when it is a terminal, and SIGINT/SIGTERM as a wish to stop. */
#include "config.h"

#include "clock.h"
#include "progress.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL_S 0.2

static volatile sig_atomic_t stop_wanted;
static bool on_terminal, line_shown;
static double start_s, shown_s;
static const char *counted;

static void on_signal(int number)
{
    (void)number;
    stop_wanted = 1;
}

void sl_progress_start(const char *what)
{
    counted = what;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND; /* a second signal has its usual effect */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    on_terminal = isatty(STDERR_FILENO);
    start_s = sl_clock_s();
    shown_s = start_s;
}

bool sl_progress(void *user, uint64_t trials_done, uint64_t trials_total, uint32_t cells_done,
                 uint32_t cells_total)
{
    (void)user;
    double now = on_terminal ? sl_clock_s() : 0;
    if (!on_terminal || now - shown_s < INTERVAL_S)
        return !stop_wanted;
    shown_s = now;
    double rate = (double)trials_done / (now - start_s);
    fprintf(stderr, "\r%" PRIu32 "/%" PRIu32 " %s, %" PRIu64 " trials, %.0f trials/s", cells_done,
            cells_total, counted, trials_done, rate);
    if (rate > 0 && trials_total >= trials_done)
        fprintf(stderr, ", %.0f s left", (double)(trials_total - trials_done) / rate);
    fputs("\033[K", stderr);
    line_shown = true;
    return !stop_wanted;
}

bool sl_progress_stop_wanted(void)
{
    return stop_wanted;
}

void sl_progress_end(void)
{
    if (line_shown)
        fputs("\r\033[K", stderr);
    line_shown = false;
}
