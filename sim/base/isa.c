/* What the machine has, asked of the compiler's run-time library: it knows whether the operating
 * system keeps the wide registers, too. */
#include "isa.h"
#include <stdatomic.h>

const char *sl_isa_name(enum sl_isa isa)
{
    static const char *const names[SL_ISAS] = {"baseline", "avx2", "avx512"};
    return names[isa];
}

bool sl_isa_available(enum sl_isa isa)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2");
    if (isa == SL_ISA_AVX2)
        return avx2;
    if (isa == SL_ISA_AVX512)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif
    return isa == SL_ISA_BASELINE;
}

static _Atomic int in_use = SL_ISAS; /* not chosen yet; all threads would choose the same */

enum sl_isa sl_isa(void)
{
    int isa = atomic_load_explicit(&in_use, memory_order_relaxed);
    if (isa == SL_ISAS) {
        for (isa = SL_ISAS - 1; !sl_isa_available((enum sl_isa)isa); isa--)
            ;
        atomic_store_explicit(&in_use, isa, memory_order_relaxed);
    }
    return (enum sl_isa)isa;
}

void sl_isa_force(enum sl_isa isa)
{
    atomic_store_explicit(&in_use, isa, memory_order_relaxed);
}
