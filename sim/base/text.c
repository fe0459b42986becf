/* Words: nearest word, globs, the key hash. */
#include <config.h>

#include "memout.h"
#include "text.h"
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_COMPARED 64 /* longer words are no typing slips, and the distance is quadratic */
#define MOST_LISTED      24

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int folded(char c)
{
    return tolower((unsigned char)c);
}

/* Restricted Damerau-Levenshtein (optimal string alignment): insertions, deletions, substitutions
 * and swaps of neighbours cost 1.  Three rows of the usual table suffice. */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][LONGEST_COMPARED + 1];
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t change = folded(a[i - 1]) != folded(b[j - 1]);
            row[j] = least(least(up[j] + 1, row[j - 1] + 1), up[j - 1] + change);
            if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                folded(a[i - 2]) == folded(b[j - 1]))
                row[j] = least(row[j], up2[j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

const char *sl_nearest(const char *word, const char *const *words, size_t count)
{
    size_t length = strlen(word), best = SIZE_MAX;
    size_t allowed = length / 3 > 1 ? length / 3 : 1;
    const char *nearest = NULL;
    if (length == 0 || length > LONGEST_COMPARED)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(words[i]);
        size_t longer = other > length ? other : length;
        if (other > LONGEST_COMPARED || longer - least(other, length) > allowed)
            continue;
        size_t distance = edit_distance(word, length, words[i], other);
        if (distance <= allowed && distance < longer && distance < best) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

static void append(char *buffer, size_t size, const char *text, const char *more)
{
    size_t used = strlen(buffer);
    if (used < size)
        snprintf(buffer + used, size - used, "%s%s", text, more);
}

/* Whether one of the first `count` words is this one, too: names and classes may coincide. */
static bool is_listed(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

void sl_suggest(char *buffer, size_t size, const char *word, const char *const *words, size_t count)
{
    const char *nearest = sl_nearest(word, words, count);
    if (nearest) {
        append(buffer, size, " (did you mean '", nearest);
        append(buffer, size, "'?)", "");
        return;
    }
    if (count == 0)
        return;
    size_t shown = 0, i = 0;
    append(buffer, size, " (allowed: ", "");
    /* Room for ", ... )" stays free, so that a cut list says that it is one. */
    for (; i < count && shown < MOST_LISTED; i++) {
        if (is_listed(words[i], words, i))
            continue;
        if (strlen(buffer) + strlen(words[i]) + 10 >= size)
            break;
        append(buffer, size, shown++ ? ", " : "", words[i]);
    }
    while (i < count && is_listed(words[i], words, i))
        i++;
    append(buffer, size, i < count ? ", ..." : "", ")");
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* One glob of `length` bytes.  A stack's worth of room does for all but freaks: this is called
 * where nobody asks whether memory ran out. */
static bool glob_matches(const char *glob, size_t length, const char *name)
{
    char room[8192];
    char *copy = length < sizeof room ? room : malloc(length + 1);
    if (!copy)
        return false;
    memcpy(copy, glob, length);
    copy[length] = '\0';
    bool matches = fnmatch(trim(copy), name, 0) == 0;
    if (copy != room)
        free(copy);
    return matches;
}

bool sl_glob_any(const char *patterns, const char *name)
{
    bool found = false;
    while (*patterns && !found) {
        size_t length = strcspn(patterns, ";");
        found = length > 0 && glob_matches(patterns, length, name);
        patterns += length + (patterns[length] == ';');
    }
    return found;
}

/* FNV-1a (Fowler, Noll, Vo; public domain) followed by fmix64 of MurmurHash3 (Appleby, public
 * domain): FNV alone leaves the high bits of short keys nearly equal. */
uint64_t sl_hash_index(uint64_t index)
{
    uint64_t x = index + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t sl_hash_text(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        hash = (hash ^ *c) * 1099511628211u;
    hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdu;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53u;
    return hash ^ (hash >> 33);
}

char *sl_clean_text(struct sl_arena *arena, const char *text)
{
    struct sl_memout out;
    if (sl_memout_open(&out))
        sl_put_clean(text, out.stream);
    char *clean = sl_memout_close(&out);
    char *copy = clean ? sl_arena_strdup(arena, clean) : NULL;
    free(clean);
    return copy;
}

char **sl_split(struct sl_arena *arena, const char *text, char separator, size_t *count)
{
    *count = 0;
    size_t pieces = 1;
    for (const char *c = text; *c; c++)
        pieces += *c == separator;
    char **items = sl_arena_array(arena, pieces + 1, sizeof *items);
    char *copy = sl_arena_strdup(arena, text);
    if (!items || !copy)
        return NULL;
    if (pieces == 1 && !*trim(copy))
        return items;
    for (size_t i = 0; i < pieces; i++) {
        char *end = strchr(copy, separator);
        if (end)
            *end = '\0';
        items[i] = trim(copy);
        copy = end ? end + 1 : copy;
    }
    *count = pieces;
    return items;
}
