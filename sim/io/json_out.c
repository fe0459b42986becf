/* Thin names over YAJL's generator.
 *
 * YAJL uses what malloc returns without a look at it.  So its generator gets room that is there
 * already, and gives its text to a stream, which notices when memory runs out. */
#include <config.h>

#include "figures.h"
#include "json_out.h"
#include "memout.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 8192 }; /* for the generator itself and a buffer's head: 1.2 kB in YAJL 2.1 */

struct writer {
    _Alignas(max_align_t) char room[ROOM]; /* the generator begins it */
    size_t used;
    struct sl_memout text;
};

static void *take_room(void *user, size_t size)
{
    struct writer *writer = user;
    size_t step = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (step > ROOM - writer->used)
        return NULL;
    writer->used += step;
    return writer->room + writer->used - step;
}

static void *grow_room(void *user, void *old, size_t size)
{
    (void)old; /* a generator that prints has nothing to grow */
    return take_room(user, size);
}

static void leave_room(void *user, void *old)
{
    (void)user;
    (void)old;
}

static void print(void *stream, const char *text, size_t length)
{
    fwrite(text, 1, length, stream); /* errors stay with the stream until it is closed */
}

static struct writer *writer_of(yajl_gen gen)
{
    return (struct writer *)(void *)((char *)gen - offsetof(struct writer, room));
}

static yajl_gen begin(struct writer *writer, FILE *out)
{
    const yajl_alloc_funcs room = {take_room, grow_room, leave_room, writer};
    yajl_gen gen = yajl_gen_alloc(&room);
    yajl_gen_config(gen, yajl_gen_beautify, 1);
    yajl_gen_config(gen, yajl_gen_indent_string, "  ");
    yajl_gen_config(gen, yajl_gen_print_callback, print, out);
    return gen;
}

yajl_gen sl_json_create_on(FILE *out)
{
    struct writer *writer = calloc(1, sizeof *writer);
    return writer ? begin(writer, out) : NULL;
}

yajl_gen sl_json_create(void)
{
    struct writer *writer = calloc(1, sizeof *writer);
    if (writer && sl_memout_open(&writer->text))
        return begin(writer, writer->text.stream);
    free(writer);
    return NULL;
}

void sl_json_drop(yajl_gen gen)
{
    if (!gen)
        return;
    struct writer *writer = writer_of(gen);
    yajl_gen_free(gen);
    sl_memout_drop(&writer->text);
    free(writer);
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
    struct writer *writer = writer_of(gen);
    char *text = sl_memout_close(&writer->text);
    size_t size = writer->text.size;
    enum sl_status status = SL_OK;
    if (!text)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the JSON text");
    else if (fwrite(text, 1, size, out) != size || putc('\n', out) == EOF)
        status = SL_FAIL(err, SL_SYSTEM, "the JSON text could not be written: %s", strerror(errno));
    free(text);
    sl_json_drop(gen);
    return status;
}
