/* Explain: can nodes wait for capacity, did what waited leave an order, how often does a trial
 * deadlock, and how long did nodes wait. */
#include "explain.h"
#include <math.h>

#define SHOWN_CYCLE 12

/* ---- (a) capacity, without any run --------------------------------------------------------- */

static void print_needs(struct sl_explain *x, FILE *out)
{
    const struct sl_platform *platform = x->platform;
    if (platform->domain_names.count == 0)
        fputs("  waits for capacity: none can arise, there are no domains\n", out);
    for (uint32_t d = 0; d < platform->domain_names.count; d++) {
        const struct sl_capacity_need *need = &x->all.needs[d];
        fprintf(out, "  waits for %s: ", platform->domain_names.names[d]);
        if (isinf(need->limit_bytes)) {
            fputs("none can arise, it has no limit\n", out);
            continue;
        }
        fprintf(out, "%s: all copies and staging at once %s, workspace at most %s, limit %s\n",
                need->can_wait ? "can arise" : "none can arise",
                sl_bytes_text(&x->arena, need->held_bytes),
                sl_bytes_text(&x->arena, need->workspace_bytes),
                sl_bytes_text(&x->arena, need->limit_bytes));
        if (need->drawn)
            fputs("    its fragmentation is drawn in every trial, so no limit is sure\n", out);
    }
}

/* ---- (b), (c) waits of one trial and of all ------------------------------------------------- */

static const char *share_text(struct sl_explain *x, double share)
{
    return sl_arena_printf(&x->arena, "%.3g%%", 100 * share);
}

static void print_cycle(struct sl_explain *x, FILE *out)
{
    const struct sl_proofs *all = &x->all;
    fprintf(out, "  %s cycle, of %u steps:\n",
            all->cut_short ? "shortest found (the search was ended)" : "shortest",
            (unsigned)all->cycle_count);
    for (uint32_t k = 0; k < all->cycle_count && k < SHOWN_CYCLE; k++) {
        const struct sl_wait_edge *step = &all->cycle[k];
        fprintf(out, "    %s before %s: ", sl_explain_name(x, step->from),
                sl_explain_name(x, step->to));
        if (step->trials == 0)
            fputs("precedence\n", out);
        else
            fprintf(out, "wait (%s) in %s of trials\n", sl_wait_kind_name(step->kind),
                    share_text(x, (double)step->trials / all->trials));
    }
    if (all->cycle_count > SHOWN_CYCLE)
        fprintf(out, "    and %u more steps: --json has all\n",
                (unsigned)(all->cycle_count - SHOWN_CYCLE));
}

static void print_kinds(struct sl_explain *x, FILE *out)
{
    uint32_t kinds[SL_WAIT_KINDS] = {0};
    for (uint32_t k = 0; k < x->all.waits.edge_count; k++)
        kinds[x->all.waits.edges[k].kind]++;
    fprintf(out, "  over all trials: %s different waits (",
            sl_grouped(&x->arena, x->all.waits.edge_count));
    for (unsigned k = 0; k < SL_WAIT_KINDS; k++)
        fprintf(out, "%s%s %s", k > 0 ? ", " : "", sl_wait_kind_name((enum sl_wait_kind)k),
                sl_grouped(&x->arena, kinds[k]));
    fputs("); ", out);
}

