/* Arrivals: the first line states the law, the rest is its trace file. */
#include <config.h>

#include "arrivals.h"
#include "fuzz.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARRIVALS = 500 };

static void draw(const struct sl_arrivals *arrivals)
{
    struct sl_arrival_stream *stream;
    struct sl_arrival arrival;
    struct sl_error err = {0};
    uint32_t parameters;
    uint64_t count = 0;
    int64_t before = 0;
    bool more = true;
    sl_arrivals_parameters(arrivals, &parameters);
    FUZZ_CHECK(sl_arrivals_rate(arrivals) >= 0, "rate %g", sl_arrivals_rate(arrivals));
    enum sl_status status = sl_arrival_stream_open(&stream, arrivals, 1, 0, &err);
    fuzz_judge(status, NULL, &err);
    while (status == SL_OK && count < MOST_ARRIVALS) {
        status = sl_arrival_stream_next(stream, &arrival, &more, &err);
        fuzz_judge(status, NULL, &err);
        if (status != SL_OK || !more)
            break;
        FUZZ_CHECK(arrival.t_ps >= before, "arrival %llu is before the one before it",
                   (unsigned long long)count);
        before = arrival.t_ps;
        for (uint32_t p = 0; p < parameters; p++)
            FUZZ_CHECK(arrival.parameters[p] >= 0 && isfinite(arrival.parameters[p]),
                       "parameter %u is %g", p, arrival.parameters[p]);
        count++;
    }
    if (status == SL_OK && sl_arrivals_is_trace(arrivals) && !more)
        FUZZ_CHECK(count == sl_arrivals_count(arrivals), "%llu jobs, counted %llu",
                   (unsigned long long)count, (unsigned long long)sl_arrivals_count(arrivals));
    sl_arrival_stream_close(stream);
}

static void run(const uint8_t *data, size_t size)
{
    const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
    size_t head = line ? (size_t)(line - data) : size, rest = line ? head + 1 : size;
    struct sl_arena arena = {0};
    const struct sl_arrivals *arrivals;
    struct sl_error err = {0};
    struct sl_place place = {"fuzz", 1, 1};
    char *text = fuzz_text(data, head);
    fuzz_write("trace.csv", data + rest, size - rest);
    enum sl_status status = sl_arrivals_parse(&arrivals, text, fuzz_dir(), place, &arena, &err);
    fuzz_judge(status, NULL, &err);
    if (status == SL_OK)
        draw(arrivals);
    sl_arena_free(&arena);
    free(text);
}

static void seed(const struct fuzz_seeds *seeds)
{
    static const char *const texts[] = {
        "poisson(rate=4/s)",
        "fixed(period=10ms)",
        "mmpp(rates=[1/s, 10/s], dwell=[2s, 1s])",
        "trace(file=trace.csv, format=azure, speed=2)\n"
        "TIMESTAMP,ContextTokens,GeneratedTokens\n"
        "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n",
        "trace(file=\"trace.csv\", format=mooncake)\n"
        "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, \"hash_ids\": "
        "[46, 47, 48]}\n"
        "{\"timestamp\": 30535, \"input_length\": 6472, \"output_length\": 26, \"hash_ids\": "
        "[46]}\n",
        "trace(file=trace.csv, format=csv)\ntime_s,n,m\n0.5,1,2\n0.75,3,\"4\"\n",
        "trace(file=trace.csv, format=csv, speed=0.1)\nt_ms,n\n5,1\n7.25,3e3\n",
    };
    for (size_t i = 0; i < sl_arrival_law_count(); i++)
        fuzz_seed_texts(seeds, &(const char *){sl_arrival_law_info(i).example}, 1);
    fuzz_seed_texts(seeds, texts, FUZZ_COUNT(texts));
}

const struct fuzz_target fuzz_target_arrivals = {
    .name = "arrivals",
    .description = "laws of arrivals, and trace files (azure, mooncake, csv)",
    .run = run,
    .seeds = seed,
};
