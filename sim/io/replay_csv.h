/* What a replay says of itself and of its repetitions: replay.csv and repetitions.csv of its
 * folder. */
#ifndef SL_REPLAY_CSV_H
#define SL_REPLAY_CSV_H
#include "arena.h"

/* The one row of replay.csv. */
struct sl_replay_identity {
    const char *scenario, *policy, *backend;
    uint64_t plan;      /* sl_graph_digest of what was executed */
    const char *regime; /* of the judged repetitions, "": the backend tells none apart */
    uint32_t repetitions, judged;
    /* Written for people and not read again. */
    uint64_t shots, shots_rejected; /* of works alone between the repetitions */
    double drift; /* median projected by the tables / at the speeds seen - 1; NAN: not known */
};

enum sl_status sl_replay_identity_write(const char *dir, const struct sl_replay_identity *identity,
                                        struct sl_error *err) SL_NODISCARD;

/* A folder as read; texts and values are in the arena. */
struct sl_replay_record {
    const char *dir;
    struct sl_replay_identity identity;
    struct sl_place scenario_at, policy_at, plan_at; /* in replay.csv */
    /* Of the judged repetitions, identity.judged of them. */
    double *makespans_us; /* ascending */
    uint32_t *numbers;    /* in the file's order, as the file counts them */
    double *makespan_of;  /* in that order */
};

/* Reads both files.  Faults of their content, no judged repetition, and counts that the two files
 * do not share go to `diags`; a file that is not there is an error, which says of a folder that has
 * repetitions alone how many there are and why none was judged. */
enum sl_status sl_replay_record_read(struct sl_replay_record *record, const char *dir,
                                     struct sl_arena *arena, struct sl_diags *diags,
                                     struct sl_error *err) SL_NODISCARD;
#endif
