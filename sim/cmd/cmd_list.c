/* `slackline list`: every registered part with its description, parameters and an example. */
#include "arrivals.h"
#include "command.h"
#include "dist.h"
#include "exporter.h"
#include "importer.h"
#include "kappa.h"
#include "legality.h"
#include "mapping.h"
#include "policy.h"
#include "templates.h"
#include "text.h"
#include <stdlib.h>
#include <string.h>

/* One registered thing, whatever its registry. */
struct part {
    const char *name, *description, *parameters, *example;
    const char *severity; /* of legality rules */
};

/* A kind of part: `get` gives the i-th one, false behind the last. */
struct registry {
    const char *word, *title;
    bool (*get)(const struct registry *self, size_t index, struct part *part);
};

/* Policies' parts of every role stand in one table; a registry shows the ones of its role. */
static bool get_policy_part(const struct registry *self, size_t index, struct part *part)
{
    for (size_t i = 0; i < sl_part_count(); i++) {
        struct sl_part_info info = sl_part_info_get(i);
        if (strcmp(info.role, self->word) != 0 || index-- > 0)
            continue;
        *part = (struct part){info.name, info.description, info.parameters, info.example, NULL};
        return true;
    }
    return false;
}

static bool get_distribution(const struct registry *self, size_t index, struct part *part)
{
    (void)self;
    if (index >= sl_dist_family_count())
        return false;
    struct sl_dist_info info = sl_dist_family_info(index);
    *part = (struct part){info.name, info.description, info.parameters, info.example, NULL};
    return true;
}

static bool get_law(const struct registry *self, size_t index, struct part *part)
{
    (void)self;
    if (index >= sl_arrival_law_count())
        return false;
    struct sl_arrivals_info info = sl_arrival_law_info(index);
    *part = (struct part){info.name, info.description, info.parameters, info.example, NULL};
    return true;
}

static bool get_trace_format(const struct registry *self, size_t index, struct part *part)
{
    (void)self;
    if (index >= sl_trace_format_count())
        return false;
    struct sl_arrivals_info info = sl_trace_format_info(index);
    *part = (struct part){info.name, info.description, info.parameters, info.example, NULL};
    return true;
}

static bool get_rule(const struct registry *self, size_t index, struct part *part)
{
    (void)self;
    if (index >= sl_kappa_rule_count())
        return false;
    const struct sl_kappa_rule *rule = sl_kappa_rule_get(index);
    *part = (struct part){rule->name, rule->description, "", rule->example, NULL};
    return true;
}

static bool get_legality_rule(const struct registry *self, size_t index, struct part *part)
{
    (void)self;
    if (index >= sl_legality_rule_count())
        return false;
    struct sl_legality_rule rule = sl_legality_rule_get(index);
    *part = (struct part){.name = rule.code,
                          .description = rule.description,
                          .severity = rule.severity == SL_ERROR ? "error" : "warning"};
    return true;
}

static bool get_template(const struct registry *self, size_t index, struct part *part)
{
    (void)self;
    if (index >= sl_template_count())
        return false;
    const struct sl_template *template = sl_template_get(index);
    *part = (struct part){template->name, template->description, NULL, template->example, NULL};
    return true;
}

static bool get_importer(const struct registry *self, size_t index, struct part *part)
{
    (void)self;
    if (index >= sl_importer_count())
        return false;
    const struct sl_importer *importer = sl_importer_get(index);
    *part = (struct part){importer->name, importer->description, NULL, importer->example, NULL};
    return true;
}

static bool get_exporter(const struct registry *self, size_t index, struct part *part)
{
    (void)self;
    if (index >= sl_exporter_count())
        return false;
    const struct sl_exporter *exporter = sl_exporter_get(index);
    *part = (struct part){exporter->name, exporter->description, NULL, exporter->example, NULL};
    return true;
}

static bool get_mapping(const struct registry *self, size_t index, struct part *part)
{
    (void)self;
    if (index >= sl_mapping_count())
        return false;
    const struct sl_mapping *mapping = sl_mapping_get(index);
    *part = (struct part){mapping->name, mapping->description, NULL, mapping->example, NULL};
    return true;
}

static bool get_nothing(const struct registry *self, size_t index, struct part *part)
{
    (void)self, (void)index, (void)part;
    return false;
}

