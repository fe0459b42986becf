/* Inside of arrivals: what a law's file sees.  Users include arrivals.h. */
#ifndef SL_ARRIVAL_LAW_H
#define SL_ARRIVAL_LAW_H
#include "arrivals.h"
#include "philox.h"

enum { SL_ARRIVAL_ARGS = 4, SL_ARRIVAL_STATES = 8 };

/* State of one sl_arrivals_parse call. */
struct sl_arrival_reader {
    const char *text, *base_dir;
    struct sl_place place;
    struct sl_arena *arena;
    struct sl_error *err;
};

struct sl_arrival_law {
    struct sl_arrivals_info info;
    const char *args[SL_ARRIVAL_ARGS]; /* names; the rest NULL */
    /* `values` in the order of `args`, NULL where not given; lists without their brackets. */
    enum sl_status (*make)(struct sl_arrivals *arrivals, const char *const *values,
                           struct sl_arrival_reader *reader);
    enum sl_status (*open)(struct sl_arrival_stream *stream, struct sl_error *err); /* or NULL */
    void (*close)(struct sl_arrival_stream *stream);                                /* or NULL */
    /* Sets arrival->t_ps, and of a trace the rest, too. */
    enum sl_status (*next)(struct sl_arrival_stream *stream, struct sl_arrival *arrival, bool *more,
                           struct sl_error *err);
};

struct sl_arrivals {
    const struct sl_arrival_law *law;
    double rate; /* per second */
    uint64_t count;
    const char *const *parameters;
    double *means;
    uint32_t parameter_count;
    uint32_t states; /* mmpp: rates and mean dwells, by state */
    double rates_per_ps[SL_ARRIVAL_STATES], dwells_ps[SL_ARRIVAL_STATES];
    const char *file; /* trace */
    const struct sl_trace_format *format;
    double speed;
    double mean_blocks; /* of a job */
};

/* Made at once; divides 2^32, where draws go on under another hash. */
#define SL_ARRIVAL_DRAWS 128

struct sl_arrival_stream {
    const struct sl_arrivals *arrivals;
    uint64_t seed, hash;
    uint32_t trial;
    uint32_t state;  /* mmpp */
    uint64_t number; /* draws so far */
    int64_t t_ps;    /* of the latest arrival, or change of state */
    void *trace;     /* struct trace of arrivals_trace.c */
    /* The block of draws that the next one is in. */
    double u[SL_ARRIVAL_DRAWS + SL_DRAWS_AT_ONCE], u2[SL_ARRIVAL_DRAWS + SL_DRAWS_AT_ONCE];
};

/* The next two uniforms of the stream. */
void sl_arrival_draw(struct sl_arrival_stream *stream, double *u, double *u2);
/* Adds a gap to the stream's time, rounded to a tick; SL_INVALID at 2^62 ps. */
enum sl_status sl_arrival_advance(struct sl_arrival_stream *stream, double gap_ps,
                                  struct sl_error *err) SL_NODISCARD;
/* SL_INVALID at the place of the text, quoting it. */
enum sl_status sl_arrival_fail(struct sl_arrival_reader *reader, const char *format, ...)
    SL_PRINTF(2, 3);
/* A rate above 0, and of one job a tick at the most. */
enum sl_status sl_arrival_rate(struct sl_arrival_reader *reader, const char *name,
                               const char *value, double *per_s) SL_NODISCARD;
enum sl_status sl_arrival_check_rate(struct sl_arrival_reader *reader, const char *name,
                                     double per_s) SL_NODISCARD;

#define SL_ARRIVAL_LAW(name) extern const struct sl_arrival_law sl_arrival_law_##name;
#include "arrivals.def"
#undef SL_ARRIVAL_LAW
#endif
