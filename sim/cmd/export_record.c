/* The plan of a decision record, for other tools. */
#include "config.h"

#include "decide_more.h"
#include "export_record.h"
#include "record_scenario.h"
#include "yamldoc.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_file(const char *dir, const char *name)
{
    char path[4096];
    return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

/* A scenario has none of these keys; a record that lacks others is faulty, and told so. */
bool sl_export_is_record(const char *operand)
{
    static const char *const keys[] = {"workload", "gate", "history"};
    struct stat about;
    struct sl_arena arena = {0};
    struct sl_error ignored = {0};
    struct sl_yaml *root = NULL;
    bool found = false;
    if (stat(operand, &about) != 0)
        return false;
    if (S_ISDIR(about.st_mode))
        return has_file(operand, SL_RECORD_FILE) && !has_file(operand, "scenario.yaml");
    if (sl_yaml_read(operand, &arena, &root, &ignored) == SL_OK)
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            found |= sl_yaml_get(root, keys[i]) != NULL;
    sl_arena_free(&arena);
    return found;
}

static enum sl_status choose(const struct sl_export_record *from, const struct sl_record *record,
                             bool *baseline, struct sl_error *err)
{
    const char *base = record->baseline.present ? record->baseline.policy : NULL;
    const char *selected = record->policy.name;
    *baseline = from->policy && !(selected && strcmp(from->policy, selected) == 0);
    if (!*baseline || (base && strcmp(from->policy, base) == 0))
        return SL_OK;
    return SL_FAIL(err, SL_USAGE,
                   "the record has the plan of '%s'%s%s%s, not of '%s': export that one from the "
                   "scenario",
                   selected ? selected : "no policy", base ? " and that of its baseline '" : "",
                   base ? base : "", base ? "'" : "", from->policy);
}

enum sl_status sl_export_record(const struct sl_export_record *from,
                                enum sl_status (*write)(void *user, const struct sl_export *what,
                                                        struct sl_error *err),
                                void *user, struct sl_error *err)
{
    struct sl_record record;
    struct sl_record_scenario at = {0};
    struct sl_plan base = {0};
    struct sl_diags diags = {0};
    char path[4096];
    bool baseline = false;
    enum sl_status status =
        sl_decide_read_record(&record, from->operand, from->scenario, path, err);
    if (status == SL_OK)
        status = choose(from, &record, &baseline, err);
    if (status == SL_OK)
        status = sl_record_scenario_decided(&at, &record, &diags, err);
    if (status == SL_OK && baseline)
        status = sl_record_scenario_baseline(&at, &record, &base, &diags, err);
    if (diags.errors > 0)
        sl_diags_print(&diags, stderr);
    const struct sl_plan *plan = baseline ? &base : &at.plan;
    const struct sl_export what = {.scenario = at.scenario.name,
                                   .policy = baseline ? record.baseline.policy : record.policy.name,
                                   .graph = plan->graph,
                                   .source = &at.scenario,
                                   .plan = plan,
                                   .to_ps = INT64_MAX};
    if (status == SL_OK)
        status = write(user, &what, err);
    sl_plan_free(&base);
    sl_record_scenario_close(&at);
    sl_diags_free(&diags);
    sl_record_free(&record);
    return status;
}
