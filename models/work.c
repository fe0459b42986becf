/* Durations of `work` from a device's measured rows.
 *
 * Between the two neighbouring sizes s0 <= s <= s1 of a class the duration is interpolated in
 * log-log coordinates, d = d0 (s/s0)^(log(d1/d0)/log(s1/s0)): exact for any power law.  Outside the
 * measured range nothing is known, so nothing is answered. */
#include <config.h>

#include "fields.h"
#include "platform.h"
#include "units.h"
#include <math.h>
#include <string.h>

#define SAME_SIZE 1e-9 /* relative: flop counts written in TFLOP are rounded */

/* What `work` states; NAN and "" where it does not. */
struct work {
    double flop, bytes;
    char dtype[32];
};

static const struct {
    const char *name;
    double bytes;
} dtypes[] = {{"bf16", 2}, {"fp16", 2}, {"fp32", 4}, {"tf32", 4},
              {"fp64", 8}, {"fp8", 1},  {"int8", 1}};

static enum sl_status bad_work(struct sl_error *err, struct sl_place place, const char *text,
                               const char *why)
{
    return SL_FAIL_AT(err, SL_INVALID, place,
                      "work '%s': %s (allowed: gemm(m=, n=, k=, dtype=), flops=, bytes=, dtype=)",
                      text, why);
}

/* Cuts the next "key=value" out of *cursor, up to a comma or the end.  False when malformed. */
static bool next_pair(const char **cursor, char key[32], char value[64])
{
    const char *start = *cursor + strspn(*cursor, " ");
    const char *end = start + strcspn(start, ",");
    const char *equals = memchr(start, '=', (size_t)(end - start));
    *cursor = *end == ',' ? end + 1 : end;
    if (!equals)
        return false;
    const char *key_end = equals, *value_start = equals + 1;
    while (key_end > start && key_end[-1] == ' ')
        key_end--;
    value_start += strspn(value_start, " ");
    while (end > value_start && end[-1] == ' ')
        end--;
    if (key_end == start || key_end - start >= 32 || end <= value_start || end - value_start >= 64)
        return false;
    snprintf(key, 32, "%.*s", (int)(key_end - start), start);
    snprintf(value, 64, "%.*s", (int)(end - value_start), value_start);
    return true;
}

/* gemm(m, n, k): 2 m n k operations; reads A (m x k) and B (k x n), writes C (m x n). */
static enum sl_status parse_gemm(const char *text, const char *inside, struct sl_place place,
                                 struct work *work, struct sl_error *err)
{
    double size[3] = {0, 0, 0}, element = 0;
    char key[32], value[64], why[SL_WHY_SIZE];
    while (*inside) {
        if (!next_pair(&inside, key, value))
            return bad_work(err, place, text, "expected KEY=VALUE, separated by commas");
        int64_t whole;
        static const char axes[] = "mnk";
        const char *axis = strlen(key) == 1 ? strchr(axes, key[0]) : NULL;
        if (axis) {
            if (size[axis - axes] > 0)
                return bad_work(err, place, text, "a dimension is given twice");
            if (!sl_parse_integer(value, 1, 1LL << 40, &whole, why))
                return bad_work(err, place, text, why);
            size[axis - axes] = (double)whole;
        } else if (strcmp(key, "dtype") == 0) {
            for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
                if (strcmp(value, dtypes[i].name) == 0)
                    element = dtypes[i].bytes;
            if (element == 0)
                return bad_work(err, place, text,
                                "unknown dtype (allowed: bf16, fp16, fp32, tf32, fp64, fp8, int8)");
            snprintf(work->dtype, sizeof work->dtype, "%.15s", value);
        } else {
            return bad_work(err, place, text, "unknown key in gemm");
        }
    }
    if (size[0] == 0 || size[1] == 0 || size[2] == 0 || element == 0)
        return bad_work(err, place, text, "gemm needs m, n, k and dtype");
    work->flop = 2.0 * size[0] * size[1] * size[2];
    work->bytes = element * (size[0] * size[2] + size[2] * size[1] + size[0] * size[1]);
    return SL_OK;
}

static enum sl_status parse_work(const char *text, struct sl_place place, struct work *work,
                                 struct sl_error *err)
{
    *work = (struct work){.flop = (double)NAN, .bytes = (double)NAN};
    size_t length = strlen(text);
    if (strncmp(text, "gemm(", 5) == 0) {
        char inside[256];
        if (text[length - 1] != ')' || length - 6 >= sizeof inside)
            return bad_work(err, place, text, "unbalanced parenthesis");
        snprintf(inside, sizeof inside, "%.*s", (int)(length - 6), text + 5);
        return parse_gemm(text, inside, place, work, err);
    }
    char key[32], value[64], why[SL_WHY_SIZE];
    const char *cursor = text;
    do {
        if (!next_pair(&cursor, key, value))
            return bad_work(err, place, text, "expected KEY=VALUE, separated by commas");
        int64_t bytes;
        if (strcmp(key, "flops") == 0 && isnan(work->flop)) {
            if (!sl_parse_flop(value, &work->flop, why))
                return bad_work(err, place, text, why);
        } else if (strcmp(key, "bytes") == 0 && isnan(work->bytes)) {
            if (!sl_parse_bytes(value, &bytes, why))
                return bad_work(err, place, text, why);
            work->bytes = (double)bytes;
        } else if (strcmp(key, "dtype") == 0 && !work->dtype[0]) {
            snprintf(work->dtype, sizeof work->dtype, "%.31s", value);
        } else {
            return bad_work(err, place, text, "unknown or repeated key");
        }
    } while (*cursor);
    return SL_OK;
}

