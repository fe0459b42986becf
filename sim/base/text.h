/* Words: nearest known word, glob lists, 64-bit key hash. */
#ifndef SL_TEXT_H
#define SL_TEXT_H
#include "names.h"

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

/* What sl_put_clean writes of the text; NULL when out of memory. */
char *sl_clean_text(struct sl_arena *arena, const char *text);

/* Splits `text` at `separator` into trimmed pieces owned by the arena; *count pieces, and a NULL
 * behind them.  Blank text has no pieces; "a;;b" has three.  NULL when out of memory. */
char **sl_split(struct sl_arena *arena, const char *text, char separator, size_t *count);
#endif
