/* The parts of a script's reader. */
#ifndef SL_SCRIPT_PARTS_H
#define SL_SCRIPT_PARTS_H
#include "fields.h"
#include "script_file.h"

/* "too-many" when the list or map has more than `most`. */
bool sl_script_fits(const struct sl_reader *reader, const struct sl_yaml *node, const char *what,
                    uint32_t most);
/* Zeroed, in the reader's arena; NULL: out of memory, diagnosed. */
void *sl_script_array(const struct sl_reader *reader, uint32_t count, size_t size);
/* Like sl_field_time, in ns. */
bool sl_script_time(const struct sl_reader *reader, const struct sl_yaml *map, const char *key,
                    int64_t *ns);
/* True where the map has the key with a word for true. */
bool sl_script_flag(const struct sl_reader *reader, const struct sl_yaml *map, const char *key);

/* script_classes.c: the section `classes`. */
void sl_script_read_classes(struct sl_script *script, const struct sl_reader *reader,
                            const struct sl_yaml *root);
/* script_kappa.c: `rule` and the section `kappa`; and the tables, when nothing is wrong. */
void sl_script_read_kappas(struct sl_script *script, const struct sl_reader *reader,
                           const struct sl_yaml *root);
enum sl_status sl_script_prepare_kappas(struct sl_script *script,
                                        struct sl_error *err) SL_NODISCARD;
#endif
