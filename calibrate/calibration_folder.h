/* The folder of a calibration: whether `measure` may write into it, and what goes from it before.
 */
#ifndef SL_CALIBRATION_FOLDER_H
#define SL_CALIBRATION_FOLDER_H
#include "results_folder.h"

/* Makes the folder DIR with its sessions/, locks it, and removes what killed processes left there;
 * with `force` the sessions of an earlier calibration, too.  SL_USAGE: dir is NULL, or it holds
 * files that are not a calibration's, or neither `resume` nor `force` allows for those that are.
 * SL_SYSTEM: another process measures into it, or the system refuses.  The lock is the caller's, to
 * unlock in every case. */
enum sl_status sl_calibration_claim(const char *dir, bool resume, bool force,
                                    struct sl_folder_lock *lock, struct sl_error *err) SL_NODISCARD;
#endif
