/* Cores, caches and memory as Linux tells them: affinity mask, sysfs, /proc, sysconf. */
#include "config.h"

#include "cpu_machine.h"
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LINE_SIZE   1024
#define CACHES_MOST 8
#define KIB         INT64_C(1024)

/* The first line of a file, trimmed; false where there is none. */
static bool read_line(char line[LINE_SIZE], const char *format, ...) SL_PRINTF(2, 3);
static bool read_line(char line[LINE_SIZE], const char *format, ...)
{
    char path[256];
    va_list args;
    va_start(args, format);
    vsnprintf(path, sizeof path, format, args);
    va_end(args);
    FILE *file = fopen(path, "r");
    bool read = file && fgets(line, LINE_SIZE, file);
    if (file)
        fclose(file);
    if (!read)
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return read;
}

/* The value of the first "KEY<spaces>: VALUE" line of a file, "" without one. */
static void read_value(char value[LINE_SIZE], const char *path, const char *key)
{
    char line[LINE_SIZE];
    FILE *file = fopen(path, "r");
    value[0] = '\0';
    while (file && !value[0] && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        size_t length = strlen(key);
        if (!colon || strncmp(line, key, length) != 0 ||
            line + length + strspn(line + length, " \t") != colon)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(value, LINE_SIZE, "%.*s", (int)strcspn(colon, "\n"), colon);
    }
    if (file)
        fclose(file);
}

/* True when "0-3,8" holds the number. */
static bool list_has(const char *list, uint32_t number)
{
    while (*list) {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (end == list)
            return false;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (first <= number && number <= last)
            return true;
        list = *end == ',' ? end + 1 : "";
    }
    return false;
}

/* Keeps of the allowed CPUs one per physical core, in rising order. */
static enum sl_status find_cores(struct sl_cpu_machine *machine, struct sl_arena *arena,
                                 struct sl_error *err)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return SL_FAIL(err, SL_SYSTEM, "the system refuses its list of usable cores: %s",
                       strerror(errno));
    machine->cpus = sl_arena_array(arena, (size_t)CPU_COUNT(&set), sizeof *machine->cpus);
    if (!machine->cpus)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        char siblings[LINE_SIZE];
        bool taken = false;
        if (!CPU_ISSET(cpu, &set))
            continue;
        read_line(siblings, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
        for (uint32_t i = 0; i < machine->cpu_count; i++)
            taken |= list_has(siblings, machine->cpus[i]);
        if (!taken)
            machine->cpus[machine->cpu_count++] = cpu;
    }
    return SL_OK;
}

struct cache {
    int64_t bytes;
    long level;
    char shared[LINE_SIZE]; /* list of CPUs */
};

static bool read_cache(struct cache *cache, uint32_t cpu, int index)
{
    char line[LINE_SIZE];
    char *unit;
    if (!read_line(line, "/sys/devices/system/cpu/cpu%u/cache/index%d/type", cpu, index) ||
        strcmp(line, "Instruction") == 0)
        return false;
    read_line(line, "/sys/devices/system/cpu/cpu%u/cache/index%d/level", cpu, index);
    cache->level = strtol(line, NULL, 10);
    read_line(line, "/sys/devices/system/cpu/cpu%u/cache/index%d/size", cpu, index);
    cache->bytes = strtoll(line, &unit, 10);
    cache->bytes *= *unit == 'K' ? KIB : *unit == 'M' ? KIB * KIB : 1;
    read_line(cache->shared, "/sys/devices/system/cpu/cpu%u/cache/index%d/shared_cpu_list", cpu,
              index);
    return cache->level > 0 && cache->bytes > 0;
}

static int64_t positive_or(long value, int64_t otherwise)
{
    return value > 0 ? value : otherwise;
}

/* Moves those in the list to the front, in their order. */
static void order_cores(struct sl_cpu_machine *machine, const char *near)
{
    for (uint32_t i = 0, front = 0; i < machine->cpu_count; i++) {
        uint32_t cpu = machine->cpus[i];
        if (!list_has(near, cpu))
            continue;
        memmove(&machine->cpus[front + 1], &machine->cpus[front],
                (i - front) * sizeof *machine->cpus);
        machine->cpus[front++] = cpu;
    }
}

