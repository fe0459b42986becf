/* Which composition rule predicts measured sets from measured pairs. */
#include "config.h"

#include "bootstrap.h"
#include "estimate_parts.h"
#include "kappa.h"
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RESAMPLES 999
#define SEED      UINT64_C(0x5e75) /* of the bootstrap: the same measurements, the same interval */

/* The pairs as a table that simulators would read, and the rows that they should predict. */
struct test {
    struct sl_estimator *e;
    struct sl_kappa kappa; /* class c of the list has index c */
    const struct sl_kappa_estimate **sets;
    uint32_t count;
    uint32_t unpaired; /* sets of which a pair was not had */
    uint32_t alike;    /* sets of which all rules say the same: one slowdown at most is not 1 */
};

static bool is_shaped(const struct sl_estimator *e, const struct sl_shot *shot)
{
    for (uint32_t k = 0; k < shot->aggressor_count; k++)
        if (e->measured->cases->classes[shot->aggressors[k].klass].shaped)
            return true;
    return false;
}

/* A row of the machine that sets are measured on. */
static bool is_taken(const struct sl_estimator *e, const struct sl_kappa_estimate *row)
{
    const struct sl_shot *shot = &sl_estimator_case(e, row->case_index)->shot;
    return row->status == SL_ROW_OK && row->mode == SL_MODE_SHARE &&
           strcmp(row->regime, e->out->regimes[0].name) == 0 &&
           (shot->shape == SL_SHAPE_ROOM || !is_shaped(e, shot));
}

static enum sl_status add_pairs(struct test *test, struct sl_error *err)
{
    struct sl_estimator *e = test->e;
    struct sl_diags diags = {0}; /* values below 1 count as 1, as everywhere */
    enum sl_status status = SL_OK;
    for (uint32_t c = 0; c < e->measured->cases->class_count; c++)
        if (sl_names_add(&test->kappa.classes, e->measured->cases->classes[c].name) == SL_NONE)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; status == SL_OK && i < e->out->kappa_count; i++) {
        const struct sl_kappa_estimate *row = &e->out->kappas[i];
        const struct sl_shot *shot = &sl_estimator_case(e, row->case_index)->shot;
        if (shot->aggressor_count != 1 || !is_taken(e, row))
            continue;
        struct sl_kappa_row pair = {.victim = shot->victim.klass,
                                    .set_size = 1,
                                    .set = &shot->aggressors[0].klass,
                                    .kappa = row->kappa.value,
                                    .lo = row->kappa.value,
                                    .hi = row->kappa.value};
        status = sl_kappa_add_row(&test->kappa, pair, &e->out->arena, &diags, err);
    }
    sl_diags_free(&diags);
    return status == SL_OK ? sl_kappa_prepare(&test->kappa, &e->out->arena, err) : status;
}

static bool has_pairs(const struct test *test, const struct sl_shot *shot)
{
    for (uint32_t k = 0; k < shot->aggressor_count; k++)
        if (isnan(sl_kappa_pair(&test->kappa, shot->victim.klass, shot->aggressors[k].klass,
                                (double)NAN)))
            return false;
    return true;
}

static uint32_t count_slowdowns(const struct test *test, const struct sl_shot *shot)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < shot->aggressor_count; k++)
        count += sl_kappa_pair(&test->kappa, shot->victim.klass, shot->aggressors[k].klass, 1) > 1;
    return count;
}

static void gather_sets(struct test *test)
{
    const struct sl_estimator *e = test->e;
    for (uint32_t i = 0; i < e->out->kappa_count; i++) {
        const struct sl_kappa_estimate *row = &e->out->kappas[i];
        const struct sl_shot *shot = &sl_estimator_case(e, row->case_index)->shot;
        if (shot->aggressor_count < 2 || !is_taken(e, row))
            continue;
        if (!has_pairs(test, shot))
            test->unpaired++;
        else if (count_slowdowns(test, shot) < 2)
            test->alike++;
        else
            test->sets[test->count++] = row;
    }
}

