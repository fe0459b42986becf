/* A backend: a machine that runs shots.  One file backends/NAME.c ending in a `const struct
 * sl_backend` and one line of backends.def.
 *
 * A backend whose library was not there when it was built is in the registry too, with `missing`
 * saying how to get it.  A bench is a backend opened on this machine; it belongs to one thread. */
#ifndef SL_BACKEND_H
#define SL_BACKEND_H
#include "arena.h"
#include "work.h"

struct sl_bench; /* each backend's own */
struct sl_replay_plan;
struct sl_replay_log;

/* One "key=value" line of what a table was measured on. */
struct sl_fact {
    const char *key, *value;
};

/* What of the fingerprint makes a table another machine's: a table with another value is refused.
 */
struct sl_fingerprint {
    struct sl_fact *facts;
    uint32_t count;
    uint32_t identity_count; /* the first so many of them (gpu_uuid, driver) must agree */
};

/* The machine's parts, for device.yaml; routes' bandwidth and overhead come from what is measured
 * of their class. */
struct sl_bench_resource {
    const char *name, *group; /* contention group */
    uint32_t servers;
};
struct sl_bench_domain {
    const char *name;
    int64_t capacity_bytes; /* below 0: not known */
};
struct sl_bench_route {
    const char *from, *to, *resource, *klass;
};
struct sl_bench_layout {
    const struct sl_bench_resource *resources;
    const struct sl_bench_domain *domains;
    const struct sl_bench_route *routes;
    uint32_t resource_count, domain_count, route_count;
    uint32_t actors_max; /* victim and aggressors that truly run at once */
};

struct sl_bench_options {
    uint64_t seed;
    const char *script; /* of the script backend: the file it plays; NULL elsewhere */
    uint32_t device;    /* ordinal of the GPU */
};

struct sl_backend {
    const char *name, *description;
    const char *missing; /* NULL: built in; else why not and how to get it */
    /* SL_SYSTEM with one clear line where the machine has no such device; *bench is NULL then.
     * Texts and arrays that the other functions return live until `close`. */
    enum sl_status (*open)(struct sl_bench **bench, const struct sl_bench_options *options,
                           struct sl_error *err);
    void (*close)(struct sl_bench *bench);
    const struct sl_work_class *(*classes)(const struct sl_bench *bench, uint32_t *count);
    const struct sl_bench_layout *(*layout)(const struct sl_bench *bench);
    const struct sl_fingerprint *(*fingerprint)(const struct sl_bench *bench);
    /* Allocates and touches what shots with this work need, and runs it until it is warm, so that
     * nothing is loaded for the first time behind a gate. */
    enum sl_status (*prepare)(struct sl_bench *bench, const struct sl_work *work,
                              struct sl_error *err);
    /* Runs one shot, also between repetitions of a replay.  What a machine does (drops, a gate's
     * timeout, odd clocks) goes into the log for the judge; an error means that measuring can't go
     * on.  NULL: the backend can only replay. */
    enum sl_status (*shoot)(struct sl_bench *bench, const struct sl_shot *shot,
                            struct sl_shot_log *log, struct sl_error *err);
    /* Makes *work one of the pieces of equal length, done one right behind the other, that take its
     * time where the backend does no work so large at once, and returns their number.  NULL: it
     * does any. */
    uint64_t (*cut)(const struct sl_bench *bench, struct sl_work *work);
    /* Sets up a plan that is replayed, before its first repetition, and refuses by name what this
     * machine has no room for.  The plan outlives its repetitions.  NULL: there is nothing to do. */
    enum sl_status (*stage)(struct sl_bench *bench, const struct sl_replay_plan *plan,
                            struct sl_error *err);
    /* Executes a plan once, whose works are prepared and which is set up; the contract of errors is
     * that of `shoot`.  NULL: the backend can't. */
    enum sl_status (*replay)(struct sl_bench *bench, const struct sl_replay_plan *plan,
                             struct sl_replay_log *log, struct sl_error *err);
    /* The name of the regime that a sentinel's time belongs to; "" where there is one regime. */
    const char *(*regime)(const struct sl_bench *bench, double sentinel_ns);
};

size_t sl_backend_count(void);
const struct sl_backend *sl_backend_get(size_t index);
/* NULL: there is none of that name. */
const struct sl_backend *sl_backend_find(const char *name);
#endif
