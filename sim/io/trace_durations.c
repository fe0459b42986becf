/* Durations of equal works: groups by a hash of all that makes them equal, and their files. */
#include <config.h>

#include "keysort.h"
#include "outfile.h"
#include "text.h"
#include "trace_durations.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

/* Files of samples that one process reads, less some for a user's own. */
enum { MOST_FILES = 200 };

static struct sl_event_detail detail_of(const struct sl_timeline *t, uint32_t event)
{
    return t->detail[event] == SL_NONE ? sl_event_detail_none() : t->details[t->detail[event]];
}

static uint64_t mix(uint64_t hash, uint64_t more)
{
    return sl_hash_index(hash ^ (more + UINT64_C(0x9E3779B97F4A7C15)));
}

static uint64_t hash_of(const struct sl_timeline *t, uint32_t event)
{
    struct sl_event_detail detail = detail_of(t, event);
    uint64_t hash = mix(t->kind[event], t->name[event]);
    hash = mix(hash, (uint64_t)t->bytes[event]);
    for (int i = 0; i < 3; i++)
        hash = mix(mix(hash, detail.grid[i]), detail.block[i]);
    hash = mix(mix(hash, (uint64_t)detail.from), (uint64_t)detail.to);
    return mix(hash, (uint64_t)t->lanes[t->lane[event]].process);
}

static bool are_equal(const struct sl_timeline *t, uint32_t a, uint32_t b)
{
    struct sl_event_detail x = detail_of(t, a), y = detail_of(t, b);
    return t->kind[a] == t->kind[b] && t->name[a] == t->name[b] && t->bytes[a] == t->bytes[b] &&
           memcmp(x.grid, y.grid, sizeof x.grid) == 0 &&
           memcmp(x.block, y.block, sizeof x.block) == 0 && x.from == y.from && x.to == y.to &&
           t->lanes[t->lane[a]].process == t->lanes[t->lane[b]].process;
}

/* The works that are examples, by hash. */
static uint32_t list_works(const struct sl_timeline *t, int64_t cold_from_ps, int64_t cold_to_ps,
                           struct sl_keyed *works)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t call = t->cause[i];
        int64_t from_ps = t->start_ps[call == SL_NONE ? i : call];
        if (sl_event_on_gpu((enum sl_event_kind)t->kind[i]) &&
            !(from_ps >= cold_from_ps && from_ps < cold_to_ps))
            works[count++] = (struct sl_keyed){(int64_t)(hash_of(t, i) >> 1), i};
    }
    return count;
}

/* Works of one hash that differ all the same would be a group of their own each; they are in none.
 */
static void divide(struct sl_trace_durations *d, const struct sl_keyed *works, uint32_t count)
{
    const struct sl_timeline *t = d->timeline;
    uint32_t kept = 0;
    for (uint32_t from = 0, to; from < count; from = to) {
        struct sl_trace_group group = {.first = kept, .file = SL_NONE};
        for (to = from; to < count && works[to].key == works[from].key; to++)
            if (are_equal(t, works[from].value, works[to].value)) {
                d->events[kept++] = works[to].value;
                d->group_of[works[to].value] = d->group_count;
            }
        group.count = kept - group.first;
        d->groups[d->group_count++] = group;
    }
}

static int by_time(const void *a, const void *b)
{
    int64_t x = ((const struct sl_keyed *)a)->key, y = ((const struct sl_keyed *)b)->key;
    return (x < y) - (x > y);
}

static uint32_t group_of_node(const struct sl_trace_durations *d, const struct sl_trace_graph *g,
                              uint32_t node)
{
    return g->nodes[node].role == SL_TRACE_WORK ? d->group_of[g->nodes[node].event] : SL_NONE;
}

