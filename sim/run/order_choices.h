/* What was inserted into a plan, as rows of a policy's table of choices: the policy with them plans
 * the ordered plan by itself, and so does a scenario of another machine. */
#ifndef SL_ORDER_CHOICES_H
#define SL_ORDER_CHOICES_H
#include "policy.h"

/* The edges and releases that `ordered`, made from `plan` by sl_order_insert, has beyond it; rows
 * and names are made in `arena`.  Waiting orders are no rows.  Plans of several iterations have
 * nodes that a table cannot name: their rows would be refused. */
enum sl_status sl_order_choices(const struct sl_plan *plan, const struct sl_plan *ordered,
                                struct sl_arena *arena, struct sl_node_choice **rows,
                                uint32_t *count, struct sl_error *err) SL_NODISCARD;
#endif
