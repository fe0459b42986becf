/* Words: interning, name -> index maps, nearest known word, glob lists, 64-bit key hash. */
#ifndef SL_TEXT_H
#define SL_TEXT_H
#include "arena.h"

/* Maps names to dense indices 0, 1, 2 ... in order of first appearance.  Zero-initialise. */
struct sl_names {
    struct sl_name_entry *table; /* uthash; without the names of the base */
    const char **names;          /* index -> name */
    uint32_t count, capacity;
    const struct sl_names *base; /* whose names it shares (sl_names_share); NULL: none */
    uint32_t base_count;         /* names below this index are the base's */
};

/* The index of `name`, added when new; SL_NONE when out of memory. */
uint32_t sl_names_add(struct sl_names *names, const char *name);
/* The index of `name` or SL_NONE. */
uint32_t sl_names_find(const struct sl_names *names, const char *name);
/* Makes *copy (zero-initialised) a map that starts with the names of `names` and takes further ones
 * of its own; false when out of memory.  A plan adds few names to many, so the texts and the table
 * stay where they are: `names`, or what that one shares from, has to outlive the copy. */
bool sl_names_share(struct sl_names *copy, const struct sl_names *names) SL_NODISCARD;
void sl_names_free(struct sl_names *names);

/* The word of `words` nearest to `word` by Damerau-Levenshtein distance without regard to case (of
 * two equally near, the first), NULL when none is within max(1, length / 3) edits, or shares no
 * character. */
const char *sl_nearest(const char *word, const char *const *words, size_t count);

/* Appends " (did you mean 'X'?)" or " (allowed: a, b, c)" to `buffer`, by sl_nearest.  A list that
 * is long, or does not fit, ends with "...". */
void sl_suggest(char *buffer, size_t size, const char *word, const char *const *words,
                size_t count);

/* True when `name` matches one of the ';'-separated shell globs in `patterns`. */
bool sl_glob_any(const char *patterns, const char *name);

/* Spreads an index over 64 bits (the finaliser of SplitMix64, Steele et al. 2014). */
uint64_t sl_hash_index(uint64_t index);
/* 64-bit FNV-1a with a final avalanche: the hash of a semantic key in every draw.  Its values are
 * part of the file contract (same scenario and seed, same draws), so it never changes. */
uint64_t sl_hash_text(const char *text);

/* Splits `text` at `separator` into trimmed pieces owned by the arena; *count pieces, and a NULL
 * behind them.  Blank text has no pieces; "a;;b" has three.  NULL when out of memory. */
char **sl_split(struct sl_arena *arena, const char *text, char separator, size_t *count);
#endif
