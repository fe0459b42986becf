/* What the parts of the reader of replies share.  Private to reply*.c. */
#ifndef SL_REPLY_PARTS_H
#define SL_REPLY_PARTS_H
#include "evictor.h"
#include "fields.h"
#include "reply.h"

struct reply_reader {
    struct sl_reply *reply;
    const struct sl_graph *plan;
    struct sl_reader fields;
    /* Places of what may be there once, each the item's number from 1; 0: not yet. */
    uint32_t *kept_of_node, *overhead_of_node, *overhead_of_class;
    uint32_t overhead_of_kind[SL_NODE_KINDS];
    bool out_of_memory;
};

/* The list at `key` of a map, or NULL: absent, or diagnosed. */
const struct sl_yaml *sl_reply_list(struct reply_reader *r, const struct sl_yaml *map,
                                    const char *key);
/* Calls `take` for each map of the list at `key`, after its keys were held against `allowed`. */
void sl_reply_each(struct reply_reader *r, const struct sl_yaml *map, const char *key,
                   const char *const *allowed, size_t allowed_count,
                   void (*take)(struct reply_reader *r, const struct sl_yaml *item));
/* A text that must be there, of one line; NULL after a diagnostic. */
const char *sl_reply_need_text(struct reply_reader *r, const struct sl_yaml *map, const char *key,
                               const char *where);
/* A node of the plan's order; SL_NONE after a diagnostic. */
uint32_t sl_reply_node(struct reply_reader *r, const char *text, struct sl_place place,
                       const char *what);
uint32_t sl_reply_need_node(struct reply_reader *r, const struct sl_yaml *map, const char *key,
                            const char *where);
enum sl_truth sl_reply_need_truth(struct reply_reader *r, const struct sl_yaml *map,
                                  const char *key, const char *where);

void sl_reply_take_constraints(struct reply_reader *r, const struct sl_yaml *constraints);
void sl_reply_take_ordering(struct reply_reader *r, const struct sl_yaml *root);
void sl_reply_take_overheads(struct reply_reader *r, const struct sl_yaml *root);
void sl_reply_take_notes(struct reply_reader *r, const struct sl_yaml *root);
#endif
