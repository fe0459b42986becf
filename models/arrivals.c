/* The registry of laws of arrivals, their texts, and what streams have in common. */
#include <config.h>

#include "arrival_law.h"
#include "text.h"
#include "trace_format.h"
#include "units.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 4096 };
#define TICKS_PER_S 1e12

static const struct sl_arrival_law *const laws[] = {
#define SL_ARRIVAL_LAW(name) &sl_arrival_law_##name,
#include "arrivals.def"
#undef SL_ARRIVAL_LAW
};
enum { LAWS = sizeof laws / sizeof *laws };

size_t sl_arrival_law_count(void)
{
    return LAWS;
}

struct sl_arrivals_info sl_arrival_law_info(size_t index)
{
    return laws[index]->info;
}

enum sl_status sl_arrival_fail(struct sl_arrival_reader *reader, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return SL_FAIL_AT(reader->err, SL_INVALID, reader->place, "'%.80s%s': %s", reader->text,
                      strlen(reader->text) > 80 ? "..." : "", message);
}

enum sl_status sl_arrival_rate(struct sl_arrival_reader *reader, const char *name,
                               const char *value, double *per_s)
{
    char why[SL_WHY_SIZE];
    if (!value)
        return sl_arrival_fail(reader, "it needs a %s, such as %s=4/s", name, name);
    if (!sl_parse_rate(value, per_s, why))
        return sl_arrival_fail(reader, "%s: %s", name, why);
    return sl_arrival_check_rate(reader, name, *per_s);
}

enum sl_status sl_arrival_check_rate(struct sl_arrival_reader *reader, const char *name,
                                     double per_s)
{
    if (!(per_s > 0))
        return sl_arrival_fail(reader, "%s: a rate above 0 is needed", name);
    return per_s <= TICKS_PER_S
               ? SL_OK
               : sl_arrival_fail(reader,
                                 "%s: %g/s; the clock has ticks of 1 ps, and 1e12/s is the most",
                                 name, per_s);
}

/* ---- the text -----------------------------------------------------------------------------------
 */

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        text[--length] = '\0';
    return text;
}

/* The comma that ends an argument, outside brackets and quotes, or the end of the text. */
static char *argument_end(char *text)
{
    bool quoted = false, listed = false;
    for (; *text && (*text != ',' || quoted || listed); text++) {
        quoted ^= *text == '"';
        listed = !quoted && (listed || *text == '[') && *text != ']';
    }
    return text;
}

/* Takes quotes or brackets off. */
static char *bare(char *value)
{
    size_t length = strlen(value);
    bool wrapped = length >= 2 && ((value[0] == '"' && value[length - 1] == '"') ||
                                   (value[0] == '[' && value[length - 1] == ']'));
    if (!wrapped)
        return value;
    value[length - 1] = '\0';
    return trim(value + 1);
}

/* "NAME = VALUE" into the slot of its name. */
static enum sl_status take_argument(struct sl_arrival_reader *reader,
                                    const struct sl_arrival_law *law, char *text,
                                    const char **values)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return sl_arrival_fail(reader, "'%.80s' is no NAME=VALUE (%s)", trim(text),
                               law->info.parameters);
    *equals = '\0';
    const char *name = trim(text);
    uint32_t count = 0, index = SL_NONE;
    for (; count < SL_ARRIVAL_ARGS && law->args[count]; count++)
        if (strcmp(law->args[count], name) == 0)
            index = count;
    if (index == SL_NONE) {
        char hint[256] = "";
        sl_suggest(hint, sizeof hint, name, law->args, count);
        return sl_arrival_fail(reader, "%s has no parameter '%.80s'%s", law->info.name, name, hint);
    }
    if (values[index])
        return sl_arrival_fail(reader, "%s is given twice", name);
    values[index] = bare(trim(equals + 1));
    return SL_OK;
}

/* Finds the law; *inside is what stands in its parentheses. */
static enum sl_status find_law(struct sl_arrival_reader *reader, char *text,
                               const struct sl_arrival_law **law, char **inside)
{
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open || close[1])
        return sl_arrival_fail(reader, "expected LAW(NAME=VALUE, ...), such as poisson(rate=4/s)");
    *open = *close = '\0';
    *inside = open + 1;
    const char *name = trim(text), *names[LAWS];
    for (size_t i = 0; i < LAWS; i++) {
        names[i] = laws[i]->info.name;
        if (strcmp(names[i], name) == 0) {
            *law = laws[i];
            return SL_OK;
        }
    }
    char hint[256] = "";
    sl_suggest(hint, sizeof hint, name, names, LAWS);
    return sl_arrival_fail(reader, "unknown law of arrivals '%.80s'%s", name, hint);
}

