/* Pieces of the page decision.md.  Private to decide/. */
#ifndef SL_DECISION_PAGE_H
#define SL_DECISION_PAGE_H
#include "gate.h"

/* Text of users within Markdown, escaped so that it shows as it is: no control characters, no
 * markup, no broken table cells; NULL is nothing. */
void sl_page_text(FILE *out, const char *text);
/* "1.54 s", or "1.54 s [1.53 s, 1.55 s]"; "-" for NAN.  In `unit` ("us", "bytes", ...). */
void sl_page_quantity(FILE *out, double value, const char *unit);
void sl_page_estimate(FILE *out, struct sl_estimate estimate, const char *unit);
/* The same with a sign. */
void sl_page_difference(FILE *out, struct sl_estimate difference, const char *unit);
/* "p99" of a quantile. */
void sl_page_tail_name(FILE *out, double q);

/* Sections, in the order of the page. */
void sl_page_results(FILE *out, const struct sl_record *record);
void sl_page_alternatives(FILE *out, const struct sl_record *record);
void sl_page_schedules(FILE *out, const struct sl_record *record);
void sl_page_plan(FILE *out, const struct sl_record *record);
void sl_page_costs(FILE *out, const struct sl_record *record);
void sl_page_proofs(FILE *out, const struct sl_record *record);
void sl_page_mechanism(FILE *out, const struct sl_record *record);
void sl_page_measurement(FILE *out, const struct sl_record *record);
void sl_page_doubts(FILE *out, const struct sl_record *record);
#endif
