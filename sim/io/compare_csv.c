/* compare.csv. */
#include "compare_csv.h"
#include "figures.h"
#include "outfile.h"
#include <math.h>

static void put_pair(FILE *out, const struct sl_contest *contest, const struct sl_match *match,
                     const char *figure)
{
    const struct sl_contender *policy = &contest->contenders[match->policy],
                              *reference = &contest->contenders[match->reference];
    fprintf(out, "%u", policy->cell);
    sl_put_text(out, policy->policy);
    sl_put_integer(out, reference->cell);
    sl_put_text(out, reference->policy);
    sl_put_integer(out, (int64_t)match->paired.n);
    sl_put_text(out, figure);
}

static void put_draws(FILE *out, const struct sl_match *match)
{
    const struct sl_paired *paired = &match->paired;
    sl_put_estimate(out, paired->wins);
    sl_put_integer(out, (int64_t)paired->ties);
    sl_put_number(out, paired->correlation);
    if (match->draws > 0) {
        sl_put_integer(out, match->draws);
        sl_put_estimate(out, match->draw_wins.share);
    } else {
        fputs(",,,,", out);
    }
}

static void put_row(FILE *out, const struct sl_contest *contest, const struct sl_match *match,
                    enum sl_paired_figure figure)
{
    const struct sl_difference *difference = &match->paired.figures[figure];
    put_pair(out, contest, match, sl_paired_figure_name(figure));
    sl_put_number(out, difference->a);
    sl_put_number(out, difference->b);
    sl_put_estimate(out, difference->estimate);
    sl_put_text(out, sl_paired_method_name(difference->method));
    sl_put_number(out, match->margin_us[figure]);
    sl_put_text(out, sl_paired_verdict_name(sl_match_verdict(match, figure)));
    sl_put_number(out, sl_match_trials_to_settle(match, figure));
    put_draws(out, match);
    fputs(",,,,,,\n", out); /* of rates */
}

/* Its figures are in columns of their own, behind those of times. */
static void put_rate(FILE *out, const struct sl_contest *contest, const struct sl_match *match,
                     enum sl_rate rate)
{
    const struct sl_rate_match *figures = &match->rates[rate];
    if (isnan(figures->difference.value))
        return;
    char name[40];
    snprintf(name, sizeof name, "difference of %s", sl_rate_name(rate));
    put_pair(out, contest, match, name);
    fputs(",,,,,", out);
    sl_put_text(out, isnan(figures->difference.lo) ? NULL : sl_paired_method_name(SL_PAIRED_T));
    fputs(",", out);
    sl_put_text(out, sl_match_rate_verdict(match, rate));
    sl_put_number(out, sl_match_rate_trials(match, rate));
    put_draws(out, match);
    sl_put_number(out, figures->policy);
    sl_put_number(out, figures->reference);
    sl_put_estimate(out, figures->difference);
    sl_put_number(out, figures->margin);
    putc('\n', out);
}

enum sl_status sl_compare_csv_write(const char *dir, const struct sl_contest *contest,
                                    struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open_in(&file, dir, "compare.csv", err);
    if (status != SL_OK)
        return status;
    fputs("cell,policy,reference_cell,reference,trials,figure,policy_us,reference_us,"
          "difference_us,difference_lo_us,difference_hi_us,method,margin_us,verdict,"
          "trials_to_settle,wins_p,wins_lo,wins_hi,ties,correlation,draws,draw_wins_p,"
          "draw_wins_lo,draw_wins_hi,policy_per_s,reference_per_s,difference_per_s,"
          "difference_lo_per_s,difference_hi_per_s,margin_per_s\n",
          file.stream);
    for (uint32_t i = 0; i < contest->match_count; i++) {
        for (int f = 0; f < SL_PAIRED_FIGURES; f++)
            put_row(file.stream, contest, &contest->matches[i], (enum sl_paired_figure)f);
        for (int r = 0; r < SL_RATES; r++)
            put_rate(file.stream, contest, &contest->matches[i], (enum sl_rate)r);
    }
    return sl_outfile_commit(&file, err);
}
