/* What an operator lacks is called at once, with all that this needs in turn, and runs as soon as
 * it can.
 *
 * All that a call reads is locked from then on, whether it is there yet or not, so that what
 * several calls read is made once.  Of those that have all they read the one that had it first
 * runs, of equal ones that of the log; one for which no room can be made is passed.  It makes what
 * is missing of its results, and what has no name goes again when the last call has read it. */
#include <config.h>

#include "dtr_machine.h"
#include <stdlib.h>

static bool has_all(const struct machine *m, uint32_t op)
{
    for (uint32_t k = 0; k < m->log->ops[op].arg_count; k++)
        if (!m->defined[m->log->args[m->log->ops[op].first_arg + k]])
            return false;
    return true;
}

static void call(struct machine *m, uint32_t op)
{
    const uint32_t *args = m->log->args + m->log->ops[op].first_arg;
    if (m->called[op])
        return;
    m->called[op] = true;
    m->calls[m->call_count++] = op;
    m->ready_ns[op] = -1;
    for (uint32_t k = 0; k < m->log->ops[op].arg_count; k++) {
        dtr_leave_pool(m, m->log->tensors[args[k]].root);
        storage_of(m, args[k])->locks++;
    }
    for (uint32_t k = 0; k < m->log->ops[op].arg_count; k++)
        if (!m->defined[args[k]])
            call(m, m->log->tensors[args[k]].op);
}

/* A storage of the log's first run is made, and later one that is missing and wanted. */
static bool makes(struct machine *m, uint32_t tensor, bool again)
{
    const struct storage *s = storage_of(m, tensor);
    return !m->defined[tensor] && (!again || s->names > 0 || s->locks > 0);
}

static int64_t wanted_bytes(struct machine *m, uint32_t op, bool again)
{
    const struct dtr_op *o = &m->log->ops[op];
    int64_t bytes = 0;
    for (uint32_t k = 0; k < o->result_count; k++)
        if (makes(m, o->first_result + k, again))
            bytes += m->log->tensors[o->first_result + k].bytes;
    return bytes;
}

static bool fits(const struct machine *m, int64_t bytes)
{
    int64_t level = m->bytes;
    for (uint32_t k = 0; k < m->pool_count; k++)
        level -= m->log->tensors[m->pool[k]].bytes;
    return level + bytes <= m->budget;
}

static void let_go(struct machine *m, uint32_t tensor)
{
    struct storage *s = storage_of(m, tensor);
    uint32_t root = m->log->tensors[tensor].root;
    if (s->locks > 0 || s->pinned || !s->material)
        return;
    dtr_enter_pool(m, root);
    if (s->names == 0)
        dtr_evict(m, root);
}

/* Room for the results that are missing now; what leaves for them is not made in the same run. */
static void prepare(struct machine *m, uint32_t op, bool again)
{
    const struct dtr_op *o = &m->log->ops[op];
    for (uint32_t t = o->first_result; t < o->first_result + o->result_count; t++)
        m->making[t] = makes(m, t, again);
    dtr_make_room(m, wanted_bytes(m, op, again));
}

static void run(struct machine *m, uint32_t op, bool again)
{
    const struct dtr_op *o = &m->log->ops[op];
    const uint32_t *args = m->log->args + o->first_arg;
    m->out.clock_ns += o->cost_ns;
    *(again ? &m->out.remat_ns : &m->out.model_ns) += o->cost_ns;
    for (uint32_t t = o->first_result; t < o->first_result + o->result_count; t++)
        m->bytes += m->making[t] ? m->log->tensors[t].bytes : 0;
    m->out.peak_bytes = m->bytes > m->out.peak_bytes ? m->bytes : m->out.peak_bytes;
    for (uint32_t t = o->first_result; t < o->first_result + o->result_count; t++)
        if (m->making[t]) {
            struct storage *s = storage_of(m, t);
            m->defined[t] = s->material = true;
            s->evicted = false;
            s->last_use = m->out.clock_ns;
            let_go(m, t);
        }
    for (uint32_t k = 0; k < o->arg_count; k++) {
        storage_of(m, args[k])->locks--;
        storage_of(m, args[k])->last_use = m->out.clock_ns;
    }
    for (uint32_t k = 0; k < o->arg_count; k++)
        let_go(m, args[k]);
    m->called[op] = false;
    m->out.cut_off = m->out.remat_ns > m->limit_ns;
}

static bool goes_before(const struct machine *m, uint32_t a, uint32_t b)
{
    return m->ready_ns[a] != m->ready_ns[b] ? m->ready_ns[a] < m->ready_ns[b] : a < b;
}

/* The place in `calls` of the one that runs next; their number where none can. */
static uint32_t next_call(struct machine *m, uint32_t first_run)
{
    uint32_t best = m->call_count;
    for (uint32_t c = 0; c < m->call_count; c++) {
        uint32_t op = m->calls[c];
        if (m->ready_ns[op] < 0 && has_all(m, op))
            m->ready_ns[op] = m->out.clock_ns;
        if (m->ready_ns[op] < 0 || (best < m->call_count && !goes_before(m, op, m->calls[best])))
            continue;
        if (fits(m, wanted_bytes(m, op, op != first_run)))
            best = c;
    }
    return best;
}

void dtr_gather(struct machine *m, uint32_t op)
{
    m->call_count = 0;
    call(m, op);
    while (m->called[op] && !stopped(m)) {
        uint32_t c = next_call(m, op);
        if (c == m->call_count) {
            m->out.out_of_memory = true;
            return;
        }
        uint32_t next = m->calls[c];
        m->calls[c] = m->calls[--m->call_count];
        prepare(m, next, next != op);
        run(m, next, next != op);
    }
}
