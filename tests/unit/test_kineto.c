/* The Kineto importer against small traces written here: what each event becomes, every hazard
 * counted, and files that are hostile end in a located error or a counted skip. */
#include <config.h>

#include "audit.h"
#include "dice.h"
#include "harness.h"
#include "importer.h"
#include "tempdir.h"
#include <zlib.h>

#define NS INT64_C(1000) /* ps */

static struct tempdir dir;
static struct sl_timeline t;
static struct sl_diags diags;
static struct sl_error err;
static char path[640];

static void clear(void)
{
    sl_timeline_free(&t);
    sl_diags_free(&diags);
    diags = (struct sl_diags){0};
    err = (struct sl_error){0};
}

static void setup(void)
{
    tempdir_make(&dir);
    snprintf(path, sizeof path, "%s/t.json", dir.path);
}

static void teardown(void)
{
    clear();
    remove(path);
    tempdir_remove(&dir);
}

static enum sl_status import_bytes(const char *bytes, size_t size)
{
    clear();
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
    return sl_import(path, &t, NULL, &diags, NULL, &err);
}

static enum sl_status import_text(const char *text)
{
    return import_bytes(text, strlen(text));
}

/* Two events that are good, whatever stands between them. */
#define FIRST                                                                                      \
    "{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","     \
    "\"pid\":1,\"tid\":2,\"ts\":1000.5,\"dur\":2,\"args\":{\"correlation\":9}},\n"
#define LAST                                                                                       \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1003,"             \
    "\"dur\":4.25,\"args\":{\"device\":0,\"stream\":7,\"correlation\":9,"                          \
    "\"grid\":[3,2,1],\"block\":[64,1,1],\"shared memory\":5,\"registers per thread\":6}}]}\n"

static void check_both(void)
{
    ck_assert_msg(err.status == SL_OK, "%s:%d:%d: %s", err.place.file, err.place.line,
                  err.place.column, err.message);
    ck_assert_uint_ge(t.count, 2);
    ck_assert_str_eq(t.names.names[t.name[0]], "cudaLaunchKernel");
    ck_assert_str_eq(t.names.names[t.name[t.count - 1]], "k");
}

START_TEST(fields_and_exact_times)
{
    ck_assert_int_eq(import_text(FIRST LAST), SL_OK);
    check_both();
    ck_assert_uint_eq(t.count, 2);
    ck_assert_int_eq(t.origin_ns, 1000500);
    ck_assert_int_eq(t.start_ps[1], 2500 * NS);
    ck_assert_int_eq(t.end_ps[1], 6750 * NS);
    ck_assert_uint_eq(t.cause[1], 0);
    const struct sl_event_detail *detail = &t.details[t.detail[1]];
    ck_assert(detail->grid[0] == 3 && detail->grid[1] == 2 && detail->block[0] == 64);
    ck_assert(detail->shared_bytes == 5 && detail->registers == 6 && detail->graph_node == -1);
    const struct sl_lane *lane = &t.lanes[t.lane[1]];
    ck_assert(lane->kind == SL_LANE_STREAM && lane->process == 0 && lane->number == 7);
    lane = &t.lanes[t.lane[0]];
    ck_assert(lane->kind == SL_LANE_THREAD && lane->process == 1 && lane->number == 2);
    /* A double has no 1712195495519689.047. */
    ck_assert_int_eq(
        import_text("[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,"
                    "\"ts\":1712195495519689.047,\"dur\":0.001}]"),
        SL_OK);
    ck_assert_int_eq(t.origin_ns, INT64_C(1712195495519689047));
    ck_assert_int_eq(t.end_ps[0], NS);
}
END_TEST

