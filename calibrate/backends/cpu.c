/* The cpu backend: threads pinned to a core each, and this machine's real memory. */
#include "config.h"

#include "cpu_bench.h"
#include "cpu_sentinel.h"
#include <math.h>
#include <stdlib.h>

/* One core: there is nothing to contend with, and copies take the core's own time. */
static const struct sl_bench_resource alone_resources[] = {{"compute", "memory", 1}};
static const struct sl_bench_route alone_routes[] = {{"store", "arena", "compute", "memcpy"},
                                                     {"arena", "store", "compute", "memcpy"}};
static const struct sl_bench_route routes[] = {{"store", "arena", "copy", "memcpy"},
                                               {"arena", "store", "copy", "memcpy"}};

/* One of the cores copies, the others compute.  What is worked on lies in the arena; what has left
 * it is kept in the store.  Both are memory of this machine, and a scenario makes the arena as
 * small as it likes. */
static bool lay_out(struct sl_bench *bench)
{
    struct sl_bench_resource *resources = sl_arena_array(&bench->arena, 2, sizeof *resources);
    struct sl_bench_domain *domains = sl_arena_array(&bench->arena, 2, sizeof *domains);
    int64_t part = bench->machine.available_bytes / 8;
    if (!resources || !domains)
        return false;
    resources[0] = (struct sl_bench_resource){"compute", "memory", bench->seats - 1};
    resources[1] = (struct sl_bench_resource){"copy", "memory", 1};
    part -= part % (INT64_C(64) << 20);
    domains[0] = (struct sl_bench_domain){"arena", part};
    domains[1] = (struct sl_bench_domain){"store", 2 * part};
    bench->layout = (struct sl_bench_layout){
        .resources = resources,
        .domains = domains,
        .routes = routes,
        .resource_count = 2,
        .domain_count = 2,
        .route_count = 2,
        .actors_max = bench->seats,
    };
    if (bench->seats == 1) {
        bench->layout.resources = alone_resources;
        bench->layout.resource_count = 1;
        bench->layout.routes = alone_routes;
    }
    return true;
}

static bool add_fact(struct sl_fingerprint *fingerprint, const char *key, const char *value)
{
    if (!value)
        return false;
    if (value[0])
        fingerprint->facts[fingerprint->count++] = (struct sl_fact){key, value};
    return true;
}

/* Another model, other caches or fewer cores make a table another machine's.  The kernel and the
 * microcode change durations by a little, and often. */
static bool take_fingerprint(struct sl_bench *bench)
{
    const struct sl_cpu_machine *m = &bench->machine;
    struct sl_fingerprint *fp = &bench->fingerprint;
    struct sl_arena *arena = &bench->arena;
    fp->facts = sl_arena_array(arena, 8, sizeof *fp->facts);
    if (!fp->facts)
        return false;
    bool complete =
        add_fact(fp, "cpu", m->model) &&
        add_fact(fp, "cores", sl_arena_printf(arena, "%u", bench->seats)) &&
        add_fact(fp, "caches",
                 sl_arena_printf(arena, "%lld+%lld+%lld KiB%s", (long long)m->l1_bytes >> 10,
                                 (long long)m->l2_bytes >> 10, (long long)m->last_level_bytes >> 10,
                                 m->caches_known ? "" : " (assumed)"));
    fp->identity_count = fp->count;
    return complete &&
           add_fact(fp, "memory",
                    sl_arena_printf(arena, "%lld MiB", (long long)m->total_bytes >> 20)) &&
           add_fact(fp, "kernel", m->kernel) && add_fact(fp, "microcode", m->microcode) &&
           add_fact(fp, "governor", m->governor) && add_fact(fp, "huge_pages", m->huge_pages);
}

static void close_bench(struct sl_bench *bench)
{
    if (!bench)
        return;
    sl_cpu_crew_free(bench->crew);
    for (uint32_t seat = 0; seat < bench->seats; seat++) {
        sl_cpu_store_free(&bench->stores[seat]);
        free(bench->lanes[seat].records);
    }
    sl_arena_free(&bench->arena);
    free(bench);
}

