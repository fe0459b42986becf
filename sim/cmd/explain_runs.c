/* Explain: what eviction did in the trial: the runs of a node by which copies leave or return, and
 * the departures and returns of an object's copies. */
#include <config.h>

#include "explain_parts.h"

#define SHOWN_RUNS 24 /* for people */

static uint32_t node_of(const struct sl_explain *x, uint32_t run)
{
    return sl_trial_node(x->trial, x->graph->node_count, run);
}

/* The first run at `from` or later that is one of the latent node; run_count: there is none. */
static uint32_t next_run(const struct sl_explain *x, uint32_t node, uint32_t from)
{
    uint32_t run = from > x->graph->node_count ? from : x->graph->node_count;
    while (run < x->trial->run_count && node_of(x, run) != node)
        run++;
    return run;
}

void sl_explain_put_run_sums(struct sl_explain *x, struct sl_sheet *sheet, uint32_t node)
{
    const struct sl_trial *t = x->trial;
    uint32_t count = 0, last = SL_NONE, first = next_run(x, node, 0);
    for (uint32_t r = first; r < t->run_count; r = next_run(x, node, r + 1), count++)
        last = r;
    sl_sheet_text(sheet, "state", count > 0 ? "ran" : "not called");
    sl_sheet_number(sheet, "runs", count);
    sl_sheet_time(sheet, "first_start", count > 0 ? t->start_ps[first] : -1);
    sl_sheet_time(sheet, "last_finish", count > 0 ? t->finish_ps[last] : -1);
    sl_sheet_bool(sheet, "on_chain", x->chain_ps[node] >= 0);
}

static void run_json(struct sl_explain *x, uint32_t r, yajl_gen gen)
{
    const struct sl_trial *t = x->trial;
    bool ended = t->finish_ps[r] >= 0;
    sl_json_open_map(gen, NULL);
    sl_explain_time_json(gen, "ready_us", t->ready_ps[r]);
    sl_explain_time_json(gen, "start_us", t->start_ps[r]);
    sl_explain_time_json(gen, "finish_us", t->finish_ps[r]);
    sl_explain_time_json(gen, "duration_isolated_us", ended ? sl_explain_isolated(x, r) : -1);
    sl_json_text(gen, "cause", sl_cause_name((enum sl_cause)t->cause[r]));
    sl_json_text(gen, "behind", t->behind[r] == SL_NONE ? NULL : sl_explain_name(x, t->behind[r]));
    yajl_gen_map_close(gen);
}

static void print_runs(struct sl_explain *x, uint32_t node, FILE *out)
{
    static const char *const heads[] = {"run",  "called", "start", "finish",
                                        "wait", "alone",  "cause", "behind"};
    const struct sl_trial *t = x->trial;
    struct sl_table table = sl_table_make(&x->arena, "rrrrrrll");
    uint32_t number = 0;
    for (size_t c = 0; c < sizeof heads / sizeof *heads; c++)
        sl_table_add(&table, "%s", heads[c]);
    for (uint32_t r = next_run(x, node, 0); r < t->run_count; r = next_run(x, node, r + 1)) {
        if (++number > SHOWN_RUNS)
            continue;
        bool ended = t->finish_ps[r] >= 0;
        sl_table_add(&table, "%u", (unsigned)number);
        sl_table_add(&table, "%s", sl_explain_instant(x, t->ready_ps[r]));
        sl_table_add(&table, "%s", sl_explain_instant(x, t->start_ps[r]));
        sl_table_add(&table, "%s", sl_explain_instant(x, t->finish_ps[r]));
        sl_table_add(&table, "%s", sl_explain_time(x, t->start_ps[r] - t->ready_ps[r]));
        sl_table_add(&table, "%s", sl_explain_time(x, ended ? sl_explain_isolated(x, r) : -1));
        sl_table_add(&table, "%s", sl_cause_name((enum sl_cause)t->cause[r]));
        sl_table_add(&table, "%s", sl_explain_name(x, t->behind[r]));
    }
    if (number > 0) {
        fputs("\nits runs in this trial\n", out);
        sl_table_print(&table, out);
    }
    if (number > SHOWN_RUNS)
        fprintf(out, "  and %u others: --json has all\n", (unsigned)number - SHOWN_RUNS);
    sl_table_free(&table);
}

