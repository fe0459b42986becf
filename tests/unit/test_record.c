/* Decision records: what is written is read back to the byte, whatever the texts; every fault of a
 * file is found at its place; the status goes forward only, by evidence, in a history that cannot
 * be rewritten unseen; a section that was changed by hand is named. */
#include <config.h>

#include "harness.h"
#include "record_seal.h"
#include "record_shape.h"
#include "tempdir.h"
#include <math.h>
#include <string.h>

static struct sl_record record, other;
static struct sl_error err;
static struct sl_diags diags;
static char *first_text, *second_text;

static void teardown(void)
{
    sl_record_free(&record);
    sl_record_free(&other);
    sl_diags_free(&diags);
    free(first_text);
    free(second_text);
    first_text = second_text = NULL;
    err = (struct sl_error){0};
    diags = (struct sl_diags){0};
}

static char *print(const struct sl_record *what)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    enum sl_status status = sl_record_print(what, out, &err);
    fclose(out);
    ck_assert_msg(status == SL_OK, "%s", err.message);
    return text;
}

static void start(void)
{
    sl_record_init(&record);
    record.version = "1";
    record.workload = (struct sl_record_workload){
        .scenario = "w", .folder = "dir", .mode = "once", .nodes = 3, .edges = 2, .objects = 1};
    record.objective.metric = "makespan";
    record.results = "out";
    record.selection.why = "a reason";
    ck_assert_int_eq(sl_record_advance(&record, SL_RECORD_HYPOTHESIS, "cmd", "made", NULL, &err),
                     SL_OK);
}

/* ---- round trip --------------------------------------------------------------------------------
 */

static const char *const awkward[] = {
    "plain",
    "with: colon",
    "# not a comment",
    "- not a list",
    "true",
    "null",
    "~",
    "12",
    "1e3",
    "0x1f",
    "",
    " leading and trailing ",
    "'single' and \"double\"",
    "two\nlines\n",
    "tab\there",
    "{flow: [map]}",
    "*alias &anchor !tag",
    "%directive",
    "@ and `",
    "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8E\x89",
    "back\\slash",
    "bell\a",
    "---",
    "key?: ",
    "a very long text that goes on and on, far beyond the width at which an emitter would fold it "
    "into several lines, because texts of deadlocks are long",
};
static unsigned counter;

static const char *next_text(void)
{
    return awkward[counter++ % (sizeof awkward / sizeof *awkward)];
}

static double next_number(void)
{
    static const double numbers[] = {0.1, 1e-300, 3, -2.5, 1.0 / 3, 1e22, INFINITY, -INFINITY, 0};
    return numbers[counter++ % (sizeof numbers / sizeof *numbers)];
}

static void fill(void *item, const struct sl_shape *shape);

static void fill_field(const struct sl_field *field, char *at)
{
    int word;
    switch (field->type) {
    case SL_FIELD_TEXT:
        *(const char **)(void *)at = next_text();
        break;
    case SL_FIELD_TEXTS:
        for (unsigned i = counter++ % 4; i < 3; i++)
            ck_assert(
                sl_record_add_text(&record, (struct sl_record_texts *)(void *)at, next_text()));
        break;
    case SL_FIELD_COUNT:
        *(uint64_t *)(void *)at = counter++ % 3 ? counter : UINT64_MAX;
        break;
    case SL_FIELD_NUMBER:
        *(double *)(void *)at = next_number();
        break;
    case SL_FIELD_FLAG:
        *(bool *)at = counter++ % 2;
        break;
    case SL_FIELD_WORD:
        word = (int)(counter++ % field->word_count);
        memcpy(at, &word, sizeof word);
        break;
    case SL_FIELD_ESTIMATE:
        *(struct sl_estimate *)(void *)at =
            counter++ % 2 ? (struct sl_estimate){counter, counter - 0.1, counter + 0.7}
                          : (struct sl_estimate){counter, NAN, NAN};
        break;
    case SL_FIELD_MAP:
        fill(at, field->shape);
        if (field->optional)
            *(bool *)at = true;
        break;
    case SL_FIELD_LIST:
        for (unsigned i = counter++ % 3; i < 3; i++)
            fill(sl_record_add(&record, at, field->shape), field->shape);
        break;
    }
}

