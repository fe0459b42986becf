/* Options of a command by getopt_long, its help text, and error lines on stderr. */
#include "command.h"
#include "text.h"
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* slackline-calibrate compiles this file under its own name, and has one page for all commands. */
#ifndef SL_PROGRAM
#define SL_PROGRAM          "slackline"
#define SL_PAGE_PER_COMMAND true
#endif
#define MAX_OPTIONS 32
#define HELP_COLUMN 28

static void print_option(const struct sl_option *option)
{
    char left[64];
    if (option->key < SL_KEY_LONG)
        snprintf(left, sizeof left, "  -%c, --%s%s%s", option->key, option->name,
                 option->argument ? "=" : "", option->argument ? option->argument : "");
    else
        snprintf(left, sizeof left, "      --%s%s%s", option->name, option->argument ? "=" : "",
                 option->argument ? option->argument : "");
    printf("%-*s%s%s\n", HELP_COLUMN, left, strlen(left) < HELP_COLUMN ? "" : "  ", option->help);
}

static void print_help(const struct sl_command *command)
{
    printf("Usage: " SL_PROGRAM " %s [OPTION]...%s%s\n%s.\n\n%s\n\n", command->name,
           *command->operands ? " " : "", command->operands, command->summary,
           command->description);
    for (size_t i = 0; i < command->option_count; i++)
        print_option(&command->options[i]);
    print_option(&(struct sl_option){'h', "help", NULL, "print this help and exit"});
    printf("\nExit status: 0 done, 1 the answer is no, 2 usage, 3 invalid input, 4 system,\n"
           "130 interrupted.  See " SL_PROGRAM "%s%s(1).\n",
           SL_PAGE_PER_COMMAND ? "-" : "", SL_PAGE_PER_COMMAND ? command->name : "");
}

enum sl_status sl_report_error(const char *command, const struct sl_error *err)
{
    fflush(stdout);
    if (err->place.file) {
        sl_put_clean(err->place.file, stderr);
        if (err->place.line)
            fprintf(stderr, ":%d:%d", err->place.line, err->place.column);
        fputs(": error: ", stderr);
    } else {
        fprintf(stderr, SL_PROGRAM " %s: ", command);
    }
    sl_put_clean(err->message, stderr);
    putc('\n', stderr);
    if (err->status == SL_USAGE)
        fprintf(stderr, "Try '" SL_PROGRAM " %s --help'.\n", command);
    return err->status;
}

enum sl_status sl_usage_error(const char *command, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    fprintf(stderr, SL_PROGRAM " %s: ", command);
    sl_put_clean(message, stderr);
    fprintf(stderr, "\nTry '" SL_PROGRAM " %s --help'.\n", command);
    return SL_USAGE;
}

static enum sl_status unknown_option(const struct sl_command *command, const char *word)
{
    const char *names[MAX_OPTIONS + 1];
    size_t count = 0;
    for (size_t i = 0; i < command->option_count; i++)
        names[count++] = command->options[i].name;
    names[count++] = "help";
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *near = sl_nearest(name, names, count);
    return near ? sl_usage_error(command->name, "unknown option '--%s' (did you mean '--%s'?)",
                                 name, near)
                : sl_usage_error(command->name, "unknown option '--%s'", name);
}

/* Fills getopt's tables from the command's; returns false when they are too small. */
static bool build_tables(const struct sl_command *command, struct option *longs, char *shorts)
{
    if (command->option_count > MAX_OPTIONS)
        return false;
    *shorts++ = ':'; /* a missing value is told apart from an unknown option */
    for (size_t i = 0; i < command->option_count; i++) {
        const struct sl_option *option = &command->options[i];
        longs[i] = (struct option){option->name, option->argument ? required_argument : no_argument,
                                   NULL, option->key};
        if (option->key >= SL_KEY_LONG)
            continue;
        *shorts++ = (char)option->key;
        if (option->argument)
            *shorts++ = ':';
    }
    longs[command->option_count] = (struct option){"help", no_argument, NULL, 'h'};
    *shorts++ = 'h';
    *shorts = '\0';
    return true;
}

static enum sl_status check_operands(const struct sl_command *command, int argc, char **argv)
{
    int count = argc - optind;
    if (count < command->operand_min)
        return sl_usage_error(command->name, "missing operand: %s", command->operands);
    if (count > command->operand_max)
        return sl_usage_error(command->name, "unexpected operand '%s'",
                              argv[optind + command->operand_max]);
    return SL_OK;
}

enum sl_status sl_options_read(const struct sl_command *command, int argc, char **argv,
                               sl_option_taker take, void *user, int *first, bool *done)
{
    struct option longs[MAX_OPTIONS + 2] = {0};
    char shorts[2 * MAX_OPTIONS + 4];
    if (!build_tables(command, longs, shorts))
        return sl_usage_error(command->name, "the command has too many options");
    opterr = 0;
    optind = 1;
    for (;;) {
        int at = optind;
        int key = getopt_long(argc, argv, shorts, longs, NULL);
        if (key == -1)
            break;
        const char *word = argv[optind - 1];
        if (key == 'h') {
            print_help(command);
            *done = true;
            return SL_OK;
        }
        if (key == ':')
            return sl_usage_error(command->name, "option '%s' needs a value", word);
        if (key == '?' && optopt && optopt < SL_KEY_LONG && strncmp(argv[at], "--", 2) != 0)
            return sl_usage_error(command->name, "unknown option '-%c'", optopt);
        if (key == '?' && optopt)
            return sl_usage_error(command->name, "option '%.*s' takes no value",
                                  (int)strcspn(word, "="), word);
        if (key == '?')
            return unknown_option(command, word);
        struct sl_error err = {0};
        if (take(user, key, optarg, &err) != SL_OK)
            return sl_report_error(command->name, &err);
    }
    *first = optind;
    return check_operands(command, argc, argv);
}
