/* Contention: kappa(i|S), the slowdown of class i while the multiset S of other classes runs.
 *
 * A table holds measured pairs and sets; a composition rule (kappa_rules.def, one file each) gives
 * the rest.  A set row applies only to the exact multiset.  Composed kappa is at least 1. */
#ifndef SL_KAPPA_H
#define SL_KAPPA_H
#include "arena.h"
#include "known.h"
#include "text.h"

enum sl_unknown_kappa { SL_UNKNOWN_BOUND, SL_UNKNOWN_FORBID, SL_UNKNOWN_NUMBER };
enum sl_corner { SL_CORNER_PESSIMISTIC, SL_CORNER_OPTIMISTIC };

/* One row of a table: kappa of `victim` given the sorted multiset `set` of class indices. */
struct sl_kappa_row {
    uint32_t victim;
    uint32_t set_size;
    const uint32_t *set;
    double kappa, lo, hi; /* lo = hi = kappa where the row has no interval */
    const char *evidence; /* "assumed: datasheet"; NULL: none is stated */
    struct sl_place place;
};

static inline struct sl_known sl_kappa_known(const struct sl_kappa_row *row)
{
    return (struct sl_known){row->kappa, row->lo, row->hi};
}

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
    const char *regime; /* of the table's rows; NULL: they state none */
    struct sl_kappa_demand *demands;
    uint32_t demand_count, demand_capacity;
    struct sl_names links;
    double largest; /* largest kappa of the table, 1 without one: the pessimistic corner */
    struct sl_kappa_set_entry *sets; /* uthash over (victim, set), pairs included */
    uint32_t set_max;                /* size of the largest set */
    /* Made by sl_kappa_prepare: */
    double *pair;         /* pair_count x pair_count, NAN where unknown: kappa(row | column) */
    uint32_t pair_count;  /* classes known to `pair`; 0 without rows */
    uint32_t *demand_first; /* demands of class c: [demand_first[c], demand_first[c+1]) */
    uint32_t demand_classes;
};

enum {
    SL_KAPPA_SET_MAX = 64,    /* members of a measured set */
    SL_KAPPA_CLASS_MAX = 4096, /* classes of a scenario that has kappa rows */
    SL_KAPPA_LINK_MAX = 64,   /* links of the bandwidth rule */
};
#define SL_KAPPA_MAX 1e9 /* larger table values are refused */

struct sl_kappa_crowd;
/* A composition rule: one file kappa_NAME.c ending in this struct. */
struct sl_kappa_rule {
    const char *name, *description, *example;
    /* kappa of `victim` given `counts[c]` others of each of `class_count` classes (the victim
     * itself not counted), unknown pairs replaced by `unknown`.  At least 1; 1 for no others.
     * `pair` is the class x class matrix (NAN: unknown). */
    double (*compose)(const struct sl_kappa *kappa, uint32_t victim, const uint32_t *counts,
                      double unknown);
    /* The same for a whole crowd (kappa_crowd.h), to the last bit: kappa[k] of each class of which
     * counts[k] > 0 run.  NULL: nothing is gained over one by one. */
    void (*compose_crowd)(const struct sl_kappa_crowd *crowd, const uint32_t *counts,
                          double *kappa);
    bool uses_pairs; /* false: needs no pair evidence (bandwidth) */
};

size_t sl_kappa_rule_count(void);
const struct sl_kappa_rule *sl_kappa_rule_get(size_t index);
const struct sl_kappa_rule *sl_kappa_rule_find(const char *name);

/* Reads a kappa.csv (the calibration format, or a hand-written one with victim,set,kappa alone)
 * into `kappa`, adding class names as needed.  Values below 1 count as 1 with a warning
 * ("kappa-below-one"); two rows for one (victim, set) are an error ("duplicate-kappa").  From a
 * calibrated table only rows with mode share, a usable status and the declared shape and regime are taken
 * (NULL: any single one; several: an error); a column that is absent or empty filters nothing.
 * Faults of the content go to `diags`. */
enum sl_status sl_kappa_read_table(struct sl_kappa *kappa, const char *path, const char *shape,
                                   const char *regime, struct sl_arena *arena,
                                   struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;

/* Adds one measured row; `set` is sorted and copied into the arena.  Clamping, duplicates and bad
 * values as in sl_kappa_read_table. */
enum sl_status sl_kappa_add_row(struct sl_kappa *kappa, struct sl_kappa_row row,
                                struct sl_arena *arena, struct sl_diags *diags,
                                struct sl_error *err) SL_NODISCARD;

/* The row of `victim` beside one node of class `other`, NULL without one; before sl_kappa_prepare
 * too. */
const struct sl_kappa_row *sl_kappa_pair_row(const struct sl_kappa *kappa, uint32_t victim,
                                             uint32_t other);

/* Sorts the demands and builds the pair matrix and what else sl_kappa_eval needs; call once after
 * all rows, demands and classes are in.  Without a rule, additive. */
enum sl_status sl_kappa_prepare(struct sl_kappa *kappa, struct sl_arena *arena,
                                struct sl_error *err) SL_NODISCARD;

/* Makes *scaled a table whose row r is factors[r] times that of `kappa`, its interval too, clipped to
 * [1, SL_KAPPA_MAX].  What is made of the rows, `largest` and `pair`, follows.  It shares the rest
 * with `kappa`, which must outlive it, and is not freed; its own arrays are in the arena. */
enum sl_status sl_kappa_scale(struct sl_kappa *scaled, const struct sl_kappa *kappa,
                              const double *factors, struct sl_arena *arena,
                              struct sl_error *err) SL_NODISCARD;

/* Frees what sl_kappa owns outside the arena: index, rows, demands, names. */
void sl_kappa_free(struct sl_kappa *kappa);

/* kappa of `victim` given `counts[c]` others of each of kappa->classes, at a corner for unknown
 * pairs.  *hypothetical is set to true (never cleared) when an unknown pair entered, except where
 * the scenario has no evidence at all and states a number instead.  Set rows win over composition.
 * Reentrant; does not allocate. */
double sl_kappa_eval(const struct sl_kappa *kappa, uint32_t victim, const uint32_t *counts,
                     enum sl_corner corner, bool *hypothetical);

/* True when the pair has no evidence and the rule needs it: SL_UNKNOWN_FORBID keeps such nodes
 * apart. */
bool sl_kappa_unknown_pair(const struct sl_kappa *kappa, uint32_t a, uint32_t b);
/* True when the table has rows, or the rule (bandwidth) needs none.  Without evidence every overlap
 * of two nodes with classes in one group is hypothetical, unless unknown_kappa is a number. */
bool sl_kappa_has_evidence(const struct sl_kappa *kappa);
/* kappa(a | b) of the table, `unknown` where it has none. */
double sl_kappa_pair(const struct sl_kappa *kappa, uint32_t a, uint32_t b, double unknown);
/* What an unknown pair counts as, at a corner. */
double sl_kappa_stand_in(const struct sl_kappa *kappa, enum sl_corner corner);
/* True when every kappa is 1 whatever runs, so that contention arithmetic can be left out. */
bool sl_kappa_is_trivial(const struct sl_kappa *kappa);
#endif
