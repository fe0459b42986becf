/* A group of ranks that send each other messages: processes of an MPI job, or threads of one
 * process (for tests of what is built on it).
 *
 * Messages of one tag from one rank to another arrive in the order in which they were sent; a rank
 * may send to itself.  Any thread may call. */
#ifndef SL_COMM_H
#define SL_COMM_H
#include "status.h"

struct sl_comm {
    const struct sl_comm_kind *kind;
    uint32_t rank, size;
    uint32_t neighbours; /* ranks on this machine, itself included */
};

struct sl_message {
    uint32_t from;
    unsigned char *bytes; /* malloc'ed, the receiver's */
    size_t size;
};

struct sl_comm_kind {
    enum sl_status (*send)(struct sl_comm *comm, uint32_t to, int tag, const void *bytes,
                           size_t size, struct sl_error *err);
    enum sl_status (*poll)(struct sl_comm *comm, int tag, struct sl_message *message, bool *got,
                           struct sl_error *err);
    void (*abort)(struct sl_comm *comm, int code);
    void (*close)(struct sl_comm *comm);
};

/* Returns when the bytes may be used again. */
static inline enum sl_status sl_comm_send(struct sl_comm *comm, uint32_t to, int tag,
                                          const void *bytes, size_t size, struct sl_error *err)
{
    return comm->kind->send(comm, to, tag, bytes, size, err);
}

/* The next message with this tag, from whomever; *got is false when none is there. */
static inline enum sl_status sl_comm_poll(struct sl_comm *comm, int tag, struct sl_message *message,
                                          bool *got, struct sl_error *err)
{
    return comm->kind->poll(comm, tag, message, got, err);
}

/* Leaves the group, which waits for all others to do the same, and frees `comm`. */
static inline void sl_comm_close(struct sl_comm *comm)
{
    comm->kind->close(comm);
}

/* Ends all ranks at once, with this exit code of the job: for a group that has lost a rank. */
static inline void sl_comm_abort(struct sl_comm *comm, int code)
{
    comm->kind->abort(comm, code);
}

/* The job that an MPI launcher (mpirun, srun) started this process in.  SL_USAGE in a build without
 * MPI. */
enum sl_status sl_comm_open_mpi(struct sl_comm **comm, struct sl_error *err) SL_NODISCARD;
/* `size` ranks in this process; each is closed on its own. */
enum sl_status sl_comm_open_threads(struct sl_comm **comms, uint32_t size,
                                    struct sl_error *err) SL_NODISCARD;
#endif
