/* Cells that hold an expression of job parameters, alone or behind a distribution. */
#include <config.h>

#include "scenario_parts.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

/* The end of the call whose '(' is at `text`, which may hold quoted file names. */
static const char *skip_call(const char *text)
{
    int depth = 0;
    bool quoted = false;
    for (; *text; text++) {
        quoted ^= *text == '"';
        depth += !quoted && *text == '(';
        depth -= !quoted && *text == ')';
        if (depth == 0)
            return text + 1;
    }
    return text;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static size_t letters(const char *text)
{
    size_t length = 0;
    while (isalpha((unsigned char)text[length]))
        length++;
    return length;
}

/* Past a number and its unit, also one like MB/s: no unit of an expression, but no division. */
static const char *skip_quantity(const char *text)
{
    const char *end = sl_number_end(text);
    if (!end)
        return text + 1;
    const char *unit = skip_blanks(end);
    size_t length = letters(unit);
    if (length == 0)
        return end;
    bool per = unit[length] == '/' && strcmp(unit + length + 1, "s") == 0;
    return unit + length + (per ? 2 : 0);
}

struct traits {
    bool dist;     /* a call of what may be a distribution */
    bool family;   /* ... and is one */
    bool operates; /* what only expressions have: their operators, functions and parameters */
    bool strange;  /* a word that is neither: maybe a parameter of a trace that cannot be read */
};

static bool is_family(const char *word)
{
    size_t i = 0;
    while (i < sl_dist_family_count() && strcmp(word, sl_dist_family_info(i).name) != 0)
        i++;
    return i < sl_dist_family_count();
}

/* Past a word, and past its call where that is of a distribution. */
static const char *skip_word(const struct sl_loader *loader, const char *text,
                             struct traits *traits)
{
    char word[SL_NAME_MAX + 1];
    size_t length = sl_expr_name_length(text);
    snprintf(word, sizeof word, "%.*s", (int)(length < SL_NAME_MAX ? length : SL_NAME_MAX), text);
    const char *end = skip_blanks(text + length);
    bool function = sl_expr_is_function(word);
    if (*end == '(' && !function) {
        traits->dist = true;
        traits->family |= is_family(word);
        return skip_call(end);
    }
    bool known = function || sl_names_find(&loader->scenario->jobs.values, word) != SL_NONE;
    traits->operates |= known;
    traits->strange |= !known;
    return text + length;
}

static struct traits scan(const struct sl_loader *loader, const char *text)
{
    struct traits traits = {0};
    for (const char *c = skip_blanks(text); *c;) {
        if (isdigit((unsigned char)*c) || *c == '.') {
            c = skip_quantity(c);
        } else if (isalpha((unsigned char)*c) || *c == '_') {
            c = skip_word(loader, c, &traits);
        } else {
            traits.operates |= strchr("*/(", *c) || (*c == '-' && c > text);
            c++;
        }
    }
    return traits;
}

enum sl_cell_form sl_cell_form(const struct sl_loader *loader, const char *text, size_t *split)
{
    struct traits first = {0};
    const char *start = skip_blanks(text);
    if (isalpha((unsigned char)*start) || *start == '_') {
        const char *end = skip_blanks(skip_word(loader, start, &first));
        *split = (size_t)(end - text);
        if (first.dist)
            return *end == '*' ? SL_CELL_SCALED : SL_CELL_PLAIN;
    }
    struct traits all = scan(loader, text);
    if (!all.operates && (loader->parameters_known || !all.strange))
        return SL_CELL_PLAIN;
    return all.family ? SL_CELL_BACKWARDS : SL_CELL_EXPR; /* which tells an unknown function */
}

bool sl_is_one_product(const char *text)
{
    int depth = 0;
    bool operand = false; /* an operand has ended, so that a sign would be an operator */
    for (const char *c = text; *c; c++) {
        if (isdigit((unsigned char)*c) || *c == '.') {
            c = skip_quantity(c) - 1;
            operand = true;
        } else if ((*c == '+' || *c == '-') && depth == 0 && operand) {
            return false;
        } else if (!isspace((unsigned char)*c)) {
            depth += (*c == '(') - (*c == ')');
            operand = *c != '*' && *c != '/' && *c != '-';
        }
    }
    return true;
}

static void suggest_mode(struct sl_loader *loader)
{
    if (!sl_scenario_has_jobs(loader->scenario))
        sl_diags_suggest(
            loader->reader.diags,
            "mode %s has no jobs and no job parameters: state run.mode: open or closed",
            sl_mode_words[loader->scenario->mode]);
}

bool sl_cell_expr(struct sl_loader *loader, struct sl_cell_text cell,
                  enum sl_expr_dimension dimension, const char *what, const struct sl_expr **expr,
                  double *mean)
{
    struct sl_diags *diags = loader->reader.diags;
    const struct sl_job_mode *jobs = &loader->scenario->jobs;
    struct sl_error err = {0};
    if (!loader->parameters_known && scan(loader, cell.text).strange)
        return false; /* a consequence of what is reported already */
    if (sl_expr_parse(expr, cell.text, dimension, &jobs->values, cell.place, &loader->graph->arena,
                      &err)) {
        sl_diags_add(diags, SL_ERROR, err.status == SL_SYSTEM ? "out-of-memory" : "bad-expression",
                     cell.place, "%s: %s", what, err.message);
        if (jobs->parameters.count == 0)
            suggest_mode(loader);
        return false;
    }
    bool varies = sl_expr_varies(*expr);
    if (varies && !sl_scenario_has_jobs(loader->scenario)) {
        sl_diags_add(diags, SL_ERROR, "job-parameter", cell.place,
                     "%s '%s' uses job parameters, which mode %s does not have", what, cell.text,
                     sl_mode_words[loader->scenario->mode]);
        suggest_mode(loader);
        return false;
    }
    *mean = sl_expr_value(*expr, jobs->means);
    if (!varies)
        *expr = NULL;
    static const double most[] = {
        [SL_EXPR_NUMBER] = 1e18, [SL_EXPR_TIME] = 0x1p61, [SL_EXPR_BYTES] = 0x1p60};
    if (*mean >= 0 && *mean <= most[dimension])
        return true;
    static const char *const units[] = {"", " ps", " bytes"};
    sl_diags_add(diags, SL_ERROR, "bad-quantity", cell.place,
                 "%s '%s' is %.6g%s%s (allowed: 0 to %.3g)", what, cell.text, *mean,
                 units[dimension], varies ? " at the means of the job parameters" : "",
                 most[dimension]);
    return false;
}
