/* Ranks that are threads of one process: a list of messages for each. */
#include "comm.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct letter {
    struct letter *next;
    int tag;
    uint32_t from;
    size_t size;
    unsigned char *bytes;
};

struct hub {
    pthread_mutex_t lock;
    uint32_t open;          /* ranks that are not closed */
    struct letter *boxes[]; /* by rank, oldest first */
};

struct thread_comm {
    struct sl_comm comm; /* first: what others see */
    struct hub *hub;
};

static struct hub *hub_of(struct sl_comm *comm)
{
    return ((struct thread_comm *)comm)->hub;
}

static enum sl_status send_letter(struct sl_comm *comm, uint32_t to, int tag, const void *bytes,
                                  size_t size, struct sl_error *err)
{
    struct hub *hub = hub_of(comm);
    struct letter *letter = malloc(sizeof *letter);
    unsigned char *copy = malloc(size + 1);
    if (!letter || !copy) {
        free(letter);
        free(copy);
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a message");
    }
    memcpy(copy, bytes, size);
    *letter = (struct letter){.tag = tag, .from = comm->rank, .size = size, .bytes = copy};
    pthread_mutex_lock(&hub->lock);
    struct letter **end = &hub->boxes[to];
    while (*end)
        end = &(*end)->next;
    *end = letter;
    pthread_mutex_unlock(&hub->lock);
    return SL_OK;
}

static enum sl_status poll_letters(struct sl_comm *comm, int tag, struct sl_message *message,
                                   bool *got, struct sl_error *err)
{
    (void)err;
    struct hub *hub = hub_of(comm);
    pthread_mutex_lock(&hub->lock);
    struct letter **at = &hub->boxes[comm->rank];
    while (*at && (*at)->tag != tag)
        at = &(*at)->next;
    struct letter *letter = *at;
    if (letter)
        *at = letter->next;
    pthread_mutex_unlock(&hub->lock);
    *got = letter != NULL;
    if (letter)
        *message = (struct sl_message){letter->from, letter->bytes, letter->size};
    free(letter);
    return SL_OK;
}

static void close_rank(struct sl_comm *comm)
{
    struct hub *hub = hub_of(comm);
    uint32_t size = comm->size;
    pthread_mutex_lock(&hub->lock);
    bool last = --hub->open == 0;
    pthread_mutex_unlock(&hub->lock);
    free(comm);
    for (uint32_t r = 0; last && r < size; r++)
        for (struct letter *letter = hub->boxes[r], *next; letter; letter = next) {
            next = letter->next;
            free(letter->bytes);
            free(letter);
        }
    if (last) {
        pthread_mutex_destroy(&hub->lock);
        free(hub);
    }
}

static void abort_all(struct sl_comm *comm, int code)
{
    (void)code; /* the process is the caller's */
    close_rank(comm);
}

static const struct sl_comm_kind threads = {
    .send = send_letter, .poll = poll_letters, .abort = abort_all, .close = close_rank};

enum sl_status sl_comm_open_threads(struct sl_comm **comms, uint32_t size, struct sl_error *err)
{
    struct hub *hub = calloc(1, sizeof *hub + size * sizeof(struct letter *));
    bool ok = hub && pthread_mutex_init(&hub->lock, NULL) == 0;
    for (uint32_t r = 0; r < size; r++) {
        struct thread_comm *rank = malloc(sizeof *rank);
        comms[r] = rank ? &rank->comm : NULL;
        if (rank)
            *rank = (struct thread_comm){{&threads, r, size, size}, hub};
        ok = ok && rank;
    }
    if (ok) {
        hub->open = size;
        return SL_OK;
    }
    for (uint32_t r = 0; r < size; r++)
        free(comms[r]);
    free(hub);
    return SL_FAIL(err, SL_SYSTEM, "out of memory for %u ranks", size);
}
