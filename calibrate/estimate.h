/* What a calibration's measurements say: pure functions of them, no clock and no file.
 *
 * Sessions are the unit of evidence.  Within one the machine stays as it is, so that an interval
 * made of its shots alone is too narrow; a figure's interval is Student's t over the sessions'
 * medians of logarithms, which are independent.  (A bootstrap over 3 sessions would cover 73% where
 * 95% is said.) Figures of different regimes are never mixed: each regime has rows of its own. */
#ifndef SL_ESTIMATE_H
#define SL_ESTIMATE_H
#include "case.h"
#include "fit.h"
#include "measurement.h"
#include "quantile.h"

/* What was measured, all sessions together, in any order.  A case that is waived has no items.
 * Session numbers are at most SL_SESSIONS_MOST. */
struct sl_measured {
    const struct sl_case_list *cases;
    const struct sl_measurement *items;
    size_t count;
};

enum {
    SL_SESSION_SHOTS = 5,  /* a session with fewer usable values is not counted */
    SL_SESSIONS_LEAST = 2, /* that count, for an interval */
    SL_SESSIONS_MOST = 4096,
};
#define SL_CONFIDENCE 0.95

/* What a row's figures are worth; simulators take rows that are `ok` only. */
enum sl_row_status {
    SL_ROW_OK,
    SL_ROW_ONE_SESSION, /* a figure without an interval */
    SL_ROW_TOO_FEW,     /* no session with enough usable values */
    SL_ROW_REJECTED,    /* not one shot was usable */
    SL_ROW_QUEUED,      /* of contention: they ran one after the other, so that there is no kappa */
    SL_ROW_OTHER_REGIME, /* of durations: not the regime in which the machine mostly was */
    SL_ROW_OTHER_TIMER,  /* of durations: timed a second time, to see what the first timer costs */
    SL_ROW_OTHER_FORM,   /* of durations: to simulators an earlier form is the same work */
    SL_ROW_STATUSES
};
const char *sl_row_status_name(enum sl_row_status status);

/* A median of logarithms over sessions: estimate.value is the median of all values; the limits are
 * the t interval over the medians of the sessions that count, widened to hold the value where it
 * doesn't, NAN below SL_SESSIONS_LEAST. */
struct sl_session_median {
    struct sl_estimate estimate;
    double sd;         /* of the sessions' medians; NAN below 2 */
    uint32_t n;        /* values */
    uint32_t sessions; /* that count */
};

struct sl_regime_count {
    const char *name;
    uint64_t shots; /* accepted */
};

/* What the durations of one class share.  Neighbours are two shots of works alone that begin within
 * SL_SHARED_WINDOW_NS of each other in one session, of different cases, both in the dominant regime
 * and of SL_SHARED_FLOOR_NS at least: shorter ones vary by their start and by the clock.  With x = ln
 * of a duration over the median of its case in its session, clipped at +-SL_SHARED_CLIP (so that an
 * interruption of one shot does not pass for a state of the machine), the covariance of classes a and
 * b in a session is
 *
 *     C_ab = mean of x_a x_b over neighbours of these classes
 *
 * and its mean over the sessions has Student's t.  The noise that each shot has of its own has no part
 * in it, so that C_aa is the variance of what a class shares over times like the window, and which
 * does not average out in a sum of about twice that length (two moments of it are a third of it apart,
 * in the mean).  It counts where the one-sided limit is above 0 at a false-alarm rate of
 * SL_SHARED_ALARM over all classes (Holm). */
struct sl_shared_estimate {
    uint32_t klass;
    struct sl_estimate variance; /* C_aa, of ln; limits at SL_CONFIDENCE; NAN: not known */
    double total_sd;             /* of x, over all shots of the class that count */
    uint64_t pairs;              /* of neighbours of this class */
    uint32_t sessions;           /* with enough of them */
    bool counts;                 /* else nothing is taken as shared */
    /* C_aa in two parts, standard deviations of ln, 0 where it does not count: that of the factor
     * that is common to several classes (limits: jackknife over sessions), and the class's alone. */
    struct sl_estimate common_sd;
    double alone_sd;
};
#define SL_SHARED_WINDOW_NS 10000000
#define SL_SHARED_FLOOR_NS  100000
#define SL_SHARED_CLIP      0.5
#define SL_SHARED_ALARM     0.05

