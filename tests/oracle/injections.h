/* Violations to put into a legal scenario, one at a time, each with the code that must name it. */
#ifndef SL_TEST_INJECTIONS_H
#define SL_TEST_INJECTIONS_H
#include "dice.h"
#include "draft.h"

struct injection {
    const char *code, *what;
    /* Changes the draft; false, and the draft is as it was, where there is nothing to break. */
    bool (*inject)(struct draft *draft, struct dice *dice);
};

struct injections {
    const struct injection *items;
    unsigned count;
};
extern const struct injections inject_lifetimes, inject_runs, inject_remarks;
#endif
