/* The rows that both reports of a sweep tell of. */
#include "config.h"

#include "memout.h"
#include "report_sweep.h"
#include "result_parts.h"
#include <stdlib.h>
#include <string.h>

enum sl_status sl_lines_frame(const struct sl_scenario *scenario, char *const *lines,
                              uint32_t line_count, struct sl_frame *frame, struct sl_error *err)
{
    struct sl_memout memory;
    if (!sl_memout_open(&memory))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_summary_header(memory.stream, scenario);
    for (uint32_t i = 0; i < line_count; i++)
        if (lines[i])
            fputs(lines[i], memory.stream);
    char *text = sl_memout_close(&memory);
    if (!text)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = sl_frame_parse(frame, text, memory.size, err);
    free(text);
    return status;
}

enum sl_status sl_session_frame(const struct sl_session *session, struct sl_frame *frame,
                                struct sl_error *err)
{
    return sl_lines_frame(&session->scenario, session->lines, session->line_count, frame, err);
}

static bool agrees_on_axes(const struct sl_scenario *scenario, const struct sl_frame *frame,
                           uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < scenario->axis_count; i++) {
        const char *x = sl_frame_text_of(frame, a, scenario->axes[i].path);
        const char *y = sl_frame_text_of(frame, b, scenario->axes[i].path);
        if (*x && *y && strcmp(x, y) != 0)
            return false;
    }
    return true;
}

bool sl_row_is_baseline(const struct sl_session *session, const struct sl_standings *standings,
                        uint32_t row)
{
    const struct sl_frame *frame = &standings->summary;
    const struct sl_grouping *grouping = &standings->grouping;
    const struct sl_scenario *scenario = &session->scenario;
    const char *policy = sl_frame_text_of(frame, row, "policy");
    bool ok = strcmp(sl_frame_text_of(frame, row, "verdict"), "ok") == 0;
    if (scenario->baseline && strcmp(policy, scenario->baseline) == 0)
        return ok;
    if (!ok || !scenario->baseline || !scenario->fallback_baseline ||
        strcmp(policy, scenario->fallback_baseline) != 0)
        return false;
    for (uint32_t other = grouping->groups[grouping->group_of_row[row]].first_row; other != SL_NONE;
         other = grouping->next_row[other])
        if (strcmp(sl_frame_text_of(frame, other, "policy"), scenario->baseline) == 0 &&
            agrees_on_axes(scenario, frame, row, other))
            return strcmp(sl_frame_text_of(frame, other, "verdict"), "ok") != 0;
    return false;
}
