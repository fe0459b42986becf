/* uncertainty.csv: a row per draw of the calibration.  uncertain_figures.csv: what they vary. */
#include "config.h"

#include "figures.h"
#include "result_parts.h"
#include <string.h>

static void draws_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,draw,tail_us,median_us,trials,deadlocked,normals\n", out);
}

/* The text, within a quoted field where that is open. */
static void put_piece(FILE *out, const char *text, bool quoted)
{
    for (; *text; text++) {
        if (quoted && *text == '"')
            putc('"', out);
        putc(*text, out);
    }
}

/* "duration.gemm=0.31;kappa.copy.h2d=-1.2": the standard normals of the draw. */
static void put_normals(FILE *out, const struct sl_cell *cell, const double *normals)
{
    const struct sl_names *classes = &cell->scenario->platform.kappa.classes;
    char value[SL_FIGURE_SIZE];
    bool quoted = false;
    for (uint32_t s = 0; s < cell->outer.source_count; s++)
        quoted |= strpbrk(classes->names[cell->outer.sources[s].klass], ",\"\r\n") != NULL;
    fputs(quoted ? ",\"" : ",", out);
    for (uint32_t s = 0; s < cell->outer.source_count; s++) {
        const struct sl_source *source = &cell->outer.sources[s];
        fprintf(out, "%s%s.", s > 0 ? ";" : "", sl_source_kind_name(source->kind));
        put_piece(out, classes->names[source->klass], quoted);
        fprintf(out, "=%s", sl_figure(value, normals[s]));
    }
    if (quoted)
        putc('"', out);
}

static void draws_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_outer *outer = &cell->outer;
    for (uint32_t d = 0; d < outer->draws; d++) {
        fprintf(out, "%u,%u", cell->spec.index, d);
        sl_put_number(out, outer->tail_us[d]);
        sl_put_number(out, outer->median_us[d]);
        sl_put_integer(out, outer->inner);
        sl_put_integer(out, outer->deadlocked[d]);
        put_normals(out, cell, &outer->normals[(size_t)d * outer->source_count]);
        putc('\n', out);
    }
}

static void figures_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,kind,class,figures,lo_ratio,hi_ratio,rank_correlation\n", out);
}

static void figures_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_outer *outer = &cell->outer;
    for (uint32_t s = 0; s < outer->source_count; s++) {
        const struct sl_source *source = &outer->sources[s];
        if (source->figures == 0)
            continue;
        fprintf(out, "%u,%s", cell->spec.index, sl_source_kind_name(source->kind));
        sl_put_text(out, cell->scenario->platform.kappa.classes.names[source->klass]);
        sl_put_integer(out, source->figures);
        sl_put_number(out, source->lo);
        sl_put_number(out, source->hi);
        sl_put_number(out, outer->correlation[s]);
        putc('\n', out);
    }
}

const struct sl_part sl_part_uncertainty = {"uncertainty.csv", draws_header, draws_rows,
                                            SL_PART_OF_PLANS};
const struct sl_part sl_part_uncertain_figures = {"uncertain_figures.csv", figures_header,
                                                  figures_rows, SL_PART_OF_PLANS};
