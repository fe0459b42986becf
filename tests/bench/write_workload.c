/* Writes a workload as a scenario folder: write_workload w1|w1-lanes|w2b|w1-full|many-running N DIR
 */
#include "workloads.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 4) {
        fputs("usage: write_workload w1|w1-lanes|w2b|w1-full|many-running N DIR\n", stderr);
        return 2;
    }
    return workload_write(argv[1], (uint32_t)strtoul(argv[2], NULL, 10), argv[3]) ? 3 : 0;
}
