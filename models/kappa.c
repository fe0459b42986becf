/* Contention tables: rows, their index, and evaluation by measured set or composition. */
#include "kappa.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM          1 /* uthash would call exit() */
#define uthash_nonfatal_oom(entry) ((entry)->added = false)
#include <uthash.h>

/* The key is the row's victim followed by its sorted set. */
struct sl_kappa_set_entry {
    uint32_t row;
    bool added;
    UT_hash_handle hh;
};

#define SL_KAPPA_RULE(name) extern const struct sl_kappa_rule sl_kappa_rule_##name;
#include "kappa_rules.def"
#undef SL_KAPPA_RULE

static const struct sl_kappa_rule *const rules[] = {
#define SL_KAPPA_RULE(name) &sl_kappa_rule_##name,
#include "kappa_rules.def"
#undef SL_KAPPA_RULE
};

size_t sl_kappa_rule_count(void)
{
    return sizeof rules / sizeof rules[0];
}

const struct sl_kappa_rule *sl_kappa_rule_get(size_t index)
{
    return rules[index];
}

const struct sl_kappa_rule *sl_kappa_rule_find(const char *name)
{
    for (size_t i = 0; i < sl_kappa_rule_count(); i++)
        if (strcmp(rules[i]->name, name) == 0)
            return rules[i];
    return NULL;
}

