/* Timelines that Slackline itself wrote: timeline.csv of a replay, gantt.csv of results.
 *
 * Each repetition, or trial, is a step; they follow each other. A resource is a stream, or where
 * its works overlap as many as that takes; a node's becoming ready is the call that launches it, so
 * that a wait behind its stream and a wait for something else are told apart. */
#include <config.h>

#include "csvtab.h"
#include "importer.h"
#include "sort.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_US 1e6
#define MOST_US   1e12
#define PAUSE_PS  INT64_C(1000000) /* between two runs */
#define MOST_PS   (INT64_C(1) << 61)
enum { MOST_SERVERS = 1 << 16, TOLD_EVERY = 4096 };
enum { HOST, NO_RESOURCE }; /* numbers of threads */

enum {
    CELL,
    AT,
    TRIAL,
    REPETITION,
    NODE,
    RESOURCE,
    READY,
    START,
    END,
    FINISH,
    CLASS,
    BYTES,
    COLUMNS = 17
};
/* Columns that say nothing here are allowed. */
static const struct sl_column_spec columns[COLUMNS] = {
    [CELL] = {"cell", false},
    [AT] = {"at", false},
    [TRIAL] = {"trial", false},
    [REPETITION] = {"repetition", false},
    [NODE] = {"node", true},
    [RESOURCE] = {"resource", true},
    [READY] = {"ready_us", true},
    [START] = {"start_us", true},
    [END] = {"end_us", false},
    [FINISH] = {"finish_us", false},
    [CLASS] = {"class", false},
    [BYTES] = {"bytes", false},
    {"kind", false},
    {"free_us", false},
    {"cause", false},
    {"on_chain", false},
    {"resources", false},
};

/* A row that is read. */
struct bar {
    const char *node, *class;
    uint32_t resource;
    int64_t ready_ps, start_ps, end_ps, bytes;
};

/* The streams of a resource, by the end of what each did last: a binary tree of minima, its root at
 * [1] and stream s at [count + s].  Without it many works at once took time with their square. */
struct streams {
    int64_t *until_ps;
    uint32_t count; /* a power of 2, or 0 */
};

struct reading {
    struct sl_csv table;
    struct sl_timeline *timeline;
    struct sl_diags *diags;
    struct sl_names resources;
    struct bar *bars; /* of a run */
    uint32_t bar_count, bar_capacity;
    struct streams *streams; /* by resource */
    uint32_t stream_capacity;
    int64_t base_ps; /* where the run begins */
    int64_t correlation;
};

static void drop(struct reading *r, uint32_t row, uint32_t column, const char *why)
{
    if (r->timeline->hazards[SL_HAZARD_BAD_EVENT]++ < 5)
        sl_diags_add(r->diags, SL_WARNING, sl_hazard_name(SL_HAZARD_BAD_EVENT),
                     sl_csv_place(&r->table, row, column), "%s: %s; the row is left out",
                     columns[column].name, why);
}

/* Picoseconds of a cell in us. */
static bool read_time(struct reading *r, uint32_t row, uint32_t column, int64_t *t_ps)
{
    double us;
    char why[SL_WHY_SIZE];
    bool good = sl_parse_number(sl_csv_cell(&r->table, row, column), &us, why);
    if (good && !(us >= 0 && us <= MOST_US)) {
        good = false;
        snprintf(why, sizeof why, "no time from 0 to 1e12 us");
    }
    if (!good)
        drop(r, row, column, why);
    *t_ps = good ? llround(us * PS_PER_US) : 0;
    return good;
}