/* Numbers the files, the group with the most time first. */
static void number_files(struct sl_trace_durations *d, const struct sl_trace_graph *g,
                         struct sl_keyed *order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->node_count; i++) {
        uint32_t group = group_of_node(d, g, i);
        if (group == SL_NONE)
            continue;
        d->groups[group].scope_ps += g->nodes[i].end_ps - g->nodes[i].start_ps;
        d->groups[group].nodes++;
    }
    for (uint32_t i = 0; i < d->group_count; i++)
        if (d->groups[i].nodes > 0 && d->groups[i].count >= SL_TRACE_LEAST_OCCURRENCES)
            order[count++] = (struct sl_keyed){d->groups[i].scope_ps, i};
    qsort(order, count, sizeof *order, by_time);
    d->file_count = count < MOST_FILES ? count : MOST_FILES;
    for (uint32_t i = 0; i < d->file_count; i++)
        d->groups[order[i].value].file = i;
    for (uint32_t i = 0; i < g->node_count; i++) {
        bool drawn = sl_trace_durations_file(d, g, i) != SL_NONE;
        if (g->nodes[i].role != SL_TRACE_WORK)
            continue;
        *(drawn ? &d->drawn_nodes : &d->kept_nodes) += 1;
        *(drawn ? &d->drawn_ps : &d->kept_ps) += g->nodes[i].end_ps - g->nodes[i].start_ps;
    }
}

enum sl_status sl_trace_durations_make(struct sl_trace_durations *d,
                                       const struct sl_trace_graph *graph, int64_t cold_from_ps,
                                       int64_t cold_to_ps, struct sl_error *err)
{
    const struct sl_timeline *t = graph->timeline;
    size_t room = 1;
    for (uint32_t i = 0; i < t->count; i++)
        room += sl_event_on_gpu((enum sl_event_kind)t->kind[i]);
    struct sl_keyed *works = malloc(2 * room * sizeof *works);
    d->timeline = t;
    d->events = malloc(room * sizeof *d->events);
    d->group_of = malloc((t->count + 1u) * sizeof *d->group_of);
    bool made = works && d->events && d->group_of;
    if (made) {
        for (uint32_t i = 0; i < t->count; i++)
            d->group_of[i] = SL_NONE;
        uint32_t count = list_works(t, cold_from_ps, cold_to_ps, works);
        sl_sort_keyed(works, works + room, count);
        d->groups = malloc((count + 1u) * sizeof *d->groups);
        made = d->groups != NULL;
        if (made) {
            divide(d, works, count);
            number_files(d, graph, works);
        }
    }
    free(works);
    return made ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for the durations of works");
}

uint32_t sl_trace_durations_file(const struct sl_trace_durations *d,
                                 const struct sl_trace_graph *graph, uint32_t node)
{
    uint32_t group = group_of_node(d, graph, node);
    return group == SL_NONE ? SL_NONE : d->groups[group].file;
}

static enum sl_status write_group(const struct sl_trace_durations *d,
                                  const struct sl_trace_group *group, const char *folder,
                                  struct sl_error *err)
{
    const struct sl_timeline *t = d->timeline;
    struct sl_outfile file = {0};
    char name[32];
    snprintf(name, sizeof name, "%03u.csv", group->file);
    enum sl_status status = sl_outfile_open_in(&file, folder, name, err);
    if (status != SL_OK)
        return status;
    fputs("# ", file.stream);
    sl_put_clean(t->names.names[t->name[d->events[group->first]]], file.stream);
    fputs("\nvalue\n", file.stream);
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t event = d->events[group->first + i];
        fprintf(file.stream, "%lldps\n", (long long)(t->end_ps[event] - t->start_ps[event]));
    }
    status = sl_outfile_commit(&file, err);
    sl_outfile_abandon(&file);
    return status;
}

enum sl_status sl_trace_durations_folder(const char *dir, char folder[SL_TRACE_FOLDER],
                                         struct sl_error *err)
{
    if (snprintf(folder, SL_TRACE_FOLDER, "%s/durations", dir) >= SL_TRACE_FOLDER)
        return SL_FAIL(err, SL_USAGE, "the path '%.80s...' is too long", dir);
    return sl_make_dirs(folder, err);
}

enum sl_status sl_trace_durations_write(const struct sl_trace_durations *d, const char *dir,
                                        struct sl_error *err)
{
    char folder[SL_TRACE_FOLDER];
    enum sl_status status = sl_trace_durations_folder(dir, folder, err);
    for (uint32_t i = 0; i < d->group_count && status == SL_OK; i++)
        if (d->groups[i].file != SL_NONE)
            status = write_group(d, &d->groups[i], folder, err);
    return status;
}

void sl_trace_durations_free(struct sl_trace_durations *d)
{
    free(d->events);
    free(d->groups);
    free(d->group_of);
    *d = (struct sl_trace_durations){0};
}
