/* Lifetime, capacity, starvation and deadlock proofs of the selected cell, and the declared
 * constraints. */
#include "config.h"

#include "adversary.h"
#include "cell_facts.h"
#include "decide_parts.h"
#include "proofs.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is computed again -------------------------------------------------------------------
 */

static bool put_reconstruction(struct sl_record *record, const struct sl_graph *graph,
                               uint32_t object, const char *node)
{
    static const char *const names[] = {"unstated", "bitwise", "tolerance", "unknown"};
    struct sl_record_proofs *proofs = &record->proofs;
    const char *name = graph->objects[object].name;
    bool good = true;
    for (uint32_t i = 0; i < proofs->reconstructions.count; i++)
        if (strcmp(proofs->reconstructions.items[i].object, name) == 0)
            return true;
    struct sl_record_reconstruction *item =
        sl_record_add(record, &proofs->reconstructions, &sl_shape_reconstruction);
    if (!item)
        return false;
    *item = (struct sl_record_reconstruction){sl_record_keep(record, name, &good),
                                              sl_record_keep(record, node, &good),
                                              names[graph->objects[object].equivalence]};
    return good;
}

static bool put_reconstructions(struct sl_record *record, const struct sl_cell *cell)
{
    const struct sl_graph *graph = cell->plan.graph;
    bool good = true;
    for (uint32_t i = 0; good && i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        if (node->kind != SL_REMATERIALIZATION)
            continue;
        for (uint32_t k = 0; good && k < node->outputs.count; k++) {
            uint32_t object = graph->objects_pool[node->outputs.first + k].i;
            object = sl_object_root(graph, (sl_object_id){object}).i;
            if (graph->objects[object].reconstruct.i != SL_NONE)
                good = put_reconstruction(record, graph, object, node->name);
        }
    }
    for (uint32_t i = 0; good && i < cell->eviction_count; i++)
        if (cell->evictions[i].recomputed)
            good = put_reconstruction(record, graph, cell->evictions[i].object, "while running");
    return good;
}

/* ---- capacity ----------------------------------------------------------------------------------
 */

static bool put_capacity(struct sl_record *record, const struct sl_cell *cell,
                         const struct sl_capacity_need *needs)
{
    const struct sl_platform *platform = &cell->scenario->platform;
    bool good = true;
    for (uint32_t d = 0; good && d < platform->domain_names.count; d++) {
        const struct sl_domain *domain = &platform->domains[d];
        struct sl_record_capacity *item =
            sl_record_add(record, &record->proofs.capacity, &sl_shape_capacity);
        if (!item)
            return false;
        item->domain = sl_record_keep(record, platform->domain_names.names[d], &good);
        item->projected_peak_bytes = cell->peak_bytes ? (double)sl_peak_of(cell, d) : NAN;
        item->can_wait = needs ? needs[d].can_wait : true;
        if (domain->capacity < 0)
            continue;
        item->capacity_bytes = (double)domain->capacity;
        item->reserve_bytes = (double)domain->reserve;
        item->limit_bytes = (double)(domain->capacity - domain->reserve);
        item->reserve_stated = domain->reserve_given;
    }
    return good;
}

/* ---- progress ----------------------------------------------------------------------------------
 */

static const char *name_cycle(struct sl_record *record, const struct sl_cell *cell,
                              const struct sl_proofs *proofs, bool *good)
{
    const struct sl_node *nodes = cell->plan.graph->nodes;
    const char *text = "";
    for (uint32_t k = 0; text && k < proofs->cycle_count && k < 12; k++) {
        const struct sl_wait_edge *step = &proofs->cycle[k];
        text = sl_arena_printf(&record->arena, "%s%s'%s' before '%s' (%s)", text, k > 0 ? ", " : "",
                               nodes[step->from].name, nodes[step->to].name,
                               step->trials == 0 ? "precedence" : sl_wait_kind_name(step->kind));
    }
    *good &= text != NULL;
    return text;
}

static bool put_gathered(struct sl_record *record, const struct sl_cell *cell,
                         const struct sl_proofs *proofs)
{
    struct sl_record_lifetime *lifetime = &record->proofs.lifetime;
    struct sl_record_progress *progress = &record->proofs.progress;
    bool good = true;
    lifetime->trials = proofs->trials;
    lifetime->reclamations = proofs->reclamations;
    lifetime->violations = proofs->violations;
    lifetime->first_violation =
        proofs->first_violation == SL_NONE ? NAN : (double)proofs->first_violation;
    lifetime->proven = proofs->violations == 0 ? SL_TRUTH_YES : SL_TRUTH_NO;
    progress->deadlock_share = proofs->deadlock_share;
    progress->wait_edges = proofs->waits.edge_count;
    progress->cyclic_trials = proofs->waits.cyclic_trials;
    progress->deadlock = sl_record_keep(record, proofs->common_text, &good);
    if (!proofs->waits.overflow)
        progress->acyclic = proofs->acyclic ? SL_TRUTH_YES : SL_TRUTH_NO;
    if (!proofs->waits.overflow && !proofs->acyclic)
        progress->cycle = name_cycle(record, cell, proofs, &good);
    return good;
}