/* The error's order statistics and the noise beside which it is judged. */
static enum sl_status judge(struct sl_composition_estimate *result,
                            const struct sl_kappa_estimate *const *rows, struct sl_error *err)
{
    uint32_t n = result->sets;
    double *sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    memcpy(sorted, result->errors, n * sizeof *sorted);
    sl_sort_doubles(sorted, n);
    result->median_error = sorted[sl_quantile_rank(n, 0.5) - 1];
    result->p95_error = sorted[sl_quantile_rank(n, 0.95) - 1];
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = rows[i]->sd;
    result->noise = sl_median_of(sorted, n);
    result->accepted = result->median_error <= SL_COMPOSITION_SLACK * result->noise;
    free(sorted);
    return SL_OK;
}

static enum sl_status score(struct test *test, struct sl_composition_estimate *result,
                            const struct sl_kappa_rule *rule, struct sl_error *err)
{
    struct sl_estimator *e = test->e;
    uint32_t classes = e->measured->cases->class_count;
    uint32_t *counts = calloc((size_t)classes + 1, sizeof *counts);
    result->errors = sl_arena_array(&e->out->arena, test->count, sizeof *result->errors);
    if (!counts || !result->errors) {
        free(counts);
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    for (uint32_t i = 0; i < test->count; i++) {
        const struct sl_shot *shot = &sl_estimator_case(e, test->sets[i]->case_index)->shot;
        memset(counts, 0, classes * sizeof *counts);
        for (uint32_t k = 0; k < shot->aggressor_count; k++)
            counts[shot->aggressors[k].klass]++;
        double predicted = rule->compose(&test->kappa, shot->victim.klass, counts, (double)NAN);
        result->errors[i] = fabs(log(test->sets[i]->raw.value / predicted));
    }
    free(counts);
    result->sets = test->count;
    return judge(result, test->sets, err);
}

static enum sl_status score_rules(struct test *test, struct sl_error *err)
{
    struct sl_estimates *out = test->e->out;
    enum sl_status status = SL_OK;
    out->rule_count = (uint32_t)sl_kappa_rule_count();
    out->rules = sl_arena_array(&out->arena, out->rule_count, sizeof *out->rules);
    if (!out->rules)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t r = 0; status == SL_OK && r < out->rule_count; r++) {
        const struct sl_kappa_rule *rule = sl_kappa_rule_get(r);
        struct sl_composition_estimate *result = &out->rules[r];
        *result = (struct sl_composition_estimate){.rule = rule->name,
                                                   .median_error = (double)NAN,
                                                   .p95_error = (double)NAN,
                                                   .noise = (double)NAN,
                                                   .above_best = SL_NO_ESTIMATE};
        if (!rule->uses_pairs)
            result->untested = "it composes demands on links, which pairs do not give";
        else if (test->count == 0)
            result->untested = test->alike > 0      ? "no set has two slowdowns to compose"
                               : test->unpaired > 0 ? "no set has all of its pairs"
                                                    : "no set was measured";
        else
            status = score(test, result, rule, err);
        if (!result->untested &&
            (out->best == SL_NONE || result->median_error < out->rules[out->best].median_error))
            out->best = r;
    }
    return status;
}

static void put_order(const double *values, uint32_t n, size_t *order_of, uint32_t *order)
{
    gsl_sort_index(order_of, values, 1, n);
    for (uint32_t i = 0; i < n; i++)
        order[i] = (uint32_t)order_of[i];
}

/* How far each rule is behind the best one: sets resampled, the same for both. */
static enum sl_status compare_rules(struct test *test, struct sl_error *err)
{
    struct sl_estimates *out = test->e->out;
    uint32_t n = test->count;
    const double half = 0.5;
    uint32_t *order = calloc((size_t)2 * n + 1, sizeof *order);
    size_t *scratch = calloc((size_t)n + 1, sizeof *scratch);
    enum sl_status status = order && scratch ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t r = 0; status == SL_OK && r < out->rule_count; r++) {
        struct sl_composition_estimate *rule = &out->rules[r], *best = &out->rules[out->best];
        if (rule->untested)
            continue;
        put_order(rule->errors, n, scratch, order);
        put_order(best->errors, n, scratch, order + n);
        struct sl_bootstrap bootstrap = {.a = rule->errors,
                                         .b = best->errors,
                                         .order_a = order,
                                         .order_b = order + n,
                                         .n = n,
                                         .resamples = RESAMPLES,
                                         .quantiles = &half,
                                         .count = 1,
                                         .tail = half,
                                         .key = SEED,
                                         .level = SL_CONFIDENCE};
        struct sl_estimate intervals[2] = {SL_NO_ESTIMATE, SL_NO_ESTIMATE};
        status = sl_bootstrap_run(&bootstrap, intervals, err);
        intervals[0].value = rule->median_error - best->median_error;
        rule->above_best = intervals[0];
    }
    free(order);
    free(scratch);
    return status;
}

