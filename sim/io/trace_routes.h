/* Routes as a trace shows them: how long its copies between two memories took, over their sizes.
 *
 *     t = overhead + bytes / bandwidth
 *
 * by the line of sl_robust_line_fit through the medians of the sizes; of one size alone only a
 * bandwidth, which holds there.  Copies beside which another one of their direction ran on the
 * device shared the link with it, so they are taken only where no other ones are. */
#ifndef SL_TRACE_ROUTES_H
#define SL_TRACE_ROUTES_H
#include "trace_names.h"

struct sl_trace_route {
    char from[SL_TRACE_NAME], to[SL_TRACE_NAME]; /* domains */
    char link[SL_TRACE_NAME];                    /* "gpu0.h2d": the engine of its device */
    const char *class;                           /* "copy.h2d", "copy.d2h", "copy.p2p" */
    uint32_t copies, beside; /* that the fit takes; that it leaves out as they shared the link */
    bool shared;             /* all of them did, and are taken */
    uint32_t sizes;          /* how many there are */
    int64_t least, most;     /* bytes: of the smallest and the largest */
    double bytes_per_s;      /* 0: no line is within SL_TRACE_WORST_MISFIT of all medians */
    int64_t overhead_ps;     /* 0 of one size */
    double worst;            /* |median / fit - 1| of the size where that is largest */
    double *factors;         /* time over fit, of the largest copies that hold half of the bytes;
                                ascending.  NULL: fewer than SL_TRACE_LEAST_FACTORS, or all are equal */
    uint32_t factor_count;
};
#define SL_TRACE_WORST_MISFIT 1.0 /* off by a factor of 2 */
enum { SL_TRACE_LEAST_FACTORS = 5, SL_TRACE_MOST_ROUTES = 64 };
struct sl_trace_routes {
    struct sl_trace_route *items;
    uint32_t count, capacity;
    struct sl_names ends; /* "FROM>TO", by index in items */
    uint64_t left_out;    /* copies between memories for which there is no room */
};

/* Fits routes to all copies of the finished timeline between two memories.  The zeroed routes are
 * filled; sl_trace_routes_free releases in any state. */
enum sl_status sl_trace_routes_make(struct sl_trace_routes *routes,
                                    const struct sl_timeline *timeline,
                                    struct sl_error *err) SL_NODISCARD;
/* The route of a copy; NULL where the event is none between two memories, or no route has it. */
const struct sl_trace_route *sl_trace_route_of(const struct sl_trace_routes *routes,
                                               const struct sl_timeline *timeline, uint32_t event);
/* "measured: 18 copies of 4 MB": how far the figures carry. */
enum { SL_TRACE_EVIDENCE = 272 };
char *sl_trace_route_evidence(const struct sl_trace_route *route, char text[SL_TRACE_EVIDENCE]);
/* The table routes-observed.csv. */
void sl_trace_routes_write(const struct sl_trace_routes *routes, FILE *out);
/* One entry of a scenario's `routes`; its noise is read from a file of sl_trace_routes_write_noise.
 */
void sl_trace_route_write_yaml(const struct sl_trace_routes *routes,
                               const struct sl_trace_route *route, FILE *out);
/* DIR/durations/route-NN.csv of a route that has factors. */
enum sl_status sl_trace_route_write_noise(const struct sl_trace_routes *routes,
                                          const struct sl_trace_route *route, const char *dir,
                                          struct sl_error *err) SL_NODISCARD;
void sl_trace_routes_free(struct sl_trace_routes *routes);
#endif
