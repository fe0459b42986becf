/* Readiness, aliasing, barriers, reconstruction, and reclamation preserve correctness: `check`
 * finds nothing, no copy was given back too early in any trial, and what is computed again is
 * equivalent. */
#include "config.h"

#include "gate.h"
#include <math.h>
#include <string.h>

static void judge_lifetime(const struct sl_record *record, uint32_t found,
                           struct sl_gate_claims *claims)
{
    const struct sl_record_lifetime *lifetime = &record->proofs.lifetime;
    if (lifetime->violations > 0)
        sl_gate_claim(claims, SL_GATE_FAIL, "proofs.lifetime.violations",
                      "%llu of %llu reclamations came before reclaim_ready, first in trial %.0f",
                      (unsigned long long)lifetime->violations,
                      (unsigned long long)lifetime->reclamations,
                      isnan(lifetime->first_violation) ? 0 : lifetime->first_violation);
    else if (lifetime->proven != SL_TRUTH_YES)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "proofs.lifetime.proven",
                      "reclamations were not proven");
    else if (lifetime->reclamations == 0)
        sl_gate_claim(
            claims, SL_GATE_PASS, "proofs.lifetime",
            "nothing is given back in any of %llu trials, so that no use can come after%s",
            (unsigned long long)lifetime->trials,
            found > 0 ? ""
                      : "; 'check' finds no fault of uses, aliases, barriers or "
                        "reconstruction");
    else if (sl_gate_has_jobs(record))
        sl_gate_claim(
            claims, SL_GATE_PASS, "proofs.lifetime",
            "the plan of a job puts all %llu reclamations behind every user of their copy, "
            "whatever other jobs do",
            (unsigned long long)lifetime->reclamations);
    else
        sl_gate_claim(claims, SL_GATE_PASS, "proofs.lifetime",
                      "all %llu reclamations of %llu trials came at reclaim_ready or later",
                      (unsigned long long)lifetime->reclamations,
                      (unsigned long long)lifetime->trials);
}

void sl_gate_correctness(const struct sl_record *record, struct sl_gate_claims *claims)
{
    uint32_t found = sl_gate_claim_findings(record, "correctness", claims);
    if (sl_gate_lacks_run(record, claims))
        return;
    const struct sl_record_proofs *proofs = &record->proofs;
    judge_lifetime(record, found, claims);
    for (uint32_t i = 0; i < proofs->reconstructions.count; i++) {
        const struct sl_record_reconstruction *r = &proofs->reconstructions.items[i];
        if (strcmp(r->equivalence, "bitwise") != 0 && strcmp(r->equivalence, "tolerance") != 0)
            sl_gate_claim(claims, SL_GATE_UNKNOWN, "proofs.reconstructions",
                          "'%.100s' is computed again, and its equivalence is %s", r->object,
                          r->equivalence);
    }
}
