/* Reading a DTR log: names come and go, tensors stay. */
#include <config.h>

#include "dtr_log.h"
#include "text.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_tree.h>

struct reader {
    struct dtr_log *log;
    FILE *in;
    char *line;
    size_t line_room, number;
    yajl_val object; /* of the line */
    struct sl_names names;
    uint32_t *tensor_of; /* by name */
    uint32_t tensor_of_room;
    uint32_t *names_of; /* by tensor: how many names it has */
    uint32_t names_of_room;
};

/* An assertion of Check writes to a pipe even where it holds. */
#define REQUIRE(holds, ...)                                                                        \
    do {                                                                                           \
        if (!(holds))                                                                              \
            ck_abort_msg(__VA_ARGS__);                                                             \
    } while (0)

#define PUSH(log, list, count, room, value)                                                        \
    do {                                                                                           \
        REQUIRE(                                                                                   \
            sl_grow((void **)&(log)->list, &(log)->room, (log)->count + 1, sizeof *(log)->list),   \
            "out of memory");                                                                      \
        (log)->list[(log)->count++] = (value);                                                     \
    } while (0)

static bool next_line(struct reader *r)
{
    char why[200];
    yajl_tree_free(r->object);
    r->object = NULL;
    if (getline(&r->line, &r->line_room, r->in) < 0)
        return false;
    r->number++;
    r->object = yajl_tree_parse(r->line, why, sizeof why);
    REQUIRE(r->object != NULL, "line %zu: %s", r->number, why);
    return true;
}

static yajl_val member(struct reader *r, const char *key, yajl_type type)
{
    yajl_val value = yajl_tree_get(r->object, (const char *[]){key, NULL}, type);
    REQUIRE(value != NULL, "line %zu has no %s", r->number, key);
    return value;
}

static const char *text(struct reader *r, const char *key)
{
    return YAJL_GET_STRING(member(r, key, yajl_t_string));
}

static const char *element(struct reader *r, yajl_val array, size_t k)
{
    const char *name = YAJL_GET_STRING(YAJL_GET_ARRAY(array)->values[k]);
    REQUIRE(name != NULL, "line %zu: a name is missing", r->number);
    return name;
}

/* Numbers are written as strings. */
static int64_t number(struct reader *r, const char *key)
{
    char *end;
    const char *digits = text(r, key);
    long long value = strtoll(digits, &end, 10);
    REQUIRE(end != digits && *end == '\0', "line %zu: %s is no number", r->number, key);
    return value;
}

static void expect(struct reader *r, const char *instruction, const char *name)
{
    REQUIRE(next_line(r) && strcmp(text(r, "INSTRUCTION"), instruction) == 0 &&
                strcmp(text(r, "NAME"), name) == 0,
            "line %zu: %s of %s is missing", r->number, instruction, name);
}

static void push_step(struct reader *r, enum dtr_what what, uint32_t id)
{
    PUSH(r->log, steps, step_count, step_room, ((struct dtr_step){what, id}));
}

static uint32_t find_tensor(struct reader *r, const char *name)
{
    uint32_t id = sl_names_find(&r->names, name);
    REQUIRE(id != SL_NONE, "line %zu: %s is not known", r->number, name);
    return r->tensor_of[id];
}

static void name_tensor(struct reader *r, const char *name, uint32_t tensor)
{
    uint32_t id = sl_names_add(&r->names, name);
    REQUIRE(id != SL_NONE &&
                sl_grow((void **)&r->tensor_of, &r->tensor_of_room, id + 1, sizeof *r->tensor_of),
            "out of memory");
    r->tensor_of[id] = tensor;
    r->names_of[tensor]++;
}

static uint32_t add_tensor(struct reader *r, int64_t bytes, uint32_t root)
{
    uint32_t id = r->log->tensor_count;
    struct dtr_tensor tensor = {r->log->op_count, root == SL_NONE ? id : root, bytes};
    PUSH(r->log, tensors, tensor_count, tensor_room, tensor);
    REQUIRE(sl_grow((void **)&r->names_of, &r->names_of_room, id + 1, sizeof *r->names_of),
            "out of memory");
    r->names_of[id] = 0;
    return id;
}

/* The argument that element k of MUTATE names. */
static uint32_t mutated(struct reader *r, const struct dtr_op *op, yajl_val which, size_t k)
{
    yajl_val value = YAJL_GET_ARRAY(which)->values[k];
    REQUIRE(YAJL_IS_INTEGER(value) && YAJL_GET_INTEGER(value) >= 0 &&
                YAJL_GET_INTEGER(value) < op->arg_count,
            "line %zu: no such argument", r->number);
    return (uint32_t)YAJL_GET_INTEGER(value);
}

/* Begins an operator with the arguments of the line; its results are added next, then it itself. */
static struct dtr_op begin_op(struct reader *r, bool constant)
{
    struct dtr_op op = {
        .constant = constant, .first_arg = r->log->arg_count, .first_result = r->log->tensor_count};
    op.name = sl_arena_strdup(&r->log->arena, text(r, "NAME"));
    REQUIRE(op.name != NULL, "out of memory");
    if (constant)
        return op;
    op.cost_ns = number(r, "TIME");
    yajl_val args = member(r, "ARGS", yajl_t_array);
    op.arg_count = (uint32_t)YAJL_GET_ARRAY(args)->len;
    for (uint32_t k = 0; k < op.arg_count; k++)
        PUSH(r->log, args, arg_count, arg_room, find_tensor(r, element(r, args, k)));
    return op;
}

