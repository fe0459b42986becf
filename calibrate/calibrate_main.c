/* slackline-calibrate: finds the command and runs it. */
#include "config.h"

#include "backend.h"
#include "command.h"

int main(void)
{
    for (size_t i = 0; i < sl_backend_count(); i++)
        printf("%s: %s\n", sl_backend_get(i)->name, sl_backend_get(i)->description);
    return SL_OK;
}
