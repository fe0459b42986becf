/* A small simulator of dynamic tensor rematerialization. */
#include <config.h>

#include "dtr_machine.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const dtr_score_names[DTR_SCORES] = {"DTR", "DTRLocal", "MSPS", "LRU",
                                                 "LargestStorage"};

void dtr_require(bool holds)
{
    if (!holds)
        ck_abort_msg("the small simulator is wrong");
}

void dtr_leave_pool(struct machine *m, uint32_t root)
{
    uint32_t k = 0;
    while (k < m->pool_count && m->pool[k] != root)
        k++;
    if (k == m->pool_count)
        return;
    m->pool_count--;
    memmove(&m->pool[k], &m->pool[k + 1], (m->pool_count - k) * sizeof *m->pool);
}

void dtr_enter_pool(struct machine *m, uint32_t root)
{
    for (uint32_t k = 0; k < m->pool_count; k++)
        if (m->pool[k] == root)
            return;
    m->pool[m->pool_count++] = root;
}

static void lock(struct machine *m, uint32_t tensor)
{
    struct storage *s = storage_of(m, tensor);
    dtr_require(s->material);
    if (s->locks++ == 0)
        dtr_leave_pool(m, m->log->tensors[tensor].root);
}

static void unlock(struct machine *m, uint32_t tensor)
{
    if (--storage_of(m, tensor)->locks == 0)
        dtr_enter_pool(m, m->log->tensors[tensor].root);
}

void dtr_evict(struct machine *m, uint32_t root)
{
    struct storage *s = &m->storages[root];
    dtr_require(s->material && s->locks == 0);
    s->material = false;
    s->evicted = true;
    m->bytes -= m->log->tensors[root].bytes;
    dtr_leave_pool(m, root);
    for (uint32_t t = s->first_view; t != SL_NONE; t = m->next_view[t])
        m->defined[t] = false;
}

/* ---- scores ------------------------------------------------------------------------------------
 */

static uint32_t visit(struct machine *m, uint32_t tensor, uint32_t depth, int64_t *cost)
{
    struct storage *s = storage_of(m, tensor);
    if (s->seen == m->stamp || !s->evicted || (m->rules->gathers && !m->read[tensor]))
        return depth;
    s->seen = m->stamp;
    uint32_t op = m->log->tensors[m->log->tensors[tensor].root].op;
    if (m->counted[op] != m->sum || !m->rules->gathers)
        *cost += s->cost_ns;
    m->counted[op] = m->sum;
    m->stack[depth++] = m->log->tensors[tensor].root;
    return depth;
}

/* Cost of the evicted storages that lead to this one (or to which it leads) through evicted ones.
 */
static int64_t evicted_cost(struct machine *m, uint32_t root, bool ancestors)
{
    int64_t cost = 0;
    uint32_t depth = 1;
    m->stack[0] = root;
    m->storages[root].seen = ++m->stamp;
    while (depth > 0)
        for (uint32_t t = m->storages[m->stack[--depth]].first_view; t != SL_NONE;
             t = m->next_view[t]) {
            const struct dtr_op *op = &m->log->ops[m->log->tensors[t].op];
            for (uint32_t k = 0; ancestors && k < op->arg_count; k++)
                depth = visit(m, m->log->args[op->first_arg + k], depth, &cost);
            for (uint32_t u = m->first_use[t]; !ancestors && u != SL_NONE; u = m->uses[u].next) {
                const struct dtr_op *user = &m->log->ops[m->uses[u].op];
                for (uint32_t k = 0; k < user->result_count; k++)
                    depth = visit(m, user->first_result + k, depth, &cost);
            }
        }
    return cost;
}

static double ratio(int64_t cost_ns, int64_t bytes, int64_t stale_ns)
{
    return bytes > 0 && stale_ns > 0
               ? (double)((long double)cost_ns / ((long double)bytes * (long double)stale_ns))
               : HUGE_VAL;
}

static double score(struct machine *m, uint32_t root)
{
    const struct storage *s = &m->storages[root];
    int64_t bytes = m->log->tensors[root].bytes, stale = m->out.clock_ns - s->last_use;
    m->sum++;
    switch (m->rules->score) {
    case DTR_FULL:
        return ratio(s->cost_ns + evicted_cost(m, root, true) + evicted_cost(m, root, false), bytes,
                     stale);
    case DTR_LOCAL:
        return ratio(s->cost_ns, bytes, stale);
    case DTR_MSPS:
        return ratio(s->cost_ns + evicted_cost(m, root, true), bytes, 1);
    case DTR_LRU:
        return (double)s->last_use;
    default:
        return ratio(1, bytes, 1);
    }
}

