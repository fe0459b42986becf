/* The registry of built-in mappings. */
#include <config.h>

#include "mapping.h"
#include "outfile.h"
#include "policy.h"
#include <stdlib.h>
#include <unistd.h>

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
    char path[] = "/tmp/slackline-reply-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file) {
        if (fd >= 0)
            close(fd);
        return SL_FAIL(err, SL_SYSTEM, "cannot write a temporary file");
    }
    enum sl_status status = sl_reply_write(reply, plan, file, err);
    if (fclose(file) != 0 && status == SL_OK)
        status = SL_FAIL(err, SL_SYSTEM, "cannot write a temporary file");
    if (status == SL_OK)
        status = sl_file_sha256(path, reply->sha256, err);
    unlink(path);
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
