/* What every resource did with the makespan, as JSON. */
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

void sl_report_use_json(yajl_gen gen, const struct sl_cell *cell)
{
    put_resources(gen, cell);
}
