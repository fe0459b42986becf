/* Sections `resources`, `domains`, `routes` and `costs` of a device or a scenario.
 *
 * A name that is there already keeps the fields that the section does not state, so a scenario
 * overrides its device field by field; a route replaces the earlier one between its domains. */
#include <config.h>

#include "fields.h"
#include "platform.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MAX_GROUPS   64
#define MAX_DOMAINS  4096 /* a result has some hundred figures of each */
#define MAX_COSTS    4096

/* In the order of enum sl_order, then `ready`: what copy engines call fifo. */
static const char *const order_words[] = {"fifo",          "priority", "edf",  "sjf",
                                          "critical-path", "issue",    "ready"};

/* Index of `name` in `names`, added when new; the parallel array grows with it. */
static uint32_t declare(const struct sl_reader *reader, struct sl_names *names, const char *name,
                        struct sl_place place, const char *what, void **items, uint32_t *capacity,
                        size_t size)
{
    if (!sl_value_name(reader, name, place, what, ";:"))
        return SL_NONE;
    uint32_t index = sl_names_add(names, name);
    if (index == SL_NONE || !sl_grow(items, capacity, index + 1, size)) {
        sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", place, "out of memory");
        return SL_NONE;
    }
    return index;
}

/* Joins one group; false when there are more groups than bits. */
static void join_group(struct sl_platform *platform, const struct sl_reader *reader,
                       const char *name, struct sl_place place, uint64_t *groups)
{
    if (!sl_value_name(reader, name, place, "group", ";"))
        return;
    uint32_t group = sl_names_add(&platform->group_names, name);
    if (group == SL_NONE)
        sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", place, "out of memory");
    else if (group >= MAX_GROUPS)
        sl_diags_add(reader->diags, SL_ERROR, "too-many-groups", place,
                     "group '%s' is one too many (allowed: %d)", name, MAX_GROUPS);
    else
        *groups |= UINT64_C(1) << group;
}

static void read_groups(struct sl_platform *platform, const struct sl_reader *reader,
                        const struct sl_yaml *node, uint64_t *groups)
{
    if (!node)
        return;
    *groups = 0;
    if (node->type == SL_YAML_SCALAR)
        join_group(platform, reader, node->text, node->place, groups);
    else if (sl_field_is(reader, node, SL_YAML_LIST, "group"))
        for (uint32_t i = 0; i < node->count; i++)
            if (sl_field_is(reader, node->items[i], SL_YAML_SCALAR, "group"))
                join_group(platform, reader, node->items[i]->text, node->items[i]->place, groups);
}

static void read_resource(struct sl_platform *platform, const struct sl_reader *reader,
                          const struct sl_yaml *map, struct sl_resource *resource)
{
    static const char *const keys[] = {"servers", "order", "admission", "aging", "group", "batch"};
    static const char *const admissions[] = {"backfill", "strict"};
    sl_yaml_check_keys(map, keys, COUNT(keys), "a resource", reader->diags);
    const struct sl_yaml *servers = sl_yaml_get(map, "servers");
    int64_t count;
    unsigned word;
    if (servers && servers->type == SL_YAML_SCALAR && strcmp(servers->text, "unlimited") == 0)
        resource->servers = SL_UNLIMITED;
    else if (sl_field_integer(reader, map, "servers", 1, 1 << 20, &count))
        resource->servers = (uint32_t)count;
    if (sl_field_choice(reader, map, "order", order_words, COUNT(order_words), &word)) {
        resource->order = word == COUNT(order_words) - 1 ? SL_ORDER_FIFO : (enum sl_order)word;
        resource->order_given = true;
    }
    if (sl_field_choice(reader, map, "admission", admissions, 2, &word))
        resource->admission = word == 0 ? SL_BACKFILL : SL_STRICT;
    sl_field_time(reader, map, "aging", &resource->aging_ps);
    read_groups(platform, reader, sl_yaml_get(map, "group"), &resource->groups);
    sl_batching_read(reader, sl_yaml_get(map, "batch"), &resource->batch);
}

