/* What every finished timeline must allow. */
#ifndef SL_FUZZ_TIMELINE_H
#define SL_FUZZ_TIMELINE_H
#include "timeline.h"

/* Audits it, makes its graph and that graph's scenario, and loads the scenario. */
void fuzz_use_timeline(const struct sl_timeline *timeline);
#endif
