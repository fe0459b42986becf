/* The lists of a runtime's answer. */
#include <config.h>

#include "reply_parts.h"
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- constraints ------------------------------------------------------------------------------
 */

static void take_edge(struct reply_reader *r, const struct sl_yaml *item)
{
    static const char *const words[SL_EDGE_TYPES] = {
        "data-ready", "storage-ready", "ordering", "lifetime-hold", "barrier", "capacity-wait"};
    struct sl_reply_edge edge = {.place = item->place};
    unsigned type = SL_EDGE_ORDERING;
    edge.from = sl_reply_need_node(r, item, "from", "an edge");
    edge.to = sl_reply_need_node(r, item, "to", "an edge");
    if (sl_field_require(&r->fields, item, "type", "an edge"))
        (void)sl_field_choice(&r->fields, item, "type", words, SL_EDGE_TYPES, &type);
    (void)sl_field_time(&r->fields, item, "lag", &edge.lag_ps);
    edge.reason = sl_reply_need_text(r, item, "reason", "an edge");
    edge.type = (enum sl_edge_type)type;
    if (edge.from == SL_NONE || edge.to == SL_NONE)
        return;
    if (edge.from == edge.to) {
        sl_diags_add(r->fields.diags, SL_ERROR, "self-edge", item->place,
                     "'%s' would wait for itself", r->plan->nodes[edge.from].name);
        return;
    }
    struct sl_reply_edge *kept = SL_REPLY_ADD(r->reply->edges);
    r->out_of_memory |= !kept;
    if (kept)
        *kept = edge;
}

static int by_ends(const void *a, const void *b)
{
    const struct sl_reply_edge *x = *(const struct sl_reply_edge *const *)a,
                               *y = *(const struct sl_reply_edge *const *)b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return (x > y) - (x < y);
}

static void find_double_edges(struct reply_reader *r)
{
    uint32_t count = r->reply->edges.count;
    const struct sl_reply_edge **edges = malloc(((size_t)count + 1) * sizeof *edges);
    r->out_of_memory |= !edges;
    for (uint32_t k = 0; edges && k < count; k++)
        edges[k] = &r->reply->edges.items[k];
    if (edges)
        qsort(edges, count, sizeof *edges, by_ends);
    for (uint32_t k = 1; edges && k < count; k++) {
        const struct sl_reply_edge *a = edges[k - 1], *b = edges[k];
        if (a->from == b->from && a->to == b->to && a->type == b->type)
            sl_diags_add(r->fields.diags, SL_ERROR, "duplicate-edge", b->place,
                         "the edge from '%s' to '%s' of this type is there already, in line %d",
                         r->plan->nodes[b->from].name, r->plan->nodes[b->to].name, a->place.line);
    }
    free(edges);
}

static void add_limit(struct reply_reader *r, const struct sl_reply_limit *limit, const char *name)
{
    for (uint32_t k = 0; k < r->reply->limits.count; k++) {
        const struct sl_reply_limit *other = &r->reply->limits.items[k];
        if (other->resource == limit->resource && other->domain == limit->domain) {
            sl_diags_add(r->fields.diags, SL_ERROR, "duplicate-limit", limit->place,
                         "'%s' has a limit already, in line %d", name, other->place.line);
            return;
        }
    }
    struct sl_reply_limit *kept = SL_REPLY_ADD(r->reply->limits);
    r->out_of_memory |= !kept;
    if (kept)
        *kept = *limit;
}

static void take_resource(struct reply_reader *r, const struct sl_yaml *item)
{
    const struct sl_platform *platform = r->plan->platform;
    struct sl_reply_limit limit = {
        .resource = SL_NONE, .domain = SL_NONE, .capacity = -1, .place = item->place};
    int64_t servers = 0;
    limit.reason = sl_reply_need_text(r, item, "reason", "a resource");
    bool stated = sl_field_require(&r->fields, item, "servers", "a resource") &&
                  sl_field_integer(&r->fields, item, "servers", 1, 1 << 20, &servers);
    if (!sl_field_require(&r->fields, item, "resource", "a resource") ||
        !sl_field_ref(&r->fields, item, "resource", "resource", &platform->resource_names,
                      &limit.resource) ||
        !stated)
        return;
    limit.servers = (uint32_t)servers;
    uint32_t had = platform->resources[limit.resource].servers;
    if (had != SL_UNLIMITED && limit.servers > had)
        sl_diags_add(r->fields.diags, SL_ERROR, "limit-raised", item->place,
                     "resource '%s' has %u servers in the plan: a constraint cannot give it %u",
                     platform->resource_names.names[limit.resource], had, limit.servers);
    else
        add_limit(r, &limit, platform->resource_names.names[limit.resource]);
}

