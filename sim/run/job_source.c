/* Job j of a replication: its arrival, or the j-th think time, its parameters and blocks.
 *
 * Blocks that no trace names (run.blocks) are, for the i-th of `count`:
 *
 *     i < common           of all jobs                           i
 *     i >= count - own     the job's own                         2^62 + job 2^20 + i
 *     else                 of all with the same conversation c   (c + 1) 2^20 + i */
#include <config.h>

#include "job_source.h"
#include "philox.h"
#include "text.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct stream {
    const struct sl_job_mode *mode;
    struct sl_arrival_stream *arrivals; /* NULL: mode closed */
    uint64_t seed, next_job, jobs, think_hash;
    uint32_t trial;
    uint64_t *hashes; /* by parameter */
    double *values;
    uint64_t *blocks; /* without a trace that names them */
    uint32_t block_capacity;
};

#define BLOCK_BITS    20 /* of a name, for its place in a job */
#define CONVERSATIONS ((double)(UINT64_C(1) << 40))

static double draw(const struct stream *s, uint64_t hash, const struct sl_dist *dist)
{
    double u, u2;
    sl_draws_uniforms_long(s->seed, s->trial, hash, s->next_job, &u, &u2);
    return sl_dist_value(dist, u, u2);
}

/* A whole number of [0, end): the value rounded down. */
static enum sl_status whole(const struct stream *s, const struct sl_job_number *number,
                            const char *what, double end, uint64_t *value, struct sl_error *err)
{
    double real = number->expr ? sl_expr_value(number->expr, s->values) : number->mean;
    if (!(real >= 0 && real < end))
        return SL_FAIL_AT(err, SL_INVALID, s->mode->prefix.place,
                          "job %" PRIu64 ": run.blocks: %s is %g (allowed: 0 to %.0f)", s->next_job,
                          what, real, end - 1);
    *value = (uint64_t)real;
    return SL_OK;
}

static enum sl_status name_blocks(struct stream *s, uint32_t *count, struct sl_error *err)
{
    const struct sl_job_prefix *prefix = &s->mode->prefix;
    const double most = 1 << BLOCK_BITS;
    uint64_t blocks, common, own, conversation;
    enum sl_status status = whole(s, &prefix->count, "count", most, &blocks, err);
    if (status == SL_OK)
        status = whole(s, &prefix->common, "common", most, &common, err);
    if (status == SL_OK)
        status = whole(s, &prefix->own, "own", most, &own, err);
    if (status == SL_OK)
        status = whole(s, &prefix->conversation, "conversation", CONVERSATIONS, &conversation, err);
    if (status)
        return status;
    if (!sl_grow((void **)&s->blocks, &s->block_capacity, (uint32_t)blocks, sizeof *s->blocks))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the blocks of a job");
    for (uint64_t i = 0; i < blocks; i++)
        s->blocks[i] = i + (i < common         ? 0
                            : i + own < blocks ? (conversation + 1) << BLOCK_BITS
                                               : (UINT64_C(1) << 62) + (s->next_job << BLOCK_BITS));
    *count = (uint32_t)blocks;
    return SL_OK;
}

/* The client's time of thinking before the job; none is 0. */
static enum sl_status think(const struct stream *s, int64_t *ps, struct sl_error *err)
{
    double think_ps = s->mode->think ? draw(s, s->think_hash, s->mode->think) : 0;
    if (!(think_ps < 0x1p61))
        return SL_FAIL(err, SL_INVALID, "a think time is longer than 26 days");
    *ps = llround(think_ps);
    return SL_OK;
}

static enum sl_status next(void *user, struct sl_job_arrival *job, bool *more, struct sl_error *err)
{
    struct stream *s = user;
    struct sl_arrival arrival;
    *more = s->next_job < s->jobs;
    if (!*more)
        return SL_OK;
    if (s->arrivals) {
        enum sl_status status = sl_arrival_stream_next(s->arrivals, &arrival, more, err);
        if (status || !*more)
            return status;
    } else {
        arrival = (struct sl_arrival){0};
        enum sl_status status = think(s, &arrival.t_ps, err);
        if (status)
            return status;
    }
    for (uint32_t i = 0; i < s->mode->parameters.count; i++)
        s->values[i] =
            s->mode->draws[i] ? draw(s, s->hashes[i], s->mode->draws[i]) : arrival.parameters[i];
    if (s->mode->prefix.place.file) {
        enum sl_status status = name_blocks(s, &arrival.block_count, err);
        if (status)
            return status;
        arrival.blocks = s->blocks;
    }
    s->next_job++;
    *job = (struct sl_job_arrival){.t_ps = arrival.t_ps,
                                   .parameters = s->values,
                                   .blocks = arrival.blocks,
                                   .block_count = arrival.block_count,
                                   .place = arrival.place};
    return SL_OK;
}

static void close_stream(struct stream *s)
{
    sl_arrival_stream_close(s->arrivals);
    free(s->hashes);
    free(s->values);
    free(s->blocks);
    free(s);
}

/* The keys of what is drawn per job; false when out of memory. */
static bool hash_keys(struct stream *s)
{
    struct sl_arena arena = {0};
    bool good = true;
    s->think_hash = sl_hash_text("job:think");
    for (uint32_t i = 0; good && i < s->mode->parameters.count; i++) {
        const char *key = sl_arena_printf(&arena, "parameter:%s", s->mode->parameters.names[i]);
        good = key != NULL;
        s->hashes[i] = good ? sl_hash_text(key) : 0;
    }
    sl_arena_free(&arena);
    return good;
}

enum sl_status sl_job_source_open(struct sl_job_source *source, const struct sl_scenario *scenario,
                                  uint64_t seed, uint32_t trial, struct sl_error *err)
{
    const struct sl_job_mode *mode = &scenario->jobs;
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for jobs");
    *s = (struct stream){
        .mode = mode, .seed = seed, .trial = trial, .jobs = sl_job_mode_count(mode)};
    s->hashes = calloc(mode->parameters.count + 1u, sizeof *s->hashes);
    s->values = calloc(mode->parameters.count + 1u, sizeof *s->values);
    enum sl_status status = s->hashes && s->values && hash_keys(s)
                                ? SL_OK
                                : SL_FAIL(err, SL_SYSTEM, "out of memory for jobs");
    if (status == SL_OK && mode->arrivals)
        status = sl_arrival_stream_open(&s->arrivals, mode->arrivals, seed, trial, err);
    if (status == SL_OK)
        *source = (struct sl_job_source){next, s};
    else
        close_stream(s);
    return status;
}

void sl_job_source_close(struct sl_job_source *source)
{
    if (source->user)
        close_stream(source->user);
}
