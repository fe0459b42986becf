/* Rows of a scenario in memory: adding, taking away, writing. */
#include <config.h>

#include "draft.h"
#include <inttypes.h>

const char *const draft_domain_names[DRAFT_DOMAINS] = {"hbm", "pinned"};
const char *const draft_resource_names[DRAFT_RESOURCES] = {"compute", "aux", "cpu", "h2d", "d2h"};

unsigned draft_node(struct draft *draft, enum sl_node_kind kind, const char *name)
{
    ck_assert_uint_lt(draft->node_count, DRAFT_NODES);
    struct draft_node *node = &draft->nodes[draft->node_count];
    *node = (struct draft_node){.kind = kind,
                                .resource = SL_NONE,
                                .units = 1,
                                .second = SL_NONE,
                                .object = SL_NONE,
                                .from = SL_NONE,
                                .to = SL_NONE,
                                .staging_until = SL_NONE,
                                .guard = SL_NONE,
                                .fallback = SL_NONE};
    snprintf(node->name, sizeof node->name, "%.20s", name);
    return draft->node_count++;
}

unsigned draft_object(struct draft *draft, const char *name, unsigned mib)
{
    ck_assert_uint_lt(draft->object_count, DRAFT_OBJECTS);
    struct draft_object *object = &draft->objects[draft->object_count];
    *object = (struct draft_object){
        .mib = mib, .home = HBM, .alias_of = SL_NONE, .initial = SL_NONE, .reconstruct = SL_NONE};
    snprintf(object->name, sizeof object->name, "%.20s", name);
    return draft->object_count++;
}

void draft_edge(struct draft *draft, unsigned from, unsigned to, enum sl_edge_type type,
                unsigned object)
{
    ck_assert_uint_lt(draft->edge_count, DRAFT_EDGES);
    draft->edges[draft->edge_count++] = (struct draft_edge){from, to, type, 0, object, 0};
}

void draft_list_add(struct draft_list *list, unsigned item)
{
    ck_assert_uint_lt(list->count, DRAFT_LIST);
    list->items[list->count++] = item;
}

bool draft_list_has(const struct draft_list *list, unsigned item)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->items[i] == item)
            return true;
    return false;
}

unsigned draft_root(const struct draft *draft, unsigned object)
{
    unsigned root = draft->objects[object].alias_of;
    return root == SL_NONE ? object : root;
}

void draft_drop_edge(struct draft *draft, unsigned edge)
{
    draft->edges[edge] = draft->edges[--draft->edge_count];
}

static void shift(unsigned *mention, unsigned dropped)
{
    if (*mention == dropped)
        *mention = SL_NONE;
    else if (*mention != SL_NONE && *mention > dropped)
        --*mention;
}

void draft_drop_node(struct draft *draft, unsigned node)
{
    for (unsigned k = draft->overlap_count; k-- > 0;)
        if (strcmp(draft->overlaps[k].a, draft->nodes[node].name) == 0 ||
            strcmp(draft->overlaps[k].b, draft->nodes[node].name) == 0)
            draft->overlaps[k] = draft->overlaps[--draft->overlap_count];
    for (unsigned e = draft->edge_count; e-- > 0;)
        if (draft->edges[e].from == node || draft->edges[e].to == node)
            draft_drop_edge(draft, e);
    memmove(&draft->nodes[node], &draft->nodes[node + 1],
            (draft->node_count - node - 1) * sizeof *draft->nodes);
    draft->node_count--;
    for (unsigned e = 0; e < draft->edge_count; e++) {
        shift(&draft->edges[e].from, node);
        shift(&draft->edges[e].to, node);
    }
    for (unsigned i = 0; i < draft->node_count; i++) {
        shift(&draft->nodes[i].staging_until, node);
        shift(&draft->nodes[i].fallback, node);
    }
    for (unsigned o = 0; o < draft->object_count; o++)
        shift(&draft->objects[o].reconstruct, node);
}

/* ---- writing --------------------------------------------------------------------------------- */

static const char *domain_or_none(unsigned domain)
{
    return domain == SL_NONE ? "" : draft_domain_names[domain];
}

static const char *node_or_none(const struct draft *draft, unsigned node)
{
    return node == SL_NONE ? "" : draft->nodes[node].name;
}

static const char *object_or_none(const struct draft *draft, unsigned object)
{
    return object == SL_NONE ? "" : draft->objects[object].name;
}

static void put_objects(FILE *out, const struct draft *draft, const struct draft_list *list)
{
    for (unsigned i = 0; i < list->count; i++)
        fprintf(out, "%s%s", i ? ";" : "", draft->objects[list->items[i]].name);
    fputc(',', out);
}

static void put_amounts(FILE *out, const unsigned *mib)
{
    for (unsigned d = 0, any = 0; d < DRAFT_DOMAINS; d++)
        if (mib[d])
            fprintf(out, "%s%s:%uMiB", any++ ? ";" : "", draft_domain_names[d], mib[d]);
    fputc(',', out);
}