static int by_class(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static struct sl_kappa_set_entry *find_set(const struct sl_kappa *kappa, const uint32_t *key,
                                           uint32_t set_size)
{
    struct sl_kappa_set_entry *entry;
    HASH_FIND(hh, kappa->sets, key, (1 + set_size) * sizeof *key, entry);
    return entry;
}

static bool add_set(struct sl_kappa *kappa, const uint32_t *key, uint32_t set_size,
                    struct sl_arena *arena)
{
    struct sl_kappa_set_entry *entry = sl_arena_alloc(arena, sizeof *entry);
    if (!entry)
        return false;
    entry->row = kappa->row_count;
    entry->added = true;
    HASH_ADD_KEYPTR(hh, kappa->sets, key, (1 + set_size) * sizeof *key, entry);
    return entry->added;
}

static void clamp(struct sl_kappa_row *row, struct sl_diags *diags)
{
    if (row->kappa < 1)
        sl_diags_add(diags, SL_WARNING, "kappa-below-one", row->place, "kappa %g counts as 1",
                     row->kappa);
    row->kappa = fmax(row->kappa, 1);
    row->lo = fmax(row->lo, 1);
    row->hi = fmax(row->hi, 1);
}

/* In all digits where it is too large, since it may differ from the bound by little. */
static void say_range(const struct sl_kappa_row *row, struct sl_diags *diags)
{
    double found = row->kappa > 0 ? fmax(row->kappa, row->hi) : row->kappa;
    sl_diags_add(diags, SL_ERROR, "bad-value", row->place,
                 "kappa %.*g; a slowdown is above 0 and at most %.0f", found > 0 ? 17 : 6, found,
                 SL_KAPPA_MAX);
}

static bool valid(const struct sl_kappa_row *row, struct sl_diags *diags)
{
    if (row->set_size < 1 || row->set_size > SL_KAPPA_SET_MAX)
        sl_diags_add(diags, SL_ERROR, "bad-set", row->place,
                     "a set of %u classes; 1 to %d are allowed", row->set_size, SL_KAPPA_SET_MAX);
    else if (!(row->kappa > 0 && row->hi <= SL_KAPPA_MAX && row->kappa <= SL_KAPPA_MAX))
        say_range(row, diags);
    else if (!(row->lo <= row->kappa && row->kappa <= row->hi))
        sl_diags_add(diags, SL_ERROR, "bad-value", row->place,
                     "kappa %g lies outside its interval from %g to %g", row->kappa, row->lo,
                     row->hi);
    else
        return true;
    return false;
}

enum sl_status sl_kappa_add_row(struct sl_kappa *kappa, struct sl_kappa_row row,
                                struct sl_arena *arena, struct sl_diags *diags,
                                struct sl_error *err)
{
    if (!valid(&row, diags))
        return SL_OK; /* noted in diags */
    clamp(&row, diags);
    uint32_t *key = sl_arena_array(arena, 1 + (size_t)row.set_size, sizeof *key);
    if (!key || !sl_grow((void **)&kappa->rows, &kappa->row_capacity, kappa->row_count + 1,
                         sizeof *kappa->rows))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    key[0] = row.victim;
    memcpy(key + 1, row.set, row.set_size * sizeof *row.set);
    qsort(key + 1, row.set_size, sizeof *key, by_class);
    row.set = key + 1;
    const struct sl_kappa_set_entry *known = find_set(kappa, key, row.set_size);
    if (known) {
        struct sl_place first = kappa->rows[known->row].place;
        sl_diags_add(diags, SL_ERROR, "duplicate-kappa", row.place,
                     "a second row for this victim and set; the first is at %s:%d",
                     first.file ? first.file : "?", first.line);
        return SL_OK;
    }
    if (!add_set(kappa, key, row.set_size, arena))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    kappa->rows[kappa->row_count++] = row;
    if (row.set_size > kappa->set_max)
        kappa->set_max = row.set_size;
    return SL_OK;
}

const struct sl_kappa_row *sl_kappa_pair_row(const struct sl_kappa *kappa, uint32_t victim,
                                             uint32_t other)
{
    const uint32_t key[] = {victim, other};
    const struct sl_kappa_set_entry *entry = find_set(kappa, key, 1);
    return entry ? &kappa->rows[entry->row] : NULL;
}

static enum sl_status build_pairs(struct sl_kappa *kappa, struct sl_arena *arena,
                                  struct sl_error *err)
{
    uint32_t n = kappa->classes.count;
    kappa->largest = 1;
    if (kappa->row_count == 0)
        return SL_OK;
    if (n > SL_KAPPA_CLASS_MAX)
        return SL_FAIL_AT(err, SL_INVALID, kappa->rows[0].place,
                          "%u classes with a kappa table; at most %d", n, SL_KAPPA_CLASS_MAX);
    kappa->pair = sl_arena_array(arena, (size_t)n * n, sizeof *kappa->pair);
    if (!kappa->pair)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    kappa->pair_count = n;
    for (size_t i = 0; i < (size_t)n * n; i++)
        kappa->pair[i] = NAN;
    for (uint32_t r = 0; r < kappa->row_count; r++) {
        const struct sl_kappa_row *row = &kappa->rows[r];
        kappa->largest = fmax(kappa->largest, row->kappa);
        if (row->set_size == 1)
            kappa->pair[(size_t)row->victim * n + row->set[0]] = row->kappa;
    }
    return SL_OK;
}

static int by_demand(const void *a, const void *b)
{
    const struct sl_kappa_demand *x = a, *y = b;
    if (x->klass != y->klass)
        return x->klass < y->klass ? -1 : 1;
    return (x->link > y->link) - (x->link < y->link);
}

static enum sl_status sort_demands(struct sl_kappa *kappa, struct sl_arena *arena,
                                   struct sl_error *err)
{
    if (kappa->links.count > SL_KAPPA_LINK_MAX)
        return SL_FAIL(err, SL_INVALID, "%u links in the demands of rule bandwidth; at most %d",
                       kappa->links.count, SL_KAPPA_LINK_MAX);
    if (kappa->demand_count > 0)
        qsort(kappa->demands, kappa->demand_count, sizeof *kappa->demands, by_demand);
    uint32_t classes = 0;
    for (uint32_t d = 0; d < kappa->demand_count; d++) {
        const struct sl_kappa_demand *demand = &kappa->demands[d];
        if (!(demand->fraction >= 0 && demand->fraction <= 1))
            return SL_FAIL(err, SL_INVALID,
                           "demand of class '%s' on link '%s' is %g; a fraction from 0 to 1",
                           kappa->classes.names[demand->klass], kappa->links.names[demand->link],
                           demand->fraction);
        if (d > 0 && by_demand(demand, demand - 1) == 0)
            return SL_FAIL(err, SL_INVALID, "two demands of class '%s' on link '%s'",
                           kappa->classes.names[demand->klass], kappa->links.names[demand->link]);
        classes = demand->klass + 1;
    }
    kappa->demand_classes = classes;
    kappa->demand_first = sl_arena_array(arena, (size_t)classes + 1, sizeof *kappa->demand_first);
    if (!kappa->demand_first)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t c = 0, d = 0; c <= classes; c++) {
        while (d < kappa->demand_count && kappa->demands[d].klass < c)
            d++;
        kappa->demand_first[c] = d;
    }
    return SL_OK;
}

