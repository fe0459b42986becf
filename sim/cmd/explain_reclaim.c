/* Explain: the four terms of reclaim_ready of every copy, which of them binds, and when its bytes
 * went back. */
#include "explain.h"
#include "kept.h"
#include "units.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_PROOFS 12

/* Reclamations of this trial by what they are. */
struct counts {
    uint32_t reclaimed, violated, kept, open, absent;
    uint32_t bound_by[SL_TERMS + 1];
    const struct sl_reclaim_proof *longest; /* retained; NULL: none beyond */
};

static struct counts count_proofs(const struct sl_explain *x)
{
    struct counts counts = {0};
    for (uint32_t k = 0; k < x->reclaim_count; k++) {
        const struct sl_reclaim_proof *proof = &x->reclaims[k];
        counts.kept += proof->verdict == SL_RECLAIM_KEPT;
        counts.open += proof->verdict == SL_RECLAIM_OPEN;
        counts.absent += proof->verdict == SL_RECLAIM_ABSENT;
        counts.violated += proof->verdict == SL_RECLAIM_VIOLATED;
        if (proof->reclaimer == SL_NONE)
            continue;
        counts.reclaimed++;
        counts.bound_by[proof->binding]++;
        if (sl_reclaim_retained(proof) > (counts.longest ? sl_reclaim_retained(counts.longest) : 0))
            counts.longest = proof;
    }
    return counts;
}

/* Violations first, then what was retained longest. */
static int worst_first(const void *a, const void *b)
{
    const struct sl_reclaim_proof *x = *(const struct sl_reclaim_proof *const *)a;
    const struct sl_reclaim_proof *y = *(const struct sl_reclaim_proof *const *)b;
    bool bad_x = x->verdict == SL_RECLAIM_VIOLATED, bad_y = y->verdict == SL_RECLAIM_VIOLATED;
    if (bad_x != bad_y)
        return bad_x ? -1 : 1;
    int64_t longer_x = sl_reclaim_retained(x), longer_y = sl_reclaim_retained(y);
    if (longer_x != longer_y)
        return longer_x > longer_y ? -1 : 1;
    return (x > y) - (x < y);
}

static const char *object_of(const struct sl_explain *x, const struct sl_reclaim_proof *proof)
{
    return x->graph->objects[x->graph->holdings[proof->holding].object.i].name;
}

static const char *domain_of(const struct sl_explain *x, const struct sl_reclaim_proof *proof)
{
    return x->platform->domain_names.names[x->graph->holdings[proof->holding].domain];
}

/* "a0 in hbm", and which copy of it when it is not the first. */
static const char *copy_text(struct sl_explain *x, const struct sl_reclaim_proof *proof)
{
    const char *object = object_of(x, proof), *domain = domain_of(x, proof);
    return proof->number == 1 ? sl_arena_printf(&x->arena, "%s in %s", object, domain)
                              : sl_arena_printf(&x->arena, "%s in %s #%u", object, domain,
                                                (unsigned)proof->number);
}

static const char *term_text(struct sl_explain *x, const struct sl_reclaim_proof *proof, unsigned t)
{
    if (proof->user[t] == SL_NONE)
        return "none";
    return sl_arena_printf(&x->arena, "%s%s %s", proof->binding == t ? "*" : "",
                           sl_explain_name(x, proof->user[t]),
                           sl_explain_instant(x, proof->finish_ps[t]));
}

static void add_proof(struct sl_explain *x, struct sl_table *table,
                      const struct sl_reclaim_proof *proof)
{
    sl_table_add(table, "  %s", copy_text(x, proof));
    for (unsigned t = 0; t < SL_TERMS; t++)
        sl_table_add(table, "%s", term_text(x, proof, t));
    sl_table_add(table, "%s", sl_explain_instant(x, proof->ready_ps));
    sl_table_add(table, "%s %s", sl_explain_name(x, proof->reclaimer),
                 sl_explain_instant(x, proof->given_ps));
    sl_table_add(table, "%s", sl_explain_time(x, sl_reclaim_retained(proof)));
    sl_table_add(table, "%s", sl_reclaim_verdict_name(proof->verdict));
}

static void print_table(struct sl_explain *x, FILE *out)
{
    const struct sl_reclaim_proof **shown = malloc(((size_t)x->reclaim_count + 1) * sizeof *shown);
    uint32_t count = 0;
    if (!shown)
        sl_report_lost();
    for (uint32_t k = 0; shown && k < x->reclaim_count; k++)
        if (x->reclaims[k].reclaimer != SL_NONE)
            shown[count++] = &x->reclaims[k];
    if (count > 1)
        qsort(shown, count, sizeof *shown, worst_first);
    if (count == 0) {
        fputs("\nreclamation proofs\n", out);
        free(shown);
        return;
    }
    struct sl_table table = sl_table_make(&x->arena, "lllllrlrl");
    static const char *const heads[] = {"reclamation proofs", "last reader",  "last alias use",
                                        "last transfer",      "last barrier", "reclaim_ready",
                                        "given back by",      "beyond",       "verdict"};
    for (size_t c = 0; c < 9; c++)
        sl_table_add(&table, "%s", heads[c]);
    for (uint32_t k = 0; k < count && k < SHOWN_PROOFS; k++)
        add_proof(x, &table, shown[k]);
    putc('\n', out);
    sl_table_print(&table, out);
    if (count > SHOWN_PROOFS)
        fprintf(out, "  and %u more: --json has all\n", (unsigned)(count - SHOWN_PROOFS));
    fputs("  *: the term that binds\n", out);
    sl_table_free(&table);
    free(shown);
}

