/* Exports against what their formats demand: a small checker of the Trace Event Format that knows
 * nothing of the writer, the trial that was exported, and the importer of profilers' traces, which
 * must find the same schedule. */
#include <config.h>

#include "dice.h"
#include "exporter.h"
#include "importer.h"
#include "lab.h"
#include "tempdir.h"
#include <yajl/yajl_tree.h>

enum { NODES = 120, MOST_PROCESSES = 8 };

static struct lab lab;
static struct tempdir dir;
static char path[600];
static struct sl_link links[4 * NODES];
static struct sl_export what;
static uint32_t resources;

/* A machine of 3, 2 and 1 servers, works of whole ns, some of them wide, some of no resource. */
static void make_trial(uint64_t seed)
{
    struct dice dice = {.state = seed};
    lab_open(&lab);
    lab_resource(&lab, "sm", 3);
    lab_resource(&lab, "copy \"engines\"", 2);
    lab_resource(&lab, "link", 1);
    resources = lab.platform.resource_names.count;
    uint32_t hbm = lab_domain(&lab, "hbm", GIB), host = lab_domain(&lab, "host", -1);
    lab_graph(&lab);
    for (uint32_t i = 0; i < NODES; i++) {
        char name[32], duration[32];
        snprintf(name, sizeof name, "n%u\\x", (unsigned)i);
        snprintf(duration, sizeof duration, "%uns",
                 dice_below(&dice, 5) ? dice_below(&dice, 900) : 0);
        bool bare = dice_chance(&dice, 10);
        uint32_t node = lab_node(&lab, name, duration, bare ? SL_NONE : dice_below(&dice, 3));
        if (!bare && dice_chance(&dice, 20))
            LAB_NODE(&lab, node).kind = SL_PREFETCH;
        if (dice_chance(&dice, 60))
            lab_workspace(&lab, node, dice_chance(&dice, 80) ? hbm : host,
                          1 + dice_below(&dice, 999));
        for (int k = 0; k < 2 && i > 0; k++)
            if (dice_chance(&dice, 40))
                lab_edge(&lab, dice_below(&dice, i), node);
    }
    const struct sl_trial *trial = lab_run_flags(&lab, 1, 0, SL_RECORD_LEVELS);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    what = (struct sl_export){.scenario = "s\n", .policy = "p", .graph = lab.graph, .trial = trial};
    what.links = links;
    what.link_count = sl_trial_chain(lab.program, trial, links, sizeof links / sizeof *links);
    what.to_ps = INT64_MAX;
}

static void setup(void)
{
    tempdir_make(&dir);
    tempdir_write(&dir, "out", "");
    snprintf(path, sizeof path, "%.500s/out", dir.path);
}

static void teardown(void)
{
    lab_close(&lab);
    tempdir_remove(&dir);
}

static char *write_as(const struct sl_exporter *exporter)
{
    FILE *file = fopen(path, "w+");
    ck_assert_ptr_nonnull(file);
    LAB_OK(&lab, exporter->write(&what, file, &lab.err));
    long size = ftell(file);
    char *text = calloc(1, (size_t)size + 1);
    ck_assert_ptr_nonnull(text);
    rewind(file);
    ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return text;
}

/* ---- a checker of the Trace Event Format ------------------------------------------------------
 */

static yajl_val member(yajl_val map, const char *name)
{
    const char *at[] = {name, NULL};
    return yajl_tree_get(map, at, yajl_t_any);
}

static const char *text_of(yajl_val map, const char *name)
{
    yajl_val value = member(map, name);
    ck_assert_msg(value && YAJL_IS_STRING(value), "no text '%s'", name);
    return YAJL_GET_STRING(value);
}

static int64_t integer_of(yajl_val map, const char *name)
{
    yajl_val value = member(map, name);
    ck_assert_msg(value && YAJL_IS_INTEGER(value), "no integer '%s'", name);
    return YAJL_GET_INTEGER(value);
}

/* Microseconds with up to six decimals, as ps. */
static int64_t ps_of(yajl_val map, const char *name)
{
    yajl_val value = member(map, name);
    ck_assert_msg(value && YAJL_IS_NUMBER(value), "no number '%s'", name);
    long long us = 0;
    char digits[8] = "000000";
    const char *text = YAJL_GET_NUMBER(value), *point = strchr(text, '.');
    us = strtoll(text, NULL, 10);
    if (point) {
        ck_assert_uint_le(strlen(point + 1), 6);
        memcpy(digits, point + 1, strlen(point + 1));
    }
    ck_assert(us >= 0 && *text != '-');
    return us * US + strtoll(digits, NULL, 10);
}

struct track_slice {
    int64_t pid, tid, start, end;
    const char *name;
};
static struct track_slice slices[4 * NODES];
static uint32_t slice_count;

