/* Runs fuzz targets without a fuzzer.
 *
 *     replay                       all targets: seeds, past crashes, seeds changed at random; TAP
 *     replay TARGET FILE...        these inputs
 *     replay --seeds TARGET DIR    writes the seeds, from which `make fuzz` starts
 *     replay --list                names of targets
 *
 * Each target runs in a process of its own, so that one that dies is one failed test; the input
 * that killed it is left in fuzz-crash-TARGET. */
#include <config.h>

#include "dice.h"
#include "fuzz.h"
#include "infile.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

/* What is being run, shared with the parent. */
struct current {
    char name[512];
    size_t size;
    unsigned inputs;
    uint8_t data[MOST_BYTES];
};
static struct current *current;

static void run(const struct fuzz_target *target, const char *name, const uint8_t *data,
                size_t size)
{
    if (size > MOST_BYTES)
        return;
    snprintf(current->name, sizeof current->name, "%s", name);
    /* A copy of just its size: a reader that goes too far is seen by a sanitizer. */
    uint8_t *copy = malloc(size > 0 ? size : 1);
    FUZZ_CHECK(copy, "out of memory");
    if (size > 0) {
        memcpy(copy, data, size);
        memcpy(current->data, data, size);
    }
    current->size = size;
    current->inputs++;
    target->run(copy, size);
    free(copy);
}

/* ---- seeds, whole and changed --------------------------------------------------------------- */

struct changes {
    const struct fuzz_target *target;
    struct dice dice;
    unsigned count; /* of each seed */
};

/* A few bytes set, and a stretch taken out, doubled, or both ends swapped. */
static size_t change(struct dice *dice, uint8_t *data, size_t size)
{
    static const char odd[] = "\"',:;=()[]{}#-+.eE0123456789\n\t\r \\/*%&|!~@\x7f\xff";
    for (unsigned i = dice_below(dice, 4); i > 0 && size > 0; i--)
        data[dice_below(dice, (unsigned)size)] = dice_chance(dice, 70)
                                                     ? (uint8_t)odd[dice_below(dice, sizeof odd)]
                                                     : (uint8_t)dice_below(dice, 256);
    if (size < 2)
        return size;
    size_t at = dice_below(dice, (unsigned)size), length = 1 + dice_below(dice, 40);
    length = length > size - at ? size - at : length;
    switch (dice_below(dice, 4)) {
    case 0:
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    case 1:
        memmove(data + at + length, data + at, size - at);
        return size + length;
    case 2:
        return at;
    default:
        return size;
    }
}

static void run_seed(void *user, const char *name, const void *data, size_t size)
{
    struct changes *changes = user;
    char label[512];
    if (size + 64 > MOST_BYTES)
        return;
    run(changes->target, name, data, size);
    uint8_t *changed = malloc(2 * size + 64);
    FUZZ_CHECK(changed, "out of memory");
    for (unsigned i = 0; i < changes->count; i++) {
        memcpy(changed, data, size);
        size_t length = change(&changes->dice, changed, size);
        snprintf(label, sizeof label, "%.400s, change %u", name, i);
        run(changes->target, label, changed, length);
    }
    free(changed);
}

static void count_seed(void *user, const char *name, const void *data, size_t size)
{
    (void)name, (void)data, (void)size;
    ++*(unsigned *)user;
}

static void run_file(const struct fuzz_target *target, const char *path)
{
    struct sl_arena arena = {0};
    struct sl_error err = {0};
    char *data;
    size_t size;
    FUZZ_CHECK(sl_infile_read(path, MOST_BYTES, &arena, &data, &size, &err) == SL_OK, "%s: %s",
               path, err.message);
    run(target, path, (const uint8_t *)data, size);
    sl_arena_free(&arena);
}

/* tests/fuzz/crashes/TARGET; a target that never failed has no folder. */
static void run_crashes(const struct fuzz_target *target)
{
    char path[1024], file[1400];
    const char *root = getenv("SL_SRCDIR");
    snprintf(path, sizeof path, "%.900s/tests/fuzz/crashes/%s", root ? root : ".", target->name);
    DIR *dir = opendir(path);
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            run_file(target, file);
    }
    closedir(dir);
}

/* ---- modes ---------------------------------------------------------------------------------- */

static void replay_target(const struct fuzz_target *target)
{
    unsigned seeds = 0, wanted = getenv("SL_LONG") ? 20000 : 400;
    target->seeds(&(struct fuzz_seeds){count_seed, &seeds});
    wanted /= target->slow ? 10 : 1;
    struct changes changes = {target, {.state = 1}, 1 + wanted / (seeds + 1)};
    run_crashes(target);
    target->seeds(&(struct fuzz_seeds){run_seed, &changes});
    fuzz_end();
}

static bool survives(const struct fuzz_target *target)
{
    int outcome = 0;
    fflush(NULL);
    pid_t child = fork();
    FUZZ_CHECK(child >= 0, "cannot fork");
    if (child == 0) {
        replay_target(target);
        exit(0);
    }
    waitpid(child, &outcome, 0);
    return WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0;
}

static void keep_crash(const struct fuzz_target *target)
{
    char path[80];
    snprintf(path, sizeof path, "fuzz-crash-%s", target->name);
    FILE *file = fopen(path, "wb");
    if (!file)
        return;
    fwrite(current->data, 1, current->size, file);
    fclose(file);
    printf("# input: %s, kept in %s\n", current->name, path);
}

static int replay_all(void)
{
    int failed = 0;
    printf("1..%zu\n", fuzz_target_count());
    for (size_t i = 0; i < fuzz_target_count(); i++) {
        const struct fuzz_target *target = fuzz_target_get(i);
        current->inputs = 0;
        bool ok = survives(target);
        printf("%s %zu - %s: %u inputs\n", ok ? "ok" : "not ok", i + 1, target->name,
               current->inputs);
        if (!ok)
            keep_crash(target);
        failed += !ok;
    }
    return failed > 0;
}

static void write_seed(void *user, const char *name, const void *data, size_t size)
{
    char path[1400], flat[400];
    snprintf(flat, sizeof flat, "%s", name);
    for (char *c = flat; *c; c++)
        if (*c == '/')
            *c = '-';
    snprintf(path, sizeof path, "%.900s/seed-%016llx-%s", (const char *)user,
             (unsigned long long)size, flat);
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file && fwrite(data, 1, size, file) == size && fclose(file) == 0,
               "%s cannot be written", path);
}

static int usage(void)
{
    fputs("usage: replay [TARGET FILE... | --seeds TARGET DIR | --list]\n", stderr);
    return SL_USAGE;
}

int main(int argc, char **argv)
{
    current =
        mmap(NULL, sizeof *current, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    FUZZ_CHECK(current != MAP_FAILED, "out of memory");
    if (argc == 1)
        return replay_all();
    bool seeds = strcmp(argv[1], "--seeds") == 0;
    if (strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < fuzz_target_count(); i++)
            puts(fuzz_target_get(i)->name);
        return 0;
    }
    const struct fuzz_target *target = argc > 2 ? fuzz_target_find(argv[seeds ? 2 : 1]) : NULL;
    if (!target || (seeds && argc != 4))
        return usage();
    if (seeds)
        target->seeds(&(struct fuzz_seeds){write_seed, argv[3]});
    for (int i = 2; !seeds && i < argc; i++)
        run_file(target, argv[i]);
    fuzz_end();
    return 0;
}
