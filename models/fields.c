/* Reading single values of a user's file; see fields.h. */
#include <config.h>

#include "fields.h"
#include "units.h"
#include <string.h>

#define SUGGEST_AMONG 20000 /* names: a nearest word among more takes too long and says little */
#define LIST_AMONG    12    /* names that a message lists when none is near */

static void bad(const struct sl_reader *reader, const char *code, struct sl_place place,
                const char *what, const char *why)
{
    sl_diags_add(reader->diags, SL_ERROR, code, place, "%s: %s", what, why);
}

bool sl_value_time(const struct sl_reader *reader, const char *text, struct sl_place place,
                   const char *what, int64_t *ps)
{
    char why[SL_WHY_SIZE];
    if (sl_parse_time(text, ps, why))
        return true;
    bad(reader, "bad-quantity", place, what, why);
    return false;
}

bool sl_value_bytes(const struct sl_reader *reader, const char *text, struct sl_place place,
                    const char *what, int64_t *bytes)
{
    char why[SL_WHY_SIZE];
    if (sl_parse_bytes(text, bytes, why))
        return true;
    bad(reader, "bad-quantity", place, what, why);
    return false;
}

bool sl_value_bandwidth(const struct sl_reader *reader, const char *text, struct sl_place place,
                        const char *what, double *bytes_per_s)
{
    char why[SL_WHY_SIZE];
    if (!sl_parse_bandwidth(text, bytes_per_s, why)) {
        bad(reader, "bad-quantity", place, what, why);
        return false;
    }
    if (*bytes_per_s > 0.0)
        return true;
    sl_diags_add(reader->diags, SL_ERROR, "bad-quantity", place,
                 "%s: '%s' moves nothing; write a "
                 "bandwidth above 0",
                 what, text);
    return false;
}

bool sl_value_number(const struct sl_reader *reader, const char *text, struct sl_place place,
                     const char *what, double low, double high, double *value)
{
    char why[SL_WHY_SIZE];
    bool negative = low < 0.0 && text[0] == '-';
    if (!sl_parse_number(text + negative, value, why)) {
        bad(reader, "bad-number", place, what, why);
        return false;
    }
    if (negative)
        *value = -*value;
    if (*value >= low && *value <= high)
        return true;
    sl_diags_add(reader->diags, SL_ERROR, "bad-number", place,
                 "%s: '%s' is out of range (allowed: %g to %g)", what, text, low, high);
    return false;
}

bool sl_value_integer(const struct sl_reader *reader, const char *text, struct sl_place place,
                      const char *what, int64_t low, int64_t high, int64_t *value)
{
    char why[SL_WHY_SIZE];
    if (sl_parse_integer(text, low, high, value, why))
        return true;
    bad(reader, "bad-number", place, what, why);
    return false;
}

bool sl_value_choice(const struct sl_reader *reader, const char *text, struct sl_place place,
                     const char *what, const char *const *words, size_t count, const char *code,
                     unsigned *index)
{
    for (unsigned k = 0; k < count; k++)
        if (strcmp(text, words[k]) == 0) {
            *index = k;
            return true;
        }
    char hint[512] = "";
    sl_suggest(hint, sizeof hint, text, words, count);
    sl_diags_add(reader->diags, SL_ERROR, code ? code : "bad-value", place, "%s: unknown '%s'%s",
                 what, text, hint);
    return false;
}

bool sl_value_bool(const struct sl_reader *reader, const char *text, struct sl_place place,
                   const char *what, bool *value)
{
    static const char *const words[] = {"true", "false", "yes", "no", "1", "0"};
    unsigned index;
    if (!sl_value_choice(reader, text, place, what, words, 6, NULL, &index))
        return false;
    *value = index % 2 == 0;
    return true;
}

bool sl_value_dist(const struct sl_reader *reader, const char *text, struct sl_place place,
                   const char *what, enum sl_dist_dimension dimension, const struct sl_dist **dist)
{
    struct sl_error err = {0};
    if (sl_dist_parse(dist, text, dimension, reader->base_dir, place, reader->arena, &err) == SL_OK)
        return true;
    sl_diags_add(reader->diags, SL_ERROR,
                 err.status == SL_SYSTEM ? "out-of-memory" : "bad-distribution",
                 err.place.file ? err.place : place, "%s: %s", what, err.message);
    return false;
}

