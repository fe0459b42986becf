/* The machine: resources, capacity domains, routes and API costs, from a device folder and from a
 * scenario's own sections (which add to or override the device, field by field). */
#ifndef SL_PLATFORM_H
#define SL_PLATFORM_H
#include "batching.h"
#include "dist.h"
#include "factor.h"
#include "kappa.h"
#include "text.h"
#include "yamldoc.h"

/* Order of a waiting list; the values are the order in which lists are scanned.  ISSUE is the order
 * of submission (node index) with a blocked head blocking the engine: the default of a resource
 * that a route names. */
enum sl_order { SL_ORDER_FIFO, SL_ORDER_PRIORITY, SL_ORDER_EDF, SL_ORDER_SJF, SL_ORDER_CRITICAL_PATH,
                SL_ORDER_ISSUE };
enum sl_admission { SL_BACKFILL, SL_STRICT };

#define SL_UNLIMITED UINT32_MAX
#define SL_MOST_ROUTES 4096 /* they are searched one by one */

struct sl_resource {
    uint32_t servers; /* SL_UNLIMITED allowed */
    enum sl_order order;
    bool order_given;
    enum sl_admission admission;
    int64_t aging_ps; /* waiting time that raises priority by one; 0: none */
    uint64_t groups;  /* bit g: belongs to contention group g; 0: feels no contention */
    struct sl_batching batch;
    struct sl_place place;
};

struct sl_domain {
    int64_t capacity, reserve; /* bytes; capacity < 0: not declared, nothing is limited */
    bool reserve_given;
    int64_t rounding;                   /* object bytes are rounded up to this; 1 by default */
    const struct sl_dist *fragmentation; /* reserved = allocated x draw per trial; NULL: 1 */
    struct sl_place place, capacity_place;
};

/* Buckets of a pool through which the copies of a route pass. */
struct sl_staging {
    uint32_t domain; /* the pool; SL_NONE: copies pass through none */
    int64_t bucket;  /* bytes */
    int64_t buckets; /* that one copy takes, at most */
    double fill;     /* bytes per second into or out of a bucket beside the engine; 0: no time */
    struct sl_place place;
};

struct sl_route {
    uint32_t from, to; /* domains */
    uint32_t resource;
    uint32_t klass;           /* class index in the platform's kappa.classes, SL_NONE: none */
    double bandwidth;         /* bytes per second */
    int64_t overhead_ps;      /* occupies the engine, per chunk */
    int64_t latency_ps;       /* pipelined: after the engine is free again */
    int64_t chunk;            /* bytes, 0: one chunk */
    bool pipeline;            /* moves of policies are submitted chunk by chunk */
    struct sl_staging staging;
    const struct sl_dist *noise; /* dimensionless multiplier; NULL: 1 */
    const char *evidence; /* NULL: none */
    struct sl_place place;
};

/* Declared cost of a derived allocation, mapping or reclamation in a domain. */
struct sl_api_cost {
    enum { SL_COST_ALLOCATION, SL_COST_MAPPING, SL_COST_RECLAMATION } what;
    uint32_t domain;            /* SL_NONE: every domain */
    uint32_t resource;          /* SL_NONE: none */
    const struct sl_dist *duration;
    const char *evidence; /* NULL: none */
    struct sl_place place;
};

/* A row of durations.csv: what a class costs at a size. */
struct sl_duration_row {
    uint32_t klass;
    const char *variant;     /* "bf16"; "" where the row does not state one */
    double size_bytes, flop; /* NAN where the row does not state it */
    const struct sl_dist *dist;
    struct sl_known factor; /* on the duration: 1, and the interval of its median over that median */
    uint32_t sessions;      /* of which that interval is made; 0: not stated */
    double launch_latency_ns; /* median from the call to its start; NAN: not stated */
    const char *evidence;
    struct sl_place place;
};

struct sl_platform {
    const char *device_name; /* NULL without a device */
    const char *device_dir;
    struct sl_names resource_names, domain_names, group_names;
    struct sl_resource *resources;
    struct sl_domain *domains;
    uint32_t resource_capacity, domain_capacity;
    struct sl_route *routes;
    uint32_t route_count, route_capacity;
    struct sl_api_cost *costs;
    uint32_t cost_count, cost_capacity;
    struct sl_duration_row *durations;
    uint32_t duration_count, duration_capacity;
    struct sl_factors factors; /* the device's, then the scenario's own */
    struct sl_kappa kappa;
    const char **input_files; /* every file read, for the manifest; owned by the arena */
    uint32_t input_count, input_capacity;
};

