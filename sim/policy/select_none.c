/* Select none: nothing. */
#include "parts.h"

const struct sl_part sl_select_none = {
    .role = "select",
    .name = "none",
    .description = "no object",
    .parameters = "none",
    .example = "{action: offload, select: none}",
};
