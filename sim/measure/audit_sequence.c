/* Whether the works of an audit's steps come in one order: the names of each stream's works, step
 * by step, against those of most steps. */
#include <config.h>

#include "audit_parts.h"
#include "keysort.h"
#include "text.h"
#include <stdlib.h>

/* Works of steps, sorted by stream, then step, then time: key is stream * steps + step. */
struct order {
    const struct sl_audit *audit;
    struct sl_keyed *items, *scratch;
    uint32_t count;
};

static uint32_t stream_of(const struct sl_audit *audit, const uint32_t *stream_of_lane, uint32_t i)
{
    return stream_of_lane[audit->timeline->lane[audit->works[i].event]];
}

static bool sort_works(struct order *order)
{
    const struct sl_audit *audit = order->audit;
    uint32_t *streams = calloc(audit->timeline->lane_count + 1u, sizeof *streams);
    order->items = malloc((audit->work_count + audit->step_count + 1u) * sizeof *order->items);
    order->scratch = malloc((audit->work_count + audit->step_count + 1u) * sizeof *order->scratch);
    bool made = streams && order->items && order->scratch;
    for (uint32_t i = 0; made && i < audit->stream_count; i++)
        streams[audit->streams[i].lane] = i;
    for (uint32_t i = 0; made && i < audit->work_count; i++)
        if (audit->works[i].step != SL_NONE)
            order->items[order->count++] = (struct sl_keyed){
                (int64_t)stream_of(audit, streams, i) * audit->step_count + audit->works[i].step,
                i};
    if (made)
        sl_sort_keyed(order->items, order->scratch, order->count);
    free(streams);
    return made;
}

/* The first item of a stream and step, or of what follows. */
static uint32_t first_of(const struct order *order, uint32_t stream, uint32_t step)
{
    int64_t key = (int64_t)stream * order->audit->step_count + step;
    return sl_keyed_from(order->items, order->count, key);
}

/* The name of the `at`-th of the works [from, to); SL_NONE behind the last. */
static uint32_t name_at(const struct order *order, uint32_t from, uint32_t to, uint32_t at)
{
    const struct sl_audit *audit = order->audit;
    if (at >= to - from)
        return SL_NONE;
    return audit->timeline->name[audit->works[order->items[from + at].value].event];
}

/* A hash of each step's works; a step is compared with most others by it. */
static void hash_steps(const struct order *order, uint64_t *hashes)
{
    const struct sl_audit *audit = order->audit;
    for (uint32_t i = 0; i < audit->step_count; i++)
        hashes[i] = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        uint32_t step = audit->works[order->items[i].value].step;
        uint32_t event = audit->works[order->items[i].value].event;
        uint64_t stream = (uint64_t)(order->items[i].key / audit->step_count);
        hashes[step] = sl_hash_index(hashes[step] ^
                                     sl_hash_index(stream << 32 | audit->timeline->name[event]));
    }
}

/* The first of the steps whose hash most have; of equally many the earliest. */
static uint32_t usual_step(struct order *order, const uint64_t *hashes, uint32_t *alike)
{
    uint32_t steps = order->audit->step_count, usual = 0;
    struct sl_keyed *sorted = malloc((steps + 1u) * sizeof *sorted);
    *alike = 0;
    for (uint32_t i = 0; sorted && i < steps; i++)
        sorted[i] = (struct sl_keyed){(int64_t)(hashes[i] >> 1), i};
    if (sorted)
        sl_sort_keyed(sorted, order->scratch, steps);
    for (uint32_t from = 0, to; sorted && from < steps; from = to) {
        for (to = from + 1; to < steps && sorted[to].key == sorted[from].key;)
            to++;
        if (to - from > *alike || (to - from == *alike && sorted[from].value < usual)) {
            *alike = to - from;
            usual = sorted[from].value;
        }
    }
    free(sorted);
    return sorted ? usual : SL_NONE;
}

/* Where a stream of the step first differs from the usual one; false: nowhere. */
static bool compare_stream(const struct order *order, struct sl_audit_step *step, uint32_t stream,
                           uint32_t index, uint32_t usual)
{
    uint32_t from = first_of(order, stream, index), to = first_of(order, stream, index + 1);
    uint32_t from_usual = first_of(order, stream, usual),
             to_usual = first_of(order, stream, usual + 1);
    for (uint32_t at = 0; at < to - from || at < to_usual - from_usual; at++) {
        uint32_t found = name_at(order, from, to, at);
        uint32_t expected = name_at(order, from_usual, to_usual, at);
        if (found == expected)
            continue;
        step->odd_lane = order->audit->streams[stream].lane;
        step->odd_at = at;
        step->odd_found = found;
        step->odd_expected = expected;
        return true;
    }
    return false;
}

static bool find_odd_steps(struct sl_audit *audit, struct order *order, uint64_t *hashes)
{
    if (!sort_works(order))
        return false;
    hash_steps(order, hashes);
    audit->usual_step = usual_step(order, hashes, &audit->alike_count);
    if (audit->usual_step == SL_NONE)
        return false;
    for (uint32_t i = 0; i < audit->step_count; i++)
        for (uint32_t s = 0; hashes[i] != hashes[audit->usual_step] && s < audit->stream_count; s++)
            if (compare_stream(order, &audit->steps[i], s, i, audit->usual_step))
                break;
    return true;
}

enum sl_status sl_audit_order(struct sl_audit *audit, struct sl_error *err)
{
    struct order order = {.audit = audit};
    uint64_t *hashes = malloc((audit->step_count + 1u) * sizeof *hashes);
    bool made = hashes && (audit->step_count == 0 || find_odd_steps(audit, &order, hashes));
    free(hashes);
    free(order.items);
    free(order.scratch);
    return made ? SL_OK : sl_audit_no_memory(err);
}
