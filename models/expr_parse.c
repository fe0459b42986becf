/* The grammar of expr.h by recursive descent, one operation behind its operands. */
#include <config.h>

#include "expr_ops.h"
#include "text.h"
#include "units.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 4096, MOST_LEVELS = 32, TOKEN_SIZE = 64, WORD_SIZE = 201 };

struct parser {
    const char *text;
    size_t at;
    const struct sl_names *names;
    struct sl_expr_op *ops; /* each takes a character of the text at least */
    uint32_t count;
    int level;
    bool varies;
    struct sl_place place;
    struct sl_error *err;
};

static const char *const functions[] = {"min", "max", "ceil", "floor"};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const char *const dimension_names[] = {"a number", "a time", "a size"};

static enum sl_status parse_sum(struct parser *p, enum sl_expr_dimension *dimension);

/* Of a word, its index among the functions; FUNCTIONS: none of them. */
static size_t find_function(const char *word)
{
    size_t i = 0;
    while (i < FUNCTIONS && strcmp(word, functions[i]) != 0)
        i++;
    return i;
}

bool sl_expr_is_function(const char *word)
{
    return find_function(word) < FUNCTIONS;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t sl_expr_name_length(const char *text)
{
    size_t length = 0;
    while (in_word(text[length]) ||
           (length > 0 && text[length] == '.' && in_word(text[length + 1])))
        length++;
    return length;
}

const char *sl_expr_name_fault(const char *name)
{
    bool word = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *c = name; *c; c++)
        word &= in_word(*c);
    if (!word || strlen(name) >= WORD_SIZE)
        return "a job parameter is named by letters, digits and '_', of which the first is no "
               "digit "
               "(up to 200)";
    return sl_expr_is_function(name) ? "a function of expressions has this name" : NULL;
}

static enum sl_status SL_PRINTF(3, 4) fail(struct parser *p, size_t at, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return SL_FAIL_AT(p->err, SL_INVALID, p->place, "'%.80s%s', character %zu: %s", p->text,
                      strlen(p->text) > 80 ? "..." : "", at + 1, message);
}

static char peek(struct parser *p)
{
    p->at += strspn(p->text + p->at, " \t");
    return p->text[p->at];
}

/* "expected WHAT, found 'x'": the whole character, of one or more bytes. */
static enum sl_status unexpected(struct parser *p, const char *what)
{
    const char *found = p->text + p->at;
    int length = 1;
    while (*found && ((unsigned char)found[length] & 0xC0) == 0x80)
        length++;
    return *found ? fail(p, p->at, "expected %s, found '%.*s'", what, length, found)
                  : fail(p, p->at, "expected %s, found the end", what);
}

static void emit(struct parser *p, enum sl_expr_code code)
{
    p->ops[p->count++] = (struct sl_expr_op){.code = code};
}

/* Copies `length` characters; false when the token does not hold them. */
static bool take(struct parser *p, size_t length, char token[TOKEN_SIZE])
{
    if (length >= TOKEN_SIZE)
        return false;
    memcpy(token, p->text + p->at, length);
    token[length] = '\0';
    p->at += length;
    return true;
}

/* NUMBER [UNIT]; a unit with a B is one of sizes. */
static enum sl_status parse_quantity(struct parser *p, enum sl_expr_dimension *dimension)
{
    const char *start = p->text + p->at, *end = sl_number_end(start);
    if (!end)
        return unexpected(p, "a number");
    const char *unit = end + strspn(end, " \t");
    size_t letters = *unit == '%';
    while (letters == 0 ? isalpha((unsigned char)*unit) : isalpha((unsigned char)unit[letters]))
        letters++;
    if (letters == 0)
        unit = end;
    char token[TOKEN_SIZE], why[SL_WHY_SIZE];
    size_t at = p->at;
    if (!take(p, (size_t)(unit - start) + letters, token))
        return fail(p, at, "a number of more than %d characters", TOKEN_SIZE - 1);
    const char *own = token + (unit - start);
    bool is_size = strpbrk(own, "bB") != NULL;
    *dimension = *own == '\0' || *own == '%' ? SL_EXPR_NUMBER
                 : is_size                   ? SL_EXPR_BYTES
                                             : SL_EXPR_TIME;
    emit(p, SL_EXPR_CONST);
    double *value = &p->ops[p->count - 1].value;
    bool good = *dimension == SL_EXPR_NUMBER  ? sl_parse_number(token, value, why)
                : *dimension == SL_EXPR_BYTES ? sl_parse_bytes_real(token, value, why)
                                              : sl_parse_time_real(token, value, why);
    return good ? SL_OK : fail(p, at, "%s", why);
}

