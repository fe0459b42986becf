/* The expression grammar of dist.h, one pass over the text. */
#include <config.h>

#include "dist_family.h"
#include "text.h"
#include "units.h"
#include <ctype.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN_SIZE = 4096 };

static enum sl_status parse_expression(struct sl_dist_reader *reader, struct sl_dist **out);

enum sl_status sl_dist_fail(struct sl_dist_reader *reader, size_t position, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return SL_FAIL_AT(reader->err, SL_INVALID, reader->place, "'%.80s%s', character %zu: %s",
                      reader->text, strlen(reader->text) > 80 ? "..." : "", position + 1, message);
}

static char peek(struct sl_dist_reader *reader)
{
    while (isspace((unsigned char)reader->text[reader->position]))
        reader->position++;
    return reader->text[reader->position];
}

static enum sl_status expect(struct sl_dist_reader *reader, char wanted, const char *where)
{
    char found = peek(reader);
    if (found == wanted) {
        reader->position++;
        return SL_OK;
    }
    if (!found)
        return sl_dist_fail(reader, reader->position,
                            "expected '%c' %s, found the end; where a comma has split the value, "
                            "as in a map in braces, put the value in quotes",
                            wanted, where);
    return sl_dist_fail(reader, reader->position, "expected '%c' %s, found '%c'", wanted, where,
                        found);
}

/* Length of the identifier at the position, 0 when there is none. */
static size_t identifier(const struct sl_dist_reader *reader)
{
    const char *start = reader->text + reader->position;
    size_t length = 0;
    if (!isalpha((unsigned char)start[0]) && start[0] != '_')
        return 0;
    while (isalnum((unsigned char)start[length]) || start[length] == '_')
        length++;
    return length;
}

/* A '+' that belongs to an exponent, as in 1e+3us. */
static bool exponent_sign(const char *text, size_t i)
{
    return i >= 2 && (text[i - 1] == 'e' || text[i - 1] == 'E') &&
           (isdigit((unsigned char)text[i - 2]) || text[i - 2] == '.') &&
           isdigit((unsigned char)text[i + 1]);
}

/* Copies the text up to one of `stops` (outside double quotes), trimmed, into `token`. */
static enum sl_status take_token(struct sl_dist_reader *reader, const char *stops,
                                 char token[TOKEN_SIZE])
{
    peek(reader);
    const char *start = reader->text + reader->position;
    size_t length = 0;
    if (start[0] == '"') {
        const char *end = strchr(start + 1, '"');
        if (!end)
            return sl_dist_fail(reader, reader->position, "this '\"' is not closed");
        length = (size_t)(end - start) - 1;
        start++;
        reader->position += length + 2;
    } else {
        while (start[length] && (!strchr(stops, start[length]) ||
                                 (start[length] == '+' && exponent_sign(start, length))))
            length++;
        reader->position += length;
        while (length > 0 && isspace((unsigned char)start[length - 1]))
            length--;
    }
    if (length >= TOKEN_SIZE)
        return sl_dist_fail(reader, reader->position, "a value of %zu characters is too long",
                            length);
    memcpy(token, start, length);
    token[length] = 0;
    return SL_OK;
}

static enum sl_status to_value(struct sl_dist_reader *reader, const char *token, size_t position,
                               bool is_time, double *value)
{
    char why[SL_WHY_SIZE];
    if (!token[0])
        return sl_dist_fail(reader, position, "a value is missing");
    bool good =
        is_time ? sl_parse_time_real(token, value, why) : sl_parse_number(token, value, why);
    if (!good)
        return sl_dist_fail(reader, position, "%s", why);
    if (!(*value >= 0))
        return sl_dist_fail(reader, position, "'%s' is negative", token);
    return SL_OK;
}

static struct sl_dist *new_dist(struct sl_dist_reader *reader)
{
    bool outermost = reader->depth == 1;
    size_t size = outermost ? strlen(reader->text) + 1 : 0;
    struct sl_dist *dist = sl_arena_alloc(reader->arena, sizeof *dist + size);
    if (!dist)
        (void)SL_FAIL_AT(reader->err, SL_SYSTEM, reader->place, "out of memory");
    else if (outermost)
        memcpy(dist->text, reader->text, size);
    return dist;
}

static enum sl_status unknown_family(struct sl_dist_reader *reader, size_t position,
                                     const char *name)
{
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; i < sl_dist_family_count() && count < 64; i++)
        if (!sl_dist_family_get(i)->infix)
            names[count++] = sl_dist_family_get(i)->info.name;
    char hint[256] = "";
    sl_suggest(hint, sizeof hint, name, names, count);
    return sl_dist_fail(reader, position, "unknown distribution '%s'%s", name, hint);
}