START_TEST(kinds_of_events)
{
    static const char text[] =
        "{\"deviceProperties\":[{\"id\":0,\"name\":\"A100\"},{\"id\":1,\"name\":\"B\"}],"
        "\"baseTimeNanoseconds\":17, \"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pinned -> Device)\",\"ts\":1,"
        "\"dur\":1,\"pid\":0,\"tid\":3,\"args\":{\"bytes\":77,\"stream\":3,\"device\":2}},"
        "{\"ph\":\"X\",\"cat\":\"Memset\",\"name\":\"Memset "
        "(Device)\",\"ts\":2,\"dur\":1,\"pid\":0,"
        "\"tid\":\"stream 5\"},"
        "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait Event\",\"ts\":3,\"dur\":1,"
        "\"pid\":0,\"tid\":3,\"args\":{\"cuda_sync_kind\":\"Stream Wait Event\",\"stream\":3,"
        "\"device\":2,\"wait_on_stream\":4,\"wait_on_cuda_event_record_corr_id\":5}},"
        "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Context "
        "Sync\",\"ts\":4,\"dur\":1,\"pid\":0,"
        "\"tid\":-1,\"args\":{\"cuda_sync_kind\":\"Context Sync\",\"stream\":-1}},"
        "{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"aten::add\",\"ts\":5,\"dur\":1,\"pid\":9,"
        "\"tid\":\"9\"},"
        "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"step\",\"ts\":6,\"dur\":1,"
        "\"pid\":\"Spans\",\"tid\":\"main\"},"
        "{\"ph\":\"X\",\"cat\":\"xpu_runtime\",\"name\":\"call\",\"ts\":7,\"dur\":1,\"pid\":9,"
        "\"tid\":9},"
        "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f\",\"ts\":8,\"dur\":1,\"pid\":9,"
        "\"tid\":9},"
        "{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":\"9\",\"args\":{\"Device Type\":1,"
        "\"Device Id\":2,\"Bytes\":-5,\"Addr\":11,\"Total Allocated\":6,\"Total Reserved\":8}},"
        "{\"ph\":\"s\",\"cat\":\"ac2g\",\"id\":1,\"ts\":1},{\"ph\":\"f\",\"cat\":\"ac2g\",\"id\":1}"
        ","
        "{\"ph\":\"f\",\"cat\":\"ac2g\",\"id\":2},{\"ph\":\"M\",\"name\":\"process_name\"}]}";
    static const enum sl_event_kind kinds[] = {
        SL_EVENT_COPY,     SL_EVENT_SET,   SL_EVENT_STREAM_WAIT, SL_EVENT_HOST_WAIT,
        SL_EVENT_OPERATOR, SL_EVENT_RANGE, SL_EVENT_CALL};
    ck_assert_int_eq(import_text(text), SL_OK);
    ck_assert_uint_eq(t.count, 7);
    for (uint32_t i = 0; i < t.count; i++)
        ck_assert_int_eq(t.kind[i], kinds[i]);
    const struct sl_event_detail *copy = &t.details[t.detail[0]], *wait = &t.details[t.detail[2]];
    ck_assert(copy->from == SL_MEMORY_PINNED && copy->to == SL_MEMORY_DEVICE && t.bytes[0] == 77);
    ck_assert_int_eq(t.lanes[t.lane[0]].process, 2);
    ck_assert_int_eq(t.lanes[t.lane[1]].number, 5);
    ck_assert_int_eq(t.lanes[wait->waited_lane].number, 4);
    ck_assert_int_eq(t.lanes[wait->waited_lane].process, 2);
    ck_assert_int_eq(wait->waited_correlation, 5);
    ck_assert_uint_eq(t.lane[4], t.lane[6]); /* "9" and 9 are one thread */
    ck_assert_str_eq(t.device_name, "A100");
    ck_assert_int_eq(t.clock_ns, 17);
    ck_assert_uint_eq(t.read, 13);
    ck_assert_uint_eq(t.memory_count, 1);
    ck_assert(t.memory[0].bytes == -5 && t.memory[0].address == 11 && t.memory[0].device == 2 &&
              t.memory[0].allocated_bytes == 6 && t.memory[0].reserved_bytes == 8);
    ck_assert_uint_eq(t.flows.count, 2);
    ck_assert_uint_eq(t.hazards[SL_HAZARD_FLOW_ORPHAN], 1);
    ck_assert_uint_eq(t.left_out.count, 2); /* python_function, metadata */
}
END_TEST

