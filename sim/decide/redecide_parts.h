/* What the files that make a decision again share.  Private to decide/. */
#ifndef SL_REDECIDE_PARTS_H
#define SL_REDECIDE_PARTS_H
#include "redecide.h"

/* After the simulation was compared: the runtime's answer, the measurement and the gate once more,
 * compared into again->same and again->columns. */
enum sl_status sl_redecide_columns(struct sl_redecide *again, const struct sl_record *record,
                                   const struct sl_run_options *options, struct sl_diags *diags,
                                   struct sl_error *err) SL_NODISCARD;
#endif
