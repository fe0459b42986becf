/* Contention: kappa of a class beside a multiset of others, and the virtual clocks of cells. */
#include "reference_parts.h"
#include <math.h>
#include <string.h>

#define CLASSES 64
#define LINKS   16

/* ---- composition ----------------------------------------------------------------------------- */

/* The row of exactly this multiset; NULL: there is none. */
static const struct sl_kappa_row *row_of(const struct sl_kappa *kappa, uint32_t victim,
                                         const uint32_t *others)
{
    for (uint32_t r = 0; r < kappa->row_count; r++) {
        uint32_t left[CLASSES];
        bool same = kappa->rows[r].victim == victim;
        memcpy(left, others, sizeof left);
        for (uint32_t k = 0; same && k < kappa->rows[r].set_size; k++)
            same = left[kappa->rows[r].set[k]]-- > 0;
        for (uint32_t c = 0; same && c < CLASSES; c++)
            same = left[c] == 0;
        if (same)
            return &kappa->rows[r];
    }
    return NULL;
}

static double pair_of(const struct sl_kappa *kappa, uint32_t victim, uint32_t other)
{
    uint32_t alone[CLASSES] = {0};
    alone[other] = 1;
    const struct sl_kappa_row *row = row_of(kappa, victim, alone);
    return row ? fmax(row->kappa, 1) : NAN;
}

/* The pessimistic corner is the table's largest kappa, the optimistic one 1. */
static double unknown_kappa(const struct ref_sim *s)
{
    const struct sl_kappa *kappa = &s->platform->kappa;
    double largest = 1;
    if (kappa->unknown == SL_UNKNOWN_NUMBER)
        return fmax(kappa->unknown_value, 1);
    for (uint32_t r = 0; s->options->corner == SL_CORNER_PESSIMISTIC && r < kappa->row_count; r++)
        largest = fmax(largest, kappa->rows[r].kappa);
    return largest;
}

static double composed(struct ref_sim *s, uint32_t victim, const uint32_t *others)
{
    const struct sl_kappa *kappa = &s->platform->kappa;
    double sum = 1, product = 1, largest = 1, unknown = unknown_kappa(s);
    bool guessed = false;
    for (uint32_t c = 0; c < kappa->classes.count; c++) {
        if (!others[c])
            continue;
        double pair = pair_of(kappa, victim, c);
        guessed |= isnan(pair);
        pair = isnan(pair) ? unknown : pair;
        sum += others[c] * (pair - 1);
        product *= pow(pair, others[c]);
        largest = fmax(largest, pair);
    }
    /* A stated number for all pairs is no guess. */
    if (guessed && (kappa->row_count > 0 || kappa->unknown != SL_UNKNOWN_NUMBER)) {
        s->out->hypothetical = true;
        ref_saw(s, REF_UNKNOWN_PAIR);
    }
    double value = !strcmp(kappa->rule_name, "product") ? product
                   : !strcmp(kappa->rule_name, "max")   ? largest
                                                        : sum;
    return fmax(value, 1);
}

/* All rates rise equally until 1, or until a full link freezes those of its users. */
static double by_bandwidth(struct ref_sim *s, uint32_t victim, const uint32_t *running)
{
    const struct sl_kappa *kappa = &s->platform->kappa;
    double rate[CLASSES] = {0}; /* 0: still rising */
    for (;;) {
        double used[LINKS] = {0}, rising[LINKS] = {0}, next = 1;
        uint32_t full = SL_NONE;
        for (uint32_t d = 0; d < kappa->demand_count; d++) { /* by class */
            const struct sl_kappa_demand *demand = &kappa->demands[d];
            double users = running[demand->klass] * demand->fraction;
            if (rate[demand->klass] > 0)
                used[demand->link] += users * rate[demand->klass];
            else
                rising[demand->link] += users;
        }
        for (uint32_t l = 0; l < kappa->links.count; l++)
            if (rising[l] > 0 && (1 - used[l]) / rising[l] < next) {
                next = (1 - used[l]) / rising[l];
                full = l;
            }
        if (full == SL_NONE || rate[victim] > 0)
            break;
        for (uint32_t d = 0; d < kappa->demand_count; d++)
            if (kappa->demands[d].link == full && kappa->demands[d].fraction > 0 &&
                rate[kappa->demands[d].klass] == 0)
                rate[kappa->demands[d].klass] = next;
    }
    if (!(rate[victim] > 0))
        return 1;
    ref_saw(s, REF_BANDWIDTH);
    return fmax(1 / rate[victim], 1);
}

