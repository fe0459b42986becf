/* The report of two rankings. */
#include "report_rank_check.h"
#include "grouping.h"
#include "kept.h"
#include "rank_check_csv.h"
#include "table.h"
#include <string.h>

struct report {
    struct sl_arena arena;
    FILE *out;
    const struct sl_measured *measured;
    const struct sl_rank_check *check;
    const struct sl_contest *contest;
    char figure[16]; /* that ranks */
};

static const char *figure_name(char buffer[16], double q)
{
    return isnan(q) ? "mean" : sl_quantile_name(buffer, q);
}

static const char *name_of(const struct report *r, uint32_t policy)
{
    return r->contest->contenders[policy].policy;
}

static void add_estimate(struct report *r, struct sl_table *table, struct sl_estimate e)
{
    sl_table_add(table, "%s", sl_estimate_text(&r->arena, e.value));
    if (isnan(e.lo) || isnan(e.hi))
        sl_table_add(table, "-");
    else
        sl_table_add(table, "[%s, %s]", sl_estimate_text(&r->arena, e.lo),
                     sl_estimate_text(&r->arena, e.hi));
}

static void add_row(struct report *r, struct sl_table *table, const char *policy,
                    const char *figure, const struct sl_estimate side[2])
{
    sl_table_add(table, "%s", policy);
    sl_table_add(table, "%s", figure);
    add_estimate(r, table, side[0]);
    add_estimate(r, table, side[1]);
    double error = side[0].value / side[1].value - 1;
    if (isnan(error))
        sl_table_add(table, "-");
    else
        sl_table_add(table, "%+.1f%%", 100 * error);
}

/* Whether the three figures that are always shown hold the one that ranks. */
static bool is_shown(double q)
{
    bool shown = false;
    for (int f = 0; f < SL_STANDING_FIGURES; f++)
        shown = shown || sl_standing_quantiles[f] == q;
    return shown;
}

