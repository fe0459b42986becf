/* Quantities with units: one scanner, one table per quantity. */
#include <config.h>

#include "text.h"
#include "units.h"
#include <ctype.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    double scale;
};

struct quantity {
    const char *what;    /* "a time" */
    const char *example; /* "120us" */
    const struct unit *units;
    size_t count;
};

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define MOST_UNITS   16

static const struct unit time_units[] = {{"ps", 1},   {"ns", 1e3},   {"us", 1e6},  {"ms", 1e9},
                                         {"s", 1e12}, {"min", 6e13}, {"h", 3.6e15}};
static const struct unit byte_units[] = {
    {"B", 1},           {"kB", 1e3},           {"MB", 1e6},
    {"GB", 1e9},        {"TB", 1e12},          {"KiB", 1024.0},
    {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
static const struct unit bandwidth_units[] = {
    {"B/s", 1},           {"kB/s", 1e3},           {"MB/s", 1e6},
    {"GB/s", 1e9},        {"TB/s", 1e12},          {"KiB/s", 1024.0},
    {"MiB/s", 1048576.0}, {"GiB/s", 1073741824.0}, {"TiB/s", 1099511627776.0}};
static const struct unit rate_units[] = {
    {"/us", 1e6}, {"/ms", 1e3}, {"/s", 1}, {"/min", 1.0 / 60}, {"/h", 1.0 / 3600}};
static const struct unit flop_units[] = {{"FLOP", 1},    {"kFLOP", 1e3},  {"MFLOP", 1e6},
                                         {"GFLOP", 1e9}, {"TFLOP", 1e12}, {"PFLOP", 1e15}};

static const struct quantity times = {"a time", "120us", time_units, COUNT(time_units)};
static const struct quantity sizes = {"a size", "64MiB", byte_units, COUNT(byte_units)};
static const struct quantity bandwidths = {"a bandwidth", "25GB/s", bandwidth_units,
                                           COUNT(bandwidth_units)};
static const struct quantity rates = {"a rate", "4/s", rate_units, COUNT(rate_units)};
static const struct quantity flops = {"an operation count", "7.2TFLOP", flop_units,
                                      COUNT(flop_units)};

/* Users' text in a message: quoted, and cut between two characters when long. */
struct quoted {
    char text[48];
};

static struct quoted quote(const char *text)
{
    struct quoted q;
    size_t length = strlen(text), most = sizeof q.text - 6;
    if (length <= most) {
        snprintf(q.text, sizeof q.text, "'%s'", text);
        return q;
    }
    while (most && ((unsigned char)text[most] & 0xC0) == 0x80)
        most--;
    snprintf(q.text, sizeof q.text, "'%.*s...'", (int)most, text);
    return q;
}

/* Appends "; write a time such as 120us (ps, ns, ...)". */
static void add_allowed(char why[SL_WHY_SIZE], const struct quantity *quantity)
{
    size_t used = strlen(why);
    snprintf(why + used, SL_WHY_SIZE - used, "; write %s such as %s (", quantity->what,
             quantity->example);
    for (size_t i = 0; i < quantity->count; i++) {
        used = strlen(why);
        snprintf(why + used, SL_WHY_SIZE - used, "%s%s", i ? ", " : "", quantity->units[i].name);
    }
    used = strlen(why);
    snprintf(why + used, SL_WHY_SIZE - used, ")");
}

/* strtold alone would also take hexadecimal, "inf" and "nan". */
const char *sl_number_end(const char *text)
{
    const char *c = text + (*text == '-' || *text == '+');
    size_t digits = strspn(c, "0123456789");
    c += digits;
    if (*c == '.') {
        size_t decimals = strspn(++c, "0123456789");
        digits += decimals;
        c += decimals;
    }
    if (digits == 0)
        return NULL;
    if (*c == 'e' || *c == 'E') {
        const char *exponent = c + 1 + (c[1] == '-' || c[1] == '+');
        if (isdigit((unsigned char)*exponent))
            c = exponent + strspn(exponent, "0123456789");
    }
    return c;
}

/* The decimal point is a point in every locale.  Long double holds each 64-bit integer. */
static long double number_value(const char *text)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return strtold(text, NULL);
    long double value = strtold_l(text, NULL, c_locale);
    freelocale(c_locale);
    return value;
}

static const struct unit *find_unit(const struct quantity *quantity, const char *name)
{
    for (size_t i = 0; i < quantity->count; i++)
        if (strcmp(quantity->units[i].name, name) == 0)
            return &quantity->units[i];
    return NULL;
}

static void unknown_unit(const struct quantity *quantity, const char *text, const char *unit,
                         char why[SL_WHY_SIZE])
{
    const char *names[MOST_UNITS];
    for (size_t i = 0; i < quantity->count; i++)
        names[i] = quantity->units[i].name;
    const char *nearest = sl_nearest(unit, names, quantity->count);
    snprintf(why, SL_WHY_SIZE, "%s has the unknown unit %s", quote(text).text, quote(unit).text);
    if (nearest) {
        size_t used = strlen(why);
        snprintf(why + used, SL_WHY_SIZE - used, " (did you mean '%s'?)", nearest);
    }
    add_allowed(why, quantity);
}

/* Number times unit, not negative, at most `most`.  Blanks may stand before the unit. */
static bool parse(const struct quantity *quantity, const char *text, long double most,
                  long double *value, char why[SL_WHY_SIZE])
{
    const char *end = sl_number_end(text);
    if (!end) {
        snprintf(why, SL_WHY_SIZE, *text ? "%s is not %s" : "found nothing where %s%s belongs",
                 *text ? quote(text).text : "", quantity->what);
        add_allowed(why, quantity);
        return false;
    }
    const char *unit_text = end + strspn(end, " \t");
    if (!*unit_text) {
        snprintf(why, SL_WHY_SIZE, "%s has no unit", quote(text).text);
        add_allowed(why, quantity);
        return false;
    }
    const struct unit *unit = find_unit(quantity, unit_text);
    if (!unit) {
        unknown_unit(quantity, text, unit_text, why);
        return false;
    }
    long double product = number_value(text) * (long double)unit->scale;
    if (product < 0) {
        snprintf(why, SL_WHY_SIZE, "%s is negative; %s is zero or more", quote(text).text,
                 quantity->what);
        return false;
    }
    if (!(product <= most)) {
        snprintf(why, SL_WHY_SIZE, "%s is too large for %s", quote(text).text, quantity->what);
        return false;
    }
    *value = product;
    return true;
}

static bool parse_whole(const struct quantity *quantity, const char *text, int64_t most,
                        int64_t *value, char why[SL_WHY_SIZE])
{
    long double real;
    if (!parse(quantity, text, (long double)most, &real, why))
        return false;
    *value = llroundl(real);
    return true;
}

static bool parse_real(const struct quantity *quantity, const char *text, double *value,
                       char why[SL_WHY_SIZE])
{
    long double real;
    if (!parse(quantity, text, 1e300L, &real, why))
        return false;
    *value = (double)real;
    return true;
}

bool sl_parse_time(const char *text, int64_t *ps, char why[SL_WHY_SIZE])
{
    return parse_whole(&times, text, (int64_t)1 << 62, ps, why);
}

bool sl_parse_time_real(const char *text, double *ps, char why[SL_WHY_SIZE])
{
    long double real;
    if (!parse(&times, text, 0x1p62L, &real, why))
        return false;
    *ps = (double)real;
    return true;
}

bool sl_parse_bytes(const char *text, int64_t *bytes, char why[SL_WHY_SIZE])
{
    return parse_whole(&sizes, text, (int64_t)1 << 60, bytes, why);
}

bool sl_parse_bytes_real(const char *text, double *bytes, char why[SL_WHY_SIZE])
{
    return parse_real(&sizes, text, bytes, why);
}

bool sl_parse_bandwidth(const char *text, double *bytes_per_s, char why[SL_WHY_SIZE])
{
    return parse_real(&bandwidths, text, bytes_per_s, why);
}

bool sl_parse_rate(const char *text, double *per_s, char why[SL_WHY_SIZE])
{
    return parse_real(&rates, text, per_s, why);
}

bool sl_parse_flop(const char *text, double *flop, char why[SL_WHY_SIZE])
{
    return parse_real(&flops, text, flop, why);
}

bool sl_parse_number(const char *text, double *value, char why[SL_WHY_SIZE])
{
    const char *end = sl_number_end(text);
    bool percent = end && *end == '%';
    if (!end || end[percent]) {
        snprintf(why, SL_WHY_SIZE, "%s is not a number; write a plain number such as 0.95 or 95%%",
                 quote(text).text);
        return false;
    }
    long double real = number_value(text) / (percent ? 100.0L : 1.0L);
    if (real < 0) {
        snprintf(why, SL_WHY_SIZE, "%s is negative; write zero or more", quote(text).text);
        return false;
    }
    if (!(real <= 1e300L)) {
        snprintf(why, SL_WHY_SIZE, "%s is too large", quote(text).text);
        return false;
    }
    *value = (double)real;
    return true;
}

bool sl_parse_share(const char *text, double *share, char why[SL_WHY_SIZE])
{
    double value;
    if (!sl_parse_number(text, &value, why))
        return false;
    bool percent = strchr(text, '%') != NULL;
    if (!percent && value >= 1)
        snprintf(why, SL_WHY_SIZE, "%s has no %%; write %s%% (or a number below 1, such as 0.01)",
                 quote(text).text, text);
    else if (!(value > 0))
        snprintf(why, SL_WHY_SIZE, "%s is not above 0%%", quote(text).text);
    else if (value > 1)
        snprintf(why, SL_WHY_SIZE, "%s is above 100%%", quote(text).text);
    else
        *share = value;
    return value > 0 && value <= 1 && (percent || value < 1);
}

bool sl_parse_integer(const char *text, int64_t low, int64_t high, int64_t *value,
                      char why[SL_WHY_SIZE])
{
    const char *digits = text + (*text == '-' || *text == '+');
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || digits[length]) {
        snprintf(why, SL_WHY_SIZE, "%s is not a whole number; write one from %lld to %lld",
                 quote(text).text, (long long)low, (long long)high);
        return false;
    }
    /* Summed negative, since the negative range is the larger one. */
    int64_t sum = 0;
    bool overflow = false;
    for (size_t i = 0; i < length && !overflow; i++)
        overflow = __builtin_mul_overflow(sum, 10, &sum) ||
                   __builtin_sub_overflow(sum, digits[i] - '0', &sum);
    if (!overflow && *text != '-')
        overflow = __builtin_sub_overflow((int64_t)0, sum, &sum);
    if (overflow || sum < low || sum > high) {
        snprintf(why, SL_WHY_SIZE, "%s is out of range; write a whole number from %lld to %lld",
                 quote(text).text, (long long)low, (long long)high);
        return false;
    }
    *value = sum;
    return true;
}

