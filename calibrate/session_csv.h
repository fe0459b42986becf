/* DIR/sessions/session-NN.csv: what one session measured, written whole or not at all, and read
 * back with every fault located.  Its first lines say what it was measured on and with:
 *
 *     # backend=cpu        # depth=quick        # seed=1        # cases=HASH        # start=DATE
 *     # shots=ROWS
 *     # KEY=VALUE of each fact of the fingerprint */
#ifndef SL_SESSION_CSV_H
#define SL_SESSION_CSV_H
#include "names.h"
#include "protocol.h"

enum { SL_SESSIONS_MAX = 99 };

/* In what the sessions of one calibration agree. */
struct sl_session_identity {
    const struct sl_backend *backend;
    const struct sl_fingerprint *fingerprint;
    const struct sl_depth *depth;
    const struct sl_case_list *cases;
    uint64_t seed;
};

/* DIR/sessions/session-NN.csv into `path`; SL_USAGE when that is too long. */
enum sl_status sl_session_path(char *path, size_t size, const char *dir, uint32_t session,
                               struct sl_error *err) SL_NODISCARD;
/* `start`: when the session began, "2026-11-30T08:15:00Z". */
enum sl_status sl_session_write(const char *path, const struct sl_session_identity *identity,
                                const char *start, const struct sl_measurements *measured,
                                struct sl_error *err) SL_NODISCARD;
/* Appends what the file holds.  Its texts are among `texts`; *start is the file's own.  A file of
 * another machine, seed, depth or list of cases is SL_USAGE with what differs; one that is no such
 * file is SL_INVALID with the place. */
enum sl_status sl_session_read(const char *path, const struct sl_session_identity *identity,
                               uint32_t session, struct sl_measurements *measured,
                               struct sl_names *texts, const char **start,
                               struct sl_error *err) SL_NODISCARD;
#endif
