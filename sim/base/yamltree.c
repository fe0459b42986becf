/* Queries and changes of a YAML tree. */
#include <config.h>

#include "text.h"
#include "yamldoc.h"
#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 64

struct sl_yaml *sl_yaml_get(const struct sl_yaml *map, const char *key)
{
    if (!map || map->type != SL_YAML_MAP)
        return NULL;
    for (uint32_t i = 0; i < map->count; i++)
        if (strcmp(map->keys[i], key) == 0)
            return map->items[i];
    return NULL;
}

/* Length of `word`, and of quotes around it, when `path` starts with it as whole steps, else 0. */
static size_t leads(const char *path, const char *word)
{
    size_t quote = *path == '"', length = strlen(word), end = length + 2 * quote;
    bool whole = strncmp(path + quote, word, length) == 0 && (!quote || path[end - 1] == '"') &&
                 (path[end] == '.' || !path[end]);
    return whole ? end : 0;
}

/* Length of the step that `path` starts with: up to a dot, or a key in quotes, which holds dots. */
static size_t step_length(const char *path)
{
    const char *quote = *path == '"' ? strchr(path + 1, '"') : NULL;
    bool whole = quote && (quote[1] == '.' || !quote[1]);
    return whole ? (size_t)(quote + 1 - path) : strcspn(path, ".");
}

/* Existing keys may hold dots themselves (class "copy.h2d"): the longest that fits is meant. */
static uint32_t find_key(const struct sl_yaml *map, const char *path, size_t *length)
{
    uint32_t found = SL_NONE;
    *length = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        size_t fits = leads(path, map->keys[i]);
        if (fits > *length) {
            *length = fits;
            found = i;
        }
    }
    return found;
}

static const char *element_name(const struct sl_yaml *element)
{
    const struct sl_yaml *name = sl_yaml_get(element, "name");
    return name && name->type == SL_YAML_SCALAR ? name->text : NULL;
}

static enum sl_status find_element(const struct sl_yaml *list, const char *whole, const char *path,
                                   size_t *length, uint32_t *index, struct sl_error *err)
{
    size_t digits = strspn(path, "0123456789");
    *index = SL_NONE;
    *length = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const char *name = element_name(list->items[i]);
        size_t fits = name ? leads(path, name) : 0;
        if (fits > *length) {
            *length = fits;
            *index = i;
        }
    }
    if (*index != SL_NONE)
        return SL_OK;
    if (digits && (path[digits] == '.' || !path[digits])) {
        unsigned long long number = strtoull(path, NULL, 10); /* saturates, and is then refused */
        if (number >= list->count)
            return SL_FAIL_AT(err, SL_INVALID, list->place,
                              "'%s': the list has %u elements, counted from 0", whole, list->count);
        *length = digits;
        *index = (uint32_t)number;
        return SL_OK;
    }
    return SL_FAIL_AT(err, SL_INVALID, list->place,
                      "'%s': no element of the list is named '%.*s'; use a name or a number", whole,
                      (int)strcspn(path, "."), path);
}

struct sl_yaml *sl_yaml_find(struct sl_yaml *node, const char *path)
{
    for (const char *rest = path;;) {
        size_t length = 0;
        uint32_t index = SL_NONE;
        if (node && node->type == SL_YAML_MAP)
            index = find_key(node, rest, &length);
        else if (node && node->type == SL_YAML_LIST &&
                 find_element(node, path, rest, &length, &index, NULL) != SL_OK)
            return NULL;
        if (index == SL_NONE)
            return NULL;
        node = node->items[index];
        if (!rest[length])
            return node;
        rest += length + 1;
    }
}

static enum sl_status append_key(struct sl_yaml *map, const char *key, struct sl_yaml *value,
                                 struct sl_arena *arena, struct sl_error *err)
{
    size_t count = (size_t)map->count + 1;
    struct sl_yaml **items = sl_arena_array(arena, count, sizeof *items);
    const char **keys = sl_arena_array(arena, count, sizeof *keys);
    struct sl_place *places = sl_arena_array(arena, count, sizeof *places);
    if (!items || !keys || !places)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < map->count; i++) {
        items[i] = map->items[i];
        keys[i] = map->keys[i];
        places[i] = map->key_places[i];
    }
    items[map->count] = value;
    keys[map->count] = key;
    places[map->count] = value->place;
    map->items = items;
    map->keys = keys;
    map->key_places = places;
    map->count++;
    return SL_OK;
}

/* Adds the key that `path` starts with, and for its later steps the maps below it. */
static enum sl_status create_steps(struct sl_yaml *map, const char *path, struct sl_yaml *value,
                                   struct sl_arena *arena, struct sl_error *err)
{
    for (;;) {
        size_t length = step_length(path);
        size_t quote = length > 1 && path[0] == '"' && path[length - 1] == '"';
        const char *key = sl_arena_printf(arena, "%.*s", (int)(length - 2 * quote), path + quote);
        struct sl_yaml *child = value;
        if (path[length]) {
            child = sl_arena_alloc(arena, sizeof *child);
            if (child)
                *child = (struct sl_yaml){.type = SL_YAML_MAP, .place = value->place};
        }
        if (!key || !child)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        enum sl_status status = append_key(map, key, child, arena, err);
        if (status != SL_OK || child == value)
            return status;
        map = child;
        path += length + 1;
    }
}

