/* The summary: one block per kind of figure, a line per thing to know. */
#include "config.h"

#include "session_median.h"
#include "summary.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MUCH_REJECTED  0.1
#define GOOD_SESSIONS  8
#define MOST_WARNINGS  5
#define WORKS_IN_A_ROW 20
#define Z90            1.2815515655446004 /* of the standard normal */
#define INDENT         "           "

static const char *key_of(const struct sl_estimates *e, uint32_t case_index)
{
    return e->measured->cases->cases[case_index].key;
}

static void put_count(FILE *out, uint64_t count, const char *what)
{
    char text[32];
    fprintf(out, "%s %s", sl_format_count(text, sizeof text, count), what);
}

static void put_shots(const struct sl_estimates *e, FILE *out)
{
    uint64_t accepted = e->rejects[SL_REJECT_NONE];
    char text[32];
    fprintf(out, "measured   %u session%s, ", e->sessions, e->sessions == 1 ? "" : "s");
    put_count(out, e->shots, "shots");
    fprintf(out, ", %s accepted (%.3g%%)\n", sl_format_count(text, sizeof text, accepted),
            e->shots > 0 ? 100 * (double)accepted / (double)e->shots : 0);
    if (accepted == e->shots)
        return;
    const char *separator = "rejected   ";
    for (int r = SL_REJECT_NONE + 1; r < SL_REJECT_COUNT; r++)
        if (e->rejects[r] > 0) {
            fprintf(out, "%s%s %s", separator, sl_reject_name((enum sl_reject)r),
                    sl_format_count(text, sizeof text, e->rejects[r]));
            separator = ", ";
        }
    putc('\n', out);
}

static void put_conditions(const struct sl_estimates *e, FILE *out)
{
    if (e->regime_count > 1) {
        const char *separator = "regimes    ";
        for (uint32_t r = 0; r < e->regime_count; r++) {
            fprintf(out, "%s%s ", separator, e->regimes[r].name[0] ? e->regimes[r].name : "-");
            put_count(out, e->regimes[r].shots, "shots");
            separator = ", ";
        }
        fprintf(out, "; device.yaml names %s\n", e->regimes[0].name);
    }
    if (e->split_pairs > 0) {
        fputs(INDENT, out);
        put_count(out, e->split_pairs, "pairs stood in two regimes and are used nowhere\n");
    }
    if (e->throttled > 0) {
        fputs("throttled  ", out);
        put_count(out, e->throttled, "accepted shots, kept and flagged\n");
    }
}

/* "30 ok, 2 too-few". */
static void put_statuses(FILE *out, const uint32_t counts[SL_ROW_STATUSES])
{
    const char *separator = "";
    for (int s = 0; s < SL_ROW_STATUSES; s++)
        if (counts[s] > 0) {
            fprintf(out, "%s%u %s", separator, counts[s],
                    sl_row_status_name((enum sl_row_status)s));
            separator = ", ";
        }
    putc('\n', out);
}

/* Typical and worst of relative widths, which get sorted. */
static void put_widths(FILE *out, double *widths, uint32_t n, const char *worst, const char *what)
{
    if (n == 0)
        return;
    fprintf(out, INDENT "%s within +-%.3g%% at half of them, ", what,
            100 * sl_median_of(widths, n));
    fprintf(out, "+-%.3g%% at worst (%s)\n", 100 * widths[n - 1], worst);
}

static void put_laws(const struct sl_estimates *e, FILE *out)
{
    uint32_t laws[SL_FIT_FAMILIES] = {0}, sample = 0, few = 0;
    for (uint32_t i = 0; i < e->duration_count; i++) {
        const struct sl_duration_estimate *row = &e->durations[i];
        if (row->fits.good)
            laws[row->fits.chosen]++;
        else if (row->n > 0 && row->n < SL_FIT_LEAST)
            few++;
        else
            sample += sl_duration_states_sample(row);
    }
    const char *separator = INDENT "laws: ";
    for (int f = 0; f < SL_FIT_FAMILIES; f++)
        if (laws[f] > 0) {
            fprintf(out, "%s%s %u", separator, sl_fit_family_name((enum sl_fit_family)f), laws[f]);
            separator = ", ";
        }
    if (sample > 0) {
        fprintf(out, "%sno family fits %u, which keep their own quantiles", separator, sample);
        separator = ", ";
    }
    if (*separator == ',')
        putc('\n', out);
    if (few > 0)
        fprintf(out, INDENT "too few values for a law (below %d) in %u row%s\n", SL_FIT_LEAST, few,
                few == 1 ? "" : "s");
}

