/* See stream_model.h. */
#include "stream_model.h"
#include <limits.h>
#include <string.h>

/* ---- what compute runs ---- */

struct sequence {
    const struct sm_problem *p;
    const struct sm_choice *choices;
    struct sm_run *run;
    bool back[SM_OBJECTS]; /* dropped objects that were made again */
    int again[SM_NODES];
};

static bool is_away(const struct sequence *s, int object, int node)
{
    const struct sm_object *o = &s->p->objects[object];
    return s->choices[object].what == SM_DROPS && !s->back[object] && o->before < node &&
           node <= o->after;
}

static void make_again(struct sequence *s, int object, int node)
{
    int writer = s->p->objects[object].writer;
    const struct sm_node *w = &s->p->nodes[writer];
    for (int k = 0; k < w->read_count; k++)
        if (is_away(s, w->reads[k], node))
            make_again(s, w->reads[k], node);
    s->back[object] = true;
    s->run->steps[s->run->count++] = (struct sm_step){writer, node, ++s->again[writer]};
}

void sm_sequence(const struct sm_problem *p, const struct sm_choice *choices, struct sm_run *run)
{
    struct sequence s = {.p = p, .choices = choices, .run = run};
    run->count = 0;
    for (int n = 0; n < p->node_count; n++) {
        for (int o = 0; o < p->object_count; o++)
            if (p->objects[o].after == n && is_away(&s, o, n))
                make_again(&s, o, n);
        run->steps[run->count++] = (struct sm_step){n, n, 0};
    }
}

/* Which copy of an object a step reads: 1 behind the gap. */
static int copy_at(const struct sm_problem *p, const struct sm_choice *choices, int object,
                   const struct sm_step *step)
{
    const struct sm_object *o = &p->objects[object];
    return o->after >= 0 && choices[object].what != SM_STAYS && step->before > o->before;
}

static bool reads(const struct sm_problem *p, const struct sm_step *step, int object)
{
    const struct sm_node *n = &p->nodes[step->node];
    for (int k = 0; k < n->read_count; k++)
        if (n->reads[k] == object)
            return true;
    return false;
}

int sm_consumer(const struct sm_problem *p, const struct sm_choice *choices,
                const struct sm_run *run, int object)
{
    for (int s = 0; s < run->count; s++)
        if (reads(p, &run->steps[s], object) && copy_at(p, choices, object, &run->steps[s]))
            return s;
    return -1;
}

/* ---- running it ---- */

#define NEVER INT_MAX

struct copy {
    int users;   /* that are not done */
    bool shared; /* its last two users do not follow each other */
    bool returning, gone;
};

struct machine {
    const struct sm_problem *p;
    const struct sm_choice *choices;
    const struct sm_run *run;
    struct copy copies[SM_OBJECTS][2];
    int consumer[SM_OBJECTS];
    bool out_done[SM_OBJECTS], back_done[SM_OBJECTS];
    int outs[SM_OBJECTS], backs[SM_OBJECTS], moves; /* in the order of the engines */
    int steps_done, next_out, next_back;
    int step_end, out_end, back_end; /* NEVER: nothing runs */
    int used, now;
};

static void count_users(struct machine *m)
{
    const struct sm_problem *p = m->p;
    int last[SM_OBJECTS];
    for (int s = 0; s < m->run->count; s++) {
        const struct sm_step *step = &m->run->steps[s];
        const struct sm_node *n = &p->nodes[step->node];
        if (n->writes >= 0) {
            m->copies[n->writes][step->again > 0].users++;
            last[n->writes] = s;
        }
        for (int k = 0; k < n->read_count; k++) {
            int o = n->reads[k], copy = copy_at(p, m->choices, o, step);
            m->copies[o][copy].users++;
            last[o] = copy == 0 ? s : last[o];
        }
    }
    for (int o = 0; o < p->object_count; o++) {
        if (m->choices[o].what != SM_MOVES || p->objects[o].after < 0)
            continue;
        m->copies[o][0].users++;
        m->copies[o][1].users++;
        m->copies[o][0].shared = m->run->steps[last[o]].node != p->objects[o].writer;
        m->consumer[o] = sm_consumer(p, m->choices, m->run, o);
        m->outs[m->moves] = m->backs[m->moves] = o;
        m->moves++;
    }
}

static void sort(struct machine *m)
{
    for (int i = 1; i < m->moves; i++)
        for (int k = i; k > 0; k--) {
            int *o = &m->outs[k - 1], *b = &m->backs[k - 1], swap;
            if (m->p->objects[o[0]].writer > m->p->objects[o[1]].writer) {
                swap = o[0];
                o[0] = o[1];
                o[1] = swap;
            }
            if (m->consumer[b[0]] > m->consumer[b[1]]) {
                swap = b[0];
                b[0] = b[1];
                b[1] = swap;
            }
        }
}

static void leave(struct machine *m, int object, int copy)
{
    struct copy *c = &m->copies[object][copy];
    if (--c->users > 0)
        return;
    if (c->shared) {
        c->returning = true;
        return;
    }
    c->gone = true;
    m->used -= m->p->objects[object].size;
}

static void end_step(struct machine *m)
{
    const struct sm_step *step = &m->run->steps[m->steps_done];
    const struct sm_node *n = &m->p->nodes[step->node];
    m->used -= n->workspace;
    for (int k = 0; k < n->read_count; k++)
        leave(m, n->reads[k], copy_at(m->p, m->choices, n->reads[k], step));
    if (n->writes >= 0)
        leave(m, n->writes, step->again > 0);
    m->steps_done++;
    m->step_end = NEVER;
}

