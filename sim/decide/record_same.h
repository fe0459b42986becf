/* Whether two sections of records are equal to the last bit. */
#ifndef SL_RECORD_SAME_H
#define SL_RECORD_SAME_H
#include "record_shape.h"

struct sl_record_same {
    uint64_t figures; /* numbers that were compared, those of estimates one by one */
    /* The first difference: its key ("projected.tail.hi"), and both sides as text; empty: none. */
    char key[300], before[80], after[80];
};

/* Compares two structs of a shape, `name` being what their keys begin with; adds to *same, of which
 * the first difference stays. */
void sl_record_same(struct sl_record_same *same, const char *name, const void *before,
                    const void *after, const struct sl_shape *shape);
/* The same of two lists. */
void sl_record_same_list(struct sl_record_same *same, const char *name, const void *before,
                         const void *after, const struct sl_shape *shape);
#endif