/* kappa(class | all running nodes of cells that share a group, minus one of its own). */
static double kappa_of(struct ref_sim *s, const struct ref_cell *cell)
{
    const struct sl_kappa *kappa = &s->platform->kappa;
    uint32_t counts[CLASSES] = {0}, total = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->runs[i].status == HOLDING && ref_contends(s, i) &&
            s->runs[i].groups & cell->groups) {
            counts[s->runs[i].node->klass]++;
            total++;
        }
    counts[cell->klass]--;
    if (total == 1)
        return 1;
    double value;
    const struct sl_kappa_row *row = row_of(kappa, cell->klass, counts);
    if (row) {
        value = fmax(row->kappa, 1);
        if (row->set_size > 1)
            ref_saw(s, REF_SET_ROW);
    } else if (!strcmp(kappa->rule_name, "bandwidth")) {
        counts[cell->klass]++;
        value = by_bandwidth(s, cell->klass, counts);
    } else
        value = composed(s, cell->klass, counts);
    if (value > 1)
        ref_saw(s, total > 2 ? REF_SLOWED_BY_TWO : REF_SLOWED);
    return value;
}

/* ---- clocks ---------------------------------------------------------------------------------- */

bool ref_contends(const struct ref_sim *s, uint32_t i)
{
    return s->runs[i].node->klass != SL_NONE && s->runs[i].groups && s->record[i].duration > 0;
}

static struct ref_cell *cell_of(struct ref_sim *s, uint32_t i)
{
    const struct ref_run *run = &s->runs[i];
    for (uint32_t c = 0; c < s->cell_count; c++)
        if (s->cells[c].klass == run->node->klass && s->cells[c].groups == run->groups)
            return &s->cells[c];
    s->cells[s->cell_count] = (struct ref_cell){run->node->klass, run->groups, 0, 1, s->now};
    return &s->cells[s->cell_count++];
}

int64_t ref_contended_end(struct ref_sim *s, uint32_t i)
{
    const struct ref_cell *cell = cell_of(s, i);
    long long left = llround((s->runs[i].target - cell->clock) * cell->kappa);
    return cell->since + (left > 0 ? left : 0);
}

static bool is_empty(struct ref_sim *s, const struct ref_cell *cell)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->runs[i].status == HOLDING && ref_contends(s, i) && !s->runs[i].entering &&
            cell_of(s, i) == cell)
            return false;
    return true;
}

/* For every cell that shares a group with one in which a node started or came free at this instant:
 * V += (t - t_c) / kappa with the old kappa, F = V + d, then the new kappa. */
void ref_update_contention(struct ref_sim *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->runs[i].entering)
            (void)cell_of(s, i);
    for (uint32_t c = 0; c < s->cell_count; c++) {
        struct ref_cell *cell = &s->cells[c];
        if (!(cell->groups & s->touched))
            continue;
        if (is_empty(s, cell))
            cell->clock = 0;
        else
            cell->clock += (double)(s->now - cell->since) / cell->kappa;
        cell->since = s->now;
    }
    for (uint32_t i = 0; i < s->n; i++)
        if (s->runs[i].entering) {
            s->runs[i].target = cell_of(s, i)->clock + (double)s->record[i].duration;
            s->runs[i].entering = false;
        }
    for (uint32_t c = 0; c < s->cell_count; c++)
        if (s->cells[c].groups & s->touched && !is_empty(s, &s->cells[c]))
            s->cells[c].kappa = kappa_of(s, &s->cells[c]);
    s->touched = 0;
}
