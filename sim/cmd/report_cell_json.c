/* The report of one cell as JSON: full precision, the unit in every key. */
#include "engine_csv.h"
#include "json_out.h"
#include "report_cell.h"
#include "report_critical.h"
#include "report_jobs.h"
#include "report_outcomes.h"
#include "report_sensitivity.h"
#include "report_shares.h"
#include "report_until.h"
#include "report_use.h"
#include "report_waits.h"
#include "result_parts.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>

static void put_estimate(yajl_gen gen, const char *name, struct sl_estimate estimate, double q)
{
    sl_json_open_map(gen, name);
    sl_json_number(gen, "value_us", estimate.value);
    sl_json_number(gen, "lo_us", estimate.lo);
    sl_json_number(gen, "hi_us", estimate.hi);
    if (isnan(estimate.value) && q > 0)
        sl_json_integer(gen, "needs_trials", (int64_t)sl_quantile_min_n(q, 0.95));
    yajl_gen_map_close(gen);
}

static void put_metric(yajl_gen gen, const struct sl_cell *cell)
{
    put_estimate(gen, "mean", cell->mean, 0);
    put_estimate(gen, "median", cell->median, 0.5);
    put_estimate(gen, "p90", cell->p90, 0.9);
    put_estimate(gen, "p95", cell->p95, 0.95);
    put_estimate(gen, "p99", cell->p99, 0.99);
    put_estimate(gen, "p999", cell->p999, 0.999);
    put_estimate(gen, "cvar99", cell->cvar99, 0.99);
    sl_json_number(gen, "max_us", cell->max_us);
    sl_json_number(gen, "sd_us", cell->sd_us);
    sl_json_number(gen, "bound_us", cell->bound_us);
    sl_json_number(gen, "mean_over_bound",
                   cell->bound_us > 0 ? cell->mean.value / cell->bound_us : NAN);
    sl_json_bool(gen, "hypothetical", cell->hypothetical);
    if (cell->metric_optimistic_ps) {
        put_estimate(gen, "median_optimistic", cell->median_optimistic, 0.5);
        put_estimate(gen, "p99_optimistic", cell->p99_optimistic, 0.99);
    }
}

static void put_iterations(yajl_gen gen, const struct sl_cell *cell)
{
    if (!cell->iteration_us)
        return;
    sl_json_open_map(gen, "per_iteration");
    sl_json_integer(gen, "iterations", cell->scenario->iterations);
    sl_json_integer(gen, "warmup", cell->iterations.warmup);
    put_estimate(gen, "mean", cell->iteration_mean, 0);
    put_estimate(gen, "median", cell->iteration_median, 0.5);
    put_estimate(gen, "p99", cell->iteration_p99, 0.99);
    sl_report_iterations_json(gen, cell);
    yajl_gen_map_close(gen);
}

static void put_stalls(yajl_gen gen, const struct sl_cell *cell)
{
    double busy = sl_busy_mean_us(cell);
    if (isnan(busy))
        return;
    sl_json_open_map(gen, "time_of_busy_resource");
    sl_json_text(gen, "resource",
                 cell->scenario->platform.resource_names.names[cell->scenario->objective.busy]);
    sl_json_number(gen, "busy_us", busy);
    for (unsigned i = 0; i < SL_STALLS; i++) {
        char key[64];
        snprintf(key, sizeof key, "stall_%s_us", sl_stall_name(i));
        sl_json_us(gen, key, cell->stall_mean_ps[i]);
    }
    yajl_gen_map_close(gen);
}

static void put_chain(yajl_gen gen, const struct sl_cell *cell)
{
    struct sl_chain_share shares[SL_MAX_SHARES];
    size_t count = sl_chain_shares(cell, shares, SL_MAX_SHARES);
    sl_json_open_array(gen, "chain");
    for (size_t i = 0; i < count; i++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "kind", sl_chain_row_name(shares[i].row));
        sl_json_text(gen, "cause", sl_cause_name((enum sl_cause)shares[i].cause));
        sl_json_number(gen, "mean_us", shares[i].us);
        sl_json_number(gen, "share", shares[i].share);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_memory(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_platform *platform = &cell->scenario->platform;
    sl_json_open_array(gen, "domains");
    for (uint32_t d = 0; d < platform->domain_names.count; d++) {
        const struct sl_domain *domain = &platform->domains[d];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "domain", platform->domain_names.names[d]);
        sl_json_integer(gen, "peak_bytes", sl_peak_of(cell, d));
        if (domain->capacity >= 0) {
            sl_json_integer(gen, "capacity_bytes", domain->capacity);
            sl_json_integer(gen, "reserve_bytes", domain->reserve);
        }
        sl_json_number(gen, "staging_byte_s", sl_staging_of(cell, d));
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_inflation(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_names *classes = &cell->scenario->platform.kappa.classes;
    sl_json_open_map(gen, "contention_inflation");
    for (uint32_t c = 0; c < classes->count; c++) {
        double inflation = sl_class_inflation(cell, c);
        if (!isnan(inflation))
            sl_json_number(gen, classes->names[c], inflation);
    }
    yajl_gen_map_close(gen);
}

static void put_forbidden(yajl_gen gen, const struct sl_cell *cell)
{
    uint32_t completed = cell->trials - cell->deadlocked;
    sl_json_open_array(gen, "forbidden_overlap");
    for (uint32_t k = 0; k < cell->peer_wait_count; k++) {
        const struct sl_peer_wait *wait = &cell->peer_waits[k];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "waiter", wait->waiter);
        sl_json_text(gen, "peer", wait->peer);
        sl_json_number(gen, "waits_per_trial", (double)wait->waits / completed);
        sl_json_number(gen, "wait_us", (double)wait->wait_ps / completed / SL_PS_PER_US);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

enum sl_status sl_report_cell_json(FILE *out, const struct sl_cell *cell,
                                   const struct sl_sensitivity *sensitivity, uint64_t seed,
                                   struct sl_error *err)
{
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, seed);
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "scenario", cell->scenario->name);
    sl_json_text(gen, "policy", cell->spec.policy);
    sl_json_integer(gen, "trials", cell->trials);
    sl_json_integer(gen, "deadlocked", cell->deadlocked);
    sl_json_raw_number(gen, "seed", digits);
    sl_json_text(gen, "verdict", sl_verdict_name(cell->verdict));
    sl_json_text(gen, "reason", *cell->reason ? cell->reason : NULL);
    sl_json_text(gen, "engine_way", sl_cell_way(cell));
    sl_json_text(gen, "not_fixed", cell->not_fixed);
    sl_json_text(gen, "metric", sl_metric_name(cell->scenario));
    if (cell->jobs) {
        sl_report_jobs_json(gen, cell);
        put_memory(gen, cell);
        sl_report_constraints_json(gen, cell);
    } else if (cell->metric_ps && cell->trials > 0) {
        put_metric(gen, cell);
        sl_report_band_json(gen, cell);
        sl_json_until(gen, &cell->until);
        put_iterations(gen, cell);
        put_stalls(gen, cell);
        sl_report_use_json(gen, cell);
        put_chain(gen, cell);
        sl_report_critical_json(gen, cell);
        sl_report_tail_chain_json(gen, cell);
        put_memory(gen, cell);
        sl_report_waits_json(gen, cell);
        put_inflation(gen, cell);
        put_forbidden(gen, cell);
        sl_report_constraints_json(gen, cell);
        sl_report_outcomes_json(gen, cell);
    }
    if (sensitivity)
        sl_report_sensitivity_json(gen, sensitivity);
    yajl_gen_map_close(gen);
    return sl_json_finish(gen, out, err);
}
