/* Radix sort from the lowest byte up (Knuth 1973, 5.2.5); bytes that all keys share are passed
 * over. */
#include "keysort.h"
#include <string.h>

#define FEW 24 /* so many are sorted by insertion */

static void insert_sort(struct sl_keyed *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct sl_keyed item = items[i];
        size_t k = i;
        for (; k > 0 && items[k - 1].key > item.key; k--)
            items[k] = items[k - 1];
        items[k] = item;
    }
}

/* Puts the items in the order of one byte of their keys. */
static void sort_byte(const struct sl_keyed *from, struct sl_keyed *to, size_t count,
                      unsigned shift)
{
    size_t place[257] = {0}; /* of the first item with that byte */
    for (size_t i = 0; i < count; i++)
        place[(from[i].key >> shift & 255) + 1]++;
    for (size_t b = 1; b < 256; b++)
        place[b] += place[b - 1];
    for (size_t i = 0; i < count; i++)
        to[place[from[i].key >> shift & 255]++] = from[i];
}

void sl_sort_keyed(struct sl_keyed *items, struct sl_keyed *scratch, size_t count)
{
    if (count <= FEW) {
        insert_sort(items, count);
        return;
    }
    uint64_t differing = 0;
    for (size_t i = 0; i < count; i++)
        differing |= (uint64_t)(items[i].key ^ items[0].key);
    struct sl_keyed *from = items, *to = scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (!(differing >> shift & 255))
            continue;
        sort_byte(from, to, count, shift);
        struct sl_keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

uint32_t sl_keyed_from(const struct sl_keyed *items, uint32_t count, int64_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
