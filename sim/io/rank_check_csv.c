/* Writing measured.csv and measured_pairs.csv. */
#include "rank_check_csv.h"
#include "csvtab.h"
#include "figures.h"
#include "grouping.h"
#include "outfile.h"

static bool told(enum sl_paired_verdict verdict)
{
    return verdict == SL_PAIRED_FASTER || verdict == SL_PAIRED_SLOWER;
}

const char *sl_rank_pair_outcome(const struct sl_rank_pair *pair)
{
    bool projected = told(pair->projected_verdict), measured = told(pair->measured_verdict);
    if (projected && measured)
        return pair->projected_verdict == pair->measured_verdict ? "same" : "opposite";
    return projected ? "projection-only" : measured ? "measurement-only" : "neither";
}

static void put_standing(FILE *out, const struct sl_standing *standing)
{
    for (int f = 0; f < SL_STANDING_FIGURES; f++)
        sl_put_estimate(out, standing->figures[f]);
    sl_put_estimate(out, standing->ranked);
    sl_put_integer(out, standing->rank);
}

static void put_policies(FILE *out, const struct sl_rank_check *check,
                         const struct sl_contest *contest,
                         const struct sl_replay_record *const *records)
{
    static const char *const sides[] = {"projected", "measured"};
    static const char *const figures[] = {"median", "p90", "p99", "ranked"};
    fputs("policy,folder,backend,regime,repetitions,judged,trials,ranked_by", out);
    for (int side = 0; side < 2; side++) {
        for (size_t f = 0; f < sizeof figures / sizeof *figures; f++)
            fprintf(out, ",%s_%s_us,%s_%s_lo_us,%s_%s_hi_us", sides[side], figures[f], sides[side],
                    figures[f], sides[side], figures[f]);
        fprintf(out, ",%s_rank", sides[side]);
    }
    putc('\n', out);
    for (uint32_t i = 0; i < check->count; i++) {
        const struct sl_replay_record *record = records[i];
        char name[16];
        sl_csv_put(out, contest->contenders[i].policy);
        sl_put_text(out, record->dir);
        sl_put_text(out, record->identity.backend);
        sl_put_text(out, record->identity.regime);
        sl_put_integer(out, record->identity.repetitions);
        sl_put_integer(out, record->identity.judged);
        sl_put_integer(out, contest->contenders[i].trials);
        sl_put_text(out, isnan(check->q) ? "mean" : sl_quantile_name(name, check->q));
        put_standing(out, &check->projected[i]);
        put_standing(out, &check->measured[i]);
        putc('\n', out);
    }
}

static void put_difference(FILE *out, const struct sl_difference *difference,
                           enum sl_paired_verdict verdict)
{
    sl_put_estimate(out, difference->estimate);
    sl_put_text(out, sl_paired_method_name(difference->method));
    sl_put_text(out, sl_paired_verdict_name(verdict));
}

static void put_pairs(FILE *out, const struct sl_rank_check *check,
                      const struct sl_contest *contest)
{
    fputs("policy,reference,projected_difference_us,projected_difference_lo_us,"
          "projected_difference_hi_us,projected_method,projected_verdict,measured_difference_us,"
          "measured_difference_lo_us,measured_difference_hi_us,measured_method,measured_verdict,"
          "outcome\n",
          out);
    for (uint32_t k = 0; k < check->agreement.pairs; k++) {
        const struct sl_rank_pair *pair = &check->pairs[k];
        sl_csv_put(out, contest->contenders[pair->policy].policy);
        sl_put_text(out, contest->contenders[pair->reference].policy);
        put_difference(out, &pair->projected, pair->projected_verdict);
        put_difference(out, &pair->measured, pair->measured_verdict);
        sl_put_text(out, sl_rank_pair_outcome(pair));
        putc('\n', out);
    }
}

enum sl_status sl_rank_check_csv_write(const char *dir, const struct sl_rank_check *check,
                                       const struct sl_contest *contest,
                                       const struct sl_replay_record *const *records,
                                       struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open_in(&file, dir, "measured.csv", err);
    if (status != SL_OK)
        return status;
    put_policies(file.stream, check, contest, records);
    status = sl_outfile_commit(&file, err);
    if (status == SL_OK)
        status = sl_outfile_open_in(&file, dir, "measured_pairs.csv", err);
    if (status != SL_OK)
        return status;
    put_pairs(file.stream, check, contest);
    return sl_outfile_commit(&file, err);
}
