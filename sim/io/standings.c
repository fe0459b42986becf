/* Winners and tie sets of a sweep. */
#include "standings.h"
#include "figures.h"
#include "outfile.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>

#define FAMILY_ERROR 0.05 /* of naming any false winner in the whole sweep */

uint64_t sl_fresh_seed(uint64_t seed)
{
    char text[48];
    snprintf(text, sizeof text, "re-estimate %llu", (unsigned long long)seed);
    return sl_hash_text(text) >> 1; /* --seed takes 63 bits */
}

uint32_t sl_row_cell(const struct sl_frame *summary, uint32_t row)
{
    return (uint32_t)sl_frame_number_of(summary, row, "cell");
}

bool sl_standings_tied(const struct sl_standings *standings, uint32_t row)
{
    return sl_row_ranks(&standings->summary, row) && !standings->worse[row];
}

/* What the judge of one group works on. */
struct field {
    const double **samples;
    double *tails;
    uint32_t *rows;
    bool *worse;
    uint32_t count;
};

static bool field_init(struct field *field, uint32_t rows)
{
    field->samples = calloc((size_t)rows + 1, sizeof *field->samples);
    field->tails = calloc((size_t)rows + 1, sizeof *field->tails);
    field->rows = calloc((size_t)rows + 1, sizeof *field->rows);
    field->worse = calloc((size_t)rows + 1, sizeof *field->worse);
    return field->samples && field->tails && field->rows && field->worse;
}

static void field_free(struct field *field)
{
    free(field->samples);
    free(field->tails);
    free(field->rows);
    free(field->worse);
}

static void gather(struct field *field, const struct sl_standings *standings, uint32_t group,
                   const struct sl_metric_store *store)
{
    const struct sl_frame *summary = &standings->summary;
    field->count = 0;
    for (uint32_t row = 0; row < summary->row_count; row++) {
        if (standings->grouping.group_of_row[row] != group || !sl_row_ranks(summary, row))
            continue;
        field->samples[field->count] = sl_metric_store_get(store, sl_row_cell(summary, row));
        field->tails[field->count] = sl_frame_number_of(summary, row, "tail_us");
        field->rows[field->count++] = row;
    }
}

static enum sl_status judge_group(struct sl_standings *standings, uint32_t group,
                                  struct field *field, const struct sl_metric_store *store,
                                  struct sl_error *err)
{
    struct sl_winner winner;
    struct sl_standing *standing = &standings->groups[group];
    gather(field, standings, group, store);
    if (standings->too_large || field->count == 0)
        return SL_OK;
    size_t trials = (size_t)sl_frame_number_of(&standings->summary, field->rows[0], "trials");
    enum sl_status status = sl_winner_judge(&winner, field->samples, field->tails, field->count,
                                            trials, &standings->rule, field->worse, err);
    if (status != SL_OK)
        return status;
    standing->candidate = field->rows[winner.candidate];
    standing->runner_up = winner.runner_up == SL_NONE ? SL_NONE : field->rows[winner.runner_up];
    standing->won = winner.won;
    for (uint32_t i = 0; i < field->count; i++)
        standings->worse[field->rows[i]] = field->worse[i];
    return SL_OK;
}

/* The cells of all groups share the error: 0.05 over their number bounds the probability that any
 * group names a false winner. */
static void share_error(struct sl_standings *standings)
{
    for (uint32_t row = 0; row < standings->summary.row_count; row++)
        if (sl_row_ranks(&standings->summary, row))
            standings->groups[standings->grouping.group_of_row[row]].ranked++;
    for (uint32_t g = 0; g < standings->grouping.group_count; g++)
        if (standings->groups[g].ranked > 1)
            standings->ranked += standings->groups[g].ranked;
    standings->rule.error = FAMILY_ERROR / (standings->ranked ? standings->ranked : 1);
    standings->needs = sl_paired_upper_needs(standings->rule.q, standings->rule.error);
}

