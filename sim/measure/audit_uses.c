/* What the time of an audit, and of each of its steps, went to. */
#include <config.h>

#include "audit_parts.h"

/* Each moment has one use, the first that fits: so these sets grow, and the last is all work. */
enum { TO_COMPUTE, TO_TRANSFERS, TO_COMM, TO_D2D, LEVELS };

struct sets {
    struct sl_intervals up_to[LEVELS], transfers;
    struct sl_intervals unlaunched, launched, unknown; /* parts of gaps */
};

static int level_of(enum sl_work_class class)
{
    switch (class) {
    case SL_WORK_COMPUTE:
        return TO_COMPUTE;
    case SL_WORK_H2D:
    case SL_WORK_D2H:
    case SL_WORK_COPY:
        return TO_TRANSFERS;
    case SL_WORK_COMM:
        return TO_COMM;
    case SL_WORK_D2D:
        return TO_D2D;
    default:
        return LEVELS;
    }
}

static bool add_works(const struct sl_audit *audit, struct sets *sets)
{
    const struct sl_timeline *t = audit->timeline;
    for (uint32_t i = 0; i < audit->work_count; i++) {
        int64_t from = t->start_ps[audit->works[i].event], to = t->end_ps[audit->works[i].event];
        int level = level_of(audit->works[i].class);
        for (int up = level; up < LEVELS; up++)
            if (!sl_intervals_add(&sets->up_to[up], from, to))
                return false;
        if (level == TO_TRANSFERS && !sl_intervals_add(&sets->transfers, from, to))
            return false;
    }
    return true;
}

static bool add_gaps(const struct sl_audit *audit, struct sets *sets)
{
    for (uint32_t i = 0; i < audit->gap_count; i++) {
        const struct sl_audit_gap *gap = &audit->gaps[i];
        int64_t launched = gap->from_ps + gap->unlaunched_ps;
        bool made = gap->unlaunched_ps < 0
                        ? sl_intervals_add(&sets->unknown, gap->from_ps, gap->to_ps)
                        : sl_intervals_add(&sets->unlaunched, gap->from_ps, launched) &&
                              sl_intervals_add(&sets->launched, launched, gap->to_ps);
        if (!made)
            return false;
    }
    return true;
}

static struct sl_audit_use use_of(const struct sl_audit *audit, const struct sets *sets,
                                  uint32_t step, int64_t from, int64_t to)
{
    int64_t busy = sl_intervals_within(&audit->busy, from, to), up_to[LEVELS];
    for (int i = 0; i < LEVELS; i++)
        up_to[i] = sl_intervals_within(&sets->up_to[i], from, to);
    struct sl_audit_use use = {
        .step = step,
        .from_ps = from,
        .to_ps = to,
        .compute_ps = up_to[TO_COMPUTE],
        .exposed_transfers_ps = up_to[TO_TRANSFERS] - up_to[TO_COMPUTE],
        .exposed_comm_ps = up_to[TO_COMM] - up_to[TO_TRANSFERS],
        .exposed_d2d_ps = up_to[TO_D2D] - up_to[TO_COMM],
        .exposed_other_ps = busy - up_to[TO_D2D],
        .unlaunched_ps = sl_intervals_within(&sets->unlaunched, from, to),
        .launched_ps = sl_intervals_within(&sets->launched, from, to),
        .unknown_ps = sl_intervals_within(&sets->unknown, from, to),
        .transfers_ps = sl_intervals_within(&sets->transfers, from, to),
    };
    use.outside_ps = to - from - busy - use.unlaunched_ps - use.launched_ps - use.unknown_ps;
    return use;
}

static bool list_uses(struct sl_audit *audit, const struct sets *sets)
{
    audit->uses = sl_arena_array(&audit->arena, audit->step_count + 1u, sizeof *audit->uses);
    const struct sl_intervals *busy = &audit->busy;
    if (!audit->uses)
        return false;
    if (busy->count > 0)
        audit->uses[audit->use_count++] = use_of(audit, sets, SL_NONE, busy->items[0].from_ps,
                                                 busy->items[busy->count - 1].to_ps);
    for (uint32_t i = 0; i < audit->step_count; i++) {
        const struct sl_audit_step *step = &audit->steps[i];
        int64_t to = i + 1 < audit->step_count ? step[1].from_ps : step->finish_ps;
        audit->uses[audit->use_count++] = use_of(audit, sets, i, step->from_ps, to);
    }
    return true;
}

enum sl_status sl_audit_uses(struct sl_audit *audit, struct sl_error *err)
{
    struct sets sets = {0};
    bool made = add_works(audit, &sets) && add_gaps(audit, &sets) && list_uses(audit, &sets);
    for (int i = 0; i < LEVELS; i++)
        sl_intervals_free(&sets.up_to[i]);
    sl_intervals_free(&sets.transfers);
    sl_intervals_free(&sets.unlaunched);
    sl_intervals_free(&sets.launched);
    sl_intervals_free(&sets.unknown);
    return made ? SL_OK : sl_audit_no_memory(err);
}