static void put_duration(FILE *out, const struct draft_node *node)
{
    int64_t mean = node->mean_ns;
    switch (node->shape) {
    case TAKES_NO_TIME:
        break;
    case CONSTANT:
        fprintf(out, "%" PRId64 "ns", mean);
        break;
    case UNIFORM:
        fprintf(out, "\"uniform(low=%" PRId64 "ns, high=%" PRId64 "ns)\"", mean / 2,
                mean + mean / 2);
        break;
    case LOGNORMAL:
        fprintf(out, "\"lognormal(mean=%" PRId64 "ns, cv=0.3)\"", mean);
        break;
    case EXPONENTIAL:
        fprintf(out, "exponential(mean=%" PRId64 "ns)", mean);
        break;
    }
    fputc(',', out);
}

static void put_time(FILE *out, int64_t ns)
{
    if (ns)
        fprintf(out, "%" PRId64 "ns", ns);
    fputc(',', out);
}

static void put_node(FILE *out, const struct draft *draft, const struct draft_node *node)
{
    fprintf(out, "%s,%s,%s,", node->name, sl_node_kind_name(node->kind),
            node->klass ? node->klass : "");
    if (node->resource != SL_NONE)
        fprintf(out, "%s:%u", draft_resource_names[node->resource], node->units);
    if (node->second != SL_NONE)
        fprintf(out, ";%s", draft_resource_names[node->second]);
    fputc(',', out);
    put_duration(out, node);
    put_objects(out, draft, &node->inputs);
    put_objects(out, draft, &node->outputs);
    fprintf(out, "%s,%s,%s,", object_or_none(draft, node->object), domain_or_none(node->from),
            domain_or_none(node->to));
    put_amounts(out, node->workspace);
    put_amounts(out, node->staging);
    fprintf(out, "%s,%s,%s,", node_or_none(draft, node->staging_until),
            node->lane ? node->lane : "", node->layer ? node->layer : "");
    if (node->guard != SL_NONE)
        fprintf(out, "%s%s", node->guard_negated ? "!" : "", draft->guards[node->guard].name);
    fputc(',', out);
    put_time(out, node->release_ns);
    put_time(out, node->deadline_ns);
    fprintf(out, "%d,%s,%s\n", node->priority, node_or_none(draft, node->fallback),
            node->no_evidence ? "" : "assumed: random");
}

static void put_nodes(FILE *out, const struct draft *draft)
{
    fputs("node,kind,class,resource,duration,inputs,outputs,object,from,to,workspace,staging,"
          "staging_until,lane,layer,guard,release,deadline,priority,fallback,evidence\n",
          out);
    for (unsigned i = 0; i < draft->node_count; i++)
        put_node(out, draft, &draft->nodes[i]);
}

static void put_edges(FILE *out, const struct draft *draft)
{
    fputs("from,to,type,lag,object,scope\n", out);
    for (unsigned e = 0; e < draft->edge_count; e++) {
        const struct draft_edge *edge = &draft->edges[e];
        fprintf(out, "%s,%s,%s,", draft->nodes[edge->from].name, draft->nodes[edge->to].name,
                sl_edge_type_name(edge->type));
        put_time(out, edge->lag_ns);
        fprintf(out, "%s,", object_or_none(draft, edge->object));
        fprintf(out, edge->next ? "next:%u\n" : "same\n", edge->next);
    }
}

static void put_object_rows(FILE *out, const struct draft *draft)
{
    fputs("object,size,home,placements,alias_of,initial,persist,reconstruct,equivalence,evidence\n",
          out);
    for (unsigned i = 0; i < draft->object_count; i++) {
        const struct draft_object *o = &draft->objects[i];
        bool alias = o->alias_of != SL_NONE;
        fprintf(out, "%s,%uMiB,%s,%s,%s,%s,%s,%s,%s,assumed: random\n", o->name, o->mib,
                alias ? "" : draft_domain_names[o->home], o->placements ? o->placements : "",
                object_or_none(draft, o->alias_of), o->far ? "nvme" : domain_or_none(o->initial),
                o->persist ? "true" : "", node_or_none(draft, o->reconstruct),
                o->equivalence ? o->equivalence : "");
    }
}

static void put_overlaps(FILE *out, const struct draft *draft)
{
    fputs("a,b,allowed,proof,contention,earliest,latest\n", out);
    for (unsigned i = 0; i < draft->overlap_count; i++) {
        const struct draft_overlap *row = &draft->overlaps[i];
        fprintf(out, "%s,%s,%s,%s,%s,", row->a, row->b, row->allowed ? "true" : "false",
                row->proof ? row->proof : "", row->contention ? row->contention : "");
        put_time(out, row->earliest_ns);
        if (row->latest_ns)
            fprintf(out, "%" PRId64 "ns", row->latest_ns);
        fputc('\n', out);
    }
}