static void print_figures(struct report *r)
{
    struct sl_table table = sl_table_make(&r->arena, "llrlrlr");
    static const char *const heads[] = {"policy",   "makespan",     "projected", "95% interval",
                                        "measured", "95% interval", "error"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        sl_table_add(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < r->check->count; i++) {
        const struct sl_standing *p = &r->check->projected[i], *m = &r->check->measured[i];
        for (int f = 0; f < SL_STANDING_FIGURES; f++) {
            char figure[16];
            const struct sl_estimate side[] = {p->figures[f], m->figures[f]};
            add_row(r, &table, f ? "" : name_of(r, i),
                    sl_quantile_name(figure, sl_standing_quantiles[f]), side);
        }
        const struct sl_estimate side[] = {p->ranked, m->ranked};
        if (!is_shown(r->check->q))
            add_row(r, &table, "", r->figure, side);
    }
    sl_table_print(&table, r->out);
    sl_table_free(&table);
}

static void print_ranks(struct report *r)
{
    struct sl_table table = sl_table_make(&r->arena, "lrr");
    sl_table_add(&table, "rank by %s", r->figure);
    sl_table_add(&table, "projected");
    sl_table_add(&table, "measured");
    for (uint32_t i = 0; i < r->check->count; i++) {
        sl_table_add(&table, "%s", name_of(r, i));
        sl_table_add(&table, "%u", r->check->projected[i].rank);
        sl_table_add(&table, "%u", r->check->measured[i].rank);
    }
    putc('\n', r->out);
    sl_table_print(&table, r->out);
    sl_table_free(&table);
}

static void print_too_few(const struct report *r, const struct sl_rank_pair *pair, uint32_t policy)
{
    uint32_t judged = r->measured->of_policy[policy]->identity.judged;
    if (judged < pair->measured.needs)
        fprintf(r->out, "; %s has %u judged repetition%s, a difference of %s takes %zu",
                name_of(r, policy), judged, judged == 1 ? "" : "s", r->figure,
                pair->measured.needs);
}

/* Pairs that the two put in opposite orders, or that one of them does not tell apart. */
static void print_pair(const struct report *r, const struct sl_rank_pair *pair)
{
    const char *a = name_of(r, pair->policy), *b = name_of(r, pair->reference);
    const char *outcome = sl_rank_pair_outcome(pair);
    bool faster = pair->projected_verdict == SL_PAIRED_FASTER;
    if (strcmp(outcome, "opposite") == 0) {
        fprintf(r->out, "opposite orders: %s is faster as projected, %s as measured\n",
                faster ? a : b, faster ? b : a);
    } else if (strcmp(outcome, "same") != 0) {
        bool neither = strcmp(outcome, "neither") == 0;
        if (neither || strcmp(outcome, "measurement-only") == 0)
            fprintf(r->out, "projection does not tell %s from %s\n", a, b);
        if (neither || strcmp(outcome, "projection-only") == 0) {
            fprintf(r->out, "measurement does not tell %s from %s", a, b);
            print_too_few(r, pair, pair->policy);
            print_too_few(r, pair, pair->reference);
            putc('\n', r->out);
        }
    }
}

static void print_agreement(struct report *r)
{
    const struct sl_agreement *agreement = &r->check->agreement;
    putc('\n', r->out);
    for (uint32_t k = 0; k < agreement->pairs; k++)
        print_pair(r, &r->check->pairs[k]);
    if (agreement->both == 0)
        fprintf(r->out, "no pair of %u is told apart by both: their orders can't be compared\n",
                agreement->pairs);
    else
        fprintf(r->out,
                "the same order in %u of %u pair%s that both tell apart (of %u); Kendall's tau-b "
                "%.3g\n",
                agreement->concordant, agreement->both, agreement->both == 1 ? "" : "s",
                agreement->pairs, agreement->tau_b);
}

/* Slowdowns of one regime beside repetitions in another one explain a difference. */
static void print_regimes(const struct report *r, const struct sl_scenario *scenario)
{
    const char *projected = scenario->platform.kappa.regime;
    for (uint32_t i = 0; projected && i < r->check->count; i++) {
        const char *regime = r->measured->of_policy[i]->identity.regime;
        if (*regime && strcmp(regime, projected) != 0)
            fprintf(r->out,
                    "%s was measured in regime %s, but is projected with the slowdowns of %s: "
                    "--set kappa.regime=%s\n",
                    name_of(r, i), regime, projected, regime);
    }
}

void sl_report_rank_check(FILE *out, const struct sl_scenario *scenario,
                          const struct sl_measured *measured, const struct sl_contest *contest)
{
    struct report r = {
        .out = out, .measured = measured, .check = &measured->check, .contest = contest};
    char buffer[16];
    snprintf(r.figure, sizeof r.figure, "%s", figure_name(buffer, measured->check.q));
    fputs("\nmeasured: replays of", out);
    for (uint32_t i = 0; i < r.check->count; i++) {
        const struct sl_replay_identity *identity = &measured->of_policy[i]->identity;
        fprintf(out, "%s %s (%s of %s repetitions on %s judged)", i ? "," : "", name_of(&r, i),
                sl_grouped(&r.arena, identity->judged), sl_grouped(&r.arena, identity->repetitions),
                identity->backend);
    }
    fputs("\n", out);
    print_regimes(&r, scenario);
    putc('\n', out);
    print_figures(&r);
    print_ranks(&r);
    print_agreement(&r);
    fputs(
        "\nA rank is 1 and the policies shown to be faster.  Repetitions of different replays are "
        "unpaired: a\nmeasured difference has the limits of each at half the error, which is "
        "conservative.\n",
        out);
    sl_report_free(&r.arena);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_standing(yajl_gen gen, const char *key, const struct sl_standing *standing)
{
    static const char *const names[SL_STANDING_FIGURES] = {"median", "p90", "p99"};
    sl_json_open_map(gen, key);
    sl_json_integer(gen, "rank", standing->rank);
    for (int f = 0; f < SL_STANDING_FIGURES; f++)
        sl_json_estimate_us(gen, names[f], standing->figures[f]);
    sl_json_estimate_us(gen, "ranked", standing->ranked);
    yajl_gen_map_close(gen);
}

static void put_policy(yajl_gen gen, const struct sl_measured *measured,
                       const struct sl_contest *contest, uint32_t i)
{
    const struct sl_replay_record *record = measured->of_policy[i];
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "policy", contest->contenders[i].policy);
    sl_json_text(gen, "folder", record->dir);
    sl_json_text(gen, "backend", record->identity.backend);
    sl_json_text(gen, "regime", *record->identity.regime ? record->identity.regime : NULL);
    sl_json_integer(gen, "repetitions", record->identity.repetitions);
    sl_json_integer(gen, "judged", record->identity.judged);
    put_standing(gen, "projected", &measured->check.projected[i]);
    put_standing(gen, "measured", &measured->check.measured[i]);
    yajl_gen_map_close(gen);
}

static void put_side(yajl_gen gen, const char *key, const struct sl_difference *difference,
                     enum sl_paired_verdict verdict)
{
    sl_json_open_map(gen, key);
    sl_json_estimate_us(gen, "difference", difference->estimate);
    sl_json_text(gen, "method", sl_paired_method_name(difference->method));
    sl_json_text(gen, "verdict", sl_paired_verdict_name(verdict));
    yajl_gen_map_close(gen);
}

static void put_pair(yajl_gen gen, const struct sl_contest *contest,
                     const struct sl_rank_pair *pair)
{
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "policy", contest->contenders[pair->policy].policy);
    sl_json_text(gen, "reference", contest->contenders[pair->reference].policy);
    put_side(gen, "projected", &pair->projected, pair->projected_verdict);
    put_side(gen, "measured", &pair->measured, pair->measured_verdict);
    sl_json_text(gen, "outcome", sl_rank_pair_outcome(pair));
    yajl_gen_map_close(gen);
}

void sl_report_rank_check_json(yajl_gen gen, const struct sl_measured *measured,
                               const struct sl_contest *contest)
{
    const struct sl_rank_check *check = &measured->check;
    const struct sl_agreement *agreement = &check->agreement;
    char buffer[16];
    sl_json_open_map(gen, "measured");
    sl_json_text(gen, "ranked_by", figure_name(buffer, check->q));
    sl_json_open_array(gen, "policies");
    for (uint32_t i = 0; i < check->count; i++)
        put_policy(gen, measured, contest, i);
    yajl_gen_array_close(gen);
    sl_json_open_array(gen, "pairs");
    for (uint32_t k = 0; k < agreement->pairs; k++)
        put_pair(gen, contest, &check->pairs[k]);
    yajl_gen_array_close(gen);
    sl_json_integer(gen, "projection_tells", agreement->first);
    sl_json_integer(gen, "measurement_tells", agreement->second);
    sl_json_integer(gen, "both_tell", agreement->both);
    sl_json_integer(gen, "concordant", agreement->concordant);
    sl_json_number(gen, "tau_b", agreement->tau_b);
    yajl_gen_map_close(gen);
}
