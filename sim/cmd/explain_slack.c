/* Explain: readiness and slack of each node, by this trial's times.
 *
 *     r_i ready, s_i start, f_i finish, wait = s_i - r_i, inflation = d_i(S) / d_i isolated
 *     LS_i latest start that keeps every deadline, and the end where none bounds it
 *     slack_i = LS_i - r_i */
#include "explain.h"
#include "kept.h"
#include "units.h"
#include <stdlib.h>

#define SHOWN_CHAIN 16 /* nodes with the most time on the chain */
#define SHOWN_TIGHT 8  /* and of the others those with the least slack */

struct row {
    uint32_t node;
    bool on_chain; /* or left waiting in a deadlock: the end of the story, too */
    int64_t key;   /* smaller first */
    int64_t at_ps; /* start, or ready where it never started */
};

static int by_key(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->on_chain != y->on_chain)
        return x->on_chain ? -1 : 1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Moves the rows to show to the front, in order of time; returns their number. */
static uint32_t choose_rows(struct row *rows, uint32_t count)
{
    qsort(rows, count, sizeof *rows, by_key);
    uint32_t kept = 0, of_chain = 0, tight = 0;
    for (uint32_t k = 0; k < count; k++)
        if (rows[k].on_chain ? of_chain++ < SHOWN_CHAIN : tight++ < SHOWN_TIGHT)
            rows[kept++] = rows[k];
    qsort(rows, kept, sizeof *rows, by_time);
    return kept;
}

static double inflation_of(const struct sl_explain *x, uint32_t node)
{
    int64_t alone = sl_explain_isolated(x, node);
    return alone > 0 ? (double)sl_explain_duration(x, node) / (double)alone : 1;
}

/* A time of any sign; `text` gives those that are not negative. */
static const char *signed_text(struct sl_explain *x, int64_t ps,
                               const char *(*text)(struct sl_explain *, int64_t))
{
    return ps >= 0 ? text(x, ps) : sl_arena_printf(&x->arena, "-%s", text(x, -ps));
}

static void add_row(struct sl_explain *x, struct sl_table *table, const struct row *row)
{
    const struct sl_trial *t = x->trial;
    uint32_t node = row->node;
    bool started = t->start_ps[node] >= 0;
    sl_table_add(table, "%s%s", row->on_chain ? "* " : "  ", sl_explain_name(x, node));
    sl_table_add(table, "%s", sl_explain_instant(x, t->ready_ps[node]));
    sl_table_add(table, "%s", sl_explain_instant(x, t->start_ps[node]));
    sl_table_add(table, "%s", sl_explain_instant(x, t->finish_ps[node]));
    sl_table_add(table, "%s",
                 sl_explain_time(x, started ? t->start_ps[node] - t->ready_ps[node] : INT64_MAX));
    sl_table_add(table, "%s", sl_explain_time(x, sl_explain_isolated(x, node)));
    if (started)
        sl_table_add(table, "%.3f", inflation_of(x, node));
    else
        sl_table_add(table, "-");
    bool known = sl_explain_has_slack(x, node);
    sl_table_add(table, "%s",
                 known ? signed_text(x, x->windows->latest_start_ps[node], sl_explain_instant)
                       : "-");
    sl_table_add(table, "%s",
                 known ? signed_text(x, sl_explain_slack_of(x, node), sl_explain_time) : "-");
    sl_table_add(table, "%s",
                 started ? sl_cause_name((enum sl_cause)t->cause[node]) : "never started");
}

void sl_explain_slack(struct sl_explain *x, FILE *out)
{
    uint32_t n = x->graph->node_count, ran = 0;
    struct row *rows = malloc(((size_t)n + 1) * sizeof *rows);
    if (!rows) {
        fputs("\nreadiness and slack: (out of memory)\n", out);
        sl_report_lost();
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        if (x->trial->state[i] == SL_RAN) {
            bool on_chain = x->chain_ps[i] >= 0;
            int64_t slack = sl_explain_has_slack(x, i) ? sl_explain_slack_of(x, i) : 0;
            rows[ran++] = (struct row){i, on_chain, on_chain ? -x->chain_ps[i] : slack,
                                       x->trial->start_ps[i]};
        } else if (x->trial->state[i] == SL_UNFINISHED && x->trial->ready_ps[i] >= 0) {
            rows[ran++] = (struct row){i, true, 0, x->trial->ready_ps[i]};
        }
    uint32_t shown = choose_rows(rows, ran);
    struct sl_table table = sl_table_make(&x->arena, "lrrrrrrrrl");
    static const char *const heads[] = {
        "readiness and slack", "ready",        "start", "finish", "wait", "alone",
        "inflation",           "latest start", "slack", "cause"};
    for (size_t c = 0; c < 10; c++)
        sl_table_add(&table, "%s", heads[c]);
    for (uint32_t k = 0; k < shown; k++)
        add_row(x, &table, &rows[k]);
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    free(rows);
    fputs(x->windows ? "  *: on the realized chain; slack: latest start (deadlines, else the end) "
                       "less ready\n"
                     : "  *: ready and never started\n",
          out);
    if (shown < ran)
        fprintf(out, "  %u of %u nodes that were ready: --json has all\n", (unsigned)shown,
                (unsigned)ran);
}

void sl_explain_slack_json(struct sl_explain *x, yajl_gen gen)
{
    const struct sl_trial *t = x->trial;
    sl_json_open_array(gen, "nodes");
    for (uint32_t i = 0; i < x->graph->node_count; i++) {
        bool ran = t->state[i] == SL_RAN, known = sl_explain_has_slack(x, i);
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "node", sl_explain_name(x, i));
        sl_json_text(gen, "kind", sl_node_kind_name(x->graph->nodes[i].kind));
        sl_json_text(gen, "state", sl_explain_state(x, i));
        sl_explain_time_json(gen, "ready_us", t->ready_ps[i]);
        sl_explain_time_json(gen, "start_us", t->start_ps[i]);
        sl_explain_time_json(gen, "finish_us", t->finish_ps[i]);
        sl_explain_time_json(gen, "wait_us", ran ? t->start_ps[i] - t->ready_ps[i] : -1);
        sl_explain_time_json(gen, "isolated_us", sl_explain_isolated(x, i));
        sl_explain_time_json(gen, "duration_us", sl_explain_duration(x, i));
        if (known) {
            sl_json_us(gen, "latest_start_us", x->windows->latest_start_ps[i]);
            sl_json_us(gen, "slack_us", sl_explain_slack_of(x, i));
        }
        sl_json_text(gen, "cause", ran ? sl_cause_name((enum sl_cause)t->cause[i]) : NULL);
        sl_json_text(gen, "behind",
                     t->behind[i] == SL_NONE ? NULL : sl_explain_name(x, t->behind[i]));
        sl_json_bool(gen, "on_chain", x->chain_ps[i] >= 0);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}
