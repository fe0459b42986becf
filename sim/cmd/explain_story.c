/* Explain: the story of the trial in sentences, each from the record: how long it took beside the
 * median trial, what its chain is made of, which of its nodes ran longer than their means, which
 * waited longest, and what contention added. */
#include "explain.h"
#include "units.h"
#include "wait_story.h"
#include <math.h>

#define MAX_SENTENCES 6
#define SHOWN_LONGER  3

struct story {
    struct sl_explain *x;
    const char *sentences[MAX_SENTENCES]; /* NULL: out of memory */
    size_t count;
};

static const char *us_text(struct story *story, double us)
{
    return sl_estimate_text(&story->x->arena, us);
}

static const char *ps_text(struct story *story, int64_t ps)
{
    return us_text(story, (double)ps / (double)SL_PS_PER_US);
}

static void tell(struct story *story, const char *sentence)
{
    story->sentences[story->count++] = sentence;
}

/* How long a node on the chain ran; -1: it is not on it. */
static int64_t ran_ps(const struct sl_explain *x, uint32_t node)
{
    return x->chain_ps[node] < 0 ? -1 : sl_explain_duration(x, node);
}

/* What it ran above its mean over the trials in which it ran. */
static double excess_us(const struct sl_explain *x, uint32_t node)
{
    const struct sl_node_totals *totals = &x->cell->nodes;
    double mean_ps = (double)totals->run_ps[node] / totals->ran[node];
    return ((double)ran_ps(x, node) - mean_ps) / (double)SL_PS_PER_US;
}

static void tell_makespan(struct story *story)
{
    struct sl_explain *x = story->x;
    uint32_t median = x->cell->median_trial;
    int64_t makespan = x->trial->makespan_ps;
    const char *took = ps_text(story, makespan);
    if (median == SL_NONE) {
        tell(story, sl_arena_printf(&x->arena, "It took %s; the median trial deadlocked.", took));
        return;
    }
    int64_t other = x->cell->metric_ps[median], apart = makespan - other;
    if (apart == 0) {
        tell(story, sl_arena_printf(&x->arena, "It took %s, as long as the median trial.", took));
        return;
    }
    double percent = 100 * fabs((double)apart) / (double)other;
    const char *share = other > 0 ? sl_arena_printf(&x->arena, " (%.3g%%)", percent) : "";
    tell(story, sl_arena_printf(
                    &x->arena, "It took %s, %s%s %s than the median trial %u, which took %s.", took,
                    ps_text(story, apart < 0 ? -apart : apart), share,
                    apart < 0 ? "shorter" : "longer", (unsigned)median, ps_text(story, other)));
}

static void tell_chain(struct story *story)
{
    struct sl_explain *x = story->x;
    int64_t run_ps = 0, wait_ps = 0;
    uint32_t nodes = 0;
    for (size_t k = 0; k < x->link_count; k++) {
        const struct sl_link *link = &x->links[k];
        nodes += !link->waiting;
        *(link->waiting ? &wait_ps : &run_ps) += link->end_ps - link->begin_ps;
    }
    const char *waits =
        wait_ps > 0 ? sl_arena_printf(&x->arena, "%s of lags and releases", ps_text(story, wait_ps))
                    : "no lag or release";
    tell(story,
         sl_arena_printf(&x->arena, "Its critical chain has %s node%s, on it for %s, and %s.",
                         sl_grouped(&x->arena, nodes), nodes == 1 ? "" : "s",
                         ps_text(story, run_ps), waits));
}

/* The nodes of the chain that ran longest beyond their means, at most SHOWN_LONGER of them; of
 * equals the first by index. */
static size_t find_longer(const struct sl_explain *x, uint32_t longer[SHOWN_LONGER])
{
    size_t count = 0;
    for (uint32_t i = 0; i < x->graph->node_count; i++) {
        if (ran_ps(x, i) < 0 || excess_us(x, i) <= 0)
            continue;
        size_t at = count < SHOWN_LONGER ? count++ : SHOWN_LONGER;
        for (; at > 0 && excess_us(x, longer[at - 1]) < excess_us(x, i); at--)
            if (at < SHOWN_LONGER)
                longer[at] = longer[at - 1];
        if (at < SHOWN_LONGER)
            longer[at] = i;
    }
    return count;
}

static void tell_longer(struct story *story)
{
    struct sl_explain *x = story->x;
    uint32_t longer[SHOWN_LONGER];
    size_t count = find_longer(x, longer);
    const char *text = "No node of the chain ran longer than its mean over the trials";
    for (size_t k = 0; k < count && text; k++) {
        double excess = excess_us(x, longer[k]);
        int64_t ran = ran_ps(x, longer[k]);
        text = sl_arena_printf(
            &x->arena, "%s%s ran %s, %s above its mean of %s",
            k > 0 ? sl_arena_printf(&x->arena, "%s; ", text) : "Beyond its mean on the chain: ",
            sl_explain_name(x, longer[k]), ps_text(story, ran), us_text(story, excess),
            us_text(story, (double)ran / (double)SL_PS_PER_US - excess));
    }
    tell(story, text ? sl_arena_printf(&x->arena, "%s.", text) : NULL);
}

