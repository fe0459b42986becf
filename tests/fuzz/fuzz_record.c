/* Decision records: what is read is written to the same bytes, again and again. */
#include <config.h>

#include "fuzz.h"
#include "record_shape.h"
#include <stdlib.h>
#include <string.h>

static char *print(const struct sl_record *record, size_t *size)
{
    char *text;
    struct sl_error err = {0};
    FILE *out = open_memstream(&text, size);
    FUZZ_CHECK(out, "out of memory");
    enum sl_status status = sl_record_print(record, out, &err);
    fclose(out);
    FUZZ_CHECK(status == SL_OK, "cannot be written: %s", err.message);
    return text;
}

static enum sl_status parse(struct sl_record *record, const char *text, size_t size)
{
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    enum sl_status status = sl_record_parse(record, text, size, "fuzz", &diags, &err);
    fuzz_judge(status, &diags, &err);
    return status;
}

static void run(const uint8_t *data, size_t size)
{
    struct sl_record record, again;
    struct sl_error err = {0};
    enum sl_status status = parse(&record, (const char *)data, size);
    if (status == SL_OK) {
        size_t sizes[2];
        char *first = print(&record, &sizes[0]);
        FUZZ_CHECK(parse(&again, first, sizes[0]) == SL_OK, "is written as what cannot be read");
        char *second = print(&again, &sizes[1]);
        FUZZ_CHECK(sizes[0] == sizes[1] && memcmp(first, second, sizes[0]) == 0,
                   "is written in two ways");
        FUZZ_CHECK(sl_record_print_json(&record, fuzz_nowhere(), &err) == SL_OK, "JSON: %s",
                   err.message);
        sl_record_free(&again);
        free(first);
        free(second);
    }
    sl_record_free(&record);
}

/* One item in every list, and every section there. */
static void fill(struct sl_record *record, void *item, const struct sl_shape *shape)
{
    for (uint32_t f = 0; f < shape->field_count; f++) {
        const struct sl_field *field = &shape->fields[f];
        char *at = (char *)item + field->offset;
        if (field->type == SL_FIELD_TEXT && strcmp(field->key, "seal") != 0)
            *(const char **)(void *)at = "text: a";
        if (field->type == SL_FIELD_NUMBER)
            *(double *)(void *)at = 2.5;
        if (field->type == SL_FIELD_MAP) {
            fill(record, at, field->shape);
            if (field->optional)
                *(bool *)at = true;
        }
        if (field->type == SL_FIELD_LIST && strcmp(field->key, "history") != 0)
            fill(record, sl_record_add(record, at, field->shape), field->shape);
    }
}

static void seed(const struct fuzz_seeds *seeds)
{
    for (int full = 0; full < 2; full++) {
        struct sl_record record;
        struct sl_error err = {0};
        size_t size;
        sl_record_init(&record);
        if (full)
            fill(&record, &record, &sl_record_shape);
        else {
            record.version = record.results = record.selection.why = "1";
            record.workload = (struct sl_record_workload){
                .scenario = "w", .folder = "dir", .mode = "once", .nodes = 3, .edges = 2, .objects = 1};
            record.objective.metric = "makespan";
        }
        FUZZ_CHECK(sl_record_advance(&record, SL_RECORD_HYPOTHESIS, "cmd", "made", NULL, &err) ==
                       SL_OK,
                   "%s", err.message);
        char *text = print(&record, &size);
        seeds->add(seeds->user, full ? "full" : "least", text, size);
        free(text);
        sl_record_free(&record);
    }
}

const struct fuzz_target fuzz_target_record = {
    .name = "record",
    .description = "schedule decision records",
    .run = run,
    .seeds = seed,
};