static void take_domain(struct reply_reader *r, const struct sl_yaml *item)
{
    const struct sl_platform *platform = r->plan->platform;
    struct sl_reply_limit limit = {
        .resource = SL_NONE, .domain = SL_NONE, .capacity = -1, .place = item->place};
    limit.reason = sl_reply_need_text(r, item, "reason", "a domain");
    bool capacity = sl_field_bytes(&r->fields, item, "capacity", &limit.capacity);
    bool rounding = sl_field_bytes(&r->fields, item, "rounding", &limit.rounding);
    if (!sl_yaml_get(item, "capacity") && !sl_yaml_get(item, "rounding"))
        sl_diags_add(r->fields.diags, SL_ERROR, "missing-key", item->place,
                     "a domain states its capacity, its rounding or both");
    if (!sl_field_require(&r->fields, item, "domain", "a domain") ||
        !sl_field_ref(&r->fields, item, "domain", "domain", &platform->domain_names,
                      &limit.domain) ||
        (!capacity && !rounding))
        return;
    int64_t had = platform->domains[limit.domain].capacity;
    if (had >= 0 && limit.capacity > had)
        sl_diags_add(r->fields.diags, SL_ERROR, "limit-raised", item->place,
                     "domain '%s' has %lld bytes in the plan: a constraint cannot give it %lld",
                     platform->domain_names.names[limit.domain], (long long)had,
                     (long long)limit.capacity);
    else
        add_limit(r, &limit, platform->domain_names.names[limit.domain]);
}

static void take_kept(struct reply_reader *r, const struct sl_yaml *item)
{
    uint32_t node = sl_reply_need_node(r, item, "node", "an uncancellable node");
    const char *reason = sl_reply_need_text(r, item, "reason", "an uncancellable node");
    if (node != SL_NONE && r->kept_of_node[node] > 0) {
        sl_diags_add(r->fields.diags, SL_ERROR, "duplicate-node", item->place,
                     "'%s' is there already, in line %d", r->plan->nodes[node].name,
                     r->reply->kept.items[r->kept_of_node[node] - 1].place.line);
        return;
    }
    struct sl_reply_kept *kept = node == SL_NONE ? NULL : SL_REPLY_ADD(r->reply->kept);
    r->out_of_memory |= node != SL_NONE && !kept;
    if (kept) {
        *kept = (struct sl_reply_kept){node, reason, item->place};
        r->kept_of_node[node] = r->reply->kept.count;
    }
}

void sl_reply_take_constraints(struct reply_reader *r, const struct sl_yaml *constraints)
{
    static const char *const keys[] = {"edges", "resources", "domains", "uncancellable"};
    static const char *const of_edge[] = {"from", "to", "type", "lag", "reason"};
    static const char *const of_resource[] = {"resource", "servers", "reason"};
    static const char *const of_domain[] = {"domain", "capacity", "rounding", "reason"};
    static const char *const of_kept[] = {"node", "reason"};
    if (!constraints || !sl_field_is(&r->fields, constraints, SL_YAML_MAP, "constraints"))
        return;
    sl_yaml_check_keys(constraints, keys, COUNT(keys), "constraints", r->fields.diags);
    sl_reply_each(r, constraints, "edges", of_edge, COUNT(of_edge), take_edge);
    sl_reply_each(r, constraints, "resources", of_resource, COUNT(of_resource), take_resource);
    sl_reply_each(r, constraints, "domains", of_domain, COUNT(of_domain), take_domain);
    sl_reply_each(r, constraints, "uncancellable", of_kept, COUNT(of_kept), take_kept);
    find_double_edges(r);
}

/* ---- ordering ---------------------------------------------------------------------------------
 */

static void take_queue(struct reply_reader *r, const struct sl_yaml *item)
{
    struct sl_reply_queue *queue = SL_REPLY_ADD(r->reply->queues);
    if (!queue) {
        r->out_of_memory = true;
        return;
    }
    queue->place = item->place;
    queue->name = sl_reply_need_text(r, item, "queue", "a queue");
    (void)sl_field_text(&r->fields, item, "reason", &queue->reason);
    const struct sl_yaml *list = sl_field_require(&r->fields, item, "nodes", "a queue")
                                     ? sl_reply_list(r, item, "nodes")
                                     : NULL;
    if (!list)
        return;
    queue->nodes = malloc(((size_t)list->count + 1) * sizeof *queue->nodes);
    r->out_of_memory |= !queue->nodes;
    for (uint32_t k = 0; queue->nodes && k < list->count; k++) {
        const char *text = sl_yaml_scalar(list->items[k], "a node", r->fields.diags);
        uint32_t node =
            text ? sl_reply_node(r, text, list->items[k]->place, "the order of a queue") : SL_NONE;
        if (node != SL_NONE)
            queue->nodes[queue->count++] = node;
    }
}

