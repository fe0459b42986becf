/* What a scenario needs of a calibration. */
#include "config.h"

#include "csvtab.h"
#include "outfile.h"
#include "scenario.h"
#include "workload_parts.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int by_class_and_bytes(const void *left, const void *right)
{
    const struct sl_workload_use *a = left, *b = right;
    if (a->klass != b->klass)
        return a->klass < b->klass ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

bool sl_workload_add_use(struct sl_workload_uses *uses, uint32_t klass, int64_t bytes)
{
    if (bytes <= 0)
        return true;
    if (!sl_grow((void **)&uses->items, &uses->capacity, uses->count + 1, sizeof *uses->items))
        return false;
    uses->items[uses->count++] = (struct sl_workload_use){klass, bytes};
    return true;
}

/* Sorts, and leaves one of each. */
static void make_unique(struct sl_workload_uses *uses)
{
    uint32_t kept = 0;
    if (uses->count > 0)
        qsort(uses->items, uses->count, sizeof *uses->items, by_class_and_bytes);
    for (uint32_t i = 0; i < uses->count; i++)
        if (kept == 0 || by_class_and_bytes(&uses->items[kept - 1], &uses->items[i]) != 0)
            uses->items[kept++] = uses->items[i];
    uses->count = kept;
}

/* The sizes of all objects that are no other name of one, as uses of class 0. */
static bool object_sizes(const struct sl_graph *graph, struct sl_workload_uses *sizes)
{
    for (uint32_t i = 0; i < graph->object_count; i++)
        if (graph->objects[i].alias_of.i == SL_NONE &&
            !sl_workload_add_use(sizes, 0, graph->objects[i].bytes))
            return false;
    make_unique(sizes);
    return true;
}

static bool collect_nodes(const struct sl_graph *graph, struct sl_workload *workload,
                          struct sl_workload_uses *uses)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        if (node->klass == SL_NONE)
            continue;
        workload->classes[node->klass].nodes++;
        if (node->object.i == SL_NONE)
            continue;
        sl_object_id root = sl_object_root(graph, node->object);
        if (!sl_workload_add_use(uses, node->klass, graph->objects[root.i].bytes))
            return false;
    }
    return true;
}

/* Policies may move any object over any route. */
static bool collect_routes(const struct sl_scenario *scenario, struct sl_workload *workload,
                           struct sl_workload_uses *uses)
{
    struct sl_workload_uses sizes = {0};
    bool good = object_sizes(scenario->graph, &sizes);
    for (uint32_t r = 0; good && r < scenario->platform.route_count; r++) {
        uint32_t klass = scenario->platform.routes[r].klass;
        if (klass == SL_NONE || workload->classes[klass].routed)
            continue;
        workload->classes[klass].routed = true;
        for (uint32_t i = 0; good && i < sizes.count; i++)
            good = sl_workload_add_use(uses, klass, sizes.items[i].bytes);
    }
    free(sizes.items);
    return good;
}

/* Gives a class its sizes: of those from `first` on, spread evenly by rank, both ends among them.
 */
static bool take_sizes(struct sl_workload *workload, const struct sl_workload_use *first,
                       uint32_t count)
{
    struct sl_workload_class *klass = &workload->classes[first->klass];
    uint32_t taken = count < SL_WORKLOAD_SIZES ? count : SL_WORKLOAD_SIZES;
    int64_t *sizes = sl_arena_array(&workload->arena, taken, sizeof *sizes);
    if (!sizes)
        return false;
    for (uint32_t i = 0; i < taken; i++)
        sizes[i] = first[taken > 1 ? (uint64_t)i * (count - 1) / (taken - 1) : 0].bytes;
    klass->sizes = sizes;
    klass->size_count = taken;
    return true;
}

bool sl_workload_take_sizes(struct sl_workload *workload, struct sl_workload_uses *uses)
{
    make_unique(uses);
    for (uint32_t i = 0, end = 0; i < uses->count; i = end) {
        while (end < uses->count && uses->items[end].klass == uses->items[i].klass)
            end++;
        if (!take_sizes(workload, &uses->items[i], end - i))
            return false;
    }
    return true;
}

static bool collect(struct sl_workload *workload, const struct sl_scenario *scenario,
                    struct sl_workload_uses *uses)
{
    const struct sl_names *names = &scenario->platform.kappa.classes;
    workload->count = names->count;
    workload->classes = sl_arena_array(&workload->arena, names->count, sizeof *workload->classes);
    if (!workload->classes)
        return false;
    for (uint32_t c = 0; c < names->count; c++)
        if (!(workload->classes[c].name = sl_arena_strdup(&workload->arena, names->names[c])))
            return false;
    if (!collect_nodes(scenario->graph, workload, uses) ||
        !collect_routes(scenario, workload, uses))
        return false;
    return sl_workload_take_sizes(workload, uses);
}