/* What stands between two good events is a counted skip: the hazard, and how often. */
static const struct {
    const char *what, *between;
    enum sl_trace_hazard hazard;
    unsigned count;
} skips[] = {
    {"NaN as a time", "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":NaN,\"dur\":1},",
     SL_HAZARD_BAD_EVENT, 1},
    {"bare inf", "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1001,\"dur\":inf},", SL_HAZARD_BAD_EVENT,
     1},
    {"-Infinity in args",
     "{\"ph\":\"i\",\"name\":\"x\",\"args\":{\"bandwidth\":-Infinity,\"y\":[nan, +inf]}},",
     SL_HAZARD_BAD_VALUE, 3},
    {"a key twice",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"d\",\"ts\":5,\"ts\":1001,\"dur\":1},",
     SL_HAZARD_BAD_VALUE, 1},
    {"raw control characters", "{\"ph\":\"M\",\"name\":\"a\nb\tc\001d\"},", SL_HAZARD_BAD_TEXT, 3},
    {"wrong encoding",
     "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"caf\xE9 \xFF\",\"ts\":1001,\"dur\":1},",
     SL_HAZARD_BAD_TEXT, 1},
    {"NUL in a name",
     "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\\u0000b\",\"ts\":1001,\"dur\":1},",
     SL_HAZARD_BAD_TEXT, 1},
    {"a text as a time", "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":\"noon\",\"dur\":1},",
     SL_HAZARD_BAD_EVENT, 1},
    {"no time", "{\"ph\":\"X\",\"cat\":\"kernel\",\"dur\":1},", SL_HAZARD_BAD_EVENT, 1},
    {"no duration", "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1001},", SL_HAZARD_BAD_EVENT, 1},
    {"a huge time", "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1e300,\"dur\":1},",
     SL_HAZARD_BAD_EVENT, 1},
    {"a time a year off", "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":3e13,\"dur\":1},",
     SL_HAZARD_BAD_EVENT, 1},
    {"a huge duration", "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1001,\"dur\":9e15},",
     SL_HAZARD_BAD_EVENT, 1},
    {"a negative duration", "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1001,\"dur\":-1},",
     SL_HAZARD_REVERSED, 1},
    {"a duration negative by less than half a ns",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1001.0006,\"dur\":-0.0002},", SL_HAZARD_REVERSED, 1},
    {"a huge integer",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1001,\"dur\":1,"
     "\"args\":{\"bytes\":99999999999999999999999999}},",
     SL_HAZARD_BAD_VALUE, 1},
    {"a grid of texts and of four",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1001,\"dur\":1,\"args\":{\"block\":[1,1,1,1],"
     "\"grid\":[-1]}},",
     SL_HAZARD_BAD_VALUE, 2},
    {"finer than a ns", "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1001.0005,\"dur\":1},",
     SL_HAZARD_ROUNDED, 1},
    {"events that are none", "7, null, \"x\", true, [[{\"ph\":\"X\"}]],", SL_HAZARD_BAD_EVENT, 5},
    {"no phase", "{}, {\"ph\":3}, {\"ph\":\"\"},", SL_HAZARD_BAD_EVENT, 3},
    {"args that is no object",
     "{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":\"1001\",\"dur\":1,\"args\":[{\"ts\":4}]},",
     SL_HAZARD_BAD_EVENT, 0},
};

