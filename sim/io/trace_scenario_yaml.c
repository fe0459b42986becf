/* scenario.yaml of a trace. */
#include <config.h>

#include "trace_objects.h"
#include "trace_scenario_yaml.h"
#include "units.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct machine {
    struct sl_names gpus, domains;
    const char *busiest; /* of gpus; NULL: there is none */
};

static bool find_machine(const struct sl_trace_graph *g, const struct sl_trace_memory *memory,
                         struct machine *machine)
{
    const struct sl_timeline *t = g->timeline;
    char name[SL_TRACE_NAME], from[SL_TRACE_NAME], to[SL_TRACE_NAME];
    int64_t longest = -1, *sums = NULL;
    uint32_t capacity = 0;
    bool made = true;
    for (uint32_t i = 0; i < g->node_count && made; i++) {
        const struct sl_trace_node *node = &g->nodes[i];
        if (node->role != SL_TRACE_WORK)
            continue;
        snprintf(name, sizeof name, "gpu%lld", (long long)t->lanes[t->lane[node->event]].process);
        uint32_t known = machine->gpus.count, gpu = sl_names_add(&machine->gpus, name);
        made = gpu != SL_NONE && sl_grow((void **)&sums, &capacity, gpu + 1, sizeof *sums);
        if (!made)
            break;
        sums[gpu] = node->end_ps - node->start_ps + (gpu < known ? sums[gpu] : 0);
        if (memory->count == 0 && sl_trace_is_move(t, node->event, from, to))
            made = sl_names_add(&machine->domains, from) != SL_NONE &&
                   sl_names_add(&machine->domains, to) != SL_NONE;
    }
    for (uint32_t i = 0; i < memory->count && made; i++) {
        snprintf(name, sizeof name, "hbm%d", memory->items[i].device);
        made = sl_names_add(&machine->domains, name) != SL_NONE;
    }
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

static void put_machine(FILE *out, const struct machine *machine, bool allocations)
{
    fputs(
        "# Whatever ran at once in the record may run at once: lanes and edges say what may not.\n"
        "resources:\n  host: {servers: unlimited}\n",
        out);
    for (uint32_t i = 0; i < machine->gpus.count; i++)
        fprintf(out, "  %s: {servers: unlimited}\n", machine->gpus.names[i]);
    if (machine->domains.count > 0)
        fputs(allocations ? "# What was allocated, as recorded.\ndomains:\n"
                          : "# They hold the buffers of copies alone.\ndomains:\n",
              out);
    for (uint32_t i = 0; i < machine->domains.count; i++)
        fprintf(out, "  %s: {}\n", machine->domains.names[i]);
}

static void write_yaml(const struct sl_trace_graph *g, const struct sl_trace_source *source,
                       const struct machine *machine, FILE *out)
{
    char span[32], busy[32];
    fprintf(
        out,
        "# Written by `slackline import` from a trace (%s).  report.csv says what of it is here.\n"
        "# Recorded: %s, of which a GPU works %s.  At recorded durations the replay takes as "
        "long.\n",
        source->importer, sl_format_time(span, sizeof span, (double)g->recorded.span_ps),
        sl_format_time(busy, sizeof busy, (double)g->recorded.busy_ps));
    put_name(out, source->trace);
    fputs("description: ", out);
    char text[512];
    snprintf(text, sizeof text, "%s of %s, as recorded", source->scope, source->trace);
    put_text(out, text);
    fputs("\nnodes: nodes.csv\nedges: edges.csv\nobjects: objects.csv\n", out);
    put_machine(out, machine, source->memory->count > 0);
    const char *busy_resource = machine->busiest ? machine->busiest : "host";
    if (source->durations)
        fprintf(out,
                "objective: {metric: makespan, tail: 0.99, order: [tail, median], busy: %s}\n"
                "# Works draw from what equal ones took, each for itself.\n"
                "trials: 1000\nseed: 1\n",
                busy_resource);
    else
        fprintf(out,
                "objective: {metric: makespan, tail: 0.99, order: [mean], busy: %s}\n"
                "# Durations are those of the record, the same in every trial.\n"
                "trials: 1\nseed: 1\n",
                busy_resource);
}

enum sl_status sl_trace_yaml_write(const struct sl_trace_graph *graph,
                                   const struct sl_trace_source *source, FILE *out,
                                   struct sl_error *err)
{
    struct machine machine = {0};
    bool made = find_machine(graph, source->memory, &machine);
    if (made)
        write_yaml(graph, source, &machine, out);
    sl_names_free(&machine.gpus);
    sl_names_free(&machine.domains);
    return made ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for the scenario's machine");
}
