/* Machines that the script backend of slackline-calibrate plays. */
#include <config.h>

#include "fuzz.h"
#include "script_file.h"

static void run(const uint8_t *data, size_t size)
{
    struct sl_script script = {0};
    struct sl_error err = {0};
    fuzz_judge(sl_script_read(&script, fuzz_write("machine.yaml", data, size), &err), NULL, &err);
    sl_script_free(&script);
}

static void seed(const struct fuzz_seeds *seeds)
{
    fuzz_seed_file(seeds, "tests/fixtures/calibrate/machine.yaml", NULL);
    fuzz_seed_file(seeds, "tests/fixtures/calibrate/troubles.yaml", NULL);
    fuzz_seed_file(seeds, "tests/fixtures/drift/machine.yaml", NULL);
}

const struct fuzz_target fuzz_target_script = {
    .name = "script",
    .description = "scripted machines of slackline-calibrate",
    .run = run,
    .seeds = seed,
};