static bool read_bar(struct reading *r, uint32_t row, struct bar *bar)
{
    uint32_t end = r->table.present[FINISH] ? FINISH : END;
    *bar = (struct bar){.node = sl_csv_cell(&r->table, row, NODE),
                        .class = sl_csv_cell(&r->table, row, CLASS),
                        .bytes = -1};
    if (!read_time(r, row, READY, &bar->ready_ps) || !read_time(r, row, START, &bar->start_ps) ||
        !read_time(r, row, end, &bar->end_ps))
        return false;
    char why[SL_WHY_SIZE];
    const char *bytes = sl_csv_cell(&r->table, row, BYTES);
    if (*bytes && !sl_parse_integer(bytes, 0, INT64_MAX, &bar->bytes, why)) {
        drop(r, row, BYTES, why);
        return false;
    }
    if (bar->end_ps >= bar->start_ps)
        return true;
    r->timeline->hazards[SL_HAZARD_REVERSED]++;
    return false;
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Copies by the names that devices give to classes of them. */
static enum sl_event_kind kind_of(const char *class, struct sl_event_detail *detail)
{
    *detail = sl_event_detail_none();
    bool up = has_prefix(class, "copy.h2d"), down = has_prefix(class, "copy.d2h");
    if (up || down) {
        detail->from = up ? SL_MEMORY_HOST : SL_MEMORY_DEVICE;
        detail->to = up ? SL_MEMORY_DEVICE : SL_MEMORY_HOST;
    } else if (has_prefix(class, "copy.d2d") || has_prefix(class, "copy.p2p")) {
        detail->from = detail->to = SL_MEMORY_DEVICE;
    }
    if (has_prefix(class, "copy") || has_prefix(class, "memcpy"))
        return SL_EVENT_COPY;
    return has_prefix(class, "memset") ? SL_EVENT_SET : SL_EVENT_KERNEL;
}

static int by_start(const void *left, const void *right)
{
    const struct bar *a = left, *b = right;
    if (a->start_ps != b->start_ps)
        return a->start_ps < b->start_ps ? -1 : 1;
    return (a->end_ps > b->end_ps) - (a->end_ps < b->end_ps);
}

static void update_minimum(struct streams *streams, uint32_t i)
{
    int64_t left = streams->until_ps[2 * i], right = streams->until_ps[2 * i + 1];
    streams->until_ps[i] = left < right ? left : right;
}

/* Twice as many streams, or the first one; false: no memory. */
static bool add_streams(struct streams *streams)
{
    struct streams more = {.count = streams->count > 0 ? 2 * streams->count : 1};
    more.until_ps = malloc(2 * (size_t)more.count * sizeof *more.until_ps);
    if (!more.until_ps)
        return false;
    for (uint32_t s = 0; s < more.count; s++)
        more.until_ps[more.count + s] =
            s < streams->count ? streams->until_ps[streams->count + s] : INT64_MIN;
    for (uint32_t i = more.count - 1; i > 0; i--)
        update_minimum(&more, i);
    free(streams->until_ps);
    *streams = more;
    return true;
}

/* The resource's first stream that is free from start_ps on gets a work until end_ps. */
static enum sl_status take_stream(struct reading *r, uint32_t resource, int64_t start_ps,
                                  int64_t end_ps, uint32_t *stream, struct sl_error *err)
{
    uint32_t had = r->stream_capacity;
    if (!sl_grow((void **)&r->streams, &r->stream_capacity, resource + 1, sizeof *r->streams))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = had; i < r->stream_capacity; i++)
        r->streams[i] = (struct streams){NULL, 0};
    struct streams *streams = &r->streams[resource];
    if (streams->count == 0 || streams->until_ps[1] > start_ps) {
        if (streams->count == MOST_SERVERS)
            return SL_FAIL(err, SL_INVALID, "%s: more than %d works at once on '%s'", r->table.file,
                           MOST_SERVERS, r->resources.names[resource]);
        if (!add_streams(streams))
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    uint32_t i = 1;
    while (i < streams->count)
        i = 2 * i + (streams->until_ps[2 * i] > start_ps);
    *stream = i - streams->count;
    streams->until_ps[i] = end_ps;
    while (i /= 2)
        update_minimum(streams, i);
    return SL_OK;
}

static enum sl_status stream_lane(struct reading *r, uint32_t resource, uint32_t stream,
                                  uint32_t *lane, struct sl_error *err)
{
    struct sl_timeline *t = r->timeline;
    int64_t number = (int64_t)resource * MOST_SERVERS + stream;
    enum sl_status status = sl_timeline_lane(t, SL_LANE_STREAM, 0, number, lane, err);
    if (status != SL_OK)
        return status;
    uint32_t *name = &t->lanes[*lane].name;
    if (*name == SL_NONE)
        *name = sl_names_add(&t->names, r->resources.names[resource]);
    return *name != SL_NONE ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

static enum sl_status host_lane(struct reading *r, int64_t number, uint32_t *lane,
                                struct sl_error *err)
{
    return sl_timeline_lane(r->timeline, SL_LANE_THREAD, 0, number, lane, err);
}

/* The work, and that it is ready; without a resource it is nothing of a device. */
static enum sl_status add_bar(struct reading *r, const struct bar *bar, struct sl_error *err)
{
    struct sl_event_detail detail;
    struct sl_timeline_event work = {.start_ps = r->base_ps + bar->start_ps,
                                     .end_ps = r->base_ps + bar->end_ps,
                                     .kind = kind_of(bar->class, &detail),
                                     .name = sl_names_add(&r->timeline->names, bar->node),
                                     .correlation = r->correlation++,
                                     .bytes = bar->bytes,
                                     .detail = &detail};
    struct sl_timeline_event ready = {.start_ps = r->base_ps + bar->ready_ps,
                                      .end_ps = r->base_ps + bar->ready_ps,
                                      .kind = SL_EVENT_CALL,
                                      .name = sl_names_add(&r->timeline->names, "ready"),
                                      .correlation = work.correlation,
                                      .bytes = -1};
    bool device = *r->resources.names[bar->resource];
    if (work.name == SL_NONE || ready.name == SL_NONE)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (!device) {
        work.kind = SL_EVENT_OTHER;
        work.correlation = -1;
        enum sl_status status = host_lane(r, NO_RESOURCE, &work.lane, err);
        return status == SL_OK ? sl_timeline_add(r->timeline, &work, err) : status;
    }
    uint32_t stream = 0;
    enum sl_status status = host_lane(r, HOST, &ready.lane, err);
    if (status == SL_OK)
        status = sl_timeline_add(r->timeline, &ready, err);
    if (status == SL_OK)
        status = take_stream(r, bar->resource, work.start_ps, work.end_ps, &stream, err);
    if (status == SL_OK)
        status = stream_lane(r, bar->resource, stream, &work.lane, err);
    return status == SL_OK ? sl_timeline_add(r->timeline, &work, err) : status;
}

/* A run is what rows of one cell and trial, or of one repetition, tell. */
static bool same_run(const struct reading *r, uint32_t a, uint32_t b)
{
    static const uint32_t keys[] = {CELL, AT, TRIAL, REPETITION};
    bool same = true;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        same &= strcmp(sl_csv_cell(&r->table, a, keys[k]), sl_csv_cell(&r->table, b, keys[k])) == 0;
    return same;
}

static enum sl_status end_run(struct reading *r, uint32_t row, struct sl_error *err)
{
    char name[160];
    int64_t end_ps = 0;
    enum sl_status status = SL_OK;
    if (r->table.present[TRIAL])
        snprintf(name, sizeof name, "cell %.40s trial %.40s", sl_csv_cell(&r->table, row, CELL),
                 sl_csv_cell(&r->table, row, TRIAL));
    else
        snprintf(name, sizeof name, "repetition %.40s", sl_csv_cell(&r->table, row, REPETITION));
    sl_sort(r->bars, r->bar_count, sizeof *r->bars, by_start);
    for (uint32_t i = 0; i < r->bar_count && status == SL_OK; i++) {
        status = add_bar(r, &r->bars[i], err);
        end_ps = r->bars[i].end_ps > end_ps ? r->bars[i].end_ps : end_ps;
    }
    struct sl_timeline_event range = {.start_ps = r->base_ps,
                                      .end_ps = r->base_ps + end_ps,
                                      .kind = SL_EVENT_RANGE,
                                      .name = sl_names_add(&r->timeline->names, name),
                                      .correlation = -1,
                                      .bytes = -1};
    if (status == SL_OK && range.name == SL_NONE)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        status = host_lane(r, HOST, &range.lane, err);
    if (status == SL_OK)
        status = sl_timeline_add(r->timeline, &range, err);
    r->bar_count = 0;
    r->base_ps = range.end_ps + PAUSE_PS;
    if (status == SL_OK && r->base_ps > MOST_PS)
        status =
            SL_FAIL(err, SL_INVALID, "%s: its runs take more than 26 days together", r->table.file);
    return status;
}

static enum sl_status read_rows(struct reading *r, const struct sl_import_progress *progress,
                                struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t row = 0; row < r->table.row_count && status == SL_OK; row++) {
        r->timeline->read++;
        if (row > 0 && !same_run(r, row - 1, row))
            status = end_run(r, row - 1, err);
        struct bar bar;
        if (status != SL_OK || !read_bar(r, row, &bar))
            continue;
        bar.resource = sl_names_add(&r->resources, sl_csv_cell(&r->table, row, RESOURCE));
        if (bar.resource == SL_NONE ||
            !sl_grow((void **)&r->bars, &r->bar_capacity, r->bar_count + 1, sizeof *r->bars))
            status = SL_FAIL(err, SL_SYSTEM, "out of memory");
        else
            r->bars[r->bar_count++] = bar;
        if (progress && row % TOLD_EVERY == 0)
            progress->tell(progress->user, row, r->table.row_count);
    }
    if (status == SL_OK && r->table.row_count > 0)
        status = end_run(r, r->table.row_count - 1, err);
    return status;
}

static enum sl_status read_slackline(const char *path, struct sl_timeline *timeline,
                                     const struct sl_import_progress *progress,
                                     struct sl_diags *diags, struct sl_error *err)
{
    struct reading reading = {.timeline = timeline, .diags = diags};
    enum sl_status status = sl_csv_read(&reading.table, path, columns, COLUMNS, diags, err);
    if (status == SL_OK)
        status = sl_diags_status(diags, err);
    if (status == SL_OK && !reading.table.present[END] && !reading.table.present[FINISH])
        status = SL_FAIL(err, SL_INVALID, "%s: neither end_us nor finish_us is a column", path);
    if (status == SL_OK)
        status = read_rows(&reading, progress, err);
    sl_csv_free(&reading.table);
    sl_names_free(&reading.resources);
    free(reading.bars);
    for (uint32_t i = 0; i < reading.stream_capacity; i++)
        free(reading.streams[i].until_ps);
    free(reading.streams);
    return status;
}

static bool probe(const unsigned char *head, size_t size)
{
    static const char *const starts[] = {"repetition,node,resource,ready_us,",
                                         "cell,at,trial,node,"};
    bool known = false;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        known |= size >= strlen(starts[i]) && memcmp(head, starts[i], strlen(starts[i])) == 0;
    return known;
}

const struct sl_importer sl_importer_slackline = {
    .name = "slackline",
    .description = "timeline.csv of a replay, each repetition a step; gantt.csv of results, each "
                   "trial one",
    .example = "replay/timeline.csv",
    .probe = probe,
    .read = read_slackline,
};
