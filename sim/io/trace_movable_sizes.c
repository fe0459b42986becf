/* How many bytes the record held of what its copies brought. */
#include <config.h>

#include "numsort.h"
#include "trace_movable.h"
#include <stdlib.h>
#include <string.h>

/* The device's memory that most bytes are brought to. */
static bool choose_domain(struct sl_trace_movable *m)
{
    struct sl_names domains = {0};
    int64_t sums[SL_TRACE_MOST_ROUTES] = {0};
    bool made = true;
    for (uint32_t i = 0; made && i < m->count; i++) {
        uint32_t domain = sl_names_add(&domains, m->buffers[i].route->to);
        made = domain != SL_NONE;
        if (made && __builtin_add_overflow(sums[domain], m->buffers[i].bytes, &sums[domain]))
            sums[domain] = INT64_MAX;
    }
    for (uint32_t i = 0; made && i < domains.count; i++)
        if (sums[i] > m->all_bytes) {
            m->all_bytes = sums[i];
            strcpy(m->domain, domains.names[i]);
        }
    sl_names_free(&domains);
    return made;
}

struct steps {
    struct sl_keyed *items; /* time; buffer */
    uint32_t count;
};

static void add(struct steps *steps, int64_t t_ps, uint32_t buffer)
{
    steps->items[steps->count++] = (struct sl_keyed){t_ps, buffer};
}

/* A buffer is held from the start of its writer to the end of the copy from the device, and from
 * the start of the copy to it to the end of its last reader. */
static void list_steps(const struct sl_trace_movable *m, const struct sl_trace_graph *g,
                       const int64_t *until_ps, struct steps *takes, struct steps *gives)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const struct sl_trace_buffer *buffer = &m->buffers[i];
        if (strcmp(buffer->route->to, m->domain) != 0)
            continue;
        add(takes, g->nodes[buffer->in].start_ps, i);
        add(gives, until_ps[i], i);
        if (buffer->out == SL_NONE)
            continue;
        add(takes, g->nodes[buffer->writer].start_ps, i);
        add(gives, g->nodes[buffer->out].end_ps, i);
    }
}

/* What is given back at a time is free for what is taken then. */
static int64_t most_held(const struct sl_trace_movable *m, const struct steps *takes,
                         const struct steps *gives)
{
    int64_t held = 0, most = 0;
    uint32_t given = 0;
    for (uint32_t i = 0; i < takes->count; i++) {
        for (; given < gives->count && gives->items[given].key <= takes->items[i].key; given++)
            held -= m->buffers[gives->items[given].value].bytes;
        held += m->buffers[takes->items[i].value].bytes;
        most = held > most ? held : most;
    }
    return most;
}

/* Of the sorted times the index of the last one that is not above t; -1. */
static int64_t last_until(const int64_t *times, uint32_t count, int64_t t)
{
    uint32_t from = 0, to = count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (times[middle] <= t)
            from = middle + 1;
        else
            to = middle;
    }
    return (int64_t)from - 1;
}

/* With reading works c_0, c_1 ... in the order of start, the copy for c_i began when all up to
 * c_(i-k-1) had ended: k works ahead. */
static bool find_ahead(struct sl_trace_movable *m, const struct sl_trace_graph *g)
{
    int64_t *ends = malloc((m->read_count + 1u) * sizeof *ends); /* the latest of all up to it */
    int64_t *ahead = malloc((m->count + 1u) * sizeof *ahead);
    bool *seen = calloc(m->count + 1u, sizeof *seen);
    bool made = ends && ahead && seen;
    uint32_t readers = 0, found = 0;
    for (uint32_t i = 0; made && i < m->read_count; i++) {
        uint32_t node = (uint32_t)m->reads[i].key, buffer = m->reads[i].value;
        if (i == 0 || m->reads[i - 1].key != m->reads[i].key) {
            int64_t end_ps = g->nodes[node].end_ps;
            bool later = readers == 0 || end_ps > ends[readers - 1];
            ends[readers] = later ? end_ps : ends[readers - 1];
            readers++;
        }
        if (seen[buffer])
            continue;
        seen[buffer] = true;
        int64_t start_ps = g->nodes[m->buffers[buffer].in].start_ps;
        ahead[found++] = (int64_t)readers - 2 - last_until(ends, readers - 1, start_ps);
    }
    if (made && found > 0) {
        sl_sort_integers(ahead, found);
        m->ahead = (uint32_t)ahead[(found - 1) / 2];
    }
    free(ends);
    free(ahead);
    free(seen);
    return made;
}

bool sl_trace_movable_sizes(struct sl_trace_movable *m, const struct sl_trace_graph *g)
{
    size_t room = 2 * (size_t)m->count + 1;
    struct steps takes = {malloc(room * sizeof *takes.items), 0};
    struct steps gives = {malloc(room * sizeof *gives.items), 0};
    struct sl_keyed *scratch = malloc(room * sizeof *scratch);
    int64_t *until_ps = calloc(m->count + 1u, sizeof *until_ps);
    bool made =
        takes.items && gives.items && scratch && until_ps && choose_domain(m) && find_ahead(m, g);
    if (made) {
        for (uint32_t i = 0; i < m->read_count; i++) {
            int64_t *until = &until_ps[m->reads[i].value];
            int64_t end_ps = g->nodes[m->reads[i].key].end_ps;
            *until = end_ps > *until ? end_ps : *until;
        }
        list_steps(m, g, until_ps, &takes, &gives);
        sl_sort_keyed(takes.items, scratch, takes.count);
        sl_sort_keyed(gives.items, scratch, gives.count);
        m->held_bytes = m->all_bytes < INT64_MAX ? most_held(m, &takes, &gives) : INT64_MAX;
    }
    free(takes.items);
    free(gives.items);
    free(scratch);
    free(until_ps);
    return made;
}