static void fill(void *item, const struct sl_shape *shape)
{
    ck_assert_ptr_nonnull(item);
    for (uint32_t i = 0; i < shape->field_count; i++)
        fill_field(&shape->fields[i], (char *)item + shape->fields[i].offset);
}

/* Twenty-five records, so that every text comes to every kind of place. */
START_TEST(round_trip)
{
    counter = (unsigned)_i * 7;
    sl_record_init(&record);
    fill(&record, &sl_record_shape);
    record.format = SL_RECORD_FORMAT;
    record.history.count = 0;
    record.status = SL_RECORD_HYPOTHESIS;
    ck_assert_int_eq(
        sl_record_advance(&record, SL_RECORD_HYPOTHESIS, next_text(), next_text(), "ab", &err),
        SL_OK);
    first_text = print(&record);
    enum sl_status status =
        sl_record_parse(&other, first_text, strlen(first_text), "d.yaml", &diags, &err);
    ck_assert_msg(status == SL_OK, "%s:%d: %s\n%s", err.place.file, err.place.line, err.message,
                  first_text);
    second_text = print(&other);
    ck_assert_str_eq(first_text, second_text);
    ck_assert_str_eq(other.workload.scenario, record.workload.scenario);
    ck_assert_str_eq(other.selection.why, record.selection.why);
    ck_assert_uint_eq(other.fresh_seed, record.fresh_seed);
    ck_assert_uint_eq(other.costs.count, record.costs.count);
    ck_assert_double_eq(other.measured.tail.value, record.measured.tail.value);
    ck_assert(other.measured.present && other.proofs.present && other.baseline.present);
    ck_assert_int_eq(other.selection.how, record.selection.how);
}
END_TEST

/* What is absent is not in the file, and absent again when read: nothing fills in for it. */
START_TEST(absence)
{
    start();
    first_text = print(&record);
    ck_assert_ptr_null(strstr(first_text, "\nmeasured"));
    ck_assert_ptr_null(strstr(first_text, "\nruntime_feasible"));
    ck_assert_ptr_null(strstr(first_text, "description"));
    ck_assert_ptr_null(strstr(first_text, "wait_bound_us"));
    ck_assert_int_eq(sl_record_parse(&other, first_text, strlen(first_text), "d", &diags, &err),
                     SL_OK);
    ck_assert(!other.projected.present && !other.runtime_feasible.present &&
              !other.measured.present);
    ck_assert_ptr_null(other.workload.description);
    ck_assert(isnan(other.objective.wait_bound_us));
    ck_assert(isnan(other.projected.median.value));
}
END_TEST

/* The tables name every struct once, and what they say lies inside the struct. */
static void check_shape(const struct sl_shape *shape)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        ck_assert_uint_lt(shape->fields[i].offset, shape->size);
        for (uint32_t k = 0; k < i; k++) {
            ck_assert_str_ne(shape->fields[k].key, shape->fields[i].key);
            ck_assert_uint_ne(shape->fields[k].offset, shape->fields[i].offset);
        }
        if (shape->fields[i].shape)
            check_shape(shape->fields[i].shape);
    }
}

START_TEST(shapes)
{
    check_shape(&sl_record_shape);
}
END_TEST

/* doc/decision-record.md names every key, in backquotes. */
static void check_documented(const struct sl_shape *shape, const char *page)
{
    char quoted[100];
    for (uint32_t i = 0; i < shape->field_count; i++) {
        snprintf(quoted, sizeof quoted, "`%s`", shape->fields[i].key);
        ck_assert_msg(strstr(page, quoted) != NULL, "no %s in the page", quoted);
        if (shape->fields[i].shape)
            check_documented(shape->fields[i].shape, page);
    }
}

START_TEST(documented)
{
    char path[4096], page[60000];
    snprintf(path, sizeof path, "%s/doc/decision-record.md", getenv("SL_SRCDIR"));
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    size_t size = fread(page, 1, sizeof page - 1, in);
    fclose(in);
    page[size] = '\0';
    check_documented(&sl_record_shape, page);
}
END_TEST

