/* Memory of a trace over time: a panel per memory, what is allocated and what is reserved. */
#include "kept.h"
#include "plot_audit.h"
#include <math.h>
#include <string.h>

enum { MOST_FOUND = 64, MOST_PANELS = 4 };
/* Columns of memory_changes.csv, in the order in which they are read: see plot_audit.c. */
enum { TYPE, DEVICE, TIME, BYTES, ALLOCATED, RESERVED };

struct memory {
    double type, device;
    uint32_t changes;
    bool stated; /* by the trace; else changes are summed up */
    double level, peak, peak_us, reserved;
};
struct memories {
    struct memory items[MOST_FOUND];
    uint32_t count, found; /* shown; in the trace */
    double from_us, to_us;
};

static struct memory *find(struct memories *memories, double type, double device)
{
    for (uint32_t i = 0; i < memories->count; i++)
        if (memories->items[i].type == type && memories->items[i].device == device)
            return &memories->items[i];
    if (memories->count == MOST_FOUND)
        return NULL;
    memories->items[memories->count] = (struct memory){.type = type, .device = device};
    return &memories->items[memories->count++];
}

/* The level behind a change; false: it is not known. */
static bool pass(struct memory *memory, const struct sl_frame *changes, uint32_t row)
{
    double stated = sl_frame_number(changes, row, ALLOCATED);
    double bytes = sl_frame_number(changes, row, BYTES);
    if (memory->stated)
        memory->level = stated;
    else
        memory->level += isfinite(bytes) ? bytes : 0;
    return isfinite(memory->level);
}

static void survey(struct memories *memories, const struct sl_frame *changes)
{
    for (uint32_t i = 0; i < changes->row_count; i++) {
        double at = sl_frame_number(changes, i, TIME);
        struct memory *memory =
            find(memories, sl_frame_number(changes, i, TYPE), sl_frame_number(changes, i, DEVICE));
        if (!memory || !isfinite(at))
            continue;
        if (memory->changes++ == 0)
            memory->stated = isfinite(sl_frame_number(changes, i, ALLOCATED));
        memories->from_us = fmin(memories->from_us, at);
        memories->to_us = fmax(memories->to_us, at);
        double reserved = sl_frame_number(changes, i, RESERVED);
        if (isfinite(reserved))
            memory->reserved = fmax(memory->reserved, reserved);
        if (pass(memory, changes, i) && (memory->changes == 1 || memory->level > memory->peak)) {
            memory->peak = memory->level;
            memory->peak_us = at;
        }
    }
}

/* Those of the largest peaks stay, devices before the host. */
static void choose(struct memories *memories)
{
    memories->found = memories->count;
    for (uint32_t i = 1; i < memories->count; i++)
        for (uint32_t k = i; k > 0; k--) {
            struct memory *a = &memories->items[k - 1], *b = &memories->items[k], swap = *a;
            bool later = (a->type == 0) == (b->type == 0) ? b->peak > a->peak : a->type == 0;
            if (!later)
                break;
            *a = *b;
            *b = swap;
        }
    memories->count = memories->count < MOST_PANELS ? memories->count : MOST_PANELS;
}

/* Of the points of one column of the picture the first, the least, the most and the last are
 * written, which draws the same as all of them. */
struct thinner {
    FILE *data;
    double from_us, width_us, divisor_us, divisor_bytes;
    int column;
    uint32_t count;
    double at_us[4], level[4]; /* first, least, most, last */
};

static void flush(struct thinner *thinner)
{
    int order[4] = {0, 1, 2, 3};
    if (thinner->at_us[1] > thinner->at_us[2]) {
        order[1] = 2;
        order[2] = 1;
    }
    for (int i = 0; thinner->count > 0 && i < 4; i++)
        fprintf(thinner->data, "%.17g %.17g\n", thinner->at_us[order[i]] / thinner->divisor_us,
                thinner->level[order[i]] / thinner->divisor_bytes);
    thinner->count = 0;
}

static void keep(struct thinner *thinner, int i, double at_us, double level)
{
    thinner->at_us[i] = at_us;
    thinner->level[i] = level;
}

static void push(struct thinner *thinner, double at_us, double level)
{
    /* fmin also makes a number of what is none. */
    int column = (int)fmin((at_us - thinner->from_us) / thinner->width_us, SL_PLOT_AUDIT_COLUMNS);
    if (column != thinner->column)
        flush(thinner);
    thinner->column = column;
    bool first = thinner->count++ == 0;
    if (first)
        keep(thinner, 0, at_us, level);
    if (first || level < thinner->level[1])
        keep(thinner, 1, at_us, level);
    if (first || level > thinner->level[2])
        keep(thinner, 2, at_us, level);
    keep(thinner, 3, at_us, level);
}

