/* Objects that jobs share by blocks: a cache that comes out of the engine's own copies.
 *
 *     jobs_cache_pack.c   what the plan says of them
 *     block_store.c       where the blocks lie
 *     jobs_cache.c        lookup, bytes, and what a node's end makes of the blocks
 *     jobs_line.c         whose turn it is to look up and fetch
 *     jobs_room.c         who leaves so that a node fits
 *     jobs_spill.c        how what leaves gets to a lower tier
 *
 * Nodes that mention such an object have NODE_SHARED; nothing else in the loop knows of them. */
#ifndef SL_JOBS_CACHE_H
#define SL_JOBS_CACHE_H
#include "block_store.h"

struct sl_jobs_program;
struct sl_jobs_worker;
struct job;

enum cache_role {
    CACHE_USE,
    CACHE_MAKE,  /* outputs the object: makes the blocks that were missing */
    CACHE_FETCH, /* takes the blocks that were found in `tier` one hop further on their way home */
    CACHE_SPILL  /* takes evicted blocks to a lower tier; runs outside of jobs */
};
/* One of the shared objects that a node mentions; of a move its tiers (else the home). */
struct cache_use {
    uint32_t cache, tier, from, to;
    enum cache_role role;
};

/* A node that fetches, and the tier in which its blocks were found. */
struct cache_hop {
    uint32_t node, tier;
};
#define CACHE_HOPS (SL_CACHE_TIERS * (SL_CACHE_TIERS - 1) / 2)

struct job_cache {
    uint32_t object, maker;
    uint32_t tiers;                  /* the home is the first */
    uint32_t domain[SL_CACHE_TIERS]; /* per tier */
    int64_t bytes[SL_CACHE_TIERS];   /* of a block there, rounded as the domain does */
    struct cache_hop hops[CACHE_HOPS];
    uint32_t hop_count;
    uint32_t ahead; /* of its fetches, which are there if `called`: as in sl_node */
    bool called;
    /* Per tier the node that takes what leaves it to the next lower one of the chain, SL_NONE: it
     * is dropped; which one that is; and how many spills it is below the home. */
    uint32_t spill[SL_CACHE_TIERS], below[SL_CACHE_TIERS], depth[SL_CACHE_TIERS];
    uint32_t mentions;    /* nodes of a job that mention it */
    uint32_t first_value; /* of its counts, behind a job's parameters */
};

struct job_block {
    uint64_t name;
    uint32_t block, tier; /* once found or made, pinned; tier: where it was found */
};
/* Of a block that is spilled, in place of the tier. */
enum {
    SPILL_FOR_RUN = 1, /* a run waits for its bytes, and not another spill */
    SPILL_OWED = 2,    /* its bytes below are not free yet */
    SPILL_STAYS = 4    /* it is written ahead, and does not leave */
};
/* What one job has to do with one of them; of a spill, what it carries. */
struct job_blocks {
    struct job_block *items;
    uint32_t count, places;
    uint32_t found, pinned;
    uint32_t found_in[SL_CACHE_TIERS];
    uint32_t mentions; /* nodes that have not passed */
    uint32_t fetched;
    bool looked_up, used;
    bool in_line, called; /* its fetches */
    int64_t called_ps;    /* when they were called */
    uint32_t waits;       /* of a spill: others that have to end before it can begin */
    uint64_t round;       /* ... and which room they were all made for */
};

struct job_item;
/* Jobs in turn, [head .. tail) of the items; those before `cursor` have been called. */
struct job_line {
    struct job_item *items; /* handle: of the fetch; passed: whether it was called */
    uint32_t places, head, tail, cursor;
};

struct cache_run {
    struct block_store store;
    struct job_line line;
    struct sl_cache_totals totals;
    struct job_block *writes; /* that came to `tier` and will be written to the next lower one */
    uint32_t write_count, write_places;
    struct job_block *leavers[SL_CACHE_TIERS]; /* per tier: pinned for the spill being made */
    uint32_t leaver_count[SL_CACHE_TIERS], leaver_places[SL_CACHE_TIERS];
};

