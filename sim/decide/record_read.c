/* Records from YAML: every key by the tables of record_fields.c, every fault with its place. */
#include "config.h"

#include "names.h"
#include "record_history.h"
#include "record_seal.h"
#include "record_shape.h"
#include "text.h"
#include "units.h"
#include "yamldoc.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS 48 /* of one struct */

struct reader {
    struct sl_record *record;
    struct sl_diags *diags;
    bool no_memory;
};

static const char *type_name(enum sl_yaml_type type)
{
    return type == SL_YAML_MAP ? "map" : type == SL_YAML_LIST ? "list" : "single value";
}

static bool expect(struct reader *r, const struct sl_yaml *node, enum sl_yaml_type type,
                   const char *key)
{
    if (node->type == type)
        return true;
    sl_diags_add(r->diags, SL_ERROR, "wrong-type", node->place, "%s must be a %s, found a %s", key,
                 type_name(type), type_name(node->type));
    return false;
}

static const char *keep(struct reader *r, const char *text)
{
    const char *copy = sl_arena_strdup(&r->record->arena, text);
    r->no_memory |= !copy;
    return copy;
}

static void bad_value(struct reader *r, const struct sl_yaml *node, const char *key,
                      const char *allowed)
{
    sl_diags_add(r->diags, SL_ERROR, "bad-value", node->place, "%s: '%.60s' is not %s", key,
                 node->text, allowed);
}

/* As the writer spells it: nothing but a number, or an infinity. */
static double read_number(struct reader *r, const struct sl_yaml *node, const char *key)
{
    if (!expect(r, node, SL_YAML_SCALAR, key))
        return NAN;
    if (strcmp(node->text, ".inf") == 0)
        return INFINITY;
    if (strcmp(node->text, "-.inf") == 0)
        return -INFINITY;
    const char *end = sl_number_end(node->text);
    double value = end && !*end ? strtod(node->text, NULL) : NAN;
    if (!isfinite(value))
        bad_value(r, node, key, "a number");
    return isfinite(value) ? value : NAN;
}

static uint64_t read_count(struct reader *r, const struct sl_yaml *node, const char *key)
{
    if (!expect(r, node, SL_YAML_SCALAR, key))
        return 0;
    size_t digits = strspn(node->text, "0123456789");
    errno = 0;
    unsigned long long value =
        digits > 0 && !node->text[digits] ? strtoull(node->text, NULL, 10) : 0;
    if (digits == 0 || node->text[digits] || errno == ERANGE)
        bad_value(r, node, key, "a whole number from 0 to 2^64 - 1");
    return value;
}

static bool read_flag(struct reader *r, const struct sl_yaml *node, const char *key)
{
    if (!expect(r, node, SL_YAML_SCALAR, key))
        return false;
    if (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0)
        bad_value(r, node, key, "true or false");
    return strcmp(node->text, "true") == 0;
}

static int read_word(struct reader *r, const struct sl_yaml *node, const struct sl_field *field)
{
    if (!expect(r, node, SL_YAML_SCALAR, field->key))
        return 0;
    for (uint32_t i = 0; i < field->word_count; i++)
        if (strcmp(node->text, field->words[i]) == 0)
            return (int)i;
    char hint[400] = "";
    sl_suggest(hint, sizeof hint, node->text, field->words, field->word_count);
    sl_diags_add(r->diags, SL_ERROR, "bad-value", node->place, "%s: unknown word '%.60s'%s",
                 field->key, node->text, hint);
    return 0;
}

static void read_estimate(struct reader *r, const struct sl_yaml *node, const char *key,
                          struct sl_estimate *estimate)
{
    static const char *const keys[] = {"value", "lo", "hi"};
    if (!expect(r, node, SL_YAML_MAP, key))
        return;
    sl_yaml_check_keys(node, keys, 3, key, r->diags);
    double *parts[] = {&estimate->value, &estimate->lo, &estimate->hi};
    for (int i = 0; i < 3; i++) {
        const struct sl_yaml *part = sl_yaml_get(node, keys[i]);
        if (part)
            *parts[i] = read_number(r, part, keys[i]);
        else if (i == 0)
            sl_diags_add(r->diags, SL_ERROR, "missing-key", node->place, "%s has no key 'value'",
                         key);
    }
    if (estimate->lo > estimate->value || estimate->value > estimate->hi)
        sl_diags_add(r->diags, SL_ERROR, "bad-value", node->place,
                     "%s: the value lies outside its interval", key);
}

