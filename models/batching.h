/* How a resource serves several jobs at once (doc/semantics.md, "Batches"). */
#ifndef SL_BATCHING_H
#define SL_BATCHING_H
#include "fields.h"

#define SL_MOST_MEMBERS 65536

struct sl_batching {
    uint32_t most;     /* members of a batch; 0: the resource does not batch */
    bool continuous;   /* members come and go between steps; else all stay to the end */
    int64_t wait_ps;   /* the first one waits for others so long */
    double per_member; /* m of them take 1 + per_member (m - 1) times as long as the longest alone */
};

/* `batch: {most: 64, wait: 5ms, per_member: 4%}` or `{most: 64, continuous: true, per_member: 2%}`;
 * what `map` does not state stays as it is, NULL changes nothing. */
void sl_batching_read(const struct sl_reader *reader, const struct sl_yaml *map,
                      struct sl_batching *batching);
#endif