static enum sl_status set_up(struct sl_bench *bench, struct sl_error *err)
{
    enum sl_status status = sl_cpu_machine_read(&bench->machine, &bench->arena, err);
    if (status != SL_OK)
        return status;
    bench->seats =
        bench->machine.cpu_count < SL_CPU_SEATS_MOST ? bench->machine.cpu_count : SL_CPU_SEATS_MOST;
    for (uint32_t seat = 0; seat < bench->seats; seat++) {
        struct sl_cpu_lane *lane = &bench->lanes[seat];
        status = sl_cpu_store_size(&bench->stores[seat], &bench->machine, bench->seats, err);
        if (status != SL_OK)
            return status;
        lane->records = calloc(SL_SHOT_RECORDS_MAX / SL_SHOT_AGGRESSORS_MAX, sizeof *lane->records);
        if (!lane->records)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    bench->classes = sl_cpu_classes(&bench->machine, &bench->arena);
    if (!bench->classes || !lay_out(bench) || !take_fingerprint(bench))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    return sl_cpu_crew_create(&bench->crew, bench->machine.cpus, bench->seats, err);
}

static enum sl_status open_bench(struct sl_bench **made, const struct sl_bench_options *options,
                                 struct sl_error *err)
{
    (void)options; /* of GPUs and scripts; nothing here draws random numbers */
    struct sl_bench *bench = aligned_alloc(SL_CPU_APART, sizeof *bench);
    *made = NULL;
    if (!bench)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    *bench = (struct sl_bench){0};
    enum sl_status status = set_up(bench, err);
    if (status != SL_OK)
        close_bench(bench);
    else
        *made = bench;
    return status;
}

static const struct sl_work_class *classes(const struct sl_bench *bench, uint32_t *count)
{
    *count = SL_CPU_CLASSES;
    return bench->classes;
}

static const struct sl_bench_layout *layout(const struct sl_bench *bench)
{
    return &bench->layout;
}

static const struct sl_fingerprint *fingerprint(const struct sl_bench *bench)
{
    return &bench->fingerprint;
}

/* `user` of make_ready. */
struct readying {
    struct sl_bench *bench;
    const struct sl_work *work;
    bool cold;
    atomic_bool refused;
};

/* Every seat touches its own memory: it lies near its core then, and any seat may be the victim. */
static void make_ready(void *user, uint32_t seat)
{
    struct readying *readying = user;
    struct sl_cpu_store *store = &readying->bench->stores[seat];
    enum sl_cpu_class klass = (enum sl_cpu_class)readying->work->klass;
    if (!sl_cpu_store_prepare(store, klass) ||
        (readying->cold && !sl_cpu_store_prepare(store, SL_CPU_READ))) {
        atomic_store(&readying->refused, true);
        return;
    }
    sl_cpu_work(store, klass, readying->work->bytes, NULL);
}

static enum sl_status prepare(struct sl_bench *bench, const struct sl_work *work,
                              struct sl_error *err)
{
    const struct sl_work_form *form = &bench->classes[work->klass].forms[work->form];
    struct readying readying = {.bench = bench, .work = work, .cold = form->cache[0] == 'c'};
    sl_cpu_crew_run(bench->crew, make_ready, &readying);
    if (atomic_load(&readying.refused))
        return SL_FAIL(err, SL_SYSTEM, "the system refuses the memory for class '%s'",
                       bench->classes[work->klass].name);
    return SL_OK;
}

static const char *regime(const struct sl_bench *bench, double sentinel_ns)
{
    if (bench->seats == 1 || isnan(sentinel_ns))
        return "";
    if (sentinel_ns < SL_CPU_SMT_NS)
        return "smt";
    return sentinel_ns < SL_CPU_NEAR_NS ? "near" : "far";
}

const struct sl_backend sl_backend_cpu = {
    .name = "cpu",
    .description = "this machine's cores and memory: threads pinned to a core each",
    .open = open_bench,
    .close = close_bench,
    .classes = classes,
    .layout = layout,
    .fingerprint = fingerprint,
    .prepare = prepare,
    .shoot = sl_cpu_shoot,
    .replay = sl_cpu_replay,
    .regime = regime,
};
