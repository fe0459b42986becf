/* Hashes over the sections of a record, by the tables of their keys. */
#include "config.h"

#include "figures.h"
#include "record_seal.h"
#include "record_shape.h"
#include <inttypes.h>
#include <math.h>
#include <sha2.h>
#include <string.h>

static void add(SHA2_CTX *context, const char *text)
{
    SHA256Update(context, (const uint8_t *)text, strlen(text) + 1);
}

static void add_number(SHA2_CTX *context, double value)
{
    char text[SL_FIGURE_SIZE];
    if (isnan(value))
        strcpy(text, "absent");
    else if (isinf(value))
        strcpy(text, value > 0 ? "inf" : "-inf");
    else
        sl_figure(text, value);
    add(context, text);
}

static void add_count(SHA2_CTX *context, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    add(context, text);
}

static void add_texts(SHA2_CTX *context, const struct sl_record_texts *texts)
{
    add_count(context, texts->count);
    for (uint32_t i = 0; i < texts->count; i++)
        add(context, texts->items[i]);
}

static void add_map(SHA2_CTX *context, const void *item, const struct sl_shape *shape);

static void add_list(SHA2_CTX *context, const void *list, const struct sl_shape *shape)
{
    struct sl_record_list view = sl_record_list_get(list);
    add_count(context, view.count);
    for (uint32_t i = 0; i < view.count; i++)
        add_map(context, sl_record_item(&view, shape, i), shape);
}

static void add_value(SHA2_CTX *context, const struct sl_field *field, const void *at)
{
    const struct sl_estimate *estimate = at;
    int word;
    switch (field->type) {
    case SL_FIELD_TEXT: {
        const char *text = *(const char *const *)at;
        add(context, text ? text : "");
        break;
    }
    case SL_FIELD_TEXTS:
        add_texts(context, at);
        break;
    case SL_FIELD_COUNT:
        add_count(context, *(const uint64_t *)at);
        break;
    case SL_FIELD_NUMBER:
        add_number(context, *(const double *)at);
        break;
    case SL_FIELD_FLAG:
        add(context, *(const bool *)at ? "true" : "false");
        break;
    case SL_FIELD_WORD:
        memcpy(&word, at, sizeof word);
        add(context, field->words[word]);
        break;
    case SL_FIELD_ESTIMATE:
        add_number(context, estimate->value);
        add_number(context, estimate->lo);
        add_number(context, estimate->hi);
        break;
    case SL_FIELD_MAP:
        add_map(context, at, field->shape);
        break;
    case SL_FIELD_LIST:
        add_list(context, at, field->shape);
        break;
    }
}

static void add_field(SHA2_CTX *context, const struct sl_field *field, const void *at, bool absent)
{
    if (field->place)
        return;
    add(context, field->key);
    add(context, absent ? "absent" : "present");
    if (!absent)
        add_value(context, field, at);
}

static void add_map(SHA2_CTX *context, const void *item, const struct sl_shape *shape)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct sl_field *field = &shape->fields[i];
        add_field(context, field, (const char *)item + field->offset,
                  sl_field_is_absent(field, item));
    }
}

/* The history's seal is that of its last entry, whose body holds all others. */
#define END "history"

/* ---- sections ---------------------------------------------------------------------------------
 */

/* The format is checked by itself, the status by the history. */
static bool is_sealed(const struct sl_field *field)
{
    static const char *const others[] = {"format", "status", "seals", "history"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(field->key, others[i]) == 0)
            return false;
    return !field->place;
}

static void hash_section(const struct sl_record *record, const struct sl_field *field, char hex[65])
{
    SHA2_CTX context;
    SHA256Init(&context);
    add_field(&context, field, (const char *)record + field->offset,
              sl_field_is_absent(field, record));
    SHA256End(&context, hex);
}

static const struct sl_record_seal *find_seal(const struct sl_record *record, const char *section)
{
    for (uint32_t i = 0; i < record->seals.count; i++)
        if (strcmp(record->seals.items[i].section, section) == 0)
            return &record->seals.items[i];
    return NULL;
}

