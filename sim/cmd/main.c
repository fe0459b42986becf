/* The command line: finds the command and runs it. */
#include "config.h"

#include "kept.h"
#include "launch.h"
#include "text.h"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct sl_command *const commands[] = {
    &sl_command_check,    &sl_command_run,         &sl_command_explain,   &sl_command_sweep,
    &sl_command_compare,  &sl_command_search,      &sl_command_plot,      &sl_command_list,
    &sl_command_generate, &sl_command_audit,       &sl_command_import,    &sl_command_export,
    &sl_command_decide,   &sl_command_feasibility, &sl_command_reproduce,
};
#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

/* Commands of the design that this version does not have: known words, so that nobody searches for
 * a spelling mistake. */
static const char *const later[] = {
    "explore",
};
#define LATER_COUNT (sizeof later / sizeof later[0])

static void print_help(void)
{
    puts("Usage: slackline COMMAND [OPTION]... [OPERAND]...\n"
         "Simulates GPU memory scheduling policies and says which one has the best tail, why,\n"
         "and how sure that is.\n\nCommands:");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-11s %s\n", commands[i]->name, commands[i]->summary);
    puts("\n  -h, --help     print this help and exit\n"
         "  -V, --version  print the version and exit\n\n"
         "'slackline COMMAND --help' explains one command.  See slackline(1).");
}

static enum sl_status unknown_command(const char *word)
{
    const char *names[COMMAND_COUNT + LATER_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[count++] = commands[i]->name;
    for (size_t i = 0; i < LATER_COUNT; i++) {
        if (strcmp(word, later[i]) == 0) {
            fprintf(stderr, "slackline: command '%s' is not in this version (%s)\n", word,
                    PACKAGE_VERSION);
            return SL_USAGE;
        }
        names[count++] = later[i];
    }
    const char *near = sl_nearest(word, names, count);
    const char *what = *word == '-' ? "option" : "command";
    if (near && *word != '-')
        fprintf(stderr, "slackline: unknown %s '%s' (did you mean '%s'?)\n", what, word, near);
    else
        fprintf(stderr, "slackline: unknown %s '%s'\n", what, word);
    fputs("Try 'slackline --help'.\n", stderr);
    return SL_USAGE;
}

static enum sl_status run_command(int argc, char **argv)
{
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_help();
        return SL_OK;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        puts("slackline " PACKAGE_VERSION "\n"
             "License GPL-3.0-or-later: free software, no warranty.");
        return SL_OK;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(word, commands[i]->name) == 0)
            return sl_launch_allows(commands[i]) ? commands[i]->run(commands[i], argc - 1, argv + 1)
                                                 : SL_USAGE;
    return unknown_command(word);
}

/* A standard stream that the caller closed would become the next file that is opened, and messages
 * would end up in it.  In its place stands one on which every operation fails as before. */
static bool occupy_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    if (!occupy_closed_streams())
        return SL_SYSTEM;
    if (argc < 2) {
        fputs("slackline: missing command\nTry 'slackline --help'.\n", stderr);
        return SL_USAGE;
    }
    /* A reader that closes the pipe early (head) ends the writing with an error, not by a signal
     * that would leave a results folder half-written; so does a limit on the size of files. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    enum sl_status status = run_command(argc, argv);
    /* A "no" that was not printed is no answer. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && (status == SL_OK || status == SL_NO)) {
        perror("slackline: standard output");
        return SL_SYSTEM;
    }
    if (!sl_report_is_whole()) {
        fputs("slackline: out of memory: a part of the report is missing\n", stderr);
        return SL_SYSTEM;
    }
    return (int)status;
}
