/* The head of a measured table: "# key=value" lines before its columns.  "# identity=KEY,KEY" names
 * the keys in which tables of one machine agree (its driver, say). */
#ifndef SL_TABLE_HEAD_H
#define SL_TABLE_HEAD_H
#include "arena.h"

struct sl_table_fact {
    const char *key, *value;
    int line;
};

struct sl_table_head {
    const char *file; /* as named to the user */
    struct sl_table_fact *facts;
    uint32_t count;
};

/* Reads the head of a table that is there; texts are in the arena.  Lines of another form are
 * comments for people.  At most 256 facts are kept, of 4000 bytes a line. */
enum sl_status sl_table_head_read(struct sl_table_head *head, const char *path,
                                  struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
/* NULL: there is none of that key. */
const struct sl_table_fact *sl_table_head_find(const struct sl_table_head *head, const char *key);

/* Holds `head` against another table or a machine, of which `fact` is one thing in the identity:
 * false where `head` has the key in its own identity with another value. */
bool sl_table_head_agrees(const struct sl_table_head *head, const char *key, const char *value);

/* Two tables that are used together: "other-machine" at the fact of `b` for each key of identity in
 * which they differ, a warning where `accepted` (keys joined by ';', NULL: none) names it, and
 * "unused-parameter" at `place` for each accepted key in which they don't.  Tables without an
 * identity (written by hand, from published figures) agree with all. */
void sl_table_heads_compare(const struct sl_table_head *a, const struct sl_table_head *b,
                            const char *accepted, struct sl_place place, struct sl_diags *diags);
#endif