START_TEST(skipped_and_counted)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s", FIRST, skips[_i].between, LAST);
    ck_assert_int_eq(import_text(text), SL_OK);
    check_both();
    ck_assert_msg(t.hazards[skips[_i].hazard] == skips[_i].count, "%s: %llu counted",
                  skips[_i].what, (unsigned long long)t.hazards[skips[_i].hazard]);
    for (uint32_t i = 0; i < diags.count; i++)
        ck_assert(diags.items[i].place.line >= 2 && diags.items[i].place.column >= 1);
    if (skips[_i].count > 0)
        ck_assert_uint_ge(diags.count, 1);
}
END_TEST

/* Each kernel ends where the next one starts, finer than a ns: rounding pulls none of them over the
 * next one, whatever the ends of its digits are. */
START_TEST(touching_events_touch_when_rounded)
{
    static char text[1 << 17];
    uint64_t tenths = 10000000; /* of a ns */
    for (int negative = 0; negative <= 1; negative++) {
        size_t at = (size_t)snprintf(text, sizeof text, "[");
        for (uint64_t i = 0; i < 200; i++) {
            uint64_t next = tenths + 20000 + i * 7 % 31, ts = negative ? next : tenths;
            if (negative)
                next = tenths; /* the same from the other end, before 0 */
            uint64_t dur = negative ? ts - next : next - ts;
            at += (size_t)snprintf(
                text + at, sizeof text - at,
                "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,"
                "\"tid\":7,\"ts\":%s%llu.%04llu,\"dur\":%llu.%04llu}",
                i ? "," : "", negative ? "-" : "", (unsigned long long)(ts / 10000),
                (unsigned long long)(ts % 10000), (unsigned long long)(dur / 10000),
                (unsigned long long)(dur % 10000));
            tenths = negative ? ts : next;
        }
        snprintf(text + at, sizeof text - at, "]");
        ck_assert_int_eq(import_text(text), SL_OK);
        ck_assert_uint_eq(t.count, 200);
        for (uint32_t i = 1; i < t.count; i++)
            ck_assert_int_eq(t.start_ps[i], t.end_ps[i - 1]);
        ck_assert_uint_eq(t.hazards[SL_HAZARD_OVERLAP], 0);
    }
}
END_TEST

/* Whole files that are refused, with the place. */
static const struct {
    const char *what, *text, *message;
    int line, column;
} refused[] = {
    {"no trace", "{\"a\": [1]}", "traceEvents", 0, 0},
    {"a number", "3", "no known format", 0, 0},
    {"nothing", "", "empty", 0, 0},
    {"a wrong schema", "{\"traceEvents\": {\"ph\":\"X\"}}", "traceEvents", 0, 0},
    {"two commas", FIRST ",,", "not JSON", 2, 2},
    {"an unknown word", FIRST "nope]}", "not JSON", 2, 1},
    {"a leading zero", FIRST "007]}", "not JSON", 2, 3},
    {"text behind the end", FIRST LAST "}", "not JSON", 3, 1},
    {"a wrong bracket", FIRST LAST "x", "not JSON", 3, 1},
    {"a wrong escape", FIRST "\"\\q\"]}", "not JSON", 2, 3},
    {"UTF-16", "\xFF\xFE{", "UTF-16", 0, 0},
    {"a damaged .gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff\xff\xff",
     "empty, or damaged", 0, 0},
};

START_TEST(refused_with_the_place)
{
    size_t size = strlen(refused[_i].text);
    if (refused[_i].text[0] == '\x1f')
        size = 14;
    ck_assert_int_eq(import_bytes(refused[_i].text, size), SL_INVALID);
    ck_assert_msg(strstr(err.message, refused[_i].message), "%s: %s", refused[_i].what,
                  err.message);
    ck_assert_str_eq(err.place.file, path);
    ck_assert_msg(err.place.line == refused[_i].line &&
                      abs(err.place.column - refused[_i].column) < 2,
                  "%s: %d:%d", refused[_i].what, err.place.line, err.place.column);
}
END_TEST

