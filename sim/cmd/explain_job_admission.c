/* Admitted jobs: who had the places, and who might need the memory. */
#include "explain_job_admission.h"
#include "units.h"
#include <inttypes.h>
#include <string.h>

#define SHOWN_JOBS 12

static bool by_memory(const struct sl_explained_job *x)
{
    return x->cell->scenario->jobs.memory != SL_NONE;
}

static void add_job(struct sl_explained_job *x, struct sl_table *table,
                    const struct sl_job_admitted *other)
{
    sl_table_add(table, "  job %" PRIu64, other->job);
    sl_table_add(table, "%s", sl_estimate_text(&x->arena, sl_us_of(other->from_ps)));
    sl_table_add(table, "%s", sl_estimate_text(&x->arena, sl_us_of(other->to_ps)));
    sl_table_add(table, "%s", sl_time_text(&x->arena, sl_us_of(other->to_ps - other->from_ps)));
    if (!by_memory(x))
        return;
    sl_table_add(table, "%s", sl_bytes_text(&x->arena, (double)other->need));
    sl_table_add(table, "%s", sl_bytes_text(&x->arena, (double)other->need_left));
}

static void print_jobs(struct sl_explained_job *x, const struct sl_job_admitted *sorted, FILE *out)
{
    const struct sl_job_story *story = &x->telling->story;
    const struct sl_job_mode *mode = &x->cell->scenario->jobs;
    bool memory = by_memory(x);
    struct sl_table table = sl_table_make(&x->arena, memory ? "lrrrrr" : "lrrr");
    sl_table_add(&table, "who was admitted before it");
    sl_table_add(&table, "from");
    sl_table_add(&table, "until");
    sl_table_add(&table, "for");
    if (memory) {
        const char *domain = x->cell->scenario->platform.domain_names.names[mode->memory];
        sl_table_add(&table, "might need of %s", domain);
        sl_table_add(&table, "in the end");
    }
    for (uint32_t k = 0; k < story->admitted_count && k < SHOWN_JOBS; k++)
        add_job(x, &table, &sorted[k]);
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (story->admitted_count > SHOWN_JOBS)
        fprintf(out, "  and %u more, for shorter: --json has all\n",
                story->admitted_count - SHOWN_JOBS);
    if (story->admitted_unlisted)
        fprintf(out, "  and %s beyond the %u that are kept\n",
                sl_grouped(&x->arena, story->admitted_unlisted), SL_MOST_HOLDERS);
}

void sl_explain_job_admission(struct sl_explained_job *x, FILE *out)
{
    const struct sl_job_record *job = &x->telling->record;
    const struct sl_job_story *story = &x->telling->story;
    const struct sl_job_mode *mode = &x->cell->scenario->jobs;
    int64_t waited_ps = job->admitted_ps - job->arrival_ps;
    if (waited_ps == 0)
        return;
    struct sl_job_admitted *sorted =
        sl_arena_array(&x->arena, (size_t)story->admitted_count + 1, sizeof *sorted);
    putc('\n', out);
    if (!sorted) {
        fputs("who was admitted before it: out of memory\n", out);
        return;
    }
    if (story->admitted_count)
        memcpy(sorted, story->admitted, story->admitted_count * sizeof *sorted);
    sl_job_admitted_sort(sorted, story->admitted_count);
    print_jobs(x, sorted, out);
    fprintf(out, "  within its wait of %s for admission, behind %s jobs that waited when it came",
            sl_time_text(&x->arena, sl_us_of(waited_ps)), sl_grouped(&x->arena, story->before));
    if (mode->admitted_most)
        fprintf(out, "; there is room for %s", sl_grouped(&x->arena, mode->admitted_most));
    putc('\n', out);
}

void sl_explain_job_admission_json(struct sl_explained_job *x, yajl_gen gen)
{
    const struct sl_job_story *story = &x->telling->story;
    sl_json_open_map(gen, "admission");
    sl_json_integer(gen, "waited_before_it", (int64_t)story->before);
    sl_json_open_array(gen, "admitted");
    for (uint32_t k = 0; k < story->admitted_count; k++) {
        const struct sl_job_admitted *other = &story->admitted[k];
        sl_json_open_map(gen, NULL);
        sl_json_integer(gen, "job", (int64_t)other->job);
        sl_json_us(gen, "from_us", other->from_ps);
        sl_json_us(gen, "to_us", other->to_ps);
        if (by_memory(x)) {
            sl_json_integer(gen, "need_bytes", other->need);
            sl_json_integer(gen, "need_left_bytes", other->need_left);
        }
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    sl_json_integer(gen, "unlisted", (int64_t)story->admitted_unlisted);
    yajl_gen_map_close(gen);
}
