/* The gate's frame: claims become outcomes. */
#include "config.h"

#include "gate.h"
#include "paired.h"
#include "quantile.h"
#include "record_shape.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL       0.95 /* of all intervals of a record */
#define CLAIM_TEXT  600
#define MOST_CLAIMS 64 /* of one condition; more are counted */
#define MOST_KEYS   16

struct claim {
    enum sl_gate_outcome_kind kind;
    char text[CLAIM_TEXT];
};
struct sl_gate_claims {
    struct claim items[MOST_CLAIMS];
    uint32_t count, more;
    const char *keys[MOST_KEYS];
    uint32_t key_count;
    enum sl_gate_outcome_kind worst;
};

static const struct sl_gate_condition conditions[] = {
#define SL_GATE(name, condition) {#name, condition, sl_gate_##name},
#include "gates.def"
#undef SL_GATE
};
_Static_assert(sizeof conditions / sizeof *conditions == SL_GATE_CONDITIONS, "ten conditions");

const struct sl_gate_condition *sl_gate_condition(uint32_t index)
{
    return &conditions[index];
}

static int severity(enum sl_gate_outcome_kind kind)
{
    return kind == SL_GATE_FAIL ? 2 : kind == SL_GATE_UNKNOWN ? 1 : 0;
}

static void add_key(struct sl_gate_claims *claims, const char *key)
{
    for (uint32_t i = 0; i < claims->key_count; i++)
        if (strcmp(claims->keys[i], key) == 0)
            return;
    if (claims->key_count < MOST_KEYS)
        claims->keys[claims->key_count++] = key;
}

void sl_gate_claim(struct sl_gate_claims *claims, enum sl_gate_outcome_kind kind, const char *key,
                   const char *format, ...)
{
    add_key(claims, key);
    if ((claims->count == 0 && claims->more == 0) || severity(kind) > severity(claims->worst))
        claims->worst = kind;
    if (claims->count == MOST_CLAIMS) {
        claims->more++;
        return;
    }
    struct claim *claim = &claims->items[claims->count++];
    claim->kind = kind;
    va_list args;
    va_start(args, format);
    vsnprintf(claim->text, sizeof claim->text, format, args);
    va_end(args);
}

/* The claims that decide come first. */
static const char *join(const struct sl_gate_claims *claims, struct sl_arena *arena)
{
    const char *text = "";
    for (int s = 2; s >= 0; s--)
        for (uint32_t i = 0; i < claims->count && text; i++)
            if (severity(claims->items[i].kind) == s)
                text = sl_arena_printf(arena, "%s%s%s", text, *text ? "; " : "",
                                       claims->items[i].text);
    if (text && claims->more > 0)
        text = sl_arena_printf(arena, "%s; and %u more", text, claims->more);
    return text;
}

static bool conclude(const struct sl_gate_claims *claims, const char *name, struct sl_arena *arena,
                     struct sl_gate_outcome *outcome)
{
    *outcome = (struct sl_gate_outcome){.condition = name, .outcome = claims->worst};
    outcome->evidence = claims->count > 0 ? join(claims, arena) : "the record says nothing of it";
    outcome->keys.items = sl_arena_array(arena, MOST_KEYS, sizeof *outcome->keys.items);
    if (!outcome->evidence || !outcome->keys.items)
        return false;
    outcome->keys.capacity = MOST_KEYS;
    for (uint32_t i = 0; i < claims->key_count; i++)
        outcome->keys.items[outcome->keys.count++] = claims->keys[i];
    return true;
}

