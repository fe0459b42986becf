/* Ranks that are the processes of an MPI job.  This file alone calls MPI.
 *
 * A message is one or more MPI messages of at most PIECE bytes, since MPI counts in ints; the first
 * begins with the size of the whole.  Calls are serialised by a lock, which nobody holds while he
 * waits: a rank that sends much can be asked for something else meanwhile. */
#include "comm.h"
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PIECE      (1 << 20)
#define SHORT_NS   20000L
#define LONGEST_NS 1000000L

struct mpi_comm {
    struct sl_comm comm; /* first: what others see */
    MPI_Comm job;
    pthread_mutex_t lock;
    unsigned char piece[PIECE]; /* of a message that is received, under the lock */
};

static struct mpi_comm *of(struct sl_comm *comm)
{
    return (struct mpi_comm *)comm;
}

static enum sl_status failure(int rc, const char *what, struct sl_error *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(rc, text, &length);
    return SL_FAIL(err, SL_SYSTEM, "MPI: %s: %s", what, text);
}

/* Waits for a request, without the lock. */
static int wait_for(struct mpi_comm *mpi, MPI_Request *request)
{
    int done = 0, rc = MPI_SUCCESS;
    struct timespec pause = {.tv_nsec = SHORT_NS};
    for (;;) {
        pthread_mutex_lock(&mpi->lock);
        rc = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&mpi->lock);
        if (done || rc != MPI_SUCCESS)
            return rc;
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < LONGEST_NS ? 2 * pause.tv_nsec : LONGEST_NS;
    }
}

static int send_piece(struct mpi_comm *mpi, const void *bytes, size_t size, uint32_t to, int tag)
{
    MPI_Request request;
    pthread_mutex_lock(&mpi->lock);
    int rc = MPI_Isend(bytes, (int)size, MPI_BYTE, (int)to, tag, mpi->job, &request);
    pthread_mutex_unlock(&mpi->lock);
    return rc == MPI_SUCCESS ? wait_for(mpi, &request) : rc;
}

/* Two threads of a rank must not send pieces of one tag to the same rank in between. */
static enum sl_status send_message(struct sl_comm *comm, uint32_t to, int tag, const void *bytes,
                                   size_t size, struct sl_error *err)
{
    struct mpi_comm *mpi = of(comm);
    uint64_t whole = size;
    size_t first = size < PIECE - sizeof whole ? size : PIECE - sizeof whole;
    unsigned char *head = malloc(sizeof whole + first);
    if (!head)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a message");
    memcpy(head, &whole, sizeof whole);
    memcpy(head + sizeof whole, bytes, first);
    int rc = send_piece(mpi, head, sizeof whole + first, to, tag);
    free(head);
    for (size_t at = first; at < size && rc == MPI_SUCCESS; at += PIECE) {
        size_t piece = size - at < PIECE ? size - at : PIECE;
        rc = send_piece(mpi, (const unsigned char *)bytes + at, piece, to, tag);
    }
    return rc == MPI_SUCCESS ? SL_OK : failure(rc, "sending failed", err);
}

static enum sl_status receive_rest(struct mpi_comm *mpi, int tag, struct sl_message *message,
                                   size_t at, struct sl_error *err)
{
    int rc = MPI_SUCCESS;
    for (; at < message->size && rc == MPI_SUCCESS; at += PIECE) {
        size_t piece = message->size - at < PIECE ? message->size - at : PIECE;
        MPI_Request request;
        pthread_mutex_lock(&mpi->lock);
        rc = MPI_Irecv(message->bytes + at, (int)piece, MPI_BYTE, (int)message->from, tag, mpi->job,
                       &request);
        pthread_mutex_unlock(&mpi->lock);
        if (rc == MPI_SUCCESS)
            rc = wait_for(mpi, &request);
    }
    return rc == MPI_SUCCESS ? SL_OK : failure(rc, "receiving failed", err);
}

/* The first piece, into mpi->piece; under the lock. */
static int receive_first(struct mpi_comm *mpi, int tag, int *from, int *size)
{
    MPI_Status there;
    int got = 0;
    *size = 0;
    int rc = MPI_Iprobe(MPI_ANY_SOURCE, tag, mpi->job, &got, &there);
    if (rc != MPI_SUCCESS || !got)
        return rc;
    *from = there.MPI_SOURCE;
    rc = MPI_Get_count(&there, MPI_BYTE, size);
    return rc == MPI_SUCCESS
               ? MPI_Recv(mpi->piece, PIECE, MPI_BYTE, *from, tag, mpi->job, MPI_STATUS_IGNORE)
               : rc;
}

