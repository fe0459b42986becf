/* A DTR log as a scenario of Slackline.
 *
 * Every operator is a compute node of constant duration on one server, in the log's order, and
 * every storage an object of domain hbm that its operator reconstructs.  Constants are written by
 * nodes of no duration and persist.  A view is a node that reads its argument and writes nothing:
 * its readers read the storage.  A storage is given back behind its last reader; where the log
 * drops its last name later, that is not told.  At the end a node of no duration reads all outputs
 * at once. */
#ifndef SL_TEST_DTR_SCENARIO_H
#define SL_TEST_DTR_SCENARIO_H
#include "dtr_log.h"

struct dtr_tables {
    char *yaml, *nodes, *objects;
};

/* budget: bytes of hbm; policies: a YAML list. */
void dtr_tables_make(struct dtr_tables *tables, const struct dtr_log *log, int64_t budget,
                     const char *policies);
void dtr_tables_free(struct dtr_tables *tables);
#endif
