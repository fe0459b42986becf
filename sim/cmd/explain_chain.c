/* Explain: the realized critical chain of the trial, link by link, and the precedence lower bound
 * beside it. */
#include "explain.h"
#include "kept.h"
#include "units.h"
#include <stdlib.h>

#define SHOWN_LINKS 24
#define SHOWN_PATH  12

static double share_of(const struct sl_explain *x, int64_t ps)
{
    return x->trial->makespan_ps > 0 ? (double)ps / (double)x->trial->makespan_ps : 0;
}

static int longer_first(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* The length from which on a link is shown, so that at most SHOWN_LINKS are, but for equals. */
static int64_t shown_length(const struct sl_explain *x)
{
    if (x->link_count <= SHOWN_LINKS)
        return 0;
    int64_t *lengths = malloc(x->link_count * sizeof *lengths), least = INT64_MAX;
    for (size_t k = 0; lengths && k < x->link_count; k++)
        lengths[k] = x->links[k].end_ps - x->links[k].begin_ps;
    if (lengths) {
        qsort(lengths, x->link_count, sizeof *lengths, longer_first);
        least = lengths[SHOWN_LINKS - 1];
    } else {
        sl_report_lost();
    }
    free(lengths);
    return least;
}

/* The node behind a link's start; of a waiting link nobody runs. */
static uint32_t behind(const struct sl_explain *x, const struct sl_link *link)
{
    return x->trial->behind[link->run];
}

static const char *kind_of(const struct sl_explain *x, const struct sl_link *link)
{
    return link->waiting ? "wait" : sl_node_kind_name(x->graph->nodes[link->node].kind);
}

static void print_links(struct sl_explain *x, FILE *out)
{
    int64_t least = shown_length(x), rest_ps = 0;
    size_t shown = 0;
    struct sl_table table = sl_table_make(&x->arena, "lllrrrl");
    static const char *const heads[] = {"realized chain", "kind",  "started after", "begin",
                                        "length",         "share", "behind"};
    for (size_t c = 0; c < 7; c++)
        sl_table_add(&table, "%s", heads[c]);
    for (size_t k = 0; k < x->link_count; k++) {
        const struct sl_link *link = &x->links[k];
        int64_t length = link->end_ps - link->begin_ps;
        if (length < least || shown == SHOWN_LINKS) {
            rest_ps += length;
            continue;
        }
        shown++;
        sl_table_add(&table, "  %s", sl_explain_name(x, link->node));
        sl_table_add(&table, "%s", kind_of(x, link));
        sl_table_add(&table, "%s", sl_cause_name((enum sl_cause)link->cause));
        sl_table_add(&table, "%s", sl_explain_instant(x, link->begin_ps));
        sl_table_add(&table, "%s", sl_explain_time(x, length));
        sl_table_add(&table, "%.1f%%", 100 * share_of(x, length));
        sl_table_add(&table, "%s", sl_explain_name(x, behind(x, link)));
    }
    if (shown < x->link_count) {
        sl_table_add(&table, "  %zu others: --json has all", x->link_count - shown);
        for (int c = 0; c < 3; c++)
            sl_table_add(&table, "%s", "");
        sl_table_add(&table, "%s", sl_explain_time(x, rest_ps));
        sl_table_add(&table, "%.1f%%", 100 * share_of(x, rest_ps));
        sl_table_add(&table, "%s", "");
    }
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
}

void sl_explain_chain(struct sl_explain *x, FILE *out)
{
    if (x->trial->outcome != SL_DONE) {
        fputs("\nrealized chain: none, the trial did not end\n", out);
        return;
    }
    print_links(x, out);
    fprintf(
        out,
        "precedence bound CP_dependency: %s over %u nodes (isolated durations and lags alone)\n",
        sl_explain_time(x, x->path_ps), (unsigned)x->path_count);
    fputs("  path:", out);
    for (uint32_t k = 0; k < x->path_count; k++) {
        if (x->path_count > SHOWN_PATH && k == SHOWN_PATH - 2) {
            fprintf(out, " -> ... (%u)", (unsigned)(x->path_count - SHOWN_PATH + 1));
            k = x->path_count - 2;
            continue;
        }
        fprintf(out, "%s%s", k > 0 ? " -> " : " ", sl_explain_name(x, x->path[k].i));
    }
    int64_t bound = x->bounds.path_ps > x->bounds.load_ps ? x->bounds.path_ps : x->bounds.load_ps;
    fprintf(out, "\n  with releases %s; resource load %s; the makespan is %.3f times the larger\n",
            sl_explain_time(x, x->bounds.path_ps), sl_explain_time(x, x->bounds.load_ps),
            bound > 0 ? (double)x->trial->makespan_ps / (double)bound : 1.0);
}

void sl_explain_chain_json(struct sl_explain *x, yajl_gen gen)
{
    sl_json_open_array(gen, "chain");
    for (size_t k = 0; k < x->link_count; k++) {
        const struct sl_link *link = &x->links[k];
        uint32_t node = behind(x, link);
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "node", sl_explain_name(x, link->node));
        sl_json_text(gen, "kind", kind_of(x, link));
        sl_json_text(gen, "cause", sl_cause_name((enum sl_cause)link->cause));
        sl_json_text(gen, "behind", node == SL_NONE ? NULL : sl_explain_name(x, node));
        sl_json_us(gen, "begin_us", link->begin_ps);
        sl_json_us(gen, "end_us", link->end_ps);
        sl_json_number(gen, "share", share_of(x, link->end_ps - link->begin_ps));
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    if (x->trial->outcome != SL_DONE)
        return;
    sl_json_open_map(gen, "bounds");
    sl_json_us(gen, "cp_dependency_us", x->path_ps);
    sl_json_us(gen, "path_with_releases_us", x->bounds.path_ps);
    sl_json_us(gen, "resource_load_us", x->bounds.load_ps);
    sl_json_open_array(gen, "path");
    for (uint32_t k = 0; k < x->path_count; k++)
        sl_json_text(gen, NULL, sl_explain_name(x, x->path[k].i));
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
}
