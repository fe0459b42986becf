/* A small validator of JSON Schema (draft 2020-12) for tests: the keywords that the project's
 * schemas use, and a failure for any other, so that none is silently ignored. */
#ifndef SL_TEST_SCHEMA_H
#define SL_TEST_SCHEMA_H
#include "harness.h"
#include <math.h>
#include <string.h>
#include <yajl/yajl_tree.h>

struct schema {
    yajl_val root;
    char fault[400]; /* the first one; "": none */
};

/* YAJL_GET_STRING may be NULL for what it knows. */
static inline const char *schema_text(yajl_val value)
{
    ck_assert(YAJL_IS_STRING(value));
    return value->u.string;
}

static inline yajl_val schema_member(yajl_val map, const char *key)
{
    for (size_t i = 0; YAJL_IS_OBJECT(map) && i < map->u.object.len; i++)
        if (strcmp(map->u.object.keys[i], key) == 0)
            return map->u.object.values[i];
    return NULL;
}

static inline bool schema_is_type(yajl_val value, const char *type)
{
    if (strcmp(type, "object") == 0)
        return YAJL_IS_OBJECT(value);
    if (strcmp(type, "array") == 0)
        return YAJL_IS_ARRAY(value);
    if (strcmp(type, "string") == 0)
        return YAJL_IS_STRING(value);
    if (strcmp(type, "boolean") == 0)
        return YAJL_IS_TRUE(value) || YAJL_IS_FALSE(value);
    if (strcmp(type, "null") == 0)
        return YAJL_IS_NULL(value);
    if (strcmp(type, "number") == 0)
        return YAJL_IS_NUMBER(value);
    ck_assert_msg(strcmp(type, "integer") == 0, "unknown type %s", type);
    return YAJL_IS_NUMBER(value) && !strpbrk(YAJL_GET_NUMBER(value), ".eE");
}

static inline bool schema_equal(yajl_val a, yajl_val b)
{
    if (YAJL_IS_NULL(a) || YAJL_IS_NULL(b))
        return YAJL_IS_NULL(a) && YAJL_IS_NULL(b);
    if (YAJL_IS_STRING(a) || YAJL_IS_STRING(b))
        return YAJL_IS_STRING(a) && YAJL_IS_STRING(b) &&
               strcmp(schema_text(a), schema_text(b)) == 0;
    if (schema_is_type(a, "boolean"))
        return YAJL_IS_TRUE(a) ? YAJL_IS_TRUE(b) : YAJL_IS_FALSE(b);
    ck_assert_msg(YAJL_IS_NUMBER(a), "a const or enum of the schema is an object or an array");
    return YAJL_IS_NUMBER(b) &&
           strtod(YAJL_GET_NUMBER(a), NULL) == strtod(YAJL_GET_NUMBER(b), NULL);
}

static void schema_check(struct schema *s, yajl_val schema, yajl_val value, const char *path);

static inline void schema_fail(struct schema *s, const char *path, const char *what,
                               const char *more)
{
    if (!s->fault[0])
        snprintf(s->fault, sizeof s->fault, "%s: %s %s", path, what, more);
}

static inline void schema_check_map(struct schema *s, yajl_val schema, yajl_val map,
                                    const char *path)
{
    yajl_val properties = schema_member(schema, "properties");
    yajl_val required = schema_member(schema, "required");
    bool closed = YAJL_IS_FALSE(schema_member(schema, "additionalProperties"));
    for (size_t i = 0; required && i < required->u.array.len; i++)
        if (!schema_member(map, schema_text(required->u.array.values[i])))
            schema_fail(s, path, "lacks", schema_text(required->u.array.values[i]));
    for (size_t i = 0; i < map->u.object.len && !s->fault[0]; i++) {
        char below[300];
        snprintf(below, sizeof below, "%.200s.%.80s", path, map->u.object.keys[i]);
        yajl_val rule = schema_member(properties, map->u.object.keys[i]);
        for (size_t k = 0; k < i; k++)
            if (strcmp(map->u.object.keys[k], map->u.object.keys[i]) == 0)
                schema_fail(s, below, "is there", "twice");
        if (rule)
            schema_check(s, rule, map->u.object.values[i], below);
        else if (closed)
            schema_fail(s, below, "is not", "known");
    }
}

