/* Pareto sets of a sweep's groups. */
#include "alternatives.h"
#include "pareto.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTIVES = 3 };

static double domain_number(const struct sl_frame *summary, uint32_t row, const char *prefix,
                            const char *domain)
{
    char column[300];
    snprintf(column, sizeof column, "%s_%.200s_bytes", prefix, domain);
    return sl_frame_number_of(summary, row, column);
}

double sl_row_peak(const struct sl_frame *summary, uint32_t row, const char *domain)
{
    return domain ? domain_number(summary, row, "peak", domain) : NAN;
}

double sl_row_staging(const struct sl_frame *summary, uint32_t row)
{
    double sum = 0;
    for (uint32_t c = 0; c < summary->column_count; c++) {
        const char *name = summary->columns[c];
        size_t length = strlen(name);
        if (strncmp(name, "staging_", 8) == 0 && length > 7 &&
            strcmp(name + length - 7, "_byte_s") == 0)
            sum += sl_frame_number(summary, row, c);
    }
    return sum;
}

/* The domain's name of a column "peak_DOMAIN_bytes", NULL for any other column. */
static const char *domain_of_column(const char *column, struct sl_arena *arena)
{
    size_t length = strlen(column);
    if (length < 11 || strncmp(column, "peak_", 5) != 0 ||
        strcmp(column + length - 6, "_bytes") != 0)
        return NULL;
    return sl_arena_printf(arena, "%.*s", (int)(length - 11), column + 5);
}

/* The least share of the domain's limit that a ranked cell of the group takes; -1: unlimited. */
static double scarcity(const struct sl_frame *summary, const struct sl_grouping *grouping,
                       uint32_t group, const char *domain)
{
    double least = -1;
    for (uint32_t row = grouping->groups[group].first_row; row != SL_NONE;
         row = grouping->next_row[row]) {
        if (!sl_row_ranks(summary, row))
            continue;
        double limit = domain_number(summary, row, "capacity", domain) -
                       domain_number(summary, row, "reserve", domain);
        double share = sl_row_peak(summary, row, domain) / limit;
        if (limit > 0 && (least < 0 || share < least))
            least = share;
    }
    return least;
}

static const char *scarcest(const struct sl_frame *summary, const struct sl_grouping *grouping,
                            uint32_t group, struct sl_arena *arena)
{
    const char *scarcest = NULL;
    double largest = -1;
    for (uint32_t c = 0; c < summary->column_count; c++) {
        const char *domain = domain_of_column(summary->columns[c], arena);
        double share = domain ? scarcity(summary, grouping, group, domain) : -1;
        if (share > largest) {
            largest = share;
            scarcest = domain;
        }
    }
    return scarcest;
}

static void find_in_group(struct sl_alternatives *alternatives, const struct sl_frame *summary,
                          const struct sl_grouping *grouping, uint32_t group, double *points,
                          bool *in_set)
{
    const char *domain = alternatives->domains[group];
    size_t count = 0, next = 0;
    for (uint32_t row = grouping->groups[group].first_row; row != SL_NONE;
         row = grouping->next_row[row]) {
        if (!sl_row_ranks(summary, row))
            continue;
        double *point = &points[OBJECTIVES * count++];
        point[0] = sl_frame_number_of(summary, row, "tail_us");
        point[1] = domain ? sl_row_peak(summary, row, domain) : 0;
        point[2] = sl_row_staging(summary, row);
    }
    sl_pareto_set(points, count, OBJECTIVES, in_set);
    for (uint32_t row = grouping->groups[group].first_row; row != SL_NONE;
         row = grouping->next_row[row])
        if (sl_row_ranks(summary, row))
            alternatives->in_set[row] = in_set[next++];
}

enum sl_status sl_alternatives_find(struct sl_alternatives *alternatives,
                                    const struct sl_frame *summary,
                                    const struct sl_grouping *grouping, struct sl_arena *arena,
                                    struct sl_error *err)
{
    size_t rows = summary->row_count, groups = grouping->group_count;
    double *points = calloc(OBJECTIVES * rows + 1, sizeof *points);
    bool *in_set = calloc(rows + 1, sizeof *in_set);
    alternatives->domains = sl_arena_array(arena, groups + 1, sizeof *alternatives->domains);
    alternatives->in_set = sl_arena_array(arena, rows + 1, sizeof *alternatives->in_set);
    bool ok = points && in_set && alternatives->domains && alternatives->in_set;
    for (uint32_t g = 0; ok && g < groups; g++) {
        alternatives->domains[g] = scarcest(summary, grouping, g, arena);
        find_in_group(alternatives, summary, grouping, g, points, in_set);
    }
    free(points);
    free(in_set);
    return ok ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}