static void end_op(struct reader *r, struct dtr_op op)
{
    op.result_count = r->log->tensor_count - op.first_result;
    push_step(r, DTR_COMPUTE, r->log->op_count);
    PUSH(r->log, ops, op_count, op_room, op);
}

static void read_constant(struct reader *r)
{
    struct dtr_op op = begin_op(r, true);
    expect(r, "MEMORY", op.name);
    uint32_t tensor = add_tensor(r, number(r, "MEMORY"), SL_NONE);
    end_op(r, op);
    push_step(r, DTR_KEEP, tensor);
    name_tensor(r, op.name, tensor);
}

static void read_call(struct reader *r)
{
    struct dtr_op op = begin_op(r, false);
    yajl_val results = member(r, "RESULT", yajl_t_array);
    uint32_t count = (uint32_t)YAJL_GET_ARRAY(results)->len;
    char **names = calloc(count + 1u, sizeof *names);
    REQUIRE(names != NULL, "out of memory");
    for (uint32_t k = 0; k < count; k++)
        names[k] = strdup(element(r, results, k));
    for (uint32_t k = 0; k < count; k++) {
        expect(r, "MEMORY", names[k]);
        int64_t bytes = number(r, "MEMORY");
        expect(r, "ALIAS", names[k]);
        int64_t of = number(r, "ALIAS");
        REQUIRE(of < op.arg_count, "line %zu: a view of no argument", r->number);
        uint32_t root = of < 0 ? SL_NONE : r->log->tensors[r->log->args[op.first_arg + of]].root;
        name_tensor(r, names[k], add_tensor(r, of < 0 ? bytes : 0, root));
        free(names[k]);
    }
    free(names);
    end_op(r, op);
}

static void read_mutate(struct reader *r)
{
    struct dtr_op op = begin_op(r, false);
    yajl_val args = member(r, "ARGS", yajl_t_array), which = member(r, "MUTATE", yajl_t_array);
    uint32_t count = (uint32_t)YAJL_GET_ARRAY(which)->len, first = r->log->tensor_count;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t old = r->log->args[op.first_arg + mutated(r, &op, which, k)];
        add_tensor(r, r->log->tensors[r->log->tensors[old].root].bytes, SL_NONE);
    }
    end_op(r, op);
    for (uint32_t k = 0; k < count; k++) {
        const char *name = element(r, args, mutated(r, &op, which, k));
        uint32_t old = find_tensor(r, name);
        name_tensor(r, name, first + k);
        r->names_of[old]--;
        push_step(r, DTR_RELEASE, old);
    }
}

static void read_instruction(struct reader *r)
{
    const char *instruction = text(r, "INSTRUCTION");
    if (strcmp(instruction, "CONSTANT") == 0) {
        read_constant(r);
    } else if (strcmp(instruction, "CALL") == 0) {
        read_call(r);
    } else if (strcmp(instruction, "MUTATE") == 0) {
        read_mutate(r);
    } else if (strcmp(instruction, "COPY") == 0) {
        uint32_t tensor = find_tensor(r, text(r, "SRC"));
        name_tensor(r, text(r, "DST"), tensor);
        push_step(r, DTR_GET, tensor);
    } else if (strcmp(instruction, "RELEASE") == 0) {
        /* Names from before START are dropped, too. */
        uint32_t id = sl_names_find(&r->names, text(r, "NAME"));
        if (id != SL_NONE) {
            r->names_of[r->tensor_of[id]]--;
            push_step(r, DTR_RELEASE, r->tensor_of[id]);
        }
    } else {
        REQUIRE(strcmp(instruction, "ANNOTATE") == 0, "line %zu: instruction %s", r->number,
                instruction);
    }
}

void dtr_log_read(struct dtr_log *log, FILE *in)
{
    struct reader r = {.log = log, .in = in};
    *log = (struct dtr_log){0};
    do
        REQUIRE(next_line(&r), "the log has no START");
    while (strcmp(text(&r, "INSTRUCTION"), "ANNOTATE") != 0 ||
           strcmp(text(&r, "ANNOTATION"), "START") != 0);
    while (next_line(&r))
        read_instruction(&r);
    for (uint32_t id = 0; id < r.names.count; id++)
        if (r.names_of[r.tensor_of[id]] > 0)
            push_step(&r, DTR_KEEP, r.tensor_of[id]);
    sl_names_free(&r.names);
    free(r.line);
    free(r.tensor_of);
    free(r.names_of);
}

void dtr_log_open(struct dtr_log *log, const char *path)
{
    char command[4400];
    size_t length = strlen(path);
    bool packed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    ck_assert(strchr(path, '\'') == NULL);
    snprintf(command, sizeof command, "gzip -dc '%.4300s'", path);
    FILE *in = packed ? popen(command, "r") : fopen(path, "r");
    REQUIRE(in != NULL, "cannot read %s", path);
    dtr_log_read(log, in);
    ck_assert_int_eq(packed ? pclose(in) : fclose(in), 0);
}

void dtr_log_free(struct dtr_log *log)
{
    free(log->ops);
    free(log->tensors);
    free(log->args);
    free(log->steps);
    sl_arena_free(&log->arena);
}
