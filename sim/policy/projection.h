/* Levels of every domain along an attempt's sequence (project.c), for what decides by them. Private
 * to policy/. */
#ifndef SL_PROJECTION_H
#define SL_PROJECTION_H
#include "attempt.h"

struct sl_stretch {
    uint32_t from, to; /* labels, inclusive; from > to: never held */
};

struct sl_projection {
    const struct sl_attempt *a;
    struct sl_stretch *stretches; /* per holding */
    uint32_t *user_at; /* per label: the user's node running there or next before, SL_NONE */
    uint32_t labels;
};

/* False when out of memory; sl_projection_close in every case. */
bool sl_projection_open(struct sl_projection *p, const struct sl_attempt *a) SL_NODISCARD;
void sl_projection_close(struct sl_projection *p);
/* Bytes of the domain at each label, workspace included, into levels[0 .. labels), which has room
 * for labels + 2; returns the peak. */
int64_t sl_projection_add_up(const struct sl_projection *p, uint32_t domain, int64_t *levels);
/* The copy that a move makes at home; SL_NONE. */
uint32_t sl_copy_of_move(const struct sl_attempt *a, const struct sl_move *move);
#endif
