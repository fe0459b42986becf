/* Threads for tests. */
#ifndef SL_TEST_THREADS_H
#define SL_TEST_THREADS_H
#include "harness.h"
#include "thread_pool.h"

/* To be released by sl_pool_free. */
static inline struct sl_pool *make_pool(uint32_t threads)
{
    struct sl_pool *pool;
    struct sl_error err = {0};
    ck_assert_int_eq(sl_pool_create(&pool, threads, &err), SL_OK);
    return pool;
}
#endif
