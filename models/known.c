/* The law of a figure that is known by an interval. */
#include <config.h>

#include "known.h"
#include <math.h>
#include <string.h>

#define NORMAL_975 1.959963984540054 /* 97.5% point of the standard normal */

double sl_known_at(struct sl_known figure, double z)
{
    double ratio = z < 0 ? figure.value / figure.lo : figure.hi / figure.value;
    return figure.value * exp(log(ratio) * z / NORMAL_975);
}

bool sl_known_varies(struct sl_known figure)
{
    return figure.lo < figure.hi;
}

bool sl_known_is_usable(const char *status)
{
    return strcmp(status, "") == 0 || strcmp(status, "ok") == 0 ||
           strcmp(status, "published") == 0 || strcmp(status, "assumed") == 0;
}
