/* The plain path: a loop for programs in which each node waits for its conditions and then for one
 * place in one queue, and nothing else holds it back (sl_plain_pack says exactly when).  It gives
 * the records of the general loop, bit by bit, for every trial in which all nodes run; a trial that
 * it can't bring to its end is the general loop's.
 *
 *     plain_pack.c    which programs, and what the loop reads of them
 *     plain.c         the loop
 *     plain_record.c  what the loop leaves to passes over arrays, after it */
#ifndef SL_PLAIN_H
#define SL_PLAIN_H
#include "worker.h"

#define SL_PLAIN_SLOTS      8 /* running nodes that are kept in order, without a heap */
#define SL_PLAIN_SLOT_BITS  3
#define SL_PLAIN_QUEUES     62                 /* one bit each, in a word */
#define SL_PLAIN_BITS       12                 /* of a state: how many nodes of each cell run */
#define SL_PLAIN_STATES     (1u << SL_PLAIN_BITS)
#define SL_PLAIN_SUCC_BITS  (32 - SL_PLAIN_BITS)
#define SL_PLAIN_MOST_SUCC  (1u << SL_PLAIN_SUCC_BITS)
#define SL_PLAIN_TIME_LIMIT ((int64_t)1 << 59) /* ps: a time and a slot share a word */

/* ---- what the program says ------------------------------------------------------------------ */

struct plain_node {
    uint32_t succ_first; /* in succ; brisk: an even count, at least 2 */
    uint32_t succ_count : SL_PLAIN_SUCC_BITS;
    uint32_t share : SL_PLAIN_BITS; /* what it adds to the state while it runs */
};

/* A condition, in a word: whose it is, and in which queue that node waits.  Node n is nobody, to fill
 * a pair up. */
#define SL_PLAIN_QUEUE_BITS 6
#define SL_PLAIN_MOST_NODES (1u << (32 - SL_PLAIN_QUEUE_BITS))

static inline uint32_t plain_succ(uint32_t to, uint32_t queue)
{
    return to << SL_PLAIN_QUEUE_BITS | queue;
}

static inline uint32_t succ_to(uint32_t succ)
{
    return succ >> SL_PLAIN_QUEUE_BITS;
}

static inline uint32_t succ_queue(uint32_t succ)
{
    return succ & ((1u << SL_PLAIN_QUEUE_BITS) - 1);
}

/* The places of one resource, or of the nodes that demand none; as they are before a trial. */
struct plain_queue {
    uint32_t first;    /* its slice of the items */
    uint32_t places;   /* nodes that can still start */
    uint32_t slots;    /* bit by bit, those of it that are slots; 0: its nodes end by the heap */
    uint32_t resource; /* SL_NONE: nodes that demand none */
};

/* What a node waits for: how many conditions, and which of those that were met came last: a place in
 * succ, or beyond them what holds from the beginning (reasons). */
struct plain_wait {
    uint32_t pending, latest;
};

/* Nodes of one class in one queue: their count is a field of the state. */
struct plain_cell {
    uint32_t resource, klass; /* SL_NONE: none */
    uint32_t share, mask;
};

struct sl_plain {
    struct plain_node *nodes;
    uint32_t *succ;
    struct plain_wait *waits; /* per node, and one more: nobody */
    uint8_t *queue_of;        /* per node */
    uint32_t *from;           /* per condition: the node that meets it; SL_NONE: none does */
    uint8_t *cause;
    uint32_t *begun;   /* nodes with a release or without predecessors */
    uint32_t begun_count;
    struct plain_queue *queues; /* and one more, of nobody */
    uint32_t queue_count, slot_count;
    uint8_t slot_queue[SL_PLAIN_SLOTS];
    struct plain_cell cells[SL_PLAIN_BITS];
    uint32_t cell_count, states;
    bool lagged;
    /* No lags, releases or latencies, and fifo queues: what becomes ready does so now, goes to the
     * end of its queue, and names whoever ended last. */
    bool brisk;
};

/* ---- what a trial changes ------------------------------------------------------------------- */

struct plain_run {
    /* Finish << SL_PLAIN_SLOT_BITS | slot of what runs in the slots, ascending; INT64_MAX: none. */
    int64_t key[SL_PLAIN_SLOTS];
    uint32_t node[SL_PLAIN_SLOTS]; /* by slot: who runs there, and what the program says of it */
    struct plain_node runs[SL_PLAIN_SLOTS];
    uint32_t idle;         /* slots, bit by bit */
    uint64_t room, filled; /* queues with places, with waiting nodes: bit by bit */
    int64_t now;
    uint32_t state;
    int64_t *state_ps; /* how long each state lasted */
    /* By queue, and of one more, which is nobody's: who waits, in items; nodes that can still start;
     * the first node that came free in this round. */
    uint32_t head[SL_PLAIN_QUEUES + 1], tail[SL_PLAIN_QUEUES + 1];
    uint32_t places[SL_PLAIN_QUEUES + 1], behind[SL_PLAIN_QUEUES + 1];
    uint32_t *items;
    struct wait_item *crowd;        /* heaps, in the queues' slices: crowd.h */
    uint32_t *crowd_count, crowded; /* per queue; of all */
    struct plain_wait *waits;       /* per node */
    uint32_t *freed_by; /* per node that waited for its queue: who left the place */
};

/* Sets p->plain where the program is plain; after all else is packed. */
enum sl_status sl_plain_pack(struct sl_program *p, struct sl_error *err) SL_NODISCARD;
/* False when out of memory. */
bool sl_plain_create(struct sl_worker *w) SL_NODISCARD;
/* Runs the trial whose draws are filled.  False: it did not end, and the general loop has to run it
 * from its beginning. */
bool sl_plain_run(struct sl_worker *w) SL_NODISCARD;
/* Fills what the loop did not write: finishes, causes of waits, lags, busy times. */
void sl_plain_record(struct sl_worker *w);
#endif