static void read_resources(struct sl_platform *platform, const struct sl_reader *reader,
                           const struct sl_yaml *section)
{
    if (!sl_field_is(reader, section, SL_YAML_MAP, "resources"))
        return;
    for (uint32_t i = 0; i < section->count; i++) {
        uint32_t known = platform->resource_names.count;
        uint32_t index = declare(reader, &platform->resource_names, section->keys[i],
                                 section->key_places[i], "resource", (void **)&platform->resources,
                                 &platform->resource_capacity, sizeof *platform->resources);
        if (index == SL_NONE)
            continue;
        struct sl_resource *resource = &platform->resources[index];
        if (index == known)
            *resource = (struct sl_resource){.servers = 1};
        resource->place = section->key_places[i];
        if (sl_field_is(reader, section->items[i], SL_YAML_MAP, section->keys[i]))
            read_resource(platform, reader, section->items[i], resource);
    }
}

/* True when a list is short enough to be searched one by one. */
static bool few(const struct sl_reader *reader, const struct sl_yaml *list, const char *what,
                uint32_t limit)
{
    if (list->count <= limit)
        return true;
    sl_diags_add(reader->diags, SL_ERROR, "too-many", list->place, "%u %s (allowed: %u)",
                 list->count, what, limit);
    return false;
}

/* Options of the file format that this version cannot honour are refused, never ignored. */
static void refuse_unsupported(const struct sl_reader *reader, const struct sl_yaml *map,
                               const char *key, const char *harmless)
{
    const struct sl_yaml *node = sl_yaml_get(map, key);
    if (!node || (harmless && node->type == SL_YAML_SCALAR && strcmp(node->text, harmless) == 0))
        return;
    sl_diags_add(reader->diags, SL_ERROR, "not-supported", node->place,
                 "%s: '%s' is not supported by this version%s%s%s", key,
                 node->type == SL_YAML_SCALAR ? node->text : "...", harmless ? " (allowed: " : "",
                 harmless ? harmless : "", harmless ? ")" : "");
}

static void read_domain(const struct sl_reader *reader, const struct sl_yaml *map,
                        struct sl_domain *domain)
{
    static const char *const keys[] = {"capacity", "reserve", "rounding", "fragmentation", "alloc"};
    sl_yaml_check_keys(map, keys, COUNT(keys), "a domain", reader->diags);
    if (sl_field_bytes(reader, map, "capacity", &domain->capacity))
        domain->capacity_place = sl_yaml_get(map, "capacity")->place;
    if (sl_field_bytes(reader, map, "reserve", &domain->reserve))
        domain->reserve_given = true;
    int64_t rounding;
    if (sl_field_bytes(reader, map, "rounding", &rounding)) {
        if (rounding > 0)
            domain->rounding = rounding;
        else
            sl_diags_add(reader->diags, SL_ERROR, "bad-quantity",
                         sl_yaml_get(map, "rounding")->place, "rounding: must be at least 1B");
    }
    sl_field_dist(reader, map, "fragmentation", SL_DIST_NUMBER, &domain->fragmentation);
    refuse_unsupported(reader, map, "alloc", "start");
}

static void read_domains(struct sl_platform *platform, const struct sl_reader *reader,
                         const struct sl_yaml *section)
{
    if (!sl_field_is(reader, section, SL_YAML_MAP, "domains") ||
        !few(reader, section, "domains", MAX_DOMAINS))
        return;
    for (uint32_t i = 0; i < section->count; i++) {
        uint32_t known = platform->domain_names.count;
        uint32_t index = declare(reader, &platform->domain_names, section->keys[i],
                                 section->key_places[i], "domain", (void **)&platform->domains,
                                 &platform->domain_capacity, sizeof *platform->domains);
        if (index == SL_NONE)
            continue;
        struct sl_domain *domain = &platform->domains[index];
        if (index == known)
            *domain = (struct sl_domain){.capacity = -1, .rounding = 1};
        domain->place = section->key_places[i];
        if (sl_field_is(reader, section->items[i], SL_YAML_MAP, section->keys[i]))
            read_domain(reader, section->items[i], domain);
    }
}

