/* doc/critical-paths.md: what an audit says of the waits of four public traces beside the critical
 * paths that another tool finds there (hta_critical_path.json).  Each figure of the page's table is
 * computed here, by the audit's rules and again by the other tool's. */
#include <config.h>

#include "audit.h"
#include "harness.h"
#include "importer.h"
#include <math.h>
#include <string.h>
#include <yajl/yajl_tree.h>

static struct sl_timeline t;
static struct sl_audit audit;
static char page[1 << 16], paths[1 << 16];

static const struct {
    const char *name, *file, *step; /* the other tool's key; NULL: all of the trace */
} traces[] = {{"simple_add", "simple_add", NULL},
              {"event_sync", "event_sync", NULL},
              {"ns_resolution", "ns_resolution", "1"},
              {"amd", "amd_mi250", NULL}};

static void read_text(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "rb");
    text[file ? fread(text, 1, room - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
}

static double theirs(const char *trace, const char *key, const char *within)
{
    char why[200];
    yajl_val all = yajl_tree_parse(paths, why, sizeof why);
    ck_assert_ptr_nonnull(all);
    const char *deep[] = {trace, within, key, NULL}, *flat[] = {trace, key, NULL};
    yajl_val value = yajl_tree_get(all, within ? deep : flat, yajl_t_number);
    double number = value ? YAJL_GET_DOUBLE(value) : 0; /* absent: the path has none */
    yajl_tree_free(all);
    return number;
}

/* Times as the other tool has them: us of the file as doubles, begins rounded up, ends down. */
static double us_of(int64_t ns)
{
    char text[40];
    snprintf(text, sizeof text, "%lld.%03lld", (long long)(ns / 1000), (long long)(ns % 1000));
    return strtod(text, NULL);
}
static double begin_of(uint32_t event)
{
    return ceil(us_of(t.origin_ns + t.start_ps[event] / 1000));
}
static double end_of(uint32_t event)
{
    return floor(us_of(t.origin_ns + t.start_ps[event] / 1000) +
                 us_of((t.end_ps[event] - t.start_ps[event]) / 1000));
}

/* Time 0 of the other tool. */
static double zero(void)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < t.count; i++)
        least = fmin(least, t.kind[i] == SL_EVENT_OTHER ? least : begin_of(i));
    return least;
}

/* Within [from, to) of its times, how long the thread was in an operator. */
static double in_operators(uint32_t thread, double from, double to)
{
    double sum = 0, until = from;
    for (uint32_t i = 0; i < t.count; i++) {
        if (t.kind[i] != SL_EVENT_OPERATOR || t.lane[i] != thread)
            continue;
        double begin = fmax(begin_of(i), until), end = fmin(end_of(i), to);
        if (end > begin) {
            sum += end - begin;
            until = end;
        }
    }
    return sum;
}

/* The works behind each other that end with the last one, in order. */
struct chain {
    uint32_t works[4096], count; /* index in the audit's */
};

static void follow(struct chain *chain)
{
    uint32_t last = SL_NONE, found[4096], count = 0;
    for (uint32_t i = 0; i < audit.work_count; i++)
        if (last == SL_NONE || t.end_ps[audit.works[i].event] > t.end_ps[audit.works[last].event])
            last = i;
    for (uint32_t i = last; i != SL_NONE && count < 4096;) {
        found[count++] = i;
        uint32_t lane = t.lane[audit.works[i].event];
        bool bound = audit.works[i].behind_ps > 0;
        while (i-- > 0 && t.lane[audit.works[i].event] != lane)
            ;
        if (i == UINT32_MAX || !bound)
            i = SL_NONE;
    }
    for (chain->count = 0; chain->count < count; chain->count++)
        chain->works[chain->count] = found[count - 1 - chain->count];
}

struct figures {
    double works, gaps, launch, operators; /* us */
};

static struct figures by_audit(const struct chain *c, uint32_t from)
{
    struct figures f = {0};
    for (uint32_t i = from; i < c->count; i++) {
        const struct sl_audit_work *work = &audit.works[c->works[i]];
        f.works += (double)(t.end_ps[work->event] - t.start_ps[work->event]) / 1e6;
        f.gaps += i > from ? (double)work->delay_ps / 1e6 : 0;
    }
    const struct sl_audit_work *first = &audit.works[c->works[from]];
    f.launch = first->behind_ps > 0 ? 0 : (double)first->delay_ps / 1e6;
    return f;
}