/* A domain gives bytes out in multiples of `unit`; 0 or 1: as many as are asked for. */
static inline int64_t sl_rounded_bytes(int64_t bytes, int64_t unit)
{
    return unit <= 1 || bytes % unit == 0 ? bytes : bytes + (unit - bytes % unit);
}

/* Loads a device folder into `platform` (device.yaml, and durations.csv and kappa.csv if there),
 * as a scenario without sections of its own sees it.  A scenario's loader uses the two steps of
 * device.h instead, because its `kappa` section decides which rows of the table are taken. */
enum sl_status sl_device_load(struct sl_platform *platform, const char *dir, struct sl_arena *arena,
                              struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* Reads the sections `resources`, `domains`, `routes`, `costs` of a device or a scenario.  Absent
 * (NULL) sections are fine. */
enum sl_status sl_platform_read(struct sl_platform *platform, const struct sl_yaml *map,
                                const char *base_dir, struct sl_arena *arena,
                                struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* Faults that only the merged sections show ("capacity-below-reserve"). */
void sl_platform_check(const struct sl_platform *platform, struct sl_diags *diags);
/* Resources named by a route and without an explicit order become SL_ORDER_ISSUE; call last. */
void sl_platform_settle(struct sl_platform *platform);
/* The route between two domains; NULL: there is none, or an end is SL_NONE. */
const struct sl_route *sl_platform_route(const struct sl_platform *platform, uint32_t from,
                                         uint32_t to);
/* Pieces of a copy, of which each has the route's overhead: chunks, and no more than a bucket each. */
int64_t sl_route_pieces(const struct sl_route *route, int64_t bytes);
/* Time for which a copy holds the route's engine, ps, without noise: of n pieces,
 *
 *     n x overhead + bytes / bandwidth
 *
 * and with a rate of filling, b the engine's time and a the filling's of one piece: n (a + b) through
 * one bucket, where they take turns, and a + b + (n - 1) max(a, b) through more. */
double sl_route_hold(const struct sl_platform *platform, const struct sl_route *route, int64_t bytes);
/* Buckets that a copy of `bytes` takes: as many as it has pieces, as the route allows it and as the
 * pool has; 0: it passes through none. */
int64_t sl_route_buckets(const struct sl_platform *platform, const struct sl_route *route,
                         int64_t bytes);
/* True when a duration or a kappa is known by an interval of some width. */
bool sl_platform_has_intervals(const struct sl_platform *platform);
/* Records a file for the manifest; false when out of memory. */
bool sl_platform_note_input(struct sl_platform *platform, const char *path,
                            struct sl_arena *arena) SL_NODISCARD;
void sl_platform_free(struct sl_platform *platform);

/* Where `work` stands among the rows of its class: between two neighbouring sizes, at `share` of the
 * way from the lower one on a log scale (0 where both are one row). */
struct sl_work_rows {
    const struct sl_duration_row *below, *above;
    double share;
};
/* Reads and finds it; the faults are those of sl_work_duration. */
enum sl_status sl_work_find(const struct sl_platform *platform, uint32_t klass, const char *work,
                            struct sl_place place, struct sl_work_rows *rows,
                            struct sl_error *err) SL_NODISCARD;
/* The duration of `work` ("gemm(m=.., n=.., k=.., dtype=bf16)", "flops=7.2TFLOP, bytes=1.1GB",
 * "bytes=.., dtype=..") for a class, from the platform's duration rows: log-log interpolation
 * between the two neighbouring sizes, never outside the measured range.  A dtype takes the rows of
 * that variant (and those without one); without it the class must have been measured as one.
 * *dist is the shape of the nearer row and *scale the factor on it, so that dist x scale is the
 * duration in ps. */
enum sl_status sl_work_duration(const struct sl_platform *platform, uint32_t klass, const char *work,
                                struct sl_place place, const struct sl_dist **dist, double *scale,
                                struct sl_error *err) SL_NODISCARD;
#endif