/* What a reader of the rows should know of their tails. */
static void put_tails(const struct sl_estimates *e, FILE *out)
{
    uint32_t empty = 0, far = 0, missed = 0;
    for (uint32_t i = 0; i < e->duration_count; i++) {
        const struct sl_duration_estimate *row = &e->durations[i];
        empty += isnan(row->p99_ns.value) ? 1u : 0u;
        far += row->far;
        if (!sl_duration_tail_misses(row) || ++missed > MOST_WARNINGS)
            continue;
        char law[32], lo[32], hi[32];
        fprintf(out,
                INDENT "warning: the law of %s has its p99 at %s, the sample between %s and %s\n",
                key_of(e, row->case_index),
                sl_format_time(law, sizeof law, 1e3 * row->fits.all[row->fits.chosen].p99),
                sl_format_time(lo, sizeof lo, 1e3 * row->p99_ns.lo),
                sl_format_time(hi, sizeof hi, 1e3 * row->p99_ns.hi));
    }
    if (missed > MOST_WARNINGS)
        fprintf(out, INDENT "warning: %u more laws miss the sample's p99\n",
                missed - MOST_WARNINGS);
    if (empty > 0)
        fprintf(out, INDENT "p99 is empty in %u rows: it needs %zu accepted shots\n", empty,
                sl_quantile_min_n(0.99, SL_CONFIDENCE));
    if (far > 0)
        fprintf(out, INDENT "shots of more than %d times the median, kept: %u\n", SL_FAR_OUT, far);
}

static void put_durations(const struct sl_estimates *e, FILE *out, double *widths)
{
    uint32_t counts[SL_ROW_STATUSES] = {0}, n = 0, worst = SL_NONE;
    if (e->duration_count == 0)
        return;
    for (uint32_t i = 0; i < e->duration_count; i++) {
        const struct sl_duration_estimate *row = &e->durations[i];
        double width = sl_relative_width(row->median_ns);
        counts[row->status]++;
        if (row->status != SL_ROW_OK || isnan(width))
            continue;
        if (worst == SL_NONE || width > sl_relative_width(e->durations[worst].median_ns))
            worst = i;
        widths[n++] = width;
    }
    fprintf(out, "durations  %u row%s: ", e->duration_count, e->duration_count == 1 ? "" : "s");
    put_statuses(out, counts);
    if (worst != SL_NONE)
        put_widths(out, widths, n, key_of(e, e->durations[worst].case_index), "medians are known");
    put_laws(e, out);
    put_tails(e, out);
}

/* p90 / median - 1 of the sum of `works` lognormal works one after the other, small in their
 * spread. */
static double far_of_sum(double shared_variance, double own_variance, int works)
{
    return expm1(Z90 * sqrt(shared_variance + own_variance / works));
}

static void put_sum(const struct sl_estimates *e, FILE *out, const struct sl_shared_estimate *row)
{
    double total = row->total_sd * row->total_sd, shared = row->variance.value;
    fprintf(out,
            INDENT "a sum keeps it: %d works of %s in a row have their p90 %.3g%% above their "
                   "median; it would be %.3g%% if each varied by itself\n",
            WORKS_IN_A_ROW, e->measured->cases->classes[row->klass].name,
            100 * far_of_sum(shared, fmax(total - shared, 0), WORKS_IN_A_ROW),
            100 * far_of_sum(0, total, WORKS_IN_A_ROW));
}

