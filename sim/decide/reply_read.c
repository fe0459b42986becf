/* Reading a runtime's answer: the head, and what all lists need. */
#include <config.h>

#include "json_tree.h"
#include "outfile.h"
#include "reply_parts.h"
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *const sl_reply_answer_words[SL_REPLY_ANSWERS] = {"yes", "no", "with-constraints"};

void *sl_reply_add(void *list, size_t size)
{
    struct {
        void *items;
        uint32_t count, capacity;
    } any;
    memcpy(&any, list, sizeof any);
    if (!sl_grow(&any.items, &any.capacity, any.count + 1, size))
        return NULL;
    void *item = (char *)any.items + (size_t)any.count++ * size;
    memset(item, 0, size);
    memcpy(list, &any, sizeof any);
    return item;
}

void sl_reply_free(struct sl_reply *reply)
{
    for (uint32_t q = 0; q < reply->queues.count; q++)
        free(reply->queues.items[q].nodes);
    free(reply->edges.items);
    free(reply->limits.items);
    free(reply->kept.items);
    free(reply->queues.items);
    free(reply->overheads.items);
    free(reply->deviations.items);
    free(reply->mechanisms.items);
    free(reply->assumptions.items);
    sl_arena_free(&reply->arena);
    *reply = (struct sl_reply){0};
}

const struct sl_yaml *sl_reply_list(struct reply_reader *r, const struct sl_yaml *map,
                                    const char *key)
{
    const struct sl_yaml *list = sl_yaml_get(map, key);
    return list && sl_field_is(&r->fields, list, SL_YAML_LIST, key) ? list : NULL;
}

void sl_reply_each(struct reply_reader *r, const struct sl_yaml *map, const char *key,
                   const char *const *allowed, size_t allowed_count,
                   void (*take)(struct reply_reader *r, const struct sl_yaml *item))
{
    const struct sl_yaml *list = sl_reply_list(r, map, key);
    for (uint32_t k = 0; list && k < list->count; k++)
        if (sl_field_is(&r->fields, list->items[k], SL_YAML_MAP, key)) {
            sl_yaml_check_keys(list->items[k], allowed, allowed_count, key, r->fields.diags);
            take(r, list->items[k]);
        }
}

const char *sl_reply_need_text(struct reply_reader *r, const struct sl_yaml *map, const char *key,
                               const char *where)
{
    const char *text = NULL;
    if (sl_field_require(&r->fields, map, key, where))
        (void)sl_field_text(&r->fields, map, key, &text);
    return text;
}

uint32_t sl_reply_node(struct reply_reader *r, const char *text, struct sl_place place,
                       const char *what)
{
    uint32_t node = SL_NONE;
    if (!sl_value_ref(&r->fields, text, place, "node", &r->plan->node_names, &node))
        return SL_NONE;
    if (!sl_node_is_latent(r->plan, node))
        return node;
    sl_diags_add(r->fields.diags, SL_ERROR, "node-on-demand", place,
                 "%s: '%s' runs when bytes are wanted, as often as it takes: it has no place in an "
                 "order",
                 what, text);
    return SL_NONE;
}

uint32_t sl_reply_need_node(struct reply_reader *r, const struct sl_yaml *map, const char *key,
                            const char *where)
{
    const char *text = sl_reply_need_text(r, map, key, where);
    return text ? sl_reply_node(r, text, sl_yaml_get(map, key)->place, key) : SL_NONE;
}

enum sl_truth sl_reply_need_truth(struct reply_reader *r, const struct sl_yaml *map,
                                  const char *key, const char *where)
{
    static const char *const words[SL_TRUTHS] = {"unknown", "yes", "no"};
    unsigned word = SL_TRUTH_UNKNOWN;
    if (sl_field_require(&r->fields, map, key, where))
        (void)sl_field_choice(&r->fields, map, key, words, SL_TRUTHS, &word);
    return (enum sl_truth)word;
}

/* "slackline-reply", version 1: else there is nothing to go by. */
static bool is_reply(struct reply_reader *r, const struct sl_yaml *root)
{
    const char *format = sl_reply_need_text(r, root, "format", "a reply");
    int64_t version = SL_REPLY_VERSION;
    if (format && strcmp(format, SL_REPLY_FORMAT) != 0) {
        sl_diags_add(r->fields.diags, SL_ERROR, "bad-value", sl_yaml_get(root, "format")->place,
                     "format: '%s' is no answer to a hand-off (allowed: %s)", format,
                     SL_REPLY_FORMAT);
        return false;
    }
    return format && sl_field_require(&r->fields, root, "version", "a reply") &&
           sl_field_integer(&r->fields, root, "version", SL_REPLY_VERSION, SL_REPLY_VERSION,
                            &version);
}

