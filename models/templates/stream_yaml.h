/* Templates of passes over layers of which each reads one object that waits in page-locked host
 * memory: fetched on demand, so many layers ahead, just in time, or as early as there is room. */
#ifndef SL_STREAM_YAML_H
#define SL_STREAM_YAML_H
#include "scenario_tables.h"
#include "template_parts.h"

struct sl_stream_template {
    const char *head; /* comment lines of scenario.yaml, each with "# " and a line end */
    const char *name, *description;
    enum sl_status (*add_rows)(const void *pass, struct sl_tables *tables, struct sl_error *err);
    void (*put_readme)(FILE *out, const void *pass);
};

/* Writes the tables of `pass`, scenario.yaml and README.md.  `capacities` are ';'-separated,
 * `device` is as given (sl_template_device).  SL_USAGE for these and the shape. */
enum sl_status sl_stream_write(const char *dir, const struct sl_stream_template *template,
                               const struct sl_llm_shape *shape, const char *capacities,
                               const char *device, const void *pass,
                               struct sl_error *err) SL_NODISCARD;
#endif
