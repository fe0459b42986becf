/* YAJL's parser, with a memory that may run out.
 *
 * YAJL uses what its allocations return without a look at it.  Here one that fails leaves the call
 * into YAJL, and all that was allocated is released with the parser. */
#ifndef SL_JSONPARSER_H
#define SL_JSONPARSER_H
#include <setjmp.h>
#include <stdbool.h>
#include <yajl/yajl_parse.h>

struct sl_json_block;
struct sl_json_parser {
    yajl_handle handle; /* for yajl_config and yajl_get_bytes_consumed */
    bool starved;       /* out of memory; nothing more can be parsed */
    struct sl_json_block *blocks;
    jmp_buf out;
};

/* False: out of memory.  Close it in either case; it must not be moved while it is open. */
bool sl_json_parser_open(struct sl_json_parser *parser, const yajl_callbacks *callbacks,
                         void *user);
/* As yajl_parse and yajl_complete_parse; yajl_status_error where the parser is starved. */
yajl_status sl_json_parser_feed(struct sl_json_parser *parser, const unsigned char *text,
                                size_t size);
yajl_status sl_json_parser_end(struct sl_json_parser *parser);
/* What YAJL has against the text, in one line, as long as the parser is open. */
const char *sl_json_parser_fault(struct sl_json_parser *parser);
void sl_json_parser_close(struct sl_json_parser *parser);
#endif
