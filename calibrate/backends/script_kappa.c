/* A script's planted slowdowns: rows of victim and set, and the rule by which other sets compose.
 */
#include "config.h"

#include "script_parts.h"
#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define PS_PER_NS    1000
#define MOST_RULES   32

/* The script's index of a class that is named, diagnosed when there is none. */
static bool class_index(const struct sl_script *script, const struct sl_reader *reader,
                        const char *name, struct sl_place place, uint32_t *index)
{
    const char *names[SL_SCRIPT_CLASSES_MAX];
    unsigned word;
    for (uint32_t i = 0; i < script->class_count; i++)
        names[i] = script->classes[i].name;
    if (!sl_value_choice(reader, name, place, "class", names, script->class_count, "unknown-class",
                         &word))
        return false;
    *index = word;
    return true;
}

static bool read_set(const struct sl_script *script, const struct sl_reader *reader,
                     const struct sl_yaml *node, struct sl_kappa_row *row)
{
    size_t count = 0;
    if (!sl_field_is(reader, node, SL_YAML_SCALAR, "set"))
        return false;
    char **names = sl_split(reader->arena, node->text, '+', &count);
    uint32_t *set = sl_script_array(reader, SL_SHOT_AGGRESSORS_MAX, sizeof *set);
    if (!names || !set)
        return false;
    if (count == 0 || count > SL_SHOT_AGGRESSORS_MAX) {
        sl_diags_add(reader->diags, SL_ERROR, "bad-set", node->place,
                     "set: %zu classes (allowed: 1 to %d)", count, SL_SHOT_AGGRESSORS_MAX);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!class_index(script, reader, names[i], node->place, &set[i]))
            return false;
    row->set = set;
    row->set_size = (uint32_t)count;
    return true;
}

static void read_where(const struct sl_script *script, const struct sl_reader *reader,
                       const struct sl_yaml *map, struct sl_script_row *row)
{
    static const char *const shapes[] = {"room", "fill"};
    unsigned word;
    row->shape = -1;
    row->regime = SL_NONE;
    if (sl_field_choice(reader, map, "shape", shapes, 2, &word))
        row->shape = (int)word;
    if (sl_field_choice(reader, map, "regime", script->regimes, script->regime_count, &word))
        row->regime = word;
}

static void read_row(struct sl_script *script, const struct sl_reader *reader,
                     const struct sl_yaml *map)
{
    static const char *const keys[] = {"victim", "set",   "kappa",       "shape", "regime",
                                       "exec",   "delay", "co_resident", "queues"};
    struct sl_script_row row = {.exec = (double)NAN, .co_resident = (double)NAN};
    sl_yaml_check_keys(map, keys, COUNT(keys), "a row of kappa", reader->diags);
    bool complete = true;
    for (size_t i = 0; i < 3; i++)
        complete &= sl_field_require(reader, map, keys[i], "a row of kappa");
    const char *victim;
    if (!complete || !sl_field_text(reader, map, "victim", &victim) ||
        !class_index(script, reader, victim, sl_yaml_get(map, "victim")->place,
                     &row.kappa.victim) ||
        !read_set(script, reader, sl_yaml_get(map, "set"), &row.kappa) ||
        !sl_field_number(reader, map, "kappa", 1, 1000, &row.kappa.kappa))
        return;
    row.kappa.lo = row.kappa.hi = row.kappa.kappa;
    row.kappa.place = map->place;
    read_where(script, reader, map, &row);
    sl_field_number(reader, map, "exec", 0.01, 1000, &row.exec);
    sl_script_time(reader, map, "delay", &row.delay_ns);
    sl_field_number(reader, map, "co_resident", 0, 1, &row.co_resident);
    row.queues = sl_script_flag(reader, map, "queues");
    script->rows[script->row_count++] = row;
}

static void read_rule(struct sl_script *script, const struct sl_reader *reader,
                      const struct sl_yaml *root)
{
    const char *words[MOST_RULES];
    size_t count = 0;
    for (; count < sl_kappa_rule_count() && count < MOST_RULES; count++)
        words[count] = sl_kappa_rule_get(count)->name;
    unsigned word;
    bool named = sl_field_choice(reader, root, "rule", words, count, &word);
    const char *name = named ? words[word] : "product";
    for (int r = 0; r < SL_SCRIPT_REGIMES_MAX; r++)
        for (int s = 0; s < 2; s++) {
            struct sl_kappa *table = &script->tables[r][s];
            table->rule_name = name;
            table->rule = sl_kappa_rule_find(name);
            table->unknown = SL_UNKNOWN_NUMBER;
            table->unknown_value = 1;
        }
}

void sl_script_read_kappas(struct sl_script *script, const struct sl_reader *reader,
                           const struct sl_yaml *root)
{
    read_rule(script, reader, root);
    const struct sl_yaml *list = sl_yaml_get(root, "kappa");
    if (!sl_field_is(reader, list, SL_YAML_LIST, "kappa") ||
        !sl_script_fits(reader, list, "rows of kappa", SL_SCRIPT_ROWS_MAX))
        return;
    script->rows = sl_script_array(reader, list->count, sizeof *script->rows);
    for (uint32_t i = 0; script->rows && i < list->count; i++)
        if (sl_field_is(reader, list->items[i], SL_YAML_MAP, "a row of kappa"))
            read_row(script, reader, list->items[i]);
}

/* The table of one regime and shape: the rows that hold there. */
static enum sl_status fill_table(struct sl_script *script, uint32_t regime, int shape,
                                 struct sl_diags *diags, struct sl_error *err)
{
    struct sl_kappa *table = &script->tables[regime][shape];
    enum sl_status status = SL_OK;
    for (uint32_t c = 0; c < script->class_count; c++)
        if (sl_names_add(&table->classes, script->classes[c].name) != c)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; status == SL_OK && i < script->row_count; i++) {
        const struct sl_script_row *row = &script->rows[i];
        if ((row->shape < 0 || row->shape == shape) &&
            (row->regime == SL_NONE || row->regime == regime))
            status = sl_kappa_add_row(table, row->kappa, &script->arena, diags, err);
    }
    return status == SL_OK ? sl_kappa_prepare(table, &script->arena, err) : status;
}

enum sl_status sl_script_prepare_kappas(struct sl_script *script, struct sl_error *err)
{
    struct sl_diags diags = {0};
    enum sl_status status = SL_OK;
    for (uint32_t r = 0; status == SL_OK && r < SL_SCRIPT_REGIMES_MAX; r++)
        for (int s = 0; status == SL_OK && s < 2; s++)
            status = fill_table(script, r, s, &diags, err);
    if (status == SL_OK)
        status = sl_diags_status(&diags, err);
    sl_diags_free(&diags);
    return status;
}
