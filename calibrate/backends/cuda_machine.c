/* What the GPU is: its capacity, from which works are sized, its fingerprint and its parts. */
#include <config.h>

#include "cuda_bench.h"
#include "cuda_class_list.h"
#include "cuda_cupti.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* 0 where the driver doesn't know the attribute. */
static int attribute(const struct sl_bench *bench, CUdevice_attribute which)
{
    int value = 0;
    if (bench->driver.cuDeviceGetAttribute(&value, which, bench->device) != CUDA_SUCCESS)
        return 0;
    return value;
}

static void find_capacity(struct sl_bench *bench, size_t memory_bytes)
{
    double memory_khz = attribute(bench, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    double bus_bytes = attribute(bench, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8.0;
    bench->capacity = (struct sl_cuda_capacity){
        .memory_bytes = (int64_t)memory_bytes,
        .memory_bytes_per_s = 2 * 1e3 * memory_khz * bus_bytes, /* two transfers a clock */
        .clock_hz = 1e3 * attribute(bench, CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        .multiprocessors = (uint32_t)attribute(bench, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .major = attribute(bench, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
        .minor = attribute(bench, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        .coherent_link =
            attribute(bench, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES) != 0,
    };
}

/* The next GPU, if there is one that this one reaches. */
static enum sl_status find_peer(struct sl_bench *bench, int count, struct sl_error *err)
{
    const struct sl_cuda_driver *driver = &bench->driver;
    int reached = 0;
    bench->peer = -1;
    bench->peer_missing = "there is one GPU";
    if (count < 2)
        return SL_OK;
    CUdevice peer = (bench->device + 1) % count;
    enum sl_status status =
        SL_CUDA(driver, err, cuDeviceCanAccessPeer, &reached, bench->device, peer);
    if (reached) {
        bench->peer = peer;
        bench->peer_missing = NULL;
    } else {
        bench->peer_missing = "the next GPU can't be reached from this one";
    }
    return status;
}

enum sl_status sl_cuda_machine_find(struct sl_bench *bench, uint32_t ordinal, struct sl_error *err)
{
    const struct sl_cuda_driver *driver = &bench->driver;
    int count = 0;
    size_t memory_bytes = 0;
    enum sl_status status = SL_CUDA(driver, err, cuDeviceGetCount, &count);
    if (status != SL_OK)
        return status;
    if (ordinal >= (uint32_t)count)
        return SL_FAIL(err, SL_SYSTEM, "there is no GPU %u (found: %d, counted from 0)",
                       (unsigned)ordinal, count);
    status = SL_CUDA(driver, err, cuDeviceGet, &bench->device, (int)ordinal);
    if (status == SL_OK)
        status = SL_CUDA(driver, err, cuDeviceTotalMem, &memory_bytes, bench->device);
    if (status == SL_OK)
        find_capacity(bench, memory_bytes);
    if (status == SL_OK)
        status = find_peer(bench, count, err);
    return status;
}

/* Facts: the first two say whether a table is another machine's. */
enum {
    GPU_UUID,
    DRIVER,
    IDENTITY,
    GPU_NAME = IDENTITY,
    CUDA,
    CUPTI,
    COMPUTE_CAPABILITY,
    MULTIPROCESSORS,
    SM_CLOCK,
    ECC,
    MIG,
    MPS,
    ASYNC_ENGINES,
    NUMA_NODE,
    LINK,
    CONNECTIONS,
    FACTS
};

/* The first line of a small file of the system; empty where there is none. */
static void read_line(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    text[0] = '\0';
    if (!file)
        return;
    if (fgets(text, (int)size, file))
        text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

/* A slice of a GPU names itself: "NVIDIA A100-SXM4-40GB MIG 1g.5gb". */
static bool is_slice(const char *name)
{
    return name && strstr(name, " MIG ");
}

static const char *uuid_text(struct sl_bench *bench, const char *name)
{
    CUuuid uuid = {0};
    bench->driver.cuDeviceGetUuid(&uuid, bench->device);
    char hex[2 * sizeof uuid.bytes + 1];
    for (size_t i = 0; i < sizeof uuid.bytes; i++)
        snprintf(hex + 2 * i, 3, "%02x", (unsigned)(unsigned char)uuid.bytes[i]);
    return sl_arena_printf(&bench->arena, "%s-%.8s-%.4s-%.4s-%.4s-%s",
                           is_slice(name) ? "MIG" : "GPU", hex, hex + 8, hex + 12, hex + 16,
                           hex + 20);
}

static const char *driver_text(struct sl_bench *bench)
{
    char version[96];
    sl_nvml_driver_version(&bench->nvml, version, sizeof version);
    if (!version[0])
        read_line("/sys/module/nvidia/version", version, sizeof version);
    return sl_arena_strdup(&bench->arena, version[0] ? version : "unknown");
}

static const char *name_text(struct sl_bench *bench)
{
    char name[256] = "";
    bench->driver.cuDeviceGetName(name, sizeof name, bench->device);
    return sl_arena_strdup(&bench->arena, name);
}

static const char *version_text(struct sl_bench *bench)
{
    int version = 0;
    bench->driver.cuDriverGetVersion(&version);
    return sl_arena_printf(&bench->arena, "%d.%d (built for %d.%d)", version / 1000,
                           version % 1000 / 10, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
}

static const char *numa_text(struct sl_bench *bench, const char *bus_id)
{
    char path[128], line[32], lower[32] = "";
    for (size_t i = 0; bus_id[i] && i + 1 < sizeof lower; i++)
        lower[i] = (char)tolower((unsigned char)bus_id[i]);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", lower);
    read_line(path, line, sizeof line);
    return sl_arena_strdup(&bench->arena, line[0] ? line : "unknown");
}

static const char *link_text(struct sl_bench *bench)
{
    uint32_t generation = sl_nvml_link_generation(&bench->nvml);
    uint32_t width = sl_nvml_link_width(&bench->nvml);
    if (bench->capacity.coherent_link)
        return "coherent";
    if (generation == 0 || width == 0)
        return "unknown";
    return sl_arena_printf(&bench->arena, "pcie gen%u x%u", (unsigned)generation, (unsigned)width);
}

static const char *number_text(struct sl_bench *bench, long value)
{
    return sl_arena_printf(&bench->arena, "%ld", value);
}

static const char *cupti_text(struct sl_bench *bench)
{
    if (bench->cupti_missing)
        return sl_arena_printf(&bench->arena, "none (%s)", bench->cupti_missing);
    return number_text(bench, (long)sl_cupti_version());
}

static const char *on_off(bool on)
{
    return on ? "on" : "off";
}

static bool make_facts(struct sl_bench *bench)
{
    char bus_id[32] = "";
    struct sl_fact *facts = sl_arena_array(&bench->arena, FACTS, sizeof *facts);
    if (!facts)
        return false;
    bench->driver.cuDeviceGetPCIBusId(bus_id, sizeof bus_id, bench->device);
    sl_nvml_open(&bench->nvml, bus_id);
    const struct sl_cuda_capacity *capacity = &bench->capacity;
    const char *name = name_text(bench), *connections = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    facts[GPU_UUID] = (struct sl_fact){"gpu_uuid", uuid_text(bench, name)};
    facts[DRIVER] = (struct sl_fact){"driver", driver_text(bench)};
    facts[GPU_NAME] = (struct sl_fact){"gpu", name};
    facts[CUDA] = (struct sl_fact){"cuda", version_text(bench)};
    facts[CUPTI] = (struct sl_fact){"cupti", cupti_text(bench)};
    facts[COMPUTE_CAPABILITY] =
        (struct sl_fact){"compute_capability",
                         sl_arena_printf(&bench->arena, "%d.%d", capacity->major, capacity->minor)};
    facts[MULTIPROCESSORS] =
        (struct sl_fact){"multiprocessors", number_text(bench, capacity->multiprocessors)};
    facts[SM_CLOCK] =
        (struct sl_fact){"sm_mhz_max", number_text(bench, (long)(capacity->clock_hz / 1e6))};
    facts[ECC] = (struct sl_fact){"ecc", on_off(attribute(bench, CU_DEVICE_ATTRIBUTE_ECC_ENABLED))};
    facts[MIG] = (struct sl_fact){"mig", on_off(is_slice(name))};
    facts[MPS] = (struct sl_fact){"mps", on_off(attribute(bench, CU_DEVICE_ATTRIBUTE_MPS_ENABLED))};
    facts[ASYNC_ENGINES] = (struct sl_fact){
        "async_engines",
        number_text(bench, attribute(bench, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT))};
    facts[NUMA_NODE] = (struct sl_fact){"numa_node", numa_text(bench, bus_id)};
    facts[LINK] = (struct sl_fact){"link", link_text(bench)};
    facts[CONNECTIONS] = (struct sl_fact){
        "max_connections", sl_arena_strdup(&bench->arena, connections ? connections : "unset")};
    bench->fingerprint = (struct sl_fingerprint){facts, FACTS, IDENTITY};
    for (int i = 0; i < FACTS; i++)
        if (!facts[i].value)
            return false;
    return true;
}

/* As devices/h100-sxm5 names them, so that a scenario runs on either.  A GPU with one copy engine
 * copies one way at a time. */
static bool make_layout(struct sl_bench *bench)
{
    enum { COMPUTE, H2D, D2H, P2P };
    static const struct sl_bench_resource resources[] = {
        [COMPUTE] = {"compute", "gpu0", 1},
        [H2D] = {"h2d", "gpu0", 1},
        [D2H] = {"d2h", "gpu0", 1},
        [P2P] = {"p2p", "gpu0", 1},
    };
    bool two_ways = attribute(bench, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT) > 1;
    bool peer = !bench->peer_missing;
    struct sl_bench_domain *domains = sl_arena_array(&bench->arena, 3, sizeof *domains);
    struct sl_bench_route *routes = sl_arena_array(&bench->arena, 3, sizeof *routes);
    if (!domains || !routes)
        return false;
    domains[0] = (struct sl_bench_domain){"hbm", bench->capacity.memory_bytes};
    domains[1] = (struct sl_bench_domain){"pinned", -1};
    domains[2] = (struct sl_bench_domain){"peer", -1};
    routes[0] = (struct sl_bench_route){"pinned", "hbm", "h2d", "copy.h2d"};
    routes[1] = (struct sl_bench_route){"hbm", "pinned", two_ways ? "d2h" : "h2d", "copy.d2h"};
    routes[2] = (struct sl_bench_route){"hbm", "peer", "p2p", "copy.p2p"};
    bench->layout = (struct sl_bench_layout){
        .resources = resources,
        .domains = domains,
        .routes = routes,
        .resource_count = SL_CUDA_COUNT(resources) - !peer,
        .domain_count = 3u - !peer,
        .route_count = 3u - !peer,
        .actors_max = 4, /* works that leave room leave it for three others */
    };
    return true;
}

bool sl_cuda_machine_describe(struct sl_bench *bench)
{
    return make_facts(bench) && make_layout(bench) && sl_cuda_classes_make(bench);
}