static void read_texts(struct reader *r, const struct sl_yaml *node, const char *key,
                       struct sl_record_texts *texts)
{
    if (!expect(r, node, SL_YAML_LIST, key))
        return;
    for (uint32_t i = 0; i < node->count && !r->no_memory; i++)
        if (expect(r, node->items[i], SL_YAML_SCALAR, key))
            r->no_memory |= !sl_record_add_text(r->record, texts, node->items[i]->text);
}

static void read_map(struct reader *r, const struct sl_yaml *node, const char *name, void *item,
                     const struct sl_shape *shape);

static void read_list(struct reader *r, const struct sl_yaml *node, const struct sl_field *field,
                      void *list)
{
    if (!expect(r, node, SL_YAML_LIST, field->key))
        return;
    for (uint32_t i = 0; i < node->count && !r->no_memory; i++) {
        if (!expect(r, node->items[i], SL_YAML_MAP, field->key))
            continue;
        void *item = sl_record_add(r->record, list, field->shape);
        r->no_memory |= !item;
        if (item)
            read_map(r, node->items[i], field->key, item, field->shape);
    }
}

static void read_field(struct reader *r, const struct sl_yaml *node, const struct sl_field *field,
                       void *at)
{
    int word;
    switch (field->type) {
    case SL_FIELD_TEXT:
        if (expect(r, node, SL_YAML_SCALAR, field->key))
            *(const char **)at = keep(r, node->text);
        break;
    case SL_FIELD_TEXTS:
        read_texts(r, node, field->key, at);
        break;
    case SL_FIELD_COUNT:
        *(uint64_t *)at = read_count(r, node, field->key);
        break;
    case SL_FIELD_NUMBER:
        *(double *)at = read_number(r, node, field->key);
        break;
    case SL_FIELD_FLAG:
        *(bool *)at = read_flag(r, node, field->key);
        break;
    case SL_FIELD_WORD:
        word = read_word(r, node, field);
        memcpy(at, &word, sizeof word);
        break;
    case SL_FIELD_ESTIMATE:
        read_estimate(r, node, field->key, at);
        break;
    case SL_FIELD_MAP:
        read_map(r, node, field->key, at, field->shape);
        if (field->optional)
            *(bool *)at = true;
        break;
    case SL_FIELD_LIST:
        read_list(r, node, field, at);
        break;
    }
}

/* Absent texts that must be there become "", so that nobody meets NULL in a record with faults. */
static void miss(struct reader *r, const struct sl_yaml *map, const char *name,
                 const struct sl_field *field, void *at)
{
    if (field->optional)
        return;
    sl_diags_add(r->diags, SL_ERROR, "missing-key", map->place, "%s has no key '%s'", name,
                 field->key);
    if (field->type == SL_FIELD_TEXT)
        *(const char **)at = "";
}

static void read_map(struct reader *r, const struct sl_yaml *node, const char *name, void *item,
                     const struct sl_shape *shape)
{
    const char *keys[MOST_FIELDS];
    if (!expect(r, node, SL_YAML_MAP, name))
        return;
    for (uint32_t i = 0; i < shape->field_count; i++)
        keys[i] = shape->fields[i].key;
    sl_yaml_check_keys(node, keys, shape->field_count, name, r->diags);
    for (uint32_t i = 0; i < shape->field_count && !r->no_memory; i++) {
        const struct sl_field *field = &shape->fields[i];
        void *at = (char *)item + field->offset;
        const struct sl_yaml *value = sl_yaml_get(node, field->key);
        if (value)
            read_field(r, value, field, at);
        else
            miss(r, node, name, field, at);
    }
}

