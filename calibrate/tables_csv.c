/* The CSV tables of a calibration, column by column as their readers have them. */
#include "config.h"

#include "tables_parts.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

static const struct sl_case *case_of(const struct sl_estimates *estimates, uint32_t index)
{
    return &estimates->measured->cases->cases[index];
}

static const struct sl_work_class *class_of(const struct sl_estimates *estimates,
                                            const struct sl_work *work)
{
    return &estimates->measured->cases->classes[work->klass];
}

/* "empirical/07-copy.h2d-pinned-65536.csv": the case's key, of characters that need no quotes. */
static const char *empirical_name(struct sl_table_writer *writer, uint32_t number, const char *key)
{
    const char *colon = strchr(key, ':');
    char *name =
        sl_arena_printf(&writer->arena, "empirical/%02u-%s.csv", number, colon ? colon + 1 : key);
    for (char *c = name ? name + strlen("empirical/") : NULL; c && *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.' && *c != '_')
            *c = '-';
    return name;
}

static enum sl_status write_values(struct sl_table_writer *writer, const char *name,
                                   const double *values, uint32_t n, const char *unit,
                                   struct sl_error *err)
{
    FILE *out = NULL;
    if (!name)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = sl_table_begin(writer, name, "value", &out, err);
    for (uint32_t i = 0; status == SL_OK && i < n; i++)
        fprintf(out, "%.9g%s\n", values[i], unit);
    return status;
}

enum sl_status sl_write_empirical(struct sl_table_writer *writer, struct sl_error *err)
{
    const struct sl_estimates *e = writer->estimates;
    enum sl_status status = SL_OK;
    writer->empirical =
        sl_arena_array(&writer->arena, (size_t)e->duration_count + 1, sizeof *writer->empirical);
    writer->noises =
        sl_arena_array(&writer->arena, (size_t)e->route_count + 1, sizeof *writer->noises);
    if (!writer->empirical || !writer->noises)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; status == SL_OK && i < e->duration_count; i++) {
        const struct sl_duration_estimate *row = &e->durations[i];
        if (!sl_duration_states_sample(row))
            continue;
        writer->empirical[i] = empirical_name(writer, i, case_of(e, row->case_index)->key);
        status = write_values(writer, writer->empirical[i], row->own_ns, row->n, "ns", err);
    }
    for (uint32_t i = 0; status == SL_OK && i < e->route_count; i++) {
        const struct sl_route_estimate *route = &e->routes[i];
        const struct sl_duration_estimate *row = &e->durations[route->largest];
        if (route->noise.good || row->n < 2)
            continue;
        const char *key = sl_arena_printf(&writer->arena, ":%s-noise",
                                          e->measured->cases->classes[route->klass].name);
        writer->noises[i] = key ? empirical_name(writer, route->largest, key) : NULL;
        status = write_values(writer, writer->noises[i], route->factors, row->n, "", err);
    }
    return status;
}

/* The expression of the column `dist`; "" where the row has none. */
static const char *law_of(struct sl_table_writer *writer, uint32_t index)
{
    const struct sl_duration_estimate *row = &writer->estimates->durations[index];
    if (writer->empirical[index])
        return sl_arena_printf(&writer->arena, "empirical(file=%s)", writer->empirical[index]);
    if (!row->fits.good)
        return "";
    return sl_fit_text(&row->fits.all[row->fits.chosen], "ns", &writer->arena);
}

static double flops_of(const struct sl_work_class *klass, int64_t bytes)
{
    for (uint32_t s = 0; klass->flops && s < klass->size_count; s++)
        if (klass->sizes[s] == bytes)
            return klass->flops[s];
    return (double)NAN;
}

static void put_work(struct sl_table_row *cells, const struct sl_estimates *e,
                     const struct sl_work *work)
{
    const struct sl_work_class *klass = class_of(e, work);
    const struct sl_work_form *form = &klass->forms[work->form];
    sl_cell_text(cells, klass->name);
    sl_cell_text(cells, form->variant);
    sl_cell_text(cells, form->dir);
    sl_cell_integer(cells, work->bytes);
    sl_cell_text(cells, form->mem_kind);
    sl_cell_text(cells, form->launch);
    sl_cell_text(cells, form->cache);
}

static void put_duration(struct sl_table_row *cells, const struct sl_estimates *e,
                         const struct sl_duration_estimate *row, const char *law)
{
    const struct sl_work *work = &case_of(e, row->case_index)->shot.victim;
    put_work(cells, e, work);
    sl_cell_integer(cells, row->n);
    sl_cell_integer(cells, row->sessions);
    sl_cell_text(cells, law);
    sl_cell_number(cells, row->p05_ns.value);
    sl_cell_number(cells, row->median_ns.value);
    sl_cell_number(cells, row->p95_ns.value);
    sl_cell_number(cells, row->p99_ns.value);
    sl_cell_number(cells, row->median_ns.lo);
    sl_cell_number(cells, row->median_ns.hi);
    sl_cell_number(cells, row->launch_latency_ns);
    sl_cell_text(cells, row->timer);
    sl_cell_number(cells, 100 * (row->timer_factor - 1));
    sl_cell_number(cells, row->sm_mhz);
    sl_cell_number(cells, row->throttled);
    sl_cell_text(cells, sl_row_status_name(row->status));
    sl_cell_number(cells, flops_of(class_of(e, work), work->bytes));
    sl_cell_text(cells, row->regime);
    sl_cell_number(cells, row->shared_sd);
    sl_row_end(cells);
}

