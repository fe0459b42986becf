/* Telling how --until ended, from the rows of summary.csv. */
#include "config.h"

#include "json_out.h"
#include "kept.h"
#include "report_sweep.h"
#include "report_until.h"
#include "table.h"
#include <math.h>
#include <string.h>

/* One row of summary.csv and what its sentences need. */
struct row {
    const struct sl_frame *frame;
    uint32_t index;
    const struct sl_until *until;
    double trials;
    bool constant; /* all trials are the same */
};

static double number(const struct row *row, const char *column)
{
    return sl_frame_number_of(row->frame, row->index, column);
}

static void print_reached(FILE *out, const struct row *row, struct sl_arena *arena)
{
    fprintf(out, "reached with %s trial%s, look %s of %s%s",
            sl_grouped(arena, (uint64_t)row->trials), row->trials == 1 ? "" : "s",
            sl_frame_text_of(row->frame, row->index, "until_look"),
            sl_frame_text_of(row->frame, row->index, "until_looks"),
            row->constant ? "; every trial is the same" : "");
}

static void print_missed(FILE *out, const struct row *row, struct sl_arena *arena)
{
    const char *trials = sl_grouped(arena, (uint64_t)row->trials);
    bool mean = isnan(row->until->q);
    if (number(row, "deadlocked") > 0)
        fprintf(out, "NOT reached: stopped at %s trials, as some deadlock", trials);
    else if (mean && row->trials < SL_UNTIL_LEAST_OF_MEAN)
        fprintf(out, "NOT reached: a mean takes %s trials, and the most were %s",
                sl_grouped(arena, SL_UNTIL_LEAST_OF_MEAN), trials);
    else if (mean && row->constant)
        fprintf(out,
                "NOT reached: all %s trials are the same, which says nothing of rare ones that a "
                "mean depends on",
                trials);
    else
        fprintf(out, "NOT reached: the most trials, %s, were too few for %.3g%%%s", trials,
                100 * row->until->width,
                isnan(number(row, "until_half_width")) ? "; no interval yet" : "");
}

static void print_row(FILE *out, const struct row *row, struct sl_arena *arena)
{
    const char *reached = sl_frame_text_of(row->frame, row->index, "until_reached");
    double half = number(row, "until_half_width");
    if (row->frame->row_count > 1)
        fprintf(out, "  cell %s", sl_frame_text_of(row->frame, row->index, "cell"));
    fprintf(out, "  %s: ", sl_frame_text_of(row->frame, row->index, "policy"));
    if (!*reached)
        fputs("no trial: no legal plan", out);
    else if (strcmp(reached, "1") == 0)
        print_reached(out, row, arena);
    else
        print_missed(out, row, arena);
    if (isfinite(half))
        fprintf(out, "; %s [%s, %s], half-width %.3g%%",
                sl_estimate_text(arena, number(row, "until_us")),
                sl_estimate_text(arena, number(row, "until_lo_us")),
                sl_estimate_text(arena, number(row, "until_hi_us")), 100 * half);
    putc('\n', out);
}

void sl_report_until_rows(FILE *out, const struct sl_until *until, const struct sl_frame *frame)
{
    struct sl_arena arena = {0};
    bool varied = false;
    if (!(until->width > 0))
        return;
    fprintf(out,
            "\nuntil %s (half of the interval over the estimate; 95%% over all looks together, "
            "so wider than\n  those above, which are at 95%% for this number of trials alone)\n",
            until->text);
    for (uint32_t k = 0; k < frame->row_count; k++) {
        struct row row = {frame, k, until, sl_frame_number_of(frame, k, "trials"), false};
        row.constant = row.trials == 1 || number(&row, "sd_us") == 0;
        print_row(out, &row, &arena);
        varied |= number(&row, "sd_us") > 0;
    }
    if (isnan(until->q) && varied)
        fputs("  the interval of a mean is Student's t and assumes that the trials have seen the "
              "tail:\n  a rare large value that none has met is in no interval\n",
              out);
    sl_report_free(&arena);
}

enum sl_status sl_report_until(FILE *out, const struct sl_session *session, struct sl_error *err)
{
    const struct sl_until *until = &session->args.options.until;
    struct sl_frame frame = {0};
    if (!(until->width > 0))
        return SL_OK;
    enum sl_status status = sl_session_frame(session, &frame, err);
    if (status == SL_OK)
        sl_report_until_rows(out, until, &frame);
    sl_frame_free(&frame);
    return status;
}

void sl_json_until(yajl_gen gen, const struct sl_until_result *until)
{
    if (until->look == 0)
        return;
    sl_json_open_map(gen, "until");
    sl_json_text(gen, "asked", until->asked.text);
    sl_json_bool(gen, "reached", until->reached);
    sl_json_bool(gen, "exact", until->exact);
    sl_json_integer(gen, "look", until->look);
    sl_json_integer(gen, "looks", until->looks.count);
    sl_json_estimate_us(gen, "estimate", until->estimate);
    sl_json_number(gen, "half_width", sl_relative_half_width(until->estimate));
    yajl_gen_map_close(gen);
}
