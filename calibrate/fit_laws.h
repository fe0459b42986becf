/* Inside of the fits: the maximum of the likelihood of each family.  Users include fit.h. */
#ifndef SL_FIT_LAWS_H
#define SL_FIT_LAWS_H
#include "fit.h"

/* Sets fit->p, fit->shift and fit->log_likelihood of fit->family at its maximum over the sorted
 * sample; false where it has none that a simulator could read.  `scratch` holds n values. */
bool sl_fit_maximise(struct sl_fit *fit, const double *sorted, size_t n, double *scratch);
uint32_t sl_fit_parameters(enum sl_fit_family family);
#endif
