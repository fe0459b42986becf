/* The key `batch` of a resource. */
#include <config.h>

#include "batching.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

void sl_batching_read(const struct sl_reader *reader, const struct sl_yaml *map,
                      struct sl_batching *batching)
{
    static const char *const keys[] = {"most", "wait", "continuous", "per_member"};
    const struct sl_yaml *continuous = sl_yaml_get(map, "continuous");
    int64_t most;
    if (!sl_field_is(reader, map, SL_YAML_MAP, "batch"))
        return;
    sl_yaml_check_keys(map, keys, COUNT(keys), "a batch", reader->diags);
    if (sl_field_integer(reader, map, "most", 1, SL_MOST_MEMBERS, &most))
        batching->most = (uint32_t)most;
    else if (!batching->most)
        sl_field_require(reader, map, "most", "a batch");
    sl_field_time(reader, map, "wait", &batching->wait_ps);
    sl_field_number(reader, map, "per_member", 0, 1000, &batching->per_member);
    if (continuous && sl_field_is(reader, continuous, SL_YAML_SCALAR, "continuous"))
        sl_value_bool(reader, continuous->text, continuous->place, "continuous",
                      &batching->continuous);
    if (batching->continuous && batching->wait_ps)
        sl_diags_add(reader->diags, SL_ERROR, "bad-value", map->place,
                     "wait: a continuous batch starts a step with whoever is there (state wait or "
                     "continuous: true, not both)");
}