/* By the other tool's rules, of the path that begins with this work's launch. */
static struct figures by_theirs(const struct chain *c, uint32_t from, double since)
{
    struct figures f = {0};
    for (uint32_t i = from; i < c->count; i++) {
        uint32_t event = audit.works[c->works[i]].event;
        f.works += end_of(event) - begin_of(event);
        if (i > from)
            f.gaps += begin_of(event) - end_of(audit.works[c->works[i - 1]].event);
    }
    const struct sl_audit_work *first = &audit.works[c->works[from]];
    uint32_t call = t.cause[first->event];
    f.launch = first->behind_ps > 0 ? 0 : begin_of(first->event) - begin_of(call);
    f.operators = in_operators(t.lane[call], since, begin_of(call));
    return f;
}

/* Theirs is the longest path. */
static uint32_t longest(const struct chain *c, double since)
{
    uint32_t best = 0;
    double most = -1;
    for (uint32_t i = 0; i < c->count; i++) {
        struct figures f = by_theirs(c, i, since);
        double sum = f.works + f.gaps + f.launch + f.operators;
        if (sum > most) {
            most = sum;
            best = i;
        }
    }
    return best;
}

static void check_row(const char *trace, const char *part, double their, double whole, double same,
                      double rules)
{
    char row[200];
    snprintf(row, sizeof row, "| %s | %s | %.0f | %.3f | %.3f | %.0f |", trace, part, their, whole,
             same, rules);
    printf("# %s\n", row);
    fflush(stdout);
    ck_assert_msg(strstr(page, row) != NULL, "not in the page: %s", row);
}

static void check_trace(const char *name)
{
    static struct chain chain;
    double since = zero() + theirs(name, "first_ts", NULL);
    follow(&chain);
    uint32_t from = longest(&chain, since);
    struct figures whole = by_audit(&chain, 0), same = by_audit(&chain, from),
                   rules = by_theirs(&chain, from, since);
    check_row(name, "works", theirs(name, "gpu_compute_bound", "bound_by"), whole.works, same.works,
              rules.works);
    check_row(name, "gaps between them", theirs(name, "gpu_kernel_kernel_overhead", "bound_by"),
              whole.gaps, same.gaps, rules.gaps);
    check_row(name, "launch", theirs(name, "gpu_kernel_launch_overhead", "bound_by"), whole.launch,
              same.launch, rules.launch);
    char row[200];
    snprintf(row, sizeof row, "| %s | operators | %.0f | - | - | %.0f |", name,
             theirs(name, "cpu_bound", "bound_by"), rules.operators);
    printf("# %s (from work %u of %u)\n", row, from, chain.count);
    ck_assert_msg(strstr(page, row) != NULL, "not in the page: %s", row);
}

/* Their path ends with the host: no work is on it. */
static void check_host_only(const char *name)
{
    double at = zero(), since = at + theirs(name, "first_ts", NULL),
           until = at + theirs(name, "last_ts", NULL), operators = 0;
    for (uint32_t lane = 0; lane < t.lane_count; lane++)
        operators = fmax(operators, in_operators(lane, since, until));
    char row[200];
    snprintf(row, sizeof row, "| %s | operators | %.0f | - | - | %.0f |", name,
             theirs(name, "cpu_bound", "bound_by"), operators);
    printf("# %s\n", row);
    ck_assert_msg(strstr(page, row) != NULL, "not in the page: %s", row);
    ck_assert_double_eq(theirs(name, "gpu_compute_bound", "bound_by"), 0);
}

START_TEST(paths_of)
{
    char path[4096];
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    const struct sl_audit_options options = {.to_ps = INT64_MAX, .step = traces[_i].step};
    snprintf(path, sizeof path, "%.3000s/data/kineto/%s.json.gz", getenv("SL_SHARED"),
             traces[_i].file);
    ck_assert_int_eq(sl_import(path, &t, NULL, &diags, NULL, &err), SL_OK);
    ck_assert_int_eq(sl_audit_make(&audit, &t, &options, &err), SL_OK);
    fflush(stdout);
    if (strcmp(traces[_i].name, "amd") == 0)
        check_host_only(traces[_i].name);
    else
        check_trace(traces[_i].name);
    sl_audit_free(&audit);
    sl_timeline_free(&t);
    sl_diags_free(&diags);
}
END_TEST

int main(void)
{
    char path[4096];
    const char *shared = getenv("SL_SHARED"), *source = getenv("SL_SRCDIR");
    snprintf(path, sizeof path, "%.3000s/data/kineto/hta_critical_path.json", shared ? shared : "");
    FILE *there = source ? fopen(path, "rb") : NULL;
    if (!there)
        return sl_test_skip("no public traces here");
    fclose(there);
    read_text(path, paths, sizeof paths);
    snprintf(path, sizeof path, "%.3000s/doc/critical-paths.md", source);
    read_text(path, page, sizeof page);
    Suite *suite = suite_create("critical paths");
    TCase *cases = tcase_create("critical paths");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, paths_of, 0, (int)(sizeof traces / sizeof *traces));
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
