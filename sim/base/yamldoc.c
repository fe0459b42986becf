/* YAML trees through libyaml's event parser. */
#include <config.h>

#include "infile.h"
#include "text.h"
#include "yamldoc.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define MAX_DEPTH 64
#define MAX_BYTES (16LL << 20)
#define MAX_NODES (1u << 20) /* "[a,a,a" makes a node of two bytes */

struct reader {
    yaml_parser_t parser;
    const char *file, *text;
    size_t size;
    struct sl_arena *arena;
    struct sl_error *err;
    uint32_t nodes;
};

static int from_mark(size_t mark)
{
    return mark >= INT_MAX ? INT_MAX : (int)mark + 1;
}

static struct sl_place place_of(const struct reader *r, yaml_mark_t mark)
{
    return (struct sl_place){r->file, from_mark(mark.line), from_mark(mark.column)};
}

static enum sl_status no_memory(struct sl_error *err)
{
    return SL_FAIL(err, SL_SYSTEM, "out of memory");
}

/* The place of a byte: libyaml gives an offset, not a mark, for characters that it refuses. */
static struct sl_place place_of_byte(const struct reader *r, size_t offset)
{
    size_t start = 0;
    struct sl_place place = {.file = r->file, .line = 1};
    if (offset > r->size)
        offset = r->size;
    for (size_t i = 0; i < offset; i++)
        if (r->text[i] == '\n') {
            place.line++;
            start = i + 1;
        }
    place.column = (int)sl_utf8_length(r->text + start, offset - start) + 1;
    return place;
}

static enum sl_status next_event(struct reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->parser, event))
        return SL_OK;
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return no_memory(r->err);
    struct sl_place place = p->error == YAML_READER_ERROR ? place_of_byte(r, p->problem_offset)
                                                          : place_of(r, p->problem_mark);
    return SL_FAIL_AT(r->err, SL_INVALID, place, "not valid YAML: %s%s%s",
                      p->problem ? p->problem : "syntax error", p->context ? " " : "",
                      p->context ? p->context : "");
}

/* Refuses what would give one text two meanings: anchors and tags. */
static enum sl_status check_properties(const struct reader *r, const yaml_event_t *event,
                                       const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor)
        return SL_FAIL_AT(r->err, SL_INVALID, place_of(r, event->start_mark),
                          "anchors are not allowed (found '&%s')", (const char *)anchor);
    if (tag)
        return SL_FAIL_AT(r->err, SL_INVALID, place_of(r, event->start_mark),
                          "tags are not allowed (found '%s')", (const char *)tag);
    return SL_OK;
}

static enum sl_status new_node(struct reader *r, const yaml_event_t *event, enum sl_yaml_type type,
                               struct sl_yaml **node)
{
    struct sl_place place = place_of(r, event->start_mark);
    if (++r->nodes > MAX_NODES)
        return SL_FAIL_AT(r->err, SL_INVALID, place, "more than %u values", MAX_NODES);
    *node = sl_arena_alloc(r->arena, sizeof **node);
    if (!*node)
        return no_memory(r->err);
    (*node)->type = type;
    (*node)->place = place;
    return SL_OK;
}

static enum sl_status scalar_text(struct reader *r, const yaml_event_t *event, const char **text)
{
    const char *value = (const char *)event->data.scalar.value;
    if (strlen(value) != event->data.scalar.length)
        return SL_FAIL_AT(r->err, SL_INVALID, place_of(r, event->start_mark),
                          "a NUL character in a value");
    *text = sl_arena_strdup(r->arena, value);
    return *text ? SL_OK : no_memory(r->err);
}

static enum sl_status read_scalar(struct reader *r, const yaml_event_t *event,
                                  struct sl_yaml **node)
{
    enum sl_status status =
        check_properties(r, event, event->data.scalar.anchor, event->data.scalar.tag);
    if (status == SL_OK)
        status = new_node(r, event, SL_YAML_SCALAR, node);
    if (status == SL_OK)
        status = scalar_text(r, event, &(*node)->text);
    return status;
}

