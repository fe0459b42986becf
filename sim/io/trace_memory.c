/* Allocations of a trace: takings and givings joined by address, and anchored to the host's nodes.
 */
#include <config.h>

#include "text.h"
#include "trace_memory.h"
#include "trace_names.h"
#include "units.h"
#include <stdlib.h>

enum { DEVICE_GPU = 1, MOST_DEVICES = 64 };

/* Open allocations by device and address: open addressing, twice as many slots as changes. */
struct open {
    uint64_t address;
    int32_t device;
    uint32_t item; /* index + 1; 0: the slot was never used; SL_NONE: nothing open there now */
};

struct builder {
    struct sl_trace_memory *memory;
    const struct sl_trace_graph *graph;
    struct open *open;
    uint32_t mask;
    uint32_t *before; /* by node: of its lane */
    uint32_t host;    /* the node of a thread that started last; SL_NONE */
    uint32_t next;    /* first node that has not started */
    int64_t last_ps;  /* of the change before */
};

static struct open *find(struct builder *b, int32_t device, uint64_t address)
{
    uint64_t hash = sl_hash_index(address ^ (uint64_t)(uint32_t)device << 48);
    for (uint32_t at = (uint32_t)hash & b->mask;; at = (at + 1) & b->mask)
        if (b->open[at].item == 0 ||
            (b->open[at].address == address && b->open[at].device == device))
            return &b->open[at];
}

/* Where a time lies in the graph: behind the last node of the thread that started something last.
 */
static struct sl_trace_change anchor(struct builder *b, int64_t t_ps)
{
    const struct sl_trace_graph *g = b->graph;
    for (; b->next < g->node_count && g->nodes[b->next].start_ps <= t_ps; b->next++)
        if (g->nodes[b->next].role < SL_TRACE_WORK)
            b->host = b->next;
    struct sl_trace_change change = {.after = b->host, .lag_ps = t_ps};
    if (b->host != SL_NONE && g->nodes[b->host].end_ps > t_ps)
        change.after = b->before[b->host];
    if (change.after != SL_NONE)
        change.lag_ps = t_ps - g->nodes[change.after].end_ps;
    return change;
}

static bool add_change(struct builder *b, int64_t t_ps, uint32_t item, bool gives)
{
    struct sl_trace_memory *m = b->memory;
    if (!sl_grow((void **)&m->changes, &m->change_capacity, m->change_count + 1,
                 sizeof *m->changes))
        return false;
    struct sl_trace_change change = anchor(b, t_ps);
    change.item = item;
    change.gives = gives;
    change.follows = m->change_count > 0 && t_ps == b->last_ps;
    b->last_ps = t_ps;
    *(gives ? &m->items[item].given : &m->items[item].taken) = m->change_count;
    m->changes[m->change_count++] = change;
    return true;
}

static bool add_item(struct sl_trace_memory *m, int32_t device, int64_t bytes)
{
    if (!sl_grow((void **)&m->items, &m->capacity, m->count + 1, sizeof *m->items))
        return false;
    m->items[m->count++] = (struct sl_trace_allocation){device, bytes, SL_NONE, SL_NONE};
    return true;
}

/* What is given back although it was not taken in the scope was there before. */
static bool take_change(struct builder *b, const struct sl_memory_event *event, int64_t t_ps)
{
    struct sl_trace_memory *m = b->memory;
    struct open *open = find(b, event->device, event->address);
    bool known = open->item != 0 && open->item != SL_NONE;
    if (event->bytes > 0 && known) {
        m->left_out++;
        m->twice++;
        return true;
    }
    if (event->bytes > 0) {
        *open = (struct open){event->address, event->device, m->count + 1};
        return add_item(m, event->device, event->bytes) && add_change(b, t_ps, m->count - 1, false);
    }
    uint32_t item = known ? open->item - 1 : m->count;
    if (known)
        open->item = SL_NONE;
    return (known || add_item(m, event->device, -event->bytes)) && add_change(b, t_ps, item, true);
}

