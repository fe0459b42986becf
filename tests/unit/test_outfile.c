/* Output files: whole or not at all. */
#include <config.h>

#include "harness.h"
#include "outfile.h"
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[128];
static struct sl_outfile file;
static struct sl_error err;

static void setup(void)
{
    strcpy(folder, "/tmp/sl-outfile-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/summary.csv", folder);
}

/* Entries of the folder; all are removed when asked. */
static int entries(bool clear)
{
    int count = 0;
    char name[512];
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.' && strspn(entry->d_name, ".") == strlen(entry->d_name))
            continue;
        count++;
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        if (clear)
            remove(name);
    }
    closedir(dir);
    return count;
}

static void teardown(void)
{
    entries(true);
    rmdir(folder);
}

static void content_is(const char *text)
{
    char buffer[100] = "";
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    ck_assert_uint_eq(fread(buffer, 1, sizeof buffer - 1, in), strlen(text));
    ck_assert_str_eq(buffer, text);
    fclose(in);
}

static void write_whole(const char *text)
{
    ck_assert_int_eq(sl_outfile_open(&file, path, &err), SL_OK);
    fputs(text, file.stream);
    ck_assert_int_eq(sl_outfile_commit(&file, &err), SL_OK);
}

START_TEST(appears_whole)
{
    ck_assert_int_eq(sl_outfile_open(&file, path, &err), SL_OK);
    fputs("cell,policy\n", file.stream);
    fflush(file.stream);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(sl_outfile_commit(&file, &err), SL_OK);
    sl_outfile_abandon(&file);
    content_is("cell,policy\n");
    ck_assert_int_eq(entries(false), 1);
    struct stat info;
    mode_t mask = umask(0);
    umask(mask);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0666 & ~mask);
    write_whole("second\n");
    content_is("second\n");
    ck_assert_int_eq(entries(false), 1);
}
END_TEST

START_TEST(abandoned)
{
    write_whole("old\n");
    ck_assert_int_eq(sl_outfile_open(&file, path, &err), SL_OK);
    fputs("half", file.stream);
    sl_outfile_abandon(&file);
    sl_outfile_abandon(&file);
    content_is("old\n");
    ck_assert_int_eq(entries(false), 1);
}
END_TEST

START_TEST(two_writers)
{
    struct sl_outfile other;
    ck_assert_int_eq(sl_outfile_open(&file, path, &err), SL_OK);
    ck_assert_int_eq(sl_outfile_open(&other, path, &err), SL_OK);
    fputs("first", file.stream);
    fputs("other", other.stream);
    ck_assert_int_eq(sl_outfile_commit(&file, &err), SL_OK);
    content_is("first");
    ck_assert_int_eq(sl_outfile_commit(&other, &err), SL_OK);
    content_is("other");
    ck_assert_int_eq(entries(false), 1);
}
END_TEST

START_TEST(failures)
{
    char name[5000];
    ck_assert_int_eq(sl_outfile_open(&file, "/nonexistent/x.csv", &err), SL_SYSTEM);
    ck_assert_str_eq(err.message, "cannot create '/nonexistent/x.csv': No such file or directory");
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    ck_assert_int_eq(sl_outfile_open(&file, name, NULL), SL_SYSTEM);
    ck_assert_int_eq(sl_outfile_open(&file, "", NULL), SL_SYSTEM);
    /* A folder in the way: the rename fails and leaves nothing behind. */
    snprintf(path, sizeof path, "%s/way", folder);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    ck_assert_int_eq(sl_outfile_open(&file, path, NULL), SL_OK);
    ck_assert_int_eq(sl_outfile_commit(&file, NULL), SL_SYSTEM);
    ck_assert_int_eq(entries(false), 1);
}
END_TEST

