/* The combined precedence and resource-wait graph permits progress: no trial deadlocked, in each
 * the waits that ended are acyclic together with precedence, and no deadlock was found by choosing
 * durations against the plan. */
#include "config.h"

#include "gate.h"
#include <math.h>
#include <string.h>

bool sl_gate_has_jobs(const struct sl_record *record)
{
    const char *mode = record->workload.mode;
    return mode && (strcmp(mode, "open") == 0 || strcmp(mode, "closed") == 0);
}

static void judge_deadlocks(const struct sl_record_progress *progress,
                            struct sl_gate_claims *claims)
{
    char share[64] = "";
    if (progress->deadlocked > 0)
        sl_gate_claim(claims, SL_GATE_FAIL, "proofs.progress.deadlocked",
                      "%llu of %llu trials deadlock: %.400s",
                      (unsigned long long)progress->deadlocked,
                      (unsigned long long)progress->trials,
                      progress->deadlock ? progress->deadlock : "no cycle is recorded");
    if (progress->livelocked > 0)
        sl_gate_claim(claims, SL_GATE_FAIL, "proofs.progress.livelocked",
                      "in %llu trials copies evict each other without end",
                      (unsigned long long)progress->livelocked);
    if (progress->trials == 0)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "proofs.progress.trials", "no trial was run");
    else if (progress->deadlocked == 0) {
        if (!isnan(progress->deadlock_share.hi))
            snprintf(share, sizeof share, " (probability at most %.2g%%)",
                     100 * progress->deadlock_share.hi);
        sl_gate_claim(claims, SL_GATE_PASS, "proofs.progress.deadlocked",
                      "none of %llu trials deadlocks%s", (unsigned long long)progress->trials,
                      share);
    }
}

void sl_gate_progress(const struct sl_record *record, struct sl_gate_claims *claims)
{
    sl_gate_claim_findings(record, "progress", claims);
    if (sl_gate_lacks_run(record, claims))
        return;
    const struct sl_record_progress *progress = &record->proofs.progress;
    judge_deadlocks(progress, claims);
    if (progress->cyclic_trials > 0)
        sl_gate_claim(claims, SL_GATE_FAIL, "proofs.progress.cyclic_trials",
                      "in %llu trials precedence and waits form a cycle",
                      (unsigned long long)progress->cyclic_trials);
    if (progress->possible)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "proofs.progress.possible",
                      "some durations would deadlock it: %.400s", progress->possible);
    if (progress->acyclic == SL_TRUTH_UNKNOWN)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "proofs.progress.acyclic", "%s",
                      sl_gate_has_jobs(record)
                          ? "jobs hold bytes while they wait for more, and nothing bounds what all "
                            "of them may need: that they never wait in a circle is not proven"
                          : "precedence and the waits that arose were not tested for cycles");
    else if (sl_gate_has_jobs(record))
        sl_gate_claim(claims, SL_GATE_PASS, "proofs.progress.acyclic",
                      "jobs cannot wait for each other in a circle: in every limited domain they "
                      "hold nothing while they wait, or all that they may need is theirs");
    else if (progress->cyclic_trials == 0 && progress->acyclic == SL_TRUTH_YES)
        sl_gate_claim(claims, SL_GATE_PASS, "proofs.progress.acyclic",
                      "precedence and the %llu different waits of all trials are acyclic",
                      (unsigned long long)progress->wait_edges);
    else if (progress->cyclic_trials == 0)
        sl_gate_claim(claims, SL_GATE_PASS, "proofs.progress.acyclic",
                      "in each trial precedence and waits are acyclic; over all trials nodes pass "
                      "each other");
    if (record->runtime_feasible.present && record->runtime_feasible.failed > 0)
        sl_gate_claim(claims, SL_GATE_FAIL, "runtime_feasible.failed",
                      "with what the runtime inserts, %llu of %llu trials deadlock",
                      (unsigned long long)record->runtime_feasible.failed,
                      (unsigned long long)record->runtime_feasible.count);
}