START_TEST(files)
{
    struct tempdir dir;
    char path[700];
    tempdir_make(&dir);
    tempdir_write(&dir, "decision.yaml", "");
    snprintf(path, sizeof path, "%s/decision.yaml", dir.path);
    start();
    ck_assert_int_eq(sl_record_write(&record, path, &err), SL_OK);
    ck_assert_int_eq(sl_record_read(&other, path, &diags, &err), SL_OK);
    ck_assert_str_eq(other.results, "out");
    sl_record_free(&other);
    ck_assert_int_eq(sl_record_read(&other, dir.path, &diags, &err), SL_INVALID);
    tempdir_remove(&dir);
}
END_TEST

START_TEST(json)
{
    char *text = NULL;
    size_t size = 0;
    start();
    record.projected.present = true;
    record.projected.worst = INFINITY;
    FILE *out = open_memstream(&text, &size);
    ck_assert_int_eq(sl_record_print_json(&record, out, &err), SL_OK);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "\"status\": \"hypothesis\""));
    ck_assert_ptr_nonnull(strstr(text, "\"worst\": \"inf\""));
    ck_assert_ptr_null(strstr(text, "\"measured\":"));
    free(text);
}
END_TEST

/* ---- hostile files -----------------------------------------------------------------------------
 */

/* One change of a good file, and what is to be said of it: a code, and its line in the file where
 * the changed text begins (0: not checked). */
static const struct {
    const char *from, *to, *code, *message;
} faults[] = {
    {"format: 3\n", "format: 4\n", "bad-value",
     "format 4 is not known; this version reads format 3"},
    {"format: 3\n", "format: 1\n", "bad-value",
     "format 1 does not seal what a record holds now, and this version reads format 3: decide "
     "anew"},
    {"format: 3\n", "format: 2\n", "bad-value", "reads format 3: decide anew"},
    {"format: 3\n", "", "missing-key", "the record has no key 'format'"},
    {"format: 3\n", "format: one\n", "bad-value", "format: 'one' is not a whole number"},
    {"format: 3\n", "format: -1\n", "bad-value", "format: '-1' is not a whole number"},
    {"format: 3\n", "format: 99999999999999999999999\n", "bad-value", "is not a whole number"},
    {"format: 3\n", "format: [1]\n", "wrong-type", "format must be a single value, found a list"},
    {"version: '1'\n", "version: {a: 1}\n", "wrong-type",
     "version must be a single value, found a map"},
    {"status: hypothesis\n", "status: hypotesis\n", "bad-value", "(did you mean 'hypothesis'?)"},
    {"status: hypothesis\n", "status: accepted\n", "history-leaps",
     "the status is accepted, but the history ends with hypothesis"},
    {"status: hypothesis\n", "state: hypothesis\n", "unknown-key", "unknown key 'state'"},
    {"status: hypothesis\n", "", "missing-key", "the record has no key 'status'"},
    {"seed: 0\n", "seed: 0\nseed: 1\n", "duplicate", "duplicate key 'seed'"},
    {"  mode: once\n", "  mode: &a once\n", "anchor", "anchors are not allowed"},
    {"  mode: once\n", "  mode: *a\n", "alias", "aliases are not allowed"},
    {"  mode: once\n", "  mode: !!str once\n", "tag", "tags are not allowed"},
    {"  nodes: 3\n", "  nodes: 3.5\n", "bad-value", "nodes: '3.5' is not a whole number"},
    {"  nodes: 3\n", "  nodes: 3\n  knots: 3\n", "unknown-key", "unknown key 'knots' in workload"},
    {"  tail_stated: false\n", "  tail_stated: no\n", "bad-value",
     "tail_stated: 'no' is not true or false"},
    {"  tail_stated: false\n", "  tail_stated: false\n  tail: 12%\n", "bad-value",
     "tail: '12%' is not a number"},
    {"  tail_stated: false\n", "  tail_stated: false\n  tail: nan\n", "bad-value",
     "tail: 'nan' is not a number"},
    {"  tail_stated: false\n", "  tail_stated: false\n  tail: 1e999\n", "bad-value",
     "tail: '1e999' is not a number"},
    {"costs: []\n", "costs: 3\n", "wrong-type", "costs must be a list, found a single value"},
    {"costs: []\n", "costs: [3]\n", "wrong-type", "costs must be a map, found a single value"},
    {"costs: []\n", "costs: [{what: route}]\n", "missing-key", "costs has no key 'name'"},
    {"alternatives: []\n",
     "alternatives: [{policy: p, standing: slower, evidence: e, tail_us: {lo: 1}}]\n",
     "missing-key", "tail_us has no key 'value'"},
    {"alternatives: []\n",
     "alternatives: [{policy: p, standing: slower, evidence: e, tail_us: {value: 3, lo: 4, hi: "
     "5}}]\n",
     "bad-value", "tail_us: the value lies outside its interval"},
    {"alternatives: []\n",
     "alternatives: [{policy: p, standing: slower, evidence: e, tail_us: {value: 3, low: 2}}]\n",
     "unknown-key", "unknown key 'low' in tail_us"},
    {"  settings: []\n", "  settings: [[a]]\n", "wrong-type",
     "settings must be a single value, found a list"},
    {"gate: []\n", "gate: [{condition: c, outcome: passed, evidence: e, keys: []}]\n", "bad-value",
     "outcome: unknown word 'passed'"},
    {"  evidence: made\n", "  evidence: invented\n", "history-rewritten",
     "the seal of entry 1 does not fit"},
    {"  to: hypothesis\n", "  to: accepted\n", "history-leaps",
     "entry 1 goes from hypothesis to accepted, after nothing"},
    {"seed: 0\n", "seed: 1\n", "section-changed", "section 'seed' is not what was sealed at"},
    {"- section: seed\n", "- section: sed\n", "section-unsealed", "section 'seed' has no seal"},
    {"  body: ", "  body: 0", "seals-changed", "are not those that the last entry of the history"},
    {"results: out\n", "results: out\n\xFF\n", "utf8", "is not valid UTF-8"},
    {"results: out\n", "results: \"out\n", "syntax", "not valid YAML"},
    {"results: out\n", "results: out\n--- {}\n", "second", "a second document starts here"},
};