static enum sl_status poll_messages(struct sl_comm *comm, int tag, struct sl_message *message,
                                    bool *got, struct sl_error *err)
{
    struct mpi_comm *mpi = of(comm);
    uint64_t whole = 0;
    int from = 0, size = 0;
    *got = false;
    pthread_mutex_lock(&mpi->lock);
    int rc = receive_first(mpi, tag, &from, &size);
    bool any = rc == MPI_SUCCESS && size >= (int)sizeof whole;
    if (any)
        memcpy(&whole, mpi->piece, sizeof whole);
    size_t first = any ? (size_t)size - sizeof whole : 0;
    *message = (struct sl_message){(uint32_t)from, NULL, (size_t)whole};
    if (any && first <= whole && (message->bytes = malloc((size_t)whole + 1)))
        memcpy(message->bytes, mpi->piece + sizeof whole, first);
    pthread_mutex_unlock(&mpi->lock);
    if (rc != MPI_SUCCESS)
        return failure(rc, "receiving failed", err);
    if (!any)
        return SL_OK;
    if (!message->bytes)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a message of %zu bytes", message->size);
    enum sl_status status = receive_rest(mpi, tag, message, first, err);
    *got = status == SL_OK;
    if (!*got)
        free(message->bytes);
    return status;
}

static void free_comm(struct mpi_comm *mpi)
{
    pthread_mutex_destroy(&mpi->lock);
    free(mpi);
}

/* Until all are here, what others still send is received and dropped: a rank whose results nobody
 * waits for any more would never come. */
static void wait_for_all(struct mpi_comm *mpi)
{
    MPI_Request barrier;
    struct timespec pause = {.tv_nsec = SHORT_NS};
    int done = 0, rc = MPI_Ibarrier(mpi->job, &barrier);
    while (rc == MPI_SUCCESS && !done) {
        MPI_Status there;
        int got = 0;
        rc = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, mpi->job, &got, &there);
        if (rc == MPI_SUCCESS && got)
            rc = MPI_Recv(mpi->piece, PIECE, MPI_BYTE, there.MPI_SOURCE, there.MPI_TAG, mpi->job,
                          MPI_STATUS_IGNORE);
        if (rc == MPI_SUCCESS)
            rc = MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        if (!got && !done)
            nanosleep(&pause, NULL);
    }
}

static void close_job(struct sl_comm *comm)
{
    wait_for_all(of(comm));
    MPI_Finalize();
    free_comm(of(comm));
}

static void abort_job(struct sl_comm *comm, int code)
{
    MPI_Abort(of(comm)->job, code);
}

static const struct sl_comm_kind processes = {
    .send = send_message, .poll = poll_messages, .abort = abort_job, .close = close_job};

static int count_neighbours(uint32_t *count)
{
    MPI_Comm machine;
    int size = 1;
    int rc = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_size(machine, &size);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_free(&machine);
    *count = (uint32_t)size;
    return rc;
}

enum sl_status sl_comm_open_mpi(struct sl_comm **comm, struct sl_error *err)
{
    int level = MPI_THREAD_SINGLE, rank = 0, size = 1;
    *comm = NULL;
    struct mpi_comm *mpi = calloc(1, sizeof *mpi);
    if (!mpi || pthread_mutex_init(&mpi->lock, NULL) != 0) {
        free(mpi);
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    int rc = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_size(MPI_COMM_WORLD, &size);
    mpi->job = MPI_COMM_WORLD;
    mpi->comm = (struct sl_comm){&processes, (uint32_t)rank, (uint32_t)size, 1};
    if (rc == MPI_SUCCESS)
        rc = count_neighbours(&mpi->comm.neighbours);
    enum sl_status status = SL_OK;
    if (rc != MPI_SUCCESS)
        status = failure(rc, "cannot start", err);
    else if (level < MPI_THREAD_SERIALIZED)
        status = SL_FAIL(err, SL_SYSTEM, "MPI: this library does not let several threads call it");
    if (status == SL_OK)
        *comm = &mpi->comm;
    else
        free_comm(mpi);
    return status;
}
