/* What the scenario of a trace calls nodes and lanes, and the classes of their works. */
#ifndef SL_TRACE_NAMES_H
#define SL_TRACE_NAMES_H
#include "trace_graph.h"

enum { SL_TRACE_NAME = 96 };

/* "s7.000123.ampere_sgemm_128x64_tn": the lane, the number of the node, and a short name of what it
 * is; letters, digits, '_' and '.' alone. */
char *sl_trace_node_name(const struct sl_trace_graph *graph, uint32_t node,
                         char name[SL_TRACE_NAME]);
/* "gpu0 stream 7", "thread 4515/25556"; a stream's further lanes "gpu0 stream 7 (2)". */
char *sl_trace_lane_name(const struct sl_trace_graph *graph, uint32_t lane,
                         char name[SL_TRACE_NAME]);
/* Of a work by what it does, of a kernel by its name (kernel_classes.def); of a node of a thread
 * "host", "api.launch", "api.wait" or "api.memory". */
const char *sl_trace_class(const struct sl_trace_graph *graph, uint32_t node);
/* Of a work of a device: of a copy by its ends, of a kernel by its name. */
const char *sl_trace_work_class(const struct sl_timeline *timeline, uint32_t event);
/* The class of calibrations that is assumed to stand for a class of kernels; NULL: none. */
const char *sl_kernel_class_like(const char *class);
/* Which class a kernel of that name belongs to; "kernel" where no line of the table knows it. */
const char *sl_kernel_class(const char *name);
/* The domain at an end of a copy: "hbm0", "pinned", "host"; false for an end that is not known. */
bool sl_trace_place(const struct sl_timeline *timeline, uint32_t event, bool source,
                    char name[SL_TRACE_NAME]);
#endif