#define PS_PER_S     INT64_C(1000000000000)
#define PS_DIGITS    12
#define MOST_SECONDS INT64_C(1000000000000000)

/* Digits of a decimal number as they come: `place` counts down to 0 at the point, and further down
 * behind it; the digit after the last one that counts rounds.  False when too large. */
static bool take_digit(struct sl_instant *instant, int64_t place, int digit)
{
    if (place > 0)
        instant->s = instant->s * 10 + digit;
    else if (place > -PS_DIGITS)
        instant->ps = instant->ps * 10 + digit;
    else if (place == -PS_DIGITS)
        instant->ps += digit >= 5;
    return instant->s <= MOST_SECONDS;
}

bool sl_parse_instant(const char *text, size_t length, int power, struct sl_instant *instant)
{
    char number[402]; /* so that the number ends where the caller says */
    if (length >= sizeof number || *text == '-')
        return false;
    memcpy(number, text, length);
    number[length] = '\0';
    const char *end = sl_number_end(number);
    if (!end || *end)
        return false;
    const char *c = number + (*number == '+');
    size_t mantissa = strcspn(c, "eE"), whole = strcspn(c, ".eE");
    int64_t exponent = 0;
    char why[SL_WHY_SIZE];
    if (c[mantissa] && !sl_parse_integer(c + mantissa + 1, -9999, 9999, &exponent, why))
        return false;
    int64_t place = (int64_t)whole + power + exponent;
    bool fits = true;
    *instant = (struct sl_instant){0, 0};
    for (size_t i = 0; i < mantissa && fits && place >= -PS_DIGITS; i++)
        if (c[i] != '.')
            fits = take_digit(instant, place--, c[i] - '0');
    while (fits && place > -PS_DIGITS && (instant->s > 0 || instant->ps > 0))
        fits = take_digit(instant, place--, 0);
    if (instant->ps >= PS_PER_S) {
        instant->s++;
        instant->ps -= PS_PER_S;
    }
    return fits;
}

