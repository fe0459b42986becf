/* The table of parts, and the words that a role knows. */
#include "parts.h"
#include <string.h>

static const struct sl_part *const parts[] = {
#define SL_PART(symbol) &symbol,
#include "policies.def"
#undef SL_PART
};
#define PART_COUNT (sizeof parts / sizeof parts[0])

/* Orders of ready nodes are the engine's; here they have their names. */
struct dispatch {
    const char *name;
    enum sl_order order;
    const char *description;
};
static const struct dispatch dispatches[] = {
    {"fifo", SL_ORDER_FIFO, "first ready, first started"},
    {"priority", SL_ORDER_PRIORITY, "larger column `priority` first"},
    {"edf", SL_ORDER_EDF, "earliest deadline first; nodes without one last"},
    {"sjf", SL_ORDER_SJF, "shortest isolated mean duration first"},
    {"critical-path", SL_ORDER_CRITICAL_PATH, "longest remaining path at mean durations first"},
};
#define DISPATCH_COUNT (sizeof dispatches / sizeof dispatches[0])

size_t sl_part_count(void)
{
    return PART_COUNT + DISPATCH_COUNT;
}

struct sl_part_info sl_part_info_get(size_t index)
{
    if (index < PART_COUNT) {
        const struct sl_part *part = parts[index];
        return (struct sl_part_info){part->role, part->name, part->description, part->parameters,
                                     part->example};
    }
    const struct dispatch *dispatch = &dispatches[index - PART_COUNT];
    static const char *const examples[DISPATCH_COUNT] = {"dispatch: fifo", "dispatch: priority",
                                                         "dispatch: edf", "dispatch: sjf",
                                                         "dispatch: critical-path"};
    return (struct sl_part_info){"dispatch", dispatch->name, dispatch->description,
                                 "aging (time): waiting so long raises a priority by one",
                                 examples[index - PART_COUNT]};
}

const struct sl_part *sl_part_get(size_t index)
{
    return index < PART_COUNT ? parts[index] : NULL;
}

const struct sl_part *sl_part_find(const char *role, const char *name)
{
    for (size_t i = 0; i < PART_COUNT; i++)
        if (strcmp(parts[i]->role, role) == 0 && strcmp(parts[i]->name, name) == 0)
            return parts[i];
    return NULL;
}

void sl_part_words(const char *role, const char *words[32], size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < PART_COUNT && *count < 32; i++)
        if (strcmp(parts[i]->role, role) == 0)
            words[(*count)++] = parts[i]->name;
    for (size_t i = 0; i < DISPATCH_COUNT && *count < 32 && strcmp(role, "dispatch") == 0; i++)
        words[(*count)++] = dispatches[i].name;
}

bool sl_dispatch_parse(const char *name, enum sl_order *order)
{
    for (size_t i = 0; i < DISPATCH_COUNT; i++)
        if (strcmp(dispatches[i].name, name) == 0) {
            *order = dispatches[i].order;
            return true;
        }
    return false;
}
