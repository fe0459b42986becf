/* The file that the script backend plays: a machine whose truth is written down.
 *
 * YAML, with the sections `resources`, `domains` and `routes` of a device.  See
 * slackline-calibrate(1) for its keys; tests/fixtures/calibrate has examples. */
#ifndef SL_SCRIPT_FILE_H
#define SL_SCRIPT_FILE_H
#include "backend.h"
#include "platform.h"

enum {
    SL_SCRIPT_CLASSES_MAX = 64,
    SL_SCRIPT_REGIMES_MAX = 4,
    SL_SCRIPT_TROUBLES_MAX = 256,
    SL_SCRIPT_ROWS_MAX = 4096,
};

/* A work of b bytes takes (overhead + b / bandwidth) x the form's factor x a draw of noise. */
struct sl_script_class {
    double overhead_ns, bytes_per_s;
    const double *form_factors;
    const struct sl_dist *noise; /* NULL: 1 */
    int64_t launch_ns;           /* from submission to start */
    bool stamps;                 /* the work stamps its own begin and end */
};

/* A planted slowdown of a victim beside exactly this set. */
struct sl_script_row {
    uint32_t victim;
    struct sl_kappa_row kappa;
    int shape;          /* enum sl_work_shape, -1: either */
    uint32_t regime;    /* SL_NONE: any */
    double exec;        /* of the work's own stamps; NAN: as kappa */
    int64_t delay_ns;   /* how much later than alone the victim starts */
    bool queues;        /* the victim starts behind the last unit */
    double co_resident; /* NAN: not known */
};

enum sl_script_trouble_kind {
    SL_TROUBLE_GATE_TIMEOUT,
    SL_TROUBLE_DROPPED,
    SL_TROUBLE_STRAY,
    SL_TROUBLE_NO_VICTIM,
    SL_TROUBLE_DUPLICATE,
    SL_TROUBLE_ZERO_TIME,
    SL_TROUBLE_CLOCK_STEP,
    SL_TROUBLE_PREEMPTED,
    SL_TROUBLE_SENTINEL,
    SL_TROUBLE_LATE,         /* aggressors begin in the victim's midst */
    SL_TROUBLE_GAP,          /* a unit in the victim's midst is missing */
    SL_TROUBLE_OVERLAP,      /* units overlap: harmless */
    SL_TROUBLE_OUT_OF_ORDER, /* harmless */
    SL_TROUBLE_THROTTLED,    /* flagged only */
    SL_TROUBLE_OUTLIER,      /* the victim takes 20 times as long */
    SL_TROUBLE_REGIME,       /* from here on the next regime holds */
    SL_TROUBLE_LOST,         /* the device is: the session can't go on */
    SL_TROUBLE_KINDS
};

/* Happens at these shots, counted from 0 since the bench was opened, and at every `every`-th. */
struct sl_script_trouble {
    enum sl_script_trouble_kind kind;
    const uint32_t *at;
    uint32_t at_count, every; /* every 0: only `at` */
};

struct sl_script {
    struct sl_arena arena; /* owns all of it but the platform and the tables */
    struct sl_platform platform;
    struct sl_bench_layout layout;
    struct sl_fingerprint fingerprint;
    struct sl_work_class *classes;
    struct sl_script_class *truths; /* beside `classes` */
    uint32_t class_count;
    struct sl_script_row *rows;
    uint32_t row_count;
    /* By regime and shape: the rows that hold there, and the rule for other sets.  Class indices
     * are the script's. */
    struct sl_kappa tables[SL_SCRIPT_REGIMES_MAX][2];
    const struct sl_dist *drift; /* of each kappa, drawn once a session; NULL: 1 */
    const char *regimes[SL_SCRIPT_REGIMES_MAX];
    double sentinels_ns[SL_SCRIPT_REGIMES_MAX];
    uint32_t regime_count;           /* 0: no sentinel */
    int64_t start_ns, step_ns;       /* the clock's first reading; between two shots */
    const char *timer, *other_timer; /* other_timer NULL: there is one timer */
    double other_factor;             /* on what the other timer measures */
    struct sl_script_trouble *troubles;
    uint32_t trouble_count;
};

/* Reads `path` into *script, which the caller zero-initialises and frees in every case.  Faults are
 * SL_INVALID with their place. */
enum sl_status sl_script_read(struct sl_script *script, const char *path,
                              struct sl_error *err) SL_NODISCARD;
void sl_script_free(struct sl_script *script);
#endif
