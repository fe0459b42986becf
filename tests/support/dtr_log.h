/* Operation logs of dynamic tensor rematerialization (DTR; Kirisame et al., ICLR 2021): what a
 * training step did to its tensors, a JSON object a line.
 *
 *     ANNOTATE {ANNOTATION}               START: lines before it do not count; BACKWARD is read
 * over CONSTANT {NAME}                     a parameter or an input; its MEMORY line follows MEMORY
 * {NAME, MEMORY}             bytes CALL     {NAME, ARGS, RESULT, TIME} an operator, ns; per result
 * a MEMORY and an ALIAS line follow ALIAS    {NAME, ALIAS}              -1: storage of its own; k:
 * a view of argument k MUTATE   {NAME, ARGS, MUTATE, TIME} in place on those arguments: read as a
 * copy that replaces them COPY     {DST, SRC}                 another name for the same tensor
 *     RELEASE  {NAME}                     the program drops the name
 *
 * What still has a name at the end are the outputs: they are wanted at once, in the order in which
 * their names came up.  A malformed log fails the test. */
#ifndef SL_TEST_DTR_LOG_H
#define SL_TEST_DTR_LOG_H
#include "arena.h"
#include <stdio.h>

struct dtr_op {
    const char *name;
    int64_t cost_ns;
    bool constant;
    uint32_t first_arg, arg_count;       /* in `args` */
    uint32_t first_result, result_count; /* tensors */
};

struct dtr_tensor {
    uint32_t op;
    uint32_t root; /* the tensor whose storage it is a view of; itself where it has its own */
    int64_t bytes; /* of its own storage; 0 of a view */
};

enum dtr_what { DTR_COMPUTE, DTR_KEEP /* wanted until the end */, DTR_GET, DTR_RELEASE };
struct dtr_step {
    enum dtr_what what;
    uint32_t id; /* an operator to compute; otherwise a tensor */
};

struct dtr_log {
    struct sl_arena arena;
    struct dtr_op *ops;
    struct dtr_tensor *tensors;
    uint32_t *args; /* tensors */
    struct dtr_step *steps;
    uint32_t op_count, op_room, tensor_count, tensor_room, arg_count, arg_room, step_count,
        step_room;
};

void dtr_log_read(struct dtr_log *log, FILE *in);
/* The file, through gzip where its name ends in ".gz". */
void dtr_log_open(struct dtr_log *log, const char *path);
void dtr_log_free(struct dtr_log *log);

/* dtr_changes.c */
/* Changes the log so that views never go: what they are read for reads the storage. */
void dtr_log_keep_views(struct dtr_log *log);
/* Changes the log so that names are dropped right behind the last operator that reads the storage.
 */
void dtr_log_release_early(struct dtr_log *log);
/* Changes the log so that one operator of no time reads all outputs at the end. */
void dtr_log_want_outputs_at_once(struct dtr_log *log);
#endif