/* Rows whose class is said to share more than they vary. */
static void put_overdrawn(const struct sl_estimates *e, FILE *out)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < e->duration_count; i++)
        rows += e->durations[i].n > 0 && e->durations[i].own_share == 0;
    if (rows > 0)
        fprintf(out,
                INDENT "warning: %u rows vary less than their class shares: their works come "
                       "out more variable than they are\n",
                rows);
}

static void put_shared(const struct sl_estimates *e, FILE *out)
{
    const struct sl_shared_estimate *most = NULL;
    const char *separator = "shared     ";
    uint32_t compared = 0;
    for (uint32_t k = 0; k < e->shared_count; k++) {
        const struct sl_shared_estimate *row = &e->shared[k];
        compared += row->sessions >= SL_SESSIONS_LEAST;
        if (!row->counts)
            continue;
        fprintf(out, "%s%s %.3g%% [%.3g%%, %.3g%%]", separator,
                e->measured->cases->classes[row->klass].name, 100 * sqrt(row->variance.value),
                100 * sqrt(fmax(row->variance.lo, 0)), 100 * sqrt(row->variance.hi));
        separator = ", ";
        most = most && most->variance.value >= row->variance.value ? most : row;
    }
    if (most) {
        fputs(": by so much (sd) neighbours vary together\n", out);
        put_sum(e, out, most);
        if (e->is_common)
            fprintf(out,
                    INDENT "classes have it in common (correlation %.2g [%.2g, %.2g]): device.yaml "
                           "has factors that go together\n",
                    e->correlation.value, e->correlation.lo, e->correlation.hi);
        put_overdrawn(e, out);
    } else if (compared > 0) {
        fputs(
            "shared     works of no class are seen to vary together: device.yaml has no factors\n",
            out);
    } else if (e->shared_count > 0) {
        fprintf(
            out,
            "shared     not known: it takes %d sessions with two cases of a class within %d ms\n",
            SL_SESSIONS_LEAST, SL_SHARED_WINDOW_NS / 1000000);
    }
}

static void put_bounds(const struct sl_estimates *e, FILE *out, uint32_t ones)
{
    double least = INFINITY, most = 0;
    for (uint32_t i = 0; i < e->control_count; i++)
        if (!isnan(e->controls[i].bound)) {
            least = fmin(least, e->controls[i].bound);
            most = fmax(most, e->controls[i].bound);
        }
    if (most > 0)
        fprintf(out,
                INDENT "A/A controls, nothing beside, are within %.3g%% to %.3g%% of 1 by victim; "
                       "%u rows are not told from it and count as 1\n",
                100 * least, 100 * most, ones);
    else
        fputs(INDENT "no A/A control has an interval: small slowdowns are not told from none\n",
              out);
}

static void put_kappas(const struct sl_estimates *e, FILE *out, double *widths)
{
    uint32_t counts[SL_ROW_STATUSES] = {0}, modes[3] = {0}, n = 0, ones = 0;
    uint32_t worst = SL_NONE, largest = SL_NONE;
    if (e->kappa_count == 0)
        return;
    for (uint32_t i = 0; i < e->kappa_count; i++) {
        const struct sl_kappa_estimate *row = &e->kappas[i];
        counts[row->status]++;
        modes[row->mode]++;
        ones += row->is_one;
        if (row->status != SL_ROW_OK)
            continue;
        double width = sl_relative_width(row->kappa);
        if (worst == SL_NONE || width > sl_relative_width(e->kappas[worst].kappa))
            worst = i;
        if (largest == SL_NONE || row->kappa.value > e->kappas[largest].kappa.value)
            largest = i;
        widths[n++] = width;
    }
    fprintf(out, "kappa      %u row%s: ", e->kappa_count, e->kappa_count == 1 ? "" : "s");
    put_statuses(out, counts);
    if (modes[SL_MODE_QUEUE] + modes[SL_MODE_MIXED] > 0)
        fprintf(out, INDENT "%u share, %u queue, %u do both: simulators take those that share\n",
                modes[SL_MODE_SHARE], modes[SL_MODE_QUEUE], modes[SL_MODE_MIXED]);
    if (worst != SL_NONE)
        put_widths(out, widths, n, key_of(e, e->kappas[worst].case_index), "known");
    if (largest != SL_NONE)
        fprintf(out, INDENT "largest: %s %.3g [%.3g, %.3g]\n",
                key_of(e, e->kappas[largest].case_index), e->kappas[largest].kappa.value,
                e->kappas[largest].kappa.lo, e->kappas[largest].kappa.hi);
    put_bounds(e, out, ones);
}

