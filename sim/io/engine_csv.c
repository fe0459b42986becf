/* engine.csv: by which of its ways the engine ran a cell's trials, and why not by the shortest; and
 * how many cells of a folder went each way, for its manifest. */
#include <config.h>

#include "engine_csv.h"
#include "figures.h"
#include "result_parts.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *sl_cell_way(const struct sl_cell *cell)
{
    if (!cell->plan.graph)
        return NULL;
    return cell->not_fixed ? "events" : "fixed-order";
}

static void engine_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,way,not_fixed\n", out);
}

static void engine_rows(FILE *out, const struct sl_cell *cell)
{
    const char *way = sl_cell_way(cell);
    if (!way)
        return;
    fprintf(out, "%u", cell->spec.index);
    sl_put_text(out, way);
    sl_put_text(out, cell->not_fixed);
    putc('\n', out);
}

const struct sl_part sl_part_engine = {"engine.csv", engine_header, engine_rows, SL_PART_OF_BOTH};

enum sl_status sl_engine_count(const char *dir, struct sl_engine_ways *ways, struct sl_error *err)
{
    char path[4096];
    *ways = (struct sl_engine_ways){0};
    if (snprintf(path, sizeof path, "%s/engine.csv", dir) >= (int)sizeof path)
        return SL_FAIL(err, SL_USAGE, "the path of the results folder is too long");
    FILE *in = fopen(path, "rb");
    if (!in)
        return SL_FAIL(err, SL_SYSTEM, "%s: %s", path, strerror(errno));
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, in) > 0) {
        const char *way = strchr(line, ',');
        ways->fixed_order += way && strncmp(way, ",fixed-order,", 13) == 0;
        ways->events += way && strncmp(way, ",events,", 8) == 0;
    }
    bool broken = !feof(in); /* an error, or no memory for a line */
    int number = errno;
    free(line);
    fclose(in);
    return broken ? SL_FAIL(err, SL_SYSTEM, "%s: %s", path, strerror(number)) : SL_OK;
}
