/* The scenario at the settings of a sweep's own axes: loading, and trying every value before
 * anything runs. */
#include "sweepparts.h"
#include <stdlib.h>
#include <string.h>

void sl_sweep_tell(struct sl_diags *diags, const struct sl_diags *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct sl_diag *diag = &from->items[i];
        bool known = false;
        for (size_t k = 0; k < diags->count && !known; k++) {
            const struct sl_diag *other = &diags->items[k];
            known = strcmp(other->code, diag->code) == 0 && other->place.line == diag->place.line &&
                    strcmp(other->message, diag->message) == 0;
        }
        if (!known)
            sl_diags_add(diags, diag->severity, diag->code, diag->place, "%s", diag->message);
    }
}

/* Sets one key in the policies that have it as a parameter, in their rules too (the loader knows of
 * the top level alone). */
static bool set_in_policies(struct sl_scenario *scenario, const char *key, const char *value)
{
    for (uint32_t p = 0; p < scenario->policy_count; p++) {
        if (!sl_policy_uses(&scenario->policies[p], key))
            continue;
        const struct sl_policy_spec *policy =
            sl_policy_with(&scenario->policies[p], key, value, &scenario->arena);
        if (!policy)
            return false;
        scenario->policies[p] = *policy;
    }
    return true;
}

static enum sl_status override_policies(const struct sl_sweep_request *request,
                                        struct sl_scenario *scenario, struct sl_error *err)
{
    for (uint32_t i = 0; i < request->override_count; i++) {
        const char *key = sl_axes_policy_key(request->overrides[i].path);
        /* A list stays as the loader put it: rules take single values. */
        if (!key || request->overrides[i].value->type != SL_YAML_SCALAR)
            continue;
        const char *value = sl_axes_text(request->overrides[i].value, &scenario->arena);
        if (!value || !set_in_policies(scenario, key, value))
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    return SL_OK;
}

/* What the request lays down for policies, and whether they are sound with it. */
static enum sl_status settle_policies(const struct sl_sweep_request *request,
                                      struct sl_scenario *scenario, struct sl_diags *diags,
                                      struct sl_error *err)
{
    enum sl_status status = override_policies(request, scenario, err);
    if (status != SL_OK)
        return status;
    sl_policy_check(scenario, diags);
    return sl_diags_status(diags, err);
}

enum sl_status sl_sweep_load(const struct sl_sweep *sweep, struct sl_scenario *scenario,
                             const uint32_t *choice, struct sl_diags *told, struct sl_error *err)
{
    const struct sl_sweep_request *request = sweep->request;
    uint32_t axes = choice ? sweep->base.axis_count : 0;
    uint32_t count = 0;
    struct sl_override *overrides =
        calloc((size_t)request->override_count + axes + 1, sizeof *overrides);
    if (!overrides)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (; count < request->override_count; count++)
        overrides[count] = request->overrides[count];
    for (uint32_t a = 0; a < axes; a++) {
        const struct sl_axis *axis = &sweep->base.axes[a];
        if (choice[a] != SL_NONE && !sl_axes_policy_key(axis->path))
            overrides[count++] =
                (struct sl_override){.path = axis->path, .value = axis->values[choice[a]]};
    }
    struct sl_diags diags = {0};
    enum sl_status status =
        sl_scenario_load(scenario, request->path, overrides, count, &diags, err);
    if (status == SL_OK)
        status = settle_policies(request, scenario, &diags, err);
    if (status == SL_NO && choice && err) { /* the first fault's text */
        *err = (struct sl_error){0};
        if (sl_diags_status(&diags, err) == SL_SYSTEM)
            status = SL_SYSTEM;
        else
            err->status = SL_NO;
    }
    if (status != SL_NO || !choice) /* at one setting of many, the cell's reason says it */
        sl_sweep_tell(told, &diags);
    sl_diags_free(&diags);
    free(overrides);
    return status;
}

/* A graph of a million nodes is not read twice.  Of the caller's scenario, policies alone change.
 */
enum sl_status sl_sweep_open_base(struct sl_sweep *sweep, struct sl_error *err)
{
    const struct sl_scenario *given = sweep->request->loaded;
    struct sl_scenario *base = &sweep->base;
    if (!given)
        return sl_sweep_load(sweep, base, NULL, sweep->diags, err);
    *base = *given;
    base->arena = (struct sl_arena){0};
    base->policies =
        sl_arena_array(&base->arena, (size_t)given->policy_count + 1, sizeof *base->policies);
    if (!base->policies)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t p = 0; p < given->policy_count; p++)
        base->policies[p] = given->policies[p];
    struct sl_diags diags = {0};
    enum sl_status status = settle_policies(sweep->request, base, &diags, err);
    sl_sweep_tell(sweep->diags, &diags);
    sl_diags_free(&diags);
    return status;
}