/* Cut at every byte: an error that names the file, or a kept prefix and a counted cut. */
START_TEST(truncated_anywhere)
{
    static const char text[] = FIRST LAST;
    for (size_t size = 0; size < sizeof text - 2; size++) {
        enum sl_status status = import_bytes(text, size);
        if (status == SL_OK) {
            ck_assert_uint_eq(t.hazards[SL_HAZARD_TRUNCATED], 1);
            ck_assert_uint_ge(diags.count, 1);
        } else {
            ck_assert_int_eq(status, SL_INVALID);
            ck_assert_str_eq(err.place.file, path);
        }
        ck_assert(t.count <= 2 && (size < sizeof FIRST || t.count >= 1));
    }
}
END_TEST

static size_t gzip(const char *text, size_t size, unsigned char *into, size_t room)
{
    gzFile file = gzopen(path, "wb");
    ck_assert_int_eq(gzwrite(file, text, (unsigned)size), (int)size);
    ck_assert_int_eq(gzclose(file), Z_OK);
    FILE *again = fopen(path, "rb");
    size_t got = fread(into, 1, room, again);
    fclose(again);
    return got;
}

START_TEST(gzip_whole_and_cut)
{
    static const char text[] = FIRST LAST;
    unsigned char packed[4096];
    size_t whole = gzip(text, sizeof text - 1, packed, sizeof packed);
    for (size_t size = 1; size <= whole; size++) {
        enum sl_status status = import_bytes((const char *)packed, size);
        bool complete = size == whole;
        ck_assert(status == SL_OK || (status == SL_INVALID && !complete));
        if (status == SL_OK)
            ck_assert_uint_eq(t.hazards[SL_HAZARD_TRUNCATED], !complete);
    }
    ck_assert_uint_eq(t.count, 2);
    packed[whole - 12] ^= 0x55; /* damaged inside */
    ck_assert_int_eq(import_bytes((const char *)packed, whole), SL_INVALID);
}
END_TEST

/* `count` times `piece` between two texts, in memory of the test. */
static enum sl_status import_repeated(const char *before, const char *piece, size_t count,
                                      const char *after)
{
    size_t length = strlen(piece), size = strlen(before) + count * length + strlen(after);
    char *text = malloc(size + 1), *at = text;
    ck_assert_ptr_nonnull(text);
    at = stpcpy(at, before);
    for (size_t i = 0; i < count; i++, at += length)
        memcpy(at, piece, length);
    strcpy(at, after);
    enum sl_status status = import_bytes(text, size);
    free(text);
    return status;
}

START_TEST(large_things)
{
    /* A million levels end at the thousandth. */
    ck_assert_int_eq(import_repeated(FIRST, "[", 1000000, ""), SL_INVALID);
    ck_assert(strstr(err.message, "nested deeper") && err.place.line == 2);
    ck_assert_int_eq(import_repeated(FIRST, "{\"a\":", 1000000, ""), SL_INVALID);
    ck_assert(strstr(err.message, "nested deeper"));
    /* A name of 5 MB is cut and counted. */
    ck_assert_int_eq(import_repeated(FIRST "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"ts\":1001,\"dur\":1,"
                                           "\"name\":\"",
                                     "abcde", 1000000, "\"}," LAST),
                     SL_OK);
    check_both();
    ck_assert_uint_eq(t.hazards[SL_HAZARD_BAD_TEXT], 1);
    ck_assert_uint_lt(t.names.texts.total, 1 << 20);
    /* A text that never ends, and a number of as many digits, end at a limit. */
    ck_assert_int_eq(import_repeated(FIRST "\"", "abcdefgh", (1 << 20) + 9, ""), SL_INVALID);
    ck_assert(strstr(err.message, "a text or number of more than") && err.place.line == 2);
    ck_assert_int_eq(import_repeated(FIRST, "12345678", (1 << 20) + 9, ""), SL_INVALID);
    ck_assert(strstr(err.message, "a text or number of more than"));
    /* A number of 100,000 digits is no time. */
    ck_assert_int_eq(import_repeated(FIRST "{\"ph\":\"X\",\"cat\":\"kernel\",\"dur\":1,\"ts\":",
                                     "1234567890", 10000, "}," LAST),
                     SL_OK);
    ck_assert_uint_eq(t.hazards[SL_HAZARD_BAD_EVENT], 1);
    /* Blanks that pack well are only read. */
    ck_assert_int_eq(import_repeated(FIRST, " ", 3000000, LAST), SL_OK);
    check_both();
    /* Words and texts that fall on the borders of chunks. */
    for (size_t extra = 0; extra < 20; extra++) {
        char after[2048];
        memset(after, ' ', extra);
        strcpy(after + extra, "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"n\",\"ts\":1001.25,"
                              "\"dur\":NaN,\"dur\":1}," LAST);
        ck_assert_int_eq(import_repeated(FIRST, " ", (256 << 10) - 260, after), SL_OK);
        check_both();
        ck_assert_uint_eq(t.count, 3);
        ck_assert_int_eq(t.start_ps[1], 750 * NS);
    }
}
END_TEST

