/* Inside of the tables: files that wait for each other, and the parts that write them. */
#ifndef SL_TABLES_PARTS_H
#define SL_TABLES_PARTS_H
#include "outfile.h"
#include "tables.h"

struct sl_table_writer {
    const char *dir;
    const struct sl_estimates *estimates;
    const struct sl_provenance *provenance;
    struct sl_arena arena;    /* texts that several files need */
    struct sl_outfile *files; /* written, not yet renamed */
    uint32_t count, capacity;
    const char **empirical; /* file of a duration row's values; NULL: its law is the fitted one */
    const char **noises;    /* the same of a route's factors */
};

/* A file of the folder whose stream the caller fills and leaves open. */
enum sl_status sl_table_open(struct sl_table_writer *writer, const char *name, FILE **out,
                             struct sl_error *err) SL_NODISCARD;
/* The same with the head lines and the names of the columns in it. */
enum sl_status sl_table_begin(struct sl_table_writer *writer, const char *name, const char *columns,
                              FILE **out, struct sl_error *err) SL_NODISCARD;

/* The cells of one row, in order; NAN is an empty cell. */
struct sl_table_row {
    FILE *out;
    bool begun;
};
void sl_cell_text(struct sl_table_row *row, const char *text);
void sl_cell_number(struct sl_table_row *row, double value);
void sl_cell_integer(struct sl_table_row *row, int64_t value);
void sl_row_end(struct sl_table_row *row);

/* "a+b+b" of a shot's aggressors, sorted by name; "" alone; NULL: out of memory. */
const char *sl_table_set(const struct sl_estimates *estimates, const struct sl_shot *shot,
                         struct sl_arena *arena);
/* "room", "fill", and "" where no aggressor has a shape. */
const char *sl_table_shape(const struct sl_estimates *estimates, const struct sl_shot *shot);

/* A scalar as it is where YAML takes it for a text, else in quotes. */
void sl_put_yaml_text(FILE *out, const char *text);
/* The section `factors` of device.yaml. */
enum sl_status sl_put_factors(struct sl_table_writer *writer, FILE *out,
                              struct sl_error *err) SL_NODISCARD;

enum sl_status sl_write_empirical(struct sl_table_writer *writer,
                                  struct sl_error *err) SL_NODISCARD;
/* Needs the empirical files' names. */
enum sl_status sl_write_durations(struct sl_table_writer *writer,
                                  struct sl_error *err) SL_NODISCARD;
enum sl_status sl_write_shared(struct sl_table_writer *writer, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_write_fits(struct sl_table_writer *writer, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_write_kappa(struct sl_table_writer *writer, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_write_composition(struct sl_table_writer *writer,
                                    struct sl_error *err) SL_NODISCARD;
enum sl_status sl_write_samples(struct sl_table_writer *writer, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_write_device(struct sl_table_writer *writer, struct sl_error *err) SL_NODISCARD;
#endif
