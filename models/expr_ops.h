/* Inside of expressions: a postfix program for a stack of numbers.  Users include expr.h. */
#ifndef SL_EXPR_OPS_H
#define SL_EXPR_OPS_H
#include "expr.h"

enum { SL_EXPR_STACK = 128 }; /* numbers that a program holds at once, at most */

enum sl_expr_code {
    SL_EXPR_CONST, SL_EXPR_PARAMETER, /* push */
    SL_EXPR_NEGATE, SL_EXPR_CEIL, SL_EXPR_FLOOR, /* of the top */
    SL_EXPR_ADD, SL_EXPR_SUBTRACT, SL_EXPR_MULTIPLY, SL_EXPR_DIVIDE, SL_EXPR_MIN, SL_EXPR_MAX
};

struct sl_expr_op {
    enum sl_expr_code code;
    uint32_t parameter;
    double value; /* of a constant */
};

struct sl_expr {
    const char *text;
    bool varies;
    uint32_t count;
    struct sl_expr_op ops[];
};

/* Room for `count` operations, in the arena; NULL: out of memory. */
struct sl_expr *sl_expr_new(struct sl_arena *arena, const char *text, size_t count);
#endif
