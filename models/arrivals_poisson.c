/* poisson(rate=4/s): gaps are exponential, -ln(u) / rate, each rounded to a tick. */
#include <config.h>

#include "arrival_law.h"
#include <math.h>

static enum sl_status make(struct sl_arrivals *arrivals, const char *const *values,
                           struct sl_arrival_reader *reader)
{
    return sl_arrival_rate(reader, "rate", values[0], &arrivals->rate);
}

static enum sl_status next(struct sl_arrival_stream *stream, struct sl_arrival *arrival, bool *more,
                           struct sl_error *err)
{
    double u, u2;
    (void)more;
    sl_arrival_draw(stream, &u, &u2);
    enum sl_status status =
        sl_arrival_advance(stream, -log(u) * 1e12 / stream->arrivals->rate, err);
    arrival->t_ps = stream->t_ps;
    return status;
}

const struct sl_arrival_law sl_arrival_law_poisson = {
    .info = {"poisson", "independent of each other, at a mean rate", "rate", "poisson(rate=4/s)"},
    .args = {"rate"},
    .make = make,
    .next = next,
};