static enum sl_status check_path(const char *path, struct sl_error *err)
{
    size_t length = strlen(path), steps = 1;
    bool empty = length == 0 || path[0] == '.' || path[length - 1] == '.' || strstr(path, "..");
    for (const char *c = path; *c; c++)
        steps += *c == '.';
    if (empty)
        return SL_FAIL(err, SL_INVALID, "'%s' is not a path such as domains.hbm.capacity", path);
    if (steps > MAX_STEPS)
        return SL_FAIL(err, SL_INVALID, "a path of %zu steps; at most %d", steps, MAX_STEPS);
    return SL_OK;
}

static enum sl_status set_below(struct sl_yaml *node, const char *path, const char *rest,
                                struct sl_yaml *value, struct sl_arena *arena,
                                struct sl_error *err);

/* `rest` begins with "*.". */
static enum sl_status set_everywhere(const struct sl_yaml *node, const char *path, const char *rest,
                                     const struct sl_yaml *value, struct sl_arena *arena,
                                     struct sl_error *err)
{
    if (node->count == 0)
        return SL_FAIL_AT(err, SL_INVALID, node->place, "'%s': there is nothing for the *", path);
    if (value->type != SL_YAML_SCALAR)
        return SL_FAIL(err, SL_INVALID, "'%s': a path with * takes a single value", path);
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; i < node->count && status == SL_OK; i++) {
        struct sl_yaml *own = sl_arena_alloc(arena, sizeof *own);
        if (!own)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        *own = *value;
        status = set_below(node->items[i], path, rest + 2, own, arena, err);
    }
    return status;
}

static enum sl_status set_below(struct sl_yaml *node, const char *path, const char *rest,
                                struct sl_yaml *value, struct sl_arena *arena, struct sl_error *err)
{
    for (;;) {
        size_t length = 0;
        uint32_t index = SL_NONE;
        enum sl_status status = SL_OK;
        if (node->type == SL_YAML_SCALAR && !*node->text)
            *node = (struct sl_yaml){.type = SL_YAML_MAP, .place = node->place}; /* "sweep:" */
        if (node->type == SL_YAML_SCALAR)
            return SL_FAIL_AT(err, SL_INVALID, node->place,
                              "'%s': there is a value, not a map, above '%s'", path, rest);
        bool star = strncmp(rest, "*.", 2) == 0;
        if (node->type == SL_YAML_MAP)
            index = find_key(node, rest, &length);
        if (star && index == SL_NONE)
            return set_everywhere(node, path, rest, value, arena, err);
        if (node->type == SL_YAML_LIST)
            status = find_element(node, path, rest, &length, &index, err);
        if (status != SL_OK)
            return status;
        if (index == SL_NONE)
            return create_steps(node, rest, value, arena, err);
        if (!rest[length]) {
            node->items[index] = value;
            if (node->key_places)
                node->key_places[index] = value->place;
            return SL_OK;
        }
        node = node->items[index];
        rest += length + 1;
    }
}

enum sl_status sl_yaml_set(struct sl_yaml *root, const char *path, struct sl_yaml *value,
                           struct sl_arena *arena, struct sl_error *err)
{
    enum sl_status status = check_path(path, err);
    return status == SL_OK ? set_below(root, path, path, value, arena, err) : status;
}

enum sl_status sl_yaml_put(struct sl_yaml *map, const char *key, struct sl_yaml *value,
                           struct sl_arena *arena, struct sl_error *err)
{
    for (uint32_t i = 0; i < map->count; i++)
        if (strcmp(map->keys[i], key) == 0) {
            map->items[i] = value;
            map->key_places[i] = value->place;
            return SL_OK;
        }
    return append_key(map, key, value, arena, err);
}

void sl_yaml_check_keys(const struct sl_yaml *map, const char *const *allowed, size_t count,
                        const char *where, struct sl_diags *diags)
{
    if (!map || map->type != SL_YAML_MAP)
        return;
    for (uint32_t i = 0; i < map->count; i++) {
        size_t known = 0;
        while (known < count && strcmp(allowed[known], map->keys[i]) != 0)
            known++;
        if (known < count)
            continue;
        char hint[600] = "";
        sl_suggest(hint, sizeof hint, map->keys[i], allowed, count);
        sl_diags_add(diags, SL_ERROR, "unknown-key", map->key_places[i], "unknown key '%s' in %s%s",
                     map->keys[i], where, hint);
    }
}

const char *sl_yaml_scalar(const struct sl_yaml *node, const char *what, struct sl_diags *diags)
{
    if (!node)
        return NULL;
    if (node->type == SL_YAML_SCALAR)
        return node->text;
    sl_diags_add(diags, SL_ERROR, "wrong-type", node->place,
                 "%s must be a single value, found a %s", what,
                 node->type == SL_YAML_LIST ? "list" : "map");
    return NULL;
}
