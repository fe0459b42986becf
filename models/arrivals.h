/* When jobs arrive: laws (poisson, fixed, mmpp) and trace files, each one file arrivals_NAME.c and
 * one line in arrivals.def.
 *
 *     arrivals := name '(' [arg {',' arg}] ')'
 *     arg      := name '=' (value | '[' value {',' value} ']' | '"' file name '"')
 *
 * A process is what a scenario states; a stream is one replication of it.  Draws are Philox with a
 * key of their own (doc/semantics.md), so that all policies of a scenario see the same arrivals
 * (common random numbers). */
#ifndef SL_ARRIVALS_H
#define SL_ARRIVALS_H
#include "arena.h"

#define SL_MOST_PARAMETERS 64 /* of a job */

struct sl_arrivals;       /* immutable, shared; owned by the arena of its parsing */
struct sl_arrival_stream; /* one replication's state; one thread's */

struct sl_arrival {
    int64_t t_ps; /* from the start of the replication, not before the one before it */
    const double
        *parameters; /* of a trace, in the order of sl_arrivals_parameters; until the next */
    const uint64_t *blocks;
    uint32_t block_count;
    struct sl_place place; /* of a trace, its row; file NULL: there is none */
};

/* Parses `poisson(rate=4/s)`, `trace(file=..., format=..., speed=...)`; relative file names are
 * taken from `base_dir`.  A trace is read once through, to check and count it, and then streamed:
 * it needs the memory of its longest line.  Faults are SL_INVALID, of the text at `place` and of a
 * file at their line there. */
enum sl_status sl_arrivals_parse(const struct sl_arrivals **arrivals, const char *text,
                                 const char *base_dir, struct sl_place place,
                                 struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
/* Mean arrivals per second in the long run; of a trace its gaps' mean, 0 where it has none. */
double sl_arrivals_rate(const struct sl_arrivals *arrivals);
/* One realisation: trials repeat it. */
bool sl_arrivals_is_trace(const struct sl_arrivals *arrivals);
/* Of a trace its jobs; 0: without end. */
uint64_t sl_arrivals_count(const struct sl_arrivals *arrivals);
/* The file that a trace is read from; NULL: none. */
const char *sl_arrivals_file(const struct sl_arrivals *arrivals);
/* Names of the parameters that a trace gives to each job (none of other laws), and their means. */
const char *const *sl_arrivals_parameters(const struct sl_arrivals *arrivals, uint32_t *count);
const double *sl_arrivals_means(const struct sl_arrivals *arrivals);
/* It names blocks of its jobs, a trace with their hashes; *mean: how many, of a job. */
bool sl_arrivals_name_blocks(const struct sl_arrivals *arrivals, double *mean);

enum sl_status sl_arrival_stream_open(struct sl_arrival_stream **stream,
                                      const struct sl_arrivals *arrivals, uint64_t seed,
                                      uint32_t trial, struct sl_error *err) SL_NODISCARD;
void sl_arrival_stream_close(struct sl_arrival_stream *stream);
/* The next one, in order of time; *more false at the end of a trace.  SL_INVALID when times leave
 * their range (2^62 ps), or a trace has changed since it was checked. */
enum sl_status sl_arrival_stream_next(struct sl_arrival_stream *stream, struct sl_arrival *arrival,
                                      bool *more, struct sl_error *err) SL_NODISCARD;

/* Registries, for `slackline list` and for tests: the laws, and the formats of traces. */
struct sl_arrivals_info {
    const char *name, *description, *parameters, *example;
};
size_t sl_arrival_law_count(void);
struct sl_arrivals_info sl_arrival_law_info(size_t index);
size_t sl_trace_format_count(void);
struct sl_arrivals_info sl_trace_format_info(size_t index);
#endif
