/* Holders, grouped: those of one wait, of one resource or domain, and of one node. */
#include "explain_job_holders.h"
#include "units.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_GROUPS 16

struct group {
    const struct sl_job_holder *first;
    uint32_t place; /* of the node that waited, on the chain */
    uint64_t count, later;
    uint64_t last_job;
    int64_t time_ps, last_ps;
    double bytes;
};

struct placed {
    struct sl_job_holder holder;
    uint32_t place;
};

/* Neighbours are of one group if this is 0. */
static int group_order(const struct placed *a, const struct placed *b)
{
    const uint32_t x[] = {a->place, a->holder.resource, a->holder.domain, a->holder.node};
    const uint32_t y[] = {b->place, b->holder.resource, b->holder.domain, b->holder.node};
    for (size_t k = 0; k < sizeof x / sizeof *x; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

static int in_order(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    int order = group_order(x, y);
    if (order)
        return order;
    if (x->holder.to_ps != y->holder.to_ps)
        return x->holder.to_ps < y->holder.to_ps ? -1 : 1;
    return (x->holder.job > y->holder.job) - (x->holder.job < y->holder.job);
}

/* The holders, sorted by groups; NULL: out of memory. */
static struct placed *sort_holders(struct sl_explained_job *x)
{
    const struct sl_job_story *story = &x->telling->story;
    size_t nodes = x->cell->plan.graph->node_count;
    uint32_t *place = sl_arena_array(&x->arena, nodes + 1, sizeof *place);
    struct placed *all = sl_arena_array(&x->arena, story->holder_count + 1u, sizeof *all);
    if (!place || !all)
        return NULL;
    for (uint32_t k = 0; k < story->link_count; k++)
        place[story->links[k].node] = k;
    for (uint32_t h = 0; h < story->holder_count; h++)
        all[h] = (struct placed){story->holders[h], place[story->holders[h].waiting]};
    qsort(all, story->holder_count, sizeof *all, in_order);
    return all;
}

static void add(struct group *group, const struct sl_job_holder *holder)
{
    group->count++;
    group->later += holder->later;
    group->bytes += (double)holder->bytes;
    group->time_ps += holder->resource == SL_NONE ? 0 : holder->to_ps - holder->from_ps;
    group->last_job = holder->job;
    group->last_ps = holder->to_ps;
}

static struct group *make_groups(struct sl_explained_job *x, uint32_t *count)
{
    const struct sl_job_story *story = &x->telling->story;
    const struct placed *all = sort_holders(x);
    struct group *groups = sl_arena_array(&x->arena, story->holder_count + 1u, sizeof *groups);
    *count = 0;
    if (!all || !groups)
        return NULL;
    for (uint32_t h = 0; h < story->holder_count; h++) {
        if (!h || group_order(&all[h - 1], &all[h]))
            groups[(*count)++] = (struct group){.first = &all[h].holder, .place = all[h].place};
        add(&groups[*count - 1], &all[h].holder);
    }
    return groups;
}

/* By wait, and of a wait those that held longest first; bytes come after times. */
static int longest_first(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->time_ps != y->time_ps)
        return x->time_ps > y->time_ps ? -1 : 1;
    if (x->bytes > y->bytes || x->bytes < y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->first->node > y->first->node) - (x->first->node < y->first->node);
}

static void add_group(struct sl_explained_job *x, struct sl_table *table, const struct group *group)
{
    const struct sl_job_holder *first = group->first;
    bool units = first->resource != SL_NONE;
    sl_table_add(table, "  %s", sl_explain_job_node(x, first->waiting));
    sl_table_add(table, "%s", sl_explain_job_held(x, first));
    sl_table_add(table, "%s", sl_explain_job_node(x, first->node));
    sl_table_add(table, "%s", sl_grouped(&x->arena, group->count));
    sl_table_add(table, "%s", units ? sl_grouped(&x->arena, group->later) : "");
    sl_table_add(table, "%s",
                 units ? sl_time_text(&x->arena, sl_us_of(group->time_ps))
                       : sl_bytes_text(&x->arena, group->bytes));
    if (group->last_job == UINT64_MAX)
        sl_table_add(table, "a spill");
    else
        sl_table_add(table, "job %" PRIu64, group->last_job);
    sl_table_add(table, "%s", sl_estimate_text(&x->arena, sl_us_of(group->last_ps)));
}

static void print_groups(struct sl_explained_job *x, const struct group *groups, uint32_t count,
                         FILE *out)
{
    static const char *const heads[] = {"who held what it waited for",
                                        "what",
                                        "node",
                                        "runs",
                                        "overtook",
                                        "held",
                                        "last was",
                                        "until"};
    const struct sl_job_story *story = &x->telling->story;
    struct sl_table table = sl_table_make(&x->arena, "lllrrrlr");
    for (size_t c = 0; c < sizeof heads / sizeof *heads; c++)
        sl_table_add(&table, "%s", heads[c]);
    for (uint32_t k = 0; k < count && k < SHOWN_GROUPS; k++)
        add_group(x, &table, &groups[k]);
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (count > SHOWN_GROUPS)
        fprintf(out, "  and %u groups more: --json has every run\n", count - SHOWN_GROUPS);
    if (story->unlisted)
        fprintf(out, "  and %s runs beyond the %u that are kept\n",
                sl_grouped(&x->arena, story->unlisted), SL_MOST_HOLDERS);
    fputs("  within its waits; bytes are those given back meanwhile; a run overtook that became "
          "ready later\n",
          out);
}

/* Waits in a queue that nobody's hold explains.  Groups are sorted by their places. */
static void print_unheld(struct sl_explained_job *x, const struct group *groups, uint32_t count,
                         FILE *out)
{
    const struct sl_job_story *story = &x->telling->story;
    uint32_t shown = 0;
    for (uint32_t k = 0, g = 0; k < story->link_count && shown < SHOWN_GROUPS; k++) {
        const struct sl_job_link *link = &story->links[k];
        while (g < count && groups[g].place < k)
            g++;
        bool held = g < count && groups[g].place == k;
        if (held || link->cause != SL_CAUSE_QUEUE || !sl_explain_job_waited(link))
            continue;
        fprintf(out,
                "%s%s waited for its turn, or for its batch to fill, while nobody held what "
                "it wanted\n",
                shown++ ? "" : "\n", sl_explain_job_node(x, link->node));
    }
}

void sl_explain_job_holders(struct sl_explained_job *x, FILE *out)
{
    uint32_t count;
    struct group *groups = make_groups(x, &count);
    if (!groups) {
        fputs("\nwho held what it waited for: out of memory\n", out);
        return;
    }
    qsort(groups, count, sizeof *groups, longest_first);
    if (count)
        print_groups(x, groups, count, out);
    print_unheld(x, groups, count, out);
}