enum sl_status sl_arrivals_parse(const struct sl_arrivals **arrivals, const char *text,
                                 const char *base_dir, struct sl_place place,
                                 struct sl_arena *arena, struct sl_error *err)
{
    struct sl_arrival_reader reader = {text, base_dir, place, arena, err};
    const char *values[SL_ARRIVAL_ARGS] = {NULL};
    char *rest = NULL;
    if (strlen(text) > MOST_TEXT)
        return SL_FAIL_AT(err, SL_INVALID, place, "%zu characters are too many (allowed: %d)",
                          strlen(text), MOST_TEXT);
    char *copy = sl_arena_strdup(arena, text);
    struct sl_arrivals *made = sl_arena_alloc(arena, sizeof *made);
    if (!copy || !made)
        return SL_FAIL_AT(err, SL_SYSTEM, place, "out of memory for arrivals");
    enum sl_status status = find_law(&reader, trim(copy), &made->law, &rest);
    if (status == SL_OK && !*trim(rest))
        rest = NULL;
    while (status == SL_OK && rest) {
        char *argument = rest, *end = argument_end(rest);
        rest = *end ? end + 1 : NULL;
        *end = '\0';
        status = take_argument(&reader, made->law, argument, values);
    }
    if (status == SL_OK)
        status = made->law->make(made, values, &reader);
    if (status == SL_OK)
        *arrivals = made;
    return status;
}

/* ---- what there is to know ----------------------------------------------------------------------
 */

double sl_arrivals_rate(const struct sl_arrivals *arrivals)
{
    return arrivals->rate;
}

bool sl_arrivals_name_blocks(const struct sl_arrivals *arrivals, double *mean)
{
    *mean = arrivals->mean_blocks;
    return arrivals->format && arrivals->format->names_blocks;
}

bool sl_arrivals_is_trace(const struct sl_arrivals *arrivals)
{
    return arrivals->file != NULL;
}

uint64_t sl_arrivals_count(const struct sl_arrivals *arrivals)
{
    return arrivals->count;
}

const char *sl_arrivals_file(const struct sl_arrivals *arrivals)
{
    return arrivals->file;
}

const char *const *sl_arrivals_parameters(const struct sl_arrivals *arrivals, uint32_t *count)
{
    *count = arrivals->parameter_count;
    return arrivals->parameters;
}

const double *sl_arrivals_means(const struct sl_arrivals *arrivals)
{
    return arrivals->means;
}

/* ---- streams ------------------------------------------------------------------------------------
 */

enum sl_status sl_arrival_stream_open(struct sl_arrival_stream **stream,
                                      const struct sl_arrivals *arrivals, uint64_t seed,
                                      uint32_t trial, struct sl_error *err)
{
    struct sl_arrival_stream *opened = calloc(1, sizeof *opened);
    if (!opened)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for arrivals");
    opened->arrivals = arrivals;
    opened->seed = seed;
    opened->trial = trial;
    opened->hash = sl_hash_text("job:arrivals");
    enum sl_status status = arrivals->law->open ? arrivals->law->open(opened, err) : SL_OK;
    if (status == SL_OK)
        *stream = opened;
    else
        free(opened);
    return status;
}

void sl_arrival_stream_close(struct sl_arrival_stream *stream)
{
    if (stream && stream->arrivals->law->close)
        stream->arrivals->law->close(stream);
    free(stream);
}

enum sl_status sl_arrival_stream_next(struct sl_arrival_stream *stream, struct sl_arrival *arrival,
                                      bool *more, struct sl_error *err)
{
    *arrival = (struct sl_arrival){0};
    *more = true;
    return stream->arrivals->law->next(stream, arrival, more, err);
}

void sl_arrival_draw(struct sl_arrival_stream *stream, double *u, double *u2)
{
    uint32_t at = stream->number % SL_ARRIVAL_DRAWS;
    if (at == 0)
        sl_uniforms_numbers(stream->seed, stream->trial,
                            sl_draws_hash_of(stream->hash, stream->number),
                            (uint32_t)stream->number, SL_ARRIVAL_DRAWS, stream->u, stream->u2);
    stream->number++;
    *u = stream->u[at];
    *u2 = stream->u2[at];
}

enum sl_status sl_arrival_advance(struct sl_arrival_stream *stream, double gap_ps,
                                  struct sl_error *err)
{
    if (!(gap_ps >= 0 && gap_ps + (double)stream->t_ps < 0x1p62))
        return SL_FAIL(err, SL_INVALID, "jobs arrive after more than 53 days of simulated time");
    stream->t_ps += sl_round_ps(gap_ps);
    return SL_OK;
}