static void take_slice(yajl_val event)
{
    struct track_slice slice = {integer_of(event, "pid"), integer_of(event, "tid"),
                                ps_of(event, "ts"), 0, text_of(event, "name")};
    slice.end = slice.start + ps_of(event, "dur");
    text_of(event, "cat");
    for (uint32_t i = 0; i < slice_count; i++)
        if (slices[i].pid == slice.pid && slices[i].tid == slice.tid)
            ck_assert_msg(slices[i].end <= slice.start || slice.end <= slices[i].start, "%s, %s",
                          slices[i].name, slice.name);
    ck_assert_uint_lt(slice_count, 4 * NODES);
    slices[slice_count++] = slice;
}

static void check_counter(yajl_val event)
{
    yajl_val args = member(event, "args");
    ps_of(event, "ts");
    ck_assert(args && YAJL_IS_OBJECT(args) && args->u.object.len > 0);
    for (size_t i = 0; i < args->u.object.len; i++)
        ck_assert(YAJL_IS_NUMBER(args->u.object.values[i]));
}

static void check_metadata(yajl_val event)
{
    const char *name = text_of(event, "name");
    ck_assert(strcmp(name, "process_name") == 0 || strcmp(name, "thread_name") == 0);
    text_of(member(event, "args"), "name");
}

/* An arrow's end lies in a slice of its track. */
static int64_t check_end(yajl_val event)
{
    int64_t pid = integer_of(event, "pid"), tid = integer_of(event, "tid"), t = ps_of(event, "ts");
    bool inside = false;
    for (uint32_t i = 0; i < slice_count; i++)
        inside |= slices[i].pid == pid && slices[i].tid == tid && slices[i].start <= t &&
                  t <= slices[i].end;
    ck_assert(inside);
    return t;
}

/* Each arrow starts once, then ends once, and not before. */
static uint32_t check_arrows(yajl_val events)
{
    uint32_t arrows = 0;
    for (size_t i = 0; i < events->u.array.len; i++) {
        yajl_val from = events->u.array.values[i];
        if (strcmp(text_of(from, "ph"), "s") != 0)
            continue;
        int found = 0;
        for (size_t k = 0; k < events->u.array.len; k++) {
            yajl_val to = events->u.array.values[k];
            if (strcmp(text_of(to, "ph"), "f") != 0 ||
                integer_of(to, "id") != integer_of(from, "id"))
                continue;
            found++;
            ck_assert_str_eq(text_of(to, "cat"), text_of(from, "cat"));
            ck_assert_str_eq(text_of(to, "bp"), "e");
            ck_assert_int_le(check_end(from), check_end(to));
        }
        ck_assert_int_eq(found, 1);
        arrows++;
    }
    return arrows;
}