void sl_sweep_close_base(struct sl_sweep *sweep)
{
    if (sweep->request->loaded)
        sl_arena_free(&sweep->base.arena);
    else
        sl_scenario_free(&sweep->base);
}

static bool has_scenario_axis(const struct sl_sweep *sweep)
{
    for (uint32_t a = 0; a < sweep->base.axis_count; a++)
        if (!sl_axes_policy_key(sweep->base.axes[a].path))
            return !sweep->request->no_axes;
    return false;
}

/* ---- scenarios in use, by setting ------------------------------------------------------------ */

struct sl_loaded {
    struct sl_scenario scenario;
    const uint32_t *choice;
    uint32_t users;
    bool loaded;
    enum sl_status status; /* of loading */
    struct sl_error err;
    struct sl_loaded *next;
};

static bool is_of(const struct sl_sweep *sweep, const struct sl_loaded *setting,
                  const uint32_t *choice)
{
    for (uint32_t a = 0; a < sweep->base.axis_count; a++)
        if (!sl_axes_policy_key(sweep->base.axes[a].path) && choice[a] != setting->choice[a])
            return false;
    return true;
}

static struct sl_loaded *find_setting(const struct sl_sweep *sweep, const uint32_t *choice)
{
    struct sl_loaded *setting = sweep->settings;
    while (setting && !is_of(sweep, setting, choice))
        setting = setting->next;
    return setting;
}

/* Of those that nobody uses, all but `kept`. */
static void drop_unused(struct sl_sweep *sweep, const struct sl_loaded *kept)
{
    for (struct sl_loaded **at = &sweep->settings; *at;) {
        struct sl_loaded *setting = *at;
        /* cppcheck-suppress nullPointerRedundantCheck ; `kept` may be none, `setting` is not */
        if (setting->users > 0 || setting == kept) {
            at = &setting->next;
            continue;
        }
        *at = setting->next;
        sl_scenario_free(&setting->scenario); /* releases a failed load too */
        free(setting);
    }
}

static void load_setting(struct sl_sweep *sweep, struct sl_loaded *setting, struct sl_diags *diags)
{
    pthread_mutex_unlock(&sweep->lock);
    setting->status =
        sl_sweep_load(sweep, &setting->scenario, setting->choice, diags, &setting->err);
    pthread_mutex_lock(&sweep->lock);
    setting->loaded = true;
    pthread_cond_broadcast(&sweep->loaded);
}

