/* Evaluation of expressions, and expressions made of others. */
#include <config.h>

#include "expr_ops.h"
#include <math.h>
#include <string.h>

static double least(double a, double b)
{
    return isunordered(a, b) ? (double)NAN : a < b ? a : b;
}

static double most(double a, double b)
{
    return isunordered(a, b) ? (double)NAN : a > b ? a : b;
}

/* The top of the stack is kept in `top`; what lies below it, in `held`, of which the first element
 * is what was "below" the first push. */
double sl_expr_value(const struct sl_expr *expr, const double *values)
{
    double held[SL_EXPR_STACK + 1], top = 0.0;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < expr->count; i++) {
        const struct sl_expr_op *op = &expr->ops[i];
        switch (op->code) {
        case SL_EXPR_CONST:
            held[depth++] = top;
            top = op->value;
            break;
        case SL_EXPR_PARAMETER:
            held[depth++] = top;
            top = values[op->parameter];
            break;
        case SL_EXPR_NEGATE:
            top = -top;
            break;
        case SL_EXPR_CEIL:
            top = ceil(top);
            break;
        case SL_EXPR_FLOOR:
            top = floor(top);
            break;
        case SL_EXPR_ADD:
            top = held[--depth] + top;
            break;
        case SL_EXPR_SUBTRACT:
            top = held[--depth] - top;
            break;
        case SL_EXPR_MULTIPLY:
            top = held[--depth] * top;
            break;
        case SL_EXPR_DIVIDE:
            top = held[--depth] / top;
            break;
        case SL_EXPR_MIN:
            top = least(held[--depth], top);
            break;
        case SL_EXPR_MAX:
            top = most(held[--depth], top);
            break;
        }
    }
    return top;
}

bool sl_expr_varies(const struct sl_expr *expr)
{
    return expr->varies;
}

bool sl_expr_uses(const struct sl_expr *expr, uint32_t parameter)
{
    for (uint32_t i = 0; i < expr->count; i++)
        if (expr->ops[i].code == SL_EXPR_PARAMETER && expr->ops[i].parameter == parameter)
            return true;
    return false;
}

const char *sl_expr_text(const struct sl_expr *expr)
{
    return expr->text;
}

struct sl_expr *sl_expr_new(struct sl_arena *arena, const char *text, size_t count)
{
    struct sl_expr *expr =
        sl_arena_alloc(arena, sizeof(struct sl_expr) + count * sizeof(struct sl_expr_op));
    if (expr)
        expr->text = text;
    return expr;
}

/* A new expression of room for `extra` operations and `copies` of `part`. */
static struct sl_expr *derive(const struct sl_expr *part, size_t copies, size_t extra,
                              struct sl_arena *arena)
{
    struct sl_expr *expr = sl_expr_new(arena, part->text, copies * part->count + extra);
    if (expr)
        expr->varies = part->varies;
    return expr;
}

static void put(struct sl_expr *expr, enum sl_expr_code code, double value)
{
    expr->ops[expr->count++] = (struct sl_expr_op){code, 0, value};
}

static void put_part(struct sl_expr *expr, const struct sl_expr *part)
{
    memcpy(&expr->ops[expr->count], part->ops, part->count * sizeof *part->ops);
    expr->count += part->count;
}

/* `expr` and a constant under an operator. */
static const struct sl_expr *with_constant(const struct sl_expr *expr, double value,
                                           enum sl_expr_code code, struct sl_arena *arena)
{
    struct sl_expr *result = derive(expr, 1, 2, arena);
    if (!result)
        return NULL;
    put_part(result, expr);
    put(result, SL_EXPR_CONST, value);
    put(result, code, 0);
    return result;
}

const struct sl_expr *sl_expr_scaled(const struct sl_expr *expr, double factor,
                                     struct sl_arena *arena)
{
    return with_constant(expr, factor, SL_EXPR_MULTIPLY, arena);
}

const struct sl_expr *sl_expr_plus(const struct sl_expr *expr, double addend,
                                   struct sl_arena *arena)
{
    return with_constant(expr, addend, SL_EXPR_ADD, arena);
}

const struct sl_expr *sl_expr_copy_time(const struct sl_expr *size, double overhead_ps,
                                        int64_t piece, double bytes_per_s, struct sl_arena *arena)
{
    struct sl_expr *time = derive(size, 2, 12, arena);
    if (!time)
        return NULL;
    put(time, SL_EXPR_CONST, overhead_ps);
    if (piece > 0) {
        put_part(time, size);
        put(time, SL_EXPR_CONST, (double)piece);
        put(time, SL_EXPR_DIVIDE, 0);
        put(time, SL_EXPR_CEIL, 0);
        put(time, SL_EXPR_CONST, 1);
        put(time, SL_EXPR_MAX, 0);
        put(time, SL_EXPR_MULTIPLY, 0);
    }
    put_part(time, size);
    put(time, SL_EXPR_CONST, bytes_per_s);
    put(time, SL_EXPR_DIVIDE, 0);
    put(time, SL_EXPR_CONST, 1e12);
    put(time, SL_EXPR_MULTIPLY, 0);
    put(time, SL_EXPR_ADD, 0);
    return time;
}
