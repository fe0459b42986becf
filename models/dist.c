/* Evaluation of distributions and the registry of families. */
#include "dist_family.h"
#include <math.h>

static const struct sl_dist_family *const families[] = {
#define SL_DISTRIBUTION(name) &sl_dist_family_##name,
#include "distributions.def"
#undef SL_DISTRIBUTION
};

size_t sl_dist_family_count(void)
{
    return sizeof families / sizeof families[0];
}

const struct sl_dist_family *sl_dist_family_get(size_t index)
{
    return families[index];
}

struct sl_dist_info sl_dist_family_info(size_t index)
{
    return families[index]->info;
}

static double value_const(const struct sl_dist *dist, double u, double u2)
{
    (void)u, (void)u2;
    return dist->offset;
}

void sl_dist_set_const(struct sl_dist *dist, double value)
{
    dist->family = &sl_dist_family_const;
    dist->value = value_const;
    dist->offset = value;
}

static double value_tabulated(const struct sl_dist *dist, double u, double u2)
{
    (void)u2;
    return dist->offset + dist->scale * sl_qtable_value(dist->table, u);
}

double sl_dist_value_exact(const struct sl_dist *dist, double u, double u2)
{
    (void)u2;
    return dist->family->quantile(dist, fmax(u <= 0.5 ? u : 1 - u, 0x1p-54), u > 0.5);
}

enum sl_status sl_dist_tabulate(struct sl_dist *dist, struct sl_dist_reader *reader,
                                const struct sl_qtable_law *law, double offset, double scale)
{
    bool starved;
    dist->table = sl_qtable_get(law, &starved);
    if (starved)
        return SL_FAIL_AT(reader->err, SL_SYSTEM, reader->place, "out of memory");
    if (dist->table) {
        dist->offset = offset;
        dist->scale = scale;
        dist->value = value_tabulated;
    }
    return SL_OK;
}

double sl_dist_value(const struct sl_dist *dist, double u, double u2)
{
    return dist->value(dist, u, u2);
}

void sl_dist_values(const struct sl_dist *dist, const double *u, const double *u2,
                    const double *scale, double *values, size_t count)
{
    if (dist->value == value_tabulated) {
        double offset = dist->offset, unit = dist->scale;
        sl_qtable_values(dist->table, u, values, count);
        for (size_t i = 0; i < count; i++)
            values[i] = (offset + unit * values[i]) * scale[i];
        return;
    }
    if (dist->family->values) {
        dist->family->values(dist, u, values, count);
        for (size_t i = 0; i < count; i++)
            values[i] *= scale[i];
        return;
    }
    double (*value)(const struct sl_dist *, double, double) = dist->value;
    for (size_t i = 0; i < count; i++)
        values[i] = value(dist, u[i], u2 ? u2[i] : 0.5) * scale[i];
}

const struct sl_qtable *sl_dist_table(const struct sl_dist *dist, double *scale)
{
    if (dist->value != value_tabulated || dist->offset != 0)
        return NULL;
    *scale = dist->scale;
    return dist->table;
}

double sl_dist_mean(const struct sl_dist *dist)
{
    return dist->family->mean(dist);
}

double sl_dist_cdf(const struct sl_dist *dist, double x)
{
    return dist->family->cdf(dist, x);
}

double sl_dist_quantile(const struct sl_dist *dist, double p)
{
    return dist->family->quantile(dist, p <= 0.5 ? p : 1 - p, p > 0.5);
}

bool sl_dist_is_const(const struct sl_dist *dist)
{
    return dist->value == value_const;
}

bool sl_dist_needs_second(const struct sl_dist *dist)
{
    return dist->needs_second;
}

const char *sl_dist_text(const struct sl_dist *dist)
{
    return dist->text;
}

void sl_dist_cache_free(void)
{
    sl_qtable_cache_free();
    sl_dist_samples_free();
}
