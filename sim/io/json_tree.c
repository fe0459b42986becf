/* Callbacks of the JSON stream that build a tree. */
#include <config.h>

#include "infile.h"
#include "json_stream.h"
#include "json_tree.h"
#include <stdlib.h>
#include <string.h>

/* A list or map that is being read; its children wait in the builder's own array. */
struct open_value {
    struct sl_yaml *value;
    const char *key; /* of the child to come; NULL: an element, or a key that is there twice */
    struct sl_place key_place;
    uint32_t first; /* child */
};

struct child {
    struct sl_yaml *value;
    const char *key;
    struct sl_place key_place;
};

struct builder {
    struct sl_json_stream stream;
    struct sl_arena *arena;
    struct sl_diags *diags;
    struct sl_error *err;
    struct sl_yaml *root;
    struct open_value open[SL_JSON_TREE_DEPTH];
    uint32_t depth;
    struct child *children;
    uint32_t child_count, child_capacity;
    uint32_t values;
    /* Where the last place was, so that the next one is counted from there. */
    uint64_t base_line, base_column;
    size_t at;
    struct sl_place last;
};

/* The first byte of the value that ends at `end`: within this chunk, else where the chunk begins.
 */
static size_t begin_of(const unsigned char *chunk, size_t end)
{
    if (end == 0)
        return 0;
    size_t at = end - 1;
    if (chunk[at] == '"') {
        while (at > 0) {
            size_t slashes = 0;
            at--;
            while (slashes < at && chunk[at - 1 - slashes] == '\\')
                slashes++;
            if (chunk[at] == '"' && slashes % 2 == 0)
                return at;
        }
        return 0;
    }
    if (strchr("{}[]", chunk[at]))
        return at;
    while (at > 0 && !strchr(" \t\r\n,:[{", chunk[at - 1]))
        at--;
    return at;
}

/* Where the value starts that the callback tells of. */
static struct sl_place place_of(struct builder *b)
{
    const struct sl_json_stream *s = &b->stream;
    size_t end = yajl_get_bytes_consumed(s->parser.handle);
    size_t begin = begin_of(s->chunk, end < s->chunk_size ? end : s->chunk_size);
    if (b->base_line != s->line || b->base_column != s->column || begin < b->at || !b->last.file) {
        b->base_line = s->line;
        b->base_column = s->column;
        b->at = 0;
        b->last = (struct sl_place){s->path, (int)s->line + 1, (int)s->column + 1};
    }
    for (; b->at < begin; b->at++) {
        bool ends = s->chunk[b->at] == '\n';
        b->last.line += ends;
        b->last.column = ends ? 1 : b->last.column + 1;
    }
    return b->last;
}

static int out_of_memory(struct builder *b)
{
    (void)SL_FAIL(b->err, SL_SYSTEM, "out of memory while reading %s", b->stream.path);
    return 0;
}

static int out_of_room(struct builder *b)
{
    if (b->arena->starved)
        return out_of_memory(b);
    (void)SL_FAIL_AT(b->err, SL_INVALID, place_of(b), "more than %d MiB of values are no such file",
                     SL_JSON_TREE_BYTES >> 20);
    return 0;
}

static int add_value(struct builder *b, struct sl_yaml *value)
{
    if (++b->values > SL_JSON_TREE_VALUES) {
        (void)SL_FAIL_AT(b->err, SL_INVALID, value->place, "more than %d values are no such file",
                         SL_JSON_TREE_VALUES);
        return 0;
    }
    if (b->depth == 0) {
        b->root = value;
        return 1;
    }
    struct open_value *parent = &b->open[b->depth - 1];
    if (parent->value->type == SL_YAML_MAP && !parent->key)
        return 1;
    if (!sl_grow((void **)&b->children, &b->child_capacity, b->child_count + 1,
                 sizeof *b->children))
        return out_of_memory(b);
    b->children[b->child_count++] = (struct child){value, parent->key, parent->key_place};
    return 1;
}

static struct sl_yaml *new_value(struct builder *b, enum sl_yaml_type type)
{
    struct sl_yaml *value = sl_arena_alloc(b->arena, sizeof *value);
    if (!value) {
        out_of_room(b);
        return NULL;
    }
    *value = (struct sl_yaml){.type = type, .place = place_of(b)};
    return value;
}

/* The text in the arena; NULL after a diagnostic or, with *failed, without room. */
static const char *keep_text(struct builder *b, const unsigned char *text, size_t length,
                             struct sl_place place, bool *failed)
{
    if (memchr(text, 0, length) || sl_utf8_fault((const char *)text, length) < length) {
        sl_diags_add(b->diags, SL_ERROR, "bad-text", place, "a text is not UTF-8, or holds NUL");
        return NULL;
    }
    char *kept = sl_arena_alloc(b->arena, length + 1);
    if (kept)
        memcpy(kept, text, length);
    else
        *failed = true;
    return kept;
}

static int take_scalar(struct builder *b, const unsigned char *text, size_t length)
{
    bool failed = false;
    struct sl_yaml *value = new_value(b, SL_YAML_SCALAR);
    if (!value)
        return 0;
    value->text = keep_text(b, text, length, value->place, &failed);
    if (failed)
        return out_of_room(b);
    return value->text ? add_value(b, value) : 1;
}