START_TEST(full_disk)
{
    if (access("/dev/full", W_OK) != 0)
        return;
    ck_assert_int_eq(sl_outfile_open(&file, path, &err), SL_OK);
    ck_assert_ptr_nonnull(freopen("/dev/full", "w", file.stream));
    for (int i = 0; i < 10000; i++)
        fputs("more than a buffer holds\n", file.stream);
    ck_assert_int_eq(sl_outfile_commit(&file, &err), SL_SYSTEM);
    ck_assert_int_eq(entries(false), 0);
}
END_TEST

/* A disk that is full shows before the file is renamed, and the file is still open. */
START_TEST(flushed)
{
    write_whole("before\n");
    ck_assert_int_eq(sl_outfile_open(&file, path, &err), SL_OK);
    fputs("after\n", file.stream);
    ck_assert_int_eq(sl_outfile_flush(&file, &err), SL_OK);
    content_is("before\n");
    ck_assert_int_eq(sl_outfile_commit(&file, &err), SL_OK);
    content_is("after\n");
    if (access("/dev/full", W_OK) != 0)
        return;
    ck_assert_int_eq(sl_outfile_open(&file, path, &err), SL_OK);
    ck_assert_ptr_nonnull(freopen("/dev/full", "w", file.stream));
    fputs("never\n", file.stream);
    ck_assert_int_eq(sl_outfile_flush(&file, &err), SL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(err.message, path));
    ck_assert_ptr_nonnull(strstr(err.message, "No space left on device"));
    sl_outfile_abandon(&file);
    content_is("after\n");
    ck_assert_int_eq(entries(false), 1);
}
END_TEST

START_TEST(left_names)
{
    ck_assert_int_eq(sl_outfile_open(&file, path, &err), SL_OK);
    ck_assert(sl_outfile_is_left(strrchr(file.temp, '/') + 1));
    sl_outfile_abandon(&file);
    ck_assert(sl_outfile_is_left("kappa.csv.~1a2b.17"));
    static const char *const others[] = {"",         "kappa.csv", "kappa.csv.~", "a.~1a2b",
                                         "a.~1a2b.", "a.~.0",     "a.~xyz.0",    "a.~1a2b.0.bak",
                                         "a~1a2b.0", "a.~1A.0",   "a.~1a2b.0x"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        ck_assert_msg(!sl_outfile_is_left(others[i]), "%s", others[i]);
}
END_TEST

START_TEST(checksums)
{
    /* FIPS 180-4 examples: "abc", and the empty text. */
    char hex[65];
    write_whole("abc");
    ck_assert_int_eq(sl_file_sha256(path, hex, &err), SL_OK);
    ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    write_whole("");
    ck_assert_int_eq(sl_file_sha256(path, hex, &err), SL_OK);
    ck_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    ck_assert_int_eq(sl_file_sha256("/nonexistent", hex, &err), SL_SYSTEM);
    ck_assert_str_eq(err.message, "cannot read '/nonexistent': No such file or directory");
}
END_TEST

START_TEST(folders)
{
    char deep[256], name[128];
    snprintf(deep, sizeof deep, "%s/a//b/c/", folder);
    ck_assert_int_eq(sl_make_dirs(deep, &err), SL_OK);
    ck_assert_int_eq(sl_make_dirs(deep, &err), SL_OK);
    snprintf(path, sizeof path, "%s/a/b/c/f", folder);
    write_whole("x");
    ck_assert_int_eq(sl_make_dirs(path, &err), SL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(err.message, "Not a directory"));
    ck_assert_int_eq(sl_make_dirs("", NULL), SL_SYSTEM);
    const char *const made[] = {"a/b/c/f", "a/b/c", "a/b"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, made[i]);
        ck_assert_int_eq(remove(name), 0);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("outfile");
    TCase *tc = tcase_create("outfile");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, appears_whole);
    tcase_add_test(tc, abandoned);
    tcase_add_test(tc, two_writers);
    tcase_add_test(tc, failures);
    tcase_add_test(tc, full_disk);
    tcase_add_test(tc, flushed);
    tcase_add_test(tc, left_names);
    tcase_add_test(tc, checksums);
    tcase_add_test(tc, folders);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
