/* The law of a figure that is known by an interval. */
#include <config.h>

#include "known.h"
#include "text.h"
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

static const char *const statuses[] = {
    "ok",          "published", "assumed", /* those that are taken, then what is lacking */
    "one-session", "too-few",   "rejected", "queued", "other-regime", "other-timer", "other-form", "bounded",
};
enum { USABLE = 3, STATUSES = sizeof statuses / sizeof statuses[0] };

bool sl_known_is_usable(const char *status, struct sl_place place, struct sl_diags *diags)
{
    char hint[128] = "";
    for (unsigned i = 0; i < STATUSES; i++)
        if (strcmp(status, statuses[i]) == 0)
            return i < USABLE;
    if (status[0] == '\0')
        return true;
    sl_suggest(hint, sizeof hint, status, statuses, STATUSES);
    sl_diags_add(diags, SL_ERROR, "unknown-word", place, "unknown status '%s'%s", status, hint);
    return false;
}
