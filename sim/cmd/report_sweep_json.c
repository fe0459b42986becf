/* The report of a sweep as JSON: the rows of summary.csv, numbers as numbers. */
#include "frame.h"
#include "grouping.h"
#include "json_out.h"
#include "report_sweep.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Columns whose values are words even where they look like numbers. */
static bool is_word(const struct sl_scenario *scenario, const char *column)
{
    if (strcmp(column, "policy") == 0 || strcmp(column, "metric") == 0 ||
        strcmp(column, "verdict") == 0 || strcmp(column, "reason") == 0)
        return true;
    for (uint32_t i = 0; i < scenario->axis_count; i++)
        if (strcmp(column, scenario->axes[i].path) == 0)
            return true;
    return false;
}

static void put_cell(yajl_gen gen, const struct sl_session *session, const struct sl_frame *frame,
                     uint32_t row)
{
    sl_json_open_map(gen, NULL);
    for (uint32_t c = 0; c < frame->column_count; c++) {
        const char *column = frame->columns[c], *text = sl_frame_text(frame, row, c);
        double number = sl_frame_number(frame, row, c);
        if (!*text)
            sl_json_text(gen, column, NULL);
        else if (is_word(&session->scenario, column) || !isfinite(number))
            sl_json_text(gen, column, text);
        else
            sl_json_raw_number(gen, column, text);
    }
    sl_json_bool(gen, "baseline", sl_row_is_baseline(session, frame, row));
    yajl_gen_map_close(gen);
}

enum sl_status sl_report_sweep_json(FILE *out, const struct sl_session *session,
                                    struct sl_error *err)
{
    struct sl_frame frame;
    enum sl_status status = sl_session_frame(session, &frame, err);
    yajl_gen gen = status == SL_OK ? sl_json_create() : NULL;
    if (status == SL_OK && !gen)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK) {
        char seed[24];
        snprintf(seed, sizeof seed, "%" PRIu64,
                 session->args.options.seed_given ? session->args.options.seed
                                                  : session->scenario.seed);
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "scenario", session->scenario.name);
        sl_json_raw_number(gen, "seed", seed);
        sl_json_open_array(gen, "cells");
        for (uint32_t row = 0; row < frame.row_count; row++)
            put_cell(gen, session, &frame, row);
        yajl_gen_array_close(gen);
        yajl_gen_map_close(gen);
        status = sl_json_finish(gen, out, err);
    }
    sl_frame_free(&frame);
    return status;
}
