/* Runs a scenario's as-given policy for so many trials on one thread with baseline instructions, to
 * be counted: run_trials DIR TRIALS.  Without arguments it says what it was compiled with. */
#include <config.h>

#include "isa.h"
#include "whole_run.h"
#include <stdio.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED " sanitized"
#else
#define SANITIZED ""
#endif

int main(int argc, char **argv)
{
    if (argc != 3) {
        puts("gcc " __VERSION__ " " BENCH_CFLAGS SANITIZED);
        return argc == 1 ? 0 : 2;
    }
    sl_isa_force(SL_ISA_BASELINE);
    whole_run(argv[1], (uint32_t)strtoul(argv[2], NULL, 10), 1);
    return 0;
}
