/* The command table and what every command shares: options, help, error lines.
 *
 * A command is one file cmd_NAME.c ending in a `const struct sl_command` and one line of the table
 * in main.c. */
#ifndef SL_COMMAND_H
#define SL_COMMAND_H
#include "status.h"

/* Keys of options: a letter where there is a short form, else a value from here on. */
enum { SL_KEY_LONG = 256 };

struct sl_option {
    int key;
    const char *name;     /* long form, without the dashes */
    const char *argument; /* "N", or NULL when it takes none */
    const char *help;
};

struct sl_command {
    const char *name, *summary;
    const char *operands;    /* "SCENARIO" */
    const char *description; /* paragraphs of --help, each line below 80 characters */
    const struct sl_option *options; /* without --help, which every command has */
    size_t option_count;
    int operand_min, operand_max;
    bool on_ranks; /* shares its work among the ranks of an MPI job */
    enum sl_status (*run)(const struct sl_command *command, int argc, char **argv);
};

/* Takes one option of a command line; fills *err with SL_USAGE when the value is wrong. */
typedef enum sl_status (*sl_option_taker)(void *user, int key, const char *value,
                                          struct sl_error *err);

/* Reads a command's arguments (argv[0] is the command's name) and leaves its operands at
 * argv[*first] and on.  *done is set when --help was printed.  Usage errors are already reported
 * on stderr. */
enum sl_status sl_options_read(const struct sl_command *command, int argc, char **argv,
                               sl_option_taker take, void *user, int *first,
                               bool *done) SL_NODISCARD;

/* "slackline run: message", with the place in front where there is one; returns err->status. */
enum sl_status sl_report_error(const char *command, const struct sl_error *err);
/* Like "slackline run: unknown ..." with a closing hint at --help; returns SL_USAGE. */
enum sl_status sl_usage_error(const char *command, const char *format, ...) SL_PRINTF(2, 3);

extern const struct sl_command sl_command_check, sl_command_run, sl_command_explain,
    sl_command_sweep, sl_command_compare, sl_command_search, sl_command_plot, sl_command_list,
    sl_command_generate, sl_command_audit, sl_command_import,
    sl_command_export, sl_command_decide, sl_command_feasibility, sl_command_reproduce;
#endif
