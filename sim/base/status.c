/* Errors and diagnostics: the first error wins, diagnostics accumulate. */
#include <config.h>

#include "arena.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_PER_CODE 200 /* a broken table has a fault in every row: nobody reads them all */

struct file_name {
    struct file_name *next;
    char text[];
};

/* The process's own copy of a file name, kept for good: errors and diagnostics are copied about and
 * printed after the table or scenario that named their file is gone.  NULL when out of memory. */
static const char *kept_file(const char *file)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct file_name *names;
    if (!file)
        return NULL;
    pthread_mutex_lock(&lock);
    struct file_name *name = names;
    while (name && strcmp(name->text, file) != 0)
        name = name->next;
    size_t size = strlen(file) + 1;
    if (!name && (name = malloc(sizeof *name + size))) {
        memcpy(name->text, file, size);
        name->next = names;
        names = name;
    }
    pthread_mutex_unlock(&lock);
    return name ? name->text : NULL;
}

enum sl_status sl_error_set(struct sl_error *err, enum sl_status status, struct sl_place place,
                            const char *code_file, int code_line, const char *format, ...)
{
    if (err && err->status == SL_OK) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
        err->status = status;
        err->place = place;
        err->place.file = kept_file(place.file);
        err->code_file = code_file;
        err->code_line = code_line;
    }
    return status;
}

static struct sl_diag_tally *tally_of(struct sl_diags *diags, enum sl_severity severity,
                                      const char *code)
{
    for (size_t i = 0; i < diags->tally_count; i++)
        if (diags->tallies[i].severity == severity && strcmp(diags->tallies[i].code, code) == 0)
            return &diags->tallies[i];
    if (!sl_grow((void **)&diags->tallies, &diags->tally_capacity, diags->tally_count + 1,
                 sizeof *diags->tallies))
        return NULL;
    struct sl_diag_tally *tally = &diags->tallies[diags->tally_count++];
    *tally = (struct sl_diag_tally){.severity = severity};
    snprintf(tally->code, sizeof tally->code, "%s", code);
    return tally;
}

static char *format_message(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return NULL;
    char *message = malloc((size_t)length + 1);
    if (message)
        vsnprintf(message, (size_t)length + 1, format, args);
    return message;
}

void sl_diags_vadd(struct sl_diags *diags, enum sl_severity severity, const char *code,
                   struct sl_place place, const char *format, va_list args)
{
    diags->errors += severity == SL_ERROR;
    diags->warnings += severity == SL_WARNING;
    diags->out_of_memory = diags->out_of_memory || strcmp(code, "out-of-memory") == 0;
    diags->last_kept = false;
    struct sl_diag_tally *tally = tally_of(diags, severity, code);
    if (tally && tally->all++ >= KEPT_PER_CODE)
        return;
    char *message = tally ? format_message(format, args) : NULL;
    if (!message || !sl_grow((void **)&diags->items, &diags->capacity, diags->count + 1,
                             sizeof *diags->items)) {
        /* Losing a warning for want of memory must not look like success. */
        diags->errors += severity != SL_ERROR;
        diags->out_of_memory = true;
        free(message);
        return;
    }
    struct sl_diag *item = &diags->items[diags->count++];
    *item = (struct sl_diag){.severity = severity, .place = place, .message = message};
    item->place.file = kept_file(place.file);
    snprintf(item->code, sizeof item->code, "%s", tally->code);
    tally->kept++;
    diags->last_kept = true;
}

void sl_diags_add(struct sl_diags *diags, enum sl_severity severity, const char *code,
                  struct sl_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sl_diags_vadd(diags, severity, code, place, format, args);
    va_end(args);
}

void sl_diags_suggest(struct sl_diags *diags, const char *format, ...)
{
    if (!diags->last_kept)
        return;
    va_list args;
    va_start(args, format);
    char *text = format_message(format, args);
    va_end(args);
    struct sl_diag *item = &diags->items[diags->count - 1];
    free(item->suggestion);
    item->suggestion = text;
}