enum sl_status sl_sweep_take_scenario(struct sl_sweep *sweep, uint32_t i,
                                      struct sl_scenario **scenario, struct sl_diags *diags,
                                      struct sl_error *err)
{
    *scenario = &sweep->base;
    if (!has_scenario_axis(sweep))
        return SL_OK;
    const uint32_t *choice = sl_axes_choice(&sweep->table, i);
    pthread_mutex_lock(&sweep->lock);
    struct sl_loaded *setting = find_setting(sweep, choice);
    bool found = setting != NULL;
    if (!found && (setting = calloc(1, sizeof *setting))) {
        setting->choice = choice;
        setting->next = sweep->settings;
        sweep->settings = setting;
    }
    if (!setting) {
        pthread_mutex_unlock(&sweep->lock);
        *scenario = NULL;
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    setting->users++;
    *scenario = &setting->scenario;
    if (!found)
        load_setting(sweep, setting, diags);
    while (!setting->loaded)
        pthread_cond_wait(&sweep->loaded, &sweep->lock);
    enum sl_status status = setting->status == SL_NO ? SL_OK : setting->status;
    if (status != SL_OK && err && err->status == SL_OK)
        *err = setting->err;
    pthread_mutex_unlock(&sweep->lock);
    return status;
}

const struct sl_error *sl_sweep_illegal_setting(const struct sl_sweep *sweep,
                                                const struct sl_scenario *scenario)
{
    const struct sl_loaded *setting = (const struct sl_loaded *)scenario; /* its first member */
    return scenario != &sweep->base && setting->status == SL_NO ? &setting->err : NULL;
}

void sl_sweep_give_scenario(struct sl_sweep *sweep, struct sl_scenario *scenario)
{
    struct sl_loaded *setting = (struct sl_loaded *)scenario; /* its first member */
    if (!scenario || scenario == &sweep->base)
        return;
    pthread_mutex_lock(&sweep->lock);
    setting->users--;
    drop_unused(sweep, setting);
    pthread_mutex_unlock(&sweep->lock);
}

bool sl_sweep_open_settings(struct sl_sweep *sweep)
{
    if (pthread_mutex_init(&sweep->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&sweep->loaded, NULL) == 0)
        return true;
    pthread_mutex_destroy(&sweep->lock);
    return false;
}

void sl_sweep_close_settings(struct sl_sweep *sweep)
{
    drop_unused(sweep, NULL);
    pthread_cond_destroy(&sweep->loaded);
    pthread_mutex_destroy(&sweep->lock);
}

/* ---- every value once ------------------------------------------------------------------------ */

/* That the graph is not legal at a value is an answer: its cells are rows that say so. */
static enum sl_status warn_illegal(struct sl_sweep *sweep, const struct sl_axis *axis, uint32_t v,
                                   struct sl_error *err)
{
    const char *value = sl_axes_text(axis->values[v], &sweep->arena);
    if (!value)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_diags_add(sweep->diags, SL_WARNING, "illegal-setting", err->place,
                 "%s = %s: the graph is not legal there, and its cells have no trials: %s",
                 axis->path, value, err->message);
    *err = (struct sl_error){0};
    return SL_OK;
}

static enum sl_status check_axis(struct sl_sweep *sweep, uint32_t axis, uint32_t *choice,
                                 struct sl_error *err)
{
    bool of_policy = sl_axes_policy_key(sweep->base.axes[axis].path) != NULL;
    bool *applied = sl_arena_array(&sweep->arena, sweep->base.axis_count, sizeof *applied);
    if (!applied)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = SL_OK;
    for (uint32_t v = 0; v < sweep->base.axes[axis].value_count && status == SL_OK; v++) {
        choice[axis] = v;
        struct sl_scenario trial = {0};
        if (!of_policy) {
            status = sl_sweep_load(sweep, &trial, choice, sweep->diags, err);
            sl_scenario_free(&trial);
            if (status == SL_NO)
                status = warn_illegal(sweep, &sweep->base.axes[axis], v, err);
            continue;
        }
        struct sl_diags diags = {0};
        trial = sweep->base;
        trial.policies =
            sl_arena_array(&sweep->arena, (size_t)trial.policy_count + 1, sizeof *trial.policies);
        for (uint32_t p = 0; p < trial.policy_count && trial.policies; p++) {
            const struct sl_policy_spec *policy = sl_axes_policy(
                &sweep->base, &sweep->base.policies[p], choice, applied, &sweep->arena);
            trial.policies[p] = policy ? *policy : sweep->base.policies[p];
        }
        if (trial.policies) {
            sl_policy_check(&trial, &diags);
            status = sl_diags_status(&diags, err);
        } else {
            status = SL_FAIL(err, SL_SYSTEM, "out of memory");
        }
        sl_sweep_tell(sweep->diags, &diags);
        sl_diags_free(&diags);
    }
    return status;
}

enum sl_status sl_sweep_check_axes(struct sl_sweep *sweep, struct sl_error *err)
{
    uint32_t count = sweep->base.axis_count;
    uint32_t *choice = sl_arena_array(&sweep->arena, (size_t)count + 1, sizeof *choice);
    enum sl_status status = choice ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t a = 0; a < count && status == SL_OK; a++) {
        for (uint32_t k = 0; k < count; k++)
            choice[k] = 0;
        status = check_axis(sweep, a, choice, err);
    }
    return status;
}
