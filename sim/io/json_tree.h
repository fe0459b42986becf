/* A small JSON file as a tree with places, in the form of a YAML one, so that the readers of fields
 * (fields.h) serve both.
 *
 * A text, a number and a truth value are scalars alike; what may stand where the reader of a field
 * says.  Faults go to the diagnostics with their place, all of them: a key that is there twice,
 * null, texts that are not UTF-8 or hold NUL, raw control characters, NaN and infinities.  Where
 * the text stops being JSON, or is above a limit, reading ends. */
#ifndef SL_JSON_TREE_H
#define SL_JSON_TREE_H
#include "yamldoc.h"

enum {
    SL_JSON_TREE_DEPTH = 32,
    SL_JSON_TREE_KEYS = 1000,       /* of one map */
    SL_JSON_TREE_VALUES = 4 << 20,  /* of the file */
    SL_JSON_TREE_BYTES = 256 << 20, /* of memory, texts and all */
};

/* Reads `path` into `arena`; *root is NULL when nothing could be made of it.  SL_INVALID: no JSON,
 * or above a limit, at its place.  SL_OK with errors among the diagnostics: the tree lacks what is
 * wrong. */
enum sl_status sl_json_tree_read(const char *path, struct sl_arena *arena, struct sl_yaml **root,
                                 struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
#endif
