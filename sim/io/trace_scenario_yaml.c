/* scenario.yaml of a trace. */
#include <config.h>

#include "trace_durations.h"
#include "trace_objects.h"
#include "trace_scenario_yaml.h"
#include "units.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct machine {
    struct sl_names gpus, domains, links;
    const char *busiest; /* of gpus; NULL: there is none */
};

static bool find_machine(const struct sl_trace_graph *g, const struct sl_trace_source *source,
                         struct machine *machine)
{
    const struct sl_trace_memory *memory = source->memory;
    const struct sl_timeline *t = g->timeline;
    char name[SL_TRACE_NAME], from[SL_TRACE_NAME], to[SL_TRACE_NAME];
    int64_t longest = -1, *sums = NULL;
    uint32_t capacity = 0;
    bool made = true;
    for (uint32_t i = 0; i < g->node_count && made; i++) {
        const struct sl_trace_node *node = &g->nodes[i];
        if (node->role != SL_TRACE_WORK || !sl_trace_stays(source->movable, i))
            continue;
        snprintf(name, sizeof name, "gpu%lld", (long long)t->lanes[t->lane[node->event]].process);
        uint32_t known = machine->gpus.count, gpu = sl_names_add(&machine->gpus, name);
        made = gpu != SL_NONE && sl_grow((void **)&sums, &capacity, gpu + 1, sizeof *sums);
        if (!made)
            break;
        sums[gpu] = node->end_ps - node->start_ps + (gpu < known ? sums[gpu] : 0);
        if (!source->movable && memory->count == 0 && sl_trace_is_move(t, node->event, from, to))
            made = sl_names_add(&machine->domains, from) != SL_NONE &&
                   sl_names_add(&machine->domains, to) != SL_NONE;
    }
    for (uint32_t i = 0; i < memory->count && made; i++) {
        snprintf(name, sizeof name, "hbm%d", memory->items[i].device);
        made = sl_names_add(&machine->domains, name) != SL_NONE;
    }
    for (uint32_t i = 0; source->movable && i < source->routes->count && made; i++)
        if (sl_trace_route_used(source->movable, i))
            made = sl_names_add(&machine->domains, source->routes->items[i].from) != SL_NONE &&
                   sl_names_add(&machine->domains, source->routes->items[i].to) != SL_NONE &&
                   sl_names_add(&machine->links, source->routes->items[i].link) != SL_NONE;
    for (uint32_t i = 0; i < machine->gpus.count && made; i++)
        if (sums[i] > longest) {
            longest = sums[i];
            machine->busiest = machine->gpus.names[i];
        }
    free(sums);
    return made;
}

/* In double quotes, which hold any text but these. */
static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 || *text == '"' || *text == '\\' || *text == 0x7F ? '?'
                                                                                            : *text,
              out);
    fputc('"', out);
}

/* The trace's name as a name of a scenario. */
static void put_name(FILE *out, const char *trace)
{
    fputs("name: trace-", out);
    for (; *trace && *trace != '.'; trace++)
        fputc(isalnum((unsigned char)*trace) ? *trace : '-', out);
    fputc('\n', out);
}

/* The device of a link "gpu0.h2d", with whose works it contends. */
static void put_link(FILE *out, const char *link)
{
    fprintf(out, "  %s: {servers: 1, order: ready, group: %.*s}\n", link, (int)strcspn(link, "."),
            link);
}

static void put_resources(FILE *out, const struct machine *machine, bool movable)
{
    fputs(
        "# Whatever ran at once in the record may run at once: lanes and edges say what may not.\n"
        "resources:\n  host: {servers: unlimited}\n",
        out);
    for (uint32_t i = 0; i < machine->gpus.count; i++)
        fprintf(out,
                movable ? "  %s: {servers: unlimited, group: %s}\n"
                        : "  %s: {servers: unlimited}\n",
                machine->gpus.names[i], machine->gpus.names[i]);
    if (machine->links.count > 0)
        fputs("  # One copy at a time in each direction: assumed.\n", out);
    for (uint32_t i = 0; i < machine->links.count; i++)
        put_link(out, machine->links.names[i]);
}

/* In the unit that leaves the shortest whole number. */
static void put_bytes(FILE *out, int64_t bytes)
{
    static const struct {
        int64_t bytes;
        const char *name;
    } units[] = {{INT64_C(1) << 30, "GiB"}, {1000000000, "GB"}, {1 << 20, "MiB"}, {1000000, "MB"},
                 {1 << 10, "KiB"},          {1000, "kB"},       {1, "B"}};
    size_t unit = 0;
    while (bytes % units[unit].bytes != 0)
        unit++;
    fprintf(out, "%lld%s", (long long)(bytes / units[unit].bytes), units[unit].name);
}

static void put_domains(FILE *out, const struct machine *machine,
                        const struct sl_trace_source *source)
{
    const struct sl_trace_movable *movable = source->movable;
    if (machine->domains.count > 0)
        fputs(
            source->memory->count > 0 ? "# What was allocated, as recorded.\ndomains:\n"
            : movable
                ? "# They hold what policies move alone.  The capacity is the most that the record "
                  "held of it at\n# once; what else lies there is not counted.\ndomains:\n"
                : "# They hold the buffers of copies alone.\ndomains:\n",
            out);
    for (uint32_t i = 0; i < machine->domains.count; i++)
        if (movable && strcmp(machine->domains.names[i], movable->domain) == 0) {
            fprintf(out, "  %s: {capacity: ", movable->domain);
            put_bytes(out, movable->held_bytes);
            fputs(", reserve: 0B}\n", out);
        } else {
            fprintf(out, "  %s: {}\n", machine->domains.names[i]);
        }
}

