/* Head lines of measured tables, and whether two tables are of one machine. */
#include <config.h>

#include "infile.h"
#include "table_head.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FACTS = 256, LINE_SIZE = 4096 };

/* Adds the fact of a line "# key=value"; false when out of memory. */
static bool take_line(struct sl_table_head *head, char *line, int number, struct sl_arena *arena)
{
    line[strcspn(line, "\r\n")] = '\0';
    char *equals = strchr(line, '=');
    if (strncmp(line, "# ", 2) != 0 || !equals || head->count == MOST_FACTS)
        return true;
    *equals = '\0';
    if (strspn(line + 2, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(line + 2))
        return true;
    struct sl_table_fact fact = {sl_arena_strdup(arena, line + 2),
                                 sl_arena_strdup(arena, equals + 1), number};
    head->facts[head->count++] = fact;
    return fact.key && fact.value;
}

enum sl_status sl_table_head_read(struct sl_table_head *head, const char *path,
                                  struct sl_arena *arena, struct sl_error *err)
{
    char line[LINE_SIZE];
    *head = (struct sl_table_head){sl_arena_strdup(arena, path),
                                   sl_arena_alloc(arena, MOST_FACTS * sizeof *head->facts), 0};
    if (!head->file || !head->facts)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    int fd;
    enum sl_status status = sl_infile_open(path, &fd, err);
    if (status != SL_OK)
        return status;
    FILE *file = fdopen(fd, "r");
    if (!file) {
        close(fd);
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    bool fits = true, starts = true; /* a line that the buffer splits goes on as no new one */
    for (int number = 1; fits && fgets(line, sizeof line, file);) {
        if (starts && *line != '#')
            break;
        bool whole = strchr(line, '\n') != NULL;
        if (starts && whole)
            fits = take_line(head, line, number, arena);
        number += whole;
        starts = whole;
    }
    if (ferror(file))
        status = SL_FAIL_AT(err, SL_SYSTEM, (struct sl_place){.file = path}, "cannot read: %s",
                            strerror(errno));
    fclose(file);
    if (status != SL_OK)
        return status;
    return fits ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

const struct sl_table_fact *sl_table_head_find(const struct sl_table_head *head, const char *key)
{
    for (uint32_t i = 0; i < head->count; i++)
        if (strcmp(head->facts[i].key, key) == 0)
            return &head->facts[i];
    return NULL;
}

/* True when `words`, joined by `by`, holds `word`. */
static bool holds(const char *words, char by, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at;) {
        if (strncmp(at, word, length) == 0 && (at[length] == by || at[length] == '\0'))
            return true;
        at = strchr(at, by);
        if (at)
            at++;
    }
    return false;
}

static bool identifies(const struct sl_table_head *head, const char *key)
{
    const struct sl_table_fact *identity = sl_table_head_find(head, "identity");
    return identity && holds(identity->value, ',', key);
}

bool sl_table_head_agrees(const struct sl_table_head *head, const char *key, const char *value)
{
    const struct sl_table_fact *fact = sl_table_head_find(head, key);
    return !fact || !identifies(head, key) || strcmp(fact->value, value) == 0;
}

static void warn_unused(const char *accepted, const struct sl_table_head *a,
                        const struct sl_table_head *b, struct sl_place place,
                        struct sl_diags *diags)
{
    for (const char *at = accepted; at && *at; at += strspn(at, ";")) {
        char key[64];
        size_t length = strcspn(at, ";");
        snprintf(key, sizeof key, "%.*s", (int)length, at);
        const struct sl_table_fact *fact = sl_table_head_find(a, key);
        if (!fact || sl_table_head_agrees(b, key, fact->value))
            sl_diags_add(diags, SL_WARNING, "unused-parameter", place,
                         "kappa.accept: '%s' changes nothing: the tables do not differ in it", key);
        at += length;
    }
}

void sl_table_heads_compare(const struct sl_table_head *a, const struct sl_table_head *b,
                            const char *accepted, struct sl_place place, struct sl_diags *diags)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const struct sl_table_fact *mine = &a->facts[i];
        if (!identifies(a, mine->key) || sl_table_head_agrees(b, mine->key, mine->value))
            continue;
        const struct sl_table_fact *theirs = sl_table_head_find(b, mine->key);
        bool allowed = holds(accepted, ';', mine->key);
        sl_diags_add(diags, allowed ? SL_WARNING : SL_ERROR, "other-machine",
                     (struct sl_place){b->file, theirs->line, 1},
                     "%s is '%s' here and '%s' in %s: the tables are of two machines%s", mine->key,
                     theirs->value, mine->value, a->file,
                     allowed ? ", which kappa.accept allows" : "");
        if (!allowed)
            sl_diags_suggest(
                diags, "measure both on one machine, or accept it by name: kappa: {accept: [%s]}",
                mine->key);
    }
    warn_unused(accepted, a, b, place, diags);
}