static void find_double_queues(struct reply_reader *r)
{
    const struct sl_reply *reply = r->reply;
    struct sl_names names = {0};
    uint32_t *queue_of = calloc((size_t)reply->queues.count + 1, sizeof *queue_of); /* by name */
    r->out_of_memory |= !queue_of;
    for (uint32_t q = 0; queue_of && q < reply->queues.count; q++) {
        const struct sl_reply_queue *queue = &reply->queues.items[q];
        uint32_t had = names.count, name = queue->name ? sl_names_add(&names, queue->name) : had;
        r->out_of_memory |= name == SL_NONE;
        if (name < had)
            sl_diags_add(r->fields.diags, SL_ERROR, "duplicate-queue", queue->place,
                         "queue '%s' is there already, in line %d", queue->name,
                         reply->queues.items[queue_of[name]].place.line);
        else if (queue->name && name != SL_NONE)
            queue_of[name] = q;
    }
    free(queue_of);
    sl_names_free(&names);
}

/* A node runs in one queue, once. */
static void find_double_places(struct reply_reader *r)
{
    const struct sl_reply *reply = r->reply;
    uint32_t *queue_of = calloc((size_t)r->plan->node_count + 1, sizeof *queue_of);
    r->out_of_memory |= !queue_of;
    for (uint32_t q = 0; queue_of && q < reply->queues.count; q++) {
        const struct sl_reply_queue *queue = &reply->queues.items[q];
        for (uint32_t k = 0; k < queue->count; k++) {
            uint32_t *of = &queue_of[queue->nodes[k]];
            const char *other = *of == 0 ? NULL : reply->queues.items[*of - 1].name;
            if (*of != 0)
                sl_diags_add(r->fields.diags, SL_ERROR, "duplicate-node", queue->place,
                             "node '%s' is in queue '%s' already",
                             r->plan->nodes[queue->nodes[k]].name, other ? other : "?");
            *of = q + 1;
        }
    }
    free(queue_of);
}

void sl_reply_take_ordering(struct reply_reader *r, const struct sl_yaml *root)
{
    static const char *const keys[] = {"queue", "nodes", "reason"};
    sl_reply_each(r, root, "ordering", keys, COUNT(keys), take_queue);
    find_double_queues(r);
    find_double_places(r);
}

/* ---- overhead ---------------------------------------------------------------------------------
 */

/* Where the number of the overhead of such a target is noted. */
static uint32_t *noted(struct reply_reader *r, const struct sl_reply_overhead *overhead)
{
    return overhead->node != SL_NONE    ? &r->overhead_of_node[overhead->node]
           : overhead->klass != SL_NONE ? &r->overhead_of_class[overhead->klass]
                                        : &r->overhead_of_kind[overhead->kind];
}

/* Of a node, a class or a kind, just one of them. */
static bool take_target(struct reply_reader *r, const struct sl_yaml *item,
                        struct sl_reply_overhead *overhead)
{
    static const char *words[SL_NODE_KINDS];
    unsigned kind = 0;
    int stated = 0;
    for (int k = 0; k < SL_NODE_KINDS; k++)
        words[k] = sl_node_kind_name((enum sl_node_kind)k);
    stated += sl_yaml_get(item, "node") != NULL;
    stated += sl_yaml_get(item, "class") != NULL;
    stated += sl_yaml_get(item, "kind") != NULL;
    if (stated != 1) {
        sl_diags_add(r->fields.diags, SL_ERROR, "bad-overhead", item->place,
                     "an overhead is of a node, of a class or of a kind: state one of them");
        return false;
    }
    if (sl_yaml_get(item, "node"))
        return sl_field_ref(&r->fields, item, "node", "node", &r->plan->node_names,
                            &overhead->node);
    if (sl_yaml_get(item, "class"))
        return sl_field_ref(&r->fields, item, "class", "class", &r->plan->platform->kappa.classes,
                            &overhead->klass);
    bool known = sl_field_choice(&r->fields, item, "kind", words, SL_NODE_KINDS, &kind);
    overhead->kind = (int)kind;
    return known;
}

