/* A model: what a program states of a scenario, read when it is needed. */
#include <config.h>

#include "embed_parts.h"
#include "memout.h"
#include "policy.h"
#include "text.h"
#include "thread_pool.h"
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TRIALS 100000000 /* as of the command line's --trials */

enum { TABLES = 4 };
static const char *const table_names[TABLES] = {"nodes", "edges", "objects", "overlap"};
static const char *const file_names[TABLES] = {"nodes.csv", "edges.csv", "objects.csv",
                                               "overlap.csv"};

struct sl_model {
    struct sl_arena arena; /* texts of the caller, and overrides */
    const char *yaml;      /* NULL: a folder's */
    const char *path;      /* the folder: of the scenario, or of files that the YAML names */
    struct sl_row_table tables[TABLES];
    struct sl_override *overrides;
    uint32_t override_count, override_capacity;
    bool (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
    struct sl_shared_scenario *shared; /* as last read; NULL: it is to be read */
    char *message;                     /* of the last call; NULL: nothing */
    bool message_lost;
    locale_t c_locale, callers; /* 0: not needed yet; of the program, during a call */
};

const char *sl_version(void)
{
    return PACKAGE_VERSION;
}

void sl_shared_scenario_release(struct sl_shared_scenario *shared)
{
    if (!shared || atomic_fetch_sub(&shared->holders, 1) != 1)
        return;
    sl_scenario_free(&shared->scenario);
    free(shared);
}

static enum sl_status create(struct sl_model **model, const char *yaml, const char *path)
{
    *model = calloc(1, sizeof **model);
    if (!*model)
        return SL_SYSTEM;
    (*model)->yaml = yaml ? sl_arena_strdup(&(*model)->arena, yaml) : NULL;
    (*model)->path = sl_arena_strdup(&(*model)->arena, path);
    if ((*model)->path && (!yaml || (*model)->yaml))
        return SL_OK;
    sl_model_free(*model);
    *model = NULL;
    return SL_SYSTEM;
}

enum sl_status sl_model_create(struct sl_model **model, const char *yaml, const char *dir)
{
    return create(model, yaml, dir ? dir : ".");
}

enum sl_status sl_model_open(struct sl_model **model, const char *path)
{
    return create(model, NULL, path);
}

void sl_model_free(struct sl_model *model)
{
    if (!model)
        return;
    for (size_t i = 0; i < TABLES; i++)
        sl_row_table_free(&model->tables[i]);
    sl_shared_scenario_release(model->shared);
    if (model->c_locale)
        freelocale(model->c_locale);
    free(model->overrides);
    free(model->message);
    sl_arena_free(&model->arena);
    free(model);
}

/* ---- locale ---------------------------------------------------------------------------------- */

/* What is said has decimal points, whatever the program's locale: this thread's is the C one from
 * here on.  Returns the one before, for leave_c_locale. */
static locale_t enter_c_locale(struct sl_model *model)
{
    if (!model->c_locale)
        model->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    model->callers = model->c_locale ? uselocale(model->c_locale) : (locale_t)0;
    return model->callers;
}

static void leave_c_locale(locale_t callers)
{
    if (callers)
        uselocale(callers);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void put_error(FILE *out, const struct sl_error *err)
{
    if (err->place.file)
        fprintf(out, "%s:%d:%d: ", err->place.file, err->place.line, err->place.column);
    fputs("error: ", out);
    sl_put_clean(err->message, out);
    putc('\n', out);
}

/* Keeps what the call that ends had to say; returns `status`.  The error is one of the diagnostics
 * where there are any errors among them, but for one of the system. */
static enum sl_status conclude(struct sl_model *model, enum sl_status status,
                               const struct sl_diags *diags, const struct sl_error *err)
{
    struct sl_memout out;
    free(model->message);
    bool open = sl_memout_open(&out);
    if (open && diags)
        sl_diags_print(diags, out.stream);
    if (open && err->status != SL_OK && (!diags || diags->errors == 0 || status == SL_SYSTEM))
        put_error(out.stream, err);
    model->message = open ? sl_memout_close(&out) : NULL;
    model->message_lost = !model->message;
    return status;
}

const char *sl_model_message(const struct sl_model *model)
{
    if (!model || model->message_lost)
        return "out of memory\n";
    return model->message ? model->message : "";
}

/* ---- what a program states ------------------------------------------------------------------- */

/* The model differs from what was read. */
static void forget(struct sl_model *model)
{
    sl_shared_scenario_release(model->shared);
    model->shared = NULL;
}

static enum sl_status add_row(struct sl_model *model, const char *table, const char *const *cells,
                              struct sl_error *err)
{
    if (!model->yaml)
        return SL_FAIL(err, SL_USAGE, "a model of a folder takes no rows");
    for (size_t i = 0; i < TABLES; i++)
        if (strcmp(table, table_names[i]) == 0)
            return sl_row_table_add(&model->tables[i], cells, &model->arena, err);
    char hint[256] = "";
    sl_suggest(hint, sizeof hint, table, table_names, TABLES);
    return SL_FAIL(err, SL_USAGE, "there is no table '%s'%s", table, hint);
}

enum sl_status sl_model_row(struct sl_model *model, const char *table, const char *const *cells)
{
    struct sl_error err = {0};
    forget(model);
    return conclude(model, add_row(model, table, cells, &err), NULL, &err);
}

enum sl_status sl_model_set(struct sl_model *model, const char *setting)
{
    struct sl_error err = {0};
    struct sl_override override;
    forget(model);
    enum sl_status status = sl_override_parse(&override, setting, &model->arena, &err);
    if (status == SL_OK && !sl_grow((void **)&model->overrides, &model->override_capacity,
                                    model->override_count + 1, sizeof *model->overrides))
        status = SL_FAIL(&err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        model->overrides[model->override_count++] = override;
    return conclude(model, status, NULL, &err);
}

void sl_model_watch(struct sl_model *model,
                    bool (*progress)(void *user, uint64_t trials_done, uint64_t trials), void *user)
{
    model->progress = progress;
    model->user = user;
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum sl_status load_texts(struct sl_model *model, struct sl_scenario *scenario,
                                 struct sl_diags *diags, struct sl_error *err)
{
    struct sl_scenario_text texts[1 + TABLES];
    char *made[TABLES] = {0};
    uint32_t count = 0;
    enum sl_status status = SL_OK;
    texts[count++] = (struct sl_scenario_text){"scenario.yaml", model->yaml, strlen(model->yaml)};
    for (size_t i = 0; status == SL_OK && i < TABLES; i++) {
        if (model->tables[i].row_count == 0)
            continue;
        size_t size = 0;
        status = sl_row_table_text(&model->tables[i], &made[i], &size, err);
        texts[count++] = (struct sl_scenario_text){file_names[i], made[i], size};
    }
    if (status == SL_OK)
        status = sl_scenario_load_texts(scenario, model->path, texts, count, model->overrides,
                                        model->override_count, diags, err);
    for (size_t i = 0; i < TABLES; i++)
        free(made[i]);
    return status;
}

/* Reads the model unless that was done. */
static enum sl_status load(struct sl_model *model, struct sl_diags *diags, struct sl_error *err)
{
    if (model->shared)
        return SL_OK;
    struct sl_shared_scenario *shared = calloc(1, sizeof *shared);
    if (!shared)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    atomic_init(&shared->holders, 1);
    enum sl_status status = model->yaml
                                ? load_texts(model, &shared->scenario, diags, err)
                                : sl_scenario_load(&shared->scenario, model->path, model->overrides,
                                                   model->override_count, diags, err);
    if (status == SL_OK) {
        sl_policy_check(&shared->scenario, diags);
        status = sl_diags_status(diags, err);
    }
    if (status == SL_OK)
        model->shared = shared;
    else
        sl_shared_scenario_release(shared);
    return status;
}

enum sl_status sl_model_check(struct sl_model *model)
{
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    locale_t callers = enter_c_locale(model);
    enum sl_status status = conclude(model, load(model, &diags, &err), &diags, &err);
    leave_c_locale(callers);
    sl_diags_free(&diags);
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

static bool pass_progress(void *user, uint64_t done, uint64_t total, uint32_t cells_done,
                          uint32_t cells_total)
{
    const struct sl_model *model = user;
    (void)cells_done;
    (void)cells_total;
    locale_t ours = model->callers ? uselocale(model->callers) : (locale_t)0;
    bool goes_on = model->progress(model->user, done, total);
    leave_c_locale(ours);
    return goes_on;
}

static enum sl_status find_policy(const struct sl_scenario *scenario, const char *name,
                                  const struct sl_policy_spec **policy, struct sl_error *err)
{
    if (!name)
        name = scenario->baseline;
    if (!name && scenario->policy_count == 1)
        name = scenario->policies[0].name;
    if (!name)
        return SL_FAIL(err, SL_USAGE, "the model names no baseline; choose one of its policies");
    *policy = sl_scenario_policy(scenario, name);
    return *policy ? SL_OK : SL_FAIL(err, SL_USAGE, "the model has no policy '%s'", name);
}

static enum sl_status run_cell(struct sl_result *result, const struct sl_policy_spec *policy,
                               const struct sl_run_options *options, struct sl_diags *diags,
                               struct sl_error *err)
{
    struct sl_scenario *scenario = &result->shared->scenario;
    const struct sl_cell_spec spec = {.policy = policy->name};
    enum sl_status status = sl_outer_check(scenario->outer, sl_asked_inner(options, scenario), err);
    if (status == SL_OK)
        status = sl_cell_run(&result->cell, scenario, policy, &spec, options, diags, err);
    return status;
}

static enum sl_status run(struct sl_model *model, const char *name, uint32_t trials,
                          uint32_t threads, struct sl_result *result, struct sl_diags *diags,
                          struct sl_error *err)
{
    const struct sl_policy_spec *policy;
    struct sl_run_options options = {.trials = trials};
    if (trials > MOST_TRIALS)
        return SL_FAIL(err, SL_USAGE, "%u trials (allowed: %d)", trials, MOST_TRIALS);
    enum sl_status status = load(model, diags, err);
    if (status != SL_OK)
        return status;
    result->shared = model->shared;
    atomic_fetch_add(&model->shared->holders, 1);
    status = find_policy(&model->shared->scenario, name, &policy, err);
    if (status == SL_OK)
        status = sl_pool_create(&options.pool, threads, err);
    if (status != SL_OK)
        return status;
    if (model->progress) {
        options.progress = pass_progress;
        options.user = model;
    }
    status = run_cell(result, policy, &options, diags, err);
    sl_pool_free(options.pool);
    return status;
}

/* A verdict for which the command line exits with 1. */
static bool failed(const struct sl_cell *cell)
{
    return cell->verdict == SL_VERDICT_DEADLOCK || cell->verdict == SL_VERDICT_ILLEGAL ||
           cell->verdict == SL_VERDICT_INFEASIBLE;
}

enum sl_status sl_model_run(struct sl_model *model, const char *policy, uint32_t trials,
                            uint32_t threads, struct sl_result **result)
{
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    enum sl_status status = SL_OK;
    locale_t callers = enter_c_locale(model);
    *result = calloc(1, sizeof **result);
    if (!*result)
        status = SL_FAIL(&err, SL_SYSTEM, "out of memory");
    else
        status = run(model, policy, trials, threads, *result, &diags, &err);
    if (status != SL_OK) {
        sl_result_free(*result);
        *result = NULL;
    } else if (failed(&(*result)->cell)) {
        status = SL_FAIL(&err, SL_NO, "policy '%s': %s", (*result)->cell.spec.policy,
                         (*result)->cell.reason);
    }
    status = conclude(model, status, &diags, &err);
    leave_c_locale(callers);
    sl_diags_free(&diags);
    return status;
}
