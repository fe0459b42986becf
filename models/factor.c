/* The section `factors` of a device or a scenario. */
#include <config.h>

#include "factor.h"
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool bad_regime(const struct sl_reader *reader, const struct sl_yaml *node, const char *why)
{
    sl_diags_add(reader->diags, SL_ERROR, "bad-distribution", node->place,
                 "'%s': %s; write regime(p=0.05, level=2, dwell=10ms)", node->text, why);
    return false;
}

/* regime(p, level, dwell), by name or position. */
static bool read_regime(const struct sl_reader *reader, const struct sl_yaml *node,
                        struct sl_factor *factor)
{
    static const char *const names[] = {"p", "level", "dwell"};
    size_t length = strlen(node->text), count = 0;
    if (node->text[length - 1] != ')')
        return bad_regime(reader, node, "unbalanced parenthesis");
    const char *inside = sl_arena_printf(reader->arena, "%.*s", (int)(length - 8), node->text + 7);
    char **parts = inside ? sl_split(reader->arena, inside, ',', &count) : NULL;
    const char *given[3] = {NULL, NULL, NULL};
    for (size_t i = 0; parts && i < count; i++) {
        char *equals = strchr(parts[i], '=');
        size_t at = i;
        if (equals) {
            size_t end = (size_t)(equals - parts[i]);
            while (end > 0 && parts[i][end - 1] == ' ')
                end--;
            for (at = 0; at < 3; at++)
                if (strlen(names[at]) == end && strncmp(names[at], parts[i], end) == 0)
                    break;
        }
        if (at >= 3)
            return bad_regime(reader, node, "unknown parameter");
        if (given[at])
            return bad_regime(reader, node, "a parameter is given twice");
        given[at] = equals ? equals + 1 + strspn(equals + 1, " ") : parts[i];
    }
    if (!given[0] || !given[1] || !given[2])
        return bad_regime(reader, node, "a parameter is missing");
    factor->is_regime = true;
    bool good = sl_value_number(reader, given[0], node->place, "p", 0.0, 1.0, &factor->p);
    good &= sl_value_number(reader, given[1], node->place, "level", 1e-6, 1e6, &factor->level);
    good &= sl_value_time(reader, given[2], node->place, "dwell", &factor->dwell_ps);
    if (good && factor->dwell_ps == 0)
        return bad_regime(reader, node, "a dwell of nothing");
    return good;
}

static void read_draw(const struct sl_reader *reader, const struct sl_yaml *map,
                      struct sl_factor *factor)
{
    const struct sl_yaml *draw = sl_yaml_get(map, "draw");
    bool known = factor->draw || factor->is_regime;
    if ((!draw && known) || !sl_field_require(reader, map, "draw", "a factor") ||
        !sl_field_is(reader, draw, SL_YAML_SCALAR, "draw"))
        return;
    factor->draw = NULL;
    factor->is_regime = false;
    if (strncmp(draw->text, "regime(", 7) == 0)
        read_regime(reader, draw, factor);
    else
        sl_value_dist(reader, draw->text, draw->place, "draw", SL_DIST_NUMBER, &factor->draw);
}

static void read_factor(const struct sl_reader *reader, const struct sl_yaml *map,
                        struct sl_factor *factor)
{
    static const char *const keys[] = {"draw",   "per",  "classes", "nodes",
                                       "routes", "with", "evidence"};
    static const char *const pers[] = {"trial", "iteration", "job"};
    sl_yaml_check_keys(map, keys, COUNT(keys), "a factor", reader->diags);
    read_draw(reader, map, factor);
    unsigned word;
    if (sl_field_choice(reader, map, "per", pers, 3, &word)) {
        factor->scope = word == 1 ? SL_SCOPE_ITERATION : SL_SCOPE_JOB;
        if (factor->is_regime)
            sl_diags_add(reader->diags, SL_WARNING, "unused-parameter",
                         sl_yaml_get(map, "per")->place,
                         "factor '%s': per changes nothing, a regime switches in simulated time",
                         factor->name);
    }
    sl_field_words(reader, map, "classes", &factor->classes);
    sl_field_words(reader, map, "nodes", &factor->nodes);
    sl_field_words(reader, map, "routes", &factor->routes);
    const char *with;
    if (sl_field_text(reader, map, "with", &with) &&
        sl_value_name(reader, with, sl_yaml_get(map, "with")->place, "factor", ";"))
        factor->with = strcmp(with, "none") == 0 ? NULL : with;
    sl_field_evidence(reader, map, &factor->evidence);
}

