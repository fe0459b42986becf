/* A model's config.json, as model hubs publish it: the values of its outermost object. */
#ifndef SL_TEMPLATE_CONFIG_H
#define SL_TEMPLATE_CONFIG_H
#include "names.h"

struct sl_template_config {
    struct sl_names keys;
    const char **values; /* by key: numbers and texts as written; "" of others */
    size_t *ends;        /* by key: where the key ends in the text */
    uint32_t capacity, end_capacity;
    const char *path, *text;
    struct sl_arena arena;
};

/* Reads a file of at most 1 MiB.  SL_INVALID with the place where it is no JSON object.
 * sl_template_config_free releases in any case. */
enum sl_status sl_template_config_read(struct sl_template_config *config, const char *path,
                                       struct sl_error *err) SL_NODISCARD;
/* Of the ';'-separated `keys` the value of the first that the file has; NULL: none. */
const char *sl_template_config_find(const struct sl_template_config *config, const char *keys);
/* SL_INVALID with the place of the first of the ';'-separated `keys` whose value is a number above
 * 1: the model has what the template `name` does not count. */
enum sl_status sl_template_config_refuse(const struct sl_template_config *config, const char *keys,
                                         const char *name, struct sl_error *err) SL_NODISCARD;
void sl_template_config_free(struct sl_template_config *config);
#endif