static char *changed(const char *text, const char *from, const char *to, int *line)
{
    const char *at = strstr(text, from);
    if (!at)
        return NULL;
    *line = 1;
    for (const char *c = text; c < at; c++)
        *line += *c == '\n';
    char *result = malloc(strlen(text) + strlen(to) + 1);
    ck_assert_ptr_nonnull(result);
    sprintf(result, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return result;
}

START_TEST(hostile)
{
    int line = 0;
    start();
    first_text = print(&record);
    second_text = changed(first_text, faults[_i].from, faults[_i].to, &line);
    ck_assert_msg(second_text != NULL, "no '%s' in\n%s", faults[_i].from, first_text);
    enum sl_status status =
        sl_record_parse(&other, second_text, strlen(second_text), "d.yaml", &diags, &err);
    ck_assert_int_eq(status, SL_INVALID);
    bool said = strstr(err.message, faults[_i].message) != NULL;
    for (uint32_t i = 0; i < diags.count; i++) {
        if (strcmp(diags.items[i].code, faults[_i].code) != 0)
            continue;
        said |= strstr(diags.items[i].message, faults[_i].message) != NULL;
        ck_assert_int_gt(diags.items[i].place.line, 0);
    }
    ck_assert_msg(said, "%s; first of %u: %s", err.message, diags.count,
                  diags.count ? diags.items[0].message : "");
    ck_assert_str_eq(err.place.file, "d.yaml");
    /* Where a key is missing, the place is that of its map. */
    if (strcmp(faults[_i].code, "missing-key") != 0 && !strstr(faults[_i].code, "history") &&
        !strstr(faults[_i].code, "seal"))
        ck_assert_int_ge(err.place.line, line);
}
END_TEST

/* A file cut off at every byte: an error with a place, or (where only the last line's end is gone)
 * the record; never a crash. */
START_TEST(truncated)
{
    start();
    first_text = print(&record);
    size_t size = strlen(first_text);
    for (size_t cut = 0; cut < size; cut++) {
        struct sl_record half;
        struct sl_diags found = {0};
        struct sl_error why = {0};
        enum sl_status status = sl_record_parse(&half, first_text, cut, "d.yaml", &found, &why);
        if (cut + 1 < size)
            ck_assert_int_eq(status, SL_INVALID);
        ck_assert(status == SL_OK || why.message[0]);
        sl_record_free(&half);
        sl_diags_free(&found);
    }
}
END_TEST

/* ---- status ------------------------------------------------------------------------------------
 */

static void gate_of(enum sl_gate_outcome_kind last)
{
    record.gate.count = 0;
    for (int i = 0; i < SL_GATE_CONDITIONS; i++) {
        struct sl_gate_outcome *outcome =
            sl_record_add(&record, &record.gate, &sl_shape_gate_outcome);
        *outcome =
            (struct sl_gate_outcome){.condition = "c",
                                     .outcome = i + 1 < SL_GATE_CONDITIONS ? SL_GATE_PASS : last,
                                     .evidence = "e"};
    }
}

static void refuses(enum sl_record_status to, const char *message)
{
    struct sl_error why = {0};
    enum sl_record_status before = record.status;
    uint32_t events = record.history.count;
    ck_assert_int_eq(sl_record_advance(&record, to, "cmd", "e", NULL, &why), SL_NO);
    ck_assert_msg(strstr(why.message, message) != NULL, "%s", why.message);
    ck_assert_int_eq(record.status, before);
    ck_assert_uint_eq(record.history.count, events);
}

static void accepts(enum sl_record_status to)
{
    ck_assert_msg(sl_record_advance(&record, to, "cmd", "e", NULL, &err) == SL_OK, "%s",
                  err.message);
    ck_assert_int_eq(record.status, to);
}

/* Each step is refused until what it needs is there, piece by piece. */
START_TEST(steps)
{
    start();
    refuses(SL_RECORD_HYPOTHESIS, "cannot go from hypothesis to hypothesis");
    refuses(SL_RECORD_MEASURED, "cannot go");
    refuses(SL_RECORD_POLICY_SELECTED, "no policy is selected");
    record.selection.how = SL_SELECTION_WINNER;
    record.selection.policy = "p";
    refuses(SL_RECORD_POLICY_SELECTED, "there is no projection");
    record.selection.how = SL_SELECTION_TIED;
    refuses(SL_RECORD_POLICY_SELECTED, "not told apart");
    record.selection.how = SL_SELECTION_WINNER;
    record.projected.present = true;
    refuses(SL_RECORD_POLICY_SELECTED, "there are no proofs");
    record.proofs.present = true;
    accepts(SL_RECORD_POLICY_SELECTED);
    refuses(SL_RECORD_MEASURED, "cannot go");
    refuses(SL_RECORD_RUNTIME_FEASIBLE, "no runtime has answered");
    record.mechanism.present = true;
    refuses(SL_RECORD_RUNTIME_FEASIBLE, "does not say that it is feasible");
    record.mechanism.feasible = SL_TRUTH_YES;
    refuses(SL_RECORD_RUNTIME_FEASIBLE, "was not recomputed");
    record.mechanism.recomputed = true;
    refuses(SL_RECORD_RUNTIME_FEASIBLE, "was not recomputed");
    record.runtime_feasible.present = true;
    accepts(SL_RECORD_RUNTIME_FEASIBLE);
    refuses(SL_RECORD_MEASURED, "nothing was measured");
    record.measurement.present = true;
    refuses(SL_RECORD_MEASURED, "nothing was measured");
    record.measured.present = true;
    accepts(SL_RECORD_MEASURED);
    refuses(SL_RECORD_ACCEPTED, "not every condition");
    gate_of(SL_GATE_UNKNOWN);
    refuses(SL_RECORD_ACCEPTED, "not every condition");
    refuses(SL_RECORD_REJECTED, "no condition of the gate fails");
    gate_of(SL_GATE_PASS);
    record.measured.present = false;
    refuses(SL_RECORD_ACCEPTED, "nothing was measured");
    record.measured.present = true;
    accepts(SL_RECORD_ACCEPTED);
    gate_of(SL_GATE_FAIL);
    refuses(SL_RECORD_REJECTED, "cannot go from accepted to rejected");
    ck_assert_uint_eq(record.history.count, 5);
}
END_TEST

START_TEST(rejection)
{
    start();
    gate_of(SL_GATE_FAIL);
    accepts(SL_RECORD_REJECTED);
    record.selection.how = SL_SELECTION_WINNER;
    record.selection.policy = "p";
    record.projected.present = record.proofs.present = true;
    refuses(SL_RECORD_POLICY_SELECTED, "cannot go from rejected");
}
END_TEST

/* An entry in the middle is taken out, with the rest left consistent: the seals tell. */
START_TEST(history_cannot_lose_an_entry)
{
    start();
    record.selection.how = SL_SELECTION_WINNER;
    record.selection.policy = "p";
    record.projected.present = record.proofs.present = true;
    record.projected.metric = record.projected.unit = record.projected.counted = "x";
    accepts(SL_RECORD_POLICY_SELECTED);
    gate_of(SL_GATE_FAIL);
    accepts(SL_RECORD_REJECTED);
    record.history.items[1] = record.history.items[2];
    record.history.items[1].from = SL_RECORD_HYPOTHESIS;
    record.history.count = 2;
    first_text = print(&record);
    ck_assert_int_eq(
        sl_record_parse(&other, first_text, strlen(first_text), "d.yaml", &diags, &err),
        SL_INVALID);
    ck_assert_uint_eq(diags.count, 1);
    ck_assert_str_eq(diags.items[0].code, "history-rewritten");
}
END_TEST

/* ---- seals -------------------------------------------------------------------------------------
 */

static bool bend(void *item, const struct sl_shape *shape, int *leaf, bool *place);

/* Changes the value to another one that the reader takes. */
static void bend_value(const struct sl_field *field, char *at)
{
    int word;
    switch (field->type) {
    case SL_FIELD_TEXT:
        *(const char **)(void *)at = "bent";
        break;
    case SL_FIELD_TEXTS:
        ck_assert(sl_record_add_text(&record, (struct sl_record_texts *)(void *)at, "one more"));
        break;
    case SL_FIELD_COUNT:
        *(uint64_t *)(void *)at ^= 1;
        break;
    case SL_FIELD_NUMBER:
        *(double *)(void *)at = 0.30000000000000004;
        break;
    case SL_FIELD_FLAG:
        *(bool *)at = !*(bool *)at;
        break;
    case SL_FIELD_WORD:
        memcpy(&word, at, sizeof word);
        word = (word + 1) % (int)field->word_count;
        memcpy(at, &word, sizeof word);
        break;
    case SL_FIELD_ESTIMATE:
        ((struct sl_estimate *)(void *)at)->value += 0.01;
        break;
    default:
        break;
    }
}

/* Changes leaf number *leaf of a struct, or counts its leaves off; true: it was here.  Leaves are
 * values, the last item of a list, and whether an optional section is there. */
static bool bend_field(const struct sl_field *field, char *at, int *leaf, bool *place)
{
    if (field->type == SL_FIELD_LIST) {
        struct sl_record_list view = sl_record_list_get(at);
        for (uint32_t i = 0; i < view.count; i++)
            if (bend((char *)view.items + i * field->shape->size, field->shape, leaf, place))
                return true;
        if (view.count == 0 || (*leaf)-- != 0)
            return false;
        view.count--;
        memcpy(at, &view, sizeof view);
        return true;
    }
    if (field->type == SL_FIELD_MAP) {
        if (bend(at, field->shape, leaf, place))
            return true;
        if (!field->optional || (*leaf)-- != 0)
            return false;
        *(bool *)at = false;
        return true;
    }
    if ((*leaf)-- != 0)
        return false;
    *place = field->place;
    bend_value(field, at);
    return true;
}

static bool bend(void *item, const struct sl_shape *shape, int *leaf, bool *place)
{
    for (uint32_t i = 0; i < shape->field_count; i++)
        if (bend_field(&shape->fields[i], (char *)item + shape->fields[i].offset, leaf, place))
            return true;
    return false;
}

/* ... of the record's sections; the section's key, NULL: there are no more leaves. */
static const char *bend_section(int leaf, bool *place)
{
    for (uint32_t i = 0; i < sl_record_shape.field_count; i++) {
        const struct sl_field *field = &sl_record_shape.fields[i];
        bool apart = strcmp(field->key, "format") == 0 || strcmp(field->key, "status") == 0 ||
                     strcmp(field->key, "seals") == 0 || strcmp(field->key, "history") == 0;
        if (!apart && bend_field(field, (char *)&record + field->offset, &leaf, place))
            return field->key;
    }
    return NULL;
}

static void start_full(void)
{
    counter = 5;
    sl_record_init(&record);
    fill(&record, &sl_record_shape);
    record.format = SL_RECORD_FORMAT;
    record.history.count = record.seals.count = 0;
    record.status = SL_RECORD_HYPOTHESIS;
    ck_assert_int_eq(sl_record_advance(&record, SL_RECORD_HYPOTHESIS, "cmd", "made", NULL, &err),
                     SL_OK);
}

/* Every value of every section, one at a time: that section is named, and no other.  Only where
 * files lie may change. */
START_TEST(each_section_is_sealed)
{
    int leaf = 0, places = 0;
    for (;; leaf++) {
        bool place = false;
        char named[100];
        start_full();
        const char *section = bend_section(leaf, &place);
        if (!section)
            break;
        snprintf(named, sizeof named, "section '%s' is not what was sealed", section);
        first_text = print(&record);
        enum sl_status status =
            sl_record_parse(&other, first_text, strlen(first_text), "d.yaml", &diags, &err);
        ck_assert_msg(status == (place ? SL_OK : SL_INVALID), "leaf %d of %s", leaf, section);
        ck_assert_msg(diags.count == (place ? 0 : 1), "leaf %d of %s: %zu", leaf, section,
                      (size_t)diags.count);
        if (!place) {
            ck_assert_str_eq(diags.items[0].code, "section-changed");
            ck_assert_msg(strstr(diags.items[0].message, named) != NULL, "%s: %s", named,
                          diags.items[0].message);
        }
        places += place;
        teardown();
    }
    ck_assert_int_gt(leaf, 400);
    ck_assert_int_ge(places, 6);
}
END_TEST

/* Whoever makes the seals of the sections anew has those of the history against him. */
START_TEST(seals_are_sealed_by_the_history)
{
    start();
    record.trials = 7;
    ck_assert(sl_record_seal(&record));
    ck_assert(sl_record_seal_end(&record, record.history.items[record.history.count - 1].seal));
    first_text = print(&record);
    ck_assert_int_eq(
        sl_record_parse(&other, first_text, strlen(first_text), "d.yaml", &diags, &err),
        SL_INVALID);
    ck_assert_uint_eq(diags.count, 1);
    ck_assert_str_eq(diags.items[0].code, "seals-changed");
}
END_TEST

/* What changes in the same status is an entry of its own, behind those of before. */
START_TEST(amendment)
{
    start();
    ck_assert_str_eq(sl_record_changes(&record), "");
    record.trials = 7;
    record.finding = "another";
    ck_assert_str_eq(sl_record_changes(&record), "finding, trials");
    ck_assert_int_eq(sl_record_amend(&record, "cmd 2", "again", "ab", &err), SL_OK);
    ck_assert_str_eq(sl_record_changes(&record), "");
    first_text = print(&record);
    enum sl_status status =
        sl_record_parse(&other, first_text, strlen(first_text), "d.yaml", &diags, &err);
    ck_assert_msg(status == SL_OK, "%s", err.message);
    ck_assert_uint_eq(other.history.count, 2);
    ck_assert_int_eq(other.status, SL_RECORD_HYPOTHESIS);
    ck_assert_str_eq(other.history.items[0].evidence, "made");
    ck_assert_str_eq(other.history.items[1].evidence, "again");
    ck_assert_str_ne(other.history.items[0].body, other.history.items[1].body);
}
END_TEST

START_TEST(dates)
{
    char date[32];
    setenv("SOURCE_DATE_EPOCH", "1796000000", 1);
    sl_record_now(date);
    ck_assert_str_eq(date, "2026-11-30T00:53:20Z"); /* date -u -d @1796000000 */
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    sl_record_now(date);
    ck_assert_str_eq(date, "1970-01-01T00:00:00Z");
    unsetenv("SOURCE_DATE_EPOCH");
    sl_record_now(date);
    ck_assert_uint_eq(strlen(date), 20);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("record");
    TCase *tc = tcase_create("record");
    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, round_trip, 0, 25);
    tcase_add_test(tc, absence);
    tcase_add_test(tc, shapes);
    tcase_add_test(tc, documented);
    tcase_add_test(tc, files);
    tcase_add_test(tc, json);
    tcase_add_loop_test(tc, hostile, 0, sizeof faults / sizeof *faults);
    tcase_add_test(tc, truncated);
    tcase_add_test(tc, steps);
    tcase_add_test(tc, rejection);
    tcase_add_test(tc, history_cannot_lose_an_entry);
    tcase_add_test(tc, each_section_is_sealed);
    tcase_add_test(tc, seals_are_sealed_by_the_history);
    tcase_add_test(tc, amendment);
    tcase_add_test(tc, dates);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
