/* The one file that is compiled with the installation's prefix. */
#include "config.h"

#include "datadir.h"

const char *sl_installed_data(void)
{
    return SL_PKGDATADIR;
}
