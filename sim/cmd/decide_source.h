/* What `slackline decide` decides from: a results folder with its manifest, or a scenario folder,
 * and the one point of the axes that is meant. */
#ifndef SL_DECIDE_SOURCE_H
#define SL_DECIDE_SOURCE_H
#include "decide.h"
#include "frame.h"
#include "manifest.h"
#include "session.h"

#define SL_MOST_AT 32

/* Zero-initialise, and set what is given; sl_decide_source_free releases. */
struct sl_decide_source {
    /* Given. */
    const char *path;           /* the operand */
    const char *folder;         /* of --scenario; NULL: as in the manifest */
    const char *at[SL_MOST_AT]; /* AXIS=VALUE */
    uint32_t at_count;
    const char *policy;         /* of --policy; NULL */
    struct sl_session *session; /* its args: --set of a scenario folder, --trials, --threads */

    bool is_results; /* else `path` is a scenario */
    struct sl_manifest manifest;
    struct sl_frame summary, winners; /* of a sweep's folder; no columns: it has none */
    const char *scenario;             /* its folder */
    const char **axis_paths;
    struct sl_yaml ***axis_values; /* by axis: those of the point, NULL-terminated */
    const char **point_texts; /* by axis: the chosen value; NULL of a policies' axis left open */
    uint32_t axis_count;
    struct sl_record_selection selection; /* texts in the session's arena; `tied` filled */
    const char **policy_axes;             /* of the selected cell, by axis; NULL: any */
    uint64_t seed;
    uint32_t trials;
};

/* Reads the folder, and what its manifest says into the session's args; loads the scenario once to
 * know its axes, and settles the point.  Errors are reported. */
enum sl_status sl_decide_source_open(struct sl_decide_source *source) SL_NODISCARD;
/* After the session is open: that the inputs are those of the folder.  SL_INVALID, naming the first
 * that is not. */
enum sl_status sl_decide_source_check(const struct sl_decide_source *source,
                                      struct sl_error *err) SL_NODISCARD;
/* Which policy is selected, and how. */
enum sl_status sl_decide_source_select(struct sl_decide_source *source,
                                       struct sl_error *err) SL_NODISCARD;
void sl_decide_source_free(struct sl_decide_source *source);
#endif