void dtr_make_room(struct machine *m, int64_t bytes)
{
    while (m->bytes + bytes > m->budget && !stopped(m)) {
        double least = HUGE_VAL;
        uint32_t victim = SL_NONE;
        for (uint32_t k = 0; k < m->pool_count; k++) {
            double this = score(m, m->pool[k]);
            bool first = m->pool[k] < victim || !m->rules->first_of_equals;
            if (this < least || (this == least && first)) {
                least = this;
                victim = m->pool[k];
            }
            if (this == 0)
                break;
        }
        if (victim == SL_NONE) {
            m->out.out_of_memory = true;
            return;
        }
        dtr_evict(m, victim);
        m->out.evictions++;
    }
}

/* ---- operators ---------------------------------------------------------------------------------
 */

static int64_t result_bytes(const struct machine *m, const struct dtr_op *op)
{
    int64_t bytes = 0;
    for (uint32_t k = 0; k < op->result_count; k++)
        bytes += m->log->tensors[op->first_result + k].bytes;
    return bytes;
}

/* The results of an operator beside `tensor` become evictable before it. */
static void define(struct machine *m, uint32_t tensor, uint32_t *fresh, uint32_t *fresh_count)
{
    struct storage *s = storage_of(m, tensor);
    if (m->defined[tensor]) {
        m->bytes -= m->log->tensors[tensor].bytes; /* made twice */
        return;
    }
    if (!s->material)
        fresh[(*fresh_count)++] = m->log->tensors[tensor].root;
    m->defined[tensor] = true;
}

static void compute(struct machine *m, uint32_t tensor, bool again)
{
    const struct dtr_op *op = &m->log->ops[m->log->tensors[tensor].op];
    uint32_t *fresh = malloc((op->result_count + 1u) * sizeof *fresh), fresh_count = 0;
    dtr_require(fresh != NULL);
    m->out.clock_ns += op->cost_ns;
    m->bytes += result_bytes(m, op);
    if (m->bytes > m->out.peak_bytes)
        m->out.peak_bytes = m->bytes;
    *(again ? &m->out.remat_ns : &m->out.model_ns) += op->cost_ns;
    for (uint32_t k = 0; k < op->result_count; k++)
        if (op->first_result + k != tensor)
            define(m, op->first_result + k, fresh, &fresh_count);
    define(m, tensor, fresh, &fresh_count);
    for (uint32_t k = 0; k < fresh_count; k++) {
        m->storages[fresh[k]].material = true;
        m->storages[fresh[k]].evicted = false;
        if (m->rules->used_at_end)
            m->storages[fresh[k]].last_use = m->out.clock_ns;
        dtr_enter_pool(m, fresh[k]);
    }
    free(fresh);
}

static void materialize(struct machine *m, uint32_t tensor, bool again)
{
    const struct dtr_op *op = &m->log->ops[m->log->tensors[tensor].op];
    const uint32_t *args = m->log->args + op->first_arg;
    bool *missing = calloc(op->arg_count + 1u, sizeof *missing);
    dtr_require(missing != NULL);
    for (uint32_t k = 0; k < op->arg_count; k++) {
        storage_of(m, args[k])->last_use = m->out.clock_ns;
        missing[k] = !m->defined[args[k]];
    }
    for (uint32_t k = 0; k < op->arg_count; k++)
        if (!missing[k])
            lock(m, args[k]);
    for (uint32_t k = 0; k < op->arg_count && !stopped(m); k++) {
        if (missing[k] && !m->defined[args[k]])
            materialize(m, args[k], true);
        if (missing[k] && !stopped(m))
            lock(m, args[k]);
    }
    free(missing);
    if (!stopped(m))
        dtr_make_room(m, result_bytes(m, op));
    if (stopped(m))
        return;
    compute(m, tensor, again);
    for (uint32_t k = 0; k < op->arg_count; k++)
        unlock(m, args[k]);
    for (uint32_t k = 0; k < op->arg_count && m->rules->used_at_end; k++)
        storage_of(m, args[k])->last_use = m->out.clock_ns;
    m->out.cut_off = m->out.remat_ns > m->limit_ns;
}

/* Its results come to be known: they are views of a storage or begin one, and uses of its
 * arguments. */
