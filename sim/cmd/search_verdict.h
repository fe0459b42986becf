/* What a search may say of the plan that it puts first: whether it is shown to be better than the
 * best policy, by the rule of a sweep (lexicographic.h) on the draws of the last estimates. */
#ifndef SL_SEARCH_VERDICT_H
#define SL_SEARCH_VERDICT_H
#include "search_finals.h"
#include "session.h"
#include "standings.h"

enum sl_search_finding {
    SL_FINDING_BETTER,     /* shown to be better than the best policy */
    SL_FINDING_ONLY,       /* ok, and no policy is */
    SL_FINDING_POLICY,     /* it is a policy's own plan: no better one was found */
    SL_FINDING_TIE,        /* not shown to be better, nor worse */
    SL_FINDING_WORSE,      /* the best policy is shown to be better */
    SL_FINDING_UNTESTED,   /* too few trials to say */
    SL_FINDING_INFEASIBLE, /* it deadlocks, or breaks a constraint: the best so far */
    SL_FINDING_SET,        /* no order is stated: plans of a Pareto set, none of them first */
};

/* Zero-initialise; sl_search_verdict_free releases. */
struct sl_search_verdict {
    enum sl_search_finding finding;
    struct sl_standings standings; /* of the first plan and the best policy, where both are ok */
};

enum sl_status sl_search_verdict_find(struct sl_search_verdict *verdict,
                                      const struct sl_session *session,
                                      const struct sl_search_result *result,
                                      const struct sl_finals *finals,
                                      struct sl_error *err) SL_NODISCARD;
/* "better", "tie" ... */
const char *sl_search_finding_name(enum sl_search_finding finding);
/* Whether the first plan may be called the winner. */
bool sl_search_has_winner(const struct sl_search_verdict *verdict);
/* One sentence for people. */
void sl_search_verdict_print(FILE *out, const struct sl_search_verdict *verdict,
                             const struct sl_session *session, const struct sl_finals *finals);
void sl_search_verdict_free(struct sl_search_verdict *verdict);
#endif
