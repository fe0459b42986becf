/* What commands that read a trace share: its reading with progress, and a window of it. */
#ifndef SL_TRACE_INPUT_H
#define SL_TRACE_INPUT_H
#include "importer.h"

/* Reads the trace as sl_import does, with the progress on a terminal and warnings on stderr. */
enum sl_status sl_trace_read(const char *path, struct sl_timeline *timeline,
                             const struct sl_importer **importer,
                             struct sl_error *err) SL_NODISCARD;
/* FROM:TO, times from the trace's beginning; what is left out keeps its value.  SL_USAGE. */
enum sl_status sl_window_parse(const char *value, int64_t *from_ps, int64_t *to_ps,
                               struct sl_error *err) SL_NODISCARD;
/* The name of a file without its folder. */
const char *sl_trace_base_name(const char *path);
#endif
