/* Job j of a replication: its arrival, or the j-th think time, and its parameters. */
#include <config.h>

#include "job_source.h"
#include "philox.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>

struct stream {
    const struct sl_job_mode *mode;
    struct sl_arrival_stream *arrivals; /* NULL: mode closed */
    uint64_t seed, next_job, jobs, think_hash;
    uint32_t trial;
    uint64_t *hashes; /* by parameter */
    double *values;
};

static double draw(const struct stream *s, uint64_t hash, const struct sl_dist *dist)
{
    double u, u2;
    sl_draws_uniforms_long(s->seed, s->trial, hash, s->next_job, &u, &u2);
    return sl_dist_value(dist, u, u2);
}

static enum sl_status next(void *user, struct sl_job_arrival *job, bool *more, struct sl_error *err)
{
    struct stream *s = user;
    struct sl_arrival arrival = {0};
    *more = s->next_job < s->jobs;
    if (!*more)
        return SL_OK;
    if (s->arrivals) {
        enum sl_status status = sl_arrival_stream_next(s->arrivals, &arrival, more, err);
        if (status || !*more)
            return status;
    } else if (s->mode->think) {
        double think_ps = draw(s, s->think_hash, s->mode->think);
        if (!(think_ps < 0x1p61))
            return SL_FAIL(err, SL_INVALID, "a think time is longer than 26 days");
        arrival.t_ps = llround(think_ps);
    }
    for (uint32_t i = 0; i < s->mode->parameters.count; i++)
        s->values[i] =
            s->mode->draws[i] ? draw(s, s->hashes[i], s->mode->draws[i]) : arrival.parameters[i];
    s->next_job++;
    *job = (struct sl_job_arrival){.t_ps = arrival.t_ps,
                                   .parameters = s->values,
                                   .blocks = arrival.blocks,
                                   .block_count = arrival.block_count};
    return SL_OK;
}

static void close_stream(struct stream *s)
{
    sl_arrival_stream_close(s->arrivals);
    free(s->hashes);
    free(s->values);
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
    close_stream(source->user);
}
