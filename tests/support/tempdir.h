/* A folder of small files for one test, below $TMPDIR. */
#ifndef SL_TEST_TEMPDIR_H
#define SL_TEST_TEMPDIR_H
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tempdir {
    char path[512];
    char files[16][640];
    int count;
};

static inline void tempdir_make(struct tempdir *dir)
{
    const char *base = getenv("TMPDIR");
    dir->count = 0;
    snprintf(dir->path, sizeof dir->path, "%.400s/slackline-XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(dir->path));
}

static inline void tempdir_write(struct tempdir *dir, const char *name, const char *text)
{
    char path[sizeof dir->files[0]];
    ck_assert_int_lt(dir->count, 16);
    snprintf(path, sizeof path, "%s/%s", dir->path, name);
    memcpy(dir->files[dir->count++], path, sizeof path);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static inline void tempdir_remove(struct tempdir *dir)
{
    for (int i = 0; i < dir->count; i++)
        remove(dir->files[i]);
    rmdir(dir->path);
}
#endif
