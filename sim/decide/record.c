/* Records in memory: absence, lists, release. */
#include "config.h"

#include "record_shape.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A list's members at their own addresses: the struct's type differs from list to list. */
struct sl_record_list sl_record_list_get(const void *list)
{
    struct sl_record_list view;
    memcpy(&view, list, sizeof view);
    return view;
}

void sl_shape_init(void *item, const struct sl_shape *shape)
{
    memset(item, 0, shape->size);
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct sl_field *field = &shape->fields[i];
        void *at = (char *)item + field->offset;
        const double absent = NAN;
        const struct sl_estimate none = SL_NO_ESTIMATE;
        if (field->type == SL_FIELD_NUMBER)
            memcpy(at, &absent, sizeof absent);
        else if (field->type == SL_FIELD_ESTIMATE)
            memcpy(at, &none, sizeof none);
        else if (field->type == SL_FIELD_MAP)
            sl_shape_init(at, field->shape);
    }
}

bool sl_field_is_absent(const struct sl_field *field, const void *item)
{
    const char *at = (const char *)item + field->offset;
    if (!field->optional)
        return false;
    if (field->type == SL_FIELD_TEXT)
        return *(const char *const *)(const void *)at == NULL;
    if (field->type == SL_FIELD_TEXTS)
        return ((const struct sl_record_texts *)(const void *)at)->count == 0;
    if (field->type == SL_FIELD_MAP)
        return !*(const bool *)(const void *)at;
    double value; /* of a number, or the first member of an estimate */
    memcpy(&value, at, sizeof value);
    return isnan(value);
}

void sl_record_init(struct sl_record *record)
{
    sl_shape_init(record, &sl_record_shape);
    record->format = SL_RECORD_FORMAT;
}

void sl_record_free(struct sl_record *record)
{
    sl_arena_free(&record->arena);
}

void sl_record_clear(void *section, const struct sl_shape *shape)
{
    sl_shape_init(section, shape);
}

/* Arrays of before stay in the arena: a list is at most twice as large for it. */
void *sl_record_add(struct sl_record *record, void *list, const struct sl_shape *shape)
{
    struct sl_record_list view = sl_record_list_get(list);
    if (view.count == view.capacity) {
        uint32_t capacity = view.capacity < 4 ? 4 : 2 * view.capacity;
        void *items =
            capacity > view.capacity ? sl_arena_array(&record->arena, capacity, shape->size) : NULL;
        if (!items)
            return NULL;
        if (view.count > 0)
            memcpy(items, view.items, view.count * shape->size);
        view.items = items;
        view.capacity = capacity;
    }
    void *item = (char *)view.items + (size_t)view.count++ * shape->size;
    sl_shape_init(item, shape);
    memcpy(list, &view, sizeof view);
    return item;
}

bool sl_record_add_text(struct sl_record *record, struct sl_record_texts *list, const char *text)
{
    static const struct sl_shape pointer = {sizeof(const char *), NULL, 0};
    const char *copy = sl_arena_strdup(&record->arena, text);
    const char **item = copy ? sl_record_add(record, list, &pointer) : NULL;
    if (!item)
        return false;
    *item = copy;
    return true;
}
