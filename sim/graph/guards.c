/* Terms of guards, compared. */
#include <config.h>

#include "guards.h"
#include <string.h>

static const struct sl_guard_term *term_of(const struct sl_graph *graph, uint32_t node, uint32_t k)
{
    return &graph->guard_terms[graph->nodes[node].guards.first + k];
}

bool sl_guard_shared(const struct sl_graph *graph, uint32_t guard, uint32_t a, uint32_t b)
{
    const struct sl_node *x = &graph->nodes[a], *y = &graph->nodes[b];
    switch (graph->guards[guard].scope) {
    case SL_SCOPE_NODE:
        return x->key_hash == y->key_hash;
    case SL_SCOPE_LAYER:
        return x->layer == y->layer && x->iteration == y->iteration;
    case SL_SCOPE_ITERATION:
        return x->iteration == y->iteration;
    case SL_SCOPE_JOB:
        break;
    }
    return true;
}

/* True when `b` has the term, or with `negated` its negation, on the draw that `a` sees. */
static bool has_term(const struct sl_graph *graph, uint32_t a, struct sl_guard_term term,
                     uint32_t b, bool negated)
{
    for (uint32_t k = 0; k < graph->nodes[b].guards.count; k++) {
        const struct sl_guard_term *other = term_of(graph, b, k);
        if (other->guard == term.guard && other->negated == (term.negated != negated) &&
            sl_guard_shared(graph, term.guard, a, b))
            return true;
    }
    return false;
}

bool sl_guards_oppose(const struct sl_graph *graph, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < graph->nodes[a].guards.count; k++)
        if (has_term(graph, a, *term_of(graph, a, k), b, true))
            return true;
    return false;
}

bool sl_guards_include(const struct sl_graph *graph, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < graph->nodes[b].guards.count; k++)
        if (!has_term(graph, b, *term_of(graph, b, k), a, false))
            return false;
    return true;
}

/* Two guards with the whole of a factor in common hold together or one after the other, so that
 * some outcomes of the two never come. */
bool sl_guards_may_hold(const struct sl_graph *graph, uint32_t node)
{
    uint32_t count = graph->nodes[node].guards.count;
    for (uint32_t k = 0; k < count; k++) {
        const struct sl_guard *guard = &graph->guards[term_of(graph, node, k)->guard];
        bool never =
            term_of(graph, node, k)->negated ? guard->probability >= 1 : guard->probability <= 0;
        if (never || (count > 1 && guard->factor && guard->rho >= 1))
            return false;
    }
    return true;
}

const struct sl_factor *sl_guard_factor(const struct sl_graph *graph, const struct sl_guard *guard)
{
    for (uint32_t f = 0; f < graph->factor_count; f++) {
        const struct sl_factor *factor = &graph->factors[f];
        if (strcmp(factor->name, guard->factor) == 0 ||
            (factor->with && strcmp(factor->with, guard->factor) == 0))
            return factor;
    }
    return NULL;
}

const char *sl_guards_text(const struct sl_graph *graph, uint32_t node, struct sl_arena *arena)
{
    const char *text = "";
    for (uint32_t k = 0; text && k < graph->nodes[node].guards.count; k++) {
        const struct sl_guard_term *term = term_of(graph, node, k);
        text = sl_arena_printf(arena, "%s%s%s%s", text, k > 0 ? " & " : "",
                               term->negated ? "!" : "", graph->guards[term->guard].name);
    }
    return text;
}
