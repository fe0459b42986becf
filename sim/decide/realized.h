/* What was measured of a plan: repetitions of a replay, or steps of a trace, and the works of each.
 *
 * One that is cold is set apart: the first, where it takes longer than SL_COLD times the median of
 * the others.  So are those that the replay rejected, or that were in another regime of the machine
 * than the judged one. */
#ifndef SL_REALIZED_H
#define SL_REALIZED_H
#include "names.h"
#include "replay_csv.h"

struct sl_realized_work {
    uint32_t name; /* index in names */
    int64_t from_ps, to_ps;
    int64_t wait_ps; /* from when it was ready; -1: not known */
};
/* One that counts. */
struct sl_realized_run {
    uint32_t first, count; /* its works */
    double time_us;        /* from its start to its end */
};

struct sl_realized {
    struct sl_arena arena;
    const char *kind;     /* "replay", "trace", "audit" */
    const char *path;     /* as given */
    const char *files[3]; /* what was read */
    char sha256s[3][65];  /* of each; of a replay the timeline is the first */
    uint32_t file_count;
    struct sl_replay_record replay; /* of a replay; dir NULL of others */
    struct sl_names names;
    struct sl_realized_work *works;
    uint32_t work_count, work_capacity;
    struct sl_realized_run *runs; /* in order of time */
    uint32_t run_count, run_capacity;
    bool has_works;    /* false: only the times of runs are known, as in an audit's JSON */
    uint32_t rejected; /* repetitions that a replay did not judge */
    bool cold;         /* the first one was, and is not among the runs */
    double cold_us;
    double *times_us; /* of the runs, ascending */
};

/* Reads a replay's folder, a folder or the JSON of `slackline audit`, or a trace.  Faults of its
 * content go to `diags`.  SL_INVALID where it is none of these, or holds no run.  sl_realized_free
 * releases in every case. */
enum sl_status sl_realized_read(struct sl_realized *realized, const char *path,
                                struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
void sl_realized_free(struct sl_realized *realized);

/* ---- parts, by kind of source --------------------------------------------------------------- */

/* Adds works and runs; SL_SYSTEM: out of memory. */
enum sl_status sl_realized_add_work(struct sl_realized *realized, const char *name, int64_t from_ps,
                                    int64_t to_ps, int64_t wait_ps,
                                    struct sl_error *err) SL_NODISCARD;
enum sl_status sl_realized_add_run(struct sl_realized *realized, uint32_t first, double time_us,
                                   struct sl_error *err) SL_NODISCARD;
/* Notes a file that is read, with its hash; returns its path in the arena in *kept. */
enum sl_status sl_realized_note_file(struct sl_realized *realized, const char *dir,
                                     const char *name, const char **kept,
                                     struct sl_error *err) SL_NODISCARD;
enum sl_status sl_realized_read_replay(struct sl_realized *realized, const char *dir,
                                       struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* Faults of a replay's timeline.csv at `path` go to `diags`: times that are none,
 * ends before their start or after their repetition, a node twice in one, a last end that
 * contradicts the makespan in realized->replay, which is read.  Of judged repetitions alone. */
enum sl_status sl_realized_check_timeline(struct sl_realized *realized, const char *path,
                                          struct sl_diags *diags,
                                          struct sl_error *err) SL_NODISCARD;
enum sl_status sl_realized_read_trace(struct sl_realized *realized, const char *path,
                                      struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_realized_read_audit(struct sl_realized *realized, const char *dir,
                                      struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_realized_read_json(struct sl_realized *realized, const char *path,
                                     struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
#endif
