/* Shares of wins by group, and their file. */
#include "config.h"

#include "figures.h"
#include "outfile.h"
#include "shares.h"
#include <math.h>

static size_t group_size(const struct sl_grouping *grouping, uint32_t g)
{
    size_t size = 0;
    for (uint32_t row = grouping->groups[g].first_row; row != SL_NONE;
         row = grouping->next_row[row])
        size++;
    return size;
}

/* The contenders of a group with their draws by contender, and the one with the lowest tail. */
static void gather(struct sl_group_shares *group, const struct sl_frame *summary,
                   const struct sl_grouping *grouping, uint32_t g,
                   const struct sl_draw_store *store, const double **values)
{
    double lowest = INFINITY;
    group->leader = SL_NONE;
    for (uint32_t row = grouping->groups[g].first_row; row != SL_NONE;
         row = grouping->next_row[row]) {
        if (!sl_row_ranks(summary, row))
            continue;
        struct sl_draw_tails tails = sl_draw_store_get(store, sl_row_cell(summary, row));
        if (!tails.tail_us || (group->count > 0 && tails.draws != group->draws))
            continue;
        double tail = sl_frame_number_of(summary, row, "tail_us");
        if (tail < lowest) {
            lowest = tail;
            group->leader = group->count;
        }
        group->draws = tails.draws;
        values[group->count] = tails.tail_us;
        group->rows[group->count++] = row;
    }
}

enum sl_status sl_shares_count(struct sl_shares *shares, const struct sl_frame *summary,
                               const struct sl_grouping *grouping,
                               const struct sl_draw_store *store, double min_gain,
                               struct sl_error *err)
{
    struct sl_arena *arena = &shares->arena;
    size_t rows = (size_t)summary->row_count + 1;
    shares->min_gain = min_gain;
    if (store->count == 0)
        return SL_OK;
    shares->groups =
        sl_arena_array(arena, (size_t)grouping->group_count + 1, sizeof *shares->groups);
    const double **values = sl_arena_array(arena, rows, sizeof *values);
    if (!shares->groups || !values)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for shares of wins");
    shares->group_count = grouping->group_count;
    for (uint32_t g = 0; g < grouping->group_count; g++) {
        struct sl_group_shares *group = &shares->groups[g];
        size_t size = group_size(grouping, g) + 1;
        group->rows = sl_arena_array(arena, size, sizeof *group->rows);
        group->shares = sl_arena_array(arena, size, sizeof *group->shares);
        if (!group->rows || !group->shares)
            return SL_FAIL(err, SL_SYSTEM, "out of memory for shares of wins");
        gather(group, summary, grouping, g, store, values);
        if (group->count == 0)
            continue;
        group->nobodys = sl_win_shares(group->shares, values, group->count, group->draws);
        group->lead = sl_lead_share(values, group->count, group->draws, group->leader, min_gain);
    }
    return SL_OK;
}

static void put_rows(FILE *out, const struct sl_shares *shares, const struct sl_frame *summary,
                     const struct sl_grouping *grouping, uint32_t g)
{
    const struct sl_group_shares *group = &shares->groups[g];
    for (uint32_t k = 0; k < group->count; k++) {
        const struct sl_win_share *share = &group->shares[k];
        fprintf(out, "%u", g);
        sl_put_text(out, grouping->groups[g].label);
        sl_put_text(out, sl_frame_text_of(summary, group->rows[k], "cell"));
        sl_put_text(out, sl_frame_text_of(summary, group->rows[k], "policy"));
        sl_put_integer(out, group->draws);
        sl_put_integer(out, share->wins);
        sl_put_integer(out, share->ties);
        sl_put_estimate(out, share->share);
        sl_put_integer(out, group->nobodys);
        sl_put_integer(out, k == group->leader);
        sl_put_estimate(out, k == group->leader ? group->lead : SL_NO_ESTIMATE);
        putc('\n', out);
    }
}

enum sl_status sl_shares_write(const struct sl_shares *shares, const struct sl_frame *summary,
                               const struct sl_grouping *grouping, const char *dir,
                               struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open_in(&file, dir, "win_shares.csv", err);
    if (status != SL_OK)
        return status;
    fputs("group,label,cell,policy,draws,wins,ties,share,share_lo,share_hi,nobodys_draws,leads,"
          "lead_share,lead_share_lo,lead_share_hi\n",
          file.stream);
    for (uint32_t g = 0; g < shares->group_count; g++)
        put_rows(file.stream, shares, summary, grouping, g);
    return sl_outfile_commit(&file, err);
}

void sl_shares_free(struct sl_shares *shares)
{
    sl_arena_free(&shares->arena);
    *shares = (struct sl_shares){0};
}