static void take_overhead(struct reply_reader *r, const struct sl_yaml *item)
{
    struct sl_reply_overhead overhead = {
        .node = SL_NONE, .klass = SL_NONE, .kind = -1, .place = item->place};
    const char *duration = sl_reply_need_text(r, item, "duration", "an overhead");
    bool known = duration && strcmp(duration, "unknown") == 0;
    known |= duration && !known &&
             sl_field_dist(&r->fields, item, "duration", SL_DIST_TIME, &overhead.dist);
    if (sl_field_require(&r->fields, item, "evidence", "an overhead"))
        sl_field_evidence(&r->fields, item, &overhead.evidence);
    if (!take_target(r, item, &overhead) || !known)
        return;
    uint32_t *number = noted(r, &overhead);
    if (*number > 0) {
        sl_diags_add(r->fields.diags, SL_ERROR, "duplicate-overhead", item->place,
                     "the overhead of this is stated already, in line %d",
                     r->reply->overheads.items[*number - 1].place.line);
        return;
    }
    struct sl_reply_overhead *kept = SL_REPLY_ADD(r->reply->overheads);
    r->out_of_memory |= !kept;
    if (kept) {
        *kept = overhead;
        *number = r->reply->overheads.count;
    }
}

void sl_reply_take_overheads(struct reply_reader *r, const struct sl_yaml *root)
{
    static const char *const keys[] = {"node", "class", "kind", "duration", "evidence"};
    sl_reply_each(r, root, "overhead", keys, COUNT(keys), take_overhead);
}

/* ---- what it says of itself -------------------------------------------------------------------
 */

static void take_deviation(struct reply_reader *r, const struct sl_yaml *item)
{
    struct sl_reply_deviation *deviation = SL_REPLY_ADD(r->reply->deviations);
    if (!deviation) {
        r->out_of_memory = true;
        return;
    }
    if (!sl_yaml_get(item, "node") == !sl_yaml_get(item, "wish"))
        sl_diags_add(r->fields.diags, SL_ERROR, "bad-deviation", item->place,
                     "a deviation is from a node or from a wish: state one of them");
    uint32_t node = SL_NONE;
    if (sl_field_ref(&r->fields, item, "node", "node", &r->plan->node_names, &node))
        deviation->node = r->plan->nodes[node].name;
    (void)sl_field_text(&r->fields, item, "wish", &deviation->wish);
    deviation->instead = sl_reply_need_text(r, item, "instead", "a deviation");
    deviation->why = sl_reply_need_text(r, item, "why", "a deviation");
    (void)sl_field_text(&r->fields, item, "consequence", &deviation->consequence);
}

static void take_mechanism(struct reply_reader *r, const struct sl_yaml *item)
{
    struct sl_reply_mechanism *mechanism = SL_REPLY_ADD(r->reply->mechanisms);
    int64_t count = 1;
    uint32_t index = SL_NONE;
    if (!mechanism) {
        r->out_of_memory = true;
        return;
    }
    mechanism->wish = sl_reply_need_text(r, item, "wish", "a mechanism");
    mechanism->realizable = sl_reply_need_truth(r, item, "realizable", "a mechanism");
    (void)sl_field_text(&r->fields, item, "mechanism", &mechanism->mechanism);
    (void)sl_field_text(&r->fields, item, "note", &mechanism->note);
    (void)sl_field_integer(&r->fields, item, "count", 1, INT64_C(1) << 40, &count);
    if (sl_field_ref(&r->fields, item, "node", "node", &r->plan->node_names, &index))
        mechanism->node = r->plan->nodes[index].name;
    if (sl_field_ref(&r->fields, item, "object", "object", &r->plan->object_names, &index))
        mechanism->object = r->plan->objects[index].name;
    mechanism->count = (uint64_t)count;
    if (mechanism->realizable == SL_TRUTH_YES && !mechanism->mechanism)
        sl_diags_add(r->fields.diags, SL_ERROR, "missing-key", item->place,
                     "a wish that is realizable needs its mechanism");
}

static void take_assumption(struct reply_reader *r, const struct sl_yaml *item)
{
    struct sl_reply_assumption *assumption = SL_REPLY_ADD(r->reply->assumptions);
    if (!assumption) {
        r->out_of_memory = true;
        return;
    }
    assumption->assumption = sl_reply_need_text(r, item, "assumption", "an assumption");
    assumption->holds = sl_reply_need_truth(r, item, "holds", "an assumption");
    (void)sl_field_text(&r->fields, item, "detail", &assumption->detail);
}

void sl_reply_take_notes(struct reply_reader *r, const struct sl_yaml *root)
{
    static const char *const of_deviation[] = {"node", "wish", "instead", "why", "consequence"};
    static const char *const of_mechanism[] = {"wish", "mechanism", "realizable", "note",
                                               "node", "object",    "count"};
    static const char *const of_assumption[] = {"assumption", "holds", "detail"};
    sl_reply_each(r, root, "deviations", of_deviation, COUNT(of_deviation), take_deviation);
    sl_reply_each(r, root, "mechanisms", of_mechanism, COUNT(of_mechanism), take_mechanism);
    sl_reply_each(r, root, "assumptions", of_assumption, COUNT(of_assumption), take_assumption);
}
