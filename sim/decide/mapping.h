/* Built-in answers to a hand-off, for when no runtime gives one: one file mapping_NAME.c each (with
 * parts of its own), and a line of mappings.def.
 *
 * A mapping says what that runtime's documented mechanisms make of a plan.  It measures nothing, so
 * what its calls cost is unknown unless the device states it. */
#ifndef SL_MAPPING_H
#define SL_MAPPING_H
#include "reply.h"
#include "scenario.h"

struct sl_plan;

struct sl_mapping {
    const char *name, *description, *example;
    /* Fills the zeroed reply, hash and all; the plan must outlive it. */
    enum sl_status (*answer)(struct sl_reply *reply, const struct sl_scenario *scenario,
                             const struct sl_plan *plan, struct sl_error *err);
};

size_t sl_mapping_count(void);
const struct sl_mapping *sl_mapping_get(size_t index);
/* Answers, and fills in the scenario's and the policy's name and the hash of the answer as
 * sl_reply_write writes it.  `reply` is zeroed first; sl_reply_free in every case. */
enum sl_status sl_mapping_answer(struct sl_reply *reply, const struct sl_mapping *mapping,
                                 const struct sl_scenario *scenario, const char *policy,
                                 const struct sl_plan *plan, struct sl_error *err) SL_NODISCARD;

#define SL_MAPPING(name) extern const struct sl_mapping sl_mapping_##name;
#include "mappings.def"
#undef SL_MAPPING
#endif
