/* Planned works and measured actions, by name. */
#include "config.h"

#include "measuring.h"
#include "record_shape.h"

#define MOST_NAMES 1000 /* of each list */

static uint32_t find_work(const struct sl_planned *planned, const struct sl_names *nodes,
                          const char *name)
{
    uint32_t node = sl_names_find(nodes, name);
    return node == SL_NONE ? SL_NONE : planned->work_of[node];
}

/* Indices of names are those of nodes. */
static bool name_nodes(struct sl_names *names, const struct sl_graph *graph)
{
    bool good = true;
    for (uint32_t i = 0; good && i < graph->node_count; i++)
        good = sl_names_add(names, graph->nodes[i].name) == i;
    return good;
}

static bool note(struct sl_record *record, struct sl_record_texts *list, const char *name)
{
    return list->count == MOST_NAMES || sl_record_add_text(record, list, name);
}

/* Counts how often each planned work was seen; a name that comes more than once in a run is told
 * like one that is not planned. */
static bool look_for(struct sl_measuring *measure, uint32_t *seen)
{
    const struct sl_realized *realized = measure->realized;
    struct sl_record *record = measure->record;
    uint32_t *last =
        sl_arena_array(&measure->arena, (size_t)realized->names.count + 1, sizeof *last);
    bool *told = sl_arena_array(&measure->arena, (size_t)realized->names.count + 1, sizeof *told);
    if (!last || !told)
        return false;
    for (uint32_t r = 0; r < realized->run_count; r++)
        for (uint32_t k = 0; k < realized->runs[r].count; k++) {
            uint32_t name = realized->works[realized->runs[r].first + k].name;
            uint32_t work = measure->work_of[name];
            bool again = last[name] == r + 1;
            last[name] = r + 1;
            if (work != SL_NONE && !again) {
                seen[work]++;
                continue;
            }
            if (!told[name] &&
                !note(record, &record->measurement.unexpected, realized->names.names[name]))
                return false;
            told[name] = true;
        }
    return true;
}

static bool match(struct sl_measuring *measure, struct sl_names *nodes)
{
    const struct sl_planned *planned = measure->planned;
    const struct sl_realized *realized = measure->realized;
    struct sl_record *record = measure->record;
    struct sl_record_measurement *out = &record->measurement;
    measure->work_of = sl_arena_array(&measure->arena, (size_t)realized->names.count + 1,
                                      sizeof *measure->work_of);
    uint32_t *seen = sl_arena_array(&measure->arena, (size_t)planned->count + 1, sizeof *seen);
    if (!measure->work_of || !seen || !name_nodes(nodes, planned->graph))
        return false;
    for (uint32_t n = 0; n < realized->names.count; n++)
        measure->work_of[n] = find_work(planned, nodes, realized->names.names[n]);
    if (!look_for(measure, seen))
        return false;
    for (uint32_t w = 0; w < planned->count; w++) {
        if (isnan(planned->works[w].isolated_us)) /* its guard never holds */
            continue;
        out->planned++;
        out->matched += seen[w] > 0;
        if (seen[w] == 0 && realized->has_works && /* times of runs alone miss no action */
            !note(record, &out->missing, planned->graph->nodes[planned->works[w].node].name))
            return false;
    }
    return true;
}

enum sl_status sl_measuring_match(struct sl_measuring *measure, struct sl_error *err)
{
    struct sl_names nodes = {0};
    bool good = match(measure, &nodes);
    sl_names_free(&nodes);
    return good ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}