/* Fills `slices`; returns the number of arrows. */
static uint32_t check_trace(const char *text)
{
    char why[256];
    yajl_val root = yajl_tree_parse(text, why, sizeof why);
    ck_assert_msg(root != NULL, "%s", why);
    yajl_val events = member(root, "traceEvents");
    ck_assert(events && YAJL_IS_ARRAY(events));
    slice_count = 0;
    for (size_t i = 0; i < events->u.array.len; i++) {
        yajl_val event = events->u.array.values[i];
        const char *phase = text_of(event, "ph");
        text_of(event, "name");
        integer_of(event, "pid");
        integer_of(event, "tid");
        ck_assert_msg(strlen(phase) == 1 && strchr("MXCsf", *phase), "phase %s", phase);
        if (*phase == 'X')
            take_slice(event);
        else if (*phase == 'C')
            check_counter(event);
        else if (*phase == 'M')
            check_metadata(event);
    }
    uint32_t arrows = check_arrows(events);
    for (uint32_t i = 0; i < slice_count; i++) /* the names go with the tree */
        slices[i].name = NULL;
    yajl_tree_free(root);
    return arrows;
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* The slice of a node, on the tracks of what it demands, is its run in the trial. */
static void check_schedule(void)
{
    uint32_t expected = 0, found = 0, tracks[MOST_PROCESSES] = {0};
    for (uint32_t i = 0; i < NODES; i++) {
        const struct sl_span *demands = &lab.graph->nodes[i].demands;
        int64_t pid =
            demands->count ? lab.graph->demands[demands->first].resource + 1 : resources + 1;
        int64_t end = demands->count ? what.trial->free_ps[i] : what.trial->finish_ps[i];
        if (what.trial->start_ps[i] > what.to_ps || end < what.from_ps)
            continue;
        expected++;
        for (uint32_t k = 0; k < slice_count; k++)
            if (slices[k].pid == pid && slices[k].start == what.trial->start_ps[i] &&
                slices[k].end == end) {
                slices[k].pid = -pid; /* each stands for one node */
                found++;
                break;
            }
    }
    ck_assert_uint_eq(expected, found);
    ck_assert_uint_eq(slice_count, found);
    for (uint32_t k = 0; k < slice_count; k++)
        if (slices[k].tid > tracks[-slices[k].pid])
            tracks[-slices[k].pid] = (uint32_t)slices[k].tid;
    for (uint32_t r = 0; r < resources; r++) /* servers that hold one each */
        ck_assert_uint_le(tracks[r + 1], lab.resources[r].servers);
}

START_TEST(trace_is_the_trial)
{
    make_trial((uint64_t)_i + 1);
    char *text = write_as(&sl_exporter_perfetto);
    uint32_t arrows = check_trace(text), links_of_runs = 0;
    check_schedule();
    for (size_t k = 0; k < what.link_count; k++)
        links_of_runs += !links[k].waiting;
    ck_assert_uint_eq(arrows, links_of_runs - 1);
    free(text);
}
END_TEST

START_TEST(window)
{
    make_trial((uint64_t)_i + 1);
    what.from_ps = what.trial->makespan_ps / 3;
    what.to_ps = what.trial->makespan_ps / 2;
    char *text = write_as(&sl_exporter_perfetto);
    check_trace(text);
    check_schedule();
    ck_assert_uint_lt(slice_count, NODES);
    free(text);
}
END_TEST

/* What profilers' traces are read by finds each work where the trial had it. */
START_TEST(import_gives_it_back)
{
    make_trial((uint64_t)_i + 1);
    free(write_as(&sl_exporter_perfetto));
    struct sl_timeline timeline = {0};
    struct sl_diags diags = {0};
    LAB_OK(&lab, sl_import(path, &timeline, NULL, &diags, NULL, &lab.err));
    uint32_t works = 0;
    int64_t first_ps = INT64_MAX;
    for (uint32_t i = 0; i < NODES; i++)
        if (lab.graph->nodes[i].demands.count > 0 && what.trial->start_ps[i] < first_ps)
            first_ps = what.trial->start_ps[i];
    for (uint32_t i = 0; i < NODES; i++) {
        const struct sl_node *node = &lab.graph->nodes[i];
        if (node->demands.count == 0)
            continue;
        works++;
        uint32_t name = sl_names_find(&timeline.names, node->name), event = 0;
        ck_assert_uint_ne(name, SL_NONE);
        while (event < timeline.count && timeline.name[event] != name)
            event++;
        ck_assert_uint_lt(event, timeline.count);
        ck_assert_int_eq(timeline.start_ps[event], what.trial->start_ps[i] - first_ps);
        ck_assert_int_eq(timeline.end_ps[event], what.trial->free_ps[i] - first_ps);
        ck_assert_int_eq(timeline.kind[event],
                         node->kind == SL_PREFETCH ? SL_EVENT_COPY : SL_EVENT_KERNEL);
        ck_assert_int_eq(timeline.lanes[timeline.lane[event]].process,
                         lab.graph->demands[node->demands.first].resource + 1);
    }
    ck_assert_uint_eq(timeline.count, works);
    /* One that takes no time counts where another starts at the same time. */
    ck_assert_uint_le(timeline.hazards[SL_HAZARD_OVERLAP], timeline.hazards[SL_HAZARD_ZERO_TIME]);
    ck_assert_uint_eq(timeline.hazards[SL_HAZARD_ROUNDED], 0);
    ck_assert_uint_eq(timeline.hazards[SL_HAZARD_FLOW_ORPHAN], 0);
    sl_timeline_free(&timeline);
    sl_diags_free(&diags);
}
END_TEST

static uint32_t lines_with(const char *text, const char *part)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

START_TEST(dot)
{
    make_trial(3);
    char *text = write_as(&sl_exporter_dot);
    ck_assert_int_eq(strncmp(text, "digraph plan {\n", 15), 0);
    ck_assert_str_eq(text + strlen(text) - 2, "}\n");
    ck_assert_uint_eq(lines_with(text, " -> "), lab.graph->edge_count);
    ck_assert_uint_eq(lines_with(text, "[label="), NODES);
    ck_assert_uint_eq(lines_with(text, "\"n7\\\\x\""), 1); /* the name has one backslash */
    ck_assert_ptr_nonnull(strstr(text, "label=\"s?, p\""));
    free(text);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("export");
    TCase *cases = tcase_create("export");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_loop_test(cases, trace_is_the_trial, 0, 10);
    tcase_add_loop_test(cases, window, 0, 3);
    tcase_add_loop_test(cases, import_gives_it_back, 0, 10);
    tcase_add_test(cases, dot);
    suite_add_tcase(suite, cases);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
