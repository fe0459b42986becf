/* Packing the draws of guards: one per guard and scope, with the hash that names it, the draw of
 * the iteration before where it persists, and the normal that it shares where it is correlated; and
 * which movements guards make speculative. */
#include "guards.h"
#include "names.h"
#include "program.h"
#include <math.h>

/* Of an iteration from the second on; "" of the first. */
static const char *iteration_part(struct sl_arena *arena, char separator, uint32_t iteration)
{
    return iteration > 0 ? sl_arena_printf(arena, "%citeration:%u", separator, iteration + 1) : "";
}

/* The scope's part of a guard's key: one draw for the job, an iteration, a layer or a node of it.
 */
static const char *draw_key(struct sl_program *p, uint32_t index, const struct sl_guard *guard,
                            uint32_t iteration)
{
    const struct sl_graph *g = p->graph;
    const struct sl_node *node = &g->nodes[index];
    const char *key = g->nodes[sl_node_first(g, index)].key;
    const char *part = iteration_part(&p->arena, ':', iteration);
    if (!part)
        return NULL;
    if (guard->scope == SL_SCOPE_LAYER && node->layer != SL_NONE)
        return sl_arena_printf(&p->arena, "guard:%s%s:layer:%s", guard->name, part,
                               g->layer_names.names[node->layer]);
    if (guard->scope == SL_SCOPE_NODE)
        return iteration > 0 ? sl_arena_printf(&p->arena, "guard:%s:node:%s@%u", guard->name, key,
                                               iteration + 1)
                             : sl_arena_printf(&p->arena, "guard:%s:node:%s", guard->name, key);
    return sl_arena_printf(&p->arena, "guard:%s%s", guard->name,
                           guard->scope == SL_SCOPE_ITERATION ? part : "");
}

/* The factor's own draw: of the node's iteration, but of the trial where the guard's scope is the
 * job or the factor is declared so. */
static bool share_normal(struct sl_program *p, struct guard_draw *draw,
                         const struct sl_guard *guard, uint32_t iteration)
{
    const struct sl_factor *factor = sl_guard_factor(p->graph, guard);
    bool once = guard->scope == SL_SCOPE_JOB || (factor && factor->scope != SL_SCOPE_ITERATION);
    const char *name = factor && factor->with ? factor->with : guard->factor;
    const char *part = iteration_part(&p->arena, ';', once ? 0 : iteration);
    char *key = part ? sl_arena_printf(&p->arena, "factor:%s%s", name, part) : NULL;
    if (!key)
        return false;
    draw->shared_hash = sl_hash_text(key);
    draw->shared_by_trial = factor && factor->scope != SL_SCOPE_ITERATION;
    draw->shared = sqrt(guard->rho);
    draw->own = sqrt(1 - guard->rho);
    return true;
}

/* The draw of this key, made where it is new; false: out of memory. */
static bool find_draw(struct sl_program *p, struct sl_names *keys, uint32_t node,
                      const struct sl_guard *guard, uint32_t *at)
{
    uint32_t iteration = p->graph->nodes[node].iteration;
    const char *key = draw_key(p, node, guard, iteration), *before = NULL;
    if (!key)
        return false;
    if ((*at = sl_names_find(keys, key)) != SL_NONE)
        return true;
    struct guard_draw draw = {.hash = sl_hash_text(key),
                              .probability = guard->probability,
                              .persistence = guard->persistence,
                              .before = SL_NONE};
    if (guard->persistence > 0 && iteration > 0) {
        if (!(before = draw_key(p, node, guard, iteration - 1)))
            return false;
        draw.before = sl_names_find(keys, before);
    }
    if (guard->factor && guard->rho > 0 && !share_normal(p, &draw, guard, iteration))
        return false;
    if ((*at = sl_names_add(keys, key)) == SL_NONE)
        return false;
    p->guards[p->guard_count++] = draw;
    return true;
}

enum sl_status sl_program_pack_guards(struct sl_program *p, struct sl_error *err)
{
    const struct sl_graph *g = p->graph;
    size_t terms = 0;
    for (uint32_t i = 0; i < p->n; i++)
        terms += g->nodes[i].guards.count;
    if (terms == 0)
        return SL_OK;
    p->guards = sl_arena_array(&p->arena, terms, sizeof *p->guards);
    p->node_guards = sl_arena_array(&p->arena, p->n, sizeof *p->node_guards);
    p->guard_uses = sl_arena_array(&p->arena, terms, sizeof *p->guard_uses);
    struct sl_names keys = {0};
    bool ok = p->guards && p->node_guards && p->guard_uses;
    for (uint32_t i = 0, used = 0; i < p->n && ok; i++) {
        struct sl_span span = g->nodes[i].guards;
        p->node_guards[i] = (struct range){used, span.count};
        if (span.count > 0)
            p->hot[i].flags |= NODE_GUARD;
        for (uint32_t k = 0; k < span.count && ok; k++) {
            const struct sl_guard_term *term = &g->guard_terms[span.first + k];
            struct guard_use *use = &p->guard_uses[used++];
            use->negated = term->negated;
            ok = find_draw(p, &keys, i, &g->guards[term->guard], &use->draw);
        }
    }
    sl_names_free(&keys);
    if (!ok)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = sl_speculation_find(&p->speculation, g, &p->arena, err);
    for (uint32_t k = 0; k < p->speculation.count; k++)
        p->hot[p->speculation.nodes[k]].flags |= NODE_SPECULATIVE;
    return status;
}

uint32_t sl_program_guard_draw(const struct sl_program *program, uint32_t node, uint32_t k)
{
    return program->guard_uses[program->node_guards[node].first + k].draw;
}

const struct sl_speculation *sl_program_speculation(const struct sl_program *program)
{
    return &program->speculation;
}