static void print_summary(struct sl_explain *x, const struct counts *counts, FILE *out)
{
    if (counts->reclaimed == 0) {
        fputs("  no copy was reclaimed in this trial\n", out);
        return;
    }
    fprintf(out, "  %u reclamations, ", (unsigned)counts->reclaimed);
    if (counts->violated > 0)
        fprintf(out, "%u BEFORE their reclaim_ready", (unsigned)counts->violated);
    else
        fputs("all after their reclaim_ready", out);
    fputs("; bound by ", out);
    for (unsigned t = 0; t < SL_TERMS; t++)
        fprintf(out, "%s%s %u", t > 0 ? ", " : "", sl_reclaim_term_name((enum sl_reclaim_term)t),
                (unsigned)counts->bound_by[t]);
    if (counts->bound_by[SL_TERMS] > 0)
        fprintf(out, ", nobody %u", (unsigned)counts->bound_by[SL_TERMS]);
    if (counts->longest)
        fprintf(out, "; largest retention beyond: %s, %s\n",
                sl_explain_time(x, sl_reclaim_retained(counts->longest)),
                copy_text(x, counts->longest));
    else
        fputs("; none was retained beyond\n", out);
}

static void print_others(const struct counts *counts, FILE *out)
{
    if (counts->kept + counts->open + counts->absent > 0)
        fprintf(out,
                "  copies without a reclamation: %u kept for good, %u whose reclamation did not "
                "run, %u never made\n",
                (unsigned)counts->kept, (unsigned)counts->open, (unsigned)counts->absent);
}

void sl_explain_reclaim(struct sl_explain *x, FILE *out)
{
    struct counts counts = count_proofs(x);
    print_table(x, out);
    print_summary(x, &counts, out);
    print_others(&counts, out);
    fprintf(out, "  over all %s trials: %s reclamations, ", sl_grouped(&x->arena, x->all.trials),
            sl_grouped(&x->arena, x->all.reclamations));
    if (x->all.violations > 0)
        fprintf(out, "%s before their reclaim_ready, first in trial %u\n",
                sl_grouped(&x->arena, x->all.violations), (unsigned)x->all.first_violation);
    else
        fputs("none before its reclaim_ready\n", out);
}

static void put_terms(struct sl_explain *x, yajl_gen gen, const struct sl_reclaim_proof *proof)
{
    for (unsigned t = 0; t < SL_TERMS; t++) {
        char key[32];
        snprintf(key, sizeof key, "last_%s", sl_reclaim_term_name((enum sl_reclaim_term)t));
        if (proof->user[t] == SL_NONE) {
            sl_json_text(gen, key, NULL);
            continue;
        }
        sl_json_open_map(gen, key);
        sl_json_text(gen, "node", sl_explain_name(x, proof->user[t]));
        sl_json_us(gen, "finish_us", proof->finish_ps[t]);
        yajl_gen_map_close(gen);
    }
}

void sl_explain_proof_json(struct sl_explain *x, yajl_gen gen, const struct sl_reclaim_proof *proof)
{
    sl_json_text(gen, "object", object_of(x, proof));
    sl_json_text(gen, "domain", domain_of(x, proof));
    sl_json_integer(gen, "copy", proof->number);
    sl_explain_time_json(gen, "taken_us", proof->taken_ps);
    sl_json_text(gen, "taken_by",
                 proof->taker == SL_NONE ? NULL : sl_explain_name(x, proof->taker));
    put_terms(x, gen, proof);
    sl_json_text(gen, "bound_by", sl_reclaim_term_name(proof->binding));
    sl_explain_time_json(gen, "reclaim_ready_us", proof->ready_ps);
    sl_json_text(gen, "given_back_by",
                 proof->reclaimer == SL_NONE ? NULL : sl_explain_name(x, proof->reclaimer));
    sl_explain_time_json(gen, "given_back_us", proof->given_ps);
    sl_json_us(gen, "retained_beyond_us", sl_reclaim_retained(proof));
    sl_json_text(gen, "verdict", sl_reclaim_verdict_name(proof->verdict));
}

void sl_explain_reclaim_json(struct sl_explain *x, yajl_gen gen)
{
    struct counts counts = count_proofs(x);
    sl_json_open_map(gen, "reclamation");
    sl_json_integer(gen, "reclamations", counts.reclaimed);
    sl_json_integer(gen, "violated", counts.violated);
    sl_json_integer(gen, "kept", counts.kept);
    sl_json_integer(gen, "not_reclaimed", counts.open);
    sl_json_integer(gen, "not_made", counts.absent);
    sl_json_open_map(gen, "bound_by");
    for (unsigned t = 0; t <= SL_TERMS; t++)
        sl_json_integer(gen, sl_reclaim_term_name((enum sl_reclaim_term)t), counts.bound_by[t]);
    yajl_gen_map_close(gen);
    sl_json_integer(gen, "all_trials_reclamations", (int64_t)x->all.reclamations);
    sl_json_integer(gen, "all_trials_violated", (int64_t)x->all.violations);
    sl_json_open_array(gen, "proofs");
    for (uint32_t k = 0; k < x->reclaim_count; k++) {
        sl_json_open_map(gen, NULL);
        sl_explain_proof_json(x, gen, &x->reclaims[k]);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
}
