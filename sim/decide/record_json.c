/* Records as JSON: the keys and values of decision.yaml. */
#include "config.h"

#include "json_out.h"
#include "record_shape.h"
#include <inttypes.h>
#include <string.h>

static void put_map(yajl_gen gen, const char *key, const void *item, const struct sl_shape *shape);

static void put_texts(yajl_gen gen, const char *key, const struct sl_record_texts *texts)
{
    sl_json_open_array(gen, key);
    for (uint32_t i = 0; i < texts->count; i++)
        sl_json_text(gen, NULL, texts->items[i]);
    yajl_gen_array_close(gen);
}

static void put_items(yajl_gen gen, const struct sl_field *field, const void *list)
{
    struct sl_record_list view = sl_record_list_get(list);
    sl_json_open_array(gen, field->key);
    for (uint32_t i = 0; i < view.count; i++)
        put_map(gen, NULL, sl_record_item(&view, field->shape, i), field->shape);
    yajl_gen_array_close(gen);
}

static void put_field(yajl_gen gen, const struct sl_field *field, const void *at)
{
    int word;
    char digits[24];
    switch (field->type) {
    case SL_FIELD_TEXT:
        sl_json_text(gen, field->key, *(const char *const *)at);
        break;
    case SL_FIELD_TEXTS:
        put_texts(gen, field->key, at);
        break;
    case SL_FIELD_COUNT:
        snprintf(digits, sizeof digits, "%" PRIu64, *(const uint64_t *)at);
        sl_json_raw_number(gen, field->key, digits);
        break;
    case SL_FIELD_NUMBER:
        sl_json_number(gen, field->key, *(const double *)at);
        break;
    case SL_FIELD_FLAG:
        sl_json_bool(gen, field->key, *(const bool *)at);
        break;
    case SL_FIELD_WORD:
        memcpy(&word, at, sizeof word);
        sl_json_text(gen, field->key, field->words[word]);
        break;
    case SL_FIELD_ESTIMATE:
        sl_json_estimate(gen, field->key, *(const struct sl_estimate *)at);
        break;
    case SL_FIELD_MAP:
        put_map(gen, field->key, at, field->shape);
        break;
    case SL_FIELD_LIST:
        put_items(gen, field, at);
        break;
    }
}

static void put_map(yajl_gen gen, const char *key, const void *item, const struct sl_shape *shape)
{
    sl_json_open_map(gen, key);
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct sl_field *field = &shape->fields[i];
        if (!sl_field_is_absent(field, item))
            put_field(gen, field, (const char *)item + field->offset);
    }
    yajl_gen_map_close(gen);
}

enum sl_status sl_record_print_json(const struct sl_record *record, FILE *out, struct sl_error *err)
{
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    put_map(gen, NULL, record, &sl_record_shape);
    return sl_json_finish(gen, out, err);
}
