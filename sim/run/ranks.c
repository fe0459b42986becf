/* What leader and workers share: messages, and how a group begins and ends. */
#include <config.h>

#include "ranksparts.h"
#include "same_graph.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHORT_NS   50000L
#define LONGEST_NS 2000000L

enum sl_status sl_ranks_open(struct sl_ranks **out, struct sl_comm *comm, uint32_t threads,
                             struct sl_error *err)
{
    struct sl_ranks *ranks = *out = calloc(1, sizeof *ranks);
    if (ranks)
        *ranks = (struct sl_ranks){.comm = comm, .threads = threads, .leads = comm->rank == 0};
    if (ranks && ranks->leads)
        ranks->members = calloc(comm->size, sizeof *ranks->members);
    if (ranks && (!ranks->leads || ranks->members))
        return SL_OK;
    free(ranks);
    *out = NULL;
    return SL_FAIL(err, SL_SYSTEM, "out of memory for %u ranks", comm->size);
}

bool sl_ranks_leads(const struct sl_ranks *ranks)
{
    return ranks->leads;
}

/* Waits for rank 0's own worker, which may be in the middle of a report that nobody wants any more.
 */
static void let_own_go(struct sl_ranks *ranks)
{
    struct sl_message message;
    bool got = false;
    for (long pause_ns = 0; !atomic_load(&ranks->own->own_is_done); sl_ranks_pause(&pause_ns))
        while (sl_comm_poll(ranks->comm, SL_TAG_REPORT, &message, &got, NULL) == SL_OK && got)
            free(message.bytes);
    pthread_join(ranks->own_thread, NULL);
    free(ranks->own);
}

static bool let_all_go(struct sl_ranks *ranks)
{
    static const struct sl_rank_order leave = {.kind = SL_ORDER_LEAVE};
    bool peace = true;
    for (uint32_t r = 0; r < ranks->comm->size; r++) {
        if (!ranks->cancelled && (r > 0 || ranks->own))
            peace = sl_ranks_send_order(ranks, r, &leave, NULL) == SL_OK && peace;
        else if (r > 0)
            peace = ranks->members[r].gone && peace;
    }
    if (ranks->own)
        let_own_go(ranks);
    free(ranks->members);
    return peace;
}

bool sl_ranks_close(struct sl_ranks *ranks)
{
    bool peace = true;
    if (ranks->leads) {
        peace = let_all_go(ranks);
    } else if (!ranks->released) {
        struct sl_error error = {0};
        SL_FAIL(&error, SL_SYSTEM,
                "rank %u could not begin; 'slackline check' of the scenario there may tell why",
                ranks->comm->rank);
        sl_ranks_give_up(ranks, &error, NULL);
    }
    free(ranks);
    return peace;
}

enum sl_status sl_ranks_send_report(struct sl_ranks *ranks, struct sl_wire *wire,
                                    struct sl_error *err)
{
    enum sl_status status =
        wire->broken ? SL_FAIL(err, SL_SYSTEM, "out of memory for a message")
                     : sl_comm_send(ranks->comm, 0, SL_TAG_REPORT, wire->bytes, wire->size, err);
    sl_wire_free(wire);
    return status;
}

enum sl_status sl_ranks_send_order(struct sl_ranks *ranks, uint32_t to,
                                   const struct sl_rank_order *order, struct sl_error *err)
{
    return sl_comm_send(ranks->comm, to, SL_TAG_ORDER, order, sizeof *order, err);
}

static void exchange_place(struct sl_wire *wire, struct sl_place *place)
{
    const char *file = sl_wire_text(wire, place->file);
    sl_wire_copy(wire, &place->line, sizeof place->line);
    sl_wire_copy(wire, &place->column, sizeof place->column);
    if (wire->reading)
        place->file = *file ? file : NULL;
}

void sl_wire_error(struct sl_wire *wire, struct sl_error *error)
{
    struct sl_error sent = *error;
    sl_wire_copy(wire, &sent.status, sizeof sent.status);
    exchange_place(wire, &sent.place);
    const char *message = sl_wire_text(wire, sent.message);
    if (wire->reading && !wire->broken)
        SL_FAIL_AT(error, sent.status, sent.place, "%s", message);
}

void sl_wire_diags(struct sl_wire *wire, struct sl_diags *diags, size_t from)
{
    uint32_t count = diags && !wire->reading ? (uint32_t)(diags->count - from) : 0;
    sl_wire_copy(wire, &count, sizeof count);
    for (uint32_t i = 0; i < count && !wire->broken; i++) {
        struct sl_diag none = {0};
        struct sl_diag *diag = wire->reading ? &none : &diags->items[from + i];
        sl_wire_copy(wire, &diag->severity, sizeof diag->severity);
        const char *code = sl_wire_text(wire, diag->code);
        exchange_place(wire, &diag->place);
        const char *message = sl_wire_text(wire, diag->message);
        if (wire->reading && !wire->broken)
            sl_diags_add(diags, diag->severity, code, diag->place, "%s", message);
    }
}

void sl_ranks_pause(long *pause_ns)
{
    long next = *pause_ns > 0 ? 2 * *pause_ns : SHORT_NS;
    *pause_ns = next < LONGEST_NS ? next : LONGEST_NS;
    struct timespec pause = {.tv_nsec = *pause_ns};
    nanosleep(&pause, NULL);
}

uint64_t sl_ranks_digest(const struct sl_sweep *sweep)
{
    uint64_t digest = sl_graph_digest(sweep->base.graph) ^ sweep->cell_trials << 32 ^
                      sweep->table.count ^ sweep->base.seed << 16;
    for (const char *c = PACKAGE_VERSION; *c; c++)
        digest = (digest ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return digest;
}