/* What was allocated before the first change of a device, less what the scope gives back of it. */
static bool add_rest(struct builder *b, const struct sl_memory_event *first)
{
    struct sl_trace_memory *m = b->memory;
    if (first->allocated_bytes < 0)
        return true;
    int64_t rest = first->allocated_bytes - first->bytes;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->items[i].device == first->device && m->items[i].taken == SL_NONE)
            rest -= m->items[i].bytes;
    return rest <= 0 || add_item(m, first->device, rest);
}

static bool in_scope(const struct sl_trace_graph *g, const struct sl_memory_event *event,
                     int64_t *t_ps)
{
    *t_ps = event->t_ps - g->origin_ps;
    return *t_ps >= 0 && *t_ps <= g->recorded.span_ps;
}

/* Whether the change is of a device's memory and in the scope; *t_ps: its time in the graph. */
static bool is_used(const struct sl_trace_graph *g, const struct sl_memory_event *event,
                    int64_t *t_ps)
{
    return in_scope(g, event, t_ps) && event->device_type == DEVICE_GPU && event->device >= 0 &&
           event->device < MOST_DEVICES && event->address != 0 && event->bytes != 0;
}

/* Why one of the scope is not. */
static void leave_out(struct sl_trace_memory *m, const struct sl_memory_event *event)
{
    bool device =
        event->device_type == DEVICE_GPU && event->device >= 0 && event->device < MOST_DEVICES;
    m->left_out++;
    m->hosts += !device;
    m->nameless += device && event->address == 0;
}

static bool take_all(struct builder *b)
{
    const struct sl_timeline *t = b->graph->timeline;
    const struct sl_memory_event *first[MOST_DEVICES] = {0};
    bool made = true;
    for (uint32_t i = 0; i < t->memory_count && made; i++) {
        const struct sl_memory_event *event = &t->memory[i];
        int64_t t_ps;
        if (!is_used(b->graph, event, &t_ps)) {
            if (in_scope(b->graph, event, &t_ps))
                leave_out(b->memory, event);
            continue;
        }
        if (!first[event->device])
            first[event->device] = event;
        made = take_change(b, event, t_ps);
    }
    for (int device = 0; device < MOST_DEVICES && made; device++)
        made = !first[device] || add_rest(b, first[device]);
    return made;
}

static bool builder_make(struct builder *b, uint32_t changes)
{
    const struct sl_trace_graph *g = b->graph;
    uint32_t slots = 16;
    while (slots < 2 * changes)
        slots *= 2;
    b->mask = slots - 1;
    b->open = calloc(slots, sizeof *b->open);
    b->before = malloc((g->node_count + 1u) * sizeof *b->before);
    uint32_t *last = malloc((g->lane_count + 1u) * sizeof *last);
    bool made = b->open && b->before && last;
    for (uint32_t lane = 0; made && lane < g->lane_count; lane++)
        last[lane] = SL_NONE;
    for (uint32_t i = 0; made && i < g->node_count; i++) {
        uint32_t lane = g->nodes[i].lane;
        b->before[i] = lane == SL_NONE ? SL_NONE : last[lane];
        if (lane != SL_NONE)
            last[lane] = i;
    }
    free(last);
    return made;
}

enum sl_status sl_trace_memory_make(struct sl_trace_memory *memory,
                                    const struct sl_trace_graph *graph, struct sl_error *err)
{
    struct builder b = {.memory = memory, .graph = graph, .host = SL_NONE};
    uint32_t changes = 0;
    int64_t t_ps;
    for (uint32_t i = 0; i < graph->timeline->memory_count; i++)
        changes += is_used(graph, &graph->timeline->memory[i], &t_ps);
    if (changes > SL_TRACE_MOST_NODES - graph->node_count) {
        memory->left_out = changes;
        return SL_OK;
    }
    bool made = builder_make(&b, changes) && take_all(&b);
    free(b.open);
    free(b.before);
    return made ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for the allocations of the trace");
}

