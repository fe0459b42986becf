/* The page: the plan, its costs and its proofs. */
#include "config.h"

#include "decision_page.h"
#include "record_compare.h"
#include <math.h>
#include <string.h>

#define SHOWN_CHANGES 12
#define SHOWN_COSTS   40

static void put_settings(FILE *out, const struct sl_record_policy *policy)
{
    uint64_t last = UINT64_MAX;
    bool rules = false;
    for (uint32_t i = 0; i < policy->settings.count; i++)
        rules |= policy->settings.items[i].rule > 0;
    for (uint32_t i = 0; i < policy->settings.count; i++) {
        const struct sl_record_setting *setting = &policy->settings.items[i];
        if (setting->rule != last && setting->rule > 0)
            fprintf(out, "%s- rule %llu: ", i > 0 ? "\n" : "", (unsigned long long)setting->rule);
        else if (setting->rule != last)
            fprintf(out, "%s- all %sobjects: ", i > 0 ? "\n" : "", rules ? "other " : "");
        else
            fputs(", ", out);
        last = setting->rule;
        sl_page_text(out, setting->key);
        for (uint32_t v = 0; v < setting->values.count; v++) {
            fputs(v == 0 ? " " : ";", out);
            sl_page_text(out, setting->values.items[v]);
        }
    }
    fputs(policy->settings.count > 0 ? "\n" : "", out);
}

void sl_page_plan(FILE *out, const struct sl_record *record)
{
    const struct sl_record_graph *graph = &record->graph;
    const struct sl_record_policy *policy = &record->policy;
    if (!policy->name)
        return;
    fputs("\n## Logical timing policy\n\n", out);
    put_settings(out, policy);
    if (policy->gap_choices + policy->node_choices > 0)
        fprintf(out, "- a table of choices: %llu for gaps, %llu for nodes\n",
                (unsigned long long)policy->gap_choices, (unsigned long long)policy->node_choices);
    fprintf(out, "\nObjects with a gap: %llu stay, %llu leave, %llu are computed again. ",
            (unsigned long long)policy->retained, (unsigned long long)policy->offloaded,
            (unsigned long long)policy->rematerialized);
    if (!graph->plan_digest)
        return;
    fprintf(out, "The plan %s has %llu nodes and %llu edges", graph->plan_digest,
            (unsigned long long)graph->nodes, (unsigned long long)graph->edges);
    if (graph->baseline_digest)
        fprintf(out, " (the baseline's is %s)", graph->baseline_digest);
    fprintf(out, ", and %llu changes of the stated graph%s\n\n",
            (unsigned long long)graph->changes_total, graph->changes_total > 0 ? ":" : ".");
    for (uint32_t i = 0; i < graph->changes.count && i < SHOWN_CHANGES; i++) {
        fputs("- ", out);
        sl_page_text(out, graph->changes.items[i].what);
        if (graph->changes.items[i].reason) {
            fputs(": ", out);
            sl_page_text(out, graph->changes.items[i].reason);
        }
        fputs("\n", out);
    }
    if (graph->changes_total > SHOWN_CHANGES)
        fprintf(out, "- and %llu more\n", (unsigned long long)graph->changes_total - SHOWN_CHANGES);
}

void sl_page_costs(FILE *out, const struct sl_record *record)
{
    char figures[SL_COST_TEXT];
    if (record->costs.count == 0)
        return;
    fputs("\n## Costs\n\n| cost | figure | uses | on the chain | evidence | source |\n"
          "| --- | --- | --- | --- | --- | --- |\n",
          out);
    for (uint32_t i = 0; i < record->costs.count && i < SHOWN_COSTS; i++) {
        const struct sl_record_cost *cost = &record->costs.items[i];
        fprintf(out, "| %s ", cost->what);
        sl_page_text(out, cost->name);
        if (cost->of) {
            fputs(" of ", out);
            sl_page_text(out, cost->of);
        }
        fprintf(out, " | %s | %llu | ", sl_record_cost_text(figures, cost),
                (unsigned long long)cost->uses);
        if (isnan(cost->chain_share))
            fputs("-", out);
        else
            fprintf(out, "%.3g%%", 100 * cost->chain_share);
        fprintf(out, " | %s | ", cost->evidence ? cost->evidence : "**none**");
        sl_page_text(out, cost->source ? cost->source : "");
        fputs(" |\n", out);
    }
    if (record->costs.count > SHOWN_COSTS)
        fprintf(out, "\nAnd %u more.\n", record->costs.count - SHOWN_COSTS);
    fputs(record->unknowns.count > 0 ? "\nUnresolved:\n\n" : "", out);
    for (uint32_t i = 0; i < record->unknowns.count; i++) {
        fprintf(out, "- %s ", record->unknowns.items[i].what);
        sl_page_text(out, record->unknowns.items[i].name);
        fputs(": ", out);
        sl_page_text(out, record->unknowns.items[i].detail);
        fputs("\n", out);
    }
}

