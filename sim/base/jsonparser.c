/* The blocks that YAJL holds are in a list, so that they are found without it. */
#include <config.h>

#include "jsonparser.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct sl_json_block {
    struct sl_json_block *next, *before;
    max_align_t bytes[];
};

static void link_block(struct sl_json_parser *parser, struct sl_json_block *block)
{
    block->before = NULL;
    block->next = parser->blocks;
    if (block->next)
        block->next->before = block;
    parser->blocks = block;
}

static void unlink_block(struct sl_json_parser *parser, struct sl_json_block *block)
{
    if (block->next)
        block->next->before = block->before;
    if (block->before)
        block->before->next = block->next;
    else
        parser->blocks = block->next;
}

static struct sl_json_block *block_of(void *bytes)
{
    return (struct sl_json_block *)(void *)((char *)bytes - offsetof(struct sl_json_block, bytes));
}

/* Only YAJL's calls are between this and the entry that set the way out: none of our callbacks. */
static void *grow(void *user, void *old, size_t size)
{
    struct sl_json_parser *parser = user;
    struct sl_json_block *was = old ? block_of(old) : NULL;
    if (was)
        unlink_block(parser, was);
    struct sl_json_block *block =
        size < SIZE_MAX / 2 ? realloc(was, sizeof(struct sl_json_block) + size) : NULL;
    if (block || was)
        link_block(parser, block ? block : was);
    if (!block)
        longjmp(parser->out, 1);
    return block->bytes;
}

static void *take(void *user, size_t size)
{
    return grow(user, NULL, size);
}

static void leave(void *user, void *bytes)
{
    if (!bytes)
        return;
    unlink_block(user, block_of(bytes));
    free(block_of(bytes));
}

bool sl_json_parser_open(struct sl_json_parser *parser, const yajl_callbacks *callbacks, void *user)
{
    parser->handle = NULL;
    parser->starved = false;
    parser->blocks = NULL;
    if (setjmp(parser->out) != 0) {
        parser->starved = true;
        return false;
    }
    yajl_alloc_funcs memory = {take, grow, leave, parser};
    parser->handle = yajl_alloc(callbacks, &memory, user);
    return true;
}

yajl_status sl_json_parser_feed(struct sl_json_parser *parser, const unsigned char *text,
                                size_t size)
{
    if (parser->starved || setjmp(parser->out) != 0) {
        parser->starved = true;
        return yajl_status_error;
    }
    return yajl_parse(parser->handle, text, size);
}

yajl_status sl_json_parser_end(struct sl_json_parser *parser)
{
    if (parser->starved || setjmp(parser->out) != 0) {
        parser->starved = true;
        return yajl_status_error;
    }
    return yajl_complete_parse(parser->handle);
}

const char *sl_json_parser_fault(struct sl_json_parser *parser)
{
    if (parser->starved || setjmp(parser->out) != 0) {
        parser->starved = true;
        return "out of memory";
    }
    char *text = (char *)yajl_get_error(parser->handle, 0, NULL, 0); /* released with the parser */
    text[strcspn(text, "\n")] = '\0';
    return text;
}

void sl_json_parser_close(struct sl_json_parser *parser)
{
    while (parser->blocks) {
        struct sl_json_block *next = parser->blocks->next;
        free(parser->blocks);
        parser->blocks = next;
    }
    parser->handle = NULL;
}
