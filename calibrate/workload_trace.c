/* What a recorded trace needs of a calibration: the classes of its works, and what copies move. */
#include "config.h"

#include "importer.h"
#include "trace_names.h"
#include "workload_parts.h"
#include <stdlib.h>

static bool collect(struct sl_workload *workload, const struct sl_timeline *t,
                    struct sl_names *classes, struct sl_workload_uses *uses)
{
    uint32_t capacity = 0;
    uint64_t *nodes = NULL;
    bool made = true;
    for (uint32_t i = 0; i < t->count && made; i++) {
        if (!sl_event_on_gpu((enum sl_event_kind)t->kind[i]))
            continue;
        uint32_t known = classes->count;
        uint32_t klass = sl_names_add(classes, sl_trace_work_class(t, i));
        made = klass != SL_NONE && sl_grow((void **)&nodes, &capacity, klass + 1, sizeof *nodes) &&
               sl_workload_add_use(uses, klass, t->bytes[i]);
        if (made)
            nodes[klass] = 1 + (klass < known ? nodes[klass] : 0);
    }
    workload->count = classes->count;
    workload->classes =
        sl_arena_array(&workload->arena, classes->count + 1u, sizeof *workload->classes);
    made = made && workload->classes;
    for (uint32_t c = 0; made && c < classes->count; c++) {
        struct sl_workload_class *klass = &workload->classes[c];
        klass->name = sl_arena_strdup(&workload->arena, classes->names[c]);
        klass->like = sl_kernel_class_like(classes->names[c]);
        klass->nodes = nodes[c];
        made = klass->name != NULL;
    }
    free(nodes);
    return made && sl_workload_take_sizes(workload, uses);
}

enum sl_status sl_workload_read_trace(struct sl_workload *workload, const char *path,
                                      struct sl_error *err)
{
    struct sl_timeline timeline = {0};
    struct sl_diags diags = {0};
    struct sl_names classes = {0};
    struct sl_workload_uses uses = {0};
    enum sl_status status = sl_import(path, &timeline, NULL, &diags, NULL, err);
    if (status == SL_OK && !collect(workload, &timeline, &classes, &uses))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for '%s'", path);
    free(uses.items);
    sl_names_free(&classes);
    sl_diags_free(&diags);
    sl_timeline_free(&timeline);
    return status;
}
