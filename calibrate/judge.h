/* The judge: what one shot's records say, and why a shot is rejected.  Pure. */
#ifndef SL_JUDGE_H
#define SL_JUDGE_H
#include "work.h"

/* In the order in which they are tested: the first that holds is the one that is logged. */
enum sl_reject {
    SL_REJECT_NONE,
    SL_REJECT_GATE_TIMEOUT,
    SL_REJECT_DROPPED,    /* records were lost */
    SL_REJECT_STRAY,      /* a record of nobody who is in the shot */
    SL_REJECT_NO_VICTIM,  /* no record of the victim */
    SL_REJECT_DUPLICATE,  /* two records of one unit */
    SL_REJECT_ZERO_TIME,  /* a record without timing, a victim that took no time */
    SL_REJECT_CLOCK_STEP, /* an end before its start or a year after, a start before its submission
                           */
    SL_REJECT_PREEMPTED,  /* a thread at work was switched away */
    SL_REJECT_SENTINEL,   /* the machine's regime moved during the shot */
    SL_REJECT_COVERAGE,   /* aggressors covered less (or, of a partial overlap, other) than asked */
    SL_REJECT_COUNT
};
/* Stable, kebab-case: "clock-step"; "" for SL_REJECT_NONE. */
const char *sl_reject_name(enum sl_reject reject);
/* SL_REJECT_COUNT: there is none of that name. */
enum sl_reject sl_reject_find(const char *name);

struct sl_sample {
    int64_t submitted_ns, start_ns, end_ns; /* of the victim */
    double dur_ns;                          /* end - start; NAN: they are no interval */
    double exec_ns;                         /* by the work's own stamps; NAN: none */
    double start_delay_ns;                  /* start - submitted; NAN: not known */
    double coverage;    /* least share of the victim covered by one aggressor; 1 alone */
    double co_resident; /* NAN: not known */
    double sentinel_ns; /* mean of before and after; NAN: none */
    double sm_mhz;
    bool throttled;    /* flagged, not dropped */
    const char *timer; /* the log's; NULL: not known */
    enum sl_reject reject;
};

#define SL_COVERAGE_LEAST 0.99
/* Of a partial overlap, either way: steps of a quarter stay apart. */
#define SL_COVERAGE_SLACK 0.125
/* A sentinel that changes by more than this factor has moved. */
#define SL_SENTINEL_STEP 1.5

/* end - start; NAN when that is negative, or a year and more. */
double sl_interval_ns(int64_t start_ns, int64_t end_ns);

/* Of the sentinel's times before and after, in ns: their mean, NAN where one is not known; and
 * whether the machine's regime changed in between. */
double sl_sentinel_mean(double before, double after);
bool sl_sentinel_moved(double before, double after);
/* Judges one shot.  The log's records may come in any order; they are sorted. */
struct sl_sample sl_judge(const struct sl_shot *shot, struct sl_shot_log *log);
#endif
