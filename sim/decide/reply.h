/* A runtime's answer to a hand-off: whether it can run the plan, what it inserts, in which order it
 * runs it, at which price, and what it does instead.  The format is doc/handoff.md; a built-in
 * mapping (mapping.h) fills the same struct. */
#ifndef SL_REPLY_H
#define SL_REPLY_H
#include "graph.h"
#include "record.h"

#define SL_REPLY_FORMAT  "slackline-reply"
#define SL_REPLY_VERSION 1

enum sl_reply_answer { SL_REPLY_YES, SL_REPLY_NO, SL_REPLY_CONSTRAINED, SL_REPLY_ANSWERS };

/* An edge that the runtime inserts. */
struct sl_reply_edge {
    uint32_t from, to; /* nodes */
    enum sl_edge_type type;
    int64_t lag_ps;
    const char *reason;
    struct sl_place place;
};
/* A limit of a resource, or of a domain; what it does not state stays as it is. */
struct sl_reply_limit {
    uint32_t resource, domain; /* one of them is SL_NONE */
    uint32_t servers;          /* 0: not stated */
    int64_t capacity;          /* bytes; -1: not stated.  Less than what the plan has. */
    int64_t rounding;          /* granularity of allocations in bytes; 0: not stated */
    const char *reason;
    struct sl_place place;
};
/* A node that runs to its end once it is submitted, though the plan would cancel it. */
struct sl_reply_kept {
    uint32_t node;
    const char *reason;
    struct sl_place place;
};
/* A queue that runs its nodes one after the other, in this order. */
struct sl_reply_queue {
    const char *name;
    uint32_t *nodes, count;
    const char *reason;
    struct sl_place place;
};
/* What the mechanism adds to a node, to every node of a class, or of a kind.  The first that fits a
 * node in that order counts. */
struct sl_reply_overhead {
    uint32_t node, klass;
    int kind;                   /* enum sl_node_kind, -1 */
    const struct sl_dist *dist; /* NULL: not known */
    const char *evidence;       /* as written, NULL: not stated */
    struct sl_place place;
};
struct sl_reply_deviation {
    const char *node, *wish; /* one of them is NULL */
    const char *instead, *why, *consequence;
};
struct sl_reply_mechanism {
    const char *wish, *mechanism, *note; /* note NULL: none; mechanism NULL: there is none */
    const char *node, *object;           /* NULL: not of one */
    uint64_t count;
    enum sl_truth realizable;
};
struct sl_reply_assumption {
    const char *assumption, *detail; /* detail NULL: none */
    enum sl_truth holds;
};

/* Lists grow by sl_reply_add; texts and lists are the arena's or the lists' own, and
 * sl_reply_free releases all. */
struct sl_reply {
    struct sl_arena arena;
    const char *path; /* of the file; NULL: built in */
    char sha256[65];  /* of the file, or of a built-in mapping's answer as it would be written */
    const char *runtime;
    const char *scenario, *policy, *handoff; /* NULL: not stated; handoff: sha256 */
    enum sl_reply_answer feasible;
    const char *why; /* NULL: none */
    SL_RECORD_LIST(struct sl_reply_edge) edges;
    SL_RECORD_LIST(struct sl_reply_limit) limits;
    SL_RECORD_LIST(struct sl_reply_kept) kept;
    SL_RECORD_LIST(struct sl_reply_queue) queues;
    SL_RECORD_LIST(struct sl_reply_overhead) overheads;
    SL_RECORD_LIST(struct sl_reply_deviation) deviations;
    SL_RECORD_LIST(struct sl_reply_mechanism) mechanisms;
    SL_RECORD_LIST(struct sl_reply_assumption) assumptions;
};

/* Appends a zeroed item of `size` bytes to a list of the reply; NULL: out of memory. */
void *sl_reply_add(void *list, size_t size);
#define SL_REPLY_ADD(list) sl_reply_add(&(list), sizeof *(list).items)

/* Reads an answer to the hand-off of a plan, whose nodes, classes, resources and domains it may
 * name. Every fault goes to `diags` with its place, and the status is then SL_INVALID.  `reply` is
 * zeroed first; sl_reply_free releases it in every case. */
enum sl_status sl_reply_read(struct sl_reply *reply, const char *path, const struct sl_graph *plan,
                             struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
void sl_reply_free(struct sl_reply *reply);
/* Writes it in the format of the reader. */
enum sl_status sl_reply_write(const struct sl_reply *reply, const struct sl_graph *plan, FILE *out,
                              struct sl_error *err) SL_NODISCARD;
extern const char
    *const sl_reply_answer_words[SL_REPLY_ANSWERS]; /* "yes", "no", "with-constraints" */
#endif
