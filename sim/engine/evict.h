/* Eviction while running: what the policy decides, and what a worker keeps for it.
 *
 * A copy that may leave (graph->evictor) goes through these states; only HERE can it be used:
 *
 *     UNBORN -> HERE -> AWAY -> RETURNING -> HERE -> ... -> OVER (-> LOST)
 *                  \-> LEAVING -/                (OVER copies may return for a recomputation)
 *
 * A node that is ready but for absent copies *gathers* them: it has them brought back, and becomes
 * ready with the last.  Each gathering has a number; who began earlier may take from who began
 * later, never the other way round, so gathering ends. */
#ifndef SL_EVICT_H
#define SL_EVICT_H
#include "evictor.h"
#include "worker.h"

enum copy_state {
    COPY_UNBORN,
    COPY_HERE,
    COPY_LEAVING,   /* on its way to its refuge */
    COPY_AWAY,      /* in its refuge, or dropped */
    COPY_RETURNING, /* called back; its bytes are taken when that node starts */
    COPY_OVER,      /* the plan has given it back; a recomputation may still make it for another */
    COPY_LOST       /* ... and nothing can make it again */
};

struct copy_run {
    uint8_t state;
    bool over;       /* the plan has given it back, whatever the state */
    bool unused;     /* came back and was not used since */
    uint32_t pins;   /* running users, and the one that writes or brings it */
    uint32_t wants;  /* nodes that gather it or wait with it for their start */
    uint32_t leases; /* recomputations of absent copies that read it */
    uint64_t oldest; /* least number of those that want it */
    int64_t used_ps, loaded_ps;
    uint32_t used_by;    /* the run that used it last; SL_NONE */
    uint32_t next_user;  /* place in its users: those before it have started */
    uint32_t place;      /* in `here` */
    uint32_t turns;      /* evictions since a node of the plan last started or finished */
    uint64_t progress;   /* ... counted up to then */
    uint32_t wanted_for; /* the node for which it left last */
};

struct evict_run {
    const struct sl_evictor *plan;
    struct copy_run *copies;
    struct sl_copy_record *record; /* per copy */
    uint64_t clock;                /* numbers of gatherings */
    uint64_t progress;             /* starts and finishes of the plan's nodes */
    uint64_t *number;              /* per node: of its gathering; 0: none yet */
    bool *wanting, *gathering, *robbed, *active;
    uint32_t *robbed_nodes, robbed_count;
    uint32_t *relied;                      /* per latent: absent copies that only it can make */
    uint32_t *lost;                        /* per latent: copies that it reads and that are lost */
    uint32_t *instance;                    /* per latent: how often it was called */
    uint32_t *run_index;                   /* per latent: index of its latest run in the record */
    uint32_t *here, here_count;            /* copies in state HERE */
    uint32_t *stack, *lost_stack;          /* scratch */
    uint32_t *seen, *seen_latent, stamp;   /* scratch of the neighbourhood, per copy and latent */
    uint32_t *place;                       /* per node of the plan: in plan order */
    uint32_t front;                        /* the largest place of a node that has started */
    int64_t *leaving_bytes, *refuge_bytes; /* per domain: under way out; promised for it */
    uint32_t run_capacity;                 /* places for runs of latent nodes in the record */
    uint32_t *run_node;                    /* per such run: its node */
    uint32_t run_count;
    struct sl_copy_step *steps; /* with SL_RECORD_LEVELS */
    size_t step_count, step_capacity;
    uint32_t *told, told_count; /* copies whose last lease was returned while writers wait for it */
    uint32_t finisher;          /* the run whose end is being told */
    char livelock[512];
};

/* A run's index in the record: that of a latent node's latest run lies beyond all nodes. */
static inline uint32_t sl_run_of(const struct sl_worker *w, uint32_t node)
{
    return node < w->p->planned || !w->evict ? node : w->evict->run_index[node - w->p->planned];
}

/* evict.c: the frame of a trial, and what the loop tells */
enum sl_status sl_evict_create(struct sl_worker *w) SL_NODISCARD;
void sl_evict_begin(struct sl_worker *w);
/* True when all that `node` needs is here; otherwise it is brought, and the node waits for it. */
bool sl_evict_gather(struct sl_worker *w, uint32_t node);
void sl_evict_started(struct sl_worker *w, uint32_t node);
void sl_evict_finished(struct sl_worker *w, uint32_t node);
/* A node that will not run any more (skipped or cancelled) wants nothing. */
void sl_evict_forgo(struct sl_worker *w, uint32_t node);
/* After a scan: nodes whose copies were taken while they waited gather them again. */
void sl_evict_settle(struct sl_worker *w);
/* Whether `node` has to take the holding: a recomputation only makes what was called back. */
bool sl_evict_takes(const struct sl_worker *w, uint32_t node, uint32_t holding);
bool sl_evict_writes(const struct sl_worker *w, uint32_t copy, uint32_t node);
/* Those that gather the copy look again. */
void sl_evict_tell(struct sl_worker *w, uint32_t copy, uint32_t behind);
void sl_evict_put_here(struct sl_worker *w, uint32_t copy);
void sl_evict_take_away(struct sl_worker *w, uint32_t copy);
/* A latent node that `node` gathers and that has not come yet; SL_NONE. */
uint32_t sl_evict_awaited(const struct sl_worker *w, uint32_t node);

/* evict_room.c: lets copies leave so that `node`, whose bytes do not fit, can start; true when they
 * fit now. */
bool sl_evict_make_room(struct sl_worker *w, uint32_t node);

/* `node` starts: the copy that it makes elsewhere takes the place of one that was evicted to there. */
void sl_evict_replace(struct sl_worker *w, uint32_t node);

/* evict_leases.c: what can still be recomputed */
bool sl_copy_is_made(const struct sl_worker *w, uint32_t copy);  /* by recomputation */
bool sl_copy_can_drop(const struct sl_worker *w, uint32_t copy); /* ... that is still possible */
void sl_lease_take(struct sl_worker *w, uint32_t copy);          /* absent from now on */
void sl_lease_return(struct sl_worker *w, uint32_t copy); /* here again, or never needed again */
void sl_copy_try_end(struct sl_worker *w, uint32_t copy);
/* `node` overwrites the copy: what an earlier node made from it cannot be made any more. */
void sl_copy_spoil(struct sl_worker *w, uint32_t copy, uint32_t node);

/* evict_runs.c: runs of latent nodes in the record */
/* Calls a latent node on behalf of `reason`, and says what let it be called just now. */
void sl_evict_call(struct sl_worker *w, uint32_t latent, uint32_t reason);
/* `run`: whose end it is, or for SL_COPY_DROPPED and SL_COPY_LEAVES the node that wants the bytes. */
void sl_evict_note(struct sl_worker *w, uint32_t copy, enum sl_copy_change change, uint32_t run);
void sl_run_open(struct sl_worker *w, uint32_t latent);
void sl_run_freed(struct sl_worker *w, uint32_t latent);
void sl_run_close(struct sl_worker *w, uint32_t latent);
/* Completes the record of a trial with them; returns the time at which the last one ended. */
int64_t sl_evict_record(struct sl_worker *w);
void sl_evict_name_causes(struct sl_worker *w); /* record.behind, when all else is in place */
#endif