static inline void schema_check_type(struct schema *s, yajl_val type, yajl_val value,
                                     const char *path)
{
    bool fits = YAJL_IS_STRING(type) && schema_is_type(value, schema_text(type));
    for (size_t i = 0; YAJL_IS_ARRAY(type) && i < type->u.array.len; i++)
        fits |= schema_is_type(value, schema_text(type->u.array.values[i]));
    if (!fits)
        schema_fail(s, path, "is of", "another type");
}

static inline yajl_val schema_resolve(struct schema *s, const char *ref)
{
    static const char prefix[] = "#/$defs/";
    ck_assert_msg(strncmp(ref, prefix, sizeof prefix - 1) == 0, "%s", ref);
    yajl_val found = schema_member(schema_member(s->root, "$defs"), ref + sizeof prefix - 1);
    ck_assert_msg(found != NULL, "%s", ref);
    return found;
}

static inline void schema_check_word(struct schema *s, yajl_val schema, const char *word,
                                     yajl_val rule, yajl_val value, const char *path)
{
    if (strcmp(word, "type") == 0) {
        schema_check_type(s, rule, value, path);
    } else if (strcmp(word, "$ref") == 0) {
        schema_check(s, schema_resolve(s, schema_text(rule)), value, path);
    } else if (strcmp(word, "enum") == 0) {
        bool found = false;
        for (size_t i = 0; i < rule->u.array.len; i++)
            found |= schema_equal(rule->u.array.values[i], value);
        if (!found)
            schema_fail(s, path, "is none of", "the enum");
    } else if (strcmp(word, "const") == 0) {
        if (!schema_equal(rule, value))
            schema_fail(s, path, "is not", "the const");
    } else if (strcmp(word, "minimum") == 0) {
        if (YAJL_IS_NUMBER(value) &&
            strtod(YAJL_GET_NUMBER(value), NULL) < strtod(YAJL_GET_NUMBER(rule), NULL))
            schema_fail(s, path, "is below", YAJL_GET_NUMBER(rule));
    } else if (strcmp(word, "items") == 0) {
        for (size_t i = 0; YAJL_IS_ARRAY(value) && i < value->u.array.len && !s->fault[0]; i++) {
            char below[300];
            snprintf(below, sizeof below, "%.200s[%zu]", path, i);
            schema_check(s, rule, value->u.array.values[i], below);
        }
    } else if (strcmp(word, "properties") == 0) {
        if (YAJL_IS_OBJECT(value))
            schema_check_map(s, schema, value, path);
    } else {
        static const char *const others[] = {"required", "additionalProperties", "$schema", "$defs",
                                             "title",    "description"};
        bool known = false;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            known |= strcmp(word, others[i]) == 0;
        ck_assert_msg(known, "the schema uses '%s', which this validator does not know", word);
    }
}

static void schema_check(struct schema *s, yajl_val schema, yajl_val value, const char *path)
{
    ck_assert(YAJL_IS_OBJECT(schema));
    for (size_t i = 0; i < schema->u.object.len && !s->fault[0]; i++)
        schema_check_word(s, schema, schema->u.object.keys[i], schema->u.object.values[i], value,
                          path);
}

/* "" where the value follows the schema, else what the first fault is. */
static inline const char *schema_fault(struct schema *s, yajl_val schema, yajl_val value)
{
    s->root = schema;
    s->fault[0] = '\0';
    schema_check(s, schema, value, "$");
    return s->fault;
}

/* The text of a file and its tree; both are the caller's. */
static inline yajl_val schema_read(const char *path, char **text)
{
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    *text = calloc(1, (size_t)size + 1);
    ck_assert(*text && fread(*text, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    char why[200] = "";
    yajl_val tree = yajl_tree_parse(*text, why, sizeof why);
    ck_assert_msg(tree != NULL, "%s: %s", path, why);
    return tree;
}
#endif
