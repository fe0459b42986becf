/* DTR logs told otherwise: by simpler rules for views and names. */
#include <config.h>

#include "dtr_log.h"
#include <check.h>
#include <stdlib.h>

struct steps {
    struct dtr_step *items;
    uint32_t count, room;
};

static void push(struct steps *steps, enum dtr_what what, uint32_t id)
{
    if (!sl_grow((void **)&steps->items, &steps->room, steps->count + 1, sizeof *steps->items))
        ck_abort_msg("out of memory");
    steps->items[steps->count++] = (struct dtr_step){what, id};
}

static void replace_steps(struct dtr_log *log, struct steps steps)
{
    free(log->steps);
    log->steps = steps.items;
    log->step_count = steps.count;
    log->step_room = steps.room;
}

/* Views become results of no bytes that nobody reads and that stay to the end. */
void dtr_log_keep_views(struct dtr_log *log)
{
    struct steps steps = {0};
    for (uint32_t a = 0; a < log->arg_count; a++)
        log->args[a] = log->tensors[log->args[a]].root;
    for (uint32_t k = 0; k < log->step_count; k++) {
        struct dtr_step step = log->steps[k];
        bool computes = step.what == DTR_COMPUTE;
        push(&steps, step.what, computes ? step.id : log->tensors[step.id].root);
        const struct dtr_op *op = &log->ops[computes ? step.id : 0];
        for (uint32_t t = op->first_result; computes && t < op->first_result + op->result_count;
             t++)
            if (log->tensors[t].root != t)
                push(&steps, DTR_GET, log->tensors[t].root);
    }
    for (uint32_t t = 0; t < log->tensor_count; t++)
        log->tensors[t].root = t;
    replace_steps(log, steps);
}

/* Per root: the last operator that reads or makes it; the number of operators: it is kept. */
static uint32_t *last_operators(const struct dtr_log *log)
{
    uint32_t *last = calloc(log->tensor_count + 1u, sizeof *last);
    ck_assert(last != NULL);
    for (uint32_t i = 0; i < log->op_count; i++) {
        const struct dtr_op *op = &log->ops[i];
        for (uint32_t k = 0; k < op->arg_count; k++)
            last[log->tensors[log->args[op->first_arg + k]].root] = i;
        for (uint32_t k = 0; k < op->result_count; k++)
            last[log->tensors[op->first_result + k].root] = i;
    }
    for (uint32_t k = 0; k < log->step_count; k++)
        if (log->steps[k].what == DTR_KEEP)
            last[log->tensors[log->steps[k].id].root] = log->op_count;
    return last;
}

/* Every tensor of a storage has one name then. */
void dtr_log_release_early(struct dtr_log *log)
{
    struct steps steps = {0};
    uint32_t *last = last_operators(log);
    for (uint32_t k = 0; k < log->step_count; k++) {
        struct dtr_step step = log->steps[k];
        if (step.what == DTR_COMPUTE || step.what == DTR_KEEP)
            push(&steps, step.what, step.id);
        for (uint32_t t = 0; step.what == DTR_COMPUTE && t < log->tensor_count; t++)
            if (last[log->tensors[t].root] == step.id)
                push(&steps, DTR_RELEASE, t);
    }
    free(last);
    replace_steps(log, steps);
}

/* An operator of no time and with a result of no bytes reads all outputs at the end. */
void dtr_log_want_outputs_at_once(struct dtr_log *log)
{
    struct steps steps = {0};
    struct dtr_op end = {.name = "end",
                         .first_arg = log->arg_count,
                         .first_result = log->tensor_count,
                         .result_count = 1};
    for (uint32_t k = 0; k < log->step_count; k++) {
        struct dtr_step step = log->steps[k];
        if (step.what != DTR_KEEP || log->ops[log->tensors[step.id].op].constant) {
            push(&steps, step.what, step.id);
            continue;
        }
        if (!sl_grow((void **)&log->args, &log->arg_room, log->arg_count + 1, sizeof *log->args))
            ck_abort_msg("out of memory");
        log->args[log->arg_count++] = log->tensors[step.id].root;
        end.arg_count++;
    }
    ck_assert(sl_grow((void **)&log->ops, &log->op_room, log->op_count + 1, sizeof *log->ops));
    ck_assert(sl_grow((void **)&log->tensors, &log->tensor_room, log->tensor_count + 1,
                      sizeof *log->tensors));
    log->tensors[log->tensor_count] = (struct dtr_tensor){log->op_count, log->tensor_count, 0};
    log->tensor_count++;
    push(&steps, DTR_COMPUTE, log->op_count);
    log->ops[log->op_count++] = end;
    replace_steps(log, steps);
}
