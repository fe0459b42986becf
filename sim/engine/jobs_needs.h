/* Admission by memory: what a job may still need of one domain.
 *
 * A **claim** is bytes of the domain that a job may hold for a while: a holding of its own, a
 * node's workspace, its blocks of a shared object.  The **list** of a node has the claims that may
 * be held while that node has not passed and all before it have.  Of a **chain** of claims one is
 * always over before the next begins, so that
 *
 *     need(list)  = sum over chains of the largest claim of the list in the chain
 *     need of a job = max of need(list) over the nodes that have not passed
 *
 * is never below what the job holds, and never grows.  Why: doc/semantics.md, "Admission". */
#ifndef SL_JOBS_NEEDS_H
#define SL_JOBS_NEEDS_H
#include "jobs_cache.h"
#include "program.h"

struct job_claim {
    int64_t bytes; /* of a block, where it is of a shared object */
    uint32_t holding,
        cache; /* whose bytes are the job's own; SL_NONE, SL_NONE: they are constant */
    uint32_t chain;
    bool twin; /* of blocks that may be there twice, which takes another job */
};

struct job_needs {
    bool on;
    bool varies; /* some claim is a job's own; else `bytes` says the needs */
    uint32_t domain;
    struct job_claim *claims;
    uint32_t *items, item_places; /* claims, those of one chain together */
    struct range *lists;
    uint32_t list_count;
    uint32_t *list; /* per node; SL_NONE: it is of no job */
    uint32_t *left; /* per list: its nodes */
    int64_t *bytes; /* per list */
};

/* What a replication changes. */
struct job_needs_run {
    int64_t room;     /* bytes beside what is there at the start */
    int64_t promised; /* sum of what the admitted jobs may still need */
    uint32_t *left;   /* per admitted job and list: nodes that have not passed */
    int64_t *bytes;   /* ... and the need, where it varies */
    int64_t *sizes;   /* per holding: of a job that has no runs yet */
};

/* Both up to 2^62; no more comes out. */
static inline int64_t job_bytes_add(int64_t a, int64_t b)
{
    const int64_t most = (int64_t)1 << 62;
    return a < most - b ? a + b : most;
}

/* jobs_needs_pack.c.  SL_NO with the reason for a plan of which no job could ever be admitted, or
 * that is too large. */
enum sl_status sl_jobs_needs_pack(struct sl_jobs_program *p, struct sl_error *err) SL_NODISCARD;

/* jobs_needs.c */
bool sl_jobs_needs_create(struct sl_jobs_worker *w) SL_NODISCARD;
bool sl_jobs_needs_stretch(struct sl_jobs_worker *w, uint64_t jobs) SL_NODISCARD; /* admitted */
void sl_jobs_needs_begin(struct sl_jobs_worker *w);
/* A job has come: what it may need at most. */
void sl_jobs_needs_arrive(struct sl_jobs_worker *w, struct job *job);
/* Whether there could ever be room for it, and whether there is now. */
bool sl_jobs_needs_too_large(const struct sl_jobs_worker *w, const struct job *job);
bool sl_jobs_needs_short(const struct sl_jobs_worker *w, const struct job *job);
/* It is admitted and its sizes are known; a node of it has passed. */
void sl_jobs_needs_admit(struct sl_jobs_worker *w, struct job *job);
void sl_jobs_needs_passed(struct sl_jobs_worker *w, struct job *job, uint32_t node);
/* Need of a list, given bytes of holdings and blocks of the job; alone: while no other is there. */
int64_t sl_jobs_needs_of(const struct sl_jobs_program *p, uint32_t list, const int64_t *sizes,
                         const struct job_blocks *blocks, bool alone);
#endif
