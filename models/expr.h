/* Expressions over a job's parameters, with units: `0.3us * context_tokens + 2ms`,
 * `160KiB * context_tokens`, `max(1, ceil(context_tokens / 512)) * 64MiB`.
 *
 * Dimensions are checked when an expression is parsed: sums and max/min need equal ones, a product
 * has at most one operand with a unit, a division divides by a number or by the same unit. */
#ifndef SL_EXPR_H
#define SL_EXPR_H
#include "arena.h"

enum sl_expr_dimension { SL_EXPR_NUMBER, SL_EXPR_TIME /* ps */, SL_EXPR_BYTES };

struct sl_expr; /* immutable; owned by the arena of its parsing */

/* `names` are the parameters that may be used, in the order of `values` of sl_expr_value.  Another
 * dimension, an unknown name (the nearest is suggested) or function is SL_INVALID at `place`. */
enum sl_status sl_expr_parse(const struct sl_expr **expr, const char *text,
                             enum sl_expr_dimension dimension, const struct sl_names *names,
                             struct sl_place place, struct sl_arena *arena,
                             struct sl_error *err) SL_NODISCARD;
/* May be negative, infinite or NAN (0 / 0): whoever uses it checks. */
double sl_expr_value(const struct sl_expr *expr, const double *values);
/* False: it uses no parameter and is the same for all jobs. */
bool sl_expr_varies(const struct sl_expr *expr);
const char *sl_expr_text(const struct sl_expr *expr);
#endif
