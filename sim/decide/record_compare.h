/* What changed between two records. */
#ifndef SL_RECORD_COMPARE_H
#define SL_RECORD_COMPARE_H
#include "record.h"

enum sl_change_kind {
    SL_CHANGE_INPUT,     /* a file's hash, a setting, a seed: what the decision rests on */
    SL_CHANGE_COST,      /* a figure of a row of the costs, its evidence, source, uses ... */
    SL_CHANGE_SELECTION, /* policy, its settings, its plan, the alternatives' standing */
    SL_CHANGE_FIGURE,
    SL_CHANGE_GATE,
    SL_CHANGE_STATUS,
    SL_CHANGE_KINDS
};
const char *sl_change_kind_name(enum sl_change_kind kind); /* "input" */

struct sl_record_difference {
    enum sl_change_kind kind;
    const char *what;           /* "scenario nodes.csv", "projected tail" */
    const char *before, *after; /* NULL: it is not there */
    const char *key;            /* of a cost: which of its figures, "median_us"; NULL: the row */
    const char *changed_in;     /* of a cost: the file or whatever else it follows from; NULL */
    /* Of a figure, and of a cost with a unit: before and after, and whether their intervals lie
     * apart; unknown where one has none. */
    struct sl_estimate old, new;
    const char *unit; /* "" of a bare number; NULL: before and after are texts */
    enum sl_truth apart;
};

struct sl_record_comparison {
    struct sl_arena arena;
    struct sl_record_difference *items; /* by kind, in the order of the records */
    uint32_t count, capacity;
    uint32_t counts[SL_CHANGE_KINDS];
    uint32_t same_figures, overlapping; /* equal to the last bit; different, intervals overlap */
    /* Another policy, other settings or another plan is selected, or a condition of the gate fails
     * in one of the two alone. */
    bool decision_changed;
    const char *why; /* a sentence */
};

/* The records outlive the comparison; sl_record_comparison_free releases in every case. */
enum sl_status sl_record_compare(struct sl_record_comparison *comparison,
                                 const struct sl_record *before, const struct sl_record *after,
                                 struct sl_error *err) SL_NODISCARD;
void sl_record_comparison_free(struct sl_record_comparison *comparison);

enum { SL_COST_TEXT = 240 };
/* The figures of a cost for people: "40.0 ms, mean 40.1 ms"; "" where it has none. */
const char *sl_record_cost_text(char text[SL_COST_TEXT], const struct sl_record_cost *cost);
#endif