/* Ends what ends now. */
static void end_all(struct machine *m)
{
    if (m->step_end == m->now)
        end_step(m);
    if (m->out_end == m->now) {
        int o = m->outs[m->next_out++];
        m->out_end = NEVER;
        m->out_done[o] = true;
        leave(m, o, 0);
    }
    if (m->back_end == m->now) {
        int o = m->backs[m->next_back++];
        m->back_end = NEVER;
        m->back_done[o] = true;
        leave(m, o, 1);
    }
}

static void try_step(struct machine *m)
{
    if (m->step_end != NEVER || m->steps_done == m->run->count)
        return;
    const struct sm_step *step = &m->run->steps[m->steps_done];
    const struct sm_node *n = &m->p->nodes[step->node];
    for (int k = 0; k < n->read_count; k++) {
        int o = n->reads[k];
        if (m->choices[o].what == SM_MOVES && copy_at(m->p, m->choices, o, step) &&
            !m->back_done[o])
            return;
    }
    int need = n->workspace + (n->writes >= 0 ? m->p->objects[n->writes].size : 0);
    if (m->used + need > m->p->capacity)
        return;
    m->used += need;
    m->step_end = m->now + n->ms;
}

static bool is_written(const struct machine *m, int object)
{
    for (int s = 0; s < m->steps_done; s++)
        if (m->run->steps[s].node == m->p->objects[object].writer)
            return true;
    return false;
}

static void try_copies(struct machine *m)
{
    if (m->out_end == NEVER && m->next_out < m->moves && is_written(m, m->outs[m->next_out]))
        m->out_end = m->now + m->p->objects[m->outs[m->next_out]].out_ms;
    if (m->back_end != NEVER || m->next_back == m->moves)
        return;
    int o = m->backs[m->next_back], size = m->p->objects[o].size;
    if (!m->out_done[o] || !m->copies[o][0].gone || m->choices[o].trigger >= m->steps_done ||
        m->used + size > m->p->capacity)
        return;
    m->used += size;
    m->back_end = m->now + m->p->objects[o].back_ms;
}

/* Gives back what was shared; true when there was something. */
static bool give_back(struct machine *m)
{
    bool any = false;
    for (int i = 0; i < m->moves; i++) {
        struct copy *c = &m->copies[m->outs[i]][0];
        if (!c->returning)
            continue;
        c->returning = false;
        c->gone = any = true;
        m->used -= m->p->objects[m->outs[i]].size;
    }
    return any;
}

int sm_makespan(const struct sm_problem *p, const struct sm_choice *choices,
                const struct sm_run *run)
{
    struct machine m = {.p = p, .choices = choices, .run = run};
    m.step_end = m.out_end = m.back_end = NEVER;
    count_users(&m);
    sort(&m);
    for (;;) {
        end_all(&m);
        do {
            try_step(&m);
            try_copies(&m);
        } while (give_back(&m));
        int next = m.step_end < m.out_end ? m.step_end : m.out_end;
        next = m.back_end < next ? m.back_end : next;
        if (next == NEVER)
            return m.steps_done == run->count && m.next_back == m.moves ? m.now : -1;
        m.now = next;
    }
}

/* ---- the best of all ---- */

struct search {
    const struct sm_problem *p;
    struct sm_choice choices[SM_OBJECTS], *best;
    struct sm_run run;
    int order[SM_OBJECTS], moves; /* objects that move, as they come back */
    int least;                    /* INT_MAX: none yet */
};

static void note(struct search *s)
{
    int ms = sm_makespan(s->p, s->choices, &s->run);
    if (ms >= 0 && ms < s->least) {
        s->least = ms;
        memcpy(s->best, s->choices, sizeof s->choices);
    }
}

/* A copy never comes back before those that are ahead of it: an earlier trigger is no other choice.
 */
static void try_triggers(struct search *s, int i, int from)
{
    if (i == s->moves) {
        note(s);
        return;
    }
    int o = s->order[i];
    int consumer = sm_consumer(s->p, s->choices, &s->run, o);
    for (int t = from; t < consumer; t++) {
        /* Before its gap begins it cannot come back anyhow. */
        if (t > SM_ASAP && s->run.steps[t].before <= s->p->objects[o].before)
            continue;
        s->choices[o].trigger = t;
        try_triggers(s, i + 1, t);
    }
}

static void try_actions(struct search *s, int object)
{
    if (object < s->p->object_count) {
        const struct sm_object *o = &s->p->objects[object];
        for (int what = SM_STAYS; what <= SM_MOVES; what++) {
            if (what != SM_STAYS && (o->after < 0 || (what == SM_DROPS && !o->remakes)))
                continue;
            s->choices[object] = (struct sm_choice){(enum sm_what)what, SM_ASAP};
            try_actions(s, object + 1);
        }
        return;
    }
    struct sm_problem roomy = *s->p;
    roomy.capacity = INT_MAX / 2;
    for (int o = 0; o < s->p->object_count; o++)
        s->choices[o].trigger = SM_ASAP;
    sm_sequence(s->p, s->choices, &s->run);
    if (sm_makespan(&roomy, s->choices, &s->run) >= s->least)
        return;
    s->moves = 0;
    for (int step = 0; step < s->run.count; step++)
        for (int o = 0; o < s->p->object_count; o++)
            if (s->choices[o].what == SM_MOVES && sm_consumer(s->p, s->choices, &s->run, o) == step)
                s->order[s->moves++] = o;
    try_triggers(s, 0, SM_ASAP);
}

int sm_optimum(const struct sm_problem *p, struct sm_choice *best)
{
    struct search s = {.p = p, .best = best, .least = INT_MAX};
    try_actions(&s, 0);
    return s.least == INT_MAX ? -1 : s.least;
}