static int take_null(void *user)
{
    struct builder *b = user;
    sl_diags_add(b->diags, SL_ERROR, "null-value", place_of(b),
                 "null says nothing here: leave the key out");
    return 1;
}

static int take_bool(void *user, int holds)
{
    const char *word = holds ? "true" : "false";
    return take_scalar(user, (const unsigned char *)word, strlen(word));
}

static int take_number(void *user, const char *text, size_t length)
{
    return take_scalar(user, (const unsigned char *)text, length);
}

static int take_text(void *user, const unsigned char *text, size_t length)
{
    return take_scalar(user, text, length);
}

static int open_value(struct builder *b, enum sl_yaml_type type)
{
    struct sl_yaml *value = new_value(b, type);
    if (!value || !add_value(b, value))
        return 0;
    if (b->depth == SL_JSON_TREE_DEPTH) {
        (void)SL_FAIL_AT(b->err, SL_INVALID, value->place, "nested deeper than %d levels",
                         SL_JSON_TREE_DEPTH);
        return 0;
    }
    b->open[b->depth++] = (struct open_value){.value = value, .first = b->child_count};
    return 1;
}

static int open_map(void *user)
{
    return open_value(user, SL_YAML_MAP);
}

static int open_list(void *user)
{
    return open_value(user, SL_YAML_LIST);
}

static int take_key(void *user, const unsigned char *text, size_t length)
{
    struct builder *b = user;
    bool failed = false;
    struct open_value *map = &b->open[b->depth - 1];
    map->key_place = place_of(b);
    map->key = keep_text(b, text, length, map->key_place, &failed);
    if (failed)
        return out_of_room(b);
    if (b->child_count - map->first >= SL_JSON_TREE_KEYS) {
        (void)SL_FAIL_AT(b->err, SL_INVALID, map->key_place, "more than %d keys in one map",
                         SL_JSON_TREE_KEYS);
        return 0;
    }
    for (uint32_t k = map->first; map->key && k < b->child_count; k++)
        if (strcmp(b->children[k].key, map->key) == 0) {
            sl_diags_add(b->diags, SL_ERROR, "duplicate-key", map->key_place,
                         "'%s' is there already, in line %d", map->key,
                         b->children[k].key_place.line);
            map->key = NULL;
        }
    return 1;
}

/* Moves the children to their parent. */
static int close_value(void *user)
{
    struct builder *b = user;
    struct open_value *open = &b->open[--b->depth];
    struct sl_yaml *value = open->value;
    bool is_map = value->type == SL_YAML_MAP;
    uint32_t count = b->child_count - open->first;
    value->count = count;
    value->items = sl_arena_array(b->arena, (size_t)count + 1, sizeof *value->items);
    if (is_map) {
        value->keys = sl_arena_array(b->arena, (size_t)count + 1, sizeof *value->keys);
        value->key_places = sl_arena_array(b->arena, (size_t)count + 1, sizeof *value->key_places);
    }
    if (!value->items || (is_map && (!value->keys || !value->key_places)))
        return out_of_room(b);
    for (uint32_t k = 0; k < count; k++) {
        const struct child *child = &b->children[open->first + k];
        value->items[k] = child->value;
        if (is_map) {
            value->keys[k] = child->key;
            value->key_places[k] = child->key_place;
        }
    }
    b->child_count = open->first;
    return 1;
}

static void tell_mended(void *user, enum sl_json_mend what, struct sl_place place)
{
    struct builder *b = user;
    sl_diags_add(b->diags, SL_ERROR, "bad-text", place, "%s",
                 what == SL_JSON_CONTROL ? "a text holds a raw control character"
                                         : "NaN and infinities are no JSON numbers");
}

enum sl_status sl_json_tree_read(const char *path, struct sl_arena *arena, struct sl_yaml **root,
                                 struct sl_diags *diags, struct sl_error *err)
{
    static const yajl_callbacks callbacks = {
        .yajl_null = take_null,
        .yajl_boolean = take_bool,
        .yajl_number = take_number,
        .yajl_string = take_text,
        .yajl_start_map = open_map,
        .yajl_map_key = take_key,
        .yajl_end_map = close_value,
        .yajl_start_array = open_list,
        .yajl_end_array = close_value,
    };
    struct builder *b = calloc(1, sizeof *b);
    *root = NULL;
    if (!b)
        return SL_FAIL(err, SL_SYSTEM, "out of memory while reading %s", path);
    *b = (struct builder){.arena = arena, .diags = diags, .err = err};
    b->stream = (struct sl_json_stream){
        .path = path, .callbacks = &callbacks, .user = b, .mended = tell_mended};
    size_t limit = arena->limit;
    arena->limit = arena->total + SL_JSON_TREE_BYTES;
    enum sl_status status = sl_json_stream_read(&b->stream, err);
    arena->limit = limit;
    if (status == SL_OK && b->stream.truncated)
        status = SL_FAIL_AT(err, SL_INVALID, ((struct sl_place){path, 0, 0}),
                            "the file ends in the middle of a value");
    if (status == SL_OK && !b->root)
        status = SL_FAIL_AT(err, SL_INVALID, ((struct sl_place){path, 0, 0}), "the file is empty");
    if (status == SL_OK)
        *root = b->root;
    free(b->children);
    free(b);
    return status;
}
