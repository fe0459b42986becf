/* The device folder of a calibration: durations.csv, shared.csv, fits.csv, kappa.csv, composition.csv,
 * samples.csv, empirical/, device.yaml. */
#ifndef SL_TABLES_H
#define SL_TABLES_H
#include "estimate.h"

#define SL_TABLES_SCHEMA 1

/* Where the measurements come from: the head of every table. */
struct sl_provenance {
    const struct sl_backend *backend;
    const struct sl_bench_layout *layout;
    const struct sl_fingerprint *fingerprint;
    uint64_t seed;
    const char *start; /* "2026-11-30T08:15:00Z" */
};

/* Writes all files or none: each is written beside its final name first, and only when all are
 * whole are they renamed, device.yaml last.  Samples in empirical/ that no table names any more go.
 * `dir` is made where it is not there; the device has its last part as its name. */
enum sl_status sl_tables_write(const char *dir, const struct sl_estimates *estimates,
                               const struct sl_provenance *provenance,
                               struct sl_error *err) SL_NODISCARD;
#endif
