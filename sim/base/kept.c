/* Whether all that was to be printed had memory. */
#include <config.h>

#include "kept.h"
#include <stdatomic.h>

static atomic_bool lost;

void sl_report_lost(void)
{
    atomic_store(&lost, true);
}

void sl_report_free(struct sl_arena *arena)
{
    if (arena->starved)
        sl_report_lost();
    sl_arena_free(arena);
}

bool sl_report_is_whole(void)
{
    return !atomic_load(&lost);
}

const char *sl_kept(const char *text)
{
    if (!text)
        sl_report_lost();
    return text ? text : "?";
}
