/* Telling how --until ended, from the rows of summary.csv. */
#include "config.h"

#include "report_sweep.h"
#include "report_until.h"
#include "table.h"
#include <math.h>
#include <string.h>

static void print_row(FILE *out, const struct sl_frame *frame, uint32_t row, double width,
                      struct sl_arena *arena)
{
    const char *reached = sl_frame_text_of(frame, row, "until_reached");
    double half = sl_frame_number_of(frame, row, "until_half_width");
    const char *trials = sl_grouped(arena, (uint64_t)sl_frame_number_of(frame, row, "trials"));
    if (!*reached)
        return;
    if (frame->row_count > 1)
        fprintf(out, "  cell %s", sl_frame_text_of(frame, row, "cell"));
    fprintf(out, "  %s: ", sl_frame_text_of(frame, row, "policy"));
    if (strcmp(reached, "1") == 0)
        fprintf(out, "reached with %s trials, look %s of %s", trials,
                sl_frame_text_of(frame, row, "until_look"),
                sl_frame_text_of(frame, row, "until_looks"));
    else if (sl_frame_number_of(frame, row, "deadlocked") > 0)
        fprintf(out, "NOT reached: stopped at %s trials, as some deadlock\n", trials);
    else
        fprintf(out, "NOT reached: the most trials, %s, were too few for %.3g%%", trials,
                100 * width);
    if (isfinite(half))
        fprintf(out, "; %s [%s, %s], half-width %.3g%%\n",
                sl_estimate_text(arena, sl_frame_number_of(frame, row, "until_us")),
                sl_estimate_text(arena, sl_frame_number_of(frame, row, "until_lo_us")),
                sl_estimate_text(arena, sl_frame_number_of(frame, row, "until_hi_us")), 100 * half);
    else if (sl_frame_number_of(frame, row, "deadlocked") == 0)
        fputs("; no interval yet\n", out);
}

enum sl_status sl_report_until(FILE *out, const struct sl_session *session, struct sl_error *err)
{
    const struct sl_until *until = &session->args.options.until;
    struct sl_frame frame = {0};
    struct sl_arena arena = {0};
    if (!(until->width > 0))
        return SL_OK;
    enum sl_status status = sl_session_frame(session, &frame, err);
    if (status == SL_OK)
        fprintf(out,
                "\nuntil %s (half of the interval over the estimate; 95%% over all looks "
                "together)\n",
                until->text);
    for (uint32_t row = 0; status == SL_OK && row < frame.row_count; row++)
        print_row(out, &frame, row, until->width, &arena);
    sl_frame_free(&frame);
    sl_arena_free(&arena);
    return status;
}
