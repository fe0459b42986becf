/* The least peak of a capacity domain: bytes that no order of the nodes can avoid.
 *
 * A stretch of held bytes lasts from the start of its taker to the finish of its giver, so whatever
 * is neither before or beside the taker nor after or beside the giver runs while it is held:
 *
 *     held(x) = own(x) + sum of bytes over the stretches with  taker <= x <= giver
 *
 * where <= is "the same or before in precedence".  The largest held(x) is a lower bound on the peak
 * of every schedule. */
#ifndef SL_PEAK_BOUND_H
#define SL_PEAK_BOUND_H
#include "graph.h"

struct sl_stretch {
    uint32_t domain;
    double bytes;          /* as the domain counts them */
    sl_object_id object;   /* SL_NONE for staging */
    uint32_t taker, giver; /* nodes; SL_NONE: held from the start, never given back */
};

enum { SL_PEAK_NAMED = 3 };
struct sl_peak {
    uint32_t node;                       /* SL_NONE: the bound does not exceed the limit */
    double held, own, limit;             /* bytes: of stretches, beside them, capacity - reserve */
    uint32_t count;                      /* stretches that are held while `node` runs */
    sl_object_id largest[SL_PEAK_NAMED]; /* objects of the largest of them; SL_NONE: fewer */
};

/* The least peak of `domain` where it exceeds capacity - reserve, at the node that needs most.
 * own[i] are the bytes of node i beside the stretches; stretches of other domains do not count.
 * Nodes that have or are a fallback are not judged: they may never run.  The graph is finished.
 * When *budget (edges followed) runs out, the stretches met so far bound the peak. */
enum sl_status sl_peak_bound(const struct sl_graph *graph, uint32_t domain,
                             const struct sl_stretch *stretches, uint32_t count, const double *own,
                             uint64_t *budget, struct sl_peak *peak,
                             struct sl_error *err) SL_NODISCARD;

/* "node 'c' needs 4.00 GiB of 'hbm' while 20.0 GiB are held whatever the order, by 'a', 'b' and 3
 * more; capacity - reserve is 20.0 GiB". */
void sl_peak_text(const struct sl_graph *graph, uint32_t domain, const struct sl_peak *peak,
                  char *text, size_t size);

/* The bound for every domain of a finished plan: SL_NO with the text when one exceeds its limit.
 * *complete is false when the plan is so large that not all stretches were looked at. */
enum sl_status sl_plan_peaks(const struct sl_graph *plan, bool *complete,
                             struct sl_error *err) SL_NODISCARD;

/* Bytes of an object as a domain counts them: rounded up. */
double sl_bytes_counted(const struct sl_graph *graph, int64_t bytes, uint32_t domain);
#endif