static double typical(const struct sl_dist *dist)
{
    double mean = sl_dist_mean(dist);
    return isfinite(mean) ? mean : sl_dist_quantile(dist, 0.5);
}

/* Neighbours of `size` among the class's rows along one axis (flop or bytes). */
struct bracket {
    const struct sl_duration_row *below, *above;
    double below_size, above_size; /* sizes of the neighbours */
    double least, most;            /* the measured range */
    uint32_t rows;
    const char *variant, *other; /* two variants among the rows; NULL: not more than one */
};

static double row_size(const struct sl_duration_row *row, bool by_flop)
{
    return by_flop ? row->flop : row->size_bytes;
}

static struct bracket find_bracket(const struct sl_platform *platform, uint32_t klass,
                                   const char *dtype, bool by_flop, double size)
{
    struct bracket b = {.least = (double)INFINITY};
    for (uint32_t i = 0; i < platform->duration_count; i++) {
        const struct sl_duration_row *row = &platform->durations[i];
        double at = row_size(row, by_flop);
        if (row->klass != klass || isnan(at) ||
            (dtype[0] && row->variant[0] && strcmp(dtype, row->variant) != 0))
            continue;
        b.rows++;
        if (!b.variant)
            b.variant = row->variant;
        else if (strcmp(b.variant, row->variant) != 0)
            b.other = row->variant;
        b.least = fmin(b.least, at);
        b.most = fmax(b.most, at);
        if (at <= size * (1 + SAME_SIZE) && (!b.below || at > b.below_size)) {
            b.below = row;
            b.below_size = at;
        }
        if (at >= size * (1 - SAME_SIZE) && (!b.above || at < b.above_size)) {
            b.above = row;
            b.above_size = at;
        }
    }
    return b;
}

static double log_share(const struct bracket *b, double size)
{
    double span = log(b->above_size / b->below_size);
    return span > SAME_SIZE ? log(size / b->below_size) / span : 0.0;
}

enum sl_status sl_work_find(const struct sl_platform *platform, uint32_t klass, const char *work,
                            struct sl_place place, struct sl_work_rows *rows, struct sl_error *err)
{
    struct work stated;
    enum sl_status status = parse_work(work, place, &stated, err);
    if (status)
        return status;
    if (klass == SL_NONE)
        return SL_FAIL_AT(err, SL_INVALID, place, "work '%s' needs a class to look up", work);
    const char *name = platform->kappa.classes.names[klass];
    struct bracket bracket = {0};
    bool by_flop = !isnan(stated.flop);
    double size = stated.flop;
    if (by_flop)
        bracket = find_bracket(platform, klass, stated.dtype, true, size);
    if (bracket.rows == 0 && !isnan(stated.bytes)) {
        by_flop = false;
        size = stated.bytes;
        bracket = find_bracket(platform, klass, stated.dtype, false, size);
    }
    if (bracket.rows == 0)
        return SL_FAIL_AT(err, SL_INVALID, place,
                          "work '%s': the device has no measured duration of class '%s'%s%s whose "
                          "status in durations.csv lets it count (ok, published, assumed or none)",
                          work, name, stated.dtype[0] ? " and dtype " : "", stated.dtype);
    if (bracket.other)
        return SL_FAIL_AT(err, SL_INVALID, place,
                          "work '%s': class '%s' was measured as '%s' and as '%s'; say which with "
                          "dtype=",
                          work, name, bracket.variant, bracket.other);
    if (!bracket.below || !bracket.above)
        return SL_FAIL_AT(err, SL_INVALID, place,
                          "work '%s': %.4g %s is outside what was measured of class '%s' (%.4g to "
                          "%.4g); durations are never extrapolated",
                          work, size, by_flop ? "FLOP" : "bytes", name, bracket.least,
                          bracket.most);
    *rows = (struct sl_work_rows){bracket.below, bracket.above, log_share(&bracket, size)};
    return SL_OK;
}

enum sl_status sl_work_duration(const struct sl_platform *platform, uint32_t klass,
                                const char *work, struct sl_place place,
                                const struct sl_dist **dist, double *scale, struct sl_error *err)
{
    struct sl_work_rows rows;
    enum sl_status status = sl_work_find(platform, klass, work, place, &rows, err);
    if (status)
        return status;
    double d0 = typical(rows.below->dist), d1 = typical(rows.above->dist), share = rows.share;
    bool nearer_below = share <= 0.5;
    double wanted = share == 0         ? d0
                    : d0 > 0 && d1 > 0 ? exp(log(d0) + share * log(d1 / d0))
                                       : d0 + share * (d1 - d0);
    double own = nearer_below ? d0 : d1;
    *dist = nearer_below ? rows.below->dist : rows.above->dist;
    *scale = own > 0 ? wanted / own : 1.0;
    return SL_OK;
}
