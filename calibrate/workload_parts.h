/* Inside of the workload: what its readers share. */
#ifndef SL_WORKLOAD_PARTS_H
#define SL_WORKLOAD_PARTS_H
#include "workload.h"

/* Bytes that a class moves. */
struct sl_workload_use {
    uint32_t klass;
    int64_t bytes;
};
struct sl_workload_uses {
    struct sl_workload_use *items;
    uint32_t count, capacity;
};

/* False when out of memory; 0 bytes are no use. */
bool sl_workload_add_use(struct sl_workload_uses *uses, uint32_t klass, int64_t bytes);
/* Gives each class the sizes that occur, spread over them.  False when out of memory. */
bool sl_workload_take_sizes(struct sl_workload *workload, struct sl_workload_uses *uses);
/* The works of a recorded trace, of all of its devices and steps. */
enum sl_status sl_workload_read_trace(struct sl_workload *workload, const char *path,
                                      struct sl_error *err) SL_NODISCARD;
#endif