/* Ahead of all else: other formats have other keys. */
static bool check_format(const struct sl_yaml *root, struct sl_diags *diags)
{
    const struct sl_yaml *format = root->type == SL_YAML_MAP ? sl_yaml_get(root, "format") : NULL;
    bool old = format && format->type == SL_YAML_SCALAR &&
               (strcmp(format->text, "1") == 0 || strcmp(format->text, "2") == 0);
    if (old)
        sl_diags_add(diags, SL_ERROR, "bad-value", format->place,
                     "format %s does not seal what a record holds now, and this version reads "
                     "format %d: decide anew ('slackline decide --force' keeps this record beside)",
                     format->text, SL_RECORD_FORMAT);
    return !old;
}

/* A policy has each key once at each level: one with several values is not one policy, and nobody
 * could say which of them was decided on. */
static void check_settings(struct reader *r, const struct sl_yaml *root)
{
    const struct sl_yaml *policy = sl_yaml_get(root, "policy");
    const struct sl_yaml *list = policy ? sl_yaml_get(policy, "settings") : NULL;
    struct sl_names names = {0};
    for (uint32_t i = 0; list && i < r->record->policy.settings.count && !r->no_memory; i++) {
        const struct sl_record_setting *setting = &r->record->policy.settings.items[i];
        const char *name = sl_arena_printf(&r->record->arena, "%llu %s",
                                           (unsigned long long)setting->rule, setting->key);
        uint32_t before = names.count;
        r->no_memory = !name || sl_names_add(&names, name) == SL_NONE;
        if (r->no_memory || names.count > before)
            continue;
        sl_diags_add(r->diags, SL_ERROR, "duplicate-setting", list->items[i]->place,
                     "policy.settings has '%s' of rule %llu twice: a decision is about one policy",
                     setting->key, (unsigned long long)setting->rule);
    }
    sl_names_free(&names);
}

/* What the tables cannot say. */
static void check_record(struct reader *r, const struct sl_yaml *root)
{
    const struct sl_record *record = r->record;
    const struct sl_yaml *format = sl_yaml_get(root, "format");
    if (record->format != SL_RECORD_FORMAT) {
        sl_diags_add(r->diags, SL_ERROR, "bad-value", format ? format->place : root->place,
                     "format %llu is not known; this version reads format %d",
                     (unsigned long long)record->format, SL_RECORD_FORMAT);
        return;
    }
    check_settings(r, root);
    const struct sl_yaml *history = sl_yaml_get(root, "history");
    if (history && history->type == SL_YAML_LIST && history->count == record->history.count) {
        sl_record_check_history(record, history, r->diags);
        sl_record_check_seals(record, root, r->diags);
    }
}

static enum sl_status read_tree(struct sl_record *record, const struct sl_yaml *root,
                                struct sl_diags *diags, struct sl_error *err)
{
    struct reader r = {.record = record, .diags = diags};
    size_t before = diags->errors;
    if (check_format(root, diags))
        read_map(&r, root, "the record", record, &sl_record_shape);
    if (diags->errors == before)
        check_record(&r, root);
    if (r.no_memory)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    return sl_diags_status(diags, err);
}

enum sl_status sl_record_read(struct sl_record *record, const char *path, struct sl_diags *diags,
                              struct sl_error *err)
{
    struct sl_yaml *root = NULL;
    sl_record_init(record);
    enum sl_status status = sl_yaml_read(path, &record->arena, &root, err);
    if (status == SL_OK)
        status = read_tree(record, root, diags, err);
    if (status == SL_OK && !sl_record_find_places(record, path))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    return status;
}

enum sl_status sl_record_parse(struct sl_record *record, const char *text, size_t size,
                               const char *name, struct sl_diags *diags, struct sl_error *err)
{
    struct sl_yaml *root = NULL;
    sl_record_init(record);
    enum sl_status status = sl_yaml_parse(text, size, name, &record->arena, &root, err);
    return status == SL_OK ? read_tree(record, root, diags, err) : status;
}
