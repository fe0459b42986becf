/* A device's folder: device.yaml, durations.csv, kappa.csv, framed. */
#include <config.h>

#include "fuzz.h"
#include "platform.h"

static void run(const uint8_t *data, size_t size)
{
    struct sl_platform platform = {0};
    struct sl_arena arena = {0};
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    fuzz_unframe(data, size);
    fuzz_judge(sl_device_load(&platform, fuzz_dir(), &arena, &diags, &err), &diags, &err);
    sl_platform_free(&platform);
    sl_arena_free(&arena);
    fuzz_clean();
}

static void seed(const struct fuzz_seeds *seeds)
{
    fuzz_seed_folders(seeds, "models/devices", NULL);
    fuzz_seed_folder(seeds, "tests/fuzz/base/device", NULL);
    fuzz_seed_folder(seeds, "tests/fixtures/replay/device", NULL);
}

const struct fuzz_target fuzz_target_device = {
    .name = "device",
    .description = "device folders: device.yaml, durations.csv, kappa.csv",
    .run = run,
    .seeds = seed,
};
