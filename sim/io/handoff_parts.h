/* What the parts of the hand-off to a runtime share.  Private to export_handoff.c and handoff_*.c;
 * the format is doc/handoff.md. */
#ifndef SL_HANDOFF_PARTS_H
#define SL_HANDOFF_PARTS_H
#include "exporter.h"
#include "json_out.h"
#include "mean_run.h"
#include "proof_uses.h"
#include "windows.h"

#define SL_HANDOFF_FORMAT  "slackline-handoff"
#define SL_HANDOFF_VERSION 1

struct sl_handoff {
    const struct sl_export *what;
    const struct sl_graph *graph;
    yajl_gen gen;
    struct sl_mean_run mean;
    struct sl_windows *windows; /* at means, up to the end of the run at means */
    struct proof_uses uses;
    uint32_t *lane_before; /* by node: the node before it in its lane; SL_NONE */
    /* Copies are holdings, listed by object (a root) and numbered there from 0; their users are
     * places in uses.uses. */
    uint32_t *copy_first, *copies, *copy_number;
    uint32_t *user_first, *users;
    struct sl_arena arena;
};

static inline const char *sl_handoff_node(const struct sl_handoff *h, uint32_t node)
{
    return node == SL_NONE ? NULL : h->graph->nodes[node].name;
}
static inline const char *sl_handoff_domain(const struct sl_handoff *h, uint32_t domain)
{
    return domain == SL_NONE ? NULL : h->graph->platform->domain_names.names[domain];
}
/* Bytes of a holding as they count against its domain: rounded where it rounds. */
int64_t sl_handoff_bytes(const struct sl_handoff *h, uint32_t holding);
/* The key `evidence`: "measured: source", or null where none is stated. */
void sl_handoff_evidence(yajl_gen gen, enum sl_evidence evidence, const char *text);

/* The copy that a use means, a holding; SL_NONE: none is taken before it. */
uint32_t sl_handoff_used(const struct sl_handoff *h, const struct proof_use *use);
/* Fills the lists of copies and users; false when out of memory. */
bool sl_handoff_gather_copies(struct sl_handoff *h) SL_NODISCARD;

void sl_handoff_put_nodes(struct sl_handoff *h);
void sl_handoff_put_objects(struct sl_handoff *h);
void sl_handoff_put_machine(struct sl_handoff *h); /* resources, domains, guards */
void sl_handoff_put_overlap(struct sl_handoff *h);
void sl_handoff_put_fairness(struct sl_handoff *h);
/* Of modes open and closed; of others nothing. */
enum sl_status sl_handoff_put_jobs(struct sl_handoff *h, struct sl_error *err) SL_NODISCARD;
#endif
