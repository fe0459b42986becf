/* evictions.csv: a row per object that may leave while running. */
#include "figures.h"
#include "result_parts.h"
#include "units.h"

static void evictions_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,object,bytes,returns_by,trials,evicted_per_trial,moved_per_trial,"
          "returned_per_trial,thrashed_per_trial,return_us\n",
          out);
}

static void evictions_rows(FILE *out, const struct sl_cell *cell)
{
    for (uint32_t k = 0; k < cell->eviction_count; k++) {
        const struct sl_object_evictions *evictions = &cell->evictions[k];
        const struct sl_copy_record *sum = &evictions->sum;
        const struct sl_object *object = &cell->plan.graph->objects[evictions->object];
        fprintf(out, "%u", cell->spec.index);
        sl_put_text(out, object->name);
        sl_put_integer(out, object->bytes);
        sl_put_text(out, evictions->recomputed ? "recomputation" : "fetch");
        sl_put_integer(out, cell->trials);
        sl_put_number(out, (double)sum->evicted / cell->trials);
        sl_put_number(out, (double)sum->moved / cell->trials);
        sl_put_number(out, (double)sum->returned / cell->trials);
        sl_put_number(out, (double)sum->thrashed / cell->trials);
        if (sum->returned > 0)
            sl_put_number(out, (double)sum->returning_ps / (double)sum->returned / SL_PS_PER_US);
        else
            sl_put_text(out, NULL);
        putc('\n', out);
    }
}

const struct sl_part sl_part_evictions = {"evictions.csv", evictions_header, evictions_rows,
                                          SL_PART_OF_PLANS};
