/* One session of measuring: all cases that can be measured, in an order drawn by the seed.
 *
 *     1. prepare every work, then run each case until something is known of it: how long its victim
 *        takes alone, how much it is slowed down, whether the aggressors cover it;
 *     2. works alone, in rounds: each round takes every case once, in an order of its own;
 *     3. blocks of contention cases and of the A/A control, all shuffled: alone, beside, beside,
 *        alone, so that a steady drift cancels within a block.
 *
 * Aggressors get units for 1.5 x (estimated kappa) x (time alone); where that covered too little,
 * for twice as long from then on.  A shot that is rejected is taken again, SL_RETAKES times at most,
 * no more often per case than the case has pairs, and not when the session's time would not suffice
 * for the rest; all are kept. */
#ifndef SL_PROTOCOL_H
#define SL_PROTOCOL_H
#include "case.h"
#include "measurement.h"

enum {
    SL_RETAKES = 4,
    SL_ALONE_LEAST = 10,      /* shots of a work alone, however long it takes */
    SL_BLOCKS_LEAST = 3,      /* of a contention case, however long they take */
    SL_OTHER_TIMER_EVERY = 5, /* every so many rounds ask for the backend's other timer */
};

/* How much is measured. */
struct sl_depth {
    const char *name;     /* "quick" */
    uint32_t sessions;    /* each a process of its own */
    uint32_t blocks;      /* of a contention case in a session: two pairs each */
    uint32_t alone_shots; /* of a work alone in a session, at most ... */
    int64_t alone_ns;     /* ... and no more than take so long together */
    double session_s; /* that a session may take: on a slow machine there is less of all; 0: any */
};
extern const struct sl_depth sl_depth_quick, sl_depth_full;

/* Where a session stands. */
struct sl_session_state {
    uint32_t cases;             /* that are measured */
    uint64_t shots, shots_done; /* retakes aside */
    double seconds_left;        /* estimated from warm-up and from how long it took so far */
    double share;               /* of what the depth says that fits the session\'s time; 1: all */
};
/* Called when the warm-up is over and after each shot; false: stop. */
typedef bool (*sl_session_watcher)(void *user, const struct sl_session_state *state);

struct sl_session_request {
    const struct sl_backend *backend;
    struct sl_bench *bench; /* opened by the caller */
    const struct sl_case_list *cases;
    const struct sl_depth *depth;
    uint64_t seed;    /* of the calibration */
    uint32_t session; /* from 1 */
    sl_session_watcher watch;
    void *user;
};

/* A growing array; free(items).  Regimes live as long as the bench. */
struct sl_measurements {
    struct sl_measurement *items;
    uint32_t count, capacity;
};

/* Runs a session and appends its measurements in the order of time.  SL_INTERRUPTED when the
 * watcher stops it, else what the backend says, with the case's key in front. */
enum sl_status sl_session_measure(const struct sl_session_request *request,
                                  struct sl_measurements *measured,
                                  struct sl_error *err) SL_NODISCARD;
/* The seed of one session: also of its bench. */
uint64_t sl_session_seed_of(uint64_t seed, uint32_t session);
/* For how long aggressors get units: `isolated_ns` alone, `kappa` as estimated, `widen` after
 * failures.  Of a partial overlap p the victim takes T with p T / kappa + (1 - p) T = isolated, and
 * p T is covered. */
int64_t sl_cover_ns(double isolated_ns, double kappa, double overlap, double widen);
#endif
