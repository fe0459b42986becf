/* Winners level by level. */
#include "lexicographic.h"
#include <math.h>
#include <stdlib.h>

/* Those that are left, packed for the judge of one level. */
struct field {
    uint32_t *members;
    const double **samples;
    double *figures;
    bool *worse;
    uint32_t count;
};

static bool field_init(struct field *field, uint32_t count)
{
    field->members = calloc((size_t)count + 1, sizeof *field->members);
    field->samples = calloc((size_t)count + 1, sizeof *field->samples);
    field->figures = calloc((size_t)count + 1, sizeof *field->figures);
    field->worse = calloc((size_t)count + 1, sizeof *field->worse);
    return field->members && field->samples && field->figures && field->worse;
}

static void field_free(struct field *field)
{
    free(field->members);
    free(field->samples);
    free(field->figures);
    free(field->worse);
}

/* False when some figure of the level is not known. */
static bool pack(struct field *field, const struct sl_level *level, const uint32_t *dropped_at,
                 uint32_t count)
{
    bool known = true;
    field->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (dropped_at[i] != SL_NONE)
            continue;
        field->samples[field->count] = level->samples ? level->samples[i] : NULL;
        field->figures[field->count] = level->figures[i];
        field->members[field->count++] = i;
        known &= !isnan(level->figures[i]);
    }
    return known;
}

static uint32_t member(const struct field *field, uint32_t at)
{
    return at == SL_NONE ? SL_NONE : field->members[at];
}

/* The lowest and next lowest of a tie on the first level. */
static void name_first(struct sl_lexicographic *result, struct field *field,
                       const struct sl_level *first, const uint32_t *dropped_at, uint32_t count)
{
    pack(field, first, dropped_at, count);
    result->candidate = result->runner_up = SL_NONE;
    for (uint32_t i = 0; i < field->count; i++) {
        uint32_t at = field->members[i];
        if (result->candidate == SL_NONE ||
            first->figures[at] < first->figures[result->candidate]) {
            result->runner_up = result->candidate;
            result->candidate = at;
        } else if (result->runner_up == SL_NONE ||
                   first->figures[at] < first->figures[result->runner_up]) {
            result->runner_up = at;
        }
    }
}

static enum sl_status judge_level(struct sl_lexicographic *result, struct field *field,
                                  const struct sl_level *level, uint32_t index, uint32_t count,
                                  size_t n, const struct sl_winner_rule *rule, uint32_t *dropped_at,
                                  struct sl_error *err)
{
    struct sl_winner winner;
    struct sl_winner_rule here = *rule;
    bool known = pack(field, level, dropped_at, count);
    here.figure = level->figure;
    here.q = level->q;
    if (field->count > 1 && !sl_winner_testable(field->samples, field->count, n, &here)) {
        result->untested = index;
        result->among = field->count;
        return SL_OK;
    }
    if (!known)
        return SL_OK;
    enum sl_status status = sl_winner_judge(&winner, field->samples, field->figures, field->count,
                                            n, &here, field->worse, err);
    if (status != SL_OK)
        return status;
    for (uint32_t i = 0; i < field->count; i++)
        if (field->worse[i])
            dropped_at[field->members[i]] = index;
    if (winner.won)
        *result = (struct sl_lexicographic){
            .candidate = member(field, winner.candidate),
            .runner_up = member(field, winner.runner_up),
            .level = index,
            .untested = SL_NONE,
            .among = field->count,
            .won = true,
        };
    return SL_OK;
}

enum sl_status sl_lexicographic_judge(struct sl_lexicographic *result,
                                      const struct sl_level *levels, uint32_t level_count,
                                      uint32_t count, size_t n, const struct sl_winner_rule *rule,
                                      uint32_t *dropped_at, struct sl_error *err)
{
    struct field field = {0};
    enum sl_status status = field_init(&field, count)
                                ? SL_OK
                                : SL_FAIL(err, SL_SYSTEM, "out of memory for %u samples", count);
    *result = (struct sl_lexicographic){SL_NONE, SL_NONE, SL_NONE, SL_NONE, count, false};
    for (uint32_t i = 0; i < count; i++)
        dropped_at[i] = SL_NONE;
    for (uint32_t l = 0; status == SL_OK && !result->won && result->untested == SL_NONE &&
                         count > 0 && l < level_count;
         l++)
        status = judge_level(result, &field, &levels[l], l, count, n, rule, dropped_at, err);
    if (status == SL_OK && !result->won)
        name_first(result, &field, &levels[0], dropped_at, count);
    field_free(&field);
    return status;
}
