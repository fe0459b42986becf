/* A cell's trials in portions, handed out to whoever is free. */
#include "cellparts.h"
#include "portion.h"
#include "ranksparts.h"
#include <stdlib.h>
#include <string.h>

#define LEAST_NODES       1000000 /* of a portion, executed: some 0.1 s */
#define PORTIONS_PER_RANK 4       /* of a large cell: so that ranks of unlike speed end together */

struct portion {
    unsigned char *bytes; /* the message; NULL: not there yet */
    size_t size, at;
};

/* Trials `begin` .. `end` - 1, `each` of them a portion but the last. */
struct sl_portions {
    uint32_t cell, begin, end, each, count;
    uint32_t given, added;
    struct portion *items;
};

bool sl_portions_pay(uint32_t nodes, uint64_t trials)
{
    return trials > 1 && trials * nodes >= 2 * LEAST_NODES;
}

static uint32_t first_of(const struct sl_portions *portions, uint32_t k)
{
    return portions->begin + k * portions->each;
}

static uint32_t trials_of(const struct sl_portions *portions, uint32_t k)
{
    uint32_t left = portions->end - first_of(portions, k);
    return left < portions->each ? left : portions->each;
}

static struct sl_portions divide(const struct sl_cell *cell, uint32_t had, uint32_t ranks)
{
    uint32_t nodes = cell->plan.graph->node_count, trials = cell->trials - had;
    uint32_t each = trials / (PORTIONS_PER_RANK * ranks) + 1;
    uint32_t least = LEAST_NODES / (nodes + 1) + 1;
    each = each > least ? each : least;
    return (struct sl_portions){.cell = cell->spec.index,
                                .begin = had,
                                .end = cell->trials,
                                .each = each,
                                .count = (trials + each - 1) / each};
}

static enum sl_status hand_out(struct sl_leader *leader, struct sl_error *err)
{
    struct sl_portions *portions = leader->portions;
    const struct sl_run_options *options = &leader->sweep->request->options;
    enum sl_status status = SL_OK;
    for (uint32_t r = 0; r < leader->ranks->comm->size && status == SL_OK; r++) {
        struct sl_member *member = &leader->ranks->members[r];
        if (!member->here || member->given > 0 || portions->given == portions->count)
            continue;
        const struct sl_rank_order order = {.kind = SL_ORDER_PORTION,
                                            .cell = portions->cell,
                                            .first = first_of(portions, portions->given),
                                            .trials = trials_of(portions, portions->given),
                                            .round = leader->ranks->round,
                                            .nominal = options->nominal,
                                            .seed_given = options->seed_given,
                                            .seed = options->seed};
        portions->given++;
        member->given++;
        status = sl_ranks_send_order(leader->ranks, r, &order, err);
    }
    return status;
}

enum sl_status sl_portions_take(struct sl_leader *leader, const struct sl_rank_report *report,
                                struct sl_message *message, size_t at, struct sl_error *err)
{
    struct sl_portions *portions = leader->portions;
    uint32_t k = portions && report->first >= portions->begin
                     ? (report->first - portions->begin) / portions->each
                     : SL_NONE;
    if (!portions || report->cell != portions->cell || k >= portions->count ||
        portions->items[k].bytes)
        return SL_FAIL(err, SL_SYSTEM, "a portion of trials arrived that nobody waits for");
    portions->items[k] = (struct portion){message->bytes, message->size, at};
    message->bytes = NULL;
    return SL_OK;
}

/* In rising order, whatever order they came in: that of a first deadlock. */
static enum sl_status add(struct sl_cell *cell, struct sl_portions *portions, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    while (status == SL_OK && portions->added < portions->count &&
           portions->items[portions->added].bytes) {
        struct portion *portion = &portions->items[portions->added];
        status = sl_cell_unpack_portion(
            cell, first_of(portions, portions->added), trials_of(portions, portions->added),
            portion->bytes + portion->at, portion->size - portion->at, err);
        free(portion->bytes);
        portion->bytes = NULL;
        portions->added++;
    }
    return status;
}

enum sl_status sl_portions_collect(void *user, struct sl_cell *cell, uint32_t had,
                                   struct sl_trials_job *job, struct sl_error *err)
{
    struct sl_leader *leader = user;
    if (!sl_portions_pay(cell->plan.graph->node_count, cell->trials - had))
        return sl_cell_collect(cell, had, job, err);
    struct sl_portions portions = divide(cell, had, leader->ranks->comm->size);
    portions.items = calloc(portions.count, sizeof *portions.items);
    if (!portions.items)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u portions of trials", portions.count);
    leader->portions = &portions;
    enum sl_status status = SL_OK;
    while (status == SL_OK && portions.added < portions.count) {
        status = hand_out(leader, err);
        if (status == SL_OK)
            status = sl_leader_step(leader, err);
        if (status == SL_OK)
            status = add(cell, &portions, err);
        if (status == SL_OK && job->progress &&
            !job->progress(job->user, first_of(&portions, portions.added) - had))
            status = SL_FAIL(err, SL_INTERRUPTED, "interrupted");
    }
    leader->portions = NULL;
    for (uint32_t k = 0; k < portions.count; k++)
        free(portions.items[k].bytes);
    free(portions.items);
    return status;
}