/* The largest unit in which the rounded figure is at least 1; `turn` is the first figure that no
 * longer fits the digits (or the unit's own width, 1024). */
static char *format_scaled(char *buffer, size_t size, double value, const struct unit *units,
                           size_t count, double turn, int digits)
{
    double magnitude = fabs(value);
    if (isnan(value)) {
        snprintf(buffer, size, "-");
    } else if (isinf(value)) {
        snprintf(buffer, size, value < 0 ? "-inf" : "inf");
    } else {
        size_t i = 0;
        while (i + 1 < count && magnitude / units[i].scale >= turn &&
               magnitude / units[i + 1].scale >= 0.9995)
            i++;
        double figure = value / units[i].scale, shown = fabs(figure);
        bool whole = units[i].scale <= 1 && nearbyint(figure) == figure;
        double half = 0.5 * pow(10, 2 - digits); /* of the last digit of a figure from 10 to 100 */
        int before = shown >= 100 - half ? 3 : shown >= 10 - half / 10 ? 2 : 1;
        int decimals = whole ? 0 : digits - before;
        snprintf(buffer, size, "%.*f %s", decimals, figure, units[i].name);
    }
    return buffer;
}

double sl_us_of(int64_t ps)
{
    return ps == INT64_MAX ? INFINITY : (double)ps / (double)SL_PS_PER_US;
}

char *sl_format_time(char *buffer, size_t size, double ps)
{
    return format_scaled(buffer, size, ps, time_units, COUNT(time_units), 999.5, 3);
}

char *sl_format_estimate(char *buffer, size_t size, double ps)
{
    return format_scaled(buffer, size, ps, time_units, COUNT(time_units), 999.95, 4);
}

char *sl_format_bytes(char *buffer, size_t size, double bytes)
{
    static const struct unit binary[] = {{"B", 1},
                                         {"KiB", 1024.0},
                                         {"MiB", 1048576.0},
                                         {"GiB", 1073741824.0},
                                         {"TiB", 1099511627776.0}};
    return format_scaled(buffer, size, bytes, binary, COUNT(binary), 1023.5, 3);
}

char *sl_format_count(char *buffer, size_t size, uint64_t value)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    size_t at = 0;
    for (int i = 0; i < length && at + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            buffer[at++] = ',';
        buffer[at++] = digits[i];
    }
    buffer[at] = '\0';
    return buffer;
}