void sl_trace_memory_skip(struct sl_trace_memory *memory, const struct sl_trace_graph *graph)
{
    int64_t t_ps;
    for (uint32_t i = 0; i < graph->timeline->memory_count; i++)
        memory->left_out += in_scope(graph, &graph->timeline->memory[i], &t_ps);
}

static void put_total(FILE *out, int64_t bytes)
{
    if (bytes >= 0)
        fprintf(out, "%lld", (long long)bytes);
    fputc(',', out);
}

void sl_trace_memory_totals(const struct sl_trace_graph *graph, FILE *out)
{
    fputs("# What the record states to be allocated and reserved after each change of the scope; "
          "device -1: the host.\n"
          "t_us,device_type,device,bytes,allocated_bytes,reserved_bytes,addressed\n",
          out);
    for (uint32_t i = 0; i < graph->timeline->memory_count; i++) {
        const struct sl_memory_event *event = &graph->timeline->memory[i];
        int64_t t_ps;
        if (!in_scope(graph, event, &t_ps) ||
            (event->allocated_bytes < 0 && event->reserved_bytes < 0))
            continue;
        fprintf(out, "%lld.%06lld,%d,%d,%lld,", (long long)(t_ps / SL_PS_PER_US),
                (long long)(t_ps % SL_PS_PER_US), event->device_type, event->device,
                (long long)event->bytes);
        put_total(out, event->allocated_bytes);
        put_total(out, event->reserved_bytes);
        fputs(event->address != 0 ? "yes\n" : "no\n", out);
    }
}

static void put_change(FILE *out, const struct sl_trace_memory *m, uint32_t change)
{
    fprintf(out, "%s.%06u", m->changes[change].gives ? "give" : "take", change);
}

static void write_change(const struct sl_trace_memory *m, const struct sl_trace_graph *graph,
                         uint32_t index, FILE *nodes, FILE *edges)
{
    const struct sl_trace_change *change = &m->changes[index];
    char name[SL_TRACE_NAME];
    put_change(nodes, m, index);
    fprintf(nodes, ",%s,,,,0ps,,,memory.%06u,,,", change->gives ? "reclamation" : "allocation",
            change->item);
    if (change->after == SL_NONE)
        fprintf(nodes, "%lldps", (long long)change->lag_ps);
    fputs(",measured: a change of memory\n", nodes);
    if (change->after != SL_NONE) {
        fprintf(edges, "%s,", sl_trace_node_name(graph, change->after, name));
        put_change(edges, m, index);
        fprintf(edges, ",ordering,%lldps,measured: the host before it\n",
                (long long)change->lag_ps);
    }
    if (change->follows) {
        put_change(edges, m, index - 1);
        fputc(',', edges);
        put_change(edges, m, index);
        fputs(",ordering,0ps,measured: the order of changes\n", edges);
    }
}

void sl_trace_memory_write(const struct sl_trace_memory *m, const struct sl_trace_graph *graph,
                           FILE *nodes, FILE *edges, FILE *objects)
{
    for (uint32_t i = 0; i < m->change_count; i++)
        write_change(m, graph, i, nodes, edges);
    for (uint32_t i = 0; i < m->count; i++) {
        const struct sl_trace_allocation *item = &m->items[i];
        if (item->taken != SL_NONE && item->given != SL_NONE) {
            put_change(edges, m, item->taken);
            fputc(',', edges);
            put_change(edges, m, item->given);
            fputs(",lifetime-hold,0ps,measured: an allocation and its return\n", edges);
        }
        fprintf(objects, "memory.%06u,%lldB,hbm%d,hbm%d,", i, (long long)item->bytes, item->device,
                item->device);
        if (item->taken == SL_NONE)
            fprintf(objects, "hbm%d", item->device);
        fprintf(objects, ",%s,measured: changes of memory\n", item->given == SL_NONE ? "true" : "");
    }
}

void sl_trace_memory_free(struct sl_trace_memory *memory)
{
    free(memory->items);
    free(memory->changes);
    *memory = (struct sl_trace_memory){0};
}
