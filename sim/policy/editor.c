/* Edges once, names new, and what was done and why. */
#include "editor.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

/* The slot that holds `pair`, or the free one where it belongs. */
static uint32_t slot_of(const struct sl_pairs *pairs, uint64_t pair)
{
    uint32_t at = (uint32_t)mix(pair) & (pairs->capacity - 1);
    while (pairs->slots[at] != 0 && pairs->slots[at] != pair)
        at = (at + 1) & (pairs->capacity - 1);
    return at;
}

static bool grow(struct sl_pairs *pairs)
{
    struct sl_pairs larger = {.capacity = pairs->capacity ? pairs->capacity * 2 : 256};
    if (larger.capacity > 1u << 30 || !(larger.slots = calloc(larger.capacity, sizeof(uint64_t))))
        return false;
    for (uint32_t i = 0; i < pairs->capacity; i++)
        if (pairs->slots[i])
            larger.slots[slot_of(&larger, pairs->slots[i])] = pairs->slots[i];
    larger.count = pairs->count;
    free(pairs->slots);
    *pairs = larger;
    return true;
}

bool sl_pairs_add(struct sl_pairs *pairs, uint32_t from, uint32_t to, bool *added)
{
    if (pairs->count >= pairs->capacity / 2 && !grow(pairs))
        return false;
    uint64_t pair = ((uint64_t)from << 32 | to) + 1;
    uint32_t at = slot_of(pairs, pair);
    *added = pairs->slots[at] == 0;
    if (*added) {
        pairs->slots[at] = pair;
        pairs->count++;
    }
    return true;
}

bool sl_pairs_has(const struct sl_pairs *pairs, uint32_t from, uint32_t to)
{
    uint64_t pair = ((uint64_t)from << 32 | to) + 1;
    return pairs->capacity > 0 && pairs->slots[slot_of(pairs, pair)] == pair;
}

void sl_pairs_free(struct sl_pairs *pairs)
{
    free(pairs->slots);
    *pairs = (struct sl_pairs){0};
}

static enum sl_status out_of_memory(struct sl_editor *editor)
{
    return SL_FAIL(editor->err, SL_SYSTEM, "out of memory for a plan");
}

void sl_editor_open(struct sl_editor *editor, struct sl_graph *graph, struct sl_plan *plan,
                    struct sl_error *err)
{
    *editor =
        (struct sl_editor){.graph = graph, .unread = graph->edge_count, .plan = plan, .err = err};
}

/* Takes the edges that were there into the set: a plan that adds none needs no set. */
static enum sl_status read_edges(struct sl_editor *editor)
{
    const struct sl_graph *graph = editor->graph;
    for (uint32_t e = 0; e < editor->unread; e++) {
        const struct sl_edge *edge = &graph->edges[e];
        bool added;
        if (edge->next == 0 && !sl_pairs_add(&editor->pairs, edge->from.i, edge->to.i, &added))
            return out_of_memory(editor);
    }
    editor->unread = 0;
    return SL_OK;
}

void sl_editor_close(struct sl_editor *editor)
{
    sl_pairs_free(&editor->pairs);
}

enum sl_status sl_editor_lagged_edge(struct sl_editor *editor, uint32_t from, uint32_t to,
                                     enum sl_edge_type type, uint32_t object, int64_t lag_ps)
{
    bool added;
    enum sl_status status = read_edges(editor);
    if (status != SL_OK)
        return status;
    if (!sl_pairs_add(&editor->pairs, from, to, &added))
        return out_of_memory(editor);
    struct sl_edge edge = {
        .from = {from}, .to = {to}, .type = type, .lag_ps = lag_ps, .object = {object}};
    return sl_graph_add_edge(editor->graph, &edge, editor->err);
}

enum sl_status sl_editor_edge(struct sl_editor *editor, uint32_t from, uint32_t to,
                              enum sl_edge_type type, uint32_t object, bool *added)
{
    enum sl_status status = read_edges(editor);
    if (status != SL_OK)
        return status;
    bool is_new = from != to && !sl_pairs_has(&editor->pairs, from, to);
    if (added)
        *added = is_new;
    return is_new ? sl_editor_lagged_edge(editor, from, to, type, object, 0) : SL_OK;
}

enum sl_status sl_editor_node(struct sl_editor *editor, struct sl_node *node, uint32_t *index)
{
    const char *wanted = node->name;
    node->derived = true;
    for (uint32_t k = 2; sl_names_find(&editor->graph->node_names, node->name) != SL_NONE; k++)
        if (!(node->name = sl_editor_text(editor, "%s~%u", wanted, k)))
            return out_of_memory(editor);
    sl_node_id id;
    enum sl_status status = sl_graph_add_node(editor->graph, node, &id, editor->err);
    if (status == SL_OK)
        *index = id.i;
    return status;
}

const char *sl_editor_text(struct sl_editor *editor, const char *format, ...)
{
    char buffer[1400];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    char *text = NULL;
    if (length >= 0 && (size_t)length < sizeof buffer)
        return sl_arena_strdup(&editor->graph->arena, buffer);
    if (length >= 0 && (text = sl_arena_alloc(&editor->graph->arena, (size_t)length + 1))) {
        va_start(args, format);
        vsnprintf(text, (size_t)length + 1, format, args);
        va_end(args);
    }
    return text;
}

/* Room for one more edit; the list doubles inside the arena. */
static struct sl_edit *new_edit(struct sl_plan *plan, struct sl_arena *arena)
{
    if (plan->edit_count == plan->edit_capacity) {
        uint32_t capacity = plan->edit_capacity ? plan->edit_capacity * 2 : 64;
        struct sl_edit *larger = sl_arena_array(arena, capacity, sizeof *larger);
        if (!larger)
            return NULL;
        if (plan->edit_count > 0)
            memcpy(larger, plan->edits, plan->edit_count * sizeof *larger);
        plan->edits = larger;
        plan->edit_capacity = capacity;
    }
    return &plan->edits[plan->edit_count++];
}

enum sl_status sl_editor_note(struct sl_editor *editor, int what, uint32_t node, uint32_t object,
                              const char *reason, const char *format, ...)
{
    if (!editor->plan)
        return SL_OK;
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct sl_edit *edit = new_edit(editor->plan, &editor->graph->arena);
    if (!edit)
        return out_of_memory(editor);
    edit->what = what;
    edit->text = sl_arena_strdup(&editor->graph->arena, text);
    edit->reason = sl_arena_strdup(&editor->graph->arena, reason);
    edit->node.i = node;
    edit->object.i = object;
    return edit->text && edit->reason ? SL_OK : out_of_memory(editor);
}

bool sl_graph_preds(const struct sl_graph *graph, uint32_t **start_out, uint32_t **edges_out)
{
    uint32_t *start = calloc((size_t)graph->node_count + 2, sizeof *start);
    uint32_t *edges = malloc(((size_t)graph->edge_count + 1) * sizeof *edges);
    *start_out = start;
    *edges_out = edges;
    if (!start || !edges)
        return false;
    /* start[i + 2] counts node i; after the sums start[i + 1] is the next free place of i. */
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].next == 0)
            start[graph->edges[e].to.i + 2]++;
    for (uint32_t i = 2; i < graph->node_count + 2; i++)
        start[i] += start[i - 1];
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].next == 0)
            edges[start[graph->edges[e].to.i + 1]++] = e;
    return true;
}
