/* Sensitivity as JSON, everything at full precision. */
#include "report_sensitivity.h"
#include "sensitivity_csv.h"

static void put_figure(yajl_gen gen, const struct sl_effect *effect, enum sl_effect_figure figure)
{
    const struct sl_difference *difference = &effect->figures[figure];
    sl_json_open_map(gen, sl_effect_figure_name(figure));
    sl_json_number(gen, "difference_us", difference->estimate.value);
    sl_json_number(gen, "lo_us", difference->estimate.lo);
    sl_json_number(gen, "hi_us", difference->estimate.hi);
    sl_json_text(gen, "method", sl_paired_method_name(difference->method));
    sl_json_integer(gen, "least_trials", (int64_t)difference->needs);
    yajl_gen_map_close(gen);
}

static void put_effect(yajl_gen gen, const struct sl_lever *lever, const struct sl_effect *effect)
{
    sl_json_open_map(gen, NULL);
    sl_json_number(gen, "percent", effect->percent);
    sl_json_text(gen, "plan", effect->replanned ? "replanned" : "kept");
    sl_json_text(gen, "unit", sl_lever_unit(lever->kind));
    sl_json_number(gen, "before", effect->before);
    sl_json_number(gen, "after", effect->after);
    sl_json_text(gen, "state", sl_effect_state_name(effect->state));
    sl_json_text(gen, "note", effect->note);
    if (effect->state == SL_EFFECT_SOME) {
        sl_json_integer(gen, "deadlocked", effect->deadlocked);
        sl_json_integer(gen, "against", effect->against);
        for (int f = 0; f < SL_EFFECT_FIGURES; f++)
            put_figure(gen, effect, (enum sl_effect_figure)f);
        sl_json_number(gen, "tail_percent_per_percent", sl_effect_per_percent(effect));
    }
    if (effect->anomaly) {
        sl_json_open_map(gen, "anomaly");
        sl_json_text(gen, "kind", sl_anomaly_name(effect->anomaly));
        sl_json_text(gen, "figure", sl_effect_figure_name(effect->anomaly_figure));
        sl_json_number(gen, "against_percent", effect->anomaly_percent);
        sl_json_number(gen, "difference_us", effect->anomaly_us.value);
        sl_json_number(gen, "lo_us", effect->anomaly_us.lo);
        sl_json_number(gen, "hi_us", effect->anomaly_us.hi);
        yajl_gen_map_close(gen);
    }
    yajl_gen_map_close(gen);
}

static void put_slope(yajl_gen gen, const struct sl_slope *slope)
{
    sl_json_open_map(gen, "slope");
    sl_json_number(gen, "tail_percent_per_percent", slope->estimate.value);
    sl_json_number(gen, "lo", slope->estimate.lo);
    sl_json_number(gen, "hi", slope->estimate.hi);
    sl_json_number(gen, "step_percent", slope->step);
    sl_json_bool(gen, "kinked", slope->kinked);
    yajl_gen_map_close(gen);
}

void sl_report_sensitivity_json(yajl_gen gen, const struct sl_sensitivity *s)
{
    sl_json_open_map(gen, "sensitivity");
    sl_json_number(gen, "tail_quantile", s->tail);
    sl_json_number(gen, "mean_us", s->base_us[SL_EFFECT_MEAN]);
    sl_json_number(gen, "median_us", s->base_us[SL_EFFECT_MEDIAN]);
    sl_json_number(gen, "tail_us", s->base_us[SL_EFFECT_TAIL]);
    sl_json_integer(gen, "simulated", s->simulated);
    sl_json_integer(gen, "cannot_act", s->cannot);
    sl_json_integer(gen, "chain_trials", s->chain_trials);
    sl_json_bool(gen, "order_fixed", s->order_fixed);
    sl_json_text(gen, "order_reason", s->order_fixed ? NULL : s->order_reason);
    sl_json_open_array(gen, "changes");
    for (uint32_t k = 0; k < s->lever_count; k++) {
        const struct sl_lever *lever = &s->levers[k];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "kind", sl_lever_kind_name(lever->kind));
        sl_json_text(gen, "name", lever->name);
        sl_json_number(gen, "chain_share", lever->chain_share);
        sl_json_number(gen, "elasticity", lever->elasticity);
        put_slope(gen, &lever->slope);
        sl_json_open_array(gen, "effects");
        for (uint32_t e = 0; e < lever->effect_count; e++)
            put_effect(gen, lever, &lever->effects[e]);
        yajl_gen_array_close(gen);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
}
