/* Inside of trace files: what a format's file sees, and what all of them share. */
#ifndef SL_TRACE_FORMAT_H
#define SL_TRACE_FORMAT_H
#include "arrivals.h"
#include "linefile.h"
#include "units.h"

/* One request. */
struct sl_trace_row {
    struct sl_instant t; /* from any origin */
    double parameters[SL_MOST_PARAMETERS];
    uint64_t *blocks; /* malloc'ed, grown as needed */
    uint32_t block_count, block_capacity;
};

struct sl_trace_reader {
    const struct sl_trace_format *format;
    struct sl_linefile lines;
    struct sl_arena texts; /* of the names */
    const char *parameters[SL_MOST_PARAMETERS];
    uint32_t parameter_count;
    uint32_t time_column; /* csv: where the times are, in units of 10^time_power s */
    int time_power;
    struct sl_trace_row row; /* the latest */
};

struct sl_trace_format {
    struct sl_arrivals_info info;
    /* Reads the header line, or (NULL) there is none; sets the names of the parameters. */
    enum sl_status (*head)(struct sl_trace_reader *reader, char *line, struct sl_error *err);
    /* Of formats without a header. */
    const char *const *parameters;
    uint32_t parameter_count;
    bool names_blocks; /* it fills row.blocks */
    /* Fills reader->row from a line, which it may change. */
    enum sl_status (*read)(struct sl_trace_reader *reader, char *line, size_t length,
                           struct sl_error *err);
};

/* trace_reader.c.  Opens `path` (which has to outlive the reader) and reads its header;
 * sl_trace_close releases after SL_OK. */
enum sl_status sl_trace_open(struct sl_trace_reader *reader, const char *path,
                             const struct sl_trace_format *format,
                             struct sl_error *err) SL_NODISCARD;
/* The next request into reader->row; *more false at the end of the file. */
enum sl_status sl_trace_next(struct sl_trace_reader *reader, bool *more,
                             struct sl_error *err) SL_NODISCARD;
void sl_trace_close(struct sl_trace_reader *reader);
const struct sl_trace_format *sl_trace_format_get(size_t index);

/* SL_INVALID at the reader's line and the character `at` of it. */
enum sl_status sl_trace_fail(const struct sl_trace_reader *reader, size_t offset,
                             struct sl_error *err, const char *format, ...) SL_PRINTF(4, 5);
/* Splits a line of comma-separated cells in place; each is trimmed, and may stand in double quotes.
 * Another count than `wanted` is a fault; of a header (0) up to SL_MOST_PARAMETERS + 1. */
enum sl_status sl_trace_cells(const struct sl_trace_reader *reader, char *line, char **cells,
                              uint32_t wanted, uint32_t *count, struct sl_error *err) SL_NODISCARD;
/* A number that is not negative. */
enum sl_status sl_trace_number(const struct sl_trace_reader *reader, const char *text,
                               size_t offset, const char *what, double *value,
                               struct sl_error *err) SL_NODISCARD;

#define SL_TRACE_FORMAT(name) extern const struct sl_trace_format sl_trace_format_##name;
#include "trace_formats.def"
#undef SL_TRACE_FORMAT
#endif
