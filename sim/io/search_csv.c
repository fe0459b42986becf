/* search.csv, choices.csv and policy.yaml. */
#include "search_csv.h"
#include "csvtab.h"
#include "fields.h"
#include "figures.h"
#include "outfile.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_time(enum sl_measure measure)
{
    return measure != SL_MEASURE_PEAK && measure != SL_MEASURE_STAGING &&
           measure != SL_MEASURE_DEADLINE_MISS;
}

/* "peak.hbm" becomes "peak_hbm_bytes". */
static void put_measure(FILE *out, const struct sl_order_item *item)
{
    const char *unit = is_time(item->measure)                ? "_us"
                       : item->measure == SL_MEASURE_PEAK    ? "_bytes"
                       : item->measure == SL_MEASURE_STAGING ? "_byte_s"
                                                             : "";
    char name[SL_NAME_MAX + 64];
    snprintf(name, sizeof name, "%s%s", item->name, unit);
    for (char *at = name; *at; at++)
        if (*at == '.')
            *at = '_';
    sl_put_text(out, name);
}

static void put_step(FILE *out, const struct sl_search_result *result,
                     const struct sl_search_step *step)
{
    const struct sl_search_figures *figures = &step->figures;
    bool ran = figures->trials > 0, complete = ran && !(figures->stuck > 0);
    fprintf(out, "%u", step->evaluation);
    sl_put_text(out, step->move);
    sl_put_text(out, step->base);
    sl_put_text(out, step->repeated  ? "repeated"
                     : !ran          ? "no-plan"
                     : !complete     ? "deadlock"
                     : step->dropped ? "dropped"
                                     : "run");
    sl_put_integer(out, step->accepted);
    sl_put_integer(out, step->best);
    sl_put_integer(out, figures->trials);
    sl_put_number(out, complete ? figures->violation : (double)NAN);
    for (uint32_t k = 0; k < result->levels; k++) {
        double scale = is_time(result->order[k].measure) ? (double)SL_PS_PER_US : 1.0;
        sl_put_number(out, complete ? figures->values[k] / scale : (double)NAN);
    }
    putc('\n', out);
}

enum sl_status sl_search_csv_write(const char *dir, const struct sl_search_result *result,
                                   struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open_in(&file, dir, "search.csv", err);
    if (status != SL_OK)
        return status;
    fputs("evaluation,move,rules,outcome,accepted,best,trials,violation", file.stream);
    for (uint32_t k = 0; k < result->levels; k++)
        put_measure(file.stream, &result->order[k]);
    putc('\n', file.stream);
    for (uint32_t i = 0; i < result->log_count; i++)
        put_step(file.stream, result, &result->log[i]);
    return sl_outfile_commit(&file, err);
}

static void put_node(FILE *out, const struct sl_node_choice *choice)
{
    fputs(",,,", out);
    sl_put_text(out, choice->node);
    sl_put_number(out, choice->priority);
    sl_put_text(out, choice->after);
    putc(',', out);
    if (choice->release_ps >= 0)
        fprintf(out, "%" PRId64 "ps", choice->release_ps);
    putc('\n', out);
}

static enum sl_status write_choices(const char *dir, const char *name,
                                    const struct sl_scenario *scenario,
                                    const struct sl_tuning *tuning, struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open_in(&file, dir, name, err);
    if (status != SL_OK)
        return status;
    fputs("object,gap,action,prefetch,node,priority,after,release\n", file.stream);
    for (uint32_t i = 0; i < tuning->gap_count; i++) {
        const struct sl_gap_choice *choice = &tuning->gaps[i];
        sl_csv_put(file.stream, scenario->graph->objects[choice->object].name);
        sl_put_integer(file.stream, choice->gap);
        sl_put_text(file.stream, choice->action);
        sl_put_text(file.stream, choice->prefetch);
        fputs(",,,,\n", file.stream);
    }
    for (uint32_t i = 0; i < tuning->node_count; i++)
        put_node(file.stream, &tuning->nodes[i]);
    return sl_outfile_commit(&file, err);
}

/* In double quotes, which hold any text of a scenario. */
static void put_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void put_setting(FILE *out, const struct sl_setting *setting)
{
    put_quoted(out, setting->key);
    fputs(": ", out);
    bool list = setting->value_count != 1 || strcmp(setting->key, "objects") == 0;
    if (list)
        putc('[', out);
    for (uint32_t i = 0; i < setting->value_count; i++) {
        if (i > 0)
            fputs(", ", out);
        put_quoted(out, setting->values[i]);
    }
    if (list)
        putc(']', out);
}

/* Whether the rule has the setting from the top level. */
static bool is_inherited(const struct sl_policy_rule *top, const struct sl_setting *setting)
{
    for (uint32_t i = 0; i < top->count; i++)
        if (top->settings[i].values == setting->values)
            return true;
    return false;
}

static void put_rule(FILE *out, const struct sl_policy_rule *top, const struct sl_policy_rule *rule)
{
    bool first = true;
    fputs("    - {", out);
    for (uint32_t i = 0; i < rule->count; i++) {
        if (is_inherited(top, &rule->settings[i]))
            continue;
        if (!first)
            fputs(", ", out);
        put_setting(out, &rule->settings[i]);
        first = false;
    }
    fputs("}\n", out);
}

/* A policy's own plan as a table is another policy, with another name: "keep-table". */
static void put_policy(FILE *out, const struct sl_final *final, const char *suffix,
                       const char *choices)
{
    const struct sl_policy_spec *policy = &final->plan->policy;
    const struct sl_policy_rule *top = &policy->rules[policy->rule_count - 1];
    fprintf(out, "- name: \"%s%s%s\"\n  choices: \"%s\"\n", final->name,
            final->plan->named ? "-table" : "", suffix, choices);
    for (uint32_t i = 0; i < top->count; i++) {
        if (strcmp(top->settings[i].key, "choices") == 0)
            continue;
        fputs("  ", out);
        put_setting(out, &top->settings[i]);
        putc('\n', out);
    }
    if (policy->rule_count > 1)
        fputs("  rules:\n", out);
    for (uint32_t r = 0; r + 1 < policy->rule_count; r++)
        put_rule(out, top, &policy->rules[r]);
}

static enum sl_status write_policies(const char *dir, const char *name,
                                     const struct sl_final *final, const char *suffix,
                                     const char *choices, struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open_in(&file, dir, name, err);
    if (status != SL_OK)
        return status;
    fprintf(file.stream,
            "# %s, over the rules of '%s'.  An item of a scenario's\n"
            "# `policies`, with %s in the scenario's folder.\n",
            final->plan->named ? "A policy's own plan, than which a search found no better one"
                               : "A plan that a search found",
            final->plan->base, choices);
    put_policy(file.stream, final, suffix, choices);
    return sl_outfile_commit(&file, err);
}

enum sl_status sl_search_policy_write(const char *dir, const struct sl_scenario *scenario,
                                      const struct sl_finals *finals, struct sl_error *err)
{
    const struct sl_final *winner = &finals->items[0];
    enum sl_status status =
        write_choices(dir, "choices.csv", scenario, winner->plan->policy.tuning, err);
    if (status == SL_OK)
        status = write_policies(dir, "policy.yaml", winner, "", "choices.csv", err);
    if (status == SL_OK && finals->in_order)
        status = write_choices(dir, "ordered.csv", scenario, finals->in_order, err);
    if (status == SL_OK && finals->in_order)
        status = write_policies(dir, "ordered.yaml", winner, "-ordered", "ordered.csv", err);
    return status;
}
