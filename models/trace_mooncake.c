/* The JSON lines of the Mooncake traces, through YAJL: of each request its `timestamp` in ms,
 * `input_length`, `output_length`, and `hash_ids`, the identities of the blocks of its prompt.
 * Other members are left out. */
#include <config.h>

#include "jsonparser.h"
#include "trace_format.h"
#include <stdlib.h>
#include <string.h>

enum member { TIMESTAMP, INPUT, OUTPUT, BLOCKS, OTHER };
static const char *const member_names[] = {"timestamp", "input_length", "output_length",
                                           "hash_ids"};
static const char *const parameters[] = {"context_tokens", "generated_tokens", "blocks"};

struct request {
    struct sl_trace_reader *reader;
    struct sl_error *err;
    struct sl_json_parser parser;
    enum member member; /* whose value is being read, at depth 1 or below */
    bool seen[OTHER];
    int depth;
    enum sl_status status;
};

static int fault(struct request *r, const char *what)
{
    size_t offset = yajl_get_bytes_consumed(r->parser.handle);
    r->status = r->status ? r->status : sl_trace_fail(r->reader, offset, r->err, "%s", what);
    return 0;
}

/* A value other than a number where one is needed, or out of place. */
static int take_other(void *context)
{
    struct request *r = context;
    if (r->depth == 0)
        return fault(r, "a request is an object: {\"timestamp\": ..., ...}");
    if (r->member == OTHER)
        return 1;
    return fault(r, r->member == BLOCKS ? "hash_ids is a list of whole numbers"
                                        : "a number is needed here");
}

static int take_boolean(void *context, int value)
{
    (void)value;
    return take_other(context);
}

static int take_string(void *context, const unsigned char *text, size_t length)
{
    (void)text, (void)length;
    return take_other(context);
}

static int take_block(struct request *r, const char *text, size_t length)
{
    struct sl_trace_row *row = &r->reader->row;
    char digits[24];
    if (length > 18 || strspn(text, "0123456789") < length)
        return fault(r, "a block of hash_ids is a whole number of up to 18 digits");
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (!sl_grow((void **)&row->blocks, &row->block_capacity, row->block_count + 1,
                 sizeof *row->blocks)) {
        r->status = SL_FAIL(r->err, SL_SYSTEM, "out of memory for a trace");
        return 0;
    }
    row->blocks[row->block_count++] = strtoull(digits, NULL, 10);
    return 1;
}

static int take_number(void *context, const char *text, size_t length)
{
    struct request *r = context;
    struct sl_trace_row *row = &r->reader->row;
    char number[402];
    if (r->depth == 2 && r->member == BLOCKS)
        return take_block(r, text, length);
    if (r->depth != 1 || r->member == BLOCKS || r->member == OTHER)
        return take_other(context);
    if (length >= sizeof number)
        return fault(r, "a number of more than 401 characters");
    if (r->member == TIMESTAMP)
        return sl_parse_instant(text, length, -3, &row->t)
                   ? 1
                   : fault(r, "timestamp is a number of ms from 0");
    memcpy(number, text, length);
    number[length] = '\0';
    r->status =
        sl_trace_number(r->reader, number, yajl_get_bytes_consumed(r->parser.handle),
                        member_names[r->member], &row->parameters[r->member - INPUT], r->err);
    return r->status == SL_OK;
}

static int open_map(void *context)
{
    struct request *r = context;
    if (r->depth > 0 && !take_other(context))
        return 0;
    r->depth++;
    return 1;
}

static int open_list(void *context)
{
    struct request *r = context;
    if (!(r->depth == 1 && r->member == BLOCKS) && !take_other(context))
        return 0;
    r->depth++;
    return 1;
}

static int close_either(void *context)
{
    ((struct request *)context)->depth--;
    return 1;
}

static int take_key(void *context, const unsigned char *text, size_t length)
{
    struct request *r = context;
    if (r->depth != 1)
        return 1;
    r->member = TIMESTAMP;
    while (r->member < OTHER && (strlen(member_names[r->member]) != length ||
                                 memcmp(member_names[r->member], text, length) != 0))
        r->member++;
    if (r->member < OTHER && r->seen[r->member])
        return fault(r, "a member is given twice");
    if (r->member < OTHER)
        r->seen[r->member] = true;
    return 1;
}

static const yajl_callbacks callbacks = {
    .yajl_null = take_other,
    .yajl_boolean = take_boolean,
    .yajl_number = take_number,
    .yajl_string = take_string,
    .yajl_start_map = open_map,
    .yajl_map_key = take_key,
    .yajl_end_map = close_either,
    .yajl_start_array = open_list,
    .yajl_end_array = close_either,
};

static enum sl_status finish(struct request *r, yajl_status parsed)
{
    if (r->status)
        return r->status;
    if (parsed != yajl_status_ok) {
        const char *fault = sl_json_parser_fault(&r->parser);
        if (r->parser.starved)
            return SL_FAIL(r->err, SL_SYSTEM, "out of memory for a trace");
        return sl_trace_fail(r->reader, yajl_get_bytes_consumed(r->parser.handle), r->err, "%s",
                             fault);
    }
    for (enum member m = TIMESTAMP; m < BLOCKS; m++)
        if (!r->seen[m])
            return sl_trace_fail(r->reader, 0, r->err, "a request without %s", member_names[m]);
    r->reader->row.parameters[2] = r->reader->row.block_count;
    return SL_OK;
}

static enum sl_status read_row(struct sl_trace_reader *reader, char *line, size_t length,
                               struct sl_error *err)
{
    struct request r = {.reader = reader, .err = err, .member = OTHER};
    yajl_status parsed = yajl_status_error;
    if (sl_json_parser_open(&r.parser, &callbacks, &r))
        parsed = sl_json_parser_feed(&r.parser, (const unsigned char *)line, length);
    if (parsed == yajl_status_ok)
        parsed = sl_json_parser_end(&r.parser);
    enum sl_status status = finish(&r, parsed);
    sl_json_parser_close(&r.parser);
    return status;
}

const struct sl_trace_format sl_trace_format_mooncake = {
    .info = {"mooncake", "JSON lines of the Mooncake traces",
             "context_tokens, generated_tokens and blocks (how many) of each job, and their hashes",
             "trace(file=mooncake.jsonl, format=mooncake)"},
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .names_blocks = true,
    .read = read_row,
};