#define SL_FAR_OUT 10

struct sl_duration_estimate {
    uint32_t case_index; /* of kind ALONE */
    const char *regime, *timer;
    enum sl_row_status status;
    struct sl_estimate median_ns; /* limits over sessions; NAN below SL_SESSIONS_LEAST */
    double sd;                    /* between sessions, of the medians' logarithms */
    double *session_logs;         /* ln of the median by session number - 1; NAN: doesn't count */
    double *sorted_ns;            /* all accepted, ascending: none is dropped for being far out */
    /* What laws are fitted to.  With s^2 the variance that the class shares and t^2 that of ln of
     * this row (clipped as above), each value is drawn to the median, in its logarithm, by
     * sqrt(1 - s^2 / t^2): the factor gives it back, so that a single node varies as measured and
     * a sum does, too.  sorted_ns itself where nothing is shared. */
    double *own_ns;
    double shared_sd; /* s; 0: nothing */
    double own_share; /* that root; 1 where nothing is shared, 0 where s exceeds t */
    uint32_t n, sessions, rejected;
    uint32_t far; /* above SL_FAR_OUT times the median: kept */
    /* NAN where n is too small for their two-sided interval: below 72, 72, 368. */
    struct sl_estimate p05_ns, p95_ns, p99_ns;
    double launch_latency_ns, sm_mhz; /* medians; NAN: not known */
    double timer_factor;              /* median by this timer over that by the other one; NAN */
    double throttled;                 /* share */
    struct sl_fits fits;
};

/* Queueing is not slowdown: a start that others delay is no part of kappa.  Over the shots beside
 * others that have times, accepted or rejected for their coverage alone, with d the median of how
 * much later than alone the victim started and T its median time alone:
 *
 *     queue   d >= T/10, or d is not known, and others covered less than half of it: it waited for
 *             them instead of sharing
 *     mixed   d >= T/10, and others covered half of it or more: it waited, then shared
 *     share   else
 */
enum sl_contention_mode { SL_MODE_SHARE, SL_MODE_QUEUE, SL_MODE_MIXED };
const char *sl_contention_mode_name(enum sl_contention_mode mode);
#define SL_QUEUE_DELAY 0.1
#define SL_SHARE_COVER 0.5

/* One case of contention in one regime.  Factors, not logarithms. */
struct sl_kappa_estimate {
    uint32_t case_index;
    const char *regime;
    enum sl_row_status status;
    enum sl_contention_mode mode;
    /* As tables state it: `raw`, or 1 where |raw - 1| is under the control's bound; the interval
     * then holds both, and the raw one. */
    struct sl_estimate kappa;
    struct sl_estimate raw;
    bool is_one;             /* by that bound */
    double ratio_of_medians; /* secondary; NAN without pairs */
    double exec;             /* kappa by the work's own stamps; NAN: none */
    double start_delay_ns;   /* median of how much later than alone it started; NAN: not known */
    double co_resident;      /* median; NAN: not known */
    double sd;               /* between sessions, of log kappa */
    double coverage_least, coverage_median; /* of the accepted shots */
    double throttled;                       /* share */
    double *session_logs; /* median log-ratio by session number - 1; NAN: doesn't count */
    uint32_t pairs, rejected, sessions;
};

/* The A/A control of one class in one regime: how far from 1 nothing at all may look. */
struct sl_control_estimate {
    uint32_t klass;
    const char *regime;
    struct sl_session_median log_ratio;
    double bound; /* the interval's farther end from 1, as a distance; NAN without an interval */
};

/* How well one composition rule predicts the sets from the pairs, as a simulator would, in the
 * dominant regime: |ln(measured / predicted)| by set.  Of sets in which fewer than two pairs slow
 * the victim down all rules say the same: they tell nothing and are left out. */
