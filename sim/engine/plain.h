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
#include "program.h"

#define SL_PLAIN_SLOTS      8 /* running nodes that are kept in order, without a heap */
#define SL_PLAIN_SLOT_BITS  3
#define SL_PLAIN_QUEUES     62                 /* one bit each, in a word */
#define SL_PLAIN_BITS       12                 /* of a state: how many nodes of each cell run */
#define SL_PLAIN_TIME_LIMIT ((int64_t)1 << 59) /* ps: a time and a slot share a word */

/* ---- what the program says ------------------------------------------------------------------ */

struct plain_node {
    uint32_t succ_first, succ_count; /* in succ; brisk: an even count, at least 2 */
    uint32_t queue;
    uint32_t share; /* what it adds to the state while it runs */
};

struct plain_succ {
    uint32_t to; /* n: nobody, to fill a pair up */
    uint16_t queue, cause;
};

/* The places of one resource, or of the nodes that demand none; as they are before a trial. */
struct plain_queue {
    uint32_t head, tail; /* who waits, in items */
    uint32_t places;     /* nodes that can still start */
    uint32_t slots;      /* bit by bit, those of it that are slots; 0: its nodes end by the heap */
    uint32_t behind;     /* the first node that came free here in this round */
    uint32_t resource;   /* SL_NONE: nodes that demand none */
};

/* Nodes of one class in one queue: their count is a field of the state. */
struct plain_cell {
    uint32_t resource, klass; /* SL_NONE: none */
    uint32_t share, mask;
};

struct sl_plain {
    struct plain_node *nodes;
    struct plain_succ *succ;
    uint32_t *pending; /* conditions, per node */
    uint32_t *begun;   /* nodes with a release or without predecessors */
    uint32_t begun_count;
    struct plain_queue *queues; /* and one more, of nobody */
    uint32_t queue_count, slot_count;
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
    uint32_t node[SL_PLAIN_SLOTS]; /* by slot */
    uint32_t idle;                 /* slots, bit by bit */
    uint64_t room, filled;         /* queues with places, with waiting nodes: bit by bit */
    int64_t now;
    uint32_t state;
    uint32_t passed;   /* nodes that have ended */
    int64_t *state_ps; /* how long each state lasted */
    struct plain_queue *queues;
    uint32_t *pending, *items;
    struct wait_item *crowd;        /* heaps, in the queues' slices: crowd.h */
    uint32_t *crowd_count, crowded; /* per queue; of all */
    uint16_t *cause; /* of the latest readiness condition; its time and node are in the record */
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
