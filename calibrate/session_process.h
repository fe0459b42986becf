/* A session as a process of its own. */
#ifndef SL_SESSION_PROCESS_H
#define SL_SESSION_PROCESS_H
#include "protocol.h"

/* Runs this program's own file with these arguments (NULL-terminated, argv[0] included) and one
 * more,
 * --progress-fd, and tells `watch` what the process tells, and twice a second besides; where it
 * returns false, the process is asked to stop (once) and waited for.  The status is the process's
 * own: it has reported its error on stderr itself.  SL_SYSTEM with an error when it can't be
 * started, or a signal killed it. */
enum sl_status sl_session_process(char *const *argv, sl_session_watcher watch, void *user,
                                  struct sl_error *err) SL_NODISCARD;
#endif