/* One curve of one memory, up to the picture's right edge. */
static void write_curve(FILE *data, const struct memories *memories, struct memory *memory,
                        const struct sl_frame *changes, bool reserved, double divisor_us)
{
    struct thinner thinner = {
        .data = data,
        .from_us = memories->from_us,
        .width_us = (memories->to_us - memories->from_us) / SL_PLOT_AUDIT_COLUMNS,
        .divisor_us = divisor_us,
        .divisor_bytes = sl_plot_bytes_unit(fmax(memory->peak, memory->reserved)).divisor};
    fputs("nan nan\n", data); /* a block without points keeps its index */
    double last = NAN;
    memory->level = 0;
    for (uint32_t i = 0; i < changes->row_count; i++) {
        double at = sl_frame_number(changes, i, TIME);
        if (sl_frame_number(changes, i, TYPE) != memory->type ||
            sl_frame_number(changes, i, DEVICE) != memory->device || !isfinite(at))
            continue;
        bool known = pass(memory, changes, i);
        double level = reserved ? sl_frame_number(changes, i, RESERVED) : memory->level;
        if (!known || !isfinite(level))
            continue;
        push(&thinner, at, level);
        last = level;
    }
    if (isfinite(last))
        push(&thinner, memories->to_us, last);
    flush(&thinner);
    fputs("\n\n", data);
}

static const char *name_of(struct sl_plot_audit *audit, const struct memory *memory)
{
    if (memory->type == 0)
        return "host";
    const char *name = sl_arena_printf(&audit->set->arena, "device %.0f", memory->device);
    return sl_kept(name);
}

static void put_title(struct sl_plot_audit *audit, const struct memories *memories)
{
    struct sl_plot_set *set = audit->set;
    const struct memory *first = &memories->items[0];
    const char *of = "";
    if (first->reserved > 0)
        of = sl_arena_printf(&set->arena, ", %.1f%% of %s reserved",
                             100 * first->peak / first->reserved,
                             sl_plot_bytes(set, first->reserved));
    const char *title = sl_arena_printf(&set->arena, "Peak of %s: %s %s at %s%s",
                                        name_of(audit, first), sl_plot_bytes(set, first->peak),
                                        first->stated ? "allocated" : "above its beginning",
                                        sl_plot_time(set, first->peak_us), of ? of : "");
    sl_gnuplot_title(&set->gnuplot, title);
}

static void put_panels(struct sl_plot_audit *audit, const struct memories *memories)
{
    struct sl_gnuplot *gnuplot = &audit->set->gnuplot;
    const char *names[MOST_PANELS], *units[MOST_PANELS];
    fprintf(gnuplot->input, "array TOP[%d]\narray RESERVED[%d]\narray STATED[%d]\n", MOST_PANELS,
            MOST_PANELS, MOST_PANELS);
    for (uint32_t p = 0; p < memories->count; p++) {
        const struct memory *memory = &memories->items[p];
        double top = fmax(fmax(memory->peak, memory->reserved), 1);
        struct sl_plot_unit unit = sl_plot_bytes_unit(top);
        names[p] = name_of(audit, memory);
        units[p] = unit.name;
        fprintf(gnuplot->input, "TOP[%u] = %.17g\nRESERVED[%u] = %d\nSTATED[%u] = %d\n", p + 1,
                top / unit.divisor, p + 1, memory->reserved > 0, p + 1, memory->stated);
    }
    sl_gnuplot_texts(gnuplot, "NAMES", names, memories->count);
    sl_gnuplot_texts(gnuplot, "UNITS", units, memories->count);
    sl_gnuplot_number(gnuplot, "PANELS", memories->count);
}

static enum sl_status draw(struct sl_plot_audit *audit, struct memories *memories,
                           struct sl_error *err)
{
    struct sl_gnuplot *gnuplot = &audit->set->gnuplot;
    struct sl_plot_unit unit = sl_plot_time_unit(memories->to_us);
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_begin(gnuplot, err);
    if (status == SL_OK)
        status = sl_gnuplot_data(gnuplot, "memory.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (uint32_t p = 0; p < memories->count; p++)
        for (int reserved = 0; reserved < 2; reserved++)
            write_curve(data, memories, &memories->items[p], &audit->changes, reserved == 1,
                        unit.divisor);
    fclose(data);
    status = sl_plot_audit_steps(audit, memories->from_us, unit.divisor, err);
    if (status != SL_OK)
        return status;
    const char *note = "";
    if (memories->found > memories->count)
        note = sl_arena_printf(&audit->set->arena, "%u of %u memories: those that hold most.",
                               memories->count, memories->found);
    put_title(audit, memories);
    put_panels(audit, memories);
    sl_gnuplot_text(gnuplot, "NOTE", note ? note : "");
    sl_gnuplot_text(gnuplot, "UNIT", unit.name);
    sl_gnuplot_number(gnuplot, "FROM", memories->from_us / unit.divisor);
    sl_gnuplot_number(gnuplot, "TO", memories->to_us / unit.divisor);
    return sl_plot_finish(audit->set, "audit_memory.gp", "memory",
                          memories->count == 1 ? 560 : 160 + 300 * memories->count, err);
}

enum sl_status sl_plot_audit_memory(struct sl_plot_audit *audit, struct sl_error *err)
{
    struct memories memories = {.from_us = INFINITY, .to_us = -INFINITY};
    survey(&memories, &audit->changes);
    choose(&memories);
    return memories.to_us > memories.from_us ? draw(audit, &memories, err) : SL_OK;
}