bool sl_record_seal(struct sl_record *record)
{
    record->seals.count = 0;
    for (uint32_t i = 0; i < sl_record_shape.field_count; i++) {
        const struct sl_field *field = &sl_record_shape.fields[i];
        char hex[65];
        if (!is_sealed(field))
            continue;
        hash_section(record, field, hex);
        struct sl_record_seal *seal = sl_record_add(record, &record->seals, &sl_shape_seal);
        const char *kept = seal ? sl_arena_strdup(&record->arena, hex) : NULL;
        if (!kept)
            return false;
        *seal = (struct sl_record_seal){field->key, kept};
    }
    return true;
}

bool sl_record_seal_end(struct sl_record *record, const char *last)
{
    struct sl_record_seal *seal = sl_record_add(record, &record->seals, &sl_shape_seal);
    if (seal)
        *seal = (struct sl_record_seal){END, last};
    return seal;
}

void sl_record_body(const struct sl_record *record, char hex[65])
{
    SHA2_CTX context;
    SHA256Init(&context);
    for (uint32_t i = 0; i < record->seals.count; i++) {
        if (strcmp(record->seals.items[i].section, END) == 0)
            continue;
        add(&context, record->seals.items[i].section);
        add(&context, record->seals.items[i].sha256);
    }
    SHA256End(&context, hex);
}

const char *sl_record_changes(struct sl_record *record)
{
    const char *text = "";
    for (uint32_t i = 0; text && i < sl_record_shape.field_count; i++) {
        const struct sl_field *field = &sl_record_shape.fields[i];
        const struct sl_record_seal *seal = find_seal(record, field->key);
        char hex[65];
        if (!is_sealed(field))
            continue;
        hash_section(record, field, hex);
        if (!seal || strcmp(seal->sha256, hex) != 0)
            text = sl_arena_printf(&record->arena, "%s%s%s", text, *text ? ", " : "", field->key);
    }
    return text;
}

/* ---- reading ----------------------------------------------------------------------------------
 */

static void check_section(const struct sl_record *record, const struct sl_field *field,
                          const struct sl_yaml *root, struct sl_diags *diags)
{
    const struct sl_record_event *last = &record->history.items[record->history.count - 1];
    const struct sl_record_seal *seal = find_seal(record, field->key);
    const struct sl_yaml *node = sl_yaml_get(root, field->key);
    struct sl_place place = node ? node->place : root->place;
    char hex[65];
    hash_section(record, field, hex);
    if (!seal)
        sl_diags_add(diags, SL_ERROR, "section-unsealed", place, "section '%s' has no seal",
                     field->key);
    else if (strcmp(seal->sha256, hex) != 0)
        sl_diags_add(diags, SL_ERROR, "section-changed", place,
                     "section '%s' is not what was sealed at %s by '%.200s': it was changed since",
                     field->key, last->date, last->by);
}

void sl_record_check_seals(const struct sl_record *record, const struct sl_yaml *root,
                           struct sl_diags *diags)
{
    const struct sl_yaml *seals = sl_yaml_get(root, "seals");
    const struct sl_record_seal *end = find_seal(record, END);
    char hex[65];
    if (record->history.count == 0) /* a fault that the history's check tells */
        return;
    for (uint32_t i = 0; i < sl_record_shape.field_count; i++)
        if (is_sealed(&sl_record_shape.fields[i]))
            check_section(record, &sl_record_shape.fields[i], root, diags);
    const struct sl_record_event *last = &record->history.items[record->history.count - 1];
    if (!end || strcmp(end->sha256, last->seal) != 0)
        sl_diags_add(diags, SL_ERROR, "history-cut", seals ? seals->place : root->place,
                     "the history does not end with the entry that was sealed last: an entry was "
                     "taken out");
    sl_record_body(record, hex);
    if (strcmp(hex, last->body) != 0)
        sl_diags_add(diags, SL_ERROR, "seals-changed", seals ? seals->place : root->place,
                     "the seals are not those that the last entry of the history holds: one was "
                     "changed, added or taken out");
}
