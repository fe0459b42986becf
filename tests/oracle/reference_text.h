/* A planned graph and what two simulators made of it, to read. */
#ifndef SL_REFERENCE_TEXT_H
#define SL_REFERENCE_TEXT_H
#include "reference_sim.h"
#include <stdio.h>

void ref_print(FILE *out, const struct sl_graph *graph, const struct sl_engine_options *options,
               const struct sl_trial *trial, const struct ref_result *ref);
#endif
