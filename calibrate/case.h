/* The registry of cases: everything that a calibration measures, under stable keys.
 *
 *     alone:CLASS/FORM:BYTES       the work by itself             alone:copy.h2d/pinned:4194304
 *     control:CLASS                A/A: the victim beside nobody, twice
 *     pair:VICTIM|OTHER:SHAPE      kappa(victim | other)          pair:copy.h2d|gemm:room
 *     set:VICTIM|A+B:SHAPE         kappa(victim | {A, B})
 *     partial:VICTIM|OTHER:SHAPE:PERCENT   covered only in part: is slowdown linear in the cover?
 *
 * FORM joins the form's columns by '-'; a work that has none of them is alone:CLASS:BYTES.  SHAPE
 * is there where an aggressor is shaped. */
#ifndef SL_CASE_H
#define SL_CASE_H
#include "backend.h"

enum sl_case_kind {
    SL_CASE_ALONE,
    SL_CASE_CONTROL,
    SL_CASE_PAIR,
    SL_CASE_SET,
    SL_CASE_PARTIAL,
};

struct sl_case {
    const char *key;
    enum sl_case_kind kind;
    struct sl_shot shot; /* the concurrent one; of ALONE and CONTROL the victim alone */
    const char *waived;  /* why it can't be measured here; NULL: it can */
};

struct sl_case_list {
    struct sl_arena arena; /* owns the keys and the array */
    struct sl_case *cases;
    uint32_t count;
    const struct sl_work_class *classes; /* the backend's */
    uint32_t class_count;
};

/* Of what a list is made. */
struct sl_case_request {
    const struct sl_work_class *classes;
    uint32_t class_count;
    uint32_t actors_max; /* that truly run at once */
    uint64_t seed;       /* draws the sets and the partial overlaps */
    const char *globs;   /* ';'-separated: only keys that match one; NULL: all */
};

/* Lists the cases, waived ones too, in the order of the kinds; of each victim SL_CASES_SETS sets of
 * two, of SL_CASES_PARTIAL pairs three partial overlaps.  SL_USAGE when no key matches.
 * sl_case_list_free releases in every case. */
enum sl_status sl_case_list_make(struct sl_case_list *list, const struct sl_case_request *request,
                                 struct sl_error *err) SL_NODISCARD;
/* The key of a work alone, in the arena; NULL: out of memory. */
const char *sl_case_alone_key(const char *klass, const struct sl_work_form *form, int64_t bytes,
                              struct sl_arena *arena);
void sl_case_list_free(struct sl_case_list *list);
/* A hash of the keys and of which are waived: lists that agree in it are the same. */
uint64_t sl_case_list_hash(const struct sl_case_list *list);

enum { SL_CASES_SETS = 6, SL_CASES_PARTIAL = 4 };
#endif
