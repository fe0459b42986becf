/* Writing race.csv. */
#include "race_csv.h"
#include "figures.h"
#include "outfile.h"
#include <math.h>

const char *sl_race_outcome(const struct sl_race_result *result)
{
    static const char *const names[] = {
        [SL_RACE_OPEN] = "open",       [SL_RACE_DROPPED] = "dropped", [SL_RACE_SETTLED] = "settled",
        [SL_RACE_DONE] = "all-trials", [SL_RACE_OUT] = "out",
    };
    return result->ran ? names[result->runner.state] : "illegal";
}

static void put_cell_or_none(FILE *out, uint32_t cell)
{
    putc(',', out);
    if (cell != SL_NONE)
        fprintf(out, "%u", cell);
}

uint32_t sl_race_simulated(const struct sl_race_result *result)
{
    return result->ran && result->same_as == SL_NONE ? result->runner.trials : 0;
}

bool sl_race_judged(const struct sl_race_result *result)
{
    return result->runner.state == SL_RACE_DROPPED || result->runner.state == SL_RACE_SETTLED;
}

static void put_row(FILE *out, const struct sl_standings *standings, uint32_t row)
{
    const struct sl_race_result *result = sl_standings_raced(standings, row);
    const struct sl_runner *runner = &result->runner;
    bool judged = sl_race_judged(result);
    fputs(sl_frame_text_of(&standings->summary, row, "cell"), out);
    sl_put_text(out, sl_frame_text_of(&standings->summary, row, "policy"));
    sl_put_integer(out, standings->grouping.group_of_row[row]);
    sl_put_text(out, sl_race_outcome(result));
    sl_put_integer(out, runner->trials);
    sl_put_integer(out, sl_race_simulated(result));
    put_cell_or_none(out, result->same_as);
    put_cell_or_none(out, judged ? runner->against : SL_NONE);
    sl_put_number(out, isfinite(runner->lo) ? runner->lo : NAN);
    sl_put_number(out, isfinite(runner->hi) ? runner->hi : NAN);
    sl_put_number(out, judged ? runner->leader_lo : NAN);
    sl_put_number(out, judged ? runner->leader_hi : NAN);
    putc('\n', out);
}

enum sl_status sl_race_csv_write(const struct sl_standings *standings, const char *dir,
                                 struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open_in(&file, dir, "race.csv", err);
    if (status != SL_OK)
        return status;
    fputs("cell,policy,group,outcome,trials,simulated,same_as,against_cell,lower_us,upper_us,"
          "against_lower_us,against_upper_us\n",
          file.stream);
    for (uint32_t row = 0; row < standings->summary.row_count; row++)
        put_row(file.stream, standings, row);
    return sl_outfile_commit(&file, err);
}