bool sl_value_evidence(const struct sl_reader *reader, const char *text, struct sl_place place,
                       unsigned *word, const char **source)
{
    static const char *const words[] = {"measured", "bounded", "assumed", "published", "unknown"};
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    char first[SL_NAME_MAX + 1];
    if (length > SL_NAME_MAX)
        length = SL_NAME_MAX;
    memcpy(first, text, length);
    first[length] = '\0';
    if (!sl_value_choice(reader, first, place, "evidence", words, 5, "unknown-evidence", word))
        return false;
    *source = colon ? colon + 1 + strspn(colon + 1, " ") : "";
    return true;
}

bool sl_value_ref(const struct sl_reader *reader, const char *text, struct sl_place place,
                  const char *what, const struct sl_names *names, uint32_t *index)
{
    *index = sl_names_find(names, text);
    if (*index != SL_NONE)
        return true;
    char hint[512] = "", code[40];
    const char *near =
        names->count <= SUGGEST_AMONG ? sl_nearest(text, names->names, names->count) : NULL;
    if (near || (names->count > 0 && names->count <= LIST_AMONG))
        sl_suggest(hint, sizeof hint, text, names->names, names->count);
    else if (names->count == 0)
        snprintf(hint, sizeof hint, " (none is declared)");
    snprintf(code, sizeof code, "unknown-%s", what);
    sl_diags_add(reader->diags, SL_ERROR, code, place, "unknown %s '%s'%s", what, text, hint);
    return false;
}

bool sl_value_name(const struct sl_reader *reader, const char *text, struct sl_place place,
                   const char *what, const char *forbidden)
{
    size_t length = strlen(text);
    if (length == 0) {
        sl_diags_add(reader->diags, SL_ERROR, "bad-name", place, "a %s needs a name", what);
        return false;
    }
    if (length > SL_NAME_MAX) {
        sl_diags_add(reader->diags, SL_ERROR, "bad-name", place,
                     "the name of a %s has %zu bytes (allowed: %d)", what, length, SL_NAME_MAX);
        return false;
    }
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c == 0xC2 && (unsigned char)c[1] < 0xA0) {
            sl_diags_add(reader->diags, SL_ERROR, "bad-name", place,
                         "%s '%s': a name cannot hold a control character", what, text);
            return false;
        } else if ((unsigned char)*c < 0x20 || *c == 0x7f || strchr(forbidden, *c)) {
            sl_diags_add(reader->diags, SL_ERROR, "bad-name", place,
                         "%s '%s': a name cannot hold the character %s%c%s", what, text,
                         (unsigned char)*c < 0x20 ? "^" : "'",
                         (unsigned char)*c < 0x20 ? *c + '@' : *c,
                         (unsigned char)*c < 0x20 ? "" : "'");
            return false;
        }
    return true;
}

uint32_t sl_value_add(const struct sl_reader *reader, struct sl_names *names, const char *name,
                      struct sl_place place)
{
    uint32_t index = sl_names_add(names, name);
    if (index == SL_NONE)
        sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", place, "out of memory");
    return index;
}

void sl_field_evidence(const struct sl_reader *reader, const struct sl_yaml *map,
                       const char **evidence)
{
    const char *text, *source;
    unsigned word;
    if (sl_field_text(reader, map, "evidence", &text) &&
        sl_value_evidence(reader, text, sl_yaml_get(map, "evidence")->place, &word, &source))
        *evidence = text;
}

bool sl_field_is(const struct sl_reader *reader, const struct sl_yaml *node, enum sl_yaml_type type,
                 const char *what)
{
    static const char *const names[] = {"a single value", "a list", "a map"};
    if (!node)
        return false;
    if (node->type == type)
        return true;
    sl_diags_add(reader->diags, SL_ERROR, "wrong-type", node->place, "%s: found %s, expected %s",
                 what, names[node->type], names[type]);
    return false;
}

