/* Cells of a results folder that is not finished (cells/00000.part), and engine.csv. */
#include <config.h>

#include "engine_csv.h"
#include "fuzz.h"
#include "partfile.h"
#include <stdlib.h>
#include <string.h>

static bool take(void *user, uint32_t row, const char *line)
{
    uint32_t *taken = user;
    FUZZ_CHECK(row == *taken && strtoul(line, NULL, 10) == 0 && strchr(line, ','), "row %u is '%s'",
               row, line);
    ++*taken;
    return true;
}

static void read_rows(const char *file)
{
    uint32_t taken = 0;
    FILE *in = sl_partfile_rows(fuzz_dir(), 0, file, 0);
    if (!in)
        return;
    FUZZ_CHECK(sl_partfile_take(in, 0, 1000, take, &taken) == taken, "%u rows were taken", taken);
    fclose(in);
}

static void run(const uint8_t *data, size_t size)
{
    static const char *const files[] = {"summary.csv", "trials.csv", "chain.csv", "last.csv"};
    struct sl_engine_ways ways;
    struct sl_error err = {0};
    struct sl_section section;
    size_t sections = 0;
    fuzz_write("engine.csv", "", 0);
    fuzz_unframe(data, size);
    FILE *part = sl_partfile_open(fuzz_dir(), 0);
    while (part && sl_partfile_next(part, &section)) {
        FUZZ_CHECK(strlen(section.name) < sizeof section.name && ++sections <= size, "%zu sections",
                   sections);
        if (sl_partfile_copy(part, &section, NULL) == SL_COPY_DAMAGED && feof(part))
            break;
    }
    if (part)
        fclose(part);
    for (size_t i = 0; i < FUZZ_COUNT(files); i++)
        read_rows(files[i]);
    fuzz_judge(sl_engine_count(fuzz_dir(), &ways, &err), NULL, &err);
    fuzz_clean();
}

static void seed(const struct fuzz_seeds *seeds)
{
    static const char *const texts[] = {
        "=== cells/00000.part\nslackline-part 2\nsummary.csv 8 5afe3589\n0,keep,\ntrials.csv 12 "
        "1c96b8ac\n0,1,2\n0,2,3\nchain.csv 0 00000000\nlast.csv 4 39dc1a89\n0,,\n=== "
        "engine.csv\ncell,way,not_fixed\n0,events,draws\n"
        "1,fixed-order,\n",
        "=== summary.csv\ncell,policy\n0,keep\n1,drop\n=== trials.csv\ncell,trial\n0,0\n0,1\n1,0\n",
        "=== cells/00000.part\nslackline-part 2\nsummary.csv 18446744073709551602 00000000\n",
    };
    fuzz_seed_texts(seeds, texts, FUZZ_COUNT(texts));
}

const struct fuzz_target fuzz_target_parts = {
    .name = "parts",
    .description = "cells of an unfinished results folder",
    .run = run,
    .seeds = seed,
};
