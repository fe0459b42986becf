/* What commands that read a trace share: its reading with progress, and a window of it. */
#ifndef SL_TRACE_INPUT_H
#define SL_TRACE_INPUT_H
#include "audit.h"
#include "command.h"
#include "importer.h"

/* Which part of a trace a command is about: --step, --window, --range. */
struct sl_trace_choice {
    struct sl_audit_options options;
    bool windowed;
};
#define SL_TRACE_CHOICE ((struct sl_trace_choice){.options = {.to_ps = INT64_MAX}})
/* Keys of these options; a command's own begin at SL_TRACE_KEYS. */
enum { SL_TRACE_STEP = SL_KEY_LONG, SL_TRACE_WINDOW, SL_TRACE_RANGE, SL_TRACE_KEYS };
/* Takes one of them; SL_USAGE for a window that is none. */
enum sl_status sl_trace_choice_take(struct sl_trace_choice *choice, int key, const char *value,
                                    struct sl_error *err) SL_NODISCARD;
/* SL_USAGE for two scopes at a time. */
enum sl_status sl_trace_choice_check(const struct sl_trace_choice *choice,
                                     struct sl_error *err) SL_NODISCARD;

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
