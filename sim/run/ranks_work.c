/* A rank that works: cells and portions as they are ordered, results sent as bytes. */
#include <config.h>

#include "portion.h"
#include "ranksparts.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct worker {
    struct sl_sweep *sweep;
    struct sl_ranks *ranks;
    const struct sl_run_options *given; /* the sweep's, by which the process itself is stopped */
    struct sl_sweep_request request;    /* the sweep's, with what the orders at hand say */
    uint32_t round, form;               /* of these orders */
    struct sl_rank_order order;         /* the latest */
    bool ahead;                         /* ... is not done yet */
    size_t told;                        /* diagnostics that the leader knows */
    /* The cell of the latest portion. */
    struct sl_cell cell;
    struct sl_scenario *scenario;
    bool is_open;
};

/* ---- orders ---------------------------------------------------------------------------------- */

/* The next order, if one is there. */
static enum sl_status look_for_order(struct worker *worker, bool *got, struct sl_error *err)
{
    struct sl_message message;
    *got = worker->ahead;
    if (*got)
        return SL_OK;
    enum sl_status status = sl_comm_poll(worker->ranks->comm, SL_TAG_ORDER, &message, got, err);
    if (status != SL_OK || !*got)
        return status;
    memcpy(&worker->order, message.bytes, sizeof worker->order);
    free(message.bytes);
    worker->ahead = true;
    return SL_OK;
}

static bool is_cancelled(struct sl_ranks *ranks)
{
    struct sl_message message;
    bool got = false;
    if (sl_comm_poll(ranks->comm, SL_TAG_CANCEL, &message, &got, NULL) != SL_OK || got)
        ranks->released = true;
    if (got)
        free(message.bytes);
    return ranks->released;
}

/* False when the rank is to stop, by the leader or by a signal. */
static bool goes_on(void *user, uint64_t trials_done, uint64_t trials_total, uint32_t cells_done,
                    uint32_t cells_total)
{
    struct worker *worker = user;
    const struct sl_run_options *options = worker->given;
    return !is_cancelled(worker->ranks) &&
           (!options->progress ||
            options->progress(options->user, trials_done, trials_total, cells_done, cells_total));
}

