/* Reading a trace for a command. */
#include "config.h"

#include "trace_input.h"
#include "units.h"
#include <string.h>
#include <unistd.h>

/* The share of the file that is read, when it changes. */
static void tell_progress(void *user, uint64_t bytes_read, uint64_t bytes_of_file)
{
    int *shown = user;
    int percent = bytes_of_file > 0 ? (int)(100.0 * (double)bytes_read / (double)bytes_of_file) : 0;
    if (percent == *shown)
        return;
    *shown = percent;
    fprintf(stderr, "\rreading %d%%\033[K", percent);
}

enum sl_status sl_trace_read(const char *path, struct sl_timeline *timeline,
                             const struct sl_importer **importer, struct sl_error *err)
{
    struct sl_diags diags = {0};
    int shown = -1;
    struct sl_import_progress progress = {tell_progress, &shown};
    enum sl_status status =
        sl_import(path, timeline, isatty(STDERR_FILENO) ? &progress : NULL, &diags, importer, err);
    if (shown >= 0)
        fputs("\r\033[K", stderr);
    sl_diags_print(&diags, stderr);
    sl_diags_free(&diags);
    return status;
}

enum sl_status sl_window_parse(const char *value, int64_t *from_ps, int64_t *to_ps,
                               struct sl_error *err)
{
    char text[128], why[SL_WHY_SIZE];
    if (strlen(value) >= sizeof text || !strchr(value, ':'))
        return SL_FAIL(err, SL_USAGE, "--window is FROM:TO, such as 10ms:25ms, not '%.80s'", value);
    strcpy(text, value);
    char *to = strchr(text, ':');
    *to++ = '\0';
    if ((*text && !sl_parse_time(text, from_ps, why)) || (*to && !sl_parse_time(to, to_ps, why)))
        return SL_FAIL(err, SL_USAGE, "--window: %s", why);
    if (*to_ps <= *from_ps)
        return SL_FAIL(err, SL_USAGE, "--window %s ends before it begins", value);
    return SL_OK;
}

enum sl_status sl_trace_choice_take(struct sl_trace_choice *choice, int key, const char *value,
                                    struct sl_error *err)
{
    struct sl_audit_options *options = &choice->options;
    if (key == SL_TRACE_STEP)
        options->step = value;
    if (key == SL_TRACE_RANGE)
        options->range = value;
    if (key != SL_TRACE_WINDOW)
        return SL_OK;
    choice->windowed = true;
    return sl_window_parse(value, &options->from_ps, &options->to_ps, err);
}

enum sl_status sl_trace_choice_check(const struct sl_trace_choice *choice, struct sl_error *err)
{
    return choice->windowed && choice->options.step
               ? SL_FAIL(err, SL_USAGE, "--step and --window are two scopes; give one")
               : SL_OK;
}

const char *sl_trace_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