enum sl_status sl_write_durations(struct sl_table_writer *writer, struct sl_error *err)
{
    const struct sl_estimates *e = writer->estimates;
    struct sl_table_row cells = {0};
    enum sl_status status = sl_table_begin(
        writer, "durations.csv",
        "class,variant,dir,size_bytes,mem_kind,launch,cache,n,sessions,dist,dur_p05_ns,dur_med_ns,"
        "dur_p95_ns,dur_p99_ns,ci_lo_ns,ci_hi_ns,launch_lat_med_ns,timer,cupti_overhead_pct,"
        "sm_mhz_med,throttled_frac,status,work_flop,regime,shared_sd_log",
        &cells.out, err);
    for (uint32_t i = 0; status == SL_OK && i < e->duration_count; i++) {
        const char *law = law_of(writer, i);
        if (!law)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        put_duration(&cells, e, &e->durations[i], law);
    }
    return status;
}

static enum sl_status put_fits(struct sl_table_writer *writer, struct sl_table_row *cells,
                               const struct sl_duration_estimate *row, struct sl_error *err)
{
    const struct sl_estimates *e = writer->estimates;
    for (uint32_t f = 0; f < SL_FIT_FAMILIES; f++) {
        const struct sl_fit *fit = &row->fits.all[f];
        if (!fit->fitted)
            continue;
        const char *text = sl_fit_text(fit, "ns", &writer->arena);
        if (!text)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        put_work(cells, e, &case_of(e, row->case_index)->shot.victim);
        sl_cell_text(cells, row->regime);
        sl_cell_text(cells, row->timer);
        sl_cell_integer(cells, row->n);
        sl_cell_text(cells, sl_fit_family_name(fit->family));
        sl_cell_text(cells, text);
        sl_cell_number(cells, isfinite(fit->aic) ? fit->aic : (double)NAN);
        sl_cell_number(cells, fit->ad_adjusted);
        sl_cell_number(cells, fit->ks);
        sl_cell_number(cells, fit->p99);
        sl_cell_text(cells, f != row->fits.chosen ? "" : row->fits.good ? "taken" : "misfit");
        sl_row_end(cells);
    }
    return SL_OK;
}

enum sl_status sl_write_fits(struct sl_table_writer *writer, struct sl_error *err)
{
    const struct sl_estimates *e = writer->estimates;
    struct sl_table_row cells = {0};
    enum sl_status status =
        sl_table_begin(writer, "fits.csv",
                       "class,variant,dir,size_bytes,mem_kind,launch,cache,regime,timer,n,family,"
                       "dist,aic,ad,ks,p99_ns,chosen",
                       &cells.out, err);
    for (uint32_t i = 0; status == SL_OK && i < e->duration_count; i++)
        status = put_fits(writer, &cells, &e->durations[i], err);
    return status;
}

static void put_kappa(struct sl_table_row *cells, const struct sl_estimates *e,
                      const struct sl_kappa_estimate *row, const char *set)
{
    const struct sl_shot *shot = &case_of(e, row->case_index)->shot;
    sl_cell_text(cells, class_of(e, &shot->victim)->name);
    sl_cell_text(cells, set);
    sl_cell_integer(cells, shot->aggressor_count);
    sl_cell_text(cells, sl_table_shape(e, shot));
    sl_cell_text(cells, sl_contention_mode_name(row->mode));
    sl_cell_number(cells, row->kappa.value);
    sl_cell_number(cells, row->kappa.lo);
    sl_cell_number(cells, row->kappa.hi);
    sl_cell_number(cells, row->exec);
    sl_cell_number(cells, row->start_delay_ns);
    sl_cell_number(cells, row->co_resident);
    sl_cell_number(cells, row->sd);
    sl_cell_integer(cells, row->pairs);
    sl_cell_integer(cells, row->rejected);
    sl_cell_number(cells, row->coverage_least);
    sl_cell_integer(cells, row->sessions);
    sl_cell_text(cells, row->regime);
    sl_cell_number(cells, row->throttled);
    sl_cell_text(cells, "measured");
    sl_cell_text(cells, sl_row_status_name(row->status));
    sl_cell_number(cells, row->raw.value);
    sl_cell_number(cells, row->ratio_of_medians);
    sl_row_end(cells);
}

