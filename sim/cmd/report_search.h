/* The report of a search. */
#ifndef SL_REPORT_SEARCH_H
#define SL_REPORT_SEARCH_H
#include "frame.h"
#include "search_finals.h"
#include "search_verdict.h"
#include "session.h"

/* What the search and the last estimates took. */
enum sl_status sl_report_search(FILE *out, const struct sl_session *session,
                                const struct sl_search_result *result,
                                const struct sl_finals *finals,
                                const struct sl_search_verdict *verdict, double search_s,
                                double estimates_s, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_report_search_json(FILE *out, const struct sl_session *session,
                                     const struct sl_search_result *result,
                                     const struct sl_finals *finals,
                                     const struct sl_search_verdict *verdict,
                                     struct sl_error *err) SL_NODISCARD;
/* The cells of these items (NULL: of the first `count`) as a frame of summary.csv's columns. */
enum sl_status sl_finals_frame(struct sl_frame *frame, const struct sl_finals *finals,
                               const uint32_t *items, uint32_t count,
                               const struct sl_scenario *scenario,
                               struct sl_error *err) SL_NODISCARD;
#endif