static void tell_total(struct story *story)
{
    struct sl_explain *x = story->x;
    double us = 0;
    for (uint32_t i = 0; i < x->graph->node_count; i++)
        us += ran_ps(x, i) >= 0 ? excess_us(x, i) : 0;
    if (fabs(us) * (double)SL_PS_PER_US < 1)
        tell(story, "All nodes of the chain together ran as long as their means.");
    else
        tell(story,
             sl_arena_printf(&x->arena, "All nodes of the chain together ran %s %s their means.",
                             us_text(story, fabs(us)), us < 0 ? "below" : "above"));
}

static void tell_wait(struct story *story)
{
    struct sl_explain *x = story->x;
    const struct sl_trial *t = x->trial;
    uint32_t longest = SL_NONE;
    int64_t wait_ps = 0;
    for (uint32_t i = 0; i < x->graph->node_count; i++)
        if (x->chain_ps[i] >= 0 && t->start_ps[i] - t->ready_ps[i] > wait_ps) {
            longest = i;
            wait_ps = t->start_ps[i] - t->ready_ps[i];
        }
    if (longest == SL_NONE) {
        tell(story, "No node of the chain waited once it was ready.");
        return;
    }
    struct sl_wait wait = sl_wait_of(t, longest);
    const char *told = sl_wait_story(&x->arena, x->graph, longest, &wait);
    tell(story, told ? sl_arena_printf(&x->arena, "The longest wait on the chain: %s.",
                                       sl_explain_clean(x, told))
                     : NULL);
}

static void tell_contention(struct story *story)
{
    struct sl_explain *x = story->x;
    int64_t total = 0, most = 0;
    uint32_t worst = SL_NONE;
    for (uint32_t i = 0; i < x->graph->node_count; i++) {
        int64_t added = ran_ps(x, i) < 0 ? 0 : ran_ps(x, i) - sl_explain_isolated(x, i);
        total += added;
        if (added > most) {
            worst = i;
            most = added;
        }
    }
    if (worst == SL_NONE) {
        tell(story, "Contention added nothing to the nodes of the chain.");
        return;
    }
    tell(story, sl_arena_printf(&x->arena,
                                "Contention added %s to the nodes of the chain, most to %s: %s, "
                                "which ran %s and would have taken %s alone.",
                                ps_text(story, total), sl_explain_name(x, worst),
                                ps_text(story, most), ps_text(story, ran_ps(x, worst)),
                                ps_text(story, sl_explain_isolated(x, worst))));
}

static void tell_deadlock(struct story *story)
{
    struct sl_explain *x = story->x;
    const struct sl_trial *t = x->trial;
    uint32_t ran = 0, stuck = 0, first = SL_NONE;
    int64_t last = 0;
    for (uint32_t i = 0; i < x->graph->node_count; i++) {
        if (t->state[i] == SL_RAN) {
            ran++;
            last = t->finish_ps[i] > last ? t->finish_ps[i] : last;
        } else if (t->state[i] == SL_UNFINISHED && t->ready_ps[i] >= 0) {
            stuck++;
            first = first == SL_NONE || t->ready_ps[i] < t->ready_ps[first] ? i : first;
        }
    }
    tell(story,
         sl_arena_printf(&x->arena, "It never ended: %s.", sl_explain_clean(x, t->deadlock)));
    tell(story, sl_arena_printf(&x->arena, "%s of %s nodes ran, and the last of them ended at %s.",
                                sl_grouped(&x->arena, ran),
                                sl_grouped(&x->arena, x->graph->node_count), ps_text(story, last)));
    if (first != SL_NONE)
        tell(story,
             sl_arena_printf(&x->arena, "Ready and never started: %s, the longest %s, from %s on.",
                             sl_grouped(&x->arena, stuck), sl_explain_name(x, first),
                             ps_text(story, t->ready_ps[first])));
}

static struct story write_story(struct sl_explain *x)
{
    struct story story = {.x = x};
    if (x->trial->outcome != SL_DONE) {
        tell_deadlock(&story);
        return story;
    }
    tell_makespan(&story);
    tell_chain(&story);
    tell_longer(&story);
    tell_total(&story);
    tell_wait(&story);
    tell_contention(&story);
    return story;
}

void sl_explain_story(struct sl_explain *x, FILE *out)
{
    struct story story = write_story(x);
    fputs("\nthe story of this trial:\n", out);
    for (size_t k = 0; k < story.count; k++)
        fprintf(out, "  %s\n", story.sentences[k] ? story.sentences[k] : "out of memory");
}

void sl_explain_story_json(struct sl_explain *x, yajl_gen gen)
{
    struct story story = write_story(x);
    sl_json_open_array(gen, "story");
    for (size_t k = 0; k < story.count; k++)
        sl_json_text(gen, NULL, story.sentences[k]);
    yajl_gen_array_close(gen);
}
