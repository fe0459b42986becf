/* qsort for what often is in order already: that is seen in one pass, without qsort's copy. */
#ifndef SL_SORT_H
#define SL_SORT_H
#include <stddef.h>

void sl_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));
#endif
