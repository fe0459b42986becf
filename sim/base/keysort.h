/* Sorting by an integer key, as times are: digit by digit, without comparisons. */
#ifndef SL_KEYSORT_H
#define SL_KEYSORT_H
#include <stddef.h>
#include <stdint.h>

struct sl_keyed {
    int64_t key; /* not negative */
    uint32_t value;
};

/* Sorts by key; items of one key stay in their order.  `scratch` has room for `count`.  Time grows
 * with the count and with the bytes in which keys differ. */
void sl_sort_keyed(struct sl_keyed *items, struct sl_keyed *scratch, size_t count);
/* The first of the sorted items whose key is not below `key`; `count`: there is none. */
uint32_t sl_keyed_from(const struct sl_keyed *items, uint32_t count, int64_t key);
#endif
