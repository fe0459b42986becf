/* Who waits for whom in a deadlock, whatever it is that waits: `nodes` here. */
#ifndef SL_WAITS_H
#define SL_WAITS_H
#include "worker.h"

struct sl_waits {
    const void *user;
    uint32_t count; /* of nodes */
    /* The next thing that a node waits for; false: there is no further one. */
    bool (*next)(const struct sl_waits *waits, uint32_t node, struct wait *wait);
    bool (*is_open)(const struct sl_waits *waits, uint32_t node);    /* it has not passed */
    bool (*is_waiting)(const struct sl_waits *waits, uint32_t node); /* ... and is ready */
    void (*say_name)(struct sl_waits *waits, uint32_t node);
    void (*say_bytes)(struct sl_waits *waits, uint32_t node, const struct wait *wait);
    const char *(*list_name)(const struct sl_waits *waits, uint32_t node); /* where it waits */
    struct wait *waits; /* this and the next three: 2 count of them */
    uint8_t *mark;
    uint32_t *queue, *origin;
    char *text; /* SL_DEADLOCK_TEXT bytes */
    size_t said;
};

/* Adds to the text; what does not fit is cut. */
void sl_waits_say(struct sl_waits *waits, const char *format, ...) SL_PRINTF(2, 3);
/* Says a cycle, if there is one: through two nodes that wait for bytes or turns rather than one. */
bool sl_waits_report(struct sl_waits *waits) SL_NODISCARD;
#endif
