/* The registry of built-in mappings. */
#include <config.h>

#include "mapping.h"
#include "memout.h"
#include "policy.h"
#include <sha2.h>
#include <stdlib.h>

static const struct sl_mapping *const mappings[] = {
#define SL_MAPPING(name) &sl_mapping_##name,
#include "mappings.def"
#undef SL_MAPPING
};

size_t sl_mapping_count(void)
{
    return sizeof mappings / sizeof *mappings;
}

const struct sl_mapping *sl_mapping_get(size_t index)
{
    return mappings[index];
}

/* Of the answer as it would be written. */
static enum sl_status hash_answer(struct sl_reply *reply, const struct sl_graph *plan,
                                  struct sl_error *err)
{
    struct sl_memout out;
    if (!sl_memout_open(&out))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a mapping's answer");
    enum sl_status status = sl_reply_write(reply, plan, out.stream, err);
    char *text = sl_memout_close(&out);
    if (!text && status == SL_OK)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a mapping's answer");
    if (status == SL_OK)
        SHA256Data((const uint8_t *)text, out.size, reply->sha256);
    free(text);
    return status;
}

enum sl_status sl_mapping_answer(struct sl_reply *reply, const struct sl_mapping *mapping,
                                 const struct sl_scenario *scenario, const char *policy,
                                 const struct sl_plan *plan, struct sl_error *err)
{
    *reply = (struct sl_reply){.scenario = scenario->name, .policy = policy};
    enum sl_status status = mapping->answer(reply, scenario, plan, err);
    return status == SL_OK ? hash_answer(reply, plan->graph, err) : status;
}
