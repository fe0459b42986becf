/* Which nodes of jobs waited, whose wait passed the declared bound, and who overtook the one that
 * waited longest. */
#include "report_job_waits.h"
#include "job_cell.h"
#include "json_out.h"
#include "table.h"
#include "units.h"
#include <stdlib.h>

#define SHOWN_NODES 5

struct node_wait {
    uint32_t row; /* of the node; behind those, of a shared object: the turn of its fetches */
    double wait_ps, runs; /* over all jobs */
    int64_t longest_ps;
    uint64_t starved; /* jobs that waited here longer than the bound */
};

static struct node_wait wait_of(const struct sl_job_cell *jobs, uint32_t node)
{
    struct node_wait wait = {.row = node};
    for (uint32_t r = 0; r < jobs->sample_count; r++) {
        const struct sl_job_sample *sample = &jobs->samples[r];
        wait.wait_ps += sample->node_wait_ps[node];
        wait.runs += sample->node_runs[node];
        wait.starved += sample->node_starved[node];
        if (sample->node_longest_ps[node] > wait.longest_ps)
            wait.longest_ps = sample->node_longest_ps[node];
    }
    return wait;
}

static struct node_wait turn_of(const struct sl_job_cell *jobs, uint32_t shared)
{
    const struct sl_cache_totals *sum = &jobs->caches[shared].sum;
    return (struct node_wait){.row = jobs->shape.nodes + shared,
                              .wait_ps = (double)sum->turn_ps,
                              .runs = (double)sum->turns,
                              .longest_ps = sum->turn_most_ps,
                              .starved = sum->turns_starved};
}

