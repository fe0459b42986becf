/* Processes that an MPI launcher (mpirun, mpiexec, srun) started together. */
#ifndef SL_LAUNCH_H
#define SL_LAUNCH_H
#include "command.h"
#include "ranks.h"

/* By the environment, before MPI is asked.  False, reported, when this command does not run on
 * several ranks, or this build does not: the processes would all do the same work and write the
 * same files. Ranks other than 0 are silenced. */
bool sl_launch_allows(const struct sl_command *command);

struct sl_launch {
    struct sl_comm *comm; /* NULL: one process */
    struct sl_ranks *ranks;
};

/* Joins the other ranks, if there are any.  *threads (0: not given) becomes this rank's share of
 * its machine. */
enum sl_status sl_launch_join(struct sl_launch *launch, uint32_t *threads,
                              struct sl_error *err) SL_NODISCARD;
/* Lets them go; returns the exit status of this process.  `status` is how the command ended. */
enum sl_status sl_launch_part(struct sl_launch *launch, enum sl_status status);
#endif
