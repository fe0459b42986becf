/* Equality of sections, by the tables of their keys. */
#include "config.h"

#include "record_same.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void differ(struct sl_record_same *same, const char *key, const char *before,
                   const char *after)
{
    if (*same->key)
        return;
    snprintf(same->key, sizeof same->key, "%s", key);
    snprintf(same->before, sizeof same->before, "%s", before ? before : "-");
    snprintf(same->after, sizeof same->after, "%s", after ? after : "-");
}

static void text(struct sl_record_same *same, const char *key, const char *before,
                 const char *after)
{
    if (before && after ? strcmp(before, after) != 0 : before != after)
        differ(same, key, before, after);
}

static void number(struct sl_record_same *same, const char *key, double before, double after)
{
    char a[40], b[40];
    same->figures++;
    if (before == after || (isnan(before) && isnan(after)))
        return;
    snprintf(a, sizeof a, "%.17g", before);
    snprintf(b, sizeof b, "%.17g", after);
    differ(same, key, a, b);
}

static void count(struct sl_record_same *same, const char *key, uint64_t before, uint64_t after)
{
    char a[24], b[24];
    same->figures++;
    if (before == after)
        return;
    snprintf(a, sizeof a, "%" PRIu64, before);
    snprintf(b, sizeof b, "%" PRIu64, after);
    differ(same, key, a, b);
}

static void estimate(struct sl_record_same *same, const char *key, const struct sl_estimate *before,
                     const struct sl_estimate *after)
{
    char part[400];
    snprintf(part, sizeof part, "%s.value", key);
    number(same, part, before->value, after->value);
    snprintf(part, sizeof part, "%s.lo", key);
    number(same, part, before->lo, after->lo);
    snprintf(part, sizeof part, "%s.hi", key);
    number(same, part, before->hi, after->hi);
}

static void texts(struct sl_record_same *same, const char *key,
                  const struct sl_record_texts *before, const struct sl_record_texts *after)
{
    if (before->count != after->count)
        count(same, key, before->count, after->count);
    for (uint32_t i = 0; i < before->count && i < after->count; i++)
        text(same, key, before->items[i], after->items[i]);
}

static void field(struct sl_record_same *same, const char *key, const struct sl_field *of,
                  const void *before, const void *after)
{
    int a, b;
    switch (of->type) {
    case SL_FIELD_TEXT:
        text(same, key, *(const char *const *)before, *(const char *const *)after);
        break;
    case SL_FIELD_TEXTS:
        texts(same, key, before, after);
        break;
    case SL_FIELD_COUNT:
        count(same, key, *(const uint64_t *)before, *(const uint64_t *)after);
        break;
    case SL_FIELD_NUMBER:
        number(same, key, *(const double *)before, *(const double *)after);
        break;
    case SL_FIELD_FLAG:
        text(same, key, *(const bool *)before ? "true" : "false",
             *(const bool *)after ? "true" : "false");
        break;
    case SL_FIELD_WORD:
        memcpy(&a, before, sizeof a);
        memcpy(&b, after, sizeof b);
        text(same, key, of->words[a], of->words[b]);
        break;
    case SL_FIELD_ESTIMATE:
        estimate(same, key, before, after);
        break;
    case SL_FIELD_MAP:
        sl_record_same(same, key, before, after, of->shape);
        break;
    case SL_FIELD_LIST:
        sl_record_same_list(same, key, before, after, of->shape);
        break;
    }
}

void sl_record_same(struct sl_record_same *same, const char *name, const void *before,
                    const void *after, const struct sl_shape *shape)
{
    char key[300];
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct sl_field *of = &shape->fields[i];
        if (of->place) /* where a file lies is no part of what was decided */
            continue;
        snprintf(key, sizeof key, "%.250s.%.40s", name, of->key);
        field(same, key, of, (const char *)before + of->offset, (const char *)after + of->offset);
    }
}

void sl_record_same_list(struct sl_record_same *same, const char *name, const void *before,
                         const void *after, const struct sl_shape *shape)
{
    char key[300];
    struct sl_record_list a = sl_record_list_get(before), b = sl_record_list_get(after);
    if (a.count != b.count)
        count(same, name, a.count, b.count);
    for (uint32_t i = 0; i < a.count && i < b.count; i++) {
        snprintf(key, sizeof key, "%.250s[%u]", name, i + 1);
        sl_record_same(same, key, sl_record_item(&a, shape, i), sl_record_item(&b, shape, i),
                       shape);
    }
}
