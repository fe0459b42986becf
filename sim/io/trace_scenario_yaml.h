/* scenario.yaml of a trace: the machine as far as the record shows it. */
#ifndef SL_TRACE_SCENARIO_YAML_H
#define SL_TRACE_SCENARIO_YAML_H
#include "trace_scenario.h"

enum sl_status sl_trace_yaml_write(const struct sl_trace_graph *graph,
                                   const struct sl_trace_source *source, FILE *out,
                                   struct sl_error *err) SL_NODISCARD;
#endif