void sl_diags_subject(struct sl_diags *diags, enum sl_subject_kind kind, const char *name)
{
    if (!diags->last_kept)
        return;
    struct sl_diag *item = &diags->items[diags->count - 1];
    for (size_t i = 0; i < item->subject_count; i++)
        if (item->subjects[i].kind == kind && strcmp(item->subjects[i].name, name) == 0)
            return;
    char *copy = strdup(name);
    struct sl_subject *subjects =
        copy ? realloc(item->subjects, (item->subject_count + 1) * sizeof *subjects) : NULL;
    if (!subjects) {
        free(copy);
        diags->out_of_memory = true;
        return;
    }
    item->subjects = subjects;
    item->subjects[item->subject_count++] = (struct sl_subject){kind, copy};
}

static int compare_ints(int a, int b)
{
    return (a > b) - (a < b);
}

/* Items live in one array, so equal places keep the order in which they were added. */
static int by_place(const void *left, const void *right)
{
    const struct sl_diag *a = *(const struct sl_diag *const *)left;
    const struct sl_diag *b = *(const struct sl_diag *const *)right;
    const char *file_a = a->place.file ? a->place.file : "";
    const char *file_b = b->place.file ? b->place.file : "";
    int order = strcmp(file_a, file_b);
    if (order == 0)
        order = compare_ints(a->place.line, b->place.line);
    if (order == 0)
        order = compare_ints(a->place.column, b->place.column);
    if (order == 0)
        order = (a > b) - (a < b);
    return order;
}

void sl_put_clean(const char *text, FILE *out)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < ' ' || *c == 127)
            putc('?', out);
        else if (*c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0) /* C1 controls in UTF-8 */
            putc('?', out), c++;
        else
            putc(*c, out);
}

const char *sl_severity_name(enum sl_severity severity)
{
    static const char *const words[] = {
        [SL_NOTE] = "note", [SL_WARNING] = "warning", [SL_ERROR] = "error"};
    return words[severity];
}

static void print_one(const struct sl_diag *item, FILE *out)
{
    if (item->place.file) {
        sl_put_clean(item->place.file, out);
        if (item->place.line > 0)
            fprintf(out, ":%d", item->place.line);
        if (item->place.line > 0 && item->place.column > 0)
            fprintf(out, ":%d", item->place.column);
        fputs(": ", out);
    }
    fprintf(out, "%s: ", sl_severity_name(item->severity));
    sl_put_clean(item->message, out);
    fprintf(out, " [%s]\n", item->code);
    if (item->suggestion) {
        fputs("  suggestion: ", out);
        sl_put_clean(item->suggestion, out);
        putc('\n', out);
    }
}

static void print_rest(const struct sl_diag_tally *tally, FILE *out)
{
    size_t rest = tally->all - tally->kept;
    if (rest > 0)
        fprintf(out, "... and %zu more %s%s [%s]\n", rest, sl_severity_name(tally->severity),
                rest == 1 ? "" : "s", tally->code);
}

const struct sl_diag **sl_diags_in_order(const struct sl_diags *diags)
{
    const struct sl_diag **order =
        diags->count ? malloc(diags->count * sizeof(const struct sl_diag *)) : NULL;
    for (size_t i = 0; order && i < diags->count; i++)
        order[i] = &diags->items[i];
    if (order)
        qsort(order, diags->count, sizeof(const struct sl_diag *), by_place);
    return order;
}

void sl_diags_print(const struct sl_diags *diags, FILE *out)
{
    const struct sl_diag **order = sl_diags_in_order(diags);
    for (size_t i = 0; i < diags->count; i++)
        print_one(order ? order[i] : &diags->items[i], out);
    free(order);
    for (size_t i = 0; i < diags->tally_count; i++)
        print_rest(&diags->tallies[i], out);
}

void sl_diags_free(struct sl_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++) {
        struct sl_diag *item = &diags->items[i];
        for (size_t k = 0; k < item->subject_count; k++)
            free(item->subjects[k].name);
        free(item->subjects);
        free(item->suggestion);
        free(item->message);
    }
    free(diags->items);
    free(diags->tallies);
    *diags = (struct sl_diags){0};
}

enum sl_status sl_diags_status(const struct sl_diags *diags, struct sl_error *err)
{
    if (diags->errors == 0)
        return SL_OK;
    /* Faults found after memory ran out may be its consequences. */
    if (diags->out_of_memory)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (size_t i = 0; i < diags->count; i++) {
        const struct sl_diag *item = &diags->items[i];
        if (item->severity == SL_ERROR)
            return SL_FAIL_AT(err, SL_INVALID, item->place, "%s", item->message);
    }
    return SL_FAIL(err, SL_INVALID, "the input has faults");
}