/* Good traces with random damage - bytes changed, cut out, doubled - are read, or refused with a
 * message; what is read can be audited. */
START_TEST(damaged_at_random)
{
    static const char good[] =
        FIRST "{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":1001,\"args\":{\"Device Type\":1,"
              "\"Device Id\":0,\"Addr\":12,\"Bytes\":512,\"Total Allocated\":600}},"
              "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,"
              "\"tid\":2,\"ts\":1000,\"dur\":9}," LAST;
    static const char bytes[] = "\"\\{}[]:,0123456789eE-+.\x01\xC3\x80 nulltrueNaN";
    struct dice dice = {.state = (uint64_t)_i + 17};
    const struct sl_audit_options everything = {.to_ps = INT64_MAX};
    for (int round = 0; round < (sl_test_long() ? 5000 : 100); round++) {
        char text[2 * sizeof good];
        size_t size = sizeof good - 1;
        memcpy(text, good, sizeof good);
        for (uint32_t k = 0; k <= dice_below(&dice, 4); k++) {
            size_t at = dice_below(&dice, (uint32_t)size), cut = dice_below(&dice, 9);
            uint32_t how = dice_below(&dice, 4);
            if (at + cut > size || size + cut > sizeof text)
                continue;
            if (how == 0) {
                memmove(text + at, text + at + cut, size - at - cut);
                size -= cut;
            } else if (how == 1) {
                memmove(text + at + cut, text + at, size - at);
                size += cut;
            } else {
                text[at] = bytes[dice_below(&dice, sizeof bytes - 1)];
            }
        }
        struct sl_audit audit = {0};
        enum sl_status status = import_bytes(text, size);
        ck_assert(status == SL_OK || (status == SL_INVALID && err.message[0]));
        if (status == SL_OK)
            ck_assert_int_eq(sl_audit_make(&audit, &t, &everything, &err), SL_OK);
        sl_audit_free(&audit);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("kineto");
    TCase *cases = tcase_create("kineto");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, fields_and_exact_times);
    tcase_add_test(cases, kinds_of_events);
    tcase_add_test(cases, touching_events_touch_when_rounded);
    tcase_add_loop_test(cases, skipped_and_counted, 0, (int)(sizeof skips / sizeof *skips));
    tcase_add_loop_test(cases, refused_with_the_place, 0, (int)(sizeof refused / sizeof *refused));
    tcase_add_test(cases, truncated_anywhere);
    tcase_add_test(cases, gzip_whole_and_cut);
    tcase_add_test(cases, large_things);
    tcase_add_loop_test(cases, damaged_at_random, 0, 4);
    suite_add_tcase(suite, cases);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
