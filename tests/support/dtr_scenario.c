/* Writing the tables of a scenario from a DTR log. */
#include <config.h>

#include "dtr_scenario.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    const struct dtr_log *log;
    FILE *nodes;
    bool *kept; /* per root: constants and outputs */
};

static uint32_t root_of(const struct writer *w, uint32_t tensor)
{
    return w->log->tensors[tensor].root;
}

static bool is_constant(const struct writer *w, uint32_t tensor)
{
    return w->log->ops[w->log->tensors[tensor].op].constant;
}

/* A storage of no bytes is no object. */
static bool is_object(const struct writer *w, uint32_t tensor)
{
    return root_of(w, tensor) == tensor && w->log->tensors[tensor].bytes > 0;
}

/* One cell of objects, each once. */
static void put_inputs(struct writer *w, const struct dtr_op *op)
{
    const uint32_t *args = w->log->args + op->first_arg;
    const char *separator = "";
    for (uint32_t k = 0; k < op->arg_count; k++) {
        uint32_t root = root_of(w, args[k]), before = 0;
        while (before < k && root_of(w, args[before]) != root)
            before++;
        if (before < k || !is_object(w, root))
            continue;
        fprintf(w->nodes, "%st%u", separator, root);
        separator = ";";
    }
}

static void put_outputs(struct writer *w, const struct dtr_op *op)
{
    const char *separator = "";
    for (uint32_t k = 0; k < op->result_count; k++)
        if (is_object(w, op->first_result + k)) {
            fprintf(w->nodes, "%st%u", separator, op->first_result + k);
            separator = ";";
        }
}

static void put_op(struct writer *w, uint32_t index)
{
    const struct dtr_op *op = &w->log->ops[index];
    fprintf(w->nodes, "op%u.%s,compute,gpu,s,%lldns,", index, op->name, (long long)op->cost_ns);
    put_inputs(w, op);
    fputc(',', w->nodes);
    put_outputs(w, op);
    fputc('\n', w->nodes);
}

static void put_end(struct writer *w)
{
    const char *separator = "";
    fputs("end,compute,gpu,s,0ns,", w->nodes);
    for (uint32_t t = 0; t < w->log->tensor_count; t++)
        if (w->kept[t] && !is_constant(w, t) && is_object(w, t)) {
            fprintf(w->nodes, "%st%u", separator, t);
            separator = ";";
        }
    fputs(",\n", w->nodes);
}

static void put_object(struct writer *w, FILE *objects, uint32_t tensor)
{
    uint32_t op = w->log->tensors[tensor].op;
    fprintf(objects, "t%u,%lldB,hbm,%s,", tensor, (long long)w->log->tensors[tensor].bytes,
            is_constant(w, tensor) ? "true" : "");
    if (is_constant(w, tensor))
        fputs(",\n", objects);
    else
        fprintf(objects, "op%u.%s,bitwise\n", op, w->log->ops[op].name);
}

static void put_yaml(struct dtr_tables *tables, int64_t budget, const char *policies)
{
    size_t size;
    FILE *yaml = open_memstream(&tables->yaml, &size);
    ck_assert(yaml != NULL);
    fprintf(yaml,
            "name: dtr\nnodes: nodes.csv\nobjects: objects.csv\nresources: {gpu: {servers: 1}}\n"
            "domains: {hbm: {capacity: %lldB, reserve: 0B}}\n"
            "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\npolicies: %s\n",
            (long long)budget, policies);
    ck_assert_int_eq(fclose(yaml), 0);
}

void dtr_tables_make(struct dtr_tables *tables, const struct dtr_log *log, int64_t budget,
                     const char *policies)
{
    size_t size;
    struct writer w = {.log = log};
    w.nodes = open_memstream(&tables->nodes, &size);
    FILE *objects = open_memstream(&tables->objects, &size);
    w.kept = calloc(log->tensor_count + 1u, sizeof *w.kept);
    ck_assert(w.nodes && objects && w.kept);
    fputs("node,kind,resource,lane,duration,inputs,outputs\n", w.nodes);
    for (uint32_t k = 0; k < log->step_count; k++)
        if (log->steps[k].what == DTR_COMPUTE)
            put_op(&w, log->steps[k].id);
        else if (log->steps[k].what == DTR_KEEP)
            w.kept[root_of(&w, log->steps[k].id)] = true;
    put_end(&w);
    fputs("object,size,home,persist,reconstruct,equivalence\n", objects);
    for (uint32_t t = 0; t < log->tensor_count; t++)
        if (is_object(&w, t))
            put_object(&w, objects, t);
    ck_assert(fclose(w.nodes) == 0 && fclose(objects) == 0);
    put_yaml(tables, budget, policies);
    free(w.kept);
}

void dtr_tables_free(struct dtr_tables *tables)
{
    free(tables->yaml);
    free(tables->nodes);
    free(tables->objects);
}
