/* Whether a device folder still says what its machine does: rows of its tables beside one session
 * measured now. */
#ifndef SL_VERIFY_H
#define SL_VERIFY_H
#include "estimate.h"
#include "table_head.h"

/* A figure of a table that can be measured again. */
struct sl_verify_row {
    uint32_t case_index;
    const char *regime;
    double value, lo, hi; /* ns or kappa, as measured before they were held against the control */
    uint32_t sessions;    /* that the interval is made of */
    double now;           /* NAN: not had */
    double allowed;       /* by how much the logarithm may differ; NAN: the row has no interval */
};
struct sl_verify {
    struct sl_arena arena; /* owns texts and rows */
    struct sl_table_head head;
    struct sl_verify_row *rows;
    uint32_t count, capacity; /* capacity: what the tables hold */
    uint32_t others;          /* rows that no case here stands for */
};

/* Reads the head of DIR/durations.csv; first of all.  sl_verify_free releases in every case. */
enum sl_status sl_verify_open(struct sl_verify *verify, const char *dir,
                              struct sl_error *err) SL_NODISCARD;
/* Takes the rows of status ok whose cases are in the list and can be measured. */
enum sl_status sl_verify_read(struct sl_verify *verify, const char *dir,
                              const struct sl_case_list *cases, struct sl_error *err) SL_NODISCARD;
/* Leaves `wanted` rows, drawn by the seed, and waives the cases of all others. */
void sl_verify_draw(struct sl_verify *verify, struct sl_case_list *cases, uint32_t wanted,
                    uint64_t seed);
/* Fills `now` and `allowed` of each row. */
void sl_verify_compare(struct sl_verify *verify, const struct sl_estimates *now);
/* By how much, as a logarithm, the median of one more session may differ from `value`, 95% for all
 * of `rows` together: with h the half-width of Student's interval over n sessions,
 *
 *     h sqrt(n + 1) t(n - 1, 1 - 0.025 / rows) / t(n - 1, 0.975) */
double sl_verify_allowed(double value, double lo, double hi, uint32_t sessions, uint32_t rows);
bool sl_verify_moved(const struct sl_verify_row *row);
void sl_verify_free(struct sl_verify *verify);
#endif
