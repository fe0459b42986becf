/* When jobs arrive: laws (poisson, fixed, mmpp) and trace files, each one file arrivals_NAME.c and
 * one line in arrivals.def.
 *
 * A process is what a scenario states; a stream is one replication of it.  Draws are Philox with a
 * key of their own, so that all policies of a scenario see the same arrivals (common random
 * numbers). */
#ifndef SL_ARRIVALS_H
#define SL_ARRIVALS_H
#include "arena.h"

struct sl_arrivals;       /* immutable, shared */
struct sl_arrival_stream; /* one replication's state; one thread's */

struct sl_arrival {
    int64_t t_ps;             /* from the start of the replication */
    const double *parameters; /* of a trace: its columns, in the order of sl_arrivals_parameters */
    const uint64_t *blocks;
    uint32_t block_count;
};

/* Parses `poisson(rate=4/s)`, `trace(file=..., format=..., speed=...)`; files are taken from
 * `base_dir`.  A trace is read once through, to check it and count it, and then streamed. */
enum sl_status sl_arrivals_parse(const struct sl_arrivals **arrivals, const char *text,
                                 const char *base_dir, struct sl_place place,
                                 struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
/* Mean arrivals per second in the long run; of a trace its own mean. */
double sl_arrivals_rate(const struct sl_arrivals *arrivals);
bool sl_arrivals_is_trace(
    const struct sl_arrivals *arrivals); /* one realisation: trials repeat it */
uint64_t sl_arrivals_count(const struct sl_arrivals *arrivals); /* of a trace; 0: without end */
/* Names of the parameters that a trace gives to each job. */
const struct sl_names *sl_arrivals_parameters(const struct sl_arrivals *arrivals);

enum sl_status sl_arrival_stream_open(struct sl_arrival_stream **stream,
                                      const struct sl_arrivals *arrivals, uint64_t seed,
                                      uint32_t trial, struct sl_error *err) SL_NODISCARD;
void sl_arrival_stream_close(struct sl_arrival_stream *stream);
/* The next one, in order of time; *more false at the end of a trace. */
enum sl_status sl_arrival_stream_next(struct sl_arrival_stream *stream, struct sl_arrival *arrival,
                                      bool *more, struct sl_error *err) SL_NODISCARD;
#endif
