/* Action retain: every object stays where it is, from its first write to its last use. */
#include "parts.h"

const struct sl_part sl_action_retain = {
    .role = "action",
    .name = "retain",
    .description = "keep every object where it is",
    .parameters = "objects: names or globs; the rest is left to the next rule",
    .example = "action: retain",
};
