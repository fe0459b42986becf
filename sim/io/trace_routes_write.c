/* Routes of a trace as a table, as entries of a scenario, and their noise as files. */
#include <config.h>

#include "csvtab.h"
#include "outfile.h"
#include "trace_durations.h"
#include "trace_routes.h"
#include "units.h"
#include <math.h>

/* Overhead and bandwidth are told apart where sizes differ enough, and medians follow the line. */
static bool is_measured(const struct sl_trace_route *route)
{
    enum { LEAST_SIZES = 3, LEAST_SPAN = 4 };
    return route->sizes >= LEAST_SIZES && route->most / LEAST_SPAN >= route->least &&
           !route->shared && route->worst <= 0.25;
}

char *sl_trace_route_evidence(const struct sl_trace_route *route, char text[SL_TRACE_EVIDENCE])
{
    char least[32], most[32], fit[64] = "", sizes[160], beside[64] = "";
    bool fits = route->bytes_per_s > 0;
    sl_format_bytes(least, sizeof least, (double)route->least);
    sl_format_bytes(most, sizeof most, (double)route->most);
    if (fits && route->sizes > 1)
        snprintf(fit, sizeof fit, ", medians within %.0f%% of the fit",
                 fmax(1, ceil(100 * route->worst)));
    if (route->sizes == 1)
        snprintf(sizes, sizeof sizes, "of %s, whose overhead is in the bandwidth", least);
    else
        snprintf(sizes, sizeof sizes, "of %u sizes from %s to %s%s", route->sizes, least, most,
                 fits ? fit : ", whose times do not follow the sizes");
    if (route->beside > 0)
        snprintf(beside, sizeof beside, "; %u that shared the link are left out", route->beside);
    snprintf(text, SL_TRACE_EVIDENCE, "%s: %u %s %s%s",
             !fits                ? "unknown"
             : is_measured(route) ? "measured"
                                  : "bounded",
             route->copies, route->copies == 1 ? "copy" : "copies", sizes,
             route->shared ? "; each shared the link with another one" : beside);
    return text;
}

/* Empty where there is none. */
static void put_figures(FILE *out, const struct sl_trace_route *route)
{
    if (route->bytes_per_s > 0)
        fprintf(out, "%.17g,%.6f,%.6g,", route->bytes_per_s,
                (double)route->overhead_ps / (double)SL_PS_PER_US, route->worst);
    else
        fputs(",,,", out);
}

void sl_trace_routes_write(const struct sl_trace_routes *routes, FILE *out)
{
    fputs("# Copies of the whole trace: time = overhead + bytes / bandwidth.  It holds from "
          "bytes_least to\n"
          "# bytes_most; worst_misfit: of the median time at a size.\n"
          "from,to,class,copies,shared_link,sizes,bytes_least,bytes_most,bandwidth_bytes_per_s,"
          "overhead_us,worst_misfit,evidence\n",
          out);
    for (uint32_t i = 0; i < routes->count; i++) {
        const struct sl_trace_route *route = &routes->items[i];
        char text[SL_TRACE_EVIDENCE];
        if (route->copies == 0) /* none of them has a time */
            continue;
        fprintf(out, "%s,%s,%s,%u,%u,%u,%lld,%lld,", route->from, route->to, route->class,
                route->copies, route->beside, route->sizes, (long long)route->least,
                (long long)route->most);
        put_figures(out, route);
        sl_csv_put(out, sl_trace_route_evidence(route, text));
        fputc('\n', out);
    }
}

static void put_noise_name(const struct sl_trace_routes *routes, const struct sl_trace_route *route,
                           char name[32])
{
    snprintf(name, 32, "route-%02u.csv", (unsigned)(route - routes->items));
}

void sl_trace_route_write_yaml(const struct sl_trace_routes *routes,
                               const struct sl_trace_route *route, FILE *out)
{
    char text[SL_TRACE_EVIDENCE], name[32];
    fprintf(out, "  - {from: %s, to: %s, resource: %s, class: %s, bandwidth: %.9gGB/s", route->from,
            route->to, route->link, route->class, route->bytes_per_s / 1e9);
    if (route->overhead_ps > 0)
        fprintf(out, ", overhead: %lldps", (long long)route->overhead_ps);
    put_noise_name(routes, route, name);
    if (route->factors)
        fprintf(out, ",\n     noise: empirical(file=durations/%s)", name);
    fprintf(out, ",\n     evidence: \"%s\"}\n", sl_trace_route_evidence(route, text));
}

enum sl_status sl_trace_route_write_noise(const struct sl_trace_routes *routes,
                                          const struct sl_trace_route *route, const char *dir,
                                          struct sl_error *err)
{
    struct sl_outfile file = {0};
    char folder[SL_TRACE_FOLDER], name[32];
    if (!route->factors)
        return SL_OK;
    enum sl_status status = sl_trace_durations_folder(dir, folder, err);
    put_noise_name(routes, route, name);
    if (status == SL_OK)
        status = sl_outfile_open_in(&file, folder, name, err);
    if (status != SL_OK)
        return status;
    fprintf(file.stream, "# %s to %s: the time of a copy over that of the route\nvalue\n",
            route->from, route->to);
    for (uint32_t i = 0; i < route->factor_count; i++)
        fprintf(file.stream, "%.9g\n", route->factors[i]);
    status = sl_outfile_commit(&file, err);
    sl_outfile_abandon(&file);
    return status;
}
