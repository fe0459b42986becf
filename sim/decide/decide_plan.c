/* The selected plan in the record: its graph and what planning changed, and the logical timing
 * policy as written. */
#include "config.h"

#include "decide_parts.h"
#include "same_graph.h"
#include <string.h>

static const char *const changes[] = {
    [SL_EDIT_ADD_NODE] = "add-node",           [SL_EDIT_ADD_EDGE] = "add-edge",
    [SL_EDIT_DROP_EDGE] = "drop-edge",         [SL_EDIT_CHANGE_INPUT] = "change-input",
    [SL_EDIT_CHANGE_OUTPUT] = "change-output", [SL_EDIT_SET_RELEASE] = "set-release",
    [SL_EDIT_SET_PRIORITY] = "set-priority",
};

enum sl_status sl_decide_graph(struct sl_decision *decision, const struct sl_cell *cell,
                               struct sl_error *err)
{
    struct sl_record *record = decision->record;
    const struct sl_graph *graph = cell->plan.graph;
    bool good = true;
    record->graph.plan_digest = sl_record_hex(record, sl_graph_digest(graph), &good);
    record->graph.nodes = graph->node_count;
    record->graph.edges = graph->edge_count;
    record->graph.objects = graph->object_count;
    record->graph.changes_total = cell->plan.edit_count;
    for (uint32_t i = 0; good && i < cell->plan.edit_count && i < SL_RECORD_CHANGES; i++) {
        const struct sl_edit *edit = &cell->plan.edits[i];
        struct sl_record_change *change =
            sl_record_add(record, &record->graph.changes, &sl_shape_change);
        if (!change)
            return sl_decide_no_memory(err);
        *change = (struct sl_record_change){
            changes[edit->what], sl_record_keep(record, edit->text, &good),
            sl_record_keep(record, edit->reason, &good),
            edit->node.i == SL_NONE
                ? NULL
                : sl_record_keep(record, graph->nodes[edit->node.i].name, &good),
            edit->object.i == SL_NONE
                ? NULL
                : sl_record_keep(record, graph->objects[edit->object.i].name, &good)};
    }
    return good ? SL_OK : sl_decide_no_memory(err);
}

static bool put_setting(struct sl_record *record, uint32_t rule, const struct sl_setting *setting)
{
    bool good = true;
    struct sl_record_setting *item =
        sl_record_add(record, &record->policy.settings, &sl_shape_setting);
    if (!item)
        return false;
    item->rule = rule;
    item->key = sl_record_keep(record, setting->key, &good);
    for (uint32_t v = 0; good && v < setting->value_count; v++)
        good = sl_record_add_text(record, &item->values, setting->values[v]);
    return good;
}

/* As the cell planned it: with the values of policies' axes. */
static const struct sl_policy_spec *policy_of(struct sl_decision *decision,
                                              const struct sl_cell *cell)
{
    const struct sl_policy_spec *policy = sl_scenario_policy(cell->scenario, cell->spec.policy);
    for (uint32_t a = 0; policy && a < cell->spec.axis_count; a++) {
        const char *path = cell->scenario->axes[a].path, *value = cell->spec.axis_texts[a];
        if (strncmp(path, "policy.", 7) == 0 && *value)
            policy = sl_policy_with(policy, path + 7, value, &decision->arena);
    }
    return policy;
}

enum sl_status sl_decide_policy(struct sl_decision *decision, const struct sl_cell *cell,
                                struct sl_error *err)
{
    struct sl_record *record = decision->record;
    const struct sl_policy_spec *policy = policy_of(decision, cell);
    bool good = policy != NULL;
    record->policy.name = sl_record_keep(record, cell->spec.policy, &good);
    for (uint32_t r = 0; good && r < policy->rule_count; r++) {
        bool top = r + 1 == policy->rule_count;
        for (uint32_t s = 0; good && s < policy->rules[r].count; s++)
            good = put_setting(record, top ? 0 : r + 1, &policy->rules[r].settings[s]);
    }
    if (good && policy->tuning) {
        record->policy.gap_choices = policy->tuning->gap_count;
        record->policy.node_choices = policy->tuning->node_count;
    }
    record->policy.retained = cell->plan.retained;
    record->policy.offloaded = cell->plan.offloaded;
    record->policy.rematerialized = cell->plan.rematerialized;
    return good ? SL_OK : sl_decide_no_memory(err);
}
