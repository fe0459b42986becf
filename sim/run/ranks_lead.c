/* The rank that leads: hands out cells, takes what comes, and ends the group when something is
 * wrong. */
#include <config.h>

#include "clock.h"
#include "ranksparts.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRESS_S 0.1
#define LOOK_S     0.25 /* between two looks whether ranks of this machine are alive */
#define PARTING_S  0.4  /* a launcher that ends the job leaves about a second, looks included */

/* ---- rank 0 as a worker ---------------------------------------------------------------------- */

static void *work_here(void *argument)
{
    struct sl_ranks *ranks = argument;
    struct sl_sweep_totals totals;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    /* What failed has been reported to the leader. */
    enum sl_status status = sl_sweep_run(&ranks->own_request, &totals, &diags, &err);
    (void)status;
    sl_diags_free(&diags);
    atomic_store(&ranks->own_is_done, true);
    return NULL;
}

static enum sl_status start_own(struct sl_ranks *ranks, const struct sl_sweep_request *request,
                                struct sl_error *err)
{
    if (ranks->own)
        return SL_OK;
    struct sl_ranks *own = calloc(1, sizeof *own);
    if (!own)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    *own = (struct sl_ranks){.comm = ranks->comm, .threads = ranks->threads};
    own->own_request = *request;
    own->own_request.ranks = own;
    own->own_request.begin = NULL;
    own->own_request.skip = NULL;
    own->own_request.options.progress = NULL; /* the leader's thread sees to it */
    int rc = pthread_create(&ranks->own_thread, NULL, work_here, own);
    if (rc != 0) {
        free(own);
        return SL_FAIL(err, SL_SYSTEM, "cannot start a thread: %s", strerror(rc));
    }
    ranks->own = own;
    return SL_OK;
}

/* ---- reports --------------------------------------------------------------------------------- */

static enum sl_status greet(struct sl_leader *leader, uint32_t from, struct sl_wire *wire,
                            struct sl_error *err)
{
    struct sl_member *member = &leader->ranks->members[from];
    uint64_t digest = 0;
    sl_wire_copy(wire, &digest, sizeof digest);
    sl_wire_copy(wire, member, sizeof *member);
    member->host[sizeof member->host - 1] = '\0';
    member->here = !wire->broken;
    if (member->here && digest != sl_ranks_digest(leader->sweep))
        return SL_FAIL(err, SL_SYSTEM,
                       "rank %u (on %s) has another scenario or another version of slackline than "
                       "rank 0",
                       from, member->host);
    return SL_OK;
}

static enum sl_status take_cell(struct sl_leader *leader, const struct sl_rank_report *report,
                                struct sl_wire *wire, struct sl_error *err)
{
    struct sl_sweep *sweep = leader->sweep;
    const struct sl_sweep_request *request = sweep->request;
    struct sl_diags diags = {0};
    if (!sl_limits_exchange(&sweep->limits, wire))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_wire_diags(wire, &diags, 0);
    sl_sweep_tell(sweep->diags, &diags);
    sl_diags_free(&diags);
    if (wire->broken || report->cell >= sweep->table.count)
        return SL_FAIL(err, SL_SYSTEM, "a cell arrived damaged");
    enum sl_status status =
        request->take(request->user, &sweep->table.specs[report->cell], wire, err);
    if (status == SL_OK && wire->broken)
        status = SL_FAIL(err, SL_SYSTEM, "a cell arrived damaged");
    if (status == SL_OK)
        sl_sweep_count(sweep, report->verdict, report->trials, report->node_runs, report->seconds);
    leader->running--;
    sweep->trials_before += sweep->cell_trials;
    sweep->cells_before++;
    return status;
}

static enum sl_status take_failure(struct sl_leader *leader, uint32_t from, struct sl_wire *wire,
                                   struct sl_error *err)
{
    struct sl_diags diags = {0};
    struct sl_error failure = {0};
    sl_wire_error(wire, &failure);
    sl_wire_diags(wire, &diags, 0);
    sl_sweep_tell(leader->sweep->diags, &diags);
    sl_diags_free(&diags);
    if (failure.status == SL_OK)
        SL_FAIL(&failure, SL_SYSTEM, "rank %u failed", from);
    /* What unwinds through a cell at hand is not about that cell. */
    leader->failure = failure;
    return SL_FAIL(err, SL_SYSTEM, "%s", failure.message);
}