static enum sl_status unknown_word(struct parser *p, size_t at, const char *word, bool called)
{
    char hint[300] = "";
    if (called) {
        sl_suggest(hint, sizeof hint, word, functions, FUNCTIONS);
        return fail(p, at, "unknown function '%s'%s", word, hint);
    }
    if (!p->names || p->names->count == 0)
        return fail(p, at, "unknown job parameter '%s' (there are no job parameters)", word);
    sl_suggest(hint, sizeof hint, word, p->names->names, p->names->count);
    return fail(p, at, "unknown job parameter '%s'%s", word, hint);
}

/* The arguments of min and max, of one dimension, or the one of ceil and floor. */
static enum sl_status parse_call(struct parser *p, size_t function, size_t at,
                                 enum sl_expr_dimension *dimension)
{
    static const enum sl_expr_code codes[FUNCTIONS] = {SL_EXPR_MIN, SL_EXPR_MAX, SL_EXPR_CEIL,
                                                       SL_EXPR_FLOOR};
    bool rounds = codes[function] == SL_EXPR_CEIL || codes[function] == SL_EXPR_FLOOR;
    uint32_t arguments = 0;
    do {
        p->at++; /* the parenthesis or comma */
        enum sl_expr_dimension own;
        enum sl_status status = parse_sum(p, &own);
        if (status)
            return status;
        if (arguments == 0)
            *dimension = own;
        if (own != *dimension)
            return fail(p, at, "%s of %s and %s: its arguments need one unit", functions[function],
                        dimension_names[*dimension], dimension_names[own]);
        if (arguments++ > 0)
            emit(p, codes[function]);
    } while (!rounds && peek(p) == ',');
    if (peek(p) != ')')
        return unexpected(p, rounds ? "')'" : "',' or ')'");
    p->at++;
    if (rounds && *dimension != SL_EXPR_NUMBER)
        return fail(p, at,
                    "%s takes a number, not %s: divide by a unit first, as in "
                    "ceil(x / 1MiB) * 1MiB",
                    functions[function], dimension_names[*dimension]);
    if (!rounds && arguments < 2)
        return fail(p, at, "%s takes two values or more", functions[function]);
    if (rounds)
        emit(p, codes[function]);
    return SL_OK;
}

static enum sl_status parse_word(struct parser *p, enum sl_expr_dimension *dimension)
{
    size_t at = p->at;
    const char *start = p->text + at;
    size_t length = sl_expr_name_length(start);
    char word[WORD_SIZE];
    if (length >= sizeof word)
        return fail(p, at, "a name of more than %zu characters", sizeof word - 1);
    memcpy(word, start, length);
    word[length] = '\0';
    p->at += length;
    bool called = peek(p) == '(';
    size_t function = find_function(word);
    if (called && function < FUNCTIONS)
        return parse_call(p, function, at, dimension);
    uint32_t parameter = called || !p->names ? SL_NONE : sl_names_find(p->names, word);
    if (parameter == SL_NONE)
        return unknown_word(p, at, word, called);
    emit(p, SL_EXPR_PARAMETER);
    p->ops[p->count - 1].parameter = parameter;
    p->varies = true;
    *dimension = SL_EXPR_NUMBER;
    return SL_OK;
}

/* One level: what stands in parentheses, behind a sign or in a call counts from here. */
static enum sl_status parse_factor(struct parser *p, enum sl_expr_dimension *dimension)
{
    char next = peek(p);
    size_t at = p->at;
    if (p->level == MOST_LEVELS)
        return fail(p, at, "more than %d levels of parentheses and signs", MOST_LEVELS);
    p->level++;
    enum sl_status status;
    if (isalpha((unsigned char)next) || next == '_') {
        status = parse_word(p, dimension);
    } else if (isdigit((unsigned char)next) || next == '.') {
        status = parse_quantity(p, dimension);
    } else if (next == '-') {
        p->at++;
        status = parse_factor(p, dimension);
        emit(p, SL_EXPR_NEGATE);
    } else if (next == '(') {
        p->at++;
        status = parse_sum(p, dimension);
        if (status == SL_OK && peek(p) != ')')
            status = unexpected(p, "an operator or ')'");
        p->at += status == SL_OK;
    } else {
        status = unexpected(p, "a quantity, a job parameter or '('");
    }
    p->level--;
    return status;
}

