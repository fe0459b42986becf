/* Inside of the distributions: what a family file sees.  Users include dist.h.
 *
 * A family fills `struct sl_dist` in make() and evaluates it in the other functions.  Its exact
 * quantile takes the probability of the nearer tail, so that neither tail loses digits. */
#ifndef SL_DIST_FAMILY_H
#define SL_DIST_FAMILY_H
#include "dist.h"
#include "qtable.h"

enum { SL_DIST_MAX_PARAMS = 8, SL_DIST_MAX_DEPTH = 8, SL_DIST_MAX_TEXT = 64 * 1024 };

/* How the text of a parameter is read: in the expression's dimension, as a number, or as a path. */
enum sl_dist_param_kind { SL_PARAM_QUANTITY, SL_PARAM_NUMBER, SL_PARAM_FILE };

struct sl_dist_param {
    const char *name;
    enum sl_dist_param_kind kind;
};

struct sl_dist_part {
    const struct sl_dist *dist;
    double weight;
    double below; /* sum of the weights before this part */
};

/* The arguments of one call, by parameter index; `parts` only of a weighted family. */
struct sl_dist_args {
    double value[SL_DIST_MAX_PARAMS];
    bool given[SL_DIST_MAX_PARAMS];
    const char *file;
    struct sl_dist_part *parts;
    uint32_t part_count;
};

struct sl_dist_family;

struct sl_dist {
    double (*value)(const struct sl_dist *dist, double u, double u2); /* the sampler */
    const struct sl_dist_family *family;
    const struct sl_qtable *table; /* value = offset + scale x table, NULL: family's quantile */
    double offset, scale;
    double p[3]; /* the family's own */
    union {
        const struct sl_dist *inner;      /* shift+ */
        const struct sl_dist_part *parts; /* mixture */
        const double *sample;             /* empirical, ascending */
    };
    uint32_t count; /* of parts or sample */
    bool needs_second;
    char text[]; /* the whole expression, of an outermost one: there may be one for every node */
};

/* State of one sl_dist_parse call. */
struct sl_dist_reader {
    const char *text, *base_dir;
    size_t position;
    size_t call; /* position of the call that is being made: the place of its errors */
    int depth;
    enum sl_dist_dimension dimension;
    struct sl_place place;
    struct sl_arena *arena;
    struct sl_error *err;
};

struct sl_dist_family {
    struct sl_dist_info info;
    struct sl_dist_param params[SL_DIST_MAX_PARAMS]; /* ends at a NULL name */
    uint32_t positional; /* so many leading parameters may be given without a name */
    bool weighted;       /* the arguments are weight*expression */
    bool infix;          /* made by an operator, not by a call */
    enum sl_status (*make)(struct sl_dist *dist, const struct sl_dist_args *args,
                           struct sl_dist_reader *reader);
    double (*value)(const struct sl_dist *dist, double u, double u2); /* NULL: by quantile */
    /* values[i] = value(dist, u[i], .): NULL where many at once cost as much each. */
    void (*values)(const struct sl_dist *dist, const double *u, double *values, size_t count);
    double (*quantile)(const struct sl_dist *dist, double tail, bool upper);
    double (*cdf)(const struct sl_dist *dist, double x);
    double (*mean)(const struct sl_dist *dist);
};

const struct sl_dist_family *sl_dist_family_get(size_t index);

/* SL_INVALID at the expression's place, naming the character at `position`. */
enum sl_status sl_dist_fail(struct sl_dist_reader *reader, size_t position, const char *format, ...)
    SL_PRINTF(3, 4);

/* Argument checks; each fails with a message that names the family and the parameter. */
enum sl_status sl_dist_choose(const struct sl_dist *dist, const struct sl_dist_args *args,
                              struct sl_dist_reader *reader, const char *what,
                              const unsigned *options, size_t count, unsigned *chosen) SL_NODISCARD;
enum sl_status sl_dist_require(const struct sl_dist *dist, const struct sl_dist_args *args,
                               struct sl_dist_reader *reader, unsigned count) SL_NODISCARD;
enum sl_status sl_dist_range(const struct sl_dist *dist, const struct sl_dist_args *args,
                             struct sl_dist_reader *reader, unsigned param, double low,
                             double high) SL_NODISCARD;

/* A root of `f(x, context)` in [low, high] > 0, to 1e-14 relative; false when f has one sign. */
bool sl_dist_solve(double (*f)(double x, const double *context), const double *context, double low,
                   double high, double *root) SL_NODISCARD;

/* Turns `dist` into a constant: a family without spread. */
void sl_dist_set_const(struct sl_dist *dist, double value);
/* Samples `dist` as offset + scale x unit law through a shared table where one can be had. */
enum sl_status sl_dist_tabulate(struct sl_dist *dist, struct sl_dist_reader *reader,
                                const struct sl_qtable_law *law, double offset,
                                double scale) SL_NODISCARD;
double sl_dist_value_exact(const struct sl_dist *dist, double u, double u2);

/* Releases the samples that empirical files share; part of sl_dist_cache_free. */
void sl_dist_samples_free(void);

#define SL_DISTRIBUTION(name) extern const struct sl_dist_family sl_dist_family_##name;
#include "distributions.def"
#undef SL_DISTRIBUTION
#endif
