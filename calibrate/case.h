/* The registry of cases: everything that a calibration measures, under stable keys.
 *
 *     alone:CLASS/FORM:BYTES       the work by itself             alone:copy.h2d/pinned:4194304
 *     control:CLASS                A/A: the victim beside nobody, twice
 *     pair:VICTIM|OTHER:SHAPE      kappa(victim | other)          pair:gemm|copy.h2d:room
 *     set:VICTIM|A+B:SHAPE         kappa(victim | {A, B})
 *     partial:VICTIM|OTHER:SHAPE:PERCENT   covered only in part: is slowdown linear in the cover?
 */
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
#endif
