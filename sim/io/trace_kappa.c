/* Slowdowns seen in a trace. */
#include <config.h>

#include "keysort.h"
#include "trace_kappa.h"
#include "trace_names.h"
#include <stdlib.h>

enum { LEAST_WORKS = 3, MOST_AT_ONCE = 64, ALONE = SL_TRACE_CLASSES, MIXED };
static const double mostly = 0.8; /* of its time a work counts as beside another class */

/* By event. */
struct sweep {
    uint8_t *class, *beside; /* beside: a class, ALONE or MIXED */
    int64_t *overlap_ps;
};

static bool sweep_make(struct sweep *s, uint32_t count)
{
    s->class = malloc(count + 1u);
    s->beside = malloc(count + 1u);
    s->overlap_ps = calloc(count + 1u, sizeof *s->overlap_ps);
    return s->class && s->beside && s->overlap_ps;
}

static void sweep_free(struct sweep *s)
{
    free(s->class);
    free(s->beside);
    free(s->overlap_ps);
}

/* Classes go by names, which many works share. */
static bool classify(struct sl_names *classes, const struct sl_timeline *t, struct sweep *s)
{
    uint8_t *of_name = calloc(t->names.count + 1u, 1); /* class + 1 of kernels */
    bool made = of_name != NULL;
    for (uint32_t i = 0; made && i < t->count; i++) {
        s->beside[i] = ALONE;
        if (!sl_event_on_gpu((enum sl_event_kind)t->kind[i]))
            continue;
        bool copies = t->kind[i] == SL_EVENT_COPY || t->kind[i] == SL_EVENT_SET;
        uint8_t *known = &of_name[t->name[i]];
        if (!copies && *known > 0) {
            s->class[i] = (uint8_t)(*known - 1);
            continue;
        }
        uint32_t class = sl_names_add(classes, sl_trace_work_class(t, i));
        made = class < SL_TRACE_CLASSES;
        s->class[i] = (uint8_t) class;
        if (!copies)
            *known = (uint8_t)(class + 1);
    }
    free(of_name);
    return made;
}

static void note(struct sweep *s, uint32_t event, uint32_t other, int64_t overlap_ps)
{
    uint8_t *beside = &s->beside[event];
    *beside = *beside == ALONE || *beside == s->class[other] ? s->class[other] : MIXED;
    s->overlap_ps[event] += overlap_ps;
}

/* Notes what each work overlaps with on its device. */
static void find_overlaps(const struct sl_timeline *t, struct sweep *s)
{
    uint32_t running[MOST_AT_ONCE], count = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (!sl_event_on_gpu((enum sl_event_kind)t->kind[i]))
            continue;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t other = running[k];
            if (t->end_ps[other] <= t->start_ps[i])
                continue;
            running[kept++] = other;
            int64_t until_ps = t->end_ps[i] < t->end_ps[other] ? t->end_ps[i] : t->end_ps[other];
            if (until_ps > t->start_ps[i] &&
                t->lanes[t->lane[other]].process == t->lanes[t->lane[i]].process) {
                note(s, i, other, until_ps - t->start_ps[i]);
                note(s, other, i, until_ps - t->start_ps[i]);
            }
        }
        count = kept;
        if (count < MOST_AT_ONCE)
            running[count++] = i;
        else
            s->beside[i] = MIXED;
    }
}

static int by_key(const void *a, const void *b)
{
    int64_t x = ((const struct sl_keyed *)a)->key, y = ((const struct sl_keyed *)b)->key;
    return (x > y) - (x < y);
}

static double median(struct sl_keyed *times, uint32_t count)
{
    qsort(times, count, sizeof *times, by_key);
    return (double)(times[(count - 1) / 2].key + times[count / 2].key) / 2.0;
}

/* The times of a group's works that were alone, or beside that class alone for most of their time
 * and by one work at a time. */
