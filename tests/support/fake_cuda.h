/* What a driver without a GPU (fake_cuda.c) did, for the CUPTI beside it (fake_cupti.c). */
#ifndef SL_FAKE_CUDA_H
#define SL_FAKE_CUDA_H
#include <stdbool.h>
#include <stdint.h>

enum { FAKE_MOST = 1 << 14 };

enum fake_kind { FAKE_CALL, FAKE_KERNEL, FAKE_COPY, FAKE_SET };

struct fake_deed {
    enum fake_kind kind;
    uint64_t tag;
    uint32_t call;
    int64_t start_ns, end_ns;
};

/* What a program has and must give back. */
enum fake_thing {
    FAKE_CONTEXT,
    FAKE_MODULE,
    FAKE_STREAM,
    FAKE_EVENT,
    FAKE_MEMORY, /* of GPU and host */
    FAKE_HANDLE,
    FAKE_THINGS
};

/* Deeds of calls that were made under a tag, and what is had now. */
struct fake_history {
    struct fake_deed deeds[FAKE_MOST];
    uint32_t count, calls;
    bool tagged;
    uint64_t tag;
    int had[FAKE_THINGS];
    uint64_t copied_bytes; /* in, out and within */
};

/* The name under which the driver exports it. */
#define SL_FAKE_HISTORY "sl_fake_history"
extern struct fake_history sl_fake_history;
#endif