static const struct sl_dist_family *find_family(const char *name, size_t length)
{
    for (size_t i = 0; i < sl_dist_family_count(); i++) {
        const struct sl_dist_family *family = sl_dist_family_get(i);
        if (!family->infix && strncmp(family->info.name, name, length) == 0 &&
            !family->info.name[length])
            return family;
    }
    return NULL;
}

static size_t param_count(const struct sl_dist_family *family)
{
    size_t count = 0;
    while (count < SL_DIST_MAX_PARAMS && family->params[count].name)
        count++;
    return count;
}

static enum sl_status unknown_param(struct sl_dist_reader *reader,
                                    const struct sl_dist_family *family, const char *name,
                                    size_t length)
{
    const char *names[SL_DIST_MAX_PARAMS];
    size_t count = param_count(family);
    for (size_t i = 0; i < count; i++)
        names[i] = family->params[i].name;
    char word[64], hint[256] = "";
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
    sl_suggest(hint, sizeof hint, word, names, count);
    return sl_dist_fail(reader, reader->position, "%s has no parameter '%s'%s", family->info.name,
                        word, hint);
}

/* Finds which parameter the argument at the position is for, and moves to its value. */
static enum sl_status which_param(struct sl_dist_reader *reader,
                                  const struct sl_dist_family *family, uint32_t nth,
                                  unsigned *param)
{
    size_t length = identifier(reader);
    size_t after = reader->position + length;
    while (isspace((unsigned char)reader->text[after]))
        after++;
    if (length == 0 || reader->text[after] != '=') {
        if (nth >= family->positional)
            return sl_dist_fail(reader, reader->position,
                                "parameters of %s are written name=value (%s)", family->info.name,
                                family->info.parameters);
        *param = nth;
        return SL_OK;
    }
    const char *name = reader->text + reader->position;
    size_t count = param_count(family);
    unsigned i = 0;
    while (i < count &&
           !(strncmp(family->params[i].name, name, length) == 0 && !family->params[i].name[length]))
        i++;
    if (i == count)
        return unknown_param(reader, family, name, length);
    reader->position = after + 1;
    *param = i;
    return SL_OK;
}

static enum sl_status parse_argument(struct sl_dist_reader *reader,
                                     const struct sl_dist_family *family, uint32_t nth,
                                     struct sl_dist_args *args)
{
    unsigned param = 0;
    size_t start = reader->position;
    enum sl_status status = which_param(reader, family, nth, &param);
    if (status != SL_OK)
        return status;
    if (args->given[param])
        return sl_dist_fail(reader, start, "%s is given twice", family->params[param].name);
    args->given[param] = true;
    peek(reader);
    size_t value = reader->position;
    char token[TOKEN_SIZE];
    status = take_token(reader, ",()", token);
    if (status != SL_OK)
        return status;
    enum sl_dist_param_kind kind = family->params[param].kind;
    if (kind == SL_PARAM_FILE) {
        if (!token[0])
            return sl_dist_fail(reader, value, "a file name is missing");
        args->file = sl_arena_strdup(reader->arena, token);
        return args->file ? SL_OK : SL_FAIL(reader->err, SL_SYSTEM, "out of memory");
    }
    bool is_time = kind == SL_PARAM_QUANTITY && reader->dimension == SL_DIST_TIME;
    return to_value(reader, token, value, is_time, &args->value[param]);
}

static enum sl_status parse_arguments(struct sl_dist_reader *reader,
                                      const struct sl_dist_family *family,
                                      struct sl_dist_args *args)
{
    for (uint32_t nth = 0;; nth++) {
        if (peek(reader) == ')' && nth == 0)
            break;
        enum sl_status status = parse_argument(reader, family, nth, args);
        if (status != SL_OK)
            return status;
        if (peek(reader) != ',')
            break;
        reader->position++;
        peek(reader);
    }
    return expect(reader, ')', "or ',' after a value");
}

/* weight '*' expression {',' weight '*' expression} */
static enum sl_status parse_parts(struct sl_dist_reader *reader, struct sl_dist_args *args)
{
    uint32_t capacity = 0;
    struct sl_dist_part *parts = NULL;
    enum sl_status status = SL_OK;
    for (;;) {
        peek(reader);
        size_t start = reader->position;
        char token[TOKEN_SIZE];
        double weight;
        struct sl_dist *part;
        if ((status = take_token(reader, ",()*", token)) != SL_OK ||
            (status = to_value(reader, token, start, false, &weight)) != SL_OK ||
            (status = expect(reader, '*', "between a weight and its distribution")) != SL_OK ||
            (status = parse_expression(reader, &part)) != SL_OK)
            goto out;
        if (!sl_grow((void **)&parts, &capacity, args->part_count + 1, sizeof *parts)) {
            status = SL_FAIL(reader->err, SL_SYSTEM, "out of memory");
            goto out;
        }
        parts[args->part_count++] = (struct sl_dist_part){.dist = part, .weight = weight};
        if (peek(reader) != ',')
            break;
        reader->position++;
    }
    if ((status = expect(reader, ')', "or ',' after a component")) != SL_OK)
        goto out;
    args->parts = sl_arena_array(reader->arena, args->part_count, sizeof *parts);
    if (args->parts)
        memcpy(args->parts, parts, args->part_count * sizeof *parts);
    else
        status = SL_FAIL(reader->err, SL_SYSTEM, "out of memory");
out:
    free(parts);
    return status;
}

