/* Expressions over a job's parameters, with units: `0.3us * context_tokens + 2ms`,
 * `160KiB * context_tokens`, `max(1, ceil(context_tokens / 512)) * 64MiB`.
 *
 *     expr    := term {('+' | '-') term}
 *     term    := factor {('*' | '/') factor}
 *     factor  := '-' factor | number [unit] | parameter | '(' expr ')'
 *              | ('min' | 'max') '(' expr ',' expr {',' expr} ')' | ('ceil' | 'floor') '(' expr ')'
 *
 * Names of what the engine counts hold dots (`kv.missing`), those of parameters do not.
 * Dimensions are checked when an expression is parsed: sums, max and min need equal ones, a product
 * has at most one operand with a unit, a division divides by a number or by the same unit; ceil and
 * floor take a number.  At most 4096 characters and 32 levels.  Values are doubles, operation by
 * operation as written; times count in ps, sizes in bytes. */
#ifndef SL_EXPR_H
#define SL_EXPR_H
#include "names.h"

enum sl_expr_dimension { SL_EXPR_NUMBER, SL_EXPR_TIME /* ps */, SL_EXPR_BYTES };

struct sl_expr; /* immutable; owned by the arena of its making */

/* `names` are the parameters that may be used, in the order of `values` of sl_expr_value; NULL:
 * there are none.  Another dimension, an unknown name (the nearest is suggested) or function is
 * SL_INVALID at `place`, with the character. */
enum sl_status sl_expr_parse(const struct sl_expr **expr, const char *text,
                             enum sl_expr_dimension dimension, const struct sl_names *names,
                             struct sl_place place, struct sl_arena *arena,
                             struct sl_error *err) SL_NODISCARD;
/* May be negative, infinite or NAN (0 / 0): whoever uses it checks. */
double sl_expr_value(const struct sl_expr *expr, const double *values);
/* False: it uses no parameter and is the same for all jobs. */
bool sl_expr_varies(const struct sl_expr *expr);
bool sl_expr_uses(const struct sl_expr *expr, uint32_t parameter);
/* As written; of one made of another, that other's. */
const char *sl_expr_text(const struct sl_expr *expr);

bool sl_expr_is_function(const char *word); /* min, max, ceil, floor */
/* Characters of the name that begins there: words, of letters, digits and '_', between dots. */
size_t sl_expr_name_length(const char *text);
/* What keeps a name from being that of a parameter; NULL: nothing does. */
const char *sl_expr_name_fault(const char *name);

/* expr + addend, in the unit of the expression's value; NULL: out of memory. */
const struct sl_expr *sl_expr_plus(const struct sl_expr *expr, double addend,
                                   struct sl_arena *arena);
/* factor x expr; NULL: out of memory. */
const struct sl_expr *sl_expr_scaled(const struct sl_expr *expr, double factor,
                                     struct sl_arena *arena);
/* Time in ps for which a copy of `size` bytes holds an engine (sl_route_hold without staging):
 *
 *     overhead_ps x max(1, ceil(size / piece)) + size / bytes_per_s x 1e12
 *
 * with one piece where `piece` is 0.  NULL: out of memory. */
const struct sl_expr *sl_expr_copy_time(const struct sl_expr *size, double overhead_ps,
                                        int64_t piece, double bytes_per_s, struct sl_arena *arena);
#endif
