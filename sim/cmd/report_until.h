/* What became of --until: how many trials each cell took, and who did not reach the width. */
#ifndef SL_REPORT_UNTIL_H
#define SL_REPORT_UNTIL_H
#include "frame.h"
#include "session.h"
#include <yajl/yajl_gen.h>

/* A line per cell from the session's rows; nothing where --until was not given. */
enum sl_status sl_report_until(FILE *out, const struct sl_session *session,
                               struct sl_error *err) SL_NODISCARD;
/* The same from rows of summary.csv. */
void sl_report_until_rows(FILE *out, const struct sl_until *until, const struct sl_frame *frame);
/* A member "until" of the map that is open; nothing where there was no look. */
void sl_json_until(yajl_gen gen, const struct sl_until_result *until);
#endif