enum sl_status sl_standings_judge(struct sl_standings *standings, const struct sl_winner_rule *rule,
                                  const struct sl_metric_store *store, struct sl_error *err)
{
    uint32_t groups = standings->grouping.group_count, rows = standings->summary.row_count;
    const struct sl_estimate none = {NAN, NAN, NAN};
    struct field field = {0};
    standings->rule = *rule;
    standings->too_large = store->full;
    standings->groups =
        sl_arena_array(&standings->arena, (size_t)groups + 1, sizeof *standings->groups);
    standings->worse =
        sl_arena_array(&standings->arena, (size_t)rows + 1, sizeof *standings->worse);
    enum sl_status status = standings->groups && standings->worse && field_init(&field, rows)
                                ? SL_OK
                                : SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        share_error(standings);
    for (uint32_t g = 0; status == SL_OK && g < groups; g++) {
        struct sl_standing *standing = &standings->groups[g];
        standing->candidate = standings->grouping.groups[g].best_row;
        standing->runner_up = SL_NONE;
        standing->fresh_candidate = standing->fresh_runner_up = none;
        status = judge_group(standings, g, &field, store, err);
    }
    field_free(&field);
    return status;
}

void sl_standings_confirm(struct sl_standings *standings, uint32_t group,
                          struct sl_estimate candidate, struct sl_estimate runner_up)
{
    struct sl_standing *standing = &standings->groups[group];
    standing->fresh_candidate = candidate;
    standing->fresh_runner_up = runner_up;
    standing->won = candidate.value < (1 - standings->rule.min_gain) * runner_up.value;
    standing->not_confirmed = !standing->won;
}

static void put_row_name(FILE *out, const struct sl_frame *summary, uint32_t row)
{
    sl_put_text(out, row == SL_NONE ? NULL : sl_frame_text_of(summary, row, "cell"));
    sl_put_text(out, row == SL_NONE ? NULL : sl_frame_text_of(summary, row, "policy"));
}

static void put_group(FILE *out, const struct sl_standings *standings, uint32_t group)
{
    const struct sl_standing *standing = &standings->groups[group];
    fprintf(out, "%u", group);
    sl_put_text(out, standings->grouping.groups[group].label);
    sl_put_integer(out, standing->ranked);
    put_row_name(out, &standings->summary, standing->candidate);
    sl_put_integer(out, standing->won);
    putc(',', out);
    const char *separator = "";
    for (uint32_t row = 0; row < standings->summary.row_count; row++) {
        if (standings->grouping.group_of_row[row] != group || row == standing->candidate ||
            !sl_standings_tied(standings, row))
            continue;
        fprintf(out, "%s%s", separator, sl_frame_text_of(&standings->summary, row, "cell"));
        separator = ";";
    }
    put_row_name(out, &standings->summary, standing->runner_up);
    sl_put_number(out, standings->rule.error);
    sl_put_number(out, standings->rule.min_gain);
    sl_put_estimate(out, standing->fresh_candidate);
    sl_put_estimate(out, standing->fresh_runner_up);
    putc('\n', out);
}

enum sl_status sl_standings_write(const struct sl_standings *standings, const char *dir,
                                  struct sl_error *err)
{
    char path[4096];
    struct sl_outfile file;
    if (snprintf(path, sizeof path, "%s/winners.csv", dir) >= (int)sizeof path)
        return SL_FAIL(err, SL_USAGE, "the path of the results folder is too long");
    enum sl_status status = sl_outfile_open(&file, path, err);
    if (status != SL_OK)
        return status;
    fputs(
        "group,label,cells,candidate_cell,candidate,won,tied_cells,runner_up_cell,runner_up,error,"
        "min_gain,fresh_tail_us,fresh_tail_lo_us,fresh_tail_hi_us,fresh_runner_up_us,"
        "fresh_runner_up_lo_us,fresh_runner_up_hi_us\n",
        file.stream);
    for (uint32_t g = 0; g < standings->grouping.group_count; g++)
        put_group(file.stream, standings, g);
    return sl_outfile_commit(&file, err);
}

void sl_standings_free(struct sl_standings *standings)
{
    sl_frame_free(&standings->summary);
    sl_arena_free(&standings->arena);
    *standings = (struct sl_standings){0};
}
