/* The parts of slackline-calibrate replay, and what they share: it projects a plan, executes it
 * again and again, and tells how the two compare. */
#ifndef SL_REPLAY_PARTS_H
#define SL_REPLAY_PARTS_H
#include "calibration.h"
#include "replay_files.h"

enum { SL_REPLAY_SETTINGS = 64, SL_REPLAY_REGIMES = 4 };

struct sl_replay_regime {
    const char *name;
    struct sl_replay_tally *tally; /* of the repetitions in it that count */
};

struct sl_replay_run {
    struct sl_calibration calibration; /* the backend, and the folder */
    struct sl_arena arena;
    /* As given. */
    const char *policy;
    const char *accept; /* keys of the fingerprint in which the device may differ; NULL: none */
    uint32_t repetitions;
    struct sl_run_options options;
    uint32_t threads; /* of the projection; 0: one per core */
    struct sl_override overrides[SL_REPLAY_SETTINGS];
    uint32_t override_count;
    bool force;
    /* The projection. */
    struct sl_scenario scenario;
    struct sl_diags diags;
    struct sl_cell cell;
    /* The replay. */
    struct sl_replay_plan plan;
    uint32_t *order;
    struct sl_replay_log log;
    struct sl_replay_drift *drift; /* NULL: the backend takes no shots of works alone */
    struct sl_replay_files files;
    struct sl_replay_regime regimes[SL_REPLAY_REGIMES];
    uint32_t regime_count;
    uint32_t done, rejects[SL_REJECT_COUNT];
    uint32_t throttled; /* of those rejected for nothing: with clocks held down, kept and flagged */
};

/* replay_project.c.  Faults of the scenario are printed where they are found; *err has the first.
 */
enum sl_status sl_replay_load(struct sl_replay_run *r, const char *path,
                              struct sl_error *err) SL_NODISCARD;
/* What was measured on another machine than the opened one says nothing about this one. */
enum sl_status sl_replay_check_machine(struct sl_replay_run *r, struct sl_error *err) SL_NODISCARD;
/* Plans the policy and simulates the plan; its threads are gone afterwards. */
enum sl_status sl_replay_project(struct sl_replay_run *r, struct sl_error *err) SL_NODISCARD;

/* Simulates the plan again, at the speeds of beside->regime. */
enum sl_status sl_replay_project_again(struct sl_replay_run *r, struct sl_replay_beside *beside,
                                       struct sl_error *err) SL_NODISCARD;

/* replay_repeat.c */
enum sl_status sl_replay_make_plan(struct sl_replay_run *r, struct sl_error *err) SL_NODISCARD;
/* Until all are done or somebody interrupts. */
enum sl_status sl_replay_repeat(struct sl_replay_run *r, struct sl_error *err) SL_NODISCARD;

/* replay_tell.c: the verdict, printed and written. */
enum sl_status sl_replay_tell(struct sl_replay_run *r, struct sl_error *err) SL_NODISCARD;
#endif
