/* Sets of times. */
#include <config.h>

#include "intervals.h"
#include <stdlib.h>

bool sl_intervals_add(struct sl_intervals *set, int64_t from_ps, int64_t to_ps)
{
    if (to_ps <= from_ps)
        return true;
    struct sl_interval *last = set->count > 0 ? &set->items[set->count - 1] : NULL;
    if (last && from_ps <= last->to_ps) {
        if (to_ps > last->to_ps)
            last->to_ps = to_ps;
        return true;
    }
    if (!sl_grow((void **)&set->items, &set->capacity, set->count + 1, sizeof *set->items))
        return false;
    set->items[set->count++] = (struct sl_interval){from_ps, to_ps};
    return true;
}

int64_t sl_intervals_length(const struct sl_intervals *set)
{
    int64_t length = 0;
    for (uint32_t i = 0; i < set->count; i++)
        length += set->items[i].to_ps - set->items[i].from_ps;
    return length;
}

static int64_t common(const struct sl_interval *a, const struct sl_interval *b)
{
    int64_t from = a->from_ps > b->from_ps ? a->from_ps : b->from_ps;
    int64_t to = a->to_ps < b->to_ps ? a->to_ps : b->to_ps;
    return to > from ? to - from : 0;
}

int64_t sl_intervals_common(const struct sl_intervals *a, const struct sl_intervals *b)
{
    int64_t length = 0;
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        length += common(&a->items[i], &b->items[k]);
        if (a->items[i].to_ps < b->items[k].to_ps)
            i++;
        else
            k++;
    }
    return length;
}

/* The first interval that ends after `t_ps`. */
static uint32_t first_after(const struct sl_intervals *set, int64_t t_ps)
{
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->items[middle].to_ps <= t_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t sl_intervals_within(const struct sl_intervals *set, int64_t from_ps, int64_t to_ps)
{
    struct sl_interval window = {from_ps, to_ps};
    int64_t length = 0;
    for (uint32_t i = first_after(set, from_ps); i < set->count && set->items[i].from_ps < to_ps;
         i++)
        length += common(&set->items[i], &window);
    return length;
}

void sl_intervals_free(struct sl_intervals *set)
{
    free(set->items);
    *set = (struct sl_intervals){0};
}
