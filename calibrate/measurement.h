/* One shot as it was judged, with its place in the protocol: what sessions write and estimators
 * read.
 *
 * A contention case is measured in ABBA blocks: alone, beside, beside, alone; the neighbours make
 * two pairs of a block.  A shot that is rejected is taken again in its place and both are kept. */
#ifndef SL_MEASUREMENT_H
#define SL_MEASUREMENT_H
#include "judge.h"

enum sl_measurement_role { SL_ROLE_ALONE, SL_ROLE_BESIDE };

struct sl_measurement {
    uint32_t session, seq;         /* session from 1; seq in the order of time within it */
    uint32_t case_index;           /* into the list of cases */
    uint32_t block;                /* of the case within the session */
    uint32_t pair;                 /* 0 or 1 within the block; 0 of cases measured alone */
    enum sl_measurement_role role; /* of a control, BESIDE is the second shot alone */
    bool other_timer;              /* the shot asked for the backend's second timer */
    int64_t begin_ns;              /* by the session's clock */
    const char *regime;            /* "" where there is one */
    struct sl_sample sample;
};
#endif