static enum sl_status take_report(struct sl_leader *leader, struct sl_message *message,
                                  struct sl_error *err)
{
    struct sl_member *member = &leader->ranks->members[message->from];
    struct sl_wire wire = sl_wire_reading(message->bytes, message->size);
    struct sl_rank_report report = {.kind = SL_REPORT_GONE};
    enum sl_status status = SL_OK;
    sl_wire_copy(&wire, &report, sizeof report);
    switch (report.kind) {
    case SL_REPORT_HERE:
        return greet(leader, message->from, &wire, err);
    case SL_REPORT_CELL:
        member->given--;
        return take_cell(leader, &report, &wire, err);
    case SL_REPORT_PORTION:
        member->given--;
        return sl_portions_take(leader, &report, message, wire.at, err);
    case SL_REPORT_FAILED:
        member->gone = true;
        return take_failure(leader, message->from, &wire, err);
    case SL_REPORT_GONE:
        member->gone = true;
        status = leader->ranks->cancelled ? SL_OK : SL_FAIL(err, SL_INTERRUPTED, "interrupted");
        break;
    }
    return status;
}

/* ---- ranks that are lost --------------------------------------------------------------------- */

static bool is_dead(const struct sl_leader *leader, uint32_t rank)
{
    const struct sl_member *self = &leader->ranks->members[0];
    const struct sl_member *member = &leader->ranks->members[rank];
    return member->here && !member->gone && self->here && strcmp(member->host, self->host) == 0 &&
           kill(member->pid, 0) != 0 && errno == ESRCH;
}

static enum sl_status lost(const struct sl_leader *leader, uint32_t rank, const char *how,
                           struct sl_error *err)
{
    const struct sl_member *member = &leader->ranks->members[rank];
    return SL_FAIL(err, SL_SYSTEM, "rank %u of %u (process %ld on %s) %s", rank,
                   leader->ranks->comm->size, (long)member->pid, member->host, how);
}

static enum sl_status look_for_dead(const struct sl_leader *leader, struct sl_error *err)
{
    for (uint32_t r = 1; r < leader->ranks->comm->size; r++)
        if (is_dead(leader, r))
            return lost(leader, r, "was lost", err);
    return SL_OK;
}

/* ---- one step -------------------------------------------------------------------------------- */

static enum sl_status see_to_others(struct sl_leader *leader, struct sl_error *err)
{
    struct sl_sweep *sweep = leader->sweep;
    const struct sl_run_options *options = &sweep->request->options;
    double now = sl_clock_s();
    if (now - leader->look_s >= LOOK_S) {
        leader->look_s = now;
        enum sl_status status = look_for_dead(leader, err);
        if (status != SL_OK)
            return status;
    }
    if (!options->progress || now - leader->progress_s < PROGRESS_S)
        return SL_OK;
    leader->progress_s = now;
    return options->progress(options->user, sweep->trials_before, sweep->trials_total,
                             sweep->cells_before, sweep->cells_total)
               ? SL_OK
               : SL_FAIL(err, SL_INTERRUPTED, "interrupted");
}

enum sl_status sl_leader_step(struct sl_leader *leader, struct sl_error *err)
{
    struct sl_message message = {0};
    bool got = false;
    enum sl_status status = see_to_others(leader, err);
    if (status == SL_OK)
        status = sl_comm_poll(leader->ranks->comm, SL_TAG_REPORT, &message, &got, err);
    if (status == SL_OK && got) {
        leader->pause_ns = 0;
        status = take_report(leader, &message, err);
        free(message.bytes);
    } else if (status == SL_OK) {
        sl_ranks_pause(&leader->pause_ns);
    }
    return status;
}

/* ---- handing out ----------------------------------------------------------------------------- */

/* The cell that is next in order; there must be one. */
static uint32_t draw(struct sl_leader *leader)
{
    while (leader->sweep->skipped[leader->next])
        leader->next++;
    leader->left--;
    return leader->next++;
}

/* Ranks get a cell for each thread and one ahead; towards the end fewer, that none waits long for
 * another. */
static uint32_t window_of(const struct sl_leader *leader, const struct sl_member *member)
{
    uint32_t share = leader->left / (2 * leader->ranks->comm->size);
    uint32_t most = member->threads + 1;
    share = share > 1 ? share : 1;
    return share < most ? share : most;
}

static enum sl_status hand_out(struct sl_leader *leader, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t r = 0; r < leader->ranks->comm->size; r++) {
        struct sl_member *member = &leader->ranks->members[r];
        while (status == SL_OK && member->here && leader->left > 0 &&
               member->given < window_of(leader, member)) {
            const struct sl_sweep_request *request = leader->sweep->request;
            const struct sl_rank_order order = {.kind = SL_ORDER_CELL,
                                                .cell = draw(leader),
                                                .round = leader->ranks->round,
                                                .form = request->form,
                                                .nominal = request->options.nominal,
                                                .seed_given = request->options.seed_given,
                                                .seed = request->options.seed};
            status = sl_ranks_send_order(leader->ranks, r, &order, err);
            member->given++;
            leader->running++;
        }
    }
    return status;
}