static uint32_t find(const struct sl_factors *factors, const char *name)
{
    uint32_t at = 0;
    while (at < factors->count && strcmp(factors->items[at].name, name) != 0)
        at++;
    return at;
}

/* `NAME: none` */
static void take_away(struct sl_factors *factors, const struct sl_reader *reader, const char *name,
                      struct sl_place place)
{
    uint32_t at = find(factors, name);
    if (at < factors->count) {
        memmove(&factors->items[at], &factors->items[at + 1],
                (--factors->count - at) * sizeof *factors->items);
        return;
    }
    const char *names[SL_MOST_FACTORS];
    char hint[512] = "";
    for (uint32_t f = 0; f < factors->count; f++)
        names[f] = factors->items[f].name;
    sl_suggest(hint, sizeof hint, name, names, factors->count);
    sl_diags_add(reader->diags, SL_ERROR, "unknown-factor", place,
                 "factor '%s: none': there is no such factor to take away%s", name, hint);
}

/* The factor of that name, added when new; NULL: it cannot be had, which was told. */
static struct sl_factor *declare(struct sl_factors *factors, const struct sl_reader *reader,
                                 const char *name, struct sl_place place)
{
    uint32_t at = find(factors, name);
    if (at < factors->count)
        return &factors->items[at];
    if (at == SL_MOST_FACTORS) {
        sl_diags_add(reader->diags, SL_ERROR, "too-many", place,
                     "factor '%s' is one too many (allowed: %d)", name, SL_MOST_FACTORS);
        return NULL;
    }
    if (!sl_grow((void **)&factors->items, &factors->capacity, at + 1, sizeof *factors->items)) {
        sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", place, "out of memory");
        return NULL;
    }
    factors->items[factors->count++] = (struct sl_factor){.name = name, .scope = SL_SCOPE_JOB};
    return &factors->items[at];
}

void sl_factors_read(struct sl_factors *factors, const struct sl_reader *reader,
                     const struct sl_yaml *section, bool is_device)
{
    if (!sl_field_is(reader, section, SL_YAML_MAP, "factors"))
        return;
    for (uint32_t i = 0; i < section->count; i++) {
        const struct sl_yaml *item = section->items[i];
        const char *name = section->keys[i];
        struct sl_place place = section->key_places[i];
        if (!sl_value_name(reader, name, place, "factor", ";"))
            continue;
        if (item->type == SL_YAML_SCALAR && strcmp(item->text, "none") == 0) {
            take_away(factors, reader, name, place);
            continue;
        }
        struct sl_factor *factor = declare(factors, reader, name, place);
        if (!factor)
            return;
        factor->place = place;
        if (!sl_field_is(reader, item, SL_YAML_MAP, name))
            continue;
        read_factor(reader, item, factor);
        if (is_device)
            sl_field_require(reader, item, "evidence", "a device's factor");
    }
}

/* Why two factors cannot take the random number that `factor` goes with; NULL: they can, or the
 * other one does not want to. */
static const char *apart(const struct sl_factor *factor, const struct sl_factor *other)
{
    bool named = strcmp(other->name, factor->with) == 0;
    if (!named && (!other->with || strcmp(other->with, factor->with) != 0))
        return NULL;
    if (factor->is_regime || other->is_regime)
        return "a regime draws numbers of its own, one after the other";
    if (named && other->with)
        return "it has none of its own, but goes with another factor; name that one";
    return factor->scope != other->scope ? "both must have the same `per`" : NULL;
}

void sl_factors_check(const struct sl_factors *factors, struct sl_diags *diags)
{
    for (uint32_t f = 0; f < factors->count; f++) {
        const struct sl_factor *factor = &factors->items[f];
        const char *why = NULL;
        for (uint32_t k = 0; factor->with && !why && k < factors->count; k++)
            if ((why = apart(factor, &factors->items[k])) != NULL)
                sl_diags_add(diags, SL_ERROR, "bad-with", factor->place,
                             "factor '%s' cannot go with '%s', because of '%s': %s", factor->name,
                             factor->with, factors->items[k].name, why);
    }
}

void sl_factors_free(struct sl_factors *factors)
{
    free(factors->items);
    *factors = (struct sl_factors){0};
}