static enum sl_status make(struct sl_dist_reader *reader, const struct sl_dist_family *family,
                           const struct sl_dist_args *args, struct sl_dist **out)
{
    struct sl_dist *dist = new_dist(reader);
    if (!dist)
        return SL_SYSTEM;
    dist->family = family;
    dist->value = family->value ? family->value : sl_dist_value_exact;
    *out = dist;
    return family->make(dist, args, reader);
}

static enum sl_status parse_call(struct sl_dist_reader *reader, size_t length, struct sl_dist **out)
{
    size_t start = reader->position;
    const char *name = reader->text + start;
    const struct sl_dist_family *family = find_family(name, length);
    if (!family) {
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
        return unknown_family(reader, start, word);
    }
    reader->position += length;
    if (peek(reader) != '(')
        return sl_dist_fail(reader, reader->position, "%s needs its parameters: %s",
                            family->info.name, family->info.example);
    reader->position++;
    struct sl_dist_args args = {0};
    enum sl_status status =
        family->weighted ? parse_parts(reader, &args) : parse_arguments(reader, family, &args);
    if (status != SL_OK)
        return status;
    reader->call = start;
    return make(reader, family, &args, out);
}

/* quantity ['+' expression] */
static enum sl_status parse_quantity(struct sl_dist_reader *reader, struct sl_dist **out)
{
    size_t start = reader->position;
    char token[TOKEN_SIZE];
    struct sl_dist_args args = {0};
    enum sl_status status = take_token(reader, ",()*+", token);
    if (status == SL_OK)
        status = to_value(reader, token, start, reader->dimension == SL_DIST_TIME, &args.value[0]);
    if (status != SL_OK)
        return status;
    args.given[0] = true;
    if (peek(reader) != '+') {
        reader->call = start;
        return make(reader, &sl_dist_family_const, &args, out);
    }
    reader->position++;
    struct sl_dist *inner;
    status = parse_expression(reader, &inner);
    if (status != SL_OK)
        return status;
    args.parts = &(struct sl_dist_part){.dist = inner};
    reader->call = start;
    return make(reader, &sl_dist_family_shift, &args, out);
}

static enum sl_status parse_expression(struct sl_dist_reader *reader, struct sl_dist **out)
{
    if (reader->depth == SL_DIST_MAX_DEPTH)
        return sl_dist_fail(reader, reader->position, "nested deeper than %d", SL_DIST_MAX_DEPTH);
    reader->depth++;
    peek(reader);
    size_t length = identifier(reader);
    enum sl_status status =
        length > 0 ? parse_call(reader, length, out) : parse_quantity(reader, out);
    reader->depth--;
    return status;
}

/* GSL's default handler aborts; its functions' return values are checked here instead. */
static void quiet_gsl(void)
{
    gsl_set_error_handler_off();
}

enum sl_status sl_dist_parse(const struct sl_dist **dist, const char *text,
                             enum sl_dist_dimension dimension, const char *base_dir,
                             struct sl_place place, struct sl_arena *arena, struct sl_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, quiet_gsl);
    struct sl_dist_reader reader = {.text = text,
                                    .base_dir = base_dir,
                                    .dimension = dimension,
                                    .place = place,
                                    .arena = arena,
                                    .err = err};
    if (strlen(text) > SL_DIST_MAX_TEXT)
        return SL_FAIL_AT(err, SL_INVALID, place,
                          "an expression of %zu characters is longer than %d", strlen(text),
                          SL_DIST_MAX_TEXT);
    if (!peek(&reader))
        return SL_FAIL_AT(err, SL_INVALID, place, "a duration expression is empty");
    struct sl_dist *made = NULL;
    enum sl_status status = parse_expression(&reader, &made);
    if (status != SL_OK)
        return status;
    if (peek(&reader))
        return sl_dist_fail(&reader, reader.position, "unexpected '%c' after the expression",
                            reader.text[reader.position]);
    *dist = made;
    return SL_OK;
}
