/* Arrays that grow by realloc while a replication runs. */
#ifndef SL_STRETCH_H
#define SL_STRETCH_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* *array is made `count` elements of `size` bytes long; false, and it is left as it is, when out of
 * memory. */
static inline bool stretch(void *array, uint64_t count, size_t size)
{
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    if (count > SIZE_MAX / size)
        return false;
    grown = realloc(old, count * size);
    if (grown)
        memcpy(array, &grown, sizeof grown);
    /* cppcheck-suppress memleak ; *array owns it */
    return grown != NULL;
}
#endif