/* Yes without constraints, no with a reason, and constraints only where there are some. */
static void check_answer(struct reply_reader *r, const struct sl_yaml *root, bool sound)
{
    struct sl_reply *reply = r->reply;
    const struct sl_yaml *constraints = sl_yaml_get(root, "constraints");
    bool inserts = reply->edges.count + reply->limits.count + reply->kept.count > 0, orders = false;
    if (reply->feasible == SL_REPLY_NO && !reply->why)
        sl_diags_add(r->fields.diags, SL_ERROR, "missing-key", root->place,
                     "feasible is 'no': say why (key 'why')");
    if (reply->feasible == SL_REPLY_YES && inserts)
        sl_diags_add(r->fields.diags, SL_ERROR, "contradiction", constraints->place,
                     "feasible is 'yes', and constraints are inserted: write 'with-constraints'");
    for (uint32_t q = 0; q < reply->queues.count; q++)
        orders = orders || reply->queues.items[q].count > 0;
    /* A constraint that is faulty is told, and is not among those that were taken. */
    if (reply->feasible == SL_REPLY_CONSTRAINED && !inserts && !orders && sound)
        sl_diags_add(r->fields.diags, SL_ERROR, "contradiction", root->place,
                     "feasible is 'with-constraints', and neither 'constraints' nor 'ordering' "
                     "states one");
}

static void take_root(struct reply_reader *r, const struct sl_yaml *root)
{
    static const char *const keys[] = {"format",      "version",        "runtime",  "scenario",
                                       "policy",      "handoff_sha256", "feasible", "why",
                                       "constraints", "ordering",       "overhead", "deviations",
                                       "mechanisms",  "assumptions"};
    struct sl_reply *reply = r->reply;
    unsigned word = SL_REPLY_YES;
    if (!sl_field_is(&r->fields, root, SL_YAML_MAP, "a reply") || !is_reply(r, root))
        return;
    sl_yaml_check_keys(root, keys, COUNT(keys), "a reply", r->fields.diags);
    reply->runtime = sl_reply_need_text(r, root, "runtime", "a reply");
    (void)sl_field_text(&r->fields, root, "scenario", &reply->scenario);
    (void)sl_field_text(&r->fields, root, "policy", &reply->policy);
    (void)sl_field_text(&r->fields, root, "handoff_sha256", &reply->handoff);
    (void)sl_field_text(&r->fields, root, "why", &reply->why);
    bool answered = sl_field_require(&r->fields, root, "feasible", "a reply") &&
                    sl_field_choice(&r->fields, root, "feasible", sl_reply_answer_words,
                                    SL_REPLY_ANSWERS, &word);
    reply->feasible = (enum sl_reply_answer)word;
    size_t errors = r->fields.diags->errors;
    sl_reply_take_constraints(r, sl_yaml_get(root, "constraints"));
    sl_reply_take_ordering(r, root);
    bool sound = r->fields.diags->errors == errors;
    sl_reply_take_overheads(r, root);
    sl_reply_take_notes(r, root);
    if (answered)
        check_answer(r, root, sound);
}

/* Files that it names lie beside it. */
static enum sl_status open_reader(struct reply_reader *r, const char *path, struct sl_error *err)
{
    struct sl_arena *arena = &r->reply->arena;
    size_t nodes = (size_t)r->plan->node_count + 1;
    const char *slash = strrchr(path, '/');
    if (slash)
        r->fields.base_dir = sl_arena_printf(arena, "%.*s", (int)(slash - path + 1), path);
    r->reply->path = sl_arena_strdup(arena, path);
    r->kept_of_node = sl_arena_array(arena, nodes, sizeof *r->kept_of_node);
    r->overhead_of_node = sl_arena_array(arena, nodes, sizeof *r->overhead_of_node);
    r->overhead_of_class = sl_arena_array(arena, (size_t)r->plan->platform->kappa.classes.count + 1,
                                          sizeof *r->overhead_of_class);
    return r->fields.base_dir && r->reply->path && r->kept_of_node && r->overhead_of_node &&
                   r->overhead_of_class
               ? SL_OK
               : SL_FAIL(err, SL_SYSTEM, "out of memory while reading %s", path);
}

enum sl_status sl_reply_read(struct sl_reply *reply, const char *path, const struct sl_graph *plan,
                             struct sl_diags *diags, struct sl_error *err)
{
    struct sl_yaml *root = NULL;
    size_t errors = diags->errors;
    *reply = (struct sl_reply){0};
    struct reply_reader r = {.reply = reply, .plan = plan, .fields = {&reply->arena, diags, "."}};
    enum sl_status status = open_reader(&r, path, err);
    if (status == SL_OK)
        status = sl_json_tree_read(path, &reply->arena, &root, diags, err);
    if (status == SL_OK)
        status = sl_file_sha256(path, reply->sha256, err);
    if (status == SL_OK)
        take_root(&r, root);
    if (status == SL_OK && r.out_of_memory)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory while reading %s", path);
    if (status == SL_OK && diags->errors > errors)
        status = SL_FAIL(err, SL_INVALID, "%s: %zu errors", path, diags->errors - errors);
    return status;
}