void sl_explain_put_runs(struct sl_explain *x, uint32_t node, FILE *out, yajl_gen gen)
{
    if (!gen) {
        print_runs(x, node, out);
        return;
    }
    sl_json_open_array(gen, "runs");
    for (uint32_t r = next_run(x, node, 0); r < x->trial->run_count; r = next_run(x, node, r + 1))
        run_json(x, r, gen);
    yajl_gen_array_close(gen);
}

/* ---- departures and returns ------------------------------------------------------------------ */

static const char *const changes[] = {[SL_COPY_DROPPED] = "dropped",
                                      [SL_COPY_LEAVES] = "called to leave",
                                      [SL_COPY_GONE] = "moved out",
                                      [SL_COPY_BACK] = "back"};

static uint32_t object_of(const struct sl_explain *x, uint32_t copy)
{
    const struct sl_holding *holding = &x->graph->holdings[x->graph->evictor->copies[copy].holding];
    return sl_object_root(x->graph, holding->object).i;
}

static bool for_bytes(enum sl_copy_change change)
{
    return change == SL_COPY_DROPPED || change == SL_COPY_LEAVES;
}

static void step_json(struct sl_explain *x, const struct sl_copy_step *step, yajl_gen gen)
{
    const struct sl_evict_copy *copy = &x->graph->evictor->copies[step->copy];
    uint32_t domain = x->graph->holdings[copy->holding].domain;
    sl_json_open_map(gen, NULL);
    sl_explain_time_json(gen, "at_us", step->t_ps);
    sl_json_text(gen, "domain", x->platform->domain_names.names[domain]);
    sl_json_text(gen, "change", changes[step->change]);
    sl_json_text(gen, for_bytes(step->change) ? "room_for" : "by",
                 sl_explain_name(x, node_of(x, step->run)));
    yajl_gen_map_close(gen);
}

static void print_step(struct sl_explain *x, const struct sl_copy_step *step, FILE *out)
{
    const struct sl_evict_copy *copy = &x->graph->evictor->copies[step->copy];
    uint32_t domain = x->graph->holdings[copy->holding].domain;
    fprintf(out, "  %s  %s: %s %s %s\n", sl_explain_instant(x, step->t_ps),
            x->platform->domain_names.names[domain], changes[step->change],
            for_bytes(step->change) ? "to make room for" : "by",
            sl_explain_name(x, node_of(x, step->run)));
}

void sl_explain_put_evictions(struct sl_explain *x, uint32_t root, FILE *out, yajl_gen gen)
{
    const struct sl_trial *t = x->trial;
    uint32_t shown = 0;
    if (gen)
        sl_json_open_array(gen, "evictions");
    for (size_t k = 0; k < t->copy_step_count; k++) {
        const struct sl_copy_step *step = &t->copy_steps[k];
        if (object_of(x, step->copy) != root)
            continue;
        if (gen)
            step_json(x, step, gen);
        else if (shown++ == 0)
            fputs("\nevicted while running, in this trial\n", out);
        if (!gen && shown <= SHOWN_RUNS)
            print_step(x, step, out);
    }
    if (gen)
        yajl_gen_array_close(gen);
    else if (shown > SHOWN_RUNS)
        fprintf(out, "  and %u others: --json has all\n", (unsigned)(shown - SHOWN_RUNS));
    else if (shown == 0 && t->copies)
        fputs("\nevicted while running, in this trial: never\n", out);
}

void sl_explain_put_evicted(struct sl_explain *x, FILE *out)
{
    uint64_t evicted = 0, moved = 0, returned = 0;
    for (uint32_t c = 0; x->trial->copies && c < x->graph->evictor->copy_count; c++) {
        evicted += x->trial->copies[c].evicted;
        moved += x->trial->copies[c].moved;
        returned += x->trial->copies[c].returned;
    }
    if (x->trial->copies)
        fprintf(out,
                "  evicted while running, in this trial: %s times, %s of them moved out; %s "
                "returns\n",
                sl_grouped(&x->arena, evicted), sl_grouped(&x->arena, moved),
                sl_grouped(&x->arena, returned));
}
