/* What the files that compare records share.  Private to decide/. */
#ifndef SL_RECORD_COMPARE_PARTS_H
#define SL_RECORD_COMPARE_PARTS_H
#include "record_compare.h"
#include "record_shape.h"

struct sl_comparing {
    struct sl_record_comparison *out;
    const struct sl_record *before, *after;
    bool no_memory;
};

/* A new difference; NULL, with no_memory set. */
struct sl_record_difference *sl_comparing_add(struct sl_comparing *c, enum sl_change_kind kind,
                                              const char *what, const char *before,
                                              const char *after);
/* "a b" of the comparison's arena; b may be NULL. */
const char *sl_comparing_join(struct sl_comparing *c, const char *a, const char *b);
bool sl_same_text(const char *a, const char *b); /* either may be NULL */
bool sl_same_texts(const struct sl_record_texts *a, const struct sl_record_texts *b);
bool sl_same_estimate(struct sl_estimate a, struct sl_estimate b); /* to the last bit */
/* Unknown where one of them has no interval. */
enum sl_truth sl_estimates_apart(struct sl_estimate a, struct sl_estimate b);

/* Rows of the costs, figure by figure. */
void sl_compare_costs(struct sl_comparing *c);
#endif
