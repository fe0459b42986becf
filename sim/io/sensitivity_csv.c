/* sensitivity.csv. */
#include "sensitivity_csv.h"
#include "figures.h"
#include "outfile.h"
#include <math.h>

/* 0 where nothing can differ. */
static void put_difference(FILE *out, const struct sl_effect *effect, enum sl_effect_figure figure)
{
    struct sl_estimate zero = {0, 0, 0};
    bool same = effect->state == SL_EFFECT_NONE || effect->state == SL_EFFECT_CANNOT;
    const struct sl_difference *difference = &effect->figures[figure];
    bool known = effect->state == SL_EFFECT_SOME;
    sl_put_estimate(out, same ? zero : known ? difference->estimate : SL_NO_ESTIMATE);
    sl_put_text(out, known ? sl_paired_method_name(difference->method) : NULL);
}

static void put_row(FILE *out, const struct sl_sensitivity *s, const struct sl_lever *lever,
                    const struct sl_effect *effect)
{
    bool simulated = effect->state == SL_EFFECT_SOME || effect->state == SL_EFFECT_NONE;
    fprintf(out, "%u", s->cell->spec.index);
    sl_put_text(out, s->cell->spec.policy);
    sl_put_text(out, sl_lever_kind_name(lever->kind));
    sl_put_text(out, lever->name);
    sl_put_number(out, effect->percent);
    sl_put_text(out, effect->replanned ? "replanned" : "kept");
    sl_put_text(out, sl_lever_unit(lever->kind));
    sl_put_number(out, effect->before);
    sl_put_number(out, effect->after);
    sl_put_text(out, sl_effect_state_name(effect->state));
    sl_put_text(out, effect->note);
    sl_put_integer(out, s->cell->trials);
    sl_put_number(out, simulated ? effect->deadlocked : (double)NAN);
    sl_put_number(out, simulated ? effect->against : (double)NAN);
    for (int f = 0; f < SL_EFFECT_FIGURES; f++)
        sl_put_number(out, s->base_us[f]);
    for (int f = 0; f < SL_EFFECT_FIGURES; f++)
        put_difference(out, effect, (enum sl_effect_figure)f);
    sl_put_number(out, sl_effect_per_percent(effect));
    sl_put_number(out, lever->chain_share);
    sl_put_number(out, lever->elasticity);
    sl_put_estimate(out, lever->slope.estimate);
    sl_put_number(out, lever->slope.step);
    sl_put_text(out, sl_anomaly_name(effect->anomaly));
    sl_put_text(out, effect->anomaly ? sl_effect_figure_name(effect->anomaly_figure) : NULL);
    sl_put_number(out, effect->anomaly ? effect->anomaly_percent : (double)NAN);
    sl_put_estimate(out, effect->anomaly ? effect->anomaly_us : SL_NO_ESTIMATE);
    putc('\n', out);
}

enum sl_status sl_sensitivity_csv_write(const char *dir, const struct sl_sensitivity *s,
                                        struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open_in(&file, dir, "sensitivity.csv", err);
    if (status != SL_OK)
        return status;
    fputs("cell,policy,kind,name,percent,plan,unit,before,after,state,note,trials,deadlocked,"
          "against,base_mean_us,base_median_us,base_tail_us",
          file.stream);
    for (int f = 0; f < SL_EFFECT_FIGURES; f++) {
        const char *name = sl_effect_figure_name((enum sl_effect_figure)f);
        fprintf(file.stream, ",%s_us,%s_lo_us,%s_hi_us,%s_method", name, name, name, name);
    }
    fputs(",tail_percent_per_percent,chain_share,elasticity,slope,slope_lo,slope_hi,slope_step,"
          "anomaly,anomaly_figure,"
          "anomaly_against_percent,anomaly_us,anomaly_lo_us,anomaly_hi_us\n",
          file.stream);
    for (uint32_t k = 0; k < s->lever_count; k++)
        for (uint32_t e = 0; e < s->levers[k].effect_count; e++)
            put_row(file.stream, s, &s->levers[k], &s->levers[k].effects[e]);
    return sl_outfile_commit(&file, err);
}