/* jobs_cache_pack.c.  SL_NO with the reason for a plan that shares an object as it cannot. */
enum sl_status sl_jobs_cache_pack(struct sl_jobs_program *p, struct sl_error *err) SL_NODISCARD;

/* jobs_cache.c */
bool sl_jobs_cache_create(struct sl_jobs_worker *w) SL_NODISCARD;
void sl_jobs_cache_free(struct sl_jobs_worker *w);
void sl_jobs_cache_begin(struct sl_jobs_worker *w);
void sl_jobs_cache_end(struct sl_jobs_worker *w); /* all blocks leave */
/* A job was fetched: its blocks are copied. */
void sl_jobs_cache_bring(struct sl_jobs_worker *w, uint32_t job,
                         const struct sl_job_arrival *arrival);
/* A run that mentions shared objects is ready: what its job has not looked up yet is looked up. */
void sl_jobs_cache_ready(struct sl_jobs_worker *w, uint32_t handle);
int64_t sl_jobs_cache_want(const struct sl_jobs_worker *w, uint32_t handle, uint32_t domain);
bool sl_jobs_cache_fits(const struct sl_jobs_worker *w, uint32_t handle);
void sl_jobs_cache_started(struct sl_jobs_worker *w, uint32_t handle);
void sl_jobs_cache_finished(struct sl_jobs_worker *w, uint32_t handle, bool skipped);
/* The worker's status says that there is no memory for blocks; false. */
bool sl_jobs_cache_no_memory(struct sl_jobs_worker *w);
/* Room for so many blocks of the job; false: the worker's status says why. */
bool sl_jobs_cache_reserve(struct sl_jobs_worker *w, struct job_blocks *blocks, uint32_t count);
/* The hold of a move of so many blocks, over that of the one block for which the node was made. */
double sl_jobs_cache_ratio(const struct sl_jobs_worker *w, const struct job_cache *cache,
                           uint32_t node, uint32_t count);

/* jobs_line.c */
/* A run is ready; true: it is a fetch that waits for its turn, and will be called. */
bool sl_jobs_line_join(struct sl_jobs_worker *w, uint32_t handle);
bool sl_jobs_line_due(const struct sl_jobs_worker *w); /* it is somebody's turn */
void sl_jobs_line_call(struct sl_jobs_worker *w);      /* calls them */
struct job_run;
/* What a run has waited for its turn in a line; 0 of all but the fetches that wait there. */
int64_t sl_jobs_line_wait(const struct sl_jobs_worker *w, const struct job_run *run);
/* The job's maker has started, or was skipped. */
void sl_jobs_line_leave(struct sl_jobs_worker *w, uint32_t cache, uint32_t job);

/* jobs_room.c */
/* Lets blocks leave so that the run, whose bytes are not free, can start; true: they are now. */
bool sl_jobs_room_make(struct sl_jobs_worker *w, uint32_t handle);
/* A block has been made, or written to that tier: it may be written to the next one, too. */
void sl_jobs_room_note(struct sl_jobs_worker *w, uint32_t cache, uint32_t tier, uint32_t block);
void sl_jobs_room_write(struct sl_jobs_worker *w); /* all those begin to be written */

/* jobs_spill.c */
/* The block will go from that tier to the next lower one; flags: SPILL_... */
bool sl_jobs_spill_add(struct sl_jobs_worker *w, uint32_t cache, uint32_t tier, uint32_t block,
                       uint32_t flags);
/* Sends all those away for which that was said. */
void sl_jobs_spill_send(struct sl_jobs_worker *w);
void sl_jobs_spill_finished(struct sl_jobs_worker *w, uint32_t handle);
void sl_jobs_spill_end(struct sl_jobs_worker *w, uint32_t job); /* its place comes free */
#endif