static enum sl_status run_proofs(struct sl_decision *decision, const struct sl_cell *cell,
                                 struct sl_error *err)
{
    struct sl_record *record = decision->record;
    struct sl_program *program = NULL;
    struct sl_proofs proofs = {0};
    char cycle[SL_ADVERSARY_TEXT] = "";
    bool good = true;
    enum sl_status status = sl_program_create(&program, cell->plan.graph, &cell->plan.engine, err);
    if (status == SL_OK)
        status = sl_proofs_gather(&proofs, cell, program, &decision->request.options, err);
    if (status == SL_OK)
        good = put_gathered(record, cell, &proofs) && put_capacity(record, cell, proofs.needs);
    if (status == SL_OK && good)
        status = sl_adversary_run(cell->plan.graph, &cell->plan.engine, cycle, err);
    if (status == SL_OK && cycle[0])
        record->proofs.progress.possible = sl_record_keep(record, cycle, &good);
    sl_proofs_free(&proofs);
    sl_program_free(program);
    return status != SL_OK ? status : good ? SL_OK : sl_decide_no_memory(err);
}

/* ---- constraints --------------------------------------------------------------------------------
 */

/* The interval of a figure that has one. */
static struct sl_estimate figure_of(const struct sl_cell *cell,
                                    const struct sl_constraint_outcome *outcome)
{
    const struct sl_constraint *constraint = outcome->constraint;
    struct sl_estimate figure = outcome->estimate;
    bool time = constraint->unit == SL_LIMIT_TIME;
    if (constraint->probability > 0)
        return figure;
    if (time && strcmp(constraint->left, "tail") == 0)
        return sl_decide_tail(cell);
    if (time && strcmp(constraint->left, "median") == 0)
        return cell->median;
    if (time && strcmp(constraint->left, "mean") == 0)
        return cell->mean;
    if (strcmp(constraint->left, "deadline_miss") == 0)
        return sl_deadline_miss(cell);
    if (time)
        figure.value /= (double)SL_PS_PER_US;
    return figure;
}

bool sl_decide_constraints(struct sl_record *record, void *list, const struct sl_cell *cell)
{
    static const char *const states[] = {
        [SL_CONSTRAINT_HOLDS] = "holds",
        [SL_CONSTRAINT_HOLDS_OPEN] = "holds-open",
        [SL_CONSTRAINT_BROKEN_OPEN] = "broken-open",
        [SL_CONSTRAINT_BROKEN] = "broken",
        [SL_CONSTRAINT_NOT_JUDGED] = "not-judged",
    };
    bool good = true;
    for (uint32_t i = 0; good && i < cell->constraint_count; i++) {
        const struct sl_constraint_outcome *outcome = &cell->constraints[i];
        const struct sl_constraint *constraint = outcome->constraint;
        bool share = constraint->probability > 0;
        struct sl_record_outcome *item = sl_record_add(record, list, &sl_shape_outcome);
        if (!item)
            return false;
        item->constraint = sl_record_keep(record, constraint->text, &good);
        item->figure = figure_of(cell, outcome);
        item->limit = share                               ? constraint->probability
                      : constraint->unit == SL_LIMIT_TIME ? constraint->limit / (double)SL_PS_PER_US
                                                          : constraint->limit;
        item->at_least = share || constraint->at_least;
        item->state = states[outcome->state];
    }
    return good;
}

static bool put_starvation(struct sl_record *record, const struct sl_cell *cell)
{
    struct sl_record_starvation *starvation = &record->proofs.starvation;
    int64_t bound = cell->scenario->starvation_bound_ps;
    starvation->bound_us = bound >= 0 ? sl_us_of(bound) : NAN;
    starvation->max_wait_us = record->selected.max_wait_us;
    starvation->node = record->selected.longest_wait;
    starvation->beyond = record->selected.starved;
    return true;
}

enum sl_status sl_decide_proofs(struct sl_decision *decision, const struct sl_cell *cell,
                                struct sl_error *err)
{
    struct sl_record *record = decision->record;
    struct sl_record_progress *progress = &record->proofs.progress;
    enum sl_status status = SL_OK;
    record->proofs.present = true;
    progress->trials = cell->trials;
    progress->deadlocked = cell->deadlocked;
    progress->livelocked = cell->livelocked;
    progress->deadlock_share = sl_proportion(cell->deadlocked, cell->trials, SL_DECIDE_LEVEL);
    bool good = put_reconstructions(record, cell) &&
                sl_decide_constraints(record, &record->proofs.constraints, cell) &&
                put_starvation(record, cell);
    if (good && cell->jobs) {
        good = put_capacity(record, cell, NULL);
        status = sl_decide_job_proofs(record, cell, err);
        if (cell->deadlocked > 0)
            progress->deadlock = sl_record_keep(record, cell->reason, &good);
    } else if (good) {
        status = run_proofs(decision, cell, err);
    }
    return status != SL_OK ? status : good ? SL_OK : sl_decide_no_memory(err);
}
