/* Tables that pictures are drawn from: a results folder, or an audit's, framed, up to what gnuplot
 * would be given. */
#include <config.h>

#include "fuzz.h"
#include "plot.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The plotting scripts are those of the tree, unless somebody says otherwise. */
static void scripts(void)
{
    const char *root = getenv("SL_SRCDIR");
    FUZZ_CHECK(root, "SL_SRCDIR is not set");
    FUZZ_CHECK(setenv("SLACKLINE_DATA", root, 0) == 0, "out of memory");
}

/* A gnuplot that draws nothing, but ends its pictures, stands before all others on the path. */
static void stand_in(void)
{
    static const char script[] = "#!/bin/sh\n"
                                 "printf 'no picture at all, IEND\\256B`\\202' >out.png\n"
                                 "printf '<svg>no picture at all</svg>' >out.svg\n";
    const char *path = fuzz_write("bin/gnuplot", script, sizeof script - 1);
    FUZZ_CHECK(chmod(path, 0700) == 0, "%s cannot be made a program", path);
    char folder[512];
    snprintf(folder, sizeof folder, "%s/bin", fuzz_dir());
    FUZZ_CHECK(setenv("PATH", folder, 1) == 0, "out of memory");
}

/* A table that is not there is SL_SYSTEM: those that a folder always has are there, empty. */
static void write_least(bool audit)
{
    static const char *const of_results[] = {"manifest.json", "summary.csv", "trials.csv",
                                             "pressure.csv",  "gantt.csv",   "slack.csv",
                                             "jobs.csv"};
    static const char *const of_audit[] = {"works.csv", "call_times.csv", "steps.csv",
                                           "time_use.csv", "memory_changes.csv"};
    const char *const *names = audit ? of_audit : of_results;
    size_t count = audit ? FUZZ_COUNT(of_audit) : FUZZ_COUNT(of_results);
    for (size_t i = 0; i < count; i++)
        fuzz_write(names[i], "", 0);
}

static void run(const uint8_t *data, size_t size)
{
    struct sl_error err = {0};
    if (size == 0)
        return;
    bool audit = data[0] == 'a';
    scripts();
    stand_in();
    write_least(audit);
    fuzz_unframe(data, size);
    enum sl_status status = audit ? sl_plot_audit(fuzz_dir(), NULL, fuzz_nowhere(), &err)
                                  : sl_plot_results(fuzz_dir(), NULL, &err);
    fuzz_judge(status, NULL, &err);
    fuzz_clean();
}

static void seed(const struct fuzz_seeds *seeds)
{
    fuzz_seed_file(seeds, "tests/fuzz/seeds/plots-results.txt", NULL);
    fuzz_seed_file(seeds, "tests/fuzz/seeds/plots-map.txt", NULL);
    fuzz_seed_file(seeds, "tests/fuzz/seeds/plots-jobs.txt", NULL);
    fuzz_seed_file(seeds, "tests/fuzz/seeds/plots-audit.txt", NULL);
}

const struct fuzz_target fuzz_target_plots = {
    .name = "plots",
    .description = "tables of results and audits, as pictures are drawn of them",
    .run = run,
    .seeds = seed,
    .slow = true,
};
