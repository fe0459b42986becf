/* The common path: a loop for programs in which nodes wait for their conditions, then in a sorted
 * queue for units of one resource and for bytes, and may slow each other down while they run
 * (sl_common_pack says exactly when).  It gives the records of the general loop, bit by bit, for
 * every trial in which all nodes run; a trial that it can't bring to its end is the general loop's.
 *
 * What makes it shorter is how the waiting nodes are kept: the place of one in the waiting order is
 * a single word, and the first words of all queues lie side by side.
 *
 *     common_pack.c   which programs, and what the loop reads of them
 *     common_queue.h  the queues of those that wait
 *     common.c        the loop */
#ifndef SL_COMMON_H
#define SL_COMMON_H
#include "worker.h"

#define SL_COMMON_QUEUES 16
#define SL_COMMON_LANES  4    /* queues looked at side by side */
#define SL_COMMON_MOVES  1024 /* more waiting nodes than this do not move for a new one */
#define SL_COMMON_LAST   UINT64_MAX

/* ---- what the program says ------------------------------------------------------------------ */

/* What the loop reads of a node, together. */
struct common_node {
    uint64_t item; /* key, instant 0, node: see sl_common */
    uint64_t mask; /* struct need */
    int64_t bytes;
    uint32_t domain;
    uint32_t units;
    uint32_t succ_first, succ_count; /* in succ; an even count */
    uint32_t cell, klass;
    uint32_t flags;
    uint16_t queue;
    uint16_t rivals; /* queues of its waiting list, bit by bit: 0 where nobody can pass another */
    uint64_t unused; /* 64 bytes: an index is a shift */
};

/* The nodes that demand one resource, or none but bytes; as they are before a trial. */
struct common_queue {
    int64_t free, each; /* units, and the least that one of its nodes demands */
    int64_t busy_since;
    uint32_t users;
    uint32_t first;    /* its slice of the items: a place per node, and two behind that say */
    uint32_t resource; /* ... SL_COMMON_LAST; before it lie SL_COMMON_LANES that say 0 */
};

/* A waiting node's place in the order is one word, key << key_shift | instant << instant_shift |
 * node: an earlier word goes first.  Instants are numbered as they come, and keys of a list that is
 * scanned earlier are less. */
struct sl_common {
    struct common_node *nodes;
    struct succ
        *succ; /* in pairs: node n, which is nobody, fills one up; a pair follows the last */
    uint32_t *pending; /* conditions, per node */
    uint32_t *begun;   /* nodes with a release or without predecessors */
    uint32_t begun_count;
    struct common_queue *queues;
    uint32_t queue_count;
    uint32_t places; /* of all queues */
    uint32_t instant_shift, node_mask;
    bool late;   /* has lags or releases: a node may become ready after its last condition is met */
    bool varies; /* has nodes of NODE_VARIES */
    bool all_compete; /* whoever waits can be passed by everybody else */
};

/* ---- what a trial changes ------------------------------------------------------------------- */

struct common_run {
    uint64_t first[SL_COMMON_QUEUES]; /* who waits; SL_COMMON_LAST: nobody */
    uint64_t shut[SL_COMMON_QUEUES];  /* SL_COMMON_LAST: no units for anybody, else 0 */
    uint64_t next[SL_COMMON_QUEUES];  /* whom the scan tries next */
    uint32_t head[SL_COMMON_QUEUES], tail[SL_COMMON_QUEUES]; /* who waits, in items */
    uint32_t cursor[SL_COMMON_QUEUES];                       /* whom the scan tries next */
    struct common_queue queues[SL_COMMON_QUEUES];
    uint64_t instant; /* its number, in its place in a word */
    uint32_t scan;    /* counts through the trial */
    uint32_t lone;    /* the one node that ends in this round; SL_NONE: none, or several */
    bool crowded;     /* a queue was too long, in this trial or another */
    uint64_t *why;    /* per node: by free, cause and behind, of its latest condition or its wait */
    uint32_t *starved; /* per node: the last scan in which it lacked just bytes */
    uint32_t *pending;
    uint32_t *complete, complete_count; /* nodes whose last condition was met in this round */
    uint64_t *items;                    /* 0: has left */
};

/* Sets p->common where the program is common; after all else is packed. */
enum sl_status sl_common_pack(struct sl_program *p, struct sl_error *err) SL_NODISCARD;
/* False when out of memory. */
bool sl_common_create(struct sl_worker *w) SL_NODISCARD;
/* Runs the trial whose draws are filled.  False: it did not end, and the general loop has to run it
 * from its beginning. */
bool sl_common_run(struct sl_worker *w) SL_NODISCARD;
#endif
