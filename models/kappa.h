/* Contention: kappa(i|S), the slowdown of class i while the multiset S of other classes runs.
 *
 * A table holds measured pairs and sets; a composition rule (kappa_rules.def, one file each) gives
 * the rest.  A set row applies only to the exact multiset.  Composed kappa is at least 1. */
#ifndef SL_KAPPA_H
#define SL_KAPPA_H
#include "arena.h"
#include "text.h"

enum sl_unknown_kappa { SL_UNKNOWN_BOUND, SL_UNKNOWN_FORBID, SL_UNKNOWN_NUMBER };
enum sl_corner { SL_CORNER_PESSIMISTIC, SL_CORNER_OPTIMISTIC };

/* One row of a table: kappa of `victim` given the sorted multiset `set` of class indices. */
struct sl_kappa_row {
    uint32_t victim;
    uint32_t set_size;
    const uint32_t *set;
    double kappa, lo, hi; /* lo = hi = kappa where the row has no interval */
    struct sl_place place;
};

/* Demand of a class on a link of the `bandwidth` rule: fraction of the link's capacity 1. */
struct sl_kappa_demand {
    uint32_t klass, link;
    double fraction;
};

struct sl_kappa {
    const char *rule_name;
    const struct sl_kappa_rule *rule;
    enum sl_unknown_kappa unknown;
    double unknown_value;      /* with SL_UNKNOWN_NUMBER */
    struct sl_names classes;   /* class name -> index; shared with the graph's nodes */
    struct sl_kappa_row *rows; /* pairs and sets */
    uint32_t row_count, row_capacity;
    struct sl_kappa_demand *demands;
    uint32_t demand_count, demand_capacity;
    struct sl_names links;
    double largest; /* largest kappa of the table, 1 without one: the pessimistic corner */
    /* Made by sl_kappa_prepare: */
    double *pair;      /* class x class, NAN where unknown: kappa(row | column) */
    struct sl_kappa_set_entry *sets; /* uthash over (victim, set) */
};

/* A composition rule: one file kappa_NAME.c ending in this struct. */
struct sl_kappa_rule {
    const char *name, *description, *example;
    /* kappa of `victim` given `counts[c]` others of each of `class_count` classes (the victim
     * itself not counted), unknown pairs replaced by `unknown`.  At least 1; 1 for no others.
     * `pair` is the class x class matrix (NAN: unknown). */
    double (*compose)(const struct sl_kappa *kappa, uint32_t victim, const uint32_t *counts,
                      double unknown);
    bool uses_pairs; /* false: needs no pair evidence (bandwidth) */
};

size_t sl_kappa_rule_count(void);
const struct sl_kappa_rule *sl_kappa_rule_get(size_t index);
const struct sl_kappa_rule *sl_kappa_rule_find(const char *name);

/* Reads a kappa.csv (the calibration format, or a hand-written one with victim,set,kappa alone)
 * into `kappa`, adding class names as needed.  Values below 1 count as 1 with a warning; two rows
 * for one (victim, set) are an error.  From a calibrated table only rows with mode share, status
 * ok and the declared shape and regime are taken (NULL: any single one; several: an error). */
enum sl_status sl_kappa_read_table(struct sl_kappa *kappa, const char *path, const char *shape,
                                   const char *regime, struct sl_arena *arena,
                                   struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;

/* Builds the pair matrix and the set index; call once after all rows are in. */
enum sl_status sl_kappa_prepare(struct sl_kappa *kappa, struct sl_arena *arena,
                                struct sl_error *err) SL_NODISCARD;

/* kappa of `victim` given the others' class counts, at a corner for unknown pairs.  *hypothetical
 * is set to true (never cleared) when an unknown pair entered.  Set rows win over composition. */
double sl_kappa_eval(const struct sl_kappa *kappa, uint32_t victim, const uint32_t *counts,
                     enum sl_corner corner, bool *hypothetical);

/* True when the pair has no evidence and the rule needs it: SL_UNKNOWN_FORBID keeps such nodes
 * apart. */
bool sl_kappa_unknown_pair(const struct sl_kappa *kappa, uint32_t a, uint32_t b);
/* True when every kappa is 1 whatever runs, so that contention arithmetic can be left out. */
bool sl_kappa_is_trivial(const struct sl_kappa *kappa);
#endif
