/* Action as-given: the graph already holds its movements; nothing is inserted but the allocations
 * and reclamations that are derived for every plan. */
#include "parts.h"

const struct sl_part sl_action_as_given = {
    .role = "action",
    .name = "as-given",
    .description = "run the movements that the graph itself holds",
    .parameters = "none",
    .example = "action: as-given",
};
