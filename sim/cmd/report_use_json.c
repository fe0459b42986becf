/* What resources did with the makespan, and classes beside each other, as JSON. */
#include "json_out.h"
#include "report_use.h"
#include "units.h"

static void put_mean(yajl_gen gen, const char *key, int64_t sum_ps, uint32_t trials)
{
    sl_json_number(gen, key, (double)sum_ps / trials / SL_PS_PER_US);
}

static void put_resources(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_names *names = &cell->scenario->platform.resource_names;
    sl_json_open_array(gen, "resources");
    for (uint32_t r = 0; cell->stall_trials > 0 && r < names->count; r++) {
        const struct sl_stalls *stalls = &cell->resource_stalls[r];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "resource", names->names[r]);
        sl_json_integer(gen, "trials", cell->stall_trials);
        put_mean(gen, "busy_us", stalls->busy_ps, cell->stall_trials);
        for (unsigned k = 0; k < SL_STALLS; k++) {
            char key[64];
            snprintf(key, sizeof key, "stall_%s_us", sl_stall_name(k));
            put_mean(gen, key, stalls->idle_ps[k], cell->stall_trials);
        }
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_pairs(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_names *names = &cell->scenario->platform.kappa.classes;
    sl_json_open_array(gen, "class_pairs");
    for (uint32_t a = 0; cell->pair_trials > 0 && a < names->count; a++)
        for (uint32_t b = a; b < names->count; b++) {
            const struct sl_pair_sums *pair = &cell->pairs[(size_t)a * names->count + b];
            const struct sl_pair_sums *mirror = &cell->pairs[(size_t)b * names->count + a];
            if (pair->overlap_ps == 0)
                continue;
            sl_json_open_map(gen, NULL);
            sl_json_text(gen, "a", names->names[a]);
            sl_json_text(gen, "b", names->names[b]);
            sl_json_integer(gen, "trials", cell->pair_trials);
            put_mean(gen, "overlap_us", pair->overlap_ps, cell->pair_trials);
            put_mean(gen, "saved_us", pair->saved_ps, cell->pair_trials);
            put_mean(gen, "a_inflation_us", pair->inflation_ps, cell->pair_trials);
            if (a != b)
                put_mean(gen, "b_inflation_us", mirror->inflation_ps, cell->pair_trials);
            yajl_gen_map_close(gen);
        }
    yajl_gen_array_close(gen);
}

void sl_report_use_json(yajl_gen gen, const struct sl_cell *cell)
{
    put_resources(gen, cell);
    put_pairs(gen, cell);
}
