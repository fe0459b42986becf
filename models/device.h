/* A device folder, read in two steps: everything but the contention table, then the table. */
#ifndef SL_DEVICE_H
#define SL_DEVICE_H
#include "fields.h"
#include "platform.h"

/* The section `kappa` of a device or scenario: {table, shape, regime, rule, unknown_kappa,
 * demands, accept}.  Fields that a later section does not state keep their values. */
struct sl_kappa_section {
    const char *table; /* path of the CSV, NULL: none */
    struct sl_place table_place, shape_place, regime_place, demands_place, accept_place;
    const char *shape, *regime; /* NULL: not declared */
    const char *accept; /* in what the table may be of another machine than the device's durations,
                         * keys joined by ';'; NULL: in nothing */
};

/* Reads device.yaml and durations.csv; *section gets the `kappa` section, with the folder's
 * kappa.csv as the table where the section names none and the file is there. */
enum sl_status sl_device_read(struct sl_platform *platform, const char *dir,
                              struct sl_kappa_section *section, struct sl_arena *arena,
                              struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* Reads a `kappa` section (`map`, may be NULL) over what is there. */
void sl_kappa_section_read(struct sl_platform *platform, const struct sl_reader *reader,
                           const struct sl_yaml *map, struct sl_kappa_section *section);
/* Reads the section's table into platform->kappa and checks the whole.  sl_kappa_prepare stays to
 * be called, when every class is known. */
enum sl_status sl_kappa_section_apply(struct sl_platform *platform,
                                      const struct sl_kappa_section *section,
                                      struct sl_arena *arena, struct sl_diags *diags,
                                      struct sl_error *err) SL_NODISCARD;
/* Reads durations.csv: the rows a simulator takes (a usable status, cache not cold, launch not
 * graph, memory not pageable), two of which may not state the same class, variant and size. */
enum sl_status sl_durations_read(struct sl_platform *platform, const char *path,
                                 struct sl_arena *arena, struct sl_diags *diags,
                                 struct sl_error *err) SL_NODISCARD;
#endif