bool sl_field_require(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                      const char *where)
{
    if (sl_yaml_get(map, key))
        return true;
    sl_diags_add(reader->diags, SL_ERROR, "missing-key", map->place, "%s lacks the key '%s'", where,
                 key);
    return false;
}

/* The scalar under `key`, NULL when absent or diagnosed. */
static const struct sl_yaml *scalar(const struct sl_reader *reader, const struct sl_yaml *map,
                                    const char *key)
{
    const struct sl_yaml *node = sl_yaml_get(map, key);
    return sl_field_is(reader, node, SL_YAML_SCALAR, key) ? node : NULL;
}

bool sl_field_text(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                   const char **text)
{
    const struct sl_yaml *node = scalar(reader, map, key);
    if (node)
        *text = node->text;
    return node != NULL;
}

bool sl_field_time(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                   int64_t *ps)
{
    const struct sl_yaml *node = scalar(reader, map, key);
    return node && sl_value_time(reader, node->text, node->place, key, ps);
}

bool sl_field_bytes(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                    int64_t *bytes)
{
    const struct sl_yaml *node = scalar(reader, map, key);
    return node && sl_value_bytes(reader, node->text, node->place, key, bytes);
}

bool sl_field_bandwidth(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                        double *bytes_per_s)
{
    const struct sl_yaml *node = scalar(reader, map, key);
    return node && sl_value_bandwidth(reader, node->text, node->place, key, bytes_per_s);
}

bool sl_field_number(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                     double low, double high, double *value)
{
    const struct sl_yaml *node = scalar(reader, map, key);
    return node && sl_value_number(reader, node->text, node->place, key, low, high, value);
}

bool sl_field_integer(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                      int64_t low, int64_t high, int64_t *value)
{
    const struct sl_yaml *node = scalar(reader, map, key);
    return node && sl_value_integer(reader, node->text, node->place, key, low, high, value);
}

bool sl_field_choice(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                     const char *const *words, size_t count, unsigned *index)
{
    const struct sl_yaml *node = scalar(reader, map, key);
    return node && sl_value_choice(reader, node->text, node->place, key, words, count, NULL, index);
}

bool sl_field_dist(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                   enum sl_dist_dimension dimension, const struct sl_dist **dist)
{
    const struct sl_yaml *node = scalar(reader, map, key);
    return node && sl_value_dist(reader, node->text, node->place, key, dimension, dist);
}

bool sl_field_ref(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                  const char *what, const struct sl_names *names, uint32_t *index)
{
    const struct sl_yaml *node = scalar(reader, map, key);
    return node && sl_value_ref(reader, node->text, node->place, what, names, index);
}

bool sl_field_words(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                    const char **joined)
{
    const struct sl_yaml *node = sl_yaml_get(map, key);
    if (!node)
        return false;
    if (node->type != SL_YAML_LIST)
        return sl_field_text(reader, map, key, joined);
    size_t size = 1;
    for (uint32_t i = 0; i < node->count; i++) {
        if (!sl_field_is(reader, node->items[i], SL_YAML_SCALAR, key))
            return false;
        size += strlen(node->items[i]->text) + 1;
    }
    char *text = sl_arena_alloc(reader->arena, size), *end = text;
    if (!text)
        return false;
    for (uint32_t i = 0; i < node->count; i++) {
        size_t length = strlen(node->items[i]->text);
        if (i > 0)
            *end++ = ';';
        memcpy(end, node->items[i]->text, length);
        end += length;
    }
    *end = '\0';
    *joined = text;
    return true;
}

const char *sl_path_join(struct sl_arena *arena, const char *dir, const char *name)
{
    if (name[0] == '/' || dir[0] == '\0' || strcmp(dir, ".") == 0)
        return sl_arena_strdup(arena, name);
    size_t length = strlen(dir);
    while (length > 1 && dir[length - 1] == '/')
        length--;
    return sl_arena_printf(arena, "%.*s%s%s", (int)length, dir, dir[length - 1] == '/' ? "" : "/",
                           name);
}