static uint32_t pick(const struct sl_trace_durations *d, const struct sl_trace_group *group,
                     const struct sweep *s, uint8_t beside, struct sl_keyed *times)
{
    const struct sl_timeline *t = d->timeline;
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t event = d->events[group->first + i];
        int64_t length = t->end_ps[event] - t->start_ps[event];
        bool wanted = s->beside[event] == beside && length > 0;
        if (wanted && beside != ALONE)
            wanted = (double)s->overlap_ps[event] >= mostly * (double)length &&
                     s->overlap_ps[event] <= length;
        if (wanted)
            times[count++] = (struct sl_keyed){length, event};
    }
    return count;
}

static void add_group(struct sl_trace_kappa *kappa, const struct sl_trace_durations *d,
                      const struct sl_trace_group *group, const struct sweep *s,
                      struct sl_keyed *times)
{
    uint32_t alone = pick(d, group, s, ALONE, times);
    if (alone < LEAST_WORKS)
        return;
    double alone_ps = median(times, alone);
    for (uint32_t class = 0; class < kappa->classes.count; class ++) {
        uint32_t beside = pick(d, group, s, (uint8_t) class, times);
        if (beside < LEAST_WORKS)
            continue;
        double beside_ps = median(times, beside), ratio = beside_ps / alone_ps;
        struct sl_trace_pair *pair = &kappa->pairs[s->class[d->events[group->first]]][class];
        kappa->pair_count += pair->kinds == 0;
        pair->least = pair->kinds == 0 || ratio < pair->least ? ratio : pair->least;
        pair->most = ratio > pair->most ? ratio : pair->most;
        pair->kinds++;
        pair->beside += beside;
        pair->alone += alone;
        pair->beside_ps += beside_ps * (double)beside;
        pair->alone_ps += alone_ps * (double)beside;
    }
}

enum sl_status sl_trace_kappa_make(struct sl_trace_kappa *kappa, const struct sl_trace_durations *d,
                                   struct sl_error *err)
{
    const struct sl_timeline *t = d->timeline;
    struct sweep sweep = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < d->group_count; i++)
        most = d->groups[i].count > most ? d->groups[i].count : most;
    struct sl_keyed *times = malloc((most + 1u) * sizeof *times);
    bool made = times && sweep_make(&sweep, t->count) && classify(&kappa->classes, t, &sweep);
    if (made)
        find_overlaps(t, &sweep);
    for (uint32_t i = 0; made && i < d->group_count; i++)
        if (d->groups[i].count >= 2 * LEAST_WORKS)
            add_group(kappa, d, &d->groups[i], &sweep, times);
    free(times);
    sweep_free(&sweep);
    return made ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for the overlaps of works");
}

void sl_trace_kappa_write(const struct sl_trace_kappa *kappa, FILE *out)
{
    fputs(
        "# Slowdowns in the record: works beside one work of another class at a time, for 80% of\n"
        "# their time or more, against equal works alone; ci_lo and ci_hi: least and most of a "
        "kind.\n"
        "# No experiment: the program chose what ran side by side, overlaps are partial, and works "
        "of\n"
        "# one launch shape may differ in what was not recorded.  So rows are bounded, and no run\n"
        "# takes them; durations of the record hold their contention already.\n"
        "victim,set,kappa,ci_lo,ci_hi,n_pairs,status,source\n",
        out);
    for (uint32_t a = 0; a < kappa->classes.count; a++)
        for (uint32_t b = 0; b < kappa->classes.count; b++) {
            const struct sl_trace_pair *pair = &kappa->pairs[a][b];
            if (pair->kinds == 0)
                continue;
            fprintf(out,
                    "%s,%s,%.4f,%.4f,%.4f,%u,bounded,\"bounded: %u kinds of works, %u beside, %u "
                    "alone\"\n",
                    kappa->classes.names[a], kappa->classes.names[b],
                    pair->beside_ps / pair->alone_ps, pair->least, pair->most, pair->beside,
                    pair->kinds, pair->beside, pair->alone);
        }
}

void sl_trace_kappa_free(struct sl_trace_kappa *kappa)
{
    sl_names_free(&kappa->classes);
}
