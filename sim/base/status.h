/* Outcome codes, located errors and accumulated diagnostics.
 *
 * A function that can fail returns `enum sl_status` and fills a `struct sl_error`; the first error
 * wins.  Input readers instead collect every fault of a file in `struct sl_diags` and fail once. */
#ifndef SL_STATUS_H
#define SL_STATUS_H
#include "slackline.h" /* enum sl_status, which users of the library see, too */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SL_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define SL_NONE UINT32_MAX /* "no such index" in every 32-bit handle and index */

/* A place in a user's file.  `file` is borrowed from the reader of the file; errors and diagnostics
 * keep a copy for the life of the process.  Line and column count from 1, 0 where unknown. */
struct sl_place {
    const char *file;
    int line, column;
};

struct sl_error {
    enum sl_status status; /* SL_OK while unset */
    struct sl_place place;
    char message[768];
    const char *code_file; /* the code's own place, for bug reports */
    int code_line;
};

/* Fills *err unless it already holds an error, and returns `status`.  `err` may be NULL. */
enum sl_status sl_error_set(struct sl_error *err, enum sl_status status, struct sl_place place,
                            const char *code_file, int code_line, const char *format, ...)
    SL_PRINTF(6, 7);

#define SL_FAIL(err, status, ...)                                                                  \
    sl_error_set((err), (status), (struct sl_place){0}, __FILE__, __LINE__, __VA_ARGS__)
#define SL_FAIL_AT(err, status, place, ...)                                                        \
    sl_error_set((err), (status), (place), __FILE__, __LINE__, __VA_ARGS__)

enum sl_severity { SL_NOTE, SL_WARNING, SL_ERROR };

/* What a diagnostic is about, by name, for readers that are programs. */
enum sl_subject_kind { SL_SUBJECT_NODE, SL_SUBJECT_OBJECT };
struct sl_subject {
    enum sl_subject_kind kind;
    char *name;
};

/* Texts and subjects are owned by the list. */
struct sl_diag {
    enum sl_severity severity;
    char code[40]; /* stable, kebab-case: "unknown-key" */
    struct sl_place place;
    char *message;
    char *suggestion; /* what to do about it; NULL: none */
    struct sl_subject *subjects;
    size_t subject_count;
};

/* How many diagnostics of one severity and code there were, and how many of them are kept. */
struct sl_diag_tally {
    enum sl_severity severity;
    char code[40];
    size_t all, kept;
};

/* A growing list of diagnostics.  Zero-initialise; sl_diags_free releases. */
struct sl_diags {
    struct sl_diag *items;
    uint32_t count, capacity;
    struct sl_diag_tally *tallies;
    uint32_t tally_count, tally_capacity;
    size_t errors, warnings;
    bool out_of_memory; /* a text was lost, or an error of code "out-of-memory" was added */
    bool last_kept;     /* the diagnostic added last is the last item */
};

/* Appends one diagnostic.  Allocation failure is remembered as an error count without a text.  At
 * most 200 of each code are kept, so that a flood of one fault hides no other; the rest is counted and
 * named in closing lines. */
void sl_diags_add(struct sl_diags *diags, enum sl_severity severity, const char *code,
                  struct sl_place place, const char *format, ...) SL_PRINTF(5, 6);
void sl_diags_vadd(struct sl_diags *diags, enum sl_severity severity, const char *code,
                   struct sl_place place, const char *format, va_list args) SL_PRINTF(5, 0);

/* What follows describes the diagnostic that was added last; where that one was not kept, neither is
 * this.  A suggestion says what to do about it ("add an edge from 'a' to 'b'"); a subject that is
 * named already is not named twice. */
void sl_diags_suggest(struct sl_diags *diags, const char *format, ...) SL_PRINTF(2, 3);
void sl_diags_subject(struct sl_diags *diags, enum sl_subject_kind kind, const char *name);

/* Writes text of users, which messages quote: a control character becomes '?', so that none reaches
 * the terminal. */
void sl_put_clean(const char *text, FILE *out);

/* The items in the order of file, line, column, equal places as they were added: malloc'ed, the caller
 * frees; NULL when there are none or memory ran out. */
const struct sl_diag **sl_diags_in_order(const struct sl_diags *diags);
const char *sl_severity_name(enum sl_severity severity);
/* Prints "file:line:column: error: message [code]" lines in the order of file, line, column, each
 * followed by its suggestion. */
void sl_diags_print(const struct sl_diags *diags, FILE *out);
void sl_diags_free(struct sl_diags *diags);

/* SL_INVALID with the first error's text in *err when the list holds errors, SL_SYSTEM when memory
 * ran out, else SL_OK. */
enum sl_status sl_diags_status(const struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
#endif
