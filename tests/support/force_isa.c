/* Linked into the program beside its own files (tests/cli/isa.sh): it runs with the vector
 * instructions that SL_FORCED_ISA names, and ends with 77 where the machine has none such. */
#include "isa.h"
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void force_isa(void)
{
    const char *wanted = getenv("SL_FORCED_ISA");
    for (int isa = 0; wanted && isa < SL_ISAS; isa++)
        if (strcmp(wanted, sl_isa_name((enum sl_isa)isa)) == 0) {
            if (!sl_isa_available((enum sl_isa)isa))
                _Exit(77);
            sl_isa_force((enum sl_isa)isa);
            return;
        }
    _Exit(2);
}