/* `staging: {domain: pool, bucket: 16MiB, buckets: 2, fill: 20GB/s}` */
static bool read_staging(struct sl_platform *platform, const struct sl_reader *reader,
                         const struct sl_yaml *map, struct sl_staging *staging)
{
    static const char *const keys[] = {"domain", "bucket", "buckets", "fill"};
    staging->domain = SL_NONE;
    staging->buckets = 2;
    if (!map)
        return true;
    if (!sl_field_is(reader, map, SL_YAML_MAP, "staging"))
        return false;
    staging->place = map->place;
    sl_yaml_check_keys(map, keys, COUNT(keys), "staging", reader->diags);
    bool complete = sl_field_require(reader, map, "domain", "staging");
    complete &= sl_field_require(reader, map, "bucket", "staging");
    complete &=
        sl_field_ref(reader, map, "domain", "domain", &platform->domain_names, &staging->domain);
    complete &= sl_field_bytes(reader, map, "bucket", &staging->bucket);
    sl_field_integer(reader, map, "buckets", 1, 1 << 20, &staging->buckets);
    sl_field_bandwidth(reader, map, "fill", &staging->fill);
    if (complete && staging->bucket <= 0) {
        sl_diags_add(reader->diags, SL_ERROR, "bad-quantity", sl_yaml_get(map, "bucket")->place,
                     "bucket: must be at least 1B");
        return false;
    }
    return complete;
}

/* Chunks of their own need a size. */
static void read_pipeline(const struct sl_reader *reader, const struct sl_yaml *map,
                          struct sl_route *route)
{
    static const char *const words[] = {"false", "true"};
    unsigned word = 0;
    if (sl_field_choice(reader, map, "pipeline", words, 2, &word) && word == 1 && !route->chunk)
        sl_diags_add(reader->diags, SL_ERROR, "missing-key", sl_yaml_get(map, "pipeline")->place,
                     "pipeline: true needs a chunk, such as 'chunk: 64MiB'");
    route->pipeline = word == 1;
}

static bool read_route(struct sl_platform *platform, const struct sl_reader *reader,
                       const struct sl_yaml *map, struct sl_route *route)
{
    static const char *const keys[] = {"from",     "to",       "resource", "class",   "bandwidth",
                                       "overhead", "latency",  "noise",    "chunk",   "evidence",
                                       "issue",    "blocking", "staging",  "pipeline"};
    sl_yaml_check_keys(map, keys, COUNT(keys), "a route", reader->diags);
    *route = (struct sl_route){
        .from = SL_NONE, .to = SL_NONE, .resource = SL_NONE, .klass = SL_NONE, .place = map->place};
    bool complete = true; /* no short circuit: every missing key is worth a line */
    for (size_t k = 0; k < 5; k++)
        if (k != 3)
            complete &= sl_field_require(reader, map, keys[k], "a route");
    complete &= sl_field_ref(reader, map, "from", "domain", &platform->domain_names, &route->from);
    complete &= sl_field_ref(reader, map, "to", "domain", &platform->domain_names, &route->to);
    complete &= sl_field_ref(reader, map, "resource", "resource", &platform->resource_names,
                             &route->resource);
    complete &= sl_field_bandwidth(reader, map, "bandwidth", &route->bandwidth);
    const char *name;
    if (sl_field_text(reader, map, "class", &name) &&
        sl_value_name(reader, name, sl_yaml_get(map, "class")->place, "class", ";+"))
        route->klass = sl_value_add(reader, &platform->kappa.classes, name, map->place);
    sl_field_time(reader, map, "overhead", &route->overhead_ps);
    sl_field_time(reader, map, "latency", &route->latency_ps);
    sl_field_bytes(reader, map, "chunk", &route->chunk);
    read_pipeline(reader, map, route);
    complete &= read_staging(platform, reader, sl_yaml_get(map, "staging"), &route->staging);
    sl_field_dist(reader, map, "noise", SL_DIST_NUMBER, &route->noise);
    sl_field_evidence(reader, map, &route->evidence);
    refuse_unsupported(reader, map, "issue", NULL);
    refuse_unsupported(reader, map, "blocking", "none");
    if (complete && route->from == route->to) {
        sl_diags_add(reader->diags, SL_ERROR, "bad-route", map->place,
                     "a route from '%s' to itself moves nothing",
                     platform->domain_names.names[route->from]);
        return false;
    }
    return complete;
}

