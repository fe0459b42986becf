/* In place of comm_mpi.c in a build without MPI. */
#include "comm.h"

enum sl_status sl_comm_open_mpi(struct sl_comm **comm, struct sl_error *err)
{
    *comm = NULL;
    return SL_FAIL(err, SL_USAGE, "this build has no MPI: configure --with-mpi");
}