static enum sl_status parse_product(struct parser *p, enum sl_expr_dimension *dimension)
{
    enum sl_status status = parse_factor(p, dimension);
    for (char next; status == SL_OK && ((next = peek(p)) == '*' || next == '/');) {
        size_t at = p->at++;
        enum sl_expr_dimension right = SL_EXPR_NUMBER;
        status = parse_factor(p, &right);
        if (status)
            break;
        if (next == '*' && *dimension != SL_EXPR_NUMBER && right != SL_EXPR_NUMBER)
            return fail(p, at, "'*' of %s and %s: one of them has to be a number",
                        dimension_names[*dimension], dimension_names[right]);
        if (next == '/' && right != SL_EXPR_NUMBER && right != *dimension)
            return fail(p, at, "'/' of %s by %s: divide by a number, or by what has the same unit",
                        dimension_names[*dimension], dimension_names[right]);
        if (next == '*' && right != SL_EXPR_NUMBER)
            *dimension = right;
        if (next == '/' && right == *dimension)
            *dimension = SL_EXPR_NUMBER;
        emit(p, next == '*' ? SL_EXPR_MULTIPLY : SL_EXPR_DIVIDE);
    }
    return status;
}

static enum sl_status parse_sum(struct parser *p, enum sl_expr_dimension *dimension)
{
    enum sl_status status = parse_product(p, dimension);
    for (char next; status == SL_OK && ((next = peek(p)) == '+' || next == '-');) {
        size_t at = p->at++;
        enum sl_expr_dimension right = SL_EXPR_NUMBER;
        status = parse_product(p, &right);
        if (status == SL_OK && right != *dimension)
            return fail(p, at, "'%c' of %s and %s: both need the same unit", next,
                        dimension_names[*dimension], dimension_names[right]);
        emit(p, next == '+' ? SL_EXPR_ADD : SL_EXPR_SUBTRACT);
    }
    return status;
}

static enum sl_status parse_all(struct parser *p, enum sl_expr_dimension wanted)
{
    static const char *const units[] = {"", ", such as 1us * x", ", such as 1KiB * x"};
    enum sl_expr_dimension found = wanted;
    enum sl_status status = parse_sum(p, &found);
    if (status == SL_OK && peek(p))
        status = unexpected(p, "an operator or the end");
    if (status == SL_OK && found != wanted)
        status = fail(p, 0, "it is %s, and %s is needed%s", dimension_names[found],
                      dimension_names[wanted], units[wanted]);
    return status;
}

enum sl_status sl_expr_parse(const struct sl_expr **expr, const char *text,
                             enum sl_expr_dimension dimension, const struct sl_names *names,
                             struct sl_place place, struct sl_arena *arena, struct sl_error *err)
{
    size_t length = strlen(text);
    if (length > MOST_TEXT)
        return SL_FAIL_AT(err, SL_INVALID, place,
                          "an expression of %zu characters is too long (allowed: %d)", length,
                          MOST_TEXT);
    struct parser p = {.text = text, .names = names, .place = place, .err = err};
    p.ops = malloc((length + 1) * sizeof *p.ops);
    if (!p.ops)
        return SL_FAIL_AT(err, SL_SYSTEM, place, "out of memory for an expression");
    enum sl_status status = parse_all(&p, dimension);
    if (status == SL_OK) {
        const char *own = sl_arena_strdup(arena, text);
        struct sl_expr *made = own ? sl_expr_new(arena, own, p.count) : NULL;
        if (made) {
            memcpy(made->ops, p.ops, p.count * sizeof *p.ops);
            made->count = p.count;
            made->varies = p.varies;
            *expr = made;
        } else {
            status = SL_FAIL_AT(err, SL_SYSTEM, place, "out of memory for an expression");
        }
    }
    free(p.ops);
    return status;
}
