/* The state of the small simulator, for the two ways of getting what an operator lacks. */
#ifndef SL_TEST_DTR_MACHINE_H
#define SL_TEST_DTR_MACHINE_H
#include "dtr_reference.h"

struct use {
    uint32_t op, next; /* further use of the same tensor */
};

struct storage {
    int64_t cost_ns, last_use;
    uint32_t names, locks, seen;
    uint32_t first_view; /* chain of its tensors, itself first */
    bool material, evicted, pinned;
};

struct machine {
    const struct dtr_log *log;
    const struct dtr_rules *rules;
    int64_t budget, limit_ns, bytes;
    struct storage *storages; /* by root tensor */
    bool *defined;            /* per tensor */
    uint32_t *next_view;      /* per tensor: chain of one storage's tensors */
    uint32_t *first_use;      /* per tensor: chain of operators that read it */
    struct use *uses;
    uint32_t use_count;
    uint32_t *pool, pool_count; /* evictable storages, in the order in which they became so */
    uint32_t *stack, stamp;     /* walks through evicted neighbours */
    uint32_t *counted, sum;     /* per operator: the last score that counted it */
    /* of gathering (dtr_gathered.c) */
    bool *read;                  /* per tensor: some operator of the log reads it */
    bool *making;                /* per tensor: the operator that runs next makes it */
    bool *called;                /* per operator: it waits for its arguments or for room */
    uint32_t *calls, call_count; /* those that wait */
    int64_t *ready_ns;           /* per operator: when its arguments were there; -1: not yet */
    struct dtr_outcome out;
};

static inline struct storage *storage_of(struct machine *m, uint32_t tensor)
{
    return &m->storages[m->log->tensors[tensor].root];
}

static inline bool stopped(const struct machine *m)
{
    return m->out.out_of_memory || m->out.cut_off;
}

/* Fails the test; an assertion of Check would write to a pipe even where it holds. */
void dtr_require(bool holds);
void dtr_enter_pool(struct machine *m, uint32_t root);
void dtr_leave_pool(struct machine *m, uint32_t root);
void dtr_evict(struct machine *m, uint32_t root);
/* Evicts until so many bytes are free; out of memory where nothing is left to evict. */
void dtr_make_room(struct machine *m, int64_t bytes);

/* dtr_gathered.c: runs an operator for the first time, by rule `gathers`. */
void dtr_gather(struct machine *m, uint32_t op);
#endif
