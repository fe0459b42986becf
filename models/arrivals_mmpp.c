/* mmpp(rates=[1/s, 9/s], dwells=[10s, 2s]): a Poisson process whose rate changes with a hidden
 * state.
 *
 * A state i lasts an exponential time of mean dwells[i], and then the next one in the list begins,
 * after the last one the first.  In it jobs arrive at rates[i].  So the next event comes at the
 * rate a_i = rates[i] + 1 / dwells[i], and is an arrival with probability rates[i] / a_i.  The
 * stream starts in state i with its share of the time, dwells[i] / sum(dwells); in the long run
 *
 *     rate = sum(rates[i] dwells[i]) / sum(dwells)
 */
#include <config.h>

#include "arrival_law.h"
#include "text.h"
#include "units.h"
#include <math.h>

/* Of one list, its values into `out`. */
static enum sl_status read_list(struct sl_arrival_reader *reader, const char *name,
                                const char *values, bool is_rate, double *out, size_t *count)
{
    char why[SL_WHY_SIZE];
    char **parts = sl_split(reader->arena, values ? values : "", ',', count);
    if (!parts)
        return SL_FAIL_AT(reader->err, SL_SYSTEM, reader->place, "out of memory for arrivals");
    if (*count < 2 || *count > SL_ARRIVAL_STATES)
        return sl_arrival_fail(reader, "%s: %zu values; 2 to %d states are needed, such as %s",
                               name, *count, SL_ARRIVAL_STATES,
                               "mmpp(rates=[1/s, 9/s], dwells=[10s, 2s])");
    for (size_t i = 0; i < *count; i++) {
        bool good = is_rate ? sl_parse_rate(parts[i], &out[i], why)
                            : sl_parse_time_real(parts[i], &out[i], why);
        if (!good)
            return sl_arrival_fail(reader, "%s: %s", name, why);
        if (is_rate)
            out[i] /= 1e12;
        else if (!(out[i] > 0))
            return sl_arrival_fail(reader, "dwells: a time above 0 is needed");
    }
    return SL_OK;
}

static enum sl_status make(struct sl_arrivals *arrivals, const char *const *values,
                           struct sl_arrival_reader *reader)
{
    size_t rates, dwells;
    enum sl_status status =
        read_list(reader, "rates", values[0], true, arrivals->rates_per_ps, &rates);
    if (status == SL_OK)
        status = read_list(reader, "dwells", values[1], false, arrivals->dwells_ps, &dwells);
    if (status)
        return status;
    if (rates != dwells)
        return sl_arrival_fail(reader, "%zu rates and %zu dwells: each state needs both", rates,
                               dwells);
    double jobs = 0, time = 0;
    for (size_t i = 0; i < rates; i++) {
        jobs += arrivals->rates_per_ps[i] * arrivals->dwells_ps[i];
        time += arrivals->dwells_ps[i];
    }
    if (!(jobs > 0))
        return sl_arrival_fail(reader, "rates: one above 0 is needed");
    /* Each change of state is a step of the stream. */
    if ((double)rates / jobs > 1000)
        return sl_arrival_fail(reader,
                               "more than 1000 changes of state between two jobs; state longer "
                               "dwells or higher rates");
    arrivals->states = (uint32_t)rates;
    arrivals->rate = jobs / time * 1e12;
    return sl_arrival_check_rate(reader, "the mean of the rates", arrivals->rate);
}

static enum sl_status start(struct sl_arrival_stream *stream, struct sl_error *err)
{
    const struct sl_arrivals *a = stream->arrivals;
    double u, u2, time = 0;
    (void)err;
    sl_arrival_draw(stream, &u, &u2);
    for (uint32_t i = 0; i < a->states; i++)
        time += a->dwells_ps[i];
    double at = u * time;
    while (stream->state + 1 < a->states && at >= a->dwells_ps[stream->state])
        at -= a->dwells_ps[stream->state++];
    return SL_OK;
}

static enum sl_status next(struct sl_arrival_stream *stream, struct sl_arrival *arrival, bool *more,
                           struct sl_error *err)
{
    const struct sl_arrivals *a = stream->arrivals;
    (void)more;
    for (;;) {
        double u, u2, rate = a->rates_per_ps[stream->state];
        double events = rate + 1 / a->dwells_ps[stream->state];
        sl_arrival_draw(stream, &u, &u2);
        enum sl_status status = sl_arrival_advance(stream, -log(u) / events, err);
        arrival->t_ps = stream->t_ps;
        if (status || u2 * events < rate)
            return status;
        stream->state = (stream->state + 1) % a->states;
    }
}

const struct sl_arrival_law sl_arrival_law_mmpp = {
    .info = {"mmpp", "poisson, at a rate that changes between states of exponential dwell",
             "rates, dwells", "mmpp(rates=[1/s, 9/s], dwells=[10s, 2s])"},
    .args = {"rates", "dwells"},
    .make = make,
    .open = start,
    .next = next,
};
