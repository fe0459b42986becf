/* Select all: every object with a gap. */
#include "parts.h"

const struct sl_part sl_select_all = {
    .role = "select",
    .name = "all",
    .description = "every object with a gap between two uses",
    .parameters = "objects: names or globs that narrow it",
    .example = "{action: offload, select: all}",
    .takes_all = true,
};
