/* Watches over a sweep which declared capacities mattered at all. */
#ifndef SL_LIMITS_H
#define SL_LIMITS_H
#include "cell.h"
#include "wire.h"

struct sl_limit {
    bool mattered;       /* in some cell */
    int64_t peak;        /* largest of all cells */
    int64_t least_limit; /* smallest capacity - reserve of the cells; INT64_MAX: none declared */
    struct sl_place place; /* where that one is declared */
    bool from_device;    /* declared by the device, not by the scenario */
};

/* Zero-initialise. */
struct sl_limits {
    struct sl_names names; /* domains, by name: their indices may differ between cells */
    struct sl_limit *items;
    uint32_t capacity;
    struct sl_arena arena; /* names of files: a cell's scenario is gone when the sweep reports */
};

bool sl_limits_note(struct sl_limits *limits, const struct sl_cell *cell) SL_NODISCARD;
/* What was noted, to another process, or from one that noted other cells of the sweep.  False: out of
 * memory. */
bool sl_limits_exchange(struct sl_limits *limits, struct sl_wire *wire) SL_NODISCARD;
/* Warns of every capacity that no cell waited for or came near (`limit-never-reached`). */
void sl_limits_report(const struct sl_limits *limits, struct sl_diags *diags);
void sl_limits_free(struct sl_limits *limits);
#endif
