/* What the files that make up a sweep on several ranks share: messages, and the leader's books. */
#ifndef SL_RANKSPARTS_H
#define SL_RANKSPARTS_H
#include "ranks.h"
#include "sweepparts.h"
#include "wire.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

enum { SL_TAG_ORDER, SL_TAG_CANCEL, SL_TAG_REPORT };

/* From the leader, with SL_TAG_ORDER; SL_TAG_CANCEL has no content: stop, and report `gone`. */
struct sl_rank_order {
    enum { SL_ORDER_CELL, SL_ORDER_PORTION, SL_ORDER_LEAVE } kind;
    uint32_t cell, first, trials; /* of a portion */
    /* A command may sweep in several rounds; what differs between them. */
    uint32_t round, form;
    bool nominal, seed_given;
    uint64_t seed;
};

enum sl_rank_report_kind {
    SL_REPORT_HERE,    /* a greeting */
    SL_REPORT_CELL,    /* a finished cell */
    SL_REPORT_PORTION, /* a portion of trials */
    SL_REPORT_FAILED,  /* an error: the rank does no more */
    SL_REPORT_GONE,    /* it was told to stop, and has */
};

/* The head of a report; what follows depends on the kind. */
struct sl_rank_report {
    enum sl_rank_report_kind kind;
    uint32_t cell, first;
    enum sl_verdict verdict;
    uint64_t trials, node_runs;
    double seconds;
};

/* A rank as the leader knows it. */
struct sl_member {
    bool here, gone;
    uint32_t given; /* cells and portions that it has not sent back */
    uint32_t threads;
    pid_t pid;
    char host[256];
};

struct sl_ranks {
    struct sl_comm *comm;
    uint32_t threads;
    bool leads;
    bool released; /* a worker: it need not wait for the leader any more */
    /* The leader's. */
    struct sl_member *members; /* by rank */
    bool cancelled;            /* nobody works any more */
    uint32_t round;
    /* Rank 0 as a worker. */
    struct sl_ranks *own;
    struct sl_sweep_request own_request;
    pthread_t own_thread;
    atomic_bool own_is_done; /* of `own`: its thread sends no more */
};

/* ---- messages (ranks.c) ---- */

enum sl_status sl_ranks_send_report(struct sl_ranks *ranks, struct sl_wire *wire,
                                    struct sl_error *err) SL_NODISCARD;
enum sl_status sl_ranks_send_order(struct sl_ranks *ranks, uint32_t to,
                                   const struct sl_rank_order *order,
                                   struct sl_error *err) SL_NODISCARD;
/* An error, and diagnostics from number `from` on. */
void sl_wire_error(struct sl_wire *wire, struct sl_error *error);
void sl_wire_diags(struct sl_wire *wire, struct sl_diags *diags, size_t from);
/* Sleeps a little, longer from call to call; *pause_ns is 0 at first. */
void sl_ranks_pause(long *pause_ns);
/* By the number of cells, what planning reads, and the version: equal on all ranks. */
uint64_t sl_ranks_digest(const struct sl_sweep *sweep);

/* ---- a worker (ranks_work.c) ---- */

/* Does what the leader says until it lets the rank go.  `prepared` other than SL_OK: tells it that
 * *err kept the rank from beginning. */
enum sl_status sl_ranks_work(struct sl_sweep *sweep, enum sl_status prepared,
                             struct sl_error *err) SL_NODISCARD;
/* Tells the leader what ended the work, and waits to be let go. */
void sl_ranks_give_up(struct sl_ranks *ranks, struct sl_error *error, struct sl_diags *diags);

/* ---- the leader (ranks_lead.c) ---- */

struct sl_leader {
    struct sl_sweep *sweep;
    struct sl_ranks *ranks;
    uint32_t next, left; /* cells not handed out: the first one may be `next`, and their number */
    uint32_t running;    /* handed out whole, and not back */
    struct sl_error failure; /* told by a rank */
    long pause_ns;
    double progress_s, look_s; /* when progress and the ranks' lives were seen to last */
    struct sl_cell_helpers helpers;
    struct sl_portions *portions; /* of the cell that is in hand; NULL: none */
};

/* Runs the sweep's cells. */
enum sl_status sl_ranks_lead(struct sl_sweep *sweep, struct sl_error *err) SL_NODISCARD;
/* Runs `run` (a race) on this process, with the others as helpers. */
enum sl_status sl_ranks_lead_race(struct sl_sweep *sweep, struct sl_error *err) SL_NODISCARD;
/* Takes a report if there is one, else waits a little; sees to progress and to lost ranks. */
enum sl_status sl_leader_step(struct sl_leader *leader, struct sl_error *err) SL_NODISCARD;

/* ---- portions of a cell's trials (ranks_portions.c) ---- */

/* True when a cell of so many trials is worth being split. */
bool sl_portions_pay(uint32_t nodes, uint64_t trials);
enum sl_status sl_portions_collect(void *leader, struct sl_cell *cell, uint32_t had,
                                   struct sl_trials_job *job, struct sl_error *err) SL_NODISCARD;
/* A portion that came; takes the bytes. */
enum sl_status sl_portions_take(struct sl_leader *leader, const struct sl_rank_report *report,
                                struct sl_message *message, size_t at,
                                struct sl_error *err) SL_NODISCARD;
#endif