/* Children grow in malloc'ed arrays; only the final ones go to the arena. */
struct children {
    struct sl_yaml **items;
    const char **keys;
    struct sl_place *places;
    uint32_t count, item_capacity, key_capacity, place_capacity;
    struct sl_names seen; /* keys */
};

static bool has_room(struct children *c)
{
    return sl_grow((void **)&c->items, &c->item_capacity, c->count + 1, sizeof *c->items) &&
           sl_grow((void **)&c->keys, &c->key_capacity, c->count + 1, sizeof *c->keys) &&
           sl_grow((void **)&c->places, &c->place_capacity, c->count + 1, sizeof *c->places);
}

static void *keep(struct sl_arena *arena, const void *from, uint32_t count, size_t size)
{
    void *copy = sl_arena_array(arena, count, size);
    return copy && count ? memcpy(copy, from, count * size) : copy;
}

static enum sl_status adopt(struct reader *r, const struct children *c, struct sl_yaml *node)
{
    node->count = c->count;
    node->items = keep(r->arena, c->items, c->count, sizeof *c->items);
    if (!node->items)
        return no_memory(r->err);
    if (node->type == SL_YAML_LIST)
        return SL_OK;
    node->keys = keep(r->arena, c->keys, c->count, sizeof *c->keys);
    node->key_places = keep(r->arena, c->places, c->count, sizeof *c->places);
    return node->keys && node->key_places ? SL_OK : no_memory(r->err);
}

static void free_children(struct children *c)
{
    free(c->items);
    free(c->keys);
    free(c->places);
    sl_names_free(&c->seen);
}

static enum sl_status take_key(struct reader *r, const yaml_event_t *event, struct children *c)
{
    struct sl_place place = place_of(r, event->start_mark);
    if (event->type == YAML_ALIAS_EVENT)
        return SL_FAIL_AT(r->err, SL_INVALID, place, "aliases are not allowed (found '*%s')",
                          (const char *)event->data.alias.anchor);
    if (event->type != YAML_SCALAR_EVENT)
        return SL_FAIL_AT(r->err, SL_INVALID, place, "a key must be a single word, found a %s",
                          event->type == YAML_MAPPING_START_EVENT ? "map" : "list");
    enum sl_status status =
        check_properties(r, event, event->data.scalar.anchor, event->data.scalar.tag);
    const char *key = NULL;
    if (status == SL_OK)
        status = scalar_text(r, event, &key);
    if (status != SL_OK)
        return status;
    uint32_t known = sl_names_find(&c->seen, key);
    if (known != SL_NONE)
        return SL_FAIL_AT(r->err, SL_INVALID, place, "duplicate key '%s' (first at line %d)", key,
                          c->places[known].line);
    if (!has_room(c) || sl_names_add(&c->seen, key) == SL_NONE)
        return no_memory(r->err);
    c->keys[c->count] = key;
    c->places[c->count] = place;
    return SL_OK;
}

static enum sl_status read_node(struct reader *r, const yaml_event_t *event, int depth,
                                struct sl_yaml **node);

static enum sl_status read_children(struct reader *r, bool map, int depth, struct children *c)
{
    for (;;) {
        yaml_event_t event;
        enum sl_status status = next_event(r, &event);
        if (status != SL_OK)
            return status;
        if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            return SL_OK;
        }
        if (map) {
            status = take_key(r, &event, c);
            yaml_event_delete(&event);
            if (status == SL_OK)
                status = next_event(r, &event);
            if (status != SL_OK)
                return status;
        } else if (!has_room(c)) {
            yaml_event_delete(&event);
            return no_memory(r->err);
        }
        status = read_node(r, &event, depth + 1, &c->items[c->count]);
        yaml_event_delete(&event);
        if (status != SL_OK)
            return status;
        c->count++;
    }
}

