/* What `slackline decide` does with a record that there is: measure it, compare it with another
 * one, carry it over to another device. */
#ifndef SL_DECIDE_MORE_H
#define SL_DECIDE_MORE_H
#include "record.h"
#include "results_folder.h"
#include "runargs.h"

enum {
    SL_DECIDE_MEASURED = SL_KEY_LONG + 256,
    SL_DECIDE_MEASURED_BASELINE,
    SL_DECIDE_TOLERANCE,
    SL_DECIDE_COMPARE,
    SL_DECIDE_REBASE,
    SL_DECIDE_DEVICE,
    SL_DECIDE_BUDGET
};
#define SL_DECIDE_MORE_OPTIONS                                                                     \
    {SL_DECIDE_MEASURED, "measured", "AUDIT",                                                      \
     "of a record: what a replay, audit or trace showed"},                                         \
        {SL_DECIDE_MEASURED_BASELINE, "measured-baseline", "AUDIT",                                \
         "there: what was measured of the baseline"},                                              \
        {SL_DECIDE_TOLERANCE, "tolerance", "SHARE",                                                \
         "there: what is close enough to the model (default: 10%)"},                               \
        {SL_DECIDE_COMPARE, "compare", "OLD", "what changed from this record to the operand"},     \
        {SL_DECIDE_REBASE, "rebase", NULL, "of a record: what becomes of it on --device"},         \
        {SL_DECIDE_DEVICE, "device", "DIR", "there: the folder of the other device"},              \
    {                                                                                              \
        SL_DECIDE_BUDGET, "budget", "TIME", "there: search for a better plan as long"              \
    }

struct sl_decide_more {
    const char *measured, *baseline; /* of --measured; NULL: not asked for */
    double tolerance;                /* 0: not given */
    const char *compare;             /* the old record; NULL: not asked for */
    bool rebase;
    const char *device;
    double budget_s; /* 0: none */
    /* Of the options that all have: */
    const char *scenario; /* where the record's scenario lies now; NULL: as in the record */
    uint32_t trials, threads;
    bool json;
};

/* Whether the option is one of these. */
bool sl_decide_more_owns(int key);
/* Takes one of these options. */
enum sl_status sl_decide_more_take(struct sl_decide_more *more, int key, const char *value,
                                   struct sl_error *err) SL_NODISCARD;
/* True: one of these is asked for, and the operand is a record. */
bool sl_decide_more_asked(const struct sl_decide_more *more);
/* Does it; errors are reported.  `args`: what else was given; `line`: the command line. */
enum sl_status sl_decide_more_run(struct sl_decide_more *more, const struct sl_run_args *args,
                                  const char *operand, const char *line) SL_NODISCARD;

/* ---- parts ----------------------------------------------------------------------------------- */

/* One process at a time changes a record: it is locked from before it is read until it is written,
 * else what one adds the other overwrites. */
struct sl_record_lock {
    struct sl_folder_lock folder;
    char dir[4096]; /* "": nothing is locked */
};
/* Locks the folder of a record, which is `operand` itself or the file in it; nothing where there is
 * no such folder.  SL_SYSTEM, with the process and host, where another one writes there.  Zeroed
 * before; sl_decide_unlock releases in every case. */
enum sl_status sl_decide_lock(struct sl_record_lock *lock, const char *operand,
                              struct sl_error *err) SL_NODISCARD;
void sl_decide_unlock(struct sl_record_lock *lock);
/* Reads a record, or that of a folder; faults are printed.  The path is put into `path`.
 * `scenario`: the folder in which its scenario lies now; NULL: it is looked for where the record
 * says. */
enum sl_status sl_decide_read_record(struct sl_record *record, const char *operand,
                                     const char *scenario, char path[4096],
                                     struct sl_error *err) SL_NODISCARD;
/* Concludes, moves the status on, and writes the record to `path` and its page beside it. */
enum sl_status sl_decide_rewrite(struct sl_record *record, const char *path, const char *line,
                                 struct sl_error *err) SL_NODISCARD;
enum sl_status sl_decide_measured(const struct sl_decide_more *more, const char *operand,
                                  const char *line, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_decide_compared(const struct sl_decide_more *more, const char *operand,
                                  struct sl_error *err) SL_NODISCARD;
enum sl_status sl_decide_rebased(const struct sl_decide_more *more, const char *operand,
                                 struct sl_error *err) SL_NODISCARD;
#endif