/* The pair of a partial overlap: the same victim beside the same class of the same shape. */
static const struct sl_kappa_estimate *whole_of(const struct sl_estimator *e,
                                                const struct sl_kappa_estimate *partial)
{
    const struct sl_shot *shot = &sl_estimator_case(e, partial->case_index)->shot;
    for (uint32_t i = 0; i < e->out->kappa_count; i++) {
        const struct sl_kappa_estimate *row = &e->out->kappas[i];
        const struct sl_shot *whole = &sl_estimator_case(e, row->case_index)->shot;
        if (whole->aggressor_count == 1 && whole->victim.klass == shot->victim.klass &&
            whole->aggressors[0].klass == shot->aggressors[0].klass && is_taken(e, row))
            return row;
    }
    return NULL;
}

static enum sl_status check_linearity(struct test *test, struct sl_error *err)
{
    struct sl_estimator *e = test->e;
    struct sl_composition_estimate *linear = &e->out->linear;
    linear->errors =
        sl_arena_array(&e->out->arena, (size_t)e->out->partial_count + 1, sizeof *linear->errors);
    if (!linear->errors)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < e->out->partial_count; i++) {
        const struct sl_kappa_estimate *row = &e->out->partials[i];
        const struct sl_kappa_estimate *whole = whole_of(e, row);
        if (row->status != SL_ROW_OK || !whole || strcmp(row->regime, e->out->regimes[0].name) != 0)
            continue;
        double predicted = 1 / (1 - row->coverage_median * (1 - 1 / whole->kappa.value));
        test->sets[linear->sets] = row;
        linear->errors[linear->sets++] = fabs(log(row->raw.value / predicted));
    }
    if (linear->sets == 0) {
        linear->untested = "no partial overlap of a slowdown was measured";
        return SL_OK;
    }
    return judge(linear, test->sets, err);
}

/* The shape in which more rows are of use: in the machine's usual regime, sharing. */
static void choose_shape(struct sl_estimator *e)
{
    uint32_t rows[2] = {0, 0};
    for (uint32_t i = 0; i < e->out->kappa_count; i++) {
        const struct sl_kappa_estimate *row = &e->out->kappas[i];
        const struct sl_shot *shot = &sl_estimator_case(e, row->case_index)->shot;
        if (row->status == SL_ROW_OK && row->mode == SL_MODE_SHARE &&
            strcmp(row->regime, e->out->regimes[0].name) == 0 && is_shaped(e, shot))
            rows[shot->shape]++;
    }
    if (rows[SL_SHAPE_ROOM] + rows[SL_SHAPE_FILL] > 0)
        e->out->shape = rows[SL_SHAPE_FILL] > rows[SL_SHAPE_ROOM] ? "fill" : "room";
}

enum sl_status sl_estimate_composition(struct sl_estimator *e, struct sl_error *err)
{
    struct test test = {.e = e};
    size_t most = (size_t)e->out->kappa_count + e->out->partial_count + 1;
    e->out->best = SL_NONE;
    e->out->linear = (struct sl_composition_estimate){.rule = "linear-overlap",
                                                      .median_error = (double)NAN,
                                                      .p95_error = (double)NAN,
                                                      .noise = (double)NAN,
                                                      .above_best = SL_NO_ESTIMATE};
    test.sets = calloc(most, sizeof *test.sets);
    enum sl_status status =
        test.sets ? add_pairs(&test, err) : SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK) {
        choose_shape(e);
        gather_sets(&test);
        status = score_rules(&test, err);
    }
    if (status == SL_OK && test.count > 0)
        status = compare_rules(&test, err);
    if (status == SL_OK)
        status = check_linearity(&test, err);
    sl_kappa_free(&test.kappa);
    free(test.sets);
    return status;
}