/* ---- the last cells, with help --------------------------------------------------------------- */

/* True when cells are large, and fewer of them are left than there are ranks.  What jobs give is not
 * divided: their cells travel whole. */
static bool splits(const struct sl_leader *leader)
{
    const struct sl_sweep *sweep = leader->sweep;
    return !sl_scenario_has_jobs(&sweep->base) && leader->left > 0 &&
           leader->left < leader->ranks->comm->size &&
           sl_portions_pay(sweep->base.graph->node_count, sweep->cell_trials);
}

static uint32_t next_here(void *user)
{
    struct sl_leader *leader = user;
    return splits(leader) ? draw(leader) : SL_NONE;
}

static enum sl_status take_here(void *user, struct sl_cell *cell, struct sl_error *err)
{
    struct sl_leader *leader = user;
    return sl_sweep_hand_on(leader->sweep, cell, err);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Everybody stops.  What arrives of finished cells meanwhile is kept. */
static void cancel(struct sl_leader *leader)
{
    struct sl_ranks *ranks = leader->ranks;
    struct sl_error ignored = {0};
    double begin = sl_clock_s();
    bool all_gone = false;
    ranks->cancelled = true;
    for (uint32_t r = 0; r < ranks->comm->size; r++)
        if (sl_comm_send(ranks->comm, r, SL_TAG_CANCEL, "", 0, &ignored) != SL_OK)
            return;
    while (!all_gone && sl_clock_s() - begin < PARTING_S) {
        struct sl_message message = {0};
        bool got = false;
        if (sl_comm_poll(ranks->comm, SL_TAG_REPORT, &message, &got, &ignored) != SL_OK)
            return;
        if (got) {
            struct sl_error late = {0};
            if (take_report(leader, &message, &late) != SL_OK)
                continue;
        } else {
            sl_ranks_pause(&leader->pause_ns);
        }
        free(message.bytes);
        all_gone = true;
        for (uint32_t r = 1; r < ranks->comm->size; r++)
            all_gone = all_gone && (ranks->members[r].gone || is_dead(leader, r));
    }
}

/* The error of a sweep that ends early: what a rank told, or that one is lost. */
static enum sl_status end_early(struct sl_leader *leader, enum sl_status status,
                                struct sl_error *found, struct sl_error *err)
{
    struct sl_error cause = leader->failure.status != SL_OK ? leader->failure : *found;
    cancel(leader);
    if (cause.status == SL_INTERRUPTED) {
        struct sl_error loss = {0};
        if (look_for_dead(leader, &loss) != SL_OK)
            cause = loss;
    }
    if (err && err->status == SL_OK)
        *err = cause;
    return cause.status != SL_OK ? cause.status : status;
}

static struct sl_leader leader_of(struct sl_sweep *sweep)
{
    struct sl_leader leader = {.sweep = sweep, .ranks = sweep->request->ranks};
    leader.left = sweep->table.count - sweep->totals->skipped;
    leader.look_s = sl_clock_s();
    return leader;
}

static enum sl_status begin(struct sl_leader *leader, struct sl_error *err)
{
    leader->helpers = (struct sl_cell_helpers){sl_portions_collect, leader};
    leader->sweep->helpers = &leader->helpers;
    leader->ranks->round++;
    return start_own(leader->ranks, leader->sweep->request, err);
}

enum sl_status sl_ranks_lead(struct sl_sweep *sweep, struct sl_error *err)
{
    struct sl_leader leader = leader_of(sweep);
    const struct sl_cell_flow here = {
        .most = 1, .next = next_here, .take = take_here, .user = &leader};
    struct sl_error found = {0};
    enum sl_status status = begin(&leader, &found);
    while (status == SL_OK && leader.left + leader.running > 0) {
        if (splits(&leader)) {
            status = sl_sweep_run_cells(sweep, &here, &found);
            continue;
        }
        status = hand_out(&leader, &found);
        if (status == SL_OK)
            status = sl_leader_step(&leader, &found);
    }
    sweep->helpers = NULL;
    return status == SL_OK ? SL_OK : end_early(&leader, status, &found, err);
}

enum sl_status sl_ranks_lead_race(struct sl_sweep *sweep, struct sl_error *err)
{
    struct sl_leader leader = leader_of(sweep);
    struct sl_error found = {0};
    enum sl_status status = begin(&leader, &found);
    if (status == SL_OK)
        status = sl_sweep_race(sweep, &found);
    sweep->helpers = NULL;
    return status == SL_OK ? SL_OK : end_early(&leader, status, &found, err);
}