static void put_rules(const struct sl_estimates *e, FILE *out)
{
    if (e->rule_count == 0)
        return;
    if (e->best == SL_NONE) {
        fprintf(out, "rule       none was tested (%s); device.yaml names the default\n",
                e->rules[0].untested);
        return;
    }
    const struct sl_composition_estimate *best = &e->rules[e->best];
    fprintf(out,
            "rule       %s predicts %u sets from pairs with a median error of %.3g%% (95%% of them "
            "within %.3g%%);\n" INDENT "sessions differ by %.3g%%: %s\n",
            best->rule, best->sets, 100 * best->median_error, 100 * best->p95_error,
            100 * best->noise,
            best->accepted ? "accepted" : "not accepted, and no other rule is better");
    for (uint32_t r = 0; r < e->rule_count; r++) {
        const struct sl_composition_estimate *rule = &e->rules[r];
        if (rule->untested)
            fprintf(out, INDENT "%s was not tested: %s\n", rule->rule, rule->untested);
        else if (r != e->best)
            fprintf(out, INDENT "%s errs by %.3g%% more [%.3g%%, %.3g%%]%s\n", rule->rule,
                    100 * rule->above_best.value, 100 * rule->above_best.lo,
                    100 * rule->above_best.hi, rule->above_best.lo > 0 ? "" : ": not told apart");
    }
}

static void put_overlap(const struct sl_estimates *e, FILE *out)
{
    const struct sl_composition_estimate *linear = &e->linear;
    if (!linear->untested)
        fprintf(out,
                "overlap    partly covered works take what a slowdown in proportion says within "
                "%.3g%% (sessions: %.3g%%)%s\n",
                100 * linear->median_error, 100 * linear->noise,
                linear->accepted ? "" : ": not accepted");
}

static void put_trust(const struct sl_estimates *e, FILE *out)
{
    double rejected = e->shots > 0 ? 1 - (double)e->rejects[SL_REJECT_NONE] / (double)e->shots : 0;
    if (e->sessions < SL_SESSIONS_LEAST)
        fputs("trust      one session has no interval: its rows are left to people\n", out);
    else if (e->sessions < GOOD_SESSIONS)
        fprintf(out, "trust      %u sessions: intervals are honest but wide; --full takes %d\n",
                e->sessions, GOOD_SESSIONS);
    else
        fprintf(out, "trust      %u sessions, each a process of its own\n", e->sessions);
    if (rejected > MUCH_REJECTED)
        fprintf(out, INDENT "%.3g%% of the shots were rejected: what is left may be a selection\n",
                100 * rejected);
    if (e->regime_count > 1)
        fprintf(out, INDENT "the machine changes: figures hold while it is in regime %s\n",
                e->regimes[0].name);
    if (e->best == SL_NONE || !e->rules[e->best].accepted)
        fputs(INDENT "crowds of which the table has no row are composed by an untested rule\n",
              out);
}

enum sl_status sl_summary_print(const struct sl_estimates *estimates, FILE *out,
                                struct sl_error *err)
{
    size_t rows = (size_t)estimates->duration_count + estimates->kappa_count + 1;
    double *widths = calloc(rows, sizeof *widths);
    if (!widths)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a summary");
    put_shots(estimates, out);
    put_conditions(estimates, out);
    put_durations(estimates, out, widths);
    put_shared(estimates, out);
    put_kappas(estimates, out, widths);
    put_rules(estimates, out);
    put_overlap(estimates, out);
    put_trust(estimates, out);
    free(widths);
    return SL_OK;
}