static void put_chunks(FILE *out, const struct draft *draft)
{
    if (draft->chunk_mib)
        fprintf(out, ", chunk: %uMiB, pipeline: true", draft->chunk_mib);
}

static void put_route(FILE *out, const struct draft *draft, const char *from, const char *to,
                      unsigned engine, bool back)
{
    fprintf(out,
            "  - {from: %s, to: %s, resource: %s, class: %s, bandwidth: 26214400kB/s, overhead: "
            "%dns, latency: %dns%s%s%s",
            from, to, draft_resource_names[engine], back ? "copy.h2d" : "copy.d2h",
            DRAFT_OVERHEAD_NS, DRAFT_LATENCY_NS, draft->noise ? ", noise: " : "",
            draft->noise ? draft->noise : "",
            draft->no_route_evidence ? "" : ", evidence: \"assumed: random\"");
    put_chunks(out, draft);
    fputs("}\n", out);
}

static void put_routes(FILE *out, const struct draft *draft)
{
    put_route(out, draft, "hbm", "pinned", draft->engine_out, false);
    put_route(out, draft, "pinned", "hbm", H2D, true);
    if (!draft->disk)
        return;
    put_route(out, draft, "pinned", "nvme", CPU, false);
    put_route(out, draft, "nvme", "pinned", draft->engine_out, true);
}

static void put_machine(FILE *out, const struct draft *draft)
{
    fputs("resources:\n", out);
    for (unsigned r = 0; r < DRAFT_RESOURCES; r++) {
        fprintf(out, "  %s: {servers: ", draft_resource_names[r]);
        if (draft->resources[r].servers)
            fprintf(out, "%u", draft->resources[r].servers);
        else
            fputs("unlimited", out);
        fprintf(out, "%s}\n", draft->resources[r].settings ? draft->resources[r].settings : "");
    }
    fputs("domains:\n", out);
    for (unsigned d = 0; d < DRAFT_DOMAINS; d++) {
        fprintf(out, "  %s: {rounding: %uMiB", draft_domain_names[d],
                draft->domains[d].rounding_mib);
        if (draft->domains[d].capacity_mib >= 0)
            fprintf(out, ", capacity: %ldMiB",
                    draft->domains[d].capacity_mib + draft->domains[d].reserve_mib);
        if (!draft->domains[d].no_reserve)
            fprintf(out, ", reserve: %uMiB", draft->domains[d].reserve_mib);
        fputs("}\n", out);
    }
    if (draft->disk)
        fputs("  nvme: {capacity: 1TiB, reserve: 0B}\n", out);
    fputs("routes:\n", out);
    put_routes(out, draft);
}

static void put_yaml(FILE *out, const struct draft *draft)
{
    fputs("name: random\nnodes: nodes.csv\nedges: edges.csv\nobjects: objects.csv\n", out);
    if (draft->overlap_count)
        fputs("overlap: overlap.csv\n", out);
    put_machine(out, draft);
    if (draft->costs)
        fprintf(out, "costs:\n%s", draft->costs);
    if (draft->guard_count)
        fputs("guards:\n", out);
    for (unsigned g = 0; g < draft->guard_count; g++)
        fprintf(out, "  %s: {probability: %g, scope: %s}\n", draft->guards[g].name,
                draft->guards[g].probability, draft->guards[g].scope);
    if (draft->factors)
        fprintf(out, "factors:\n%s", draft->factors);
    if (draft->kappa)
        fprintf(out, "kappa: %s\n", draft->kappa);
    fprintf(out, "objective: {metric: makespan%s}\ntrials: 2\nseed: 1\n",
            draft->no_tail ? "" : ", tail: 0.99");
    if (draft->policies)
        fprintf(out, "policies:\n%s", draft->policies);
}

/* The folder remembers the names of its files once. */
static FILE *open_file(struct tempdir *dir, const char *name)
{
    char path[sizeof dir->files[0]];
    snprintf(path, sizeof path, "%s/%s", dir->path, name);
    int at = 0;
    while (at < dir->count && strcmp(dir->files[at], path) != 0)
        at++;
    if (at == dir->count) {
        ck_assert_int_lt(dir->count, 16);
        memcpy(dir->files[dir->count++], path, sizeof path);
    }
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    return file;
}

void draft_write(const struct draft *draft, struct tempdir *dir)
{
    static const struct {
        const char *name;
        void (*put)(FILE *out, const struct draft *draft);
    } tables[] = {{"scenario.yaml", put_yaml},
                  {"nodes.csv", put_nodes},
                  {"edges.csv", put_edges},
                  {"objects.csv", put_object_rows},
                  {"overlap.csv", put_overlaps}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        FILE *file = open_file(dir, tables[i].name);
        tables[i].put(file, draft);
        ck_assert_int_eq(fclose(file), 0);
    }
    if (draft->kappa_rows) {
        FILE *file = open_file(dir, "kappa.csv");
        fputs(draft->kappa_rows, file);
        ck_assert_int_eq(fclose(file), 0);
    }
}
