/* scenario.yaml and README.md of the llm-train template. */
#ifndef SL_LLM_TRAIN_YAML_H
#define SL_LLM_TRAIN_YAML_H
#include "llm_shape.h"
#include "status.h"

/* `mfu` scales compute durations by 0.5/mfu through the clock factor's mean; `capacities` is
 * ';'-separated. */
enum sl_status sl_llm_train_write_yaml(const char *dir, const struct sl_llm_shape *shape, double mfu,
                                       const char *capacities, const char *device,
                                       struct sl_error *err) SL_NODISCARD;
/* A README that is there stays: it may say what somebody found. */
enum sl_status sl_llm_train_write_readme(const char *dir, const struct sl_llm_shape *shape,
                                         struct sl_error *err) SL_NODISCARD;
#endif