static void print_waits(struct sl_explain *x, FILE *out)
{
    const struct sl_waits_facts *waits = &x->all.waits;
    if (waits->cyclic_trials == 0)
        fprintf(out,
                "  each of %s trials: precedence and the waits that ended are acyclic (topological "
                "sort)\n",
                sl_grouped(&x->arena, waits->trials));
    else
        fprintf(out,
                "  %s of %s trials: precedence and their own waits are CYCLIC, first trial %u\n",
                sl_grouped(&x->arena, waits->cyclic_trials), sl_grouped(&x->arena, waits->trials),
                (unsigned)waits->first_cyclic);
    if (x->all.deadlocked > 0)
        fprintf(out, "  in the %s of them that deadlocked other waits never ended: see deadlocks\n",
                sl_grouped(&x->arena, x->all.deadlocked));
    if (waits->overflow) {
        fprintf(out, "  over all trials: not checked, there are more than %s different waits\n",
                sl_grouped(&x->arena, SL_PROOF_EDGES));
        return;
    }
    print_kinds(x, out);
    if (x->all.acyclic) {
        if (waits->edge_count == 0)
            fputs("no wait for a resource ended\n", out);
        else
            fprintf(out,
                    "with precedence they are acyclic,\n    so one order of them explains every "
                    "trial%s\n",
                    x->all.deadlocked > 0 ? ", as far as it went" : "");
        return;
    }
    fputs("with precedence they are cyclic,\n    so no one order of them explains every trial: "
          "nodes pass each other\n",
          out);
    print_cycle(x, out);
}

/* ---- (d) deadlocks, and bounds of waits ------------------------------------------------------ */

static void print_deadlocks(struct sl_explain *x, FILE *out)
{
    const struct sl_proofs *all = &x->all;
    const struct sl_estimate *share = &all->deadlock_share;
    if (all->deadlocked == 0) {
        fprintf(out, "  deadlocks: none in %s trials; its probability is at most %s (95%%)\n",
                sl_grouped(&x->arena, all->trials), share_text(x, share->hi));
        return;
    }
    fprintf(out, "  deadlocks: %s of %s trials, probability %s [%s, %s]\n",
            sl_grouped(&x->arena, all->deadlocked), sl_grouped(&x->arena, all->trials),
            share_text(x, share->value), share_text(x, share->lo), share_text(x, share->hi));
    fprintf(out, "    most frequent of %s cycles, %s of the deadlocks, first trial %u:\n    %s\n",
            sl_grouped(&x->arena, all->deadlock_texts),
            share_text(x, (double)all->common_count / all->deadlocked),
            (unsigned)all->common_deadlock, sl_explain_clean(x, all->common_text));
}

/* The node of a kind that waited longest in any trial; SL_NONE: none waited. */
static uint32_t longest_of(const struct sl_explain *x, unsigned kind)
{
    const struct sl_wait *waits = x->cell->nodes.longest_wait;
    uint32_t longest = SL_NONE;
    for (uint32_t i = 0; i < x->graph->node_count; i++)
        if (x->graph->nodes[i].kind == kind &&
            waits[i].wait_ps > (longest == SL_NONE ? 0 : waits[longest].wait_ps))
            longest = i;
    return longest;
}

static uint64_t starved_waits(const struct sl_cell *cell)
{
    uint64_t starved = 0;
    for (uint32_t t = 0; cell->starved && t < cell->trials; t++)
        starved += cell->starved[t];
    return starved;
}

static void print_bounds(struct sl_explain *x, FILE *out)
{
    int64_t bound = x->scenario->starvation_bound_ps;
    if (bound < 0)
        fputs("  waits: no bound is established; the longest in trials that ended, by kind:", out);
    else
        fprintf(out,
                "  waits: declared bound %s, %s waits beyond it; the longest in trials that ended, "
                "by kind:",
                sl_explain_time(x, bound), sl_grouped(&x->arena, starved_waits(x->cell)));
    bool any = false;
    for (unsigned kind = 0; kind < SL_NODE_KINDS; kind++) {
        uint32_t node = longest_of(x, kind);
        if (node == SL_NONE)
            continue;
        fprintf(out, "%s %s %s (%s)", any ? "," : "", sl_node_kind_name((enum sl_node_kind)kind),
                sl_explain_time(x, x->cell->nodes.longest_wait[node].wait_ps),
                sl_explain_name(x, node));
        any = true;
    }
    fputs(any ? "\n" : " no node waited\n", out);
}