static enum sl_status read_collection(struct reader *r, const yaml_event_t *event, int depth,
                                      struct sl_yaml **node)
{
    bool map = event->type == YAML_MAPPING_START_EVENT;
    if (depth > MAX_DEPTH)
        return SL_FAIL_AT(r->err, SL_INVALID, place_of(r, event->start_mark),
                          "nested more than %d deep", MAX_DEPTH);
    enum sl_status status = check_properties(
        r, event, map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor,
        map ? event->data.mapping_start.tag : event->data.sequence_start.tag);
    if (status == SL_OK)
        status = new_node(r, event, map ? SL_YAML_MAP : SL_YAML_LIST, node);
    if (status != SL_OK)
        return status;
    struct children children = {0};
    status = read_children(r, map, depth, &children);
    if (status == SL_OK)
        status = adopt(r, &children, *node);
    free_children(&children);
    return status;
}

static enum sl_status read_node(struct reader *r, const yaml_event_t *event, int depth,
                                struct sl_yaml **node)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(r, event, node);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return read_collection(r, event, depth, node);
    case YAML_ALIAS_EVENT:
        return SL_FAIL_AT(r->err, SL_INVALID, place_of(r, event->start_mark),
                          "aliases are not allowed (found '*%s')",
                          (const char *)event->data.alias.anchor);
    default:
        return SL_FAIL_AT(r->err, SL_INVALID, place_of(r, event->start_mark),
                          "not valid YAML: a value belongs here");
    }
}

/* Skips to the next event that is neither the start of the stream nor of a document. */
static enum sl_status content_event(struct reader *r, yaml_event_t *event)
{
    for (;;) {
        enum sl_status status = next_event(r, event);
        if (status != SL_OK ||
            (event->type != YAML_STREAM_START_EVENT && event->type != YAML_DOCUMENT_START_EVENT))
            return status;
        yaml_event_delete(event);
    }
}

static enum sl_status read_document(struct reader *r, struct sl_yaml **root)
{
    yaml_event_t event;
    enum sl_status status = content_event(r, &event);
    if (status != SL_OK)
        return status;
    if (event.type == YAML_STREAM_END_EVENT)
        status = SL_FAIL_AT(r->err, SL_INVALID, (struct sl_place){.file = r->file},
                            "the file holds no YAML");
    else
        status = read_node(r, &event, 1, root);
    yaml_event_delete(&event);
    if (status != SL_OK)
        return status;
    do { /* the document's end, then the stream's */
        status = next_event(r, &event);
        if (status != SL_OK)
            return status;
        if (event.type == YAML_DOCUMENT_START_EVENT)
            status = SL_FAIL_AT(r->err, SL_INVALID, place_of(r, event.start_mark),
                                "a second document starts here; only one is read");
        bool done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (done)
            return SL_OK;
    } while (status == SL_OK);
    return status;
}

enum sl_status sl_yaml_parse(const char *text, size_t size, const char *name,
                             struct sl_arena *arena, struct sl_yaml **root, struct sl_error *err)
{
    struct reader r = {.arena = arena,
                       .err = err,
                       .file = sl_arena_strdup(arena, name),
                       .text = text,
                       .size = size};
    if (!r.file)
        return no_memory(err);
    if ((int64_t)size > MAX_BYTES)
        return SL_FAIL_AT(err, SL_INVALID, (struct sl_place){.file = r.file},
                          "more than %lld bytes", MAX_BYTES);
    size_t fault = sl_utf8_fault(text, size); /* also keeps libyaml from guessing UTF-16 */
    if (fault < size)
        return SL_FAIL_AT(err, SL_INVALID, place_of_byte(&r, fault),
                          "byte 0x%02X is not valid UTF-8", (unsigned char)text[fault]);
    if (!yaml_parser_initialize(&r.parser))
        return no_memory(err);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
    enum sl_status status = read_document(&r, root);
    yaml_parser_delete(&r.parser);
    return status;
}

enum sl_status sl_yaml_read(const char *path, struct sl_arena *arena, struct sl_yaml **root,
                            struct sl_error *err)
{
    const char *name = sl_arena_strdup(arena, path);
    if (!name)
        return no_memory(err);
    char *data = NULL;
    size_t size = 0;
    enum sl_status status = sl_infile_read(name, MAX_BYTES, arena, &data, &size, err);
    return status == SL_OK ? sl_yaml_parse(data, size, name, arena, root, err) : status;
}
