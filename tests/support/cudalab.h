/* A bench of the cuda backend on a driver without a GPU (fake_cuda.c), which is found as a real one
 * is: by its soname.  The search path is read when a program starts, so that a test starts itself
 * once more. */
#ifndef SL_TEST_CUDALAB_H
#define SL_TEST_CUDALAB_H
#include "backend.h"
#include "harness.h"
#include "judge.h"
#include <string.h>
#include <unistd.h>

extern const struct sl_backend sl_backend_cuda;

/* Asked by LeakSanitizer, whose own thread falls over what a real CUPTI, where one is installed,
 * leaves in the process. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

struct desk {
    struct sl_bench *bench;
    const struct sl_work_class *classes;
    uint32_t class_count;
    struct sl_shot_log log;
    struct sl_error err;
};

static inline struct desk set_up(void)
{
    struct desk desk = {.log.records = calloc(SL_SHOT_RECORDS_MAX, sizeof(struct sl_shot_record))};
    ck_assert_ptr_nonnull(desk.log.records);
    enum sl_status status =
        sl_backend_cuda.open(&desk.bench, &(struct sl_bench_options){.seed = 1}, &desk.err);
    ck_assert_msg(status == SL_OK, "%s", desk.err.message);
    desk.classes = sl_backend_cuda.classes(desk.bench, &desk.class_count);
    return desk;
}

static void tear_down(struct desk *desk)
{
    sl_backend_cuda.close(desk->bench);
    free(desk->log.records);
}

static inline uint32_t class_of(const struct desk *desk, const char *name)
{
    for (uint32_t i = 0; i < desk->class_count; i++)
        if (strcmp(desk->classes[i].name, name) == 0)
            return i;
    ck_abort_msg("no class %s", name);
}

static inline struct sl_work victim_of(const struct desk *desk, const char *name)
{
    uint32_t klass = class_of(desk, name);
    return (struct sl_work){klass, 0, desk->classes[klass].victim_bytes};
}

static inline struct sl_work unit_of(const struct desk *desk, const char *name)
{
    uint32_t klass = class_of(desk, name);
    return (struct sl_work){klass, 0, desk->classes[klass].unit_bytes};
}

static inline struct sl_sample shoot(struct desk *desk, const struct sl_shot *shot)
{
    enum sl_status status = sl_backend_cuda.prepare(desk->bench, &shot->victim, &desk->err);
    if (status == SL_OK)
        status = sl_backend_cuda.shoot(desk->bench, shot, &desk->log, &desk->err);
    ck_assert_msg(status == SL_OK, "%s", desk->err.message);
    return sl_judge(shot, &desk->log);
}

/* The body of main: `folder` holds the driver. */
static inline int run_on_fake(const char *folder, char **argv, Suite *(*suite)(void))
{
    if (sl_backend_cuda.missing)
        return sl_test_skip("built without CUDA");
    if (!getenv("SL_FAKE_FOUND")) {
        char path[8192];
        const char *before = getenv("LD_LIBRARY_PATH");
        snprintf(path, sizeof path, "%s:%s", folder, before ? before : "");
        setenv("LD_LIBRARY_PATH", path, 1);
        setenv("SL_FAKE_FOUND", "yes", 1);
        execv("/proc/self/exe", argv);
        return sl_test_skip("the program can't start itself once more");
    }
    return sl_test_run(suite());
}
#endif
