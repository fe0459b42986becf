/* libFuzzer's way in: SL_FUZZ_TARGET names the target. */
#include <config.h>

#include "fuzz.h"
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    const char *name = getenv("SL_FUZZ_TARGET");
    target = name ? fuzz_target_find(name) : NULL;
    if (!target) {
        fputs("SL_FUZZ_TARGET must be one of:\n", stderr);
        for (size_t i = 0; i < fuzz_target_count(); i++)
            fprintf(stderr, "  %-10s %s\n", fuzz_target_get(i)->name,
                    fuzz_target_get(i)->description);
        exit(SL_USAGE);
    }
    atexit(fuzz_end);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target->run(data, size);
    return 0;
}
