/* Sorting what may be in order. */
#include <config.h>

#include "sort.h"
#include <stdlib.h>

void sl_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    const char *at = items;
    size_t sorted = count > 0 ? 1 : 0;
    for (; sorted < count && compare(at, at + size) <= 0; sorted++)
        at += size;
    if (sorted < count)
        qsort(items, count, size, compare);
}
