/* Cells of small scenarios that a test writes out.
 *
 *     struct celllab lab;
 *     celllab_begin(&lab);
 *     celllab_write(&lab, "nodes.csv", "node,kind,...");
 *     celllab_load(&lab);
 *     celllab_run(&lab, &cell);        (the first policy; sl_cell_free(&cell) afterwards)
 *     celllab_close(&lab);
 */
#ifndef SL_TEST_CELLLAB_H
#define SL_TEST_CELLLAB_H
#include "cell.h"
#include "harness.h"
#include "tempdir.h"
#include "threads.h"
#include <string.h>

struct celllab {
    struct tempdir dir;
    struct sl_scenario scenario;
    struct sl_diags diags;
    struct sl_error err;
    struct sl_run_options options;
};

static inline void celllab_begin(struct celllab *lab)
{
    memset(lab, 0, sizeof *lab);
    tempdir_make(&lab->dir);
}

static inline void celllab_write(struct celllab *lab, const char *file, const char *text)
{
    tempdir_write(&lab->dir, file, text);
}

static inline void celllab_load(struct celllab *lab)
{
    enum sl_status status =
        sl_scenario_load(&lab->scenario, lab->dir.path, NULL, 0, &lab->diags, &lab->err);
    sl_diags_print(&lab->diags, stderr);
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
}

/* Files that are NULL are not written (the yaml must then not name them). */
static inline void celllab_open(struct celllab *lab, const char *yaml, const char *nodes,
                                const char *edges, const char *objects, const char *kappa)
{
    celllab_begin(lab);
    celllab_write(lab, "scenario.yaml", yaml);
    celllab_write(lab, "nodes.csv", nodes);
    if (edges)
        celllab_write(lab, "edges.csv", edges);
    if (objects)
        celllab_write(lab, "objects.csv", objects);
    if (kappa)
        celllab_write(lab, "kappa.csv", kappa);
    celllab_load(lab);
}

/* 0: one per core; until this is called the calling thread works alone. */
static inline void celllab_threads(struct celllab *lab, uint32_t threads)
{
    sl_pool_free(lab->options.pool);
    lab->options.pool = make_pool(threads);
}

static inline void celllab_close(struct celllab *lab)
{
    sl_pool_free(lab->options.pool);
    sl_scenario_free(&lab->scenario);
    sl_diags_free(&lab->diags);
    tempdir_remove(&lab->dir);
}

static inline void celllab_run(struct celllab *lab, struct sl_cell *cell)
{
    struct sl_cell_spec spec = {.policy = lab->scenario.policies[0].name};
    enum sl_status status = sl_cell_run(cell, &lab->scenario, &lab->scenario.policies[0], &spec,
                                        &lab->options, &lab->diags, &lab->err);
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
}

static inline uint32_t celllab_node(const struct sl_cell *cell, const char *name)
{
    uint32_t i = sl_names_find(&cell->plan.graph->node_names, name);
    ck_assert_uint_ne(i, SL_NONE);
    return i;
}

/* Ends a scenario.yaml; the number of trials and a line feed follow. */
#define CELLLAB_TAIL "policies:\n  - {name: p, action: as-given}\nbaseline: p\nseed: 1\ntrials: "
#endif
