/* A YAML file as a tree with places, read through libyaml.
 *
 * Refused with a place: duplicate keys, anchors and aliases, tags, more than one document, nesting
 * above 64, files above 16 MiB or a million values, keys that are not scalars, text that is not
 * UTF-8, NUL characters. */
#ifndef SL_YAMLDOC_H
#define SL_YAMLDOC_H
#include "arena.h"

enum sl_yaml_type { SL_YAML_SCALAR, SL_YAML_LIST, SL_YAML_MAP };

struct sl_yaml {
    enum sl_yaml_type type;
    struct sl_place place;
    const char *text;       /* scalar: its text; others NULL */
    uint32_t count;         /* children of a list or map */
    struct sl_yaml **items; /* list elements or map values */
    const char **keys;      /* map keys */
    struct sl_place *key_places;
};

/* Reads `path`; the tree lives in `arena`.  Syntax faults are SL_INVALID errors with a place; a
 * file that cannot be read is SL_SYSTEM, one that does not exist SL_INVALID. */
enum sl_status sl_yaml_read(const char *path, struct sl_arena *arena, struct sl_yaml **root,
                            struct sl_error *err) SL_NODISCARD;
/* The same for a text in memory; `name` stands for the file in places. */
enum sl_status sl_yaml_parse(const char *text, size_t size, const char *name,
                             struct sl_arena *arena, struct sl_yaml **root,
                             struct sl_error *err) SL_NODISCARD;

/* The value of `key` in a map, NULL when absent (or when `map` is NULL or no map). */
struct sl_yaml *sl_yaml_get(const struct sl_yaml *map, const char *key);

/* The value at a dotted path as sl_yaml_set takes them, without `*`; NULL: there is none. */
struct sl_yaml *sl_yaml_find(struct sl_yaml *root, const char *path);

/* Sets the value at a dotted path ("domains.hbm.capacity", "policies.0.name"), creating missing
 * maps; list elements are chosen by number from 0, or by their `name` key; an existing key or name
 * that holds dots itself ("copy.h2d") is found whole.  A step `*` before others ("routes.*.bandwidth")
 * stands for every element of a list or value of a map, of which there must be one, and takes a
 * scalar only.  The value is not copied.  Used by --set and by sweep axes before validation, so that
 * a wrong value is reported like any other. */
enum sl_status sl_yaml_set(struct sl_yaml *root, const char *path, struct sl_yaml *value,
                           struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
/* Sets one key of a map, whatever characters it holds. */
enum sl_status sl_yaml_put(struct sl_yaml *map, const char *key, struct sl_yaml *value,
                           struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;

/* Diagnoses every key of `map` outside `allowed` ("unknown-key", nearest word). */
void sl_yaml_check_keys(const struct sl_yaml *map, const char *const *allowed, size_t count,
                        const char *where, struct sl_diags *diags);
/* The scalar text of `node`, or NULL with a diagnostic ("wrong-type") when it is no scalar. */
const char *sl_yaml_scalar(const struct sl_yaml *node, const char *what, struct sl_diags *diags);
#endif