static const char *word(enum sl_truth truth)
{
    return truth == SL_TRUTH_YES ? "yes" : truth == SL_TRUTH_NO ? "no" : "not known";
}

static void put_progress(FILE *out, const struct sl_record_progress *progress)
{
    fprintf(out, "- Progress: %llu of %llu trials deadlock",
            (unsigned long long)progress->deadlocked, (unsigned long long)progress->trials);
    if (!isnan(progress->deadlock_share.hi))
        fprintf(out, " (probability %.2g%% to %.2g%%)", 100 * progress->deadlock_share.lo,
                100 * progress->deadlock_share.hi);
    fprintf(out, "; precedence and all %llu different waits together acyclic: %s",
            (unsigned long long)progress->wait_edges, word(progress->acyclic));
    if (progress->cyclic_trials > 0)
        fprintf(out, "; in %llu trials by themselves cyclic",
                (unsigned long long)progress->cyclic_trials);
    const char *texts[] = {progress->deadlock, progress->possible, progress->cycle};
    const char *heads[] = {"; deadlock: ", "; some durations would deadlock it: ", "; cycle: "};
    for (int i = 0; i < 3; i++)
        if (texts[i]) {
            fputs(heads[i], out);
            sl_page_text(out, texts[i]);
        }
    fputs(".\n", out);
}

static void put_capacity(FILE *out, const struct sl_record_proofs *proofs)
{
    for (uint32_t d = 0; d < proofs->capacity.count; d++) {
        const struct sl_record_capacity *domain = &proofs->capacity.items[d];
        fputs("- Capacity of ", out);
        sl_page_text(out, domain->domain);
        fputs(": largest peak ", out);
        sl_page_quantity(out, domain->projected_peak_bytes, "bytes");
        fputs(" of ", out);
        sl_page_quantity(out, domain->limit_bytes, "bytes");
        fprintf(out, "%s; waits for it %s.\n",
                isnan(domain->limit_bytes) || domain->reserve_stated ? "" : " (no reserve stated)",
                domain->can_wait ? "can arise" : "cannot arise in any order");
    }
}

void sl_page_proofs(FILE *out, const struct sl_record *record)
{
    const struct sl_record_proofs *proofs = &record->proofs;
    if (!proofs->present)
        return;
    fprintf(out,
            "\n## Proofs\n\n- Lifetime: %llu reclamations of %llu trials, %llu before "
            "reclaim_ready; proven: %s.\n",
            (unsigned long long)proofs->lifetime.reclamations,
            (unsigned long long)proofs->lifetime.trials,
            (unsigned long long)proofs->lifetime.violations, word(proofs->lifetime.proven));
    uint32_t again = proofs->reconstructions.count, loose = 0;
    for (uint32_t i = 0; i < again; i++)
        loose += strcmp(proofs->reconstructions.items[i].equivalence, "bitwise") != 0;
    if (again > 0)
        fprintf(out,
                "- Reconstruction: %u objects are computed again, %u of them not bitwise "
                "equal.\n",
                again, loose);
    put_capacity(out, proofs);
    put_progress(out, &proofs->progress);
    fputs("- Starvation: longest wait ", out);
    sl_page_quantity(out, proofs->starvation.max_wait_us, "us");
    if (proofs->starvation.node) {
        fputs(", of ", out);
        sl_page_text(out, proofs->starvation.node);
    }
    if (isnan(proofs->starvation.bound_us)) {
        fputs("; no bound is established.\n", out);
    } else {
        fputs("; declared bound ", out);
        sl_page_quantity(out, proofs->starvation.bound_us, "us");
        fprintf(out, ", exceeded %llu times.\n", (unsigned long long)proofs->starvation.beyond);
    }
    for (uint32_t i = 0; i < proofs->constraints.count; i++) {
        fputs("- Constraint ", out);
        sl_page_text(out, proofs->constraints.items[i].constraint);
        fprintf(out, ": %s.\n", proofs->constraints.items[i].state);
    }
}