static enum sl_status wait_for_order(struct worker *worker, struct sl_error *err)
{
    bool got = false;
    long pause_ns = 0;
    enum sl_status status = look_for_order(worker, &got, err);
    while (status == SL_OK && !got) {
        if (!goes_on(worker, 0, 0, 0, 0))
            return SL_FAIL(err, SL_INTERRUPTED, "interrupted");
        sl_ranks_pause(&pause_ns);
        status = look_for_order(worker, &got, err);
    }
    return status;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static uint32_t next_cell(void *user)
{
    struct worker *worker = user;
    bool got = false;
    struct sl_error ignored = {0}; /* the worker's next look meets it again */
    if (look_for_order(worker, &got, &ignored) != SL_OK || !got ||
        worker->order.kind != SL_ORDER_CELL || worker->order.round != worker->round)
        return SL_NONE;
    worker->ahead = false;
    return worker->order.cell;
}

static enum sl_status send_cell(void *user, struct sl_cell *cell, struct sl_error *err)
{
    struct worker *worker = user;
    struct sl_sweep *sweep = worker->sweep;
    const struct sl_sweep_request *request = sweep->request;
    struct sl_wire wire = {0};
    struct sl_rank_report report = {.kind = SL_REPORT_CELL,
                                    .cell = cell->spec.index,
                                    .verdict = cell->verdict,
                                    .trials = cell->trials,
                                    .node_runs = cell->node_runs,
                                    .seconds = cell->seconds};
    sl_wire_copy(&wire, &report, sizeof report);
    if (!sl_limits_note(&sweep->limits, cell) || !sl_limits_exchange(&sweep->limits, &wire)) {
        sl_wire_free(&wire);
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    sl_wire_diags(&wire, sweep->diags, worker->told);
    worker->told = sweep->diags->count;
    enum sl_status status = request->pack(request->user, cell, worker->form, &wire, err);
    if (status == SL_OK)
        return sl_ranks_send_report(worker->ranks, &wire, err);
    sl_wire_free(&wire);
    return status;
}

static void close_cell(struct worker *worker)
{
    if (worker->is_open) {
        sl_cell_free(&worker->cell);
        sl_sweep_give_scenario(worker->sweep, worker->scenario);
    }
    worker->is_open = false;
}

static enum sl_status do_cells(struct worker *worker, struct sl_error *err)
{
    const struct sl_cell_flow flow = {.most = UINT32_MAX, .next = next_cell, .take = send_cell, .user = worker};
    close_cell(worker);
    return sl_sweep_run_cells(worker->sweep, &flow, err);
}

/* ---- portions
 * ------------------------------------------------------------------------------------ */

/* The cell stays planned for the next portion. */
static enum sl_status open_cell(struct worker *worker, uint32_t i, struct sl_error *err)
{
    if (worker->is_open && worker->cell.spec.index == i)
        return sl_cell_renew(&worker->cell, err);
    close_cell(worker);
    struct sl_diags diags = {0}; /* the leader, which plans the cell too, says them */
    worker->cell = (struct sl_cell){0};
    worker->is_open = true;
    enum sl_status status =
        sl_sweep_take_scenario(worker->sweep, i, &worker->scenario, &diags, err);
    if (status == SL_OK)
        status =
            sl_sweep_open_cell(worker->sweep, i, worker->scenario, &worker->cell, &diags, err);
    sl_diags_free(&diags);
    return status;
}

static enum sl_status do_portion(struct worker *worker, struct sl_error *err)
{
    const struct sl_rank_order order = worker->order;
    struct sl_rank_report report = {.kind = SL_REPORT_PORTION,
                                    .cell = order.cell,
                                    .first = order.first,
                                    .trials = order.trials};
    struct sl_wire wire = {0};
    unsigned char *bytes = NULL;
    size_t size = 0;
    worker->ahead = false;
    enum sl_status status = open_cell(worker, order.cell, err);
    if (status == SL_OK)
        status = sl_cell_run_portion(&worker->cell, order.first, order.trials,
                                     &worker->request.options, err);
    if (status == SL_OK)
        status = sl_cell_pack_portion(&worker->cell, order.first, order.trials, &bytes, &size, err);
    if (status != SL_OK)
        return status;
    sl_wire_copy(&wire, &report, sizeof report);
    sl_wire_copy(&wire, bytes, size);
    free(bytes);
    return sl_ranks_send_report(worker->ranks, &wire, err);
}

/* ---- the rank -------------------------------------------------------------------------------- */

static enum sl_status greet(struct worker *worker, struct sl_error *err)
{
    struct sl_wire wire = {0};
    struct sl_rank_report report = {.kind = SL_REPORT_HERE};
    struct sl_member self = {.threads = worker->ranks->threads, .pid = getpid()};
    uint64_t digest = sl_ranks_digest(worker->sweep);
    if (gethostname(self.host, sizeof self.host) != 0)
        self.host[0] = '\0';
    self.host[sizeof self.host - 1] = '\0';
    sl_wire_copy(&wire, &report, sizeof report);
    sl_wire_copy(&wire, &digest, sizeof digest);
    sl_wire_copy(&wire, &self, sizeof self);
    return sl_ranks_send_report(worker->ranks, &wire, err);
}

/* The order's options are those of the round that the leader is at. */
static void take_options(struct worker *worker)
{
    worker->round = worker->order.round;
    worker->form = worker->order.form;
    struct sl_run_options *options = &worker->request.options;
    options->nominal = worker->order.nominal;
    options->seed_given = worker->order.seed_given;
    options->seed = worker->order.seed;
}

static enum sl_status obey(struct worker *worker, struct sl_error *err)
{
    enum sl_status status = greet(worker, err);
    while (status == SL_OK) {
        status = wait_for_order(worker, err);
        if (status != SL_OK)
            break;
        take_options(worker);
        if (worker->order.kind == SL_ORDER_LEAVE)
            break;
        status =
            worker->order.kind == SL_ORDER_CELL ? do_cells(worker, err) : do_portion(worker, err);
    }
    close_cell(worker);
    return status;
}

enum sl_status sl_ranks_work(struct sl_sweep *sweep, enum sl_status prepared, struct sl_error *err)
{
    const struct sl_sweep_request *given = sweep->request;
    struct worker worker = {
        .sweep = sweep, .ranks = given->ranks, .request = *given, .given = &given->options};
    struct sl_error failure = {0};
    worker.told = sweep->diags->count; /* the leader has found the same */
    worker.request.options.user = &worker;
    worker.request.options.progress = goes_on;
    sweep->request = &worker.request;
    if (prepared != SL_OK)
        failure = *err;
    enum sl_status status = prepared == SL_OK ? obey(&worker, &failure) : prepared;
    sweep->request = given;
    if (status == SL_OK)
        worker.ranks->released = true;
    else
        sl_ranks_give_up(worker.ranks, &failure, sweep->diags);
    if (err && err->status == SL_OK)
        *err = failure;
    return status;
}

void sl_ranks_give_up(struct sl_ranks *ranks, struct sl_error *error, struct sl_diags *diags)
{
    struct sl_wire wire = {0};
    struct sl_rank_report report = {.kind = error->status == SL_INTERRUPTED ? SL_REPORT_GONE
                                                                            : SL_REPORT_FAILED};
    sl_wire_copy(&wire, &report, sizeof report);
    sl_wire_error(&wire, error);
    sl_wire_diags(&wire, diags, 0);
    if (sl_ranks_send_report(ranks, &wire, NULL) != SL_OK)
        ranks->released = true; /* nobody is there to wait for */
    struct sl_message message;
    bool got = false;
    for (long pause_ns = 0; !is_cancelled(ranks); sl_ranks_pause(&pause_ns)) {
        if (sl_comm_poll(ranks->comm, SL_TAG_ORDER, &message, &got, NULL) != SL_OK || !got)
            continue;
        struct sl_rank_order order;
        memcpy(&order, message.bytes, sizeof order);
        free(message.bytes);
        ranks->released = ranks->released || order.kind == SL_ORDER_LEAVE;
    }
}