enum sl_status sl_kappa_prepare(struct sl_kappa *kappa, struct sl_arena *arena,
                                struct sl_error *err)
{
    if (!kappa->rule) {
        kappa->rule = rules[0];
        kappa->rule_name = rules[0]->name;
    }
    enum sl_status status = build_pairs(kappa, arena, err);
    return status == SL_OK ? sort_demands(kappa, arena, err) : status;
}

static double clipped(double kappa)
{
    return fmin(fmax(kappa, 1), SL_KAPPA_MAX);
}

enum sl_status sl_kappa_scale(struct sl_kappa *scaled, const struct sl_kappa *kappa,
                              const double *factors, struct sl_arena *arena, struct sl_error *err)
{
    *scaled = *kappa;
    scaled->rows = sl_arena_array(arena, (size_t)kappa->row_count + 1, sizeof *scaled->rows);
    if (!scaled->rows)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t r = 0; r < kappa->row_count; r++) {
        struct sl_kappa_row *row = &scaled->rows[r];
        *row = kappa->rows[r];
        row->kappa = clipped(row->kappa * factors[r]);
        row->lo = clipped(row->lo * factors[r]);
        row->hi = clipped(row->hi * factors[r]);
    }
    return build_pairs(scaled, arena, err);
}

void sl_kappa_free(struct sl_kappa *kappa)
{
    HASH_CLEAR(hh, kappa->sets);
    free(kappa->rows);
    free(kappa->demands);
    sl_names_free(&kappa->classes);
    sl_names_free(&kappa->links);
    *kappa = (struct sl_kappa){0};
}

double sl_kappa_pair(const struct sl_kappa *kappa, uint32_t a, uint32_t b, double unknown)
{
    if (a >= kappa->pair_count || b >= kappa->pair_count)
        return unknown;
    double value = kappa->pair[(size_t)a * kappa->pair_count + b];
    return isnan(value) ? unknown : value;
}

/* The measured row of exactly this multiset, NULL without one. */
static const struct sl_kappa_row *measured(const struct sl_kappa *kappa, uint32_t victim,
                                           const uint32_t *counts, uint64_t total)
{
    if (total > kappa->set_max)
        return NULL;
    uint32_t key[1 + SL_KAPPA_SET_MAX], size = 0;
    key[0] = victim;
    for (uint32_t c = 0; c < kappa->classes.count; c++)
        for (uint32_t i = 0; i < counts[c]; i++)
            key[++size] = c;
    const struct sl_kappa_set_entry *entry = find_set(kappa, key, size);
    return entry ? &kappa->rows[entry->row] : NULL;
}

double sl_kappa_stand_in(const struct sl_kappa *kappa, enum sl_corner corner)
{
    if (kappa->unknown == SL_UNKNOWN_NUMBER)
        return fmax(kappa->unknown_value, 1);
    return corner == SL_CORNER_PESSIMISTIC ? kappa->largest : 1;
}

double sl_kappa_eval(const struct sl_kappa *kappa, uint32_t victim, const uint32_t *counts,
                     enum sl_corner corner, bool *hypothetical)
{
    uint64_t total = 0;
    bool unknown = false;
    for (uint32_t c = 0; c < kappa->classes.count; c++) {
        total += counts[c];
        unknown |= counts[c] > 0 && sl_kappa_unknown_pair(kappa, victim, c);
    }
    if (total == 0)
        return 1;
    const struct sl_kappa_row *row = measured(kappa, victim, counts, total);
    if (row)
        return row->kappa;
    if (unknown && (kappa->row_count > 0 || kappa->unknown != SL_UNKNOWN_NUMBER))
        *hypothetical = true;
    return fmax(kappa->rule->compose(kappa, victim, counts, sl_kappa_stand_in(kappa, corner)), 1);
}

bool sl_kappa_unknown_pair(const struct sl_kappa *kappa, uint32_t a, uint32_t b)
{
    return kappa->rule->uses_pairs && isnan(sl_kappa_pair(kappa, a, b, NAN));
}

bool sl_kappa_has_evidence(const struct sl_kappa *kappa)
{
    return kappa->row_count > 0 || !kappa->rule->uses_pairs;
}

bool sl_kappa_is_trivial(const struct sl_kappa *kappa)
{
    if (kappa->row_count > 0)
        return false;
    if (!kappa->rule->uses_pairs)
        return kappa->demand_count == 0;
    return kappa->unknown == SL_UNKNOWN_BOUND ||
           (kappa->unknown == SL_UNKNOWN_NUMBER && kappa->unknown_value <= 1);
}
