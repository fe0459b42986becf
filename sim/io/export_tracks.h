/* Slices of a trial on tracks: each resource has as many as it had works at once, and no two slices
 * of a track overlap. */
#ifndef SL_EXPORT_TRACKS_H
#define SL_EXPORT_TRACKS_H
#include "exporter.h"

struct sl_slice {
    uint32_t run, node;
    uint32_t resource; /* number of resources: it holds none */
    uint32_t track;    /* from 0 */
    int64_t start_ps, end_ps;
};

/* The slices of the trial that touch the stretch, by resource and start: a run's hold of each
 * resource that it demands, or of none from start to finish.  Owned by the arena. */
enum sl_status sl_export_slices(const struct sl_export *what, struct sl_arena *arena,
                                struct sl_slice **slices, uint32_t *count,
                                struct sl_error *err) SL_NODISCARD;
#endif