static const struct registry registries[] = {
    {"select", "policy: select (which objects and gaps)", get_policy_part},
    {"action", "policy: action (what to do with them)", get_policy_part},
    {"prefetch.when", "policy: prefetch.when (when to bring them back)", get_policy_part},
    {"reclaim", "policy: reclaim (when to give bytes back)", get_policy_part},
    {"evict", "policy: evict (when an allocation does not fit)", get_policy_part},
    {"dispatch", "policy: dispatch (order of ready nodes)", get_policy_part},
    {"distributions", "distributions of durations and multipliers", get_distribution},
    {"arrivals", "laws by which jobs arrive", get_law},
    {"traces", "formats of trace files, and what they tell of each job", get_trace_format},
    {"rules", "composition rules of kappa", get_rule},
    {"legality", "legality rules of 'slackline check'", get_legality_rule},
    {"templates", "workload templates of 'slackline generate'", get_template},
    {"importers", "traces that 'slackline audit' reads", get_importer},
    {"exporters", "formats of 'slackline export'", get_exporter},
    {"mappings", "runtimes that 'slackline feasibility' answers for", get_mapping},
    {"backends", "calibration backends", get_nothing},
};
#define REGISTRY_COUNT (sizeof registries / sizeof registries[0])

static void print_template_parameters(const char *name)
{
    const struct sl_template *template = sl_template_find(name);
    for (size_t i = 0; i < template->param_count; i++) {
        const struct sl_template_param *param = &template->params[i];
        printf("      %s=%s  %s", param->name, param->initial, param->description);
        if (param->kind != SL_TEMPLATE_TEXT)
            printf(" (%.10g to %.10g)", param->min, param->max);
        else if (param->words)
            printf(" (%s)", param->words);
        putchar('\n');
    }
}

static void print_registry(const struct registry *registry)
{
    printf("%s\n", registry->title);
    struct part part;
    size_t count = 0;
    for (; registry->get(registry, count, &part); count++) {
        if (part.severity)
            printf("  %-26s %s: %s\n", part.name, part.severity, part.description);
        else
            printf("  %-16s %s\n", part.name, part.description);
        if (registry->get == get_template)
            print_template_parameters(part.name);
        else if (part.parameters && *part.parameters)
            printf("  %-16s   parameters: %s\n", "", part.parameters);
        if (part.example && *part.example)
            printf("  %-16s   example: %s\n", "", part.example);
    }
    if (count == 0)
        puts("  none in this version");
}

/* For scripts: "registry<TAB>name" per part. */
static void print_names(const struct registry *registry)
{
    struct part part;
    for (size_t i = 0; registry->get(registry, i, &part); i++)
        printf("%s\t%s\n", registry->word, part.name);
}

static enum sl_status take_option(void *user, int key, const char *value, struct sl_error *err)
{
    (void)key, (void)value, (void)err;
    *(bool *)user = true;
    return SL_OK;
}

static enum sl_status run_list(const struct sl_command *command, int argc, char **argv)
{
    bool names_only = false, done = false;
    int first = 0;
    enum sl_status status =
        sl_options_read(command, argc, argv, take_option, &names_only, &first, &done);
    if (status != SL_OK || done)
        return status;
    const char *wanted = first < argc ? argv[first] : NULL;
    size_t shown = 0;
    for (size_t i = 0; i < REGISTRY_COUNT; i++) {
        if (wanted && strcmp(wanted, registries[i].word) != 0)
            continue;
        if (names_only) {
            print_names(&registries[i]);
        } else {
            if (shown > 0)
                putchar('\n');
            print_registry(&registries[i]);
        }
        shown++;
    }
    if (shown > 0)
        return SL_OK;
    const char *words[REGISTRY_COUNT];
    for (size_t i = 0; i < REGISTRY_COUNT; i++)
        words[i] = registries[i].word;
    char hint[256] = "";
    sl_suggest(hint, sizeof hint, wanted, words, REGISTRY_COUNT);
    return sl_usage_error(command->name, "unknown registry '%s'%s", wanted, hint);
}

static const struct sl_option options[] = {
    {SL_KEY_LONG, "names", NULL, "print only 'REGISTRY<TAB>NAME' lines"},
};

const struct sl_command sl_command_list = {
    .name = "list",
    .summary = "List policies' parts, distributions, rules and templates",
    .operands = "[REGISTRY]",
    .description =
        "Prints every registered part with its description, parameters and an example.\n"
        "REGISTRY shows one of: select, action, prefetch.when, reclaim, evict, dispatch,\n"
        "distributions, arrivals, traces, rules, legality, templates, importers,\n"
        "exporters, mappings, backends.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_max = 1,
    .run = run_list,
};
