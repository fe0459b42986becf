/* A calibrated figure and what is not known about it: its value and an interval of plausible ones.
 *
 * The law is a two-piece lognormal with the value as its median and the ends of the interval as its
 * 2.5% and 97.5% points: at a standard normal z
 *
 *     F(z) = value (value / lo)^(z / 1.96)  for z < 0,   value (hi / value)^(z / 1.96)  for z >= 0
 *
 * (1.96 stands for the 97.5% point of the standard normal).  An end that touches the value leaves
 * half of the probability at the value itself: kappa 1 in [1, 1.14] is 1 in half of all draws.
 * Where the sources of a figure span more than one experiment the interval is no confidence
 * interval, and what follows from it no probability of the world but a way to ask "what if". */
#ifndef SL_KNOWN_H
#define SL_KNOWN_H
#include "status.h"

/* 0 < lo <= value <= hi; lo = hi: taken as exact. */
struct sl_known {
    double value, lo, hi;
};

/* F(z).  Exactly the value where the interval has no width, and at z = 0. */
double sl_known_at(struct sl_known figure, double z);
bool sl_known_varies(struct sl_known figure);

/* The statuses of a table's row that a simulator takes: "ok" (measured), "published", "assumed", or
 * none.  Others say what a measurement lacks ("too-few"); such a row is for people.  A word that is
 * no status at all is an error "unknown-word" at `place`. */
bool sl_known_is_usable(const char *status, struct sl_place place, struct sl_diags *diags);
#endif