struct sl_composition_estimate {
    const char *rule;
    const char *untested;           /* why not; NULL: it was tested */
    uint32_t sets;                  /* predicted */
    double median_error, p95_error; /* order statistics */
    double noise;                   /* median between-session sd of the sets' log kappa */
    double *errors;                 /* by set; NULL where untested */
    struct sl_estimate
        above_best; /* its median error less the best rule's; paired bootstrap of sets */
    bool accepted;  /* median_error <= SL_COMPOSITION_SLACK x noise */
};
#define SL_COMPOSITION_SLACK 1.5

/* Bandwidth and overhead of a route, from the durations of its class over sizes. */
struct sl_route_estimate {
    uint32_t klass;
    struct sl_estimate bytes_per_s, overhead_ns; /* limits over sessions; NAN: not had */
    double worst;                                /* largest relative residual of a size's median */
    uint32_t sizes;                              /* 0: nothing was measured */
    uint32_t largest;                            /* duration row of the largest size */
    double *factors;                             /* its durations over their median, ascending */
    struct sl_fits noise;                        /* of the factors */
};

struct sl_estimates {
    struct sl_arena arena; /* owns all of it; regimes are the measurements' own */
    const struct sl_measured *measured;
    uint32_t sessions, session_most; /* how many there are; the highest number */
    /* That occur, the dominant one first; where no shot is usable the first has no name. */
    struct sl_regime_count *regimes;
    uint32_t regime_count;
    uint64_t shots, rejects[SL_REJECT_COUNT]; /* rejects[SL_REJECT_NONE]: accepted */
    uint64_t throttled;                       /* accepted shots that were */
    uint64_t split_pairs;                     /* of accepted shots in two regimes: used nowhere */
    struct sl_shared_estimate *shared; /* one per class with neighbours, in the order of classes */
    uint32_t shared_count;
    struct sl_estimate correlation; /* mean over pairs of classes that count; NAN: none */
    bool is_common;                 /* it is above 0, so that one factor is common to classes */
    struct sl_duration_estimate *durations;
    uint32_t duration_count;
    struct sl_control_estimate *controls;
    uint32_t control_count;
    struct sl_kappa_estimate *kappas; /* pairs and sets */
    uint32_t kappa_count;
    struct sl_kappa_estimate *partials;
    uint32_t partial_count;
    struct sl_composition_estimate *rules; /* one of each registered rule */
    uint32_t rule_count;
    uint32_t best; /* index of the rule that tables name; SL_NONE: none was tested */
    const char
        *shape; /* of the aggressors whose rows are named: "room", "fill"; NULL: none has one */
    /* Partial overlap: a victim that others cover for a share f of its time beside them progresses
     * at 1/kappa meanwhile, so that it takes 1 / (1 - f (1 - 1/kappa)) times as long as alone. */
    struct sl_composition_estimate linear;
    struct sl_route_estimate *routes; /* one per class that has sizes */
    uint32_t route_count;
};

/* The own part of a duration: the median times (ns / median)^own_share. */
double sl_own_part(const struct sl_duration_estimate *row, double ns);
/* True when tables state the sample itself: simulators, or people, would read a law of the row, and
 * none is good. */
bool sl_duration_states_sample(const struct sl_duration_estimate *row);
/* True when the law that tables state has its p99 outside the interval of the p99 of what it was
 * fitted to; false where that is not known. */
bool sl_duration_tail_misses(const struct sl_duration_estimate *row);
/* What the class shares, a standard deviation of ln; 0: nothing that counts. */
double sl_shared_sd(const struct sl_estimates *estimates, uint32_t klass);
/* Half of an interval's width over its value; NAN without one. */
double sl_relative_width(struct sl_estimate estimate);

/* Fills *estimates, which the caller zero-initialises and frees in every case; `measured` must
 * outlive it.  SL_SYSTEM: out of memory. */
enum sl_status sl_estimate(struct sl_estimates *estimates, const struct sl_measured *measured,
                           struct sl_error *err) SL_NODISCARD;
void sl_estimates_free(struct sl_estimates *estimates);
#endif
