/* Rows of summary.csv that compete with each other, and the best of each group. */
#include <config.h>

#include "grouping.h"
#include "memout.h"
#include "names.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sl_axis_is_policys(const char *axis)
{
    return strncmp(axis, "policy.", 7) == 0 || strncmp(axis, "policies.", 9) == 0;
}

const char *sl_axis_short(const char *axis)
{
    const char *dot = strchr(axis, '.');
    return dot && (sl_axis_is_policys(axis) || strncmp(axis, "domains.", 8) == 0) ? dot + 1 : axis;
}

uint32_t sl_row_cell(const struct sl_frame *summary, uint32_t row)
{
    return (uint32_t)sl_frame_number_of(summary, row, "cell");
}

bool sl_row_ranks(const struct sl_frame *summary, uint32_t row)
{
    double tail = sl_frame_number_of(summary, row, "tail_us");
    return strcmp(sl_frame_text_of(summary, row, "verdict"), "ok") == 0 && isfinite(tail);
}

double sl_row_rejected(const struct sl_frame *summary, uint32_t row)
{
    double jobs = sl_frame_number_of(summary, row, "jobs");
    return jobs > 0 ? sl_frame_number_of(summary, row, "rejected") / jobs : NAN;
}

bool sl_row_unsteady(const struct sl_frame *summary, uint32_t row)
{
    double settled = sl_frame_number_of(summary, row, "warmup_settled");
    bool rises = sl_frame_number_of(summary, row, "growth_lo_us_per_s") > 0;
    return strcmp(sl_frame_text_of(summary, row, "verdict"), "grows") != 0 &&
           (settled == 0 || (settled == 1 && rises));
}

bool sl_rows_tie(const struct sl_frame *summary, uint32_t a, uint32_t b)
{
    return sl_frame_number_of(summary, a, "tail_lo_us") <=
               sl_frame_number_of(summary, b, "tail_hi_us") &&
           sl_frame_number_of(summary, b, "tail_lo_us") <=
               sl_frame_number_of(summary, a, "tail_hi_us");
}

const char *sl_quantile_name(char buffer[16], double q)
{
    if (q == 0.5)
        return strcpy(buffer, "median");
    snprintf(buffer, 16, "p%.6g", q * 100);
    return buffer;
}

static bool lower(const struct sl_frame *summary, uint32_t row, uint32_t than)
{
    return than == SL_NONE || sl_frame_number_of(summary, row, "tail_us") <
                                  sl_frame_number_of(summary, than, "tail_us");
}

uint32_t sl_group_policy_row(const struct sl_frame *summary, const struct sl_grouping *grouping,
                             uint32_t group, const char *policy)
{
    uint32_t best = SL_NONE;
    for (uint32_t row = grouping->groups[group].first_row; row != SL_NONE;
         row = grouping->next_row[row])
        if (sl_row_ranks(summary, row) &&
            strcmp(sl_frame_text_of(summary, row, "policy"), policy) == 0 &&
            lower(summary, row, best))
            best = row;
    return best;
}

/* Appends `text` behind `separator`; false when the buffer is too small. */
static bool append(char *buffer, size_t size, const char *separator, const char *text)
{
    size_t length = strlen(buffer);
    int added = snprintf(buffer + length, size - length, "%s%s", length ? separator : "", text);
    return added >= 0 && (size_t)added < size - length;
}

static void make_slug(char *slug, size_t size, const char *values)
{
    size_t length = 0;
    for (; *values && length + 1 < size; values++)
        slug[length++] = (char)(isalnum((unsigned char)*values) || *values == '.' ? *values : '-');
    slug[length] = '\0';
    if (length == 0)
        snprintf(slug, size, "all");
}

