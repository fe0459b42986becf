/* Cells of a sweep without a steady state: their figures hold for this horizon. */
#include "report_sweep_parts.h"

const char *sl_sweep_unsteady_note(struct sl_sweep_report *report, uint32_t row)
{
    const struct sl_frame *frame = report->frame;
    double lo = sl_frame_number_of(frame, row, "growth_lo_us_per_s");
    bool settled = sl_frame_number_of(frame, row, "warmup_settled") == 1;
    const char *text = "MSER-5 finds no steady state";
    if (lo > 0)
        text = sl_arena_printf(
            &report->arena, "%sa job that arrives a second later takes %s [%s, %s] longer",
            settled ? "" : "MSER-5 finds no steady state: ",
            sl_estimate_text(&report->arena, sl_frame_number_of(frame, row, "growth_us_per_s")),
            sl_estimate_text(&report->arena, lo),
            sl_estimate_text(&report->arena, sl_frame_number_of(frame, row, "growth_hi_us_per_s")));
    return text ? text : "no steady state";
}

uint32_t sl_sweep_unsteady(const struct sl_sweep_report *report, uint32_t group)
{
    uint32_t count = 0;
    for (uint32_t row = report->grouping->groups[group].first_row; row != SL_NONE;
         row = report->grouping->next_row[row])
        count +=
            sl_standings_competes(report->standings, row) && sl_row_unsteady(report->frame, row);
    return count;
}

void sl_sweep_print_unsteady(struct sl_sweep_report *report, uint32_t group)
{
    const struct sl_standing *standing = &report->standings->groups[group];
    uint32_t count = sl_sweep_unsteady(report, group), candidate = standing->candidate;
    if (count == 0)
        return;
    fprintf(report->out, "  unsteady: %u of the %u cells that compete", count, standing->ranked);
    if (!report->alternatives.in_set && sl_row_unsteady(report->frame, candidate))
        fprintf(report->out, ", %s too",
                sl_sweep_cell_name(&report->arena, report->session, report->frame, candidate));
    fputs("; more jobs (run.jobs) may tell otherwise\n", report->out);
}
