/* Reading config.json: only keys of the outermost object count, whatever lies within its values. */
#include "config.h"

#include "infile.h"
#include "jsonparser.h"
#include "template_config.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_DEPTH = 64, MOST_KEY = 128, MOST_VALUE = 256 };

struct reading {
    struct sl_template_config *config;
    uint32_t depth, key; /* SL_NONE: no key is waiting for its value */
    const char *why;     /* a callback ended the reading; NULL: it did not */
    struct sl_json_parser parser;
};

static int stop(struct reading *r, const char *why)
{
    r->why = why;
    return 0;
}

static int take(struct reading *r, const char *text, size_t length)
{
    uint32_t key = r->depth == 1 ? r->key : SL_NONE;
    if (key == SL_NONE)
        return r->depth > 0 ? 1 : stop(r, "the outermost value is no object");
    r->key = SL_NONE;
    if (length >= MOST_VALUE)
        return 1; /* no figure of a model is as long */
    const char *kept = sl_arena_printf(&r->config->arena, "%.*s", (int)length, text);
    if (!kept)
        return stop(r, "out of memory");
    r->config->values[key] = kept;
    return 1;
}

static int take_number(void *user, const char *text, size_t length)
{
    return take(user, text, length);
}

static int take_string(void *user, const unsigned char *text, size_t length)
{
    return take(user, (const char *)text, length);
}

static int take_boolean(void *user, int value)
{
    (void)value;
    return take(user, "", 0);
}

static int take_null(void *user)
{
    return take(user, "", 0);
}

static int take_key(void *user, const unsigned char *text, size_t length)
{
    struct reading *r = user;
    struct sl_template_config *config = r->config;
    char name[MOST_KEY];
    if (r->depth != 1)
        return 1;
    r->key = SL_NONE;
    if (length >= sizeof name || memchr(text, '\0', length))
        return 1;
    memcpy(name, text, length);
    name[length] = '\0';
    uint32_t known = config->keys.count, key = sl_names_add(&config->keys, name);
    if (key == SL_NONE ||
        !sl_grow((void **)&config->values, &config->capacity, config->keys.count,
                 sizeof *config->values) ||
        !sl_grow((void **)&config->ends, &config->end_capacity, config->keys.count,
                 sizeof *config->ends))
        return stop(r, "out of memory");
    if (key < known)
        return stop(r, "a key is there twice");
    config->values[key] = "";
    config->ends[key] = yajl_get_bytes_consumed(r->parser.handle);
    r->key = key;
    return 1;
}

static int open_object(void *user)
{
    struct reading *r = user;
    if (r->depth == 1)
        r->key = SL_NONE;
    return ++r->depth <= MOST_DEPTH ? 1 : stop(r, "values lie more than 64 deep");
}

static int open_array(void *user)
{
    struct reading *r = user;
    return r->depth == 0 ? stop(r, "the outermost value is no object") : open_object(user);
}

static int close_value(void *user)
{
    ((struct reading *)user)->depth--;
    return 1;
}

static const yajl_callbacks callbacks = {
    .yajl_null = take_null,
    .yajl_boolean = take_boolean,
    .yajl_number = take_number,
    .yajl_string = take_string,
    .yajl_start_map = open_object,
    .yajl_map_key = take_key,
    .yajl_end_map = close_value,
    .yajl_start_array = open_array,
    .yajl_end_array = close_value,
};

static struct sl_place place_at(const char *path, const char *text, size_t offset)
{
    struct sl_place place = {path, 1, 1};
    for (size_t i = 0; i < offset; i++, place.column++)
        if (text[i] == '\n') {
            place.line++;
            place.column = 0;
        }
    return place;
}

static enum sl_status parse(struct reading *r, const char *path, const char *text, size_t size,
                            struct sl_error *err)
{
    const unsigned char *bytes = (const unsigned char *)text;
    yajl_status result = yajl_status_error;
    size_t offset = 0;
    if (sl_json_parser_open(&r->parser, &callbacks, r)) {
        result = sl_json_parser_feed(&r->parser, bytes, size);
        offset = yajl_get_bytes_consumed(r->parser.handle);
    }
    if (result == yajl_status_ok)
        result = sl_json_parser_end(&r->parser);
    enum sl_status status = SL_OK;
    if (r->parser.starved || (r->why && strcmp(r->why, "out of memory") == 0))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    else if (result != yajl_status_ok)
        status = SL_FAIL_AT(err, SL_INVALID, place_at(path, text, offset),
                            "this is no model's config.json: %s",
                            r->why ? r->why : "it is no JSON, or ends too early");
    sl_json_parser_close(&r->parser);
    return status;
}

enum sl_status sl_template_config_read(struct sl_template_config *config, const char *path,
                                       struct sl_error *err)
{
    *config = (struct sl_template_config){0};
    struct reading reading = {.config = config, .key = SL_NONE};
    char *text = NULL;
    size_t size = 0;
    enum sl_status status = sl_infile_read(path, MOST_BYTES, &config->arena, &text, &size, err);
    config->path = path;
    config->text = text;
    return status == SL_OK ? parse(&reading, path, text, size, err) : status;
}

/* Index of the first of the keys that has a value; SL_NONE. */
static uint32_t find(const struct sl_template_config *config, const char *keys)
{
    for (const char *at = keys; *at;) {
        char key[MOST_KEY];
        size_t length = strcspn(at, ";");
        snprintf(key, sizeof key, "%.*s", (int)length, at);
        uint32_t index = sl_names_find(&config->keys, key);
        if (index != SL_NONE && *config->values[index])
            return index;
        at += length + (at[length] == ';');
    }
    return SL_NONE;
}

const char *sl_template_config_find(const struct sl_template_config *config, const char *keys)
{
    uint32_t index = find(config, keys);
    return index == SL_NONE ? NULL : config->values[index];
}

enum sl_status sl_template_config_refuse(const struct sl_template_config *config, const char *keys,
                                         const char *name, struct sl_error *err)
{
    for (const char *at = keys; *at;) {
        char key[MOST_KEY];
        size_t length = strcspn(at, ";");
        snprintf(key, sizeof key, "%.*s", (int)length, at);
        uint32_t index = find(config, key);
        if (index != SL_NONE && strtod(config->values[index], NULL) > 1) {
            size_t quoted = strlen(key) + 2, end = config->ends[index];
            return SL_FAIL_AT(err, SL_INVALID,
                              place_at(config->path, config->text, end > quoted ? end - quoted : 0),
                              "'%s' is %s: template '%s' does not count such layers (template moe "
                              "has experts); say the shape with --set, without config=",
                              key, config->values[index], name);
        }
        at += length + (at[length] == ';');
    }
    return SL_OK;
}

void sl_template_config_free(struct sl_template_config *config)
{
    sl_names_free(&config->keys);
    free(config->values);
    free(config->ends);
    sl_arena_free(&config->arena);
}