/* Adds a route, or replaces the one between its domains when it came from an earlier section. */
static void put_route(struct sl_platform *platform, const struct sl_reader *reader,
                      const struct sl_route *route)
{
    for (uint32_t i = 0; i < platform->route_count; i++) {
        struct sl_route *known = &platform->routes[i];
        if (known->from != route->from || known->to != route->to)
            continue;
        if (known->place.file == route->place.file)
            sl_diags_add(reader->diags, SL_ERROR, "duplicate-route", route->place,
                         "a route from '%s' to '%s' is already defined at %s:%d",
                         platform->domain_names.names[route->from],
                         platform->domain_names.names[route->to], known->place.file,
                         known->place.line);
        *known = *route;
        return;
    }
    if (!sl_grow((void **)&platform->routes, &platform->route_capacity, platform->route_count + 1,
                 sizeof *platform->routes)) {
        sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", route->place, "out of memory");
        return;
    }
    platform->routes[platform->route_count++] = *route;
}

static void read_routes(struct sl_platform *platform, const struct sl_reader *reader,
                        const struct sl_yaml *section)
{
    if (!sl_field_is(reader, section, SL_YAML_LIST, "routes") ||
        !few(reader, section, "routes", SL_MOST_ROUTES))
        return;
    for (uint32_t i = 0; i < section->count; i++) {
        struct sl_route route;
        if (sl_field_is(reader, section->items[i], SL_YAML_MAP, "a route") &&
            read_route(platform, reader, section->items[i], &route))
            put_route(platform, reader, &route);
    }
}

static void read_cost(struct sl_platform *platform, const struct sl_reader *reader,
                      const struct sl_yaml *map)
{
    static const char *const keys[] = {"what", "duration", "domain", "resource", "evidence"};
    static const char *const whats[] = {"allocation", "mapping", "reclamation"};
    sl_yaml_check_keys(map, keys, COUNT(keys), "a cost", reader->diags);
    struct sl_api_cost cost = {.domain = SL_NONE, .resource = SL_NONE, .place = map->place};
    unsigned word = 0;
    bool complete = sl_field_require(reader, map, "what", "a cost");
    complete &= sl_field_require(reader, map, "duration", "a cost");
    complete &= sl_field_choice(reader, map, "what", whats, 3, &word);
    complete &= sl_field_dist(reader, map, "duration", SL_DIST_TIME, &cost.duration);
    sl_field_ref(reader, map, "domain", "domain", &platform->domain_names, &cost.domain);
    sl_field_ref(reader, map, "resource", "resource", &platform->resource_names, &cost.resource);
    sl_field_evidence(reader, map, &cost.evidence);
    if (!complete)
        return;
    cost.what = word == 0 ? SL_COST_ALLOCATION : word == 1 ? SL_COST_MAPPING : SL_COST_RECLAMATION;
    uint32_t at = 0;
    while (at < platform->cost_count &&
           (platform->costs[at].what != cost.what || platform->costs[at].domain != cost.domain))
        at++;
    if (at == platform->cost_count) {
        if (!sl_grow((void **)&platform->costs, &platform->cost_capacity, at + 1,
                     sizeof *platform->costs)) {
            sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", map->place, "out of memory");
            return;
        }
        platform->cost_count++;
    } else if (platform->costs[at].place.file == map->place.file) {
        sl_diags_add(reader->diags, SL_ERROR, "duplicate-cost", map->place,
                     "this cost is already defined at %s:%d", map->place.file,
                     platform->costs[at].place.line);
    }
    platform->costs[at] = cost;
}

enum sl_status sl_platform_read(struct sl_platform *platform, const struct sl_yaml *map,
                                const char *base_dir, struct sl_arena *arena,
                                struct sl_diags *diags, struct sl_error *err)
{
    const struct sl_reader reader = {arena, diags, base_dir};
    size_t before = diags->errors;
    read_resources(platform, &reader, sl_yaml_get(map, "resources"));
    read_domains(platform, &reader, sl_yaml_get(map, "domains"));
    read_routes(platform, &reader, sl_yaml_get(map, "routes"));
    const struct sl_yaml *costs = sl_yaml_get(map, "costs");
    if (sl_field_is(&reader, costs, SL_YAML_LIST, "costs") &&
        few(&reader, costs, "costs", MAX_COSTS))
        for (uint32_t i = 0; i < costs->count; i++)
            if (sl_field_is(&reader, costs->items[i], SL_YAML_MAP, "a cost"))
                read_cost(platform, &reader, costs->items[i]);
    return diags->errors > before ? sl_diags_status(diags, err) : SL_OK;
}

