/* manifest.json: what a results folder was made from, and by which command. */
#ifndef SL_MANIFEST_H
#define SL_MANIFEST_H
#include "frame.h"
#include "results.h"

/* A manifest read back.  Texts are owned by the arena. */
struct sl_manifest {
    struct sl_arena arena;
    bool finished;
    const char *version, *scenario, *seed, *metric, *baseline, *busy;
    const char *folder, *command;    /* of the scenario, and that made the results; may be NULL */
    const char *folder_from_results; /* the folder seen from the results; NULL: not known */
    uint32_t trials;
    uint32_t cells; /* in the folder; of a finished one */
    double tail_quantile;
    const char **settings, **policies, **axes, **domains;
    uint32_t setting_count, policy_count, axis_count, domain_count;
    const char **input_paths, **input_hashes;
    uint32_t input_count;
};

/* Writes DIR/manifest.json whole.  `cells` is the number of cells in the folder. */
enum sl_status sl_manifest_write(const char *dir, const struct sl_results_request *request,
                                 bool finished, uint32_t cells, struct sl_error *err) SL_NODISCARD;
/* Reads DIR/manifest.json; SL_INVALID when it is absent or none.  sl_manifest_free releases in
 * every case. */
enum sl_status sl_manifest_read(struct sl_manifest *manifest, const char *dir,
                                struct sl_error *err) SL_NODISCARD;
/* SL_INVALID unless `summary`, the finished folder's summary.csv, has each of its cells once. */
enum sl_status sl_manifest_has_cells(const struct sl_manifest *manifest, const char *dir,
                                     const struct sl_frame *summary,
                                     struct sl_error *err) SL_NODISCARD;
/* Whether the folder has one. */
bool sl_manifest_is_there(const char *dir);
void sl_manifest_free(struct sl_manifest *manifest);
/* SL_USAGE with the first thing in which the request differs from the manifest. */
enum sl_status sl_manifest_matches(const struct sl_manifest *manifest,
                                   const struct sl_results_request *request,
                                   struct sl_error *err) SL_NODISCARD;
#endif
