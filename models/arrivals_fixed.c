/* fixed(rate=4/s): one job every 1 / rate, the first one after that time. */
#include <config.h>

#include "arrival_law.h"

static enum sl_status make(struct sl_arrivals *arrivals, const char *const *values,
                           struct sl_arrival_reader *reader)
{
    return sl_arrival_rate(reader, "rate", values[0], &arrivals->rate);
}

static enum sl_status next(struct sl_arrival_stream *stream, struct sl_arrival *arrival, bool *more,
                           struct sl_error *err)
{
    (void)more;
    enum sl_status status = sl_arrival_advance(stream, 1e12 / stream->arrivals->rate, err);
    arrival->t_ps = stream->t_ps;
    return status;
}

const struct sl_arrival_law sl_arrival_law_fixed = {
    .info = {"fixed", "one every 1 / rate", "rate", "fixed(rate=4/s)"},
    .args = {"rate"},
    .make = make,
    .next = next,
};
