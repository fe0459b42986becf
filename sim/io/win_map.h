/* Which policy wins where: the groups of a sweep as points of a grid of two axes, and the boundaries
 * between neighbouring points that different policies lead.
 *
 * On a boundary the paired difference leader - next leader, of the order's first measure, is below
 * zero at one end and above zero at the other; in between it is taken as linear (in the logarithm of
 * an axis whose values are all positive), and so are the ends of its 95% interval, whose zeros are
 * the band: sampling noise along that line, not its own error.  What was run is that the sign changes
 * between the ends.  Each band holds by itself, not all of them together. */
#ifndef SL_WIN_MAP_H
#define SL_WIN_MAP_H
#include "standings.h"

struct sl_map_axis {
    const char *path;
    uint32_t index;      /* of the scenario's axes */
    const char **texts;  /* as written, the values ascending */
    double *values;      /* in `unit`; 0, 1, 2 ... where they are no quantities */
    uint32_t count;
    const char *unit;    /* "ps", "B", "B/s", "/s", "" */
    bool numeric, log;
};

enum sl_map_kind {
    SL_MAP_CROSSING,    /* break-even */
    SL_MAP_FEASIBILITY, /* a leader of one end has no figure at the other */
    SL_MAP_UNTESTED,    /* too few trials for an interval of the difference */
    SL_MAP_WORDS,       /* an axis without quantities: nothing lies between two values */
    SL_MAP_KINDS
};
const char *sl_map_kind_name(enum sl_map_kind kind);

/* A value of an axis, and the difference of the leaders there: the first end's - the second's. */
struct sl_map_end {
    double value;
    struct sl_estimate difference;
};

struct sl_map_edge {
    uint32_t groups[2];  /* neighbours, the lower value first */
    uint32_t along;      /* 0: across, 1: up */
    uint32_t rows[2][2]; /* of the leader of end 0 and of end 1, at both ends; SL_NONE: no cell */
    enum sl_map_kind kind;
    struct sl_map_end ends[2]; /* as narrow as refining has made them */
    uint32_t halvings;
    double at, lo, hi;     /* break-even and band, NAN where the kind has none */
    bool lo_open, hi_open; /* the band goes on beyond the end */
};

struct sl_map {
    struct sl_arena arena;
    const struct sl_standings *standings;
    const struct sl_order_item *measure; /* the order's first */
    struct sl_map_axis axes[2];          /* across, up */
    uint32_t count;                      /* maps: one per setting of the further axes */
    const char **labels;                 /* "domains.hbm.capacity 44GiB", "" */
    uint32_t *groups;                    /* map x up x across; SL_NONE: no such cell */
    struct sl_map_edge *edges;
    uint32_t edge_count, edge_capacity;
    struct sl_estimate *margins; /* by group: runner-up - leader in that measure; NAN: none */
};

/* Chooses the first two axes of the scenario that are not a policy's; SL_USAGE when there are fewer,
 * or when the first measure of the order is not of the metric's time.  sl_map_free releases always. */
enum sl_status sl_map_open(struct sl_map *map, const struct sl_scenario *scenario,
                           struct sl_error *err) SL_NODISCARD;
/* Lays the judged groups out and finds the edges; the standings must outlive the map. */
enum sl_status sl_map_lay(struct sl_map *map, const struct sl_scenario *scenario,
                          const struct sl_standings *standings, struct sl_error *err) SL_NODISCARD;
void sl_map_free(struct sl_map *map);

/* The paired difference a - b of the first measure over n common trials, with its 95% interval. */
enum sl_status sl_map_difference(const struct sl_map *map, const double *a, const double *b,
                                 size_t n, struct sl_estimate *difference,
                                 struct sl_error *err) SL_NODISCARD;
/* Takes the difference halfway: it replaces the end that has its sign. */
void sl_map_narrow(struct sl_map_edge *edge, struct sl_map_end middle);
/* Finds break-even and band between the ends, whose differences are set. */
void sl_map_settle(const struct sl_map *map, struct sl_map_edge *edge);
/* The value halfway between the ends, and its text for an override ("3.25e+10B/s"). */
double sl_map_middle(const struct sl_map *map, const struct sl_map_edge *edge, char text[64]);
/* A value of an axis with three digits in the unit of its first value: "41.6 GB/s". */
const char *sl_map_value_text(struct sl_arena *arena, const struct sl_map_axis *axis, double value);

/* "won", "tie", "not-compared", "alone" or "none". */
const char *sl_map_verdict(const struct sl_map *map, uint32_t group);
/* Writes DIR/map.csv and DIR/boundary.csv. */
enum sl_status sl_map_write(const struct sl_map *map, const struct sl_scenario *scenario,
                            const char *dir, struct sl_error *err) SL_NODISCARD;
#endif