/* sysfs knows more systems' caches than sysconf, which is asked where sysfs is silent. */
static void find_caches(struct sl_cpu_machine *machine)
{
    struct cache cache, last = {0};
    for (int index = 0; index < CACHES_MOST; index++) {
        if (!read_cache(&cache, machine->cpus[0], index))
            continue;
        if (cache.level == 1)
            machine->l1_bytes = cache.bytes;
        if (cache.level == 2)
            machine->l2_bytes = cache.bytes;
        if (cache.level >= last.level)
            last = cache;
    }
    if (last.level == 0) {
        last.bytes = positive_or(sysconf(_SC_LEVEL3_CACHE_SIZE), 0);
        last.level = last.bytes > 0 ? 3 : 0;
    }
    machine->caches_known = last.level > 0;
    machine->last_level_shared = last.level > 2;
    if (machine->l1_bytes == 0)
        machine->l1_bytes = positive_or(sysconf(_SC_LEVEL1_DCACHE_SIZE), 32 * KIB);
    if (machine->l2_bytes == 0)
        machine->l2_bytes = positive_or(sysconf(_SC_LEVEL2_CACHE_SIZE), KIB * KIB);
    machine->last_level_bytes = last.level > 1 ? last.bytes : 32 * KIB * KIB;
    machine->line_bytes = positive_or(sysconf(_SC_LEVEL1_DCACHE_LINESIZE), 64);
    machine->page_bytes = positive_or(sysconf(_SC_PAGESIZE), 4096);
    order_cores(machine, last.shared);
}

/* The kernel's own estimate of what can be had without swapping, or what the control group leaves.
 */
static void find_memory(struct sl_cpu_machine *machine)
{
    char value[LINE_SIZE];
    read_value(value, "/proc/meminfo", "MemTotal");
    machine->total_bytes = strtoll(value, NULL, 10) * KIB;
    read_value(value, "/proc/meminfo", "MemAvailable");
    machine->available_bytes = strtoll(value, NULL, 10) * KIB;
    if (machine->available_bytes == 0)
        machine->available_bytes = positive_or(sysconf(_SC_AVPHYS_PAGES), 0) * machine->page_bytes;
    char limit[LINE_SIZE], used[LINE_SIZE];
    if (!read_line(limit, "/sys/fs/cgroup/memory.max") || strcmp(limit, "max") == 0 ||
        !read_line(used, "/sys/fs/cgroup/memory.current"))
        return;
    int64_t left = strtoll(limit, NULL, 10) - strtoll(used, NULL, 10);
    if (left < machine->available_bytes)
        machine->available_bytes = left > 0 ? left : 0;
}

static bool find_names(struct sl_cpu_machine *machine, struct sl_arena *arena)
{
    char line[LINE_SIZE];
    struct utsname name;
    bool named = uname(&name) == 0;
    read_value(line, "/proc/cpuinfo", "model name");
    machine->model = sl_arena_strdup(arena, line[0] ? line : named ? name.machine : "unknown");
    machine->kernel = named ? sl_arena_printf(arena, "%s %s", name.sysname, name.release)
                            : sl_arena_strdup(arena, "unknown");
    read_value(line, "/proc/cpuinfo", "microcode");
    machine->microcode = sl_arena_strdup(arena, line);
    read_line(line, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", machine->cpus[0]);
    machine->governor = sl_arena_strdup(arena, line);
    read_line(line, "/sys/kernel/mm/transparent_hugepage/enabled");
    machine->huge_pages = sl_arena_strdup(arena, line);
    return machine->model && machine->kernel && machine->microcode && machine->governor &&
           machine->huge_pages;
}

enum sl_status sl_cpu_machine_read(struct sl_cpu_machine *machine, struct sl_arena *arena,
                                   struct sl_error *err)
{
    *machine = (struct sl_cpu_machine){0};
    enum sl_status status = find_cores(machine, arena, err);
    if (status != SL_OK)
        return status;
    find_caches(machine);
    find_memory(machine);
    return find_names(machine, arena) ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}
