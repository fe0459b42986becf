/* What the commands that run cells do alike: load the scenario, tell its faults, open the results
 * folder, run the cells with progress, and close. */
#ifndef SL_SESSION_H
#define SL_SESSION_H
#include "runargs.h"

struct sl_session {
    struct sl_run_args args;
    const struct sl_command *command;
    const char *instead_of_jobs; /* what to use in modes open and closed, which the command does not
                                  * have; NULL: it has them */
    struct sl_scenario scenario;
    struct sl_diags diags;      /* of loading; already printed */
    struct sl_results *results; /* NULL without -o */
    struct sl_ranks
        *ranks; /* NULL: one process.  Those that do not lead write and print nothing. */
    struct sl_sweep_totals totals;
    struct sl_race_report race;   /* with args.race */
    uint32_t kept, done;          /* cells found in the folder, cells run now */
    const char *more_policies[8]; /* files whose policies are added to the scenario's */
    uint32_t more_count;
    /* The lines of summary.csv by cell index, for reports; NULL where there is none. */
    char **lines;
    uint32_t line_count, line_capacity;
    /* Told that the scenario is loaded, before anything runs or is written.  NULL: nobody. */
    enum sl_status (*on_loaded)(struct sl_session *session, struct sl_error *err);
    /* Told each finished cell, before anything of it is on disk: what fails here leaves nothing.
     * NULL: nobody. */
    enum sl_status (*before_cell)(struct sl_session *session, const struct sl_cell *cell,
                                  struct sl_error *err);
    /* Told each finished cell, after it is on disk.  NULL: nobody. */
    enum sl_status (*on_cell)(struct sl_session *session, const struct sl_cell *cell,
                              struct sl_error *err);
    /* The same between ranks: what on_cell keeps of a cell, written on the one that ran it, and
     * read on the one that leads.  `pack_cell` may run on another thread. */
    enum sl_status (*pack_cell)(const struct sl_session *session, const struct sl_cell *cell,
                                struct sl_wire *wire, struct sl_error *err);
    enum sl_status (*take_cell)(struct sl_session *session, uint32_t cell, struct sl_wire *wire,
                                struct sl_error *err);
    /* Called when all cells are done, before the results folder (if any) is finished.  NULL:
     * nobody. */
    enum sl_status (*on_complete)(struct sl_session *session, struct sl_error *err);
    void *user;
};

/* Loads `path`, starts the threads of all that the command runs (args.options.pool), and opens the
 * results folder.  Faults are reported on stderr. */
enum sl_status sl_session_open(struct sl_session *session, const char *path,
                               const char *command_line) SL_NODISCARD;
/* The one policy of commands that take one: named, the baseline, or the only one; NULL where the
 * scenario has none.  Never another one instead: a report that silently shows a different policy
 * than the one asked for would be worse than none.  SL_USAGE, reported, when there is no such one.
 */
enum sl_status sl_session_policy(const struct sl_session *session,
                                 const char **policy) SL_NODISCARD;
uint64_t sl_session_seed(const struct sl_session *session);
/* SL_USAGE where the scenario's mode is open or closed, which `what` does not have; `instead` says
 * what to do. */
enum sl_status sl_session_lacks_jobs(const struct sl_session *session, const char *what,
                                     const char *instead, struct sl_error *err) SL_NODISCARD;
/* Prints on stderr what was found since loading and not said then; returns the errors among it. */
size_t sl_session_tell(const struct sl_session *session, const struct sl_diags *found);
/* For a sweep on ranks: `user` is the session.  In the form SL_SESSION_LINE a cell's line of
 * summary.csv is all that travels. */
enum { SL_SESSION_CELL, SL_SESSION_LINE };
enum sl_status sl_session_pack(void *user, const struct sl_cell *cell, uint32_t form,
                               struct sl_wire *wire, struct sl_error *err) SL_NODISCARD;
/* True on the process that writes and reports. */
bool sl_session_leads(const struct sl_session *session);
/* Runs the cells of these policies (none: all) at the axes or without, and finishes the folder.
 * SL_NO when every cell failed: the folder is complete then, too. */
enum sl_status sl_session_run(struct sl_session *session, const char *path,
                              const char *const *policies, uint32_t policy_count,
                              bool no_axes) SL_NODISCARD;
/* What besides the scenario determines the results, for the manifest; before opening.  NULL: out of
 * memory. */
enum sl_status sl_session_note(struct sl_session *session, const char *setting,
                               struct sl_error *err) SL_NODISCARD;
void sl_session_close(struct sl_session *session);
#endif
