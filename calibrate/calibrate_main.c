/* slackline-calibrate: finds the command and runs it. */
#include "config.h"

#include "calibration.h"
#include "kept.h"
#include "text.h"
#include <signal.h>
#include <string.h>

static const struct sl_command *const commands[] = {&sl_command_measure, &sl_command_session,
                                                    &sl_command_verify, &sl_command_replay};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static void print_help(void)
{
    puts("Usage: slackline-calibrate [COMMAND] [OPTION]...\n"
         "Measures durations and slowdowns on real hardware, for slackline to simulate with.\n\n"
         "Commands (without one: measure):");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    puts("\nBackends:");
    for (size_t i = 0; i < sl_backend_count(); i++) {
        const struct sl_backend *backend = sl_backend_get(i);
        printf("  %-10s %s\n", backend->name, backend->description);
        if (backend->missing)
            printf("  %-10s not in this build: %s\n", "", backend->missing);
    }
    puts("\n  -h, --help     print this help and exit\n"
         "  -V, --version  print the version and exit\n\n"
         "'slackline-calibrate COMMAND --help' explains one command.  See "
         "slackline-calibrate(1).");
}

static enum sl_status unknown_command(const char *word)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->name;
    const char *near = sl_nearest(word, names, COMMAND_COUNT);
    fprintf(stderr,
            near ? "slackline-calibrate: unknown command '%s' (did you mean '%s'?)\n"
                 : "slackline-calibrate: unknown command '%s'\n",
            word, near);
    fputs("Try 'slackline-calibrate --help'.\n", stderr);
    return SL_USAGE;
}

static enum sl_status run_command(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "--help";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_help();
        return SL_OK;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        puts("slackline-calibrate " PACKAGE_VERSION "\n"
             "License GPL-3.0-or-later: free software, no warranty.");
        return SL_OK;
    }
    if (*word == '-')
        return sl_command_measure.run(&sl_command_measure, argc, argv);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(word, commands[i]->name) == 0)
            return commands[i]->run(commands[i], argc - 1, argv + 1);
    return unknown_command(word);
}

int main(int argc, char **argv)
{
    /* A reader that closes the pipe early ends the writing with an error, not by a signal; so does
     * a limit on the size of files. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    enum sl_status status = run_command(argc, argv);
    /* A "no" that was not printed is no answer. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && (status == SL_OK || status == SL_NO)) {
        perror("slackline-calibrate: standard output");
        return SL_SYSTEM;
    }
    if (!sl_report_is_whole()) {
        fputs("slackline-calibrate: out of memory: a part of a report is missing\n", stderr);
        return SL_SYSTEM;
    }
    return (int)status;
}
