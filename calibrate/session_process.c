/* A session as a process of its own: its lines of progress come through a pipe. */
#include "config.h"

#include "session_process.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRESS_FD 3
#define MOST_ARGS   64
#define POLL_MS     200
#define SELF        "/proc/self/exe"

extern char **environ;

struct process {
    pid_t pid;
    int fd; /* of the pipe's reading end */
    char line[256];
    size_t length;
    struct sl_session_state state;
    bool asked_to_stop;
};

static enum sl_status start(struct process *process, char *const *argv, struct sl_error *err)
{
    static char progress[] = "--progress-fd=3";
    char *args[MOST_ARGS];
    size_t count = 0;
    for (; argv[count] && count + 2 < MOST_ARGS; count++)
        args[count] = argv[count];
    if (argv[count])
        return SL_FAIL(err, SL_USAGE, "a session of more than %d arguments", MOST_ARGS - 2);
    args[count] = progress;
    args[count + 1] = NULL;

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return SL_FAIL(err, SL_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    int number = posix_spawn_file_actions_init(&actions);
    if (number == 0) {
        number = posix_spawn_file_actions_adddup2(&actions, ends[1], PROGRESS_FD);
        if (number == 0)
            number = posix_spawn(&process->pid, SELF, &actions, NULL, args, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    process->fd = ends[0];
    if (number == 0)
        return SL_OK;
    close(ends[0]);
    return SL_FAIL(err, SL_SYSTEM, "cannot start a session: %s", strerror(number));
}

/* Takes the whole lines of what has come. */
static void take_lines(struct process *process)
{
    char *newline;
    while ((newline = memchr(process->line, '\n', process->length)) != NULL) {
        struct sl_session_state state;
        *newline = '\0';
        if (sscanf(process->line, "%" SCNu64 " %" SCNu64 " %" SCNu32 " %lf %lf", &state.shots_done,
                   &state.shots, &state.cases, &state.seconds_left, &state.share) == 5)
            process->state = state;
        size_t used = (size_t)(newline + 1 - process->line);
        process->length -= used;
        memmove(process->line, newline + 1, process->length);
    }
    if (process->length == sizeof process->line)
        process->length = 0; /* no line of ours is that long */
}

/* Reads what has come; false when the process has closed its end. */
static bool take_bytes(struct process *process)
{
    ssize_t got =
        read(process->fd, process->line + process->length, sizeof process->line - process->length);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    process->length += (size_t)got;
    take_lines(process);
    return got > 0;
}

static void follow(struct process *process, sl_session_watcher watch, void *user)
{
    struct pollfd wait = {.fd = process->fd, .events = POLLIN};
    bool open = true;
    while (open) {
        if (poll(&wait, 1, POLL_MS) > 0)
            open = take_bytes(process);
        if (!watch(user, &process->state) && !process->asked_to_stop) {
            kill(process->pid, SIGTERM);
            process->asked_to_stop = true;
        }
    }
}

enum sl_status sl_session_process(char *const *argv, sl_session_watcher watch, void *user,
                                  struct sl_error *err)
{
    struct process process = {0};
    int how = 0;
    enum sl_status status = start(&process, argv, err);
    if (status != SL_OK)
        return status;
    follow(&process, watch, user);
    close(process.fd);
    while (waitpid(process.pid, &how, 0) < 0)
        if (errno != EINTR)
            return SL_FAIL(err, SL_SYSTEM, "cannot wait for a session: %s", strerror(errno));
    /* One that is asked before it listens dies of the asking. */
    if (WIFSIGNALED(how) && process.asked_to_stop &&
        (WTERMSIG(how) == SIGTERM || WTERMSIG(how) == SIGINT))
        return SL_INTERRUPTED;
    if (WIFSIGNALED(how))
        return SL_FAIL(err, SL_SYSTEM, "a session was killed by signal %d (%s)", WTERMSIG(how),
                       strsignal(WTERMSIG(how)));
    return (enum sl_status)WEXITSTATUS(how);
}
