/* Where `make install` puts scenarios, devices and scripts. */
#ifndef SL_DATADIR_H
#define SL_DATADIR_H

/* The folder that holds scenarios/, models/ and plots/ of an installed Slackline, as configure was
 * told; it need not exist. */
const char *sl_installed_data(void);

#endif