void sl_explain_progress(struct sl_explain *x, FILE *out)
{
    fputs("\nprogress proof\n", out);
    print_needs(x, out);
    print_waits(x, out);
    print_deadlocks(x, out);
    print_bounds(x, out);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void put_needs(struct sl_explain *x, yajl_gen gen)
{
    sl_json_open_array(gen, "capacity");
    for (uint32_t d = 0; d < x->platform->domain_names.count; d++) {
        const struct sl_capacity_need *need = &x->all.needs[d];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "domain", x->platform->domain_names.names[d]);
        sl_json_number(gen, "held_bytes", need->held_bytes);
        sl_json_number(gen, "workspace_bytes", need->workspace_bytes);
        sl_json_number(gen, "limit_bytes", need->limit_bytes);
        sl_json_bool(gen, "fragmentation_drawn", need->drawn);
        sl_json_bool(gen, "waits_can_arise", need->can_wait);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_edges(struct sl_explain *x, yajl_gen gen, const char *key,
                      const struct sl_wait_edge *edges, uint32_t count)
{
    sl_json_open_array(gen, key);
    for (uint32_t k = 0; k < count; k++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "before", sl_explain_name(x, edges[k].from));
        sl_json_text(gen, "after", sl_explain_name(x, edges[k].to));
        sl_json_text(gen, "by", edges[k].trials ? sl_wait_kind_name(edges[k].kind) : "precedence");
        if (edges[k].trials)
            sl_json_integer(gen, "trials", edges[k].trials);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_waits(struct sl_explain *x, yajl_gen gen)
{
    const struct sl_proofs *all = &x->all;
    sl_json_integer(gen, "cyclic_trials", all->waits.cyclic_trials);
    sl_json_bool(gen, "union_checked", !all->waits.overflow);
    if (all->waits.overflow)
        return;
    sl_json_bool(gen, "union_acyclic", all->acyclic);
    put_edges(x, gen, "waits", all->waits.edges, all->waits.edge_count);
    put_edges(x, gen, "cycle", all->cycle, all->cycle_count);
    sl_json_bool(gen, "cycle_search_ended_early", all->cut_short);
}

static void put_deadlocks(struct sl_explain *x, yajl_gen gen)
{
    const struct sl_proofs *all = &x->all;
    sl_json_open_map(gen, "deadlocks");
    sl_json_integer(gen, "trials", all->deadlocked);
    sl_json_number(gen, "probability", all->deadlock_share.value);
    sl_json_number(gen, "probability_lo", all->deadlock_share.lo);
    sl_json_number(gen, "probability_hi", all->deadlock_share.hi);
    sl_json_integer(gen, "different_cycles", all->deadlock_texts);
    sl_json_text(gen, "most_frequent", all->common_text);
    if (all->deadlocked > 0) {
        sl_json_integer(gen, "most_frequent_trials", all->common_count);
        sl_json_integer(gen, "most_frequent_first_trial", all->common_deadlock);
    }
    yajl_gen_map_close(gen);
}

void sl_explain_progress_json(struct sl_explain *x, yajl_gen gen)
{
    sl_json_open_map(gen, "progress");
    put_needs(x, gen);
    put_waits(x, gen);
    put_deadlocks(x, gen);
    if (x->scenario->starvation_bound_ps >= 0) {
        sl_json_us(gen, "wait_bound_us", x->scenario->starvation_bound_ps);
        sl_json_integer(gen, "waits_beyond_bound", (int64_t)starved_waits(x->cell));
    } else {
        sl_json_text(gen, "wait_bound_us", NULL);
    }
    sl_json_open_array(gen, "longest_waits");
    for (unsigned kind = 0; kind < SL_NODE_KINDS; kind++) {
        uint32_t node = longest_of(x, kind);
        if (node == SL_NONE)
            continue;
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "kind", sl_node_kind_name((enum sl_node_kind)kind));
        sl_json_text(gen, "node", sl_explain_name(x, node));
        sl_json_us(gen, "wait_us", x->cell->nodes.longest_wait[node].wait_ps);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
}
