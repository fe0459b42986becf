/* Thin names over YAJL's generator. */
#include "json_out.h"
#include "figures.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

yajl_gen sl_json_create(void)
{
    yajl_gen gen = yajl_gen_alloc(NULL);
    if (gen) {
        yajl_gen_config(gen, yajl_gen_beautify, 1);
        yajl_gen_config(gen, yajl_gen_indent_string, "  ");
    }
    return gen;
}

static void put_string(yajl_gen gen, const char *text)
{
    yajl_gen_string(gen, (const unsigned char *)text, strlen(text));
}

static void put_key(yajl_gen gen, const char *key)
{
    if (key)
        put_string(gen, key);
}

void sl_json_open_map(yajl_gen gen, const char *key)
{
    put_key(gen, key);
    yajl_gen_map_open(gen);
}

void sl_json_open_array(yajl_gen gen, const char *key)
{
    put_key(gen, key);
    yajl_gen_array_open(gen);
}

void sl_json_text(yajl_gen gen, const char *key, const char *text)
{
    put_key(gen, key);
    if (text)
        put_string(gen, text);
    else
        yajl_gen_null(gen);
}

void sl_json_raw_number(yajl_gen gen, const char *key, const char *digits)
{
    put_key(gen, key);
    yajl_gen_number(gen, digits, strlen(digits));
}

void sl_json_number(yajl_gen gen, const char *key, double value)
{
    char buffer[SL_FIGURE_SIZE];
    if (isnan(value))
        sl_json_text(gen, key, NULL);
    else if (isinf(value))
        sl_json_text(gen, key, sl_figure(buffer, value));
    else
        sl_json_raw_number(gen, key, sl_figure(buffer, value));
}

void sl_json_us(yajl_gen gen, const char *key, int64_t ps)
{
    char buffer[SL_FIGURE_SIZE];
    if (ps == INT64_MAX)
        sl_json_text(gen, key, "inf");
    else
        sl_json_raw_number(gen, key, sl_figure_us(buffer, ps));
}

void sl_json_estimate(yajl_gen gen, const char *key, struct sl_estimate estimate)
{
    sl_json_open_map(gen, key);
    sl_json_number(gen, "value", estimate.value);
    sl_json_number(gen, "lo", estimate.lo);
    sl_json_number(gen, "hi", estimate.hi);
    yajl_gen_map_close(gen);
}

void sl_json_estimate_us(yajl_gen gen, const char *key, struct sl_estimate time)
{
    sl_json_open_map(gen, key);
    sl_json_number(gen, "value_us", time.value);
    sl_json_number(gen, "lo_us", time.lo);
    sl_json_number(gen, "hi_us", time.hi);
    yajl_gen_map_close(gen);
}

void sl_json_integer(yajl_gen gen, const char *key, int64_t value)
{
    char buffer[SL_FIGURE_SIZE];
    snprintf(buffer, sizeof buffer, "%" PRId64, value);
    sl_json_raw_number(gen, key, buffer);
}

void sl_json_bool(yajl_gen gen, const char *key, bool value)
{
    put_key(gen, key);
    yajl_gen_bool(gen, value);
}

enum sl_status sl_json_finish(yajl_gen gen, FILE *out, struct sl_error *err)
{
    const unsigned char *text = NULL;
    size_t length = 0;
    enum sl_status status = SL_OK;
    if (yajl_gen_get_buf(gen, &text, &length) != yajl_gen_status_ok)
        status = SL_FAIL(err, SL_SYSTEM, "the JSON text could not be generated");
    else if (fwrite(text, 1, length, out) != length || putc('\n', out) == EOF)
        status = SL_FAIL(err, SL_SYSTEM, "the JSON text could not be written");
    yajl_gen_free(gen);
    return status;
}