enum sl_status sl_gate_judge(const struct sl_record *record, struct sl_arena *arena,
                             struct sl_gate_outcome out[SL_GATE_CONDITIONS], struct sl_error *err)
{
    struct sl_gate_claims *claims = malloc(sizeof *claims);
    bool good = claims;
    for (uint32_t i = 0; good && i < SL_GATE_CONDITIONS; i++) {
        claims->count = claims->more = claims->key_count = 0;
        claims->worst = SL_GATE_UNKNOWN;
        conditions[i].judge(record, claims);
        good = conclude(claims, conditions[i].name, arena, &out[i]);
    }
    free(claims);
    return good ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

enum sl_status sl_gate_update(struct sl_record *record, struct sl_error *err)
{
    struct sl_gate_outcome out[SL_GATE_CONDITIONS];
    enum sl_status status = sl_gate_judge(record, &record->arena, out, err);
    record->gate.count = 0;
    for (uint32_t i = 0; status == SL_OK && i < SL_GATE_CONDITIONS; i++) {
        struct sl_gate_outcome *outcome =
            sl_record_add(record, &record->gate, &sl_shape_gate_outcome);
        if (!outcome)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        *outcome = out[i];
    }
    return status;
}

uint32_t sl_gate_count(const struct sl_record *record, enum sl_gate_outcome_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < record->gate.count; i++)
        count += record->gate.items[i].outcome == kind;
    return count;
}

/* Codes by the condition that they speak against.  A default that the method rejects without
 * evidence (an assumed reserve, tail or priority) counts against its condition as well, but is told
 * by fields of the record that say what was stated. */
const char *sl_gate_of_finding(const struct sl_record_finding *finding)
{
    static const struct {
        const char *code, *condition;
    } codes[] = {
        {"use-before-valid", "actions"},       {"use-before-allocation", "actions"},
        {"use-before-mapping", "actions"},     {"guard-without-input", "actions"},
        {"move-without-consumer", "actions"},  {"move-without-deadline", "actions"},
        {"demand-above-capacity", "capacity"}, {"peak-unavoidable", "capacity"},
        {"precedence-cycle", "progress"},      {"overlap-forced", "progress"},
        {"deadline-too-early", "bounds"},      {"assumed-priority", "bounds"},
        {"mechanism-in-policy", "separation"},
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(codes[i].code, finding->code) == 0)
            return codes[i].condition;
    return strcmp(finding->severity, "error") == 0 ? "correctness" : NULL;
}

uint32_t sl_gate_claim_findings(const struct sl_record *record, const char *condition,
                                struct sl_gate_claims *claims)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < record->findings.count; i++) {
        const struct sl_record_finding *finding = &record->findings.items[i];
        const char *against = sl_gate_of_finding(finding);
        if (!against || strcmp(against, condition) != 0)
            continue;
        sl_gate_claim(claims, SL_GATE_FAIL, "findings", "%s: %s", finding->code, finding->first);
        found++;
    }
    return found;
}

bool sl_gate_lacks_run(const struct sl_record *record, struct sl_gate_claims *claims)
{
    if (record->proofs.present && record->projected.present)
        return false;
    sl_gate_claim(claims, SL_GATE_UNKNOWN, record->proofs.present ? "projected" : "proofs",
                  "nothing was simulated");
    return true;
}

bool sl_gate_keeps_baseline(const struct sl_record *record)
{
    const struct sl_record_graph *graph = &record->graph;
    const char *selected = record->selection.policy;
    bool same = !graph->baseline_digest || !graph->plan_digest ||
                strcmp(graph->baseline_digest, graph->plan_digest) == 0;
    return record->baseline.present && !record->baseline.scenario && selected &&
           record->baseline.policy && strcmp(selected, record->baseline.policy) == 0 && same;
}

const char *sl_gate_no_baseline(const struct sl_record *record,
                                const struct sl_record_result *result)
{
    return result == &record->runtime_feasible ? record->mechanism.baseline_why : NULL;
}

/* Least numbers of each for an interval; 0: a figure that is no quantile or mean.  Jobs' figures
 * are means over replications. */
static uint64_t least_count(const struct sl_record_result *result, const char *figure,
                            bool difference, char name[32])
{
    bool tail = strcmp(figure, "tail") == 0, median = strcmp(figure, "median") == 0;
    double q = tail ? result->tail_quantile : 0.5;
    if (!tail && !median && strcmp(figure, "mean") != 0)
        return 0;
    if ((!tail && !median) || strcmp(result->counted, "replications") == 0) {
        snprintf(name, 32, "mean");
        return 2;
    }
    if (median)
        snprintf(name, 32, "median");
    else
        snprintf(name, 32, "p%.4g", 100 * q);
    return difference ? sl_paired_min_n(q, LEVEL) : sl_quantile_min_n(q, LEVEL);
}

