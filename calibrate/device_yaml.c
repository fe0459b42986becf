/* device.yaml of a calibration: the machine's parts as the backend has them, with what was measured
 * of its routes, and what the figures stand on. */
#include "config.h"

#include "kappa.h"
#include "tables_parts.h"
#include "units.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

void sl_put_yaml_text(FILE *out, const char *text)
{
    static const char *const words[] = {"y",     "n",  "yes", "no",  "true",
                                        "false", "on", "off", "null"};
    bool plain = isalpha((unsigned char)text[0]) != 0;
    for (const char *c = text; *c; c++)
        plain &= isalnum((unsigned char)*c) || strchr("_.-", *c) != NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        plain &= strcasecmp(text, words[i]) != 0;
    if (plain) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            putc('\\', out);
        putc((unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, out);
    }
    putc('"', out);
}

/* The last part of a path: "models/devices/mine/" is "mine". */
static const char *last_part(const char *dir, struct sl_arena *arena)
{
    char *path = sl_arena_strdup(arena, dir);
    size_t length = path ? strlen(path) : 0;
    while (length > 0 && path[length - 1] == '/')
        path[--length] = '\0';
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    return name && (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
               ? "calibrated"
               : name;
}

static void put_fact(FILE *out, const char *name, const char *value)
{
    fputs("  - {name: ", out);
    sl_put_yaml_text(out, name);
    fputs(", value: ", out);
    sl_put_yaml_text(out, value);
    fputs(", source: slackline-calibrate}\n", out);
}

static enum sl_status put_head(struct sl_table_writer *writer, FILE *out, struct sl_error *err)
{
    const struct sl_provenance *provenance = writer->provenance;
    const struct sl_fingerprint *fingerprint = provenance->fingerprint;
    const char *name = last_part(writer->dir, &writer->arena);
    if (!name)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    fprintf(out,
            "# Measured in %u session%s by slackline-calibrate " PACKAGE_VERSION
            ", backend %s.\nname: ",
            writer->estimates->sessions, writer->estimates->sessions == 1 ? "" : "s",
            provenance->backend->name);
    sl_put_yaml_text(out, name);
    fputs("\ndescription: ", out);
    char description[512];
    snprintf(description, sizeof description, "measured with backend %s: %s",
             provenance->backend->name, provenance->backend->description);
    sl_put_yaml_text(out, description);
    fputs("\nfacts:\n", out);
    put_fact(out, "backend", provenance->backend->name);
    put_fact(out, "start", provenance->start);
    for (uint32_t i = 0; i < fingerprint->count; i++)
        put_fact(out, fingerprint->facts[i].key, fingerprint->facts[i].value);
    return SL_OK;
}

static void put_resources(FILE *out, const struct sl_bench_layout *layout)
{
    if (layout->resource_count > 0)
        fputs("resources:\n", out);
    for (uint32_t i = 0; i < layout->resource_count; i++) {
        const struct sl_bench_resource *resource = &layout->resources[i];
        fputs("  ", out);
        sl_put_yaml_text(out, resource->name);
        fprintf(out, ": {servers: %u", resource->servers > 0 ? resource->servers : 1);
        if (resource->group && resource->group[0]) {
            fputs(", group: ", out);
            sl_put_yaml_text(out, resource->group);
        }
        fputs("}\n", out);
    }
}

static void put_domains(FILE *out, const struct sl_bench_layout *layout)
{
    if (layout->domain_count > 0)
        fputs("domains:\n", out);
    for (uint32_t i = 0; i < layout->domain_count; i++) {
        fputs("  ", out);
        sl_put_yaml_text(out, layout->domains[i].name);
        if (layout->domains[i].capacity_bytes >= 0)
            fprintf(out, ": {capacity: %" PRId64 "B}\n", layout->domains[i].capacity_bytes);
        else
            fputs(": {} # its capacity is not known\n", out);
    }
}

static uint32_t find_route(const struct sl_estimates *e, const char *klass)
{
    for (uint32_t i = 0; i < e->route_count; i++)
        if (strcmp(e->measured->cases->classes[e->routes[i].klass].name, klass) == 0)
            return i;
    return SL_NONE;
}

/* How well the line is known, and where it is off. */
static void put_uncertainty(FILE *out, const struct sl_estimates *e,
                            const struct sl_route_estimate *route)
{
    char lo[32], hi[32];
    fprintf(out, "  # %s: ", e->measured->cases->classes[route->klass].name);
    if (isnan(route->bytes_per_s.lo))
        fputs("one session, no interval", out);
    else
        fprintf(out, "bandwidth %.3g to %.3g GB/s, overhead %s to %s (95%%)",
                route->bytes_per_s.lo / 1e9, route->bytes_per_s.hi / 1e9,
                sl_format_time(lo, sizeof lo, 1e3 * route->overhead_ns.lo),
                sl_format_time(hi, sizeof hi, 1e3 * route->overhead_ns.hi));
    if (route->sizes == 1)
        fputs("; one size: the overhead is not told apart from the bandwidth\n", out);
    else
        fprintf(out, "; a line through %u sizes, off by %.2g%% at most\n", route->sizes,
                100 * route->worst);
}

/* "empirical(...)" or the fitted law of the factors; NULL: all copies take the same time. */
static const char *noise_of(struct sl_table_writer *writer, uint32_t index)
{
    const struct sl_route_estimate *route = &writer->estimates->routes[index];
    if (writer->noises[index])
        return sl_arena_printf(&writer->arena, "empirical(file=%s)", writer->noises[index]);
    if (!route->noise.good || route->noise.chosen == SL_FIT_CONST)
        return NULL;
    return sl_fit_text(&route->noise.all[route->noise.chosen], "", &writer->arena);
}

static void put_route(struct sl_table_writer *writer, FILE *out, const struct sl_bench_route *route)
{
    const struct sl_estimates *e = writer->estimates;
    uint32_t index = find_route(e, route->klass);
    if (index == SL_NONE) {
        fprintf(out, "  # %s to %s: class %s was not measured, so there is no such route\n",
                route->from, route->to, route->klass);
        return;
    }
    put_uncertainty(out, e, &e->routes[index]);
    fputs("  - from: ", out);
    sl_put_yaml_text(out, route->from);
    fputs("\n    to: ", out);
    sl_put_yaml_text(out, route->to);
    fputs("\n    resource: ", out);
    sl_put_yaml_text(out, route->resource);
    fputs("\n    class: ", out);
    sl_put_yaml_text(out, route->klass);
    fprintf(out, "\n    bandwidth: %.6gGB/s\n    overhead: %.6gns\n",
            e->routes[index].bytes_per_s.value / 1e9, e->routes[index].overhead_ns.value);
    const char *noise = noise_of(writer, index);
    if (noise) {
        fputs("    noise: ", out);
        sl_put_yaml_text(out, noise);
        putc('\n', out);
    }
    fputs("    evidence: \"measured: calibration\"\n", out);
}

static void put_routes(struct sl_table_writer *writer, FILE *out)
{
    const struct sl_bench_layout *layout = writer->provenance->layout;
    bool any = false;
    for (uint32_t i = 0; i < layout->route_count; i++)
        any |= find_route(writer->estimates, layout->routes[i].klass) != SL_NONE;
    if (any)
        fputs("routes:\n", out);
    for (uint32_t i = 0; i < layout->route_count; i++)
        put_route(writer, out, &layout->routes[i]);
}

/* True when a row of the usual regime would be taken, so that it may be named. */
static bool has_rows(const struct sl_estimates *e)
{
    for (uint32_t i = 0; i < e->kappa_count; i++)
        if (e->kappas[i].status == SL_ROW_OK && e->kappas[i].mode == SL_MODE_SHARE &&
            strcmp(e->kappas[i].regime, e->regimes[0].name) == 0)
            return true;
    return false;
}

static void put_rule(FILE *out, const struct sl_estimates *e)
{
    if (e->best == SL_NONE) {
        fputs("# No composition rule was tested", out);
        if (e->rule_count > 0)
            fprintf(out, " (%s)", e->rules[0].untested);
        fputs(": the rule below is what simulators assume without evidence.\n", out);
        return;
    }
    const struct sl_composition_estimate *rule = &e->rules[e->best];
    fprintf(out,
            "# Rule %s predicts %u measured sets from the pairs with a median error of %.2g%%;\n"
            "# sessions differ by %.2g%%, so it is %s.  Measured sets stand in the table and go "
            "before any rule.\n",
            rule->rule, rule->sets, 100 * rule->median_error, 100 * rule->noise,
            rule->accepted ? "accepted" : "NOT accepted: crowds beyond the table are guesses");
}

static void put_kappa_section(FILE *out, const struct sl_estimates *e)
{
    bool rows = has_rows(e);
    put_rule(out, e);
    if (rows && e->regime_count > 1)
        fprintf(out, "# Of %u regimes the one in which most shots were taken.\n", e->regime_count);
    if (rows && e->shape)
        fputs("# Of the aggressors' shapes the one with more rows that share.\n", out);
    fprintf(out, "kappa: {table: kappa.csv, rule: %s, unknown_kappa: bound",
            e->best == SL_NONE ? sl_kappa_rule_get(0)->name : e->rules[e->best].rule);
    if (rows && e->shape)
        fprintf(out, ", shape: %s", e->shape);
    if (rows && e->regimes[0].name[0]) {
        fputs(", regime: ", out);
        sl_put_yaml_text(out, e->regimes[0].name);
    }
    fputs("}\n", out);
}

enum sl_status sl_write_device(struct sl_table_writer *writer, struct sl_error *err)
{
    FILE *out = NULL;
    enum sl_status status = sl_table_open(writer, "device.yaml", &out, err);
    if (status == SL_OK)
        status = put_head(writer, out, err);
    if (status != SL_OK)
        return status;
    put_resources(out, writer->provenance->layout);
    put_domains(out, writer->provenance->layout);
    put_routes(writer, out);
    status = sl_put_factors(writer, out, err);
    put_kappa_section(out, writer->estimates);
    return status;
}
