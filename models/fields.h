/* Reading single values of a user's file, whatever its format: each fault becomes one located
 * diagnostic that says what was found and what is allowed.
 *
 * `sl_value_*` take a text and its place (a CSV cell, a YAML scalar); `sl_field_*` look a key of a
 * YAML map up first.  All return true when *out was set: false means absent or diagnosed. */
#ifndef SL_FIELDS_H
#define SL_FIELDS_H
#include "dist.h"
#include "text.h"
#include "yamldoc.h"

#define SL_NAME_MAX 200 /* bytes of any name in a user's file */

/* Where faults go and texts live, handed to every reader. */
struct sl_reader {
    struct sl_arena *arena;
    struct sl_diags *diags;
    const char *base_dir; /* relative file names are taken from here */
};

bool sl_value_time(const struct sl_reader *reader, const char *text, struct sl_place place,
                   const char *what, int64_t *ps);
bool sl_value_bytes(const struct sl_reader *reader, const char *text, struct sl_place place,
                    const char *what, int64_t *bytes);
bool sl_value_bandwidth(const struct sl_reader *reader, const char *text, struct sl_place place,
                        const char *what, double *bytes_per_s);
/* A number within [low, high]. */
bool sl_value_number(const struct sl_reader *reader, const char *text, struct sl_place place,
                     const char *what, double low, double high, double *value);
bool sl_value_integer(const struct sl_reader *reader, const char *text, struct sl_place place,
                      const char *what, int64_t low, int64_t high, int64_t *value);
bool sl_value_bool(const struct sl_reader *reader, const char *text, struct sl_place place,
                   const char *what, bool *value);
/* One of `words`; *index is its position.  `code` is the diagnostic's, NULL: "bad-value". */
bool sl_value_choice(const struct sl_reader *reader, const char *text, struct sl_place place,
                     const char *what, const char *const *words, size_t count, const char *code,
                     unsigned *index);
bool sl_value_dist(const struct sl_reader *reader, const char *text, struct sl_place place,
                   const char *what, enum sl_dist_dimension dimension, const struct sl_dist **dist);
/* "measured: source": *word is 0 (measured), 1 (bounded), 2 (assumed), 3 (published) or 4
 * (unknown); *source is the text after the colon, "" without one. */
bool sl_value_evidence(const struct sl_reader *reader, const char *text, struct sl_place place,
                       unsigned *word, const char **source);
/* The index of a declared name; otherwise "unknown-WHAT" with the nearest one. */
bool sl_value_ref(const struct sl_reader *reader, const char *text, struct sl_place place,
                  const char *what, const struct sl_names *names, uint32_t *index);
/* True when `text` may name a new thing: 1..200 bytes, no control characters, none of the
 * characters of `forbidden` (those that separate names in lists). */
bool sl_value_name(const struct sl_reader *reader, const char *text, struct sl_place place,
                   const char *what, const char *forbidden);
/* The index of a name that may be new; SL_NONE after the diagnostic that memory is out. */
uint32_t sl_value_add(const struct sl_reader *reader, struct sl_names *names, const char *name,
                      struct sl_place place);

bool sl_field_text(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                   const char **text);
bool sl_field_time(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                   int64_t *ps);
bool sl_field_bytes(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                    int64_t *bytes);
bool sl_field_bandwidth(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                        double *bytes_per_s);
bool sl_field_number(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                     double low, double high, double *value);
bool sl_field_integer(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                      int64_t low, int64_t high, int64_t *value);
bool sl_field_choice(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                     const char *const *words, size_t count, unsigned *index);
bool sl_field_dist(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                   enum sl_dist_dimension dimension, const struct sl_dist **dist);
bool sl_field_ref(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                  const char *what, const struct sl_names *names, uint32_t *index);
/* A name or a list of names, joined by ';'. */
bool sl_field_words(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                    const char **joined);

/* `evidence: "measured: source"` must start with a known word; the text stays as written. */
void sl_field_evidence(const struct sl_reader *reader, const struct sl_yaml *map,
                       const char **evidence);

/* "wrong-type" unless `node` is NULL or has the type; true when it is there and has it. */
bool sl_field_is(const struct sl_reader *reader, const struct sl_yaml *node, enum sl_yaml_type type,
                 const char *what);
/* "missing-key" unless the map has the key. */
bool sl_field_require(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                      const char *where);
/* `name` below `dir` ("." and "" leave it as it is; absolute names stay), in the arena. */
const char *sl_path_join(struct sl_arena *arena, const char *dir, const char *name);
#endif
