/* Iterations: a plan of one iteration becomes a plan of N, which follow each other.  Private to
 * policy/. */
#ifndef SL_UNROLL_H
#define SL_UNROLL_H
#include "editor.h"

/* Copies of objects that outlive an iteration, by holding: which one of the iteration before stands
 * for it at the start of an iteration; SL_NONE: every iteration has a copy of its own. */
struct sl_carry {
    uint32_t *from; /* per holding */
    bool *shared;   /* per object and domain: its copy is carried from one iteration to the next */
    uint32_t *last; /* per object and domain: its last copy, SL_NONE */
};

/* carry.c: what is carried.  SL_NO when an object that is there at the start is not at the end, so
 * that there is no second iteration.  sl_carry_free in every case. */
enum sl_status sl_carry_find(struct sl_carry *carry, const struct sl_graph *graph,
                             struct sl_error *err) SL_NODISCARD;
void sl_carry_free(struct sl_carry *carry);
/* Adds edges of scope `next` from the last users of a carried copy in one iteration to its first
 * users in the next, where one of them writes, and to whoever gives it back there. */
enum sl_status sl_carry_order(struct sl_editor *editor, const struct sl_carry *carry) SL_NODISCARD;

/* Who gives each holding of a graph back, in lists; entry 0 is not used. */
struct sl_givers {
    uint32_t *head, *next, *node;
};
/* False when out of memory; sl_givers_free in every case. */
bool sl_givers_list(struct sl_givers *givers, const struct sl_graph *graph) SL_NODISCARD;
void sl_givers_free(struct sl_givers *givers);
/* later_uses.c: a reclamation behind those that gave the copy back so far, which now does. */
enum sl_status sl_givers_follow(const struct sl_givers *givers, struct sl_editor *editor,
                                uint32_t holding, uint32_t *reclamation) SL_NODISCARD;

/* A node of an iteration that uses a copy of `next` iterations before: the reclamation waits for
 * it. */
struct sl_later_use {
    uint32_t user, reclamation, next;
};
struct sl_later_uses {
    struct sl_later_use *items; /* malloc'ed */
    uint32_t count, capacity;
};
/* later_uses.c: finds them, and adds the reclamations to the plan of one iteration. */
enum sl_status sl_later_uses_find(struct sl_later_uses *uses, struct sl_editor *editor,
                                  const struct sl_carry *carry) SL_NODISCARD;

/* Turns the finished plan of one iteration into one of `iterations` and finishes it again:
 *
 *     nodes    iteration-major, so that lanes and engines in order of submission go on from one
 *              iteration to the next; NAME, NAME@2, NAME@3 ...  Keys likewise: draws of their own
 *     edges    one copy per iteration; `next: k` from iteration i to i + k, none into the first k
 *     bytes    every iteration takes its own, but what is carried is there already
 *
 * SL_NO for names and keys that end like those of later iterations, and for plans that come to more
 * than SL_MAX_UNROLLED nodes. */
enum sl_status sl_plan_unroll(struct sl_plan *plan, uint32_t iterations,
                              struct sl_error *err) SL_NODISCARD;
#endif