static enum sl_status describe(struct sl_group *group, const struct sl_frame *summary, uint32_t row,
                               const char *const *axes, uint32_t axis_count, struct sl_arena *arena,
                               struct sl_error *err)
{
    char label[512] = "", values[256] = "", slug[256], one[256];
    bool fits = true;
    for (uint32_t i = 0; i < axis_count; i++) {
        const char *text = sl_frame_text_of(summary, row, axes[i]);
        if (sl_axis_is_policys(axes[i]) || !*text)
            continue;
        snprintf(one, sizeof one, "%.120s %.120s", sl_axis_short(axes[i]), text);
        fits = append(label, sizeof label, ", ", one) &&
               append(values, sizeof values, ", ", text) && fits;
    }
    if (!fits)
        return SL_FAIL(err, SL_INVALID, "the texts of the axes are too long");
    make_slug(slug, sizeof slug, values);
    group->label = sl_arena_strdup(arena, label);
    group->values = sl_arena_strdup(arena, values);
    group->slug = sl_arena_strdup(arena, slug);
    group->best_row = SL_NONE;
    return group->label && group->values && group->slug ? SL_OK
                                                        : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

/* Different values may have one slug ("a b", "a-b"): a later one gets its number. */
static bool tell_apart(struct sl_group *group, uint32_t g, struct sl_names *slugs,
                       struct sl_arena *arena)
{
    if (sl_names_find(slugs, group->slug) != SL_NONE)
        group->slug = sl_arena_printf(arena, "%s-%u", group->slug, g + 1);
    return group->slug && sl_names_add(slugs, group->slug) != SL_NONE;
}

/* The group that the row belongs to, the next one where no row before it does; SL_NONE: out of
 * memory.  A group goes by the row's values of the axes, each behind its length. */
static uint32_t find_group(struct sl_names *keys, const struct sl_frame *summary, uint32_t row,
                           const char *const *axes, uint32_t axis_count)
{
    struct sl_memout memory;
    if (!sl_memout_open(&memory))
        return SL_NONE;
    for (uint32_t i = 0; i < axis_count; i++) {
        const char *value = sl_frame_text_of(summary, row, axes[i]);
        if (!sl_axis_is_policys(axes[i]))
            fprintf(memory.stream, "%zu %s", strlen(value), value);
    }
    char *key = sl_memout_close(&memory);
    uint32_t group = key ? sl_names_add(keys, key) : SL_NONE;
    free(key);
    return group;
}

/* A policy is tied with the best when its own best cell is. */
static void count_ties(struct sl_grouping *grouping, const struct sl_frame *summary)
{
    for (uint32_t g = 0; g < grouping->group_count; g++) {
        struct sl_group *group = &grouping->groups[g];
        if (group->best_row == SL_NONE)
            continue;
        const char *winner = sl_frame_text_of(summary, group->best_row, "policy");
        for (uint32_t row = group->first_row; row != SL_NONE; row = grouping->next_row[row]) {
            const char *policy = sl_frame_text_of(summary, row, "policy");
            if (strcmp(policy, winner) != 0 &&
                sl_group_policy_row(summary, grouping, g, policy) == row &&
                sl_rows_tie(summary, row, group->best_row))
                group->tied++;
        }
    }
}

/* Scratch: what tells groups apart, and the last row of each. */
struct scratch {
    struct sl_names keys, slugs;
    uint32_t *last;
};

static enum sl_status add_row(struct sl_grouping *grouping, const struct sl_frame *summary,
                              uint32_t row, struct scratch *scratch, const char *const *axes,
                              uint32_t axis_count, struct sl_arena *arena, struct sl_error *err)
{
    uint32_t g = find_group(&scratch->keys, summary, row, axes, axis_count);
    if (g == SL_NONE)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    struct sl_group *group = &grouping->groups[g];
    if (g == grouping->group_count) {
        enum sl_status status = describe(group, summary, row, axes, axis_count, arena, err);
        if (status != SL_OK)
            return status;
        if (!tell_apart(group, g, &scratch->slugs, arena))
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        group->first_row = row;
        grouping->group_count++;
    } else {
        grouping->next_row[scratch->last[g]] = row;
    }
    scratch->last[g] = row;
    grouping->next_row[row] = SL_NONE;
    grouping->group_of_row[row] = g;
    if (sl_row_ranks(summary, row) && lower(summary, row, group->best_row))
        group->best_row = row;
    return SL_OK;
}

enum sl_status sl_grouping_make(struct sl_grouping *grouping, const struct sl_frame *summary,
                                const char *const *axes, uint32_t axis_count,
                                struct sl_arena *arena, struct sl_error *err)
{
    size_t rows = summary->row_count;
    struct scratch scratch = {.last = malloc((rows + 1) * sizeof *scratch.last)};
    *grouping = (struct sl_grouping){
        .groups = sl_arena_array(arena, rows + 1, sizeof *grouping->groups),
        .group_of_row = sl_arena_array(arena, rows + 1, sizeof *grouping->group_of_row),
        .next_row = sl_arena_array(arena, rows + 1, sizeof *grouping->next_row),
    };
    enum sl_status status =
        grouping->groups && grouping->group_of_row && grouping->next_row && scratch.last
            ? SL_OK
            : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t row = 0; status == SL_OK && row < rows; row++)
        status = add_row(grouping, summary, row, &scratch, axes, axis_count, arena, err);
    if (status == SL_OK)
        count_ties(grouping, summary);
    sl_names_free(&scratch.keys);
    sl_names_free(&scratch.slugs);
    free(scratch.last);
    return status;
}
