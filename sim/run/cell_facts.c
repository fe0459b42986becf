/* Figures of a cell that several reports need. */
#include "cell_facts.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

static int larger_first(const void *a, const void *b)
{
    const struct sl_chain_share *x = a, *y = b;
    if (x->us != y->us)
        return x->us < y->us ? 1 : -1;
    return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                            : (x->cause > y->cause) - (x->cause < y->cause);
}

size_t sl_chain_shares(const struct sl_cell *cell, struct sl_chain_share *shares, size_t capacity)
{
    uint32_t finished = cell->trials - cell->deadlocked;
    size_t count = 0;
    double total = 0;
    if (!cell->chain_kind_cause_ps || finished == 0)
        return 0;
    for (unsigned i = 0; i < SL_CHAIN_ROWS * SL_CAUSES; i++)
        total += (double)cell->chain_kind_cause_ps[i];
    for (unsigned i = 0; i < SL_CHAIN_ROWS * SL_CAUSES && count < capacity; i++) {
        double ps = (double)cell->chain_kind_cause_ps[i];
        if (ps > 0)
            shares[count++] = (struct sl_chain_share){
                i / SL_CAUSES, i % SL_CAUSES, ps / finished / (double)SL_PS_PER_US, ps / total};
    }
    qsort(shares, count, sizeof *shares, larger_first);
    return count;
}

uint32_t sl_longest_wait(const struct sl_cell *cell)
{
    uint32_t longest = SL_NONE;
    const struct sl_wait *waits = cell->nodes.longest_wait;
    for (uint32_t i = 0; cell->plan.graph && waits && i < cell->plan.graph->node_count; i++)
        if (waits[i].wait_ps > (longest == SL_NONE ? 0 : waits[longest].wait_ps))
            longest = i;
    return longest;
}

uint64_t sl_total_bypasses(const struct sl_cell *cell)
{
    uint64_t total = 0;
    for (uint32_t i = 0;
         cell->plan.graph && cell->nodes.bypassed && i < cell->plan.graph->node_count; i++)
        total += cell->nodes.bypassed[i];
    return total;
}

double sl_class_inflation(const struct sl_cell *cell, uint32_t klass)
{
    double ran = 0, alone = 0;
    for (uint32_t i = 0; cell->plan.graph && cell->nodes.run_ps && i < cell->plan.graph->node_count;
         i++) {
        if (cell->plan.graph->nodes[i].klass != klass)
            continue;
        ran += (double)cell->nodes.hold_ps[i];
        alone += (double)cell->nodes.isolated_ps[i];
    }
    return alone > 0 ? ran / alone : NAN;
}

int64_t sl_peak_of(const struct sl_cell *cell, uint32_t domain)
{
    uint32_t domains = cell->scenario->platform.domain_names.count;
    int64_t peak = 0;
    for (uint32_t i = 0; cell->peak_bytes && i < cell->trials; i++) {
        int64_t bytes = cell->peak_bytes[(size_t)i * domains + domain];
        peak = bytes > peak ? bytes : peak;
    }
    return peak;
}

double sl_staging_of(const struct sl_cell *cell, uint32_t domain)
{
    uint32_t domains = cell->scenario->platform.domain_names.count;
    double sum = 0;
    for (uint32_t i = 0; cell->staging_byte_s && i < cell->trials; i++)
        sum += cell->staging_byte_s[(size_t)i * domains + domain];
    return cell->trials > 0 ? sum / cell->trials : 0;
}
