/* What a scenario, or a recorded trace, needs of a calibration: the classes that its nodes and
 * routes, or its works, have, and the bytes that they move. */
#ifndef SL_WORKLOAD_H
#define SL_WORKLOAD_H
#include "arena.h"
#include "work.h"

enum { SL_WORKLOAD_SIZES = 8 }; /* of a class, at most: spread over those that occur */

struct sl_workload_class {
    const char *name;     /* the scenario's */
    const char *like;     /* class that is assumed to stand for it where none has its name; NULL */
    uint64_t nodes;       /* that have it */
    const int64_t *sizes; /* ascending, from the least to the largest that occur; none: not known */
    uint32_t size_count;
    bool routed; /* a route has it: policies may move any object by it */
};
struct sl_workload {
    struct sl_arena arena; /* owns all of it */
    struct sl_workload_class *classes;
    uint32_t count;
};

/* Reads a scenario folder, or the file of a trace, into *workload, which is zeroed first;
 * sl_workload_free releases in every case.  What has faults is SL_INVALID with the first one. */
enum sl_status sl_workload_read(struct sl_workload *workload, const char *path,
                                struct sl_error *err) SL_NODISCARD;
/* The backend's classes as the workload needs them, in the workload's arena: those that it does not
 * have are waived, the others are measured at its sizes, as far as these lie within the backend's.
 */
enum sl_status sl_workload_narrow(struct sl_workload *workload,
                                  const struct sl_work_class **classes, uint32_t class_count,
                                  struct sl_error *err) SL_NODISCARD;
/* Writes DIR/classmap.csv: by class of the scenario, which class of `classes` stands for it. */
enum sl_status sl_workload_write(const struct sl_workload *workload, const char *dir,
                                 const struct sl_work_class *classes, uint32_t class_count,
                                 struct sl_error *err) SL_NODISCARD;
void sl_workload_free(struct sl_workload *workload);
#endif
