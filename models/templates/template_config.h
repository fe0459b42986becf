/* A model's config.json, as model hubs publish it: the values of its outermost object. */
#ifndef SL_TEMPLATE_CONFIG_H
#define SL_TEMPLATE_CONFIG_H
#include "names.h"

struct sl_template_config {
    struct sl_names keys;
    const char **values; /* by key: numbers and texts as written; "" of others */
    uint32_t capacity;
    struct sl_arena arena;
};

/* Reads a file of at most 1 MiB.  SL_INVALID with the place where it is no JSON object.
 * sl_template_config_free releases in any case. */
enum sl_status sl_template_config_read(struct sl_template_config *config, const char *path,
                                       struct sl_error *err) SL_NODISCARD;
/* Of the ';'-separated `keys` the value of the first that the file has; NULL: none. */
const char *sl_template_config_find(const struct sl_template_config *config, const char *keys);
void sl_template_config_free(struct sl_template_config *config);
#endif