static bool is_bounded(const struct sl_cell *cell)
{
    return cell->scenario->starvation_bound_ps >= 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Nodes at which jobs starve come first. */
static int worse_first(const void *a, const void *b)
{
    const struct node_wait *x = a, *y = b;
    if (x->starved != y->starved)
        return x->starved > y->starved ? -1 : 1;
    if (x->wait_ps != y->wait_ps)
        return x->wait_ps > y->wait_ps ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static uint32_t row_count(const struct sl_job_cell *jobs)
{
    return jobs->shape.nodes + jobs->shape.shared_count;
}

/* Nodes and turns by their waits, all trials together; in the arena. */
static struct node_wait *sort_rows(struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    uint32_t nodes = jobs->shape.nodes, rows = row_count(jobs);
    struct node_wait *waits = sl_arena_array(arena, (size_t)rows + 1, sizeof *waits);
    for (uint32_t i = 0; waits && i < rows; i++)
        waits[i] = i < nodes ? wait_of(jobs, i) : turn_of(jobs, i - nodes);
    if (waits)
        qsort(waits, rows, sizeof *waits, worse_first);
    return waits;
}

static const char *shared_name(const struct sl_cell *cell, uint32_t shared)
{
    return cell->plan.graph->objects[cell->jobs->shape.shared[shared].object].name;
}

static void add_row(struct sl_table *table, struct sl_arena *arena, const struct sl_cell *cell,
                    const struct node_wait *wait)
{
    double us = wait->wait_ps / (double)SL_PS_PER_US;
    uint32_t nodes = cell->jobs->shape.nodes;
    if (wait->row < nodes)
        sl_table_add(table, "  %s", cell->plan.graph->nodes[wait->row].name);
    else
        sl_table_add(table, "  turn of %s", shared_name(cell, wait->row - nodes));
    sl_table_add(table, "%s", sl_time_text(arena, us / wait->runs));
    sl_table_add(table, "%s", sl_time_text(arena, us / (double)cell->jobs->completed));
    sl_table_add(table, "%s", sl_time_text(arena, sl_us_of(wait->longest_ps)));
    if (is_bounded(cell))
        sl_table_add(table, "%s", sl_grouped(arena, wait->starved));
}

static void print_nodes(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    uint32_t rows = row_count(cell->jobs);
    const struct node_wait *waits = sort_rows(arena, cell);
    bool turns = false;
    if (!waits || !rows || waits[0].wait_ps <= 0)
        return;
    struct sl_table table = sl_table_make(arena, is_bounded(cell) ? "lrrrr" : "lrrr");
    sl_table_add(&table, "waits of nodes");
    sl_table_add(&table, "mean per run");
    sl_table_add(&table, "per job");
    sl_table_add(&table, "longest");
    if (is_bounded(cell))
        sl_table_add(&table, "jobs beyond the bound");
    for (uint32_t k = 0; k < rows && k < SHOWN_NODES && waits[k].wait_ps > 0; k++) {
        add_row(&table, arena, cell, &waits[k]);
        turns = turns || waits[k].row >= cell->jobs->shape.nodes;
    }
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    fputs("  from readiness to the start, on the chain of the job or not; warm-up included\n", out);
    if (turns)
        fputs("  turn of an object: of each job, for all its fetches, until its blocks are looked "
              "up; they\n  themselves wait from then on\n",
              out);
    if (is_bounded(cell) && waits[0].starved)
        fputs("  a job that waited too long at several nodes counts at each of them\n", out);
}

/* ---- starvation ------------------------------------------------------------------------------ */

struct overtaker {
    uint32_t node;
    uint64_t runs;
};

static int more_first(const void *a, const void *b)
{
    const struct overtaker *x = a, *y = b;
    if (x->runs != y->runs)
        return x->runs > y->runs ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Nodes whose runs overtook, by how many; in the arena, NULL: out of memory. */
static struct overtaker *sort_overtakers(struct sl_arena *arena, const struct sl_cell *cell,
                                         uint32_t *count, uint64_t *runs)
{
    uint32_t nodes = cell->plan.graph->node_count;
    const uint64_t *overtakers = cell->jobs->starvation.overtakers;
    struct overtaker *list = sl_arena_array(arena, (size_t)nodes + 1, sizeof *list);
    *count = 0;
    *runs = 0;
    for (uint32_t i = 0; list && i < nodes; i++) {
        if (!overtakers[i])
            continue;
        list[(*count)++] = (struct overtaker){i, overtakers[i]};
        *runs += overtakers[i];
    }
    if (list)
        qsort(list, *count, sizeof *list, more_first);
    return list;
}

static void print_overtakers(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    uint32_t count;
    uint64_t runs;
    const struct overtaker *list = sort_overtakers(arena, cell, &count, &runs);
    if (!list)
        return;
    if (!count) {
        fputs("  nobody overtook it: all that started meanwhile had been ready before it\n", out);
        return;
    }
    fprintf(out, "  overtaken by %s that were ready later and started before it:",
            sl_grouped(arena, runs));
    for (uint32_t k = 0; k < count && k < SHOWN_NODES; k++) {
        fprintf(out, "%s %s of ", k ? "," : "", sl_grouped(arena, list[k].runs));
        sl_put_clean(cell->plan.graph->nodes[list[k].node].name, out);
    }
    if (count > SHOWN_NODES)
        fprintf(out, ", and of %u nodes more", count - SHOWN_NODES);
    putc('\n', out);
}

static void print_longest(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_job_starvation *longest = &cell->jobs->starvation;
    if (longest->trial == SL_NONE) {
        fputs("no node of any job waited\n", out);
        return;
    }
    fprintf(out, "longest wait: %s, by ", sl_time_text(arena, sl_us_of(longest->wait_ps)));
    sl_put_clean(cell->plan.graph->nodes[longest->node].name, out);
    fprintf(out, " of job %llu in trial %u\n", (unsigned long long)longest->job, longest->trial);
    if (longest->overtakers)
        print_overtakers(out, arena, cell);
}

/* "job 12 (9.00 s, might need 30 GiB), job 14 (8.00 s ..." */
static void print_admitted(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_job_admission_wait *longest = &cell->jobs->admission;
    bool memory = cell->scenario->jobs.memory != SL_NONE;
    fprintf(out, "  behind %s jobs that waited when it came; admitted meanwhile:",
            sl_grouped(arena, longest->before));
    for (uint32_t k = 0; k < longest->admitted_count && k < SHOWN_NODES; k++) {
        const struct sl_job_admitted *other = &longest->admitted[k];
        fprintf(out, "%s job %llu (%s", k ? "," : "", (unsigned long long)other->job,
                sl_time_text(arena, sl_us_of(other->to_ps - other->from_ps)));
        if (memory)
            fprintf(out, ", might need %s of %s", sl_bytes_text(arena, (double)other->need),
                    cell->scenario->platform.domain_names.names[cell->scenario->jobs.memory]);
        putc(')', out);
    }
    if (longest->admitted_count > SHOWN_NODES)
        fprintf(out, ", and %u jobs for shorter", longest->admitted_count - SHOWN_NODES);
    putc('\n', out);
}

static void print_admission(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_job_admission_wait *longest = &cell->jobs->admission;
    if (longest->trial == SL_NONE)
        return;
    fprintf(out, "longest wait for admission: %s, by job %llu in trial %u\n",
            sl_time_text(arena, sl_us_of(longest->wait_ps)), (unsigned long long)longest->job,
            longest->trial);
    if (longest->admitted)
        print_admitted(out, arena, cell);
}

void sl_report_job_waits(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    print_nodes(out, arena, cell);
    putc('\n', out);
    print_longest(out, arena, cell);
    print_admission(out, arena, cell);
    if (!is_bounded(cell))
        fputs("starvation: no bound established (the constraint max_wait <= TIME declares one)\n",
              out);
    else {
        fprintf(out, "starvation: %s jobs with a wait beyond the declared bound of %s",
                sl_grouped(arena, cell->jobs->starved),
                sl_time_text(arena, sl_us_of(cell->scenario->starvation_bound_ps)));
        if (cell->jobs->admission.trial != SL_NONE)
            fprintf(out, "; %s that waited longer for admission",
                    sl_grouped(arena, cell->jobs->admission.starved));
        putc('\n', out);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_wait(yajl_gen gen, const struct sl_cell *cell, const char *what, const char *name,
                     const char *of, const struct node_wait *wait)
{
    if (wait->wait_ps <= 0)
        return;
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, what, name);
    sl_json_number(gen, of, wait->runs);
    sl_json_number(gen, "mean_wait_us", wait->wait_ps / wait->runs / (double)SL_PS_PER_US);
    sl_json_us(gen, "longest_wait_us", wait->longest_ps);
    if (is_bounded(cell))
        sl_json_integer(gen, "starved", (int64_t)wait->starved);
    yajl_gen_map_close(gen);
}

/* Of nodes and turns that were waited for, all trials together. */
static void put_nodes(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_graph *plan = cell->plan.graph;
    sl_json_open_array(gen, "node_waits");
    for (uint32_t i = 0; i < plan->node_count; i++) {
        struct node_wait wait = wait_of(cell->jobs, i);
        put_wait(gen, cell, "node", plan->nodes[i].name, "runs", &wait);
    }
    yajl_gen_array_close(gen);
    if (cell->jobs->shape.shared_count == 0)
        return;
    sl_json_open_array(gen, "turn_waits");
    for (uint32_t k = 0; k < cell->jobs->shape.shared_count; k++) {
        struct node_wait wait = turn_of(cell->jobs, k);
        put_wait(gen, cell, "object", shared_name(cell, k), "turns", &wait);
    }
    yajl_gen_array_close(gen);
}

static void put_overtakers(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_graph *plan = cell->plan.graph;
    sl_json_open_array(gen, "overtaken_by");
    for (uint32_t i = 0; i < plan->node_count; i++) {
        if (!cell->jobs->starvation.overtakers[i])
            continue;
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "node", plan->nodes[i].name);
        sl_json_integer(gen, "runs", (int64_t)cell->jobs->starvation.overtakers[i]);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_admission(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_job_admission_wait *longest = &cell->jobs->admission;
    if (longest->trial == SL_NONE)
        return;
    sl_json_open_map(gen, "longest_wait_for_admission");
    sl_json_integer(gen, "job", (int64_t)longest->job);
    sl_json_integer(gen, "trial", longest->trial);
    sl_json_us(gen, "wait_us", longest->wait_ps);
    if (is_bounded(cell))
        sl_json_integer(gen, "starved", (int64_t)longest->starved);
    if (longest->admitted) {
        sl_json_integer(gen, "waited_before_it", (int64_t)longest->before);
        sl_json_open_array(gen, "admitted");
        for (uint32_t k = 0; k < longest->admitted_count; k++) {
            const struct sl_job_admitted *other = &longest->admitted[k];
            sl_json_open_map(gen, NULL);
            sl_json_integer(gen, "job", (int64_t)other->job);
            sl_json_us(gen, "from_us", other->from_ps);
            sl_json_us(gen, "to_us", other->to_ps);
            if (cell->scenario->jobs.memory != SL_NONE)
                sl_json_integer(gen, "need_bytes", other->need);
            yajl_gen_map_close(gen);
        }
        yajl_gen_array_close(gen);
    }
    yajl_gen_map_close(gen);
}

void sl_report_job_waits_json(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_job_starvation *longest = &cell->jobs->starvation;
    put_nodes(gen, cell);
    if (longest->trial != SL_NONE) {
        sl_json_open_map(gen, "longest_wait");
        sl_json_text(gen, "node", cell->plan.graph->nodes[longest->node].name);
        sl_json_integer(gen, "job", (int64_t)longest->job);
        sl_json_integer(gen, "trial", longest->trial);
        sl_json_us(gen, "wait_us", longest->wait_ps);
        if (longest->overtakers)
            put_overtakers(gen, cell);
        yajl_gen_map_close(gen);
    }
    put_admission(gen, cell);
    if (is_bounded(cell))
        sl_json_integer(gen, "starved", (int64_t)cell->jobs->starved);
}
