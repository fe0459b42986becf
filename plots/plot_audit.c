/* The pictures of an audit's folder, and the marks of steps that they share. */
#include "plot_audit.h"
#include "plot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MARKS = 200, MOST_NUMBERS = 24 };

enum sl_status sl_plot_audit_steps(struct sl_plot_audit *audit, double from_us, double divisor,
                                   struct sl_error *err)
{
    const struct sl_frame *steps = &audit->steps;
    struct sl_gnuplot *gnuplot = &audit->set->gnuplot;
    uint32_t count = steps->row_count <= MOST_MARKS ? steps->row_count : 0;
    uint32_t from = sl_frame_column(steps, "from_us"), number = sl_frame_column(steps, "step");
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(gnuplot, "steps.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (uint32_t i = 0; i < count; i++)
        if (i + 1 == count || sl_frame_number(steps, i + 1, from) > from_us)
            fprintf(data, "%.17g %.17g\n", fmax(sl_frame_number(steps, i, from), from_us) / divisor,
                    sl_frame_number(steps, i, number));
    fclose(data);
    bool cold = audit->cold && steps->row_count > 1;
    sl_gnuplot_number(gnuplot, "STEPS", count);
    sl_gnuplot_number(gnuplot, "NUMBERED", count <= MOST_NUMBERS ? count : 0);
    sl_gnuplot_number(gnuplot, "COLD", cold);
    sl_gnuplot_number(gnuplot, "COLD_FROM", cold ? sl_frame_number(steps, 0, from) / divisor : 0);
    sl_gnuplot_number(gnuplot, "COLD_TO", cold ? sl_frame_number(steps, 1, from) / divisor : 0);
    return SL_OK;
}

static enum sl_status read_tables(struct sl_plot_audit *audit, const char *dir,
                                  struct sl_error *err)
{
    static const char *const work[] = {"class", "device", "stream", "start_us", "finish_us"};
    static const char *const call[] = {"purpose", "process", "thread", "from_us", "to_us"};
    static const char *const step[] = {"step", "from_us", "cold"};
    static const char *const change[] = {"device_type", "device",          "t_us",
                                         "bytes",       "allocated_bytes", "reserved_bytes"};
    const struct {
        struct sl_frame *frame;
        const char *file;
        const char *const *columns;
        uint32_t count;
    } tables[] = {{&audit->works, "works.csv", work, 5},
                  {&audit->call_times, "call_times.csv", call, 5},
                  {&audit->steps, "steps.csv", step, 3},
                  {&audit->uses, "time_use.csv", NULL, 0},
                  {&audit->changes, "memory_changes.csv", change, 6}};
    enum sl_status status = SL_OK;
    for (size_t i = 0; status == SL_OK && i < sizeof tables / sizeof *tables; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%.4000s/%s", dir, tables[i].file);
        status = sl_frame_read(tables[i].frame, path, tables[i].columns, tables[i].count, err);
    }
    if (status == SL_OK && audit->steps.row_count > 0)
        audit->cold = strcmp(sl_frame_text_of(&audit->steps, 0, "cold"), "yes") == 0;
    return status;
}

static enum sl_status draw_all(struct sl_plot_audit *audit, FILE *notes, struct sl_error *err)
{
    if (audit->works.row_count == 0)
        fputs("no picture of works and times: the trace has no works of a device in scope\n",
              notes);
    if (audit->changes.row_count == 0)
        fputs("no picture of memory: the trace has no changes of memory in scope\n", notes);
    enum sl_status status = SL_OK;
    if (audit->works.row_count > 0)
        status = sl_plot_audit_gantt(audit, err);
    if (status == SL_OK && audit->works.row_count > 0)
        status = sl_plot_audit_time(audit, err);
    if (status == SL_OK && audit->changes.row_count > 0)
        status = sl_plot_audit_memory(audit, err);
    if (status == SL_OK && audit->set->drawn == 0)
        status = SL_FAIL(err, SL_NO, "nothing to draw: no work of the audit took any time");
    return status;
}

enum sl_status sl_plot_audit(const char *dir, FILE *out, FILE *notes, struct sl_error *err)
{
    struct sl_plot_audit audit = {.set = calloc(1, sizeof *audit.set)};
    if (!audit.set)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    audit.set->out = out;
    char plots[4096];
    snprintf(plots, sizeof plots, "%.4000s/plots", dir);
    enum sl_status status = read_tables(&audit, dir, err);
    if (status == SL_OK)
        status = sl_gnuplot_open(&audit.set->gnuplot, plots, err);
    if (status == SL_OK)
        status = draw_all(&audit, notes, err);
    sl_gnuplot_close(&audit.set->gnuplot);
    sl_frame_free(&audit.works);
    sl_frame_free(&audit.call_times);
    sl_frame_free(&audit.steps);
    sl_frame_free(&audit.uses);
    sl_frame_free(&audit.changes);
    sl_arena_free(&audit.set->arena);
    free(audit.set);
    return status;
}
