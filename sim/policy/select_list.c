/* Select list: the objects that are named. */
#include "parts.h"

const struct sl_part sl_select_list = {
    .role = "select",
    .name = "list",
    .description = "the objects that `objects` names",
    .parameters = "objects: names or globs (needed)",
    .example = "{action: remat, select: list, objects: [norm1.*, norm2.*]}",
    .takes_all = true,
    .needs_objects = true,
};