enum sl_status sl_write_kappa(struct sl_table_writer *writer, struct sl_error *err)
{
    const struct sl_estimates *e = writer->estimates;
    struct sl_table_row cells = {0};
    enum sl_status status = sl_table_begin(
        writer, "kappa.csv",
        "victim,set,set_size,shape,mode,kappa,ci_lo,ci_hi,kappa_exec,start_delay_med_ns,"
        "co_resident_frac,between_session_sd,n_pairs,n_rejected,coverage_min,sessions,regime,"
        "throttled_frac,source,status,kappa_raw,ratio_of_medians",
        &cells.out, err);
    for (uint32_t i = 0; status == SL_OK && i < e->kappa_count; i++) {
        const struct sl_shot *shot = &case_of(e, e->kappas[i].case_index)->shot;
        const char *set = sl_table_set(e, shot, &writer->arena);
        if (!set)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        put_kappa(&cells, e, &e->kappas[i], set);
    }
    return status;
}

static void put_rule(struct sl_table_row *cells, const struct sl_composition_estimate *rule)
{
    sl_cell_text(cells, rule->rule);
    sl_cell_integer(cells, rule->sets);
    sl_cell_number(cells, rule->median_error);
    sl_cell_number(cells, rule->p95_error);
    sl_cell_number(cells, rule->noise);
    sl_cell_text(cells, rule->untested ? "" : rule->accepted ? "yes" : "no");
    sl_cell_number(cells, rule->above_best.value);
    sl_cell_number(cells, rule->above_best.lo);
    sl_cell_number(cells, rule->above_best.hi);
    sl_cell_text(cells, rule->untested ? rule->untested : "");
    sl_row_end(cells);
}

enum sl_status sl_write_composition(struct sl_table_writer *writer, struct sl_error *err)
{
    const struct sl_estimates *e = writer->estimates;
    struct sl_table_row cells = {0};
    enum sl_status status =
        sl_table_begin(writer, "composition.csv",
                       "rule,n_triples,med_abs_log_err,p95_abs_log_err,noise_floor,accepted,"
                       "above_best,above_best_lo,above_best_hi,untested",
                       &cells.out, err);
    for (uint32_t r = 0; status == SL_OK && r < e->rule_count; r++)
        put_rule(&cells, &e->rules[r]);
    if (status == SL_OK)
        put_rule(&cells, &e->linear);
    return status;
}

static void put_sample(struct sl_table_row *cells, const struct sl_estimates *e,
                       const struct sl_measurement *item, const char *set)
{
    const struct sl_sample *sample = &item->sample;
    const struct sl_case *entry = case_of(e, item->case_index);
    sl_cell_integer(cells, item->session);
    sl_cell_integer(cells, item->seq);
    sl_cell_integer(cells, item->begin_ns);
    sl_cell_integer(cells, item->block);
    sl_cell_text(cells, item->role == SL_ROLE_ALONE ? "alone" : "beside");
    sl_cell_text(cells, class_of(e, &entry->shot.victim)->name);
    sl_cell_text(cells, set);
    sl_cell_integer(cells, sample->submitted_ns);
    sl_cell_integer(cells, sample->start_ns);
    sl_cell_integer(cells, sample->end_ns);
    sl_cell_number(cells, sample->coverage);
    sl_cell_number(cells, sample->sentinel_ns);
    sl_cell_number(cells, sample->sm_mhz);
    sl_cell_text(cells, sample->reject == SL_REJECT_NONE ? "yes" : "no");
    sl_cell_text(cells, sl_reject_name(sample->reject));
    sl_cell_text(cells, entry->key);
    sl_cell_integer(cells, item->pair);
    sl_cell_text(cells, item->regime);
    sl_cell_number(cells, sample->exec_ns);
    sl_cell_number(cells, sample->co_resident);
    sl_cell_text(cells, sample->throttled ? "yes" : "no");
    sl_cell_text(cells, sample->timer ? sample->timer : "");
    sl_row_end(cells);
}

enum sl_status sl_write_samples(struct sl_table_writer *writer, struct sl_error *err)
{
    const struct sl_estimates *e = writer->estimates;
    const struct sl_case_list *cases = e->measured->cases;
    struct sl_table_row cells = {0};
    const char **sets = sl_arena_array(&writer->arena, (size_t)cases->count + 1, sizeof *sets);
    if (!sets)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t c = 0; c < cases->count; c++)
        if (!(sets[c] = sl_table_set(e, &cases->cases[c].shot, &writer->arena)))
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = sl_table_begin(
        writer, "samples.csv",
        "session,seq,t_ns,block,role,victim,set,submitted_ns,start_ns,end_ns,coverage,sentinel_ns,"
        "sm_mhz,accepted,reject_reason,case,pair,regime,exec_ns,co_resident_frac,throttled,timer",
        &cells.out, err);
    for (size_t i = 0; status == SL_OK && i < e->measured->count; i++) {
        const struct sl_measurement *item = &e->measured->items[i];
        put_sample(&cells, e, item, item->role == SL_ROLE_BESIDE ? sets[item->case_index] : "");
    }
    return status;
}
