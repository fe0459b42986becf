/* The recursion of chain_optimum.h: by t, and for each from s = t down, so that what it needs is
 * there. */
#include "chain_optimum.h"
#include <math.h>
#include <stdlib.h>

static size_t place(const struct sl_chain_optimum *c, uint32_t s, uint32_t t, uint32_t m)
{
    return ((size_t)t * (t - 1) / 2 + s - 1) * (c->budget + 1) + m;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What is there while step k runs, but for its input and what it saves. */
static int64_t others(const struct sl_chain_optimum *c, uint32_t k, uint32_t t)
{
    const struct sl_chain_step *step = &c->steps[k];
    return (t == c->count ? step->first : c->steps[t].before + step->again) + step->state;
}

/* What m must hold for step k to run behind `input`, save, and go back. */
static int64_t need_to_save(const struct sl_chain_optimum *c, uint32_t k, uint32_t t, int64_t input)
{
    const struct sl_chain_step *step = &c->steps[k];
    int64_t back = step->back + step->saved + (step->reads_state ? step->state : 0);
    int64_t run =
        larger(others(c, k, t) + input + step->saved, t == c->count ? step->wait + input : 0);
    return larger(run, larger(back, step->after));
}

/* A(k, t, .) by m - *hold; NULL: there are no steps behind k. */
static const double *behind_saved(const struct sl_chain_optimum *c, uint32_t k, uint32_t t,
                                  int64_t *hold)
{
    const struct sl_chain_step *step = &c->steps[k];
    *hold = k == t ? 0 : step->saved + (step->reads_state ? step->state : 0);
    if (k == t)
        return NULL;
    return &(step->reads_state ? c->least : c->passing)[place(c, k + 1, t, 0)];
}

/* Offers a choice to C(s, t, m) for each m >= need: `ahead` by m - hold, and C(s, .) `below`; NULL:
 * nothing to do. */
static void offer(struct sl_chain_optimum *c, size_t at, int64_t need, double cost,
                  const double *ahead, int64_t hold, const double *below, uint32_t choice)
{
    for (int64_t m = larger(larger(need, hold), 0); m <= c->budget; m++) {
        double total = cost + (ahead ? ahead[m - hold] : 0.0) + (below ? below[m] : 0.0);
        if (total < c->least[at + (size_t)m]) {
            c->least[at + (size_t)m] = total;
            c->choice[at + (size_t)m] = (uint16_t)choice;
        }
    }
}

static void solve_kept(struct sl_chain_optimum *c, uint32_t s, uint32_t t)
{
    size_t at = place(c, s, t, 0);
    int64_t need = 0, hold; /* need: of running s .. k - 1 */
    double cost = 0.0;
    for (uint32_t k = s; k <= t; k++) {
        const struct sl_chain_step *step = &c->steps[k];
        int64_t input = k > s ? step[-1].state : 0;
        const double *ahead = behind_saved(c, k, t, &hold);
        double run = cost + (t == c->count ? 0.0 : step->time_ps);
        if (k == s || !step->reads_input)
            offer(c, at, larger(need, need_to_save(c, k, t, input)), run, ahead, hold,
                  k > s ? &c->least[place(c, s, k - 1, 0)] : NULL, 2 * k + 1);
        need = larger(need, others(c, k, t) + input);
        need = t == c->count ? larger(need, step->wait + input) : need;
        cost = run;
        if (k < t)
            offer(c, at, need, cost, &c->least[place(c, k + 1, t, 0)], step->state,
                  &c->least[place(c, s, k, 0)], 2 * k);
    }
}

static void solve_passing(struct sl_chain_optimum *c, uint32_t s, uint32_t t)
{
    const struct sl_chain_step *step = &c->steps[s];
    size_t at = place(c, s, t, 0);
    int64_t input = s > 1 ? step[-1].state : 0, hold;
    for (int64_t m = input; m <= c->budget; m++)
        c->passing[at + (size_t)m] = c->least[at + (size_t)(m - input)];
    if (step->reads_input)
        return;
    const double *ahead = behind_saved(c, s, t, &hold);
    int64_t need = larger(need_to_save(c, s, t, input), hold);
    for (int64_t m = larger(need, 0); m <= c->budget; m++) {
        double total = (t == c->count ? 0.0 : step->time_ps) + (ahead ? ahead[m - hold] : 0.0);
        c->passes[at + (size_t)m] = total < c->passing[at + (size_t)m];
        if (c->passes[at + (size_t)m])
            c->passing[at + (size_t)m] = total;
    }
}

bool sl_chain_optimum_solve(struct sl_chain_optimum *c, const struct sl_chain_step *steps,
                            uint32_t count, uint32_t budget)
{
    *c = (struct sl_chain_optimum){.steps = steps, .count = count, .budget = budget};
    size_t size = place(c, 1, count + 1, 0);
    c->least = malloc(size * sizeof *c->least);
    c->choice = calloc(size, sizeof *c->choice);
    c->passing = malloc(size * sizeof *c->passing);
    c->passes = calloc(size, sizeof *c->passes);
    if (!c->least || !c->choice || !c->passing || !c->passes)
        return false;
    for (size_t i = 0; i < size; i++)
        c->least[i] = c->passing[i] = INFINITY;
    for (uint32_t t = 1; t <= count; t++)
        for (uint32_t s = t; s >= 1; s--) {
            solve_kept(c, s, t);
            solve_passing(c, s, t);
        }
    return true;
}

void sl_chain_optimum_free(struct sl_chain_optimum *c)
{
    free(c->least);
    free(c->choice);
    free(c->passing);
    free(c->passes);
    *c = (struct sl_chain_optimum){0};
}

double sl_chain_optimum_cost(const struct sl_chain_optimum *c, uint32_t memory)
{
    return c->least[place(c, 1, c->count, memory)];
}

struct walk {
    const struct sl_chain_optimum *c;
    bool *saves;
    sl_chain_visit *rerun;
    void *user;
};

static enum sl_status walk_saved(const struct walk *w, uint32_t k, uint32_t t, int64_t m);

/* Runs s .. k, the last of which may save. */
static enum sl_status run(const struct walk *w, uint32_t s, uint32_t k, uint32_t t, bool saves)
{
    enum sl_status status = SL_OK;
    if (t == w->c->count)
        w->saves[k] |= saves;
    for (uint32_t j = s; j <= k && t < w->c->count && status == SL_OK; j++)
        status =
            w->rerun(w->user, (struct sl_chain_rerun){(uint16_t)j, (uint16_t)t, saves && j == k});
    return status;
}

/* The plan of C(s, t, m). */
static enum sl_status walk_kept(const struct walk *w, uint32_t s, uint32_t t, int64_t m)
{
    enum sl_status status = SL_OK;
    while (t >= s && status == SL_OK) {
        uint32_t choice = w->c->choice[place(w->c, s, t, (uint32_t)m)], k = choice / 2;
        bool saves = choice % 2;
        status = run(w, s, k, t, saves);
        if (status == SL_OK && saves)
            status = walk_saved(w, k, t, m);
        else if (status == SL_OK)
            status = walk_kept(w, k + 1, t, m - w->c->steps[k].state);
        t = saves ? k - 1 : k;
    }
    return status;
}

/* The plan of A(k, t, m). */
static enum sl_status walk_saved(const struct walk *w, uint32_t k, uint32_t t, int64_t m)
{
    const struct sl_chain_optimum *c = w->c;
    for (;;) { /* k has saved */
        const struct sl_chain_step *step = &c->steps[k];
        if (k == t)
            return SL_OK;
        m -= step->saved;
        if (step->reads_state || !c->passes[place(c, k + 1, t, (uint32_t)m)])
            return walk_kept(w, k + 1, t, m - step->state);
        enum sl_status status = run(w, k + 1, k + 1, t, true);
        if (status)
            return status;
        k++;
    }
}

enum sl_status sl_chain_optimum_walk(const struct sl_chain_optimum *c, uint32_t memory, bool *saves,
                                     sl_chain_visit *rerun, void *user)
{
    struct walk w = {c, saves, rerun, user};
    return walk_kept(&w, 1, c->count, memory);
}
