/* The map of a sweep: which policy wins where, and where two of them break even. */
#ifndef SL_SWEEP_MAP_H
#define SL_SWEEP_MAP_H
#include "json_out.h"
#include "session.h"
#include "win_map.h"

/* Makes an opened map of judged cells: gives cells beside a boundary the trials that a race did not,
 * finds the break-evens, and halves each edge args.refine times by runs in between. */
enum sl_status sl_sweep_map_make(struct sl_map *map, const struct sl_session *session,
                                 const char *path, const struct sl_standings *standings,
                                 const struct sl_metric_store *store,
                                 struct sl_error *err) SL_NODISCARD;
/* A grid of winners per map, and the break-evens. */
void sl_report_map(FILE *out, const struct sl_session *session, const struct sl_map *map);
/* The same as the key "map" of the map that is open. */
void sl_report_map_json(yajl_gen gen, const struct sl_map *map);
#endif
