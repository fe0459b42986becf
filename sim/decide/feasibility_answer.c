/* The answer to a hand-off: whose it is, and which plan it is about. */
#include "config.h"

#include "exporter.h"
#include "feasibility_parts.h"
#include "memout.h"
#include "outfile.h"
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

static enum sl_status check_about(const struct sl_reply *reply, const struct sl_record *record,
                                  const char *policy, struct sl_error *err)
{
    struct sl_place place = {reply->path, 0, 0};
    if (reply->scenario && strcmp(reply->scenario, record->workload.scenario) != 0)
        return SL_FAIL_AT(err, SL_INVALID, place, "this answer is about scenario '%s', not '%s'",
                          reply->scenario, record->workload.scenario);
    if (reply->policy && strcmp(reply->policy, policy) != 0)
        return SL_FAIL_AT(err, SL_INVALID, place, "this answer is about policy '%s', not '%s'",
                          reply->policy, policy);
    return SL_OK;
}

/* The hand-off of a plan, as `export` writes it. */
static enum sl_status hash_handoff(struct sl_feasibility_work *w, const struct sl_plan *plan,
                                   const char *policy, char hex[65], struct sl_error *err)
{
    struct sl_memout out;
    const struct sl_export what = {.scenario = w->at->scenario.name,
                                   .policy = policy,
                                   .graph = plan->graph,
                                   .source = &w->at->scenario,
                                   .plan = plan};
    if (!sl_memout_open(&out))
        return sl_decide_no_memory(err);
    enum sl_status status = sl_exporter_handoff.write(&what, out.stream, err);
    char *text = sl_memout_close(&out);
    if (!text && status == SL_OK)
        status = sl_decide_no_memory(err);
    if (status == SL_OK)
        SHA256Data((const uint8_t *)text, out.size, hex);
    free(text);
    return status;
}

/* An answer that states which hand-off it is of must be of this one; any is noted as being so. */
static enum sl_status check_handoff(struct sl_feasibility_work *w, struct sl_reply *reply,
                                    const struct sl_plan *plan, const char *policy,
                                    struct sl_error *err)
{
    char hex[65];
    enum sl_status status = hash_handoff(w, plan, policy, hex, err);
    if (status != SL_OK)
        return status;
    if (reply->handoff && strcmp(reply->handoff, hex) != 0)
        return SL_FAIL_AT(err, SL_INVALID, ((struct sl_place){reply->path, 0, 0}),
                          "this answer is to the hand-off %.12s..., and that of policy '%s' is "
                          "%.12s... now",
                          reply->handoff, policy, hex);
    reply->handoff = sl_arena_strdup(&reply->arena, hex);
    return reply->handoff ? SL_OK : sl_decide_no_memory(err);
}

enum sl_status sl_feasibility_write_reply(const struct sl_reply *reply, const struct sl_graph *plan,
                                          const char *path, struct sl_error *err)
{
    struct sl_outfile file = {0};
    enum sl_status status = sl_outfile_open(&file, path, err);
    if (status == SL_OK)
        status = sl_reply_write(reply, plan, file.stream, err);
    if (status == SL_OK)
        return sl_outfile_commit(&file, err);
    sl_outfile_abandon(&file);
    return status;
}

/* Of a file, or of the mapping. */
enum sl_status sl_feasibility_answer(struct sl_feasibility_work *w, struct sl_reply *reply,
                                     const char *path, const struct sl_plan *plan,
                                     const char *policy, struct sl_error *err)
{
    enum sl_status status;
    *reply = (struct sl_reply){0};
    if (path)
        status = sl_reply_read(reply, path, plan->graph, w->diags, err);
    else
        status = sl_mapping_answer(reply, w->request->mapping, &w->at->scenario, policy, plan, err);
    if (status == SL_OK && path)
        status = check_about(reply, w->record, policy, err);
    return status == SL_OK ? check_handoff(w, reply, plan, policy, err) : status;
}

bool sl_feasibility_note_input(struct sl_record *record, const struct sl_reply *reply,
                               const char *role)
{
    bool good = true;
    if (!reply->path)
        return true;
    struct sl_record_input *input = sl_record_add(record, &record->inputs, &sl_shape_input);
    if (!input)
        return false;
    input->role = role;
    input->path = sl_record_keep(record, reply->path, &good);
    input->sha256 = sl_record_keep(record, reply->sha256, &good);
    return good;
}

void sl_feasibility_drop_inputs(struct sl_record *record)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < record->inputs.count; i++) {
        const struct sl_record_input *input = &record->inputs.items[i];
        if (strcmp(input->role, "reply") != 0 && strcmp(input->role, "baseline-reply") != 0)
            record->inputs.items[kept++] = *input;
    }
    record->inputs.count = kept;
}
