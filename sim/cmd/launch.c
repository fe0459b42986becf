/* Starting and ending on several ranks. */
#include "config.h"

#include "launch.h"
#include "thread_pool.h"
#include <stdlib.h>
#include <unistd.h>

static uint32_t number_in(const char *const *variables, uint32_t otherwise)
{
    for (; *variables; variables++) {
        const char *text = getenv(*variables);
        char *end = NULL;
        unsigned long value = text ? strtoul(text, &end, 10) : 0;
        if (text && end != text && value < UINT32_MAX)
            return (uint32_t)value;
    }
    return otherwise;
}

/* Open MPI's, MPICH's and its kin's, and Slurm's for either. */
static uint32_t launched_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", NULL};
    return number_in(variables, SL_NONE);
}

static uint32_t launched_count(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                            "SLURM_STEP_NUM_TASKS", NULL};
    return launched_rank() == SL_NONE ? 1 : number_in(variables, 2);
}

bool sl_launch_allows(const struct sl_command *command)
{
    uint32_t count = launched_count();
    if (count <= 1)
        return true;
    if (launched_rank() > 0 &&
        (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        return false;
    if (!command->on_ranks) {
        fprintf(stderr,
                "slackline %s: started as %u ranks, and each would do the same; only "
                "'slackline sweep' shares its work, so start this one without mpirun\n",
                command->name, count);
        return false;
    }
#ifndef WITH_MPI
    fprintf(stderr,
            "slackline %s: started as %u ranks, but this build has no MPI: each would run the "
            "whole sweep and write into one folder; configure --with-mpi and build again, or "
            "start it without mpirun\n",
            command->name, count);
    return false;
#else
    return true;
#endif
}

/* What a launcher binds a rank to is its own; what it leaves open is shared among the machine's
 * ranks. */
static uint32_t share_of_machine(const struct sl_comm *comm)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t share = online > 0 ? (uint32_t)online / comm->neighbours : 1;
    uint32_t bound = sl_pool_usable_cores();
    share = share < bound ? share : bound;
    return share > 0 ? share : 1;
}

enum sl_status sl_launch_join(struct sl_launch *launch, uint32_t *threads, struct sl_error *err)
{
    if (launched_count() <= 1)
        return SL_OK;
    enum sl_status status = sl_comm_open_mpi(&launch->comm, err);
    if (status != SL_OK)
        return status;
    if (*threads == 0)
        *threads = share_of_machine(launch->comm);
    return sl_ranks_open(&launch->ranks, launch->comm, *threads, err);
}

enum sl_status sl_launch_part(struct sl_launch *launch, enum sl_status status)
{
    if (!launch->comm)
        return status;
    bool follows = launch->comm->rank > 0;
    bool peace = launch->ranks && sl_ranks_close(launch->ranks);
    /* Where the others may be amiss too, no rank waits for them; and an exit status that follows a
     * peaceful end can hang Open MPI's launcher. */
    peace = peace && (follows || status == SL_OK || status == SL_NO);
    fflush(stdout);
    if (peace)
        sl_comm_close(launch->comm);
    else
        sl_comm_abort(launch->comm, (int)status);
    return follows ? SL_OK : status;
}