/* A scenario is a folder or a YAML file. */
static bool is_trace(const char *path)
{
    struct stat info;
    const char *dot = strrchr(path, '.');
    bool yaml = dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    return !yaml && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

enum sl_status sl_workload_read(struct sl_workload *workload, const char *path,
                                struct sl_error *err)
{
    *workload = (struct sl_workload){0};
    if (is_trace(path))
        return sl_workload_read_trace(workload, path, err);
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_workload_uses uses = {0};
    enum sl_status status = sl_scenario_load(&scenario, path, NULL, 0, &diags, err);
    if (status == SL_OK && !collect(workload, &scenario, &uses))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for '%s'", path);
    free(uses.items);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
    return status;
}

/* The class of that name; else the first for which one of that name stands. */
static const struct sl_workload_class *find(const struct sl_workload *workload, const char *name)
{
    const struct sl_workload_class *like = NULL;
    for (uint32_t c = 0; c < workload->count; c++) {
        const struct sl_workload_class *klass = &workload->classes[c];
        if (strcmp(klass->name, name) == 0)
            return klass;
        if (!like && klass->like && strcmp(klass->like, name) == 0)
            like = klass;
    }
    return like;
}

static bool is_used(const struct sl_workload_class *used)
{
    return used && (used->nodes > 0 || used->routed);
}

/* The sizes that the backend can do; its own where the scenario's are not known or all beyond. */
static bool narrow_sizes(struct sl_workload *workload, const struct sl_workload_class *used,
                         struct sl_work_class *klass)
{
    int64_t *sizes = sl_arena_array(&workload->arena, SL_WORKLOAD_SIZES, sizeof *sizes);
    uint32_t count = 0;
    if (!sizes)
        return false;
    for (uint32_t i = 0; klass->size_count > 0 && i < used->size_count; i++)
        if (used->sizes[i] >= klass->sizes[0] &&
            used->sizes[i] <= klass->sizes[klass->size_count - 1])
            sizes[count++] = used->sizes[i];
    if (count > 0) {
        klass->sizes = sizes;
        klass->size_count = count;
        klass->flops = NULL; /* they are stated beside the backend's own sizes */
    }
    return true;
}

enum sl_status sl_workload_narrow(struct sl_workload *workload,
                                  const struct sl_work_class **classes, uint32_t class_count,
                                  struct sl_error *err)
{
    struct sl_work_class *narrowed =
        sl_arena_array(&workload->arena, class_count, sizeof *narrowed);
    if (!narrowed)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t c = 0; c < class_count; c++) {
        narrowed[c] = (*classes)[c];
        const struct sl_workload_class *used = find(workload, narrowed[c].name);
        if (!is_used(used) && !narrowed[c].waived)
            narrowed[c].waived = "the scenario does not use it";
        else if (is_used(used) && !narrow_sizes(workload, used, &narrowed[c]))
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    *classes = narrowed;
    return SL_OK;
}

static const char *class_note(const struct sl_work_class *klass,
                              const struct sl_workload_class *used)
{
    if (!klass)
        return "no class of the backend has this name";
    if (klass->waived)
        return klass->waived;
    if (strcmp(klass->name, used->name) != 0)
        return "assumed: bounded by the same, arithmetic or memory";
    for (uint32_t i = 0; i < used->size_count; i++)
        if (klass->size_count == 0 || used->sizes[i] < klass->sizes[0] ||
            used->sizes[i] > klass->sizes[klass->size_count - 1])
            return "some sizes are beyond the backend's";
    return "";
}

static const struct sl_work_class *find_work(const struct sl_work_class *classes, uint32_t count,
                                             const char *name)
{
    for (uint32_t k = 0; k < count; k++)
        if (strcmp(classes[k].name, name) == 0)
            return &classes[k];
    return NULL;
}

enum sl_status sl_workload_write(const struct sl_workload *workload, const char *dir,
                                 const struct sl_work_class *classes, uint32_t class_count,
                                 struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open_in(&file, dir, "classmap.csv", err);
    if (status != SL_OK)
        return status;
    fputs("pattern,class,nodes,least_bytes,most_bytes,note\n", file.stream);
    for (uint32_t c = 0; c < workload->count; c++) {
        const struct sl_workload_class *used = &workload->classes[c];
        const struct sl_work_class *klass = find_work(classes, class_count, used->name);
        if (!klass && used->like)
            klass = find_work(classes, class_count, used->like);
        if (!is_used(used))
            continue;
        sl_csv_put(file.stream, used->name);
        putc(',', file.stream);
        sl_csv_put(file.stream, klass ? klass->name : "");
        fprintf(file.stream, ",%" PRIu64 ",", used->nodes);
        if (used->size_count > 0)
            fprintf(file.stream, "%" PRId64 ",%" PRId64, used->sizes[0],
                    used->sizes[used->size_count - 1]);
        else
            putc(',', file.stream);
        putc(',', file.stream);
        sl_csv_put(file.stream, class_note(klass, used));
        putc('\n', file.stream);
    }
    return sl_outfile_commit(&file, err);
}

void sl_workload_free(struct sl_workload *workload)
{
    sl_arena_free(&workload->arena);
    *workload = (struct sl_workload){0};
}