const char *sl_gate_too_few(char buffer[SL_GATE_FEW], const struct sl_record_result *result,
                            const char *figure, bool difference)
{
    char name[32] = "";
    uint64_t needs = least_count(result, figure, difference, name);
    bool own = result->count < needs;
    bool base = difference && result->baseline_count < (double)needs; /* false of NAN */
    if (!own && !base)
        return NULL;
    if (!difference)
        snprintf(buffer, SL_GATE_FEW, "%" PRIu64 " %.40s are too few, a %s takes %" PRIu64,
                 result->count, result->counted, name, needs);
    else if ((double)result->count == result->baseline_count)
        snprintf(buffer, SL_GATE_FEW, "%" PRIu64 " %.40s of each are too few, %ss take %" PRIu64,
                 result->count, result->counted, name, needs);
    else if (own && base)
        snprintf(buffer, SL_GATE_FEW,
                 "%" PRIu64 " %.40s of the policy and %.0f of the baseline are too few, %ss take "
                 "%" PRIu64 " of each",
                 result->count, result->counted, result->baseline_count, name, needs);
    else
        snprintf(buffer, SL_GATE_FEW, "%.0f %.40s of %s are too few, %ss take %" PRIu64 " of each",
                 own ? (double)result->count : result->baseline_count, result->counted,
                 own ? "the policy" : "the baseline", name, needs);
    return buffer;
}

bool sl_gate_is_of_peak(const struct sl_record_outcome *outcome)
{
    return strstr(outcome->constraint, "peak.") != NULL;
}

static bool is_on(const char *constraint, const char *measure)
{
    size_t length = strlen(measure);
    return strncmp(constraint, measure, length) == 0 && strchr(" <>", constraint[length]);
}

struct sl_estimate sl_gate_figure(const struct sl_record_result *result, const char *constraint)
{
    char name[300];
    if (is_on(constraint, "tail"))
        return result->tail;
    if (is_on(constraint, "median"))
        return result->median;
    if (is_on(constraint, "max_wait"))
        return (struct sl_estimate){result->max_wait_us, NAN, NAN};
    for (uint32_t i = 0; i < result->peaks.count; i++) {
        snprintf(name, sizeof name, "peak.%.250s", result->peaks.items[i].domain);
        if (is_on(constraint, name))
            return (struct sl_estimate){result->peaks.items[i].bytes, NAN, NAN};
    }
    return SL_NO_ESTIMATE;
}

const char *sl_gate_quantity(char buffer[SL_GATE_TEXT], double value, const char *unit)
{
    if (strcmp(unit, "us") == 0) {
        bool negative = value < 0;
        buffer[0] = '-';
        sl_format_estimate(buffer + negative, SL_GATE_TEXT - 1, fabs(value) * (double)SL_PS_PER_US);
    } else if (strcmp(unit, "bytes") == 0 && value >= 0) {
        sl_format_bytes(buffer, SL_GATE_TEXT, value);
    } else {
        snprintf(buffer, SL_GATE_TEXT, "%.4g%s%s", value, *unit ? " " : "", unit);
    }
    return buffer;
}

const char *sl_gate_interval(char buffer[2 * SL_GATE_TEXT], struct sl_estimate estimate,
                             const char *unit)
{
    char lo[SL_GATE_TEXT], hi[SL_GATE_TEXT];
    if (isnan(estimate.lo) || isnan(estimate.hi))
        return strcpy(buffer, "no interval");
    snprintf(buffer, (size_t)2 * SL_GATE_TEXT, "[%.40s, %.40s]",
             sl_gate_quantity(lo, estimate.lo, unit), sl_gate_quantity(hi, estimate.hi, unit));
    return buffer;
}

const char *sl_gate_gain(char buffer[2 * SL_GATE_TEXT], struct sl_estimate difference,
                         const char *unit)
{
    char lo[SL_GATE_TEXT], hi[SL_GATE_TEXT];
    if (!(difference.hi < 0) || difference.lo == difference.hi)
        return sl_gate_interval(buffer, difference, unit);
    snprintf(buffer, (size_t)2 * SL_GATE_TEXT, "%.40s to %.40s",
             sl_gate_quantity(lo, -difference.hi, unit),
             sl_gate_quantity(hi, -difference.lo, unit));
    return buffer;
}