/* A copy that can take no bucket never starts; one that takes fewer than its route allows is said.
 */
static void check_pool(const struct sl_platform *platform, const struct sl_route *route,
                       struct sl_diags *diags)
{
    const struct sl_staging *staging = &route->staging;
    if (staging->domain == SL_NONE)
        return;
    const struct sl_domain *pool = &platform->domains[staging->domain];
    char room[32], bucket[32];
    int64_t bytes = pool->capacity - pool->reserve;
    if (pool->capacity < 0 || bytes / staging->bucket >= staging->buckets)
        return;
    sl_format_bytes(room, sizeof room, (double)bytes);
    sl_format_bytes(bucket, sizeof bucket, (double)staging->bucket);
    if (bytes < staging->bucket)
        sl_diags_add(diags, SL_ERROR, "pool-too-small", staging->place,
                     "staging: a bucket of %s does not fit into '%s', which has room for %s",
                     bucket, platform->domain_names.names[staging->domain], room);
    else
        sl_diags_add(diags, SL_WARNING, "pool-too-small", staging->place,
                     "staging: '%s' has room for %s, %lld of the %lld buckets of %s that a copy "
                     "may take",
                     platform->domain_names.names[staging->domain], room,
                     (long long)(bytes / staging->bucket), (long long)staging->buckets, bucket);
}

void sl_platform_check(const struct sl_platform *platform, struct sl_diags *diags)
{
    for (uint32_t r = 0; r < platform->route_count; r++)
        check_pool(platform, &platform->routes[r], diags);
    for (uint32_t i = 0; i < platform->domain_names.count; i++) {
        const struct sl_domain *domain = &platform->domains[i];
        char capacity[32], reserve[32];
        if (domain->capacity >= 0 && domain->capacity < domain->reserve)
            sl_diags_add(diags, SL_ERROR, "capacity-below-reserve", domain->capacity_place,
                         "domain '%s': its capacity of %s is below its reserve of %s",
                         platform->domain_names.names[i],
                         sl_format_bytes(capacity, sizeof capacity, (double)domain->capacity),
                         sl_format_bytes(reserve, sizeof reserve, (double)domain->reserve));
    }
}

void sl_platform_settle(struct sl_platform *platform)
{
    for (uint32_t i = 0; i < platform->route_count; i++) {
        struct sl_resource *resource = &platform->resources[platform->routes[i].resource];
        if (!resource->order_given)
            resource->order = SL_ORDER_ISSUE;
    }
}

const struct sl_route *sl_platform_route(const struct sl_platform *platform, uint32_t from,
                                         uint32_t to)
{
    if (from == SL_NONE || to == SL_NONE)
        return NULL;
    for (uint32_t i = 0; i < platform->route_count; i++)
        if (platform->routes[i].from == from && platform->routes[i].to == to)
            return &platform->routes[i];
    return NULL;
}

bool sl_platform_has_intervals(const struct sl_platform *platform)
{
    for (uint32_t i = 0; i < platform->duration_count; i++)
        if (sl_known_varies(platform->durations[i].factor))
            return true;
    for (uint32_t r = 0; r < platform->kappa.row_count; r++)
        if (sl_known_varies(sl_kappa_known(&platform->kappa.rows[r])))
            return true;
    return false;
}

bool sl_platform_note_input(struct sl_platform *platform, const char *path, struct sl_arena *arena)
{
    char *copy = sl_arena_strdup(arena, path);
    if (!copy || !sl_grow((void **)&platform->input_files, &platform->input_capacity,
                          platform->input_count + 1, sizeof *platform->input_files))
        return false;
    platform->input_files[platform->input_count++] = copy;
    return true;
}

void sl_platform_free(struct sl_platform *platform)
{
    sl_names_free(&platform->resource_names);
    sl_names_free(&platform->domain_names);
    sl_names_free(&platform->group_names);
    free(platform->resources);
    free(platform->domains);
    free(platform->routes);
    free(platform->costs);
    free(platform->durations);
    sl_factors_free(&platform->factors);
    free((void *)platform->input_files);
    sl_kappa_free(&platform->kappa);
    *platform = (struct sl_platform){0};
}