static void introduce(struct machine *m, uint32_t index)
{
    const struct dtr_op *op = &m->log->ops[index];
    for (uint32_t k = 0; k < op->result_count; k++) {
        uint32_t tensor = op->first_result + k, *at;
        struct storage *s = storage_of(m, tensor);
        bool counted = false;
        for (at = &s->first_view; *at != SL_NONE; at = &m->next_view[*at])
            counted |= m->log->tensors[*at].op == index;
        *at = tensor;
        s->cost_ns += counted ? 0 : op->cost_ns;
        s->names++;
    }
    for (uint32_t k = 0; k < op->arg_count; k++) {
        uint32_t arg = m->log->args[op->first_arg + k];
        m->uses[m->use_count] = (struct use){index, m->first_use[arg]};
        m->first_use[arg] = m->use_count++;
    }
}

static void step(struct machine *m, const struct dtr_step *step)
{
    if (step->what == DTR_COMPUTE) {
        const struct dtr_op *op = &m->log->ops[step->id];
        introduce(m, step->id);
        if (m->rules->gathers)
            dtr_gather(m, step->id);
        else
            materialize(m, op->first_result, false);
        for (uint32_t k = 0; k < op->result_count; k++)
            storage_of(m, op->first_result + k)->last_use = m->out.clock_ns;
        return;
    }
    struct storage *s = storage_of(m, step->id);
    if (step->what == DTR_GET) {
        s->names++;
    } else if (step->what == DTR_RELEASE) {
        if (--s->names == 0 && s->material && !s->pinned)
            dtr_evict(m, m->log->tensors[step->id].root);
    } else {
        if (!m->defined[step->id])
            materialize(m, step->id, true);
        if (!s->pinned && !stopped(m))
            lock(m, step->id);
        s->pinned = true;
    }
}

struct dtr_outcome dtr_simulate(const struct dtr_log *log, const struct dtr_rules *rules,
                                int64_t budget, int64_t limit_ns)
{
    size_t tensors = log->tensor_count + 1u;
    struct machine m = {.log = log, .rules = rules, .budget = budget, .limit_ns = limit_ns};
    m.out.clock_ns = 1;
    m.storages = calloc(tensors, sizeof *m.storages);
    m.defined = calloc(tensors, sizeof *m.defined);
    m.next_view = malloc(tensors * sizeof *m.next_view);
    m.first_use = malloc(tensors * sizeof *m.first_use);
    m.uses = malloc((log->arg_count + 1u) * sizeof *m.uses);
    m.pool = malloc(tensors * sizeof *m.pool);
    m.stack = malloc(tensors * sizeof *m.stack);
    m.counted = calloc(log->op_count + 1u, sizeof *m.counted);
    m.read = calloc(tensors, sizeof *m.read);
    m.making = calloc(tensors, sizeof *m.making);
    m.called = calloc(log->op_count + 1u, sizeof *m.called);
    m.calls = malloc((log->op_count + 1u) * sizeof *m.calls);
    m.ready_ns = malloc((log->op_count + 1u) * sizeof *m.ready_ns);
    ck_assert(m.storages && m.defined && m.next_view && m.first_use && m.uses && m.pool &&
              m.stack && m.called && m.calls && m.ready_ns);
    for (uint32_t t = 0; t < log->tensor_count; t++)
        m.storages[t].first_view = m.next_view[t] = m.first_use[t] = SL_NONE;
    for (uint32_t a = 0; a < log->arg_count; a++)
        m.read[log->args[a]] = true;
    for (uint32_t k = 0; k < log->step_count && !stopped(&m); k++)
        step(&m, &log->steps[k]);
    free(m.storages);
    free(m.defined);
    free(m.next_view);
    free(m.first_use);
    free(m.uses);
    free(m.pool);
    free(m.stack);
    free(m.counted);
    free(m.read);
    free(m.making);
    free(m.called);
    free(m.calls);
    free(m.ready_ns);
    return m.out;
}

int64_t dtr_baseline(const struct dtr_log *log)
{
    uint32_t *names = calloc(log->tensor_count + 1u, sizeof *names);
    int64_t bytes = 0, peak = 0;
    ck_assert(names != NULL);
    for (uint32_t k = 0; k < log->step_count; k++) {
        const struct dtr_step *step = &log->steps[k];
        if (step->what == DTR_COMPUTE) {
            const struct dtr_op *op = &log->ops[step->id];
            for (uint32_t r = op->first_result; r < op->first_result + op->result_count; r++) {
                bytes += log->tensors[r].bytes;
                names[log->tensors[r].root]++;
            }
            peak = bytes > peak ? bytes : peak;
            continue;
        }
        uint32_t root = log->tensors[step->id].root;
        if (step->what == DTR_GET)
            names[root]++;
        else if (step->what == DTR_RELEASE && --names[root] == 0)
            bytes -= log->tensors[root].bytes;
    }
    free(names);
    return peak;
}
