/* Workload templates: from a few parameters to a scenario folder (scenario.yaml, nodes.csv,
 * edges.csv, objects.csv, README.md) with every formula in the files it writes.
 *
 * A template is one file template_NAME.c ending in a `const struct sl_template`, and one line in
 * templates.def.  Same parameters, same bytes. */
#ifndef SL_TEMPLATES_H
#define SL_TEMPLATES_H
#include "status.h"

enum sl_template_kind {
    SL_TEMPLATE_INTEGER, /* a whole number in [min, max] */
    SL_TEMPLATE_NUMBER,  /* a number (or "50%") in [min, max] */
    SL_TEMPLATE_TEXT     /* one of the ';'-separated `words`, or any text when words is NULL */
};

struct sl_template_param {
    const char *name;
    enum sl_template_kind kind;
    const char *initial; /* the default, as a user would write it */
    double min, max;     /* of numbers, inclusive */
    const char *words;
    const char *description;
    const char *config; /* its keys in a model's config.json, ';'-separated, the first that is there
                         * counts; with a ';' at its end a file that has none of them leaves the
                         * default; NULL: none */
};

/* A parameter's value, in the order of the template's `params`. */
struct sl_template_value {
    double number;    /* of numbers */
    const char *text; /* as given; borrowed */
};

struct sl_template {
    const char *name, *description, *example;
    const struct sl_template_param *params;
    size_t param_count;
    /* Keys of a config.json, ';'-separated, whose number above 1 says that the model has what the
     * template does not: SL_INVALID with the place.  NULL: none. */
    const char *refused;
    /* Writes the files into the existing folder `dir`.  `values` has param_count validated
     * elements.  Combinations that make no sense are SL_USAGE. */
    enum sl_status (*write)(const char *dir, const struct sl_template_value *values,
                            struct sl_error *err);
};

size_t sl_template_count(void);
const struct sl_template *sl_template_get(size_t index);
const struct sl_template *sl_template_find(const char *name); /* NULL: no such template */

/* Writes the scenario of template `name` into `dir` (created when missing).  Each of `settings` is
 * "KEY=VALUE"; config=FILE is a model's config.json, which gives those parameters that have keys in
 * it and are not set; the others keep their defaults.  An unknown template or key, a value out of
 * its range and a malformed setting are SL_USAGE with the nearest known word; a folder that already
 * holds a scenario.yaml is SL_USAGE unless `force`. */
enum sl_status sl_template_generate(const char *name, const char *dir, const char *const *settings,
                                    size_t setting_count, bool force,
                                    struct sl_error *err) SL_NODISCARD;
#endif