/* Policies; the baseline moves copies about as far ahead as the record did. */
static void put_list(FILE *out, const struct sl_trace_movable *movable)
{
    enum { MOST_AHEAD = 64 };
    uint32_t ahead = movable->ahead < MOST_AHEAD ? movable->ahead : MOST_AHEAD;
    fprintf(
        out,
        "# When a copy began in the record, so many works that read others before were not done: "
        "%u (median).\n",
        movable->ahead);
    if (ahead == 0)
        fputs("baseline: demand\n", out);
    else
        fprintf(out, "baseline: lookahead-%u\n", ahead);
    fputs("policies:\n"
          "  - {name: demand, action: offload, prefetch: {when: demand}}\n"
          "  - {name: lookahead-1, action: offload, prefetch: {when: lookahead, lookahead: 1}}\n",
          out);
    if (ahead > 1)
        fprintf(out,
                "  - {name: lookahead-%u, action: offload, prefetch: {when: lookahead, lookahead: "
                "%u}}\n",
                ahead, ahead);
    fputs("  - {name: window, action: offload, prefetch: {when: window}}\n", out);
    if (movable->pair_count > 0)
        fputs("  - {name: keep, action: retain}\n", out);
}

/* Routes, policies, and how much memory they may use. */
static void put_policies(FILE *out, const struct sl_trace_source *source)
{
    const struct sl_trace_movable *movable = source->movable;
    if (movable->behind > 0)
        fprintf(
            out,
            "# %u of %u objects came in after a copy of their size went out: they may be earlier "
            "outputs, which a\n# policy must not bring before these are there; here they are "
            "there from the beginning.\n",
            movable->behind, movable->count);
    fputs("routes:\n", out);
    for (uint32_t i = 0; i < source->routes->count; i++)
        if (sl_trace_route_used(movable, i))
            sl_trace_route_write_yaml(source->routes, &source->routes->items[i], out);
    fputs(
        "# How much copies and works slow each other is not known; durations hold what the record "
        "had of it.\n"
        "kappa: {unknown_kappa: 1}\n",
        out);
    put_list(out, movable);
    fprintf(out, "sweep:\n  domains.%s.capacity: [", movable->domain);
    put_bytes(out, movable->held_bytes);
    int64_t more[2] = {movable->held_bytes < movable->all_bytes / 2 ? 2 * movable->held_bytes : 0,
                       movable->held_bytes < movable->all_bytes ? movable->all_bytes : 0};
    for (int i = 0; i < 2; i++)
        if (more[i] > 0) {
            fputs(", ", out);
            put_bytes(out, more[i]);
        }
    fputs("]\n", out);
}

/* Whether anything of the scenario is drawn. */
static bool varies(const struct sl_trace_source *source)
{
    bool found = source->durations && source->durations->drawn_nodes > 0;
    for (uint32_t i = 0; source->movable && i < source->routes->count; i++)
        found =
            found || (sl_trace_route_used(source->movable, i) && source->routes->items[i].factors);
    return found;
}

static void write_yaml(const struct sl_trace_graph *g, const struct sl_trace_source *source,
                       const struct machine *machine, FILE *out)
{
    char span[32], busy[32];
    fprintf(
        out,
        "# Written by `slackline import` from a trace (%s).  report.csv says what of it is here.\n"
        "# Recorded: %s, of which a GPU works %s.  %s\n",
        source->importer, sl_format_time(span, sizeof span, (double)g->recorded.span_ps),
        sl_format_time(busy, sizeof busy, (double)g->recorded.busy_ps),
        source->movable ? "Copies that works wait for are what policies decide about; without\n"
                          "# them the baseline may take less than the record, so run it."
                        : "At recorded durations the replay takes as long.");
    fprintf(
        out,
        "# Explained: %.3g%% of it; the rest is lags of works that are late, which stay whatever "
        "is changed.\n%s",
        100 * sl_trace_explained_share(g),
        sl_trace_explains_little(g) ? "# That is little: do not build on what-ifs of it.\n" : "");
    put_name(out, source->trace);
    fputs("description: ", out);
    char text[512];
    snprintf(text, sizeof text, "%s of %s, %s", source->scope, source->trace,
             source->movable ? "copies left to policies" : "as recorded");
    put_text(out, text);
    fputs("\nnodes: nodes.csv\nedges: edges.csv\nobjects: objects.csv\n", out);
    put_resources(out, machine, source->movable != NULL);
    put_domains(out, machine, source);
    if (source->movable && source->movable->count > 0)
        put_policies(out, source);
    fprintf(out, "objective: {metric: makespan, tail: 0.99, order: [%s]%s, busy: %s}\n",
            varies(source) ? "tail, median" : "mean",
            source->movable && source->movable->count > 0 ? ", min_gain: 1%" : "",
            machine->busiest ? machine->busiest : "host");
    fputs(source->durations ? "# Works draw from what equal ones took, each for itself.\n"
          : varies(source)  ? "# Works take what they took in the record, copies vary as there.\n"
                            : "# Durations are those of the record, the same in every trial.\n",
          out);
    fprintf(out, "trials: %d\nseed: 1\n", varies(source) ? 1000 : 1);
}

enum sl_status sl_trace_yaml_write(const struct sl_trace_graph *graph,
                                   const struct sl_trace_source *source, FILE *out,
                                   struct sl_error *err)
{
    struct machine machine = {0};
    bool made = find_machine(graph, source, &machine);
    if (made)
        write_yaml(graph, source, &machine, out);
    sl_names_free(&machine.gpus);
    sl_names_free(&machine.domains);
    sl_names_free(&machine.links);
    return made ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for the scenario's machine");
}
