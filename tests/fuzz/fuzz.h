/* Fuzz targets: each is a reader (or the whole simulator) that is given any bytes at all, and says
 * by fuzz_fail what it must not do.  libFuzzer drives them (fuzz_main.c, `make fuzz`); replay.c
 * runs seeds and past crashes through them in any build, as a test. */
#ifndef SL_FUZZ_H
#define SL_FUZZ_H
#include "arena.h"

/* Told the inputs from which mutation starts; `data` is borrowed. */
struct fuzz_seeds {
    void (*add)(void *user, const char *name, const void *data, size_t size);
    void *user;
};

struct fuzz_target {
    const char *name, *description;
    void (*run)(const uint8_t *data, size_t size);
    void (*seeds)(const struct fuzz_seeds *seeds);
    bool slow; /* starts processes: `make check` gives it a tenth of the inputs */
};
#define FUZZ_TARGET(name) extern const struct fuzz_target fuzz_target_##name;
#include "targets.def"
#undef FUZZ_TARGET
size_t fuzz_target_count(void);
const struct fuzz_target *fuzz_target_get(size_t index);
const struct fuzz_target *fuzz_target_find(const char *name); /* NULL: there is none */

/* Prints and aborts. */
_Noreturn void fuzz_fail(const char *file, int line, const char *format, ...) SL_PRINTF(3, 4);
#define FUZZ_CHECK(condition, ...)                                                                 \
    ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, __VA_ARGS__))
/* What any reader owes: a status that is no fault of the machine's, and a reason unless it is
 * SL_OK. Prints the diagnostics (to nowhere), frees and clears them.  `diags` may be NULL. */
void fuzz_judge(enum sl_status status, struct sl_diags *diags, const struct sl_error *err);
FILE *fuzz_nowhere(void);

/* ---- files ---------------------------------------------------------------------------------- */

/* A folder of this process, below $TMPDIR. */
const char *fuzz_dir(void);
/* Writes a file into it and returns its path, which lasts until the next call. */
const char *fuzz_write(const char *name, const void *data, size_t size);
/* Removes all that is in the folder. */
void fuzz_clean(void);
/* Removes the folder, too. */
void fuzz_end(void);
/* A NUL-terminated copy of the input, for readers of texts; the caller frees. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Several files as one input: each follows a line "=== NAME".  Names are words with at most one
 * '/'; other parts of the input, and files past the twelfth, are left out. */
void fuzz_unframe(const uint8_t *data, size_t size);
/* Writes the files of tests/fuzz/base, a small scenario that has every table. */
void fuzz_write_base(void);

/* ---- seeds ---------------------------------------------------------------------------------- */

/* Paths below $SL_SRCDIR.  A file as it is, or below `head` (NULL: none); the files of a folder and
 * of its folders, framed, those of them whose name is `only` (NULL: all); the same for every folder
 * of one, and for every file with the ending. */
void fuzz_seed_file(const struct fuzz_seeds *seeds, const char *path, const char *head);
void fuzz_seed_folder(const struct fuzz_seeds *seeds, const char *path, const char *only);
void fuzz_seed_folders(const struct fuzz_seeds *seeds, const char *path, const char *only);
void fuzz_seed_texts(const struct fuzz_seeds *seeds, const char *const *texts, size_t count);
#define FUZZ_COUNT(array) (sizeof(array) / sizeof *(array))
#endif
