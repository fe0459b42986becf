/* The template registry, and the reading of KEY=VALUE settings against a template's parameters. */
#include "config.h"

#include "outfile.h"
#include "template_config.h"
#include "templates.h"
#include "text.h"
#include "units.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MAX_PARAMS 64

#define SL_TEMPLATE(symbol) extern const struct sl_template symbol;
#include "templates.def"
#undef SL_TEMPLATE

static const struct sl_template *const templates[] = {
#define SL_TEMPLATE(symbol) &symbol,
#include "templates.def"
#undef SL_TEMPLATE
};

size_t sl_template_count(void)
{
    return sizeof templates / sizeof templates[0];
}

const struct sl_template *sl_template_get(size_t index)
{
    return templates[index];
}

const struct sl_template *sl_template_find(const char *name)
{
    for (size_t i = 0; i < sl_template_count(); i++)
        if (strcmp(templates[i]->name, name) == 0)
            return templates[i];
    return NULL;
}

static bool is_one_of(const char *words, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = words; *at;) {
        size_t word = strcspn(at, ";");
        if (word == length && memcmp(at, text, length) == 0)
            return true;
        at += word + (at[word] == ';');
    }
    return false;
}

static enum sl_status read_value(const struct sl_template_param *param, const char *text,
                                 struct sl_template_value *value, struct sl_error *err)
{
    char why[SL_WHY_SIZE] = "";
    int64_t whole = 0;
    value->text = text;
    switch (param->kind) {
    case SL_TEMPLATE_INTEGER:
        if (!sl_parse_integer(text, (int64_t)param->min, (int64_t)param->max, &whole, why))
            return SL_FAIL(err, SL_USAGE, "parameter '%s': %s", param->name, why);
        value->number = (double)whole;
        break;
    case SL_TEMPLATE_NUMBER:
        if (!sl_parse_number(text, &value->number, why))
            return SL_FAIL(err, SL_USAGE, "parameter '%s': %s", param->name, why);
        if (!(value->number >= param->min && value->number <= param->max))
            return SL_FAIL(err, SL_USAGE, "parameter '%s': %s is outside %g to %g", param->name,
                           text, param->min, param->max);
        break;
    case SL_TEMPLATE_TEXT:
        if (param->words && !is_one_of(param->words, text))
            return SL_FAIL(err, SL_USAGE, "parameter '%s': '%s' is none of %s", param->name, text,
                           param->words);
        /* The text goes into YAML and CSV as it is. */
        if (!*text || strpbrk(text, "\"'\n\r,#{}[]&*!|>%@`\\"))
            return SL_FAIL(err, SL_USAGE,
                           "parameter '%s' is empty or holds a character that a plain YAML text "
                           "cannot hold",
                           param->name);
        break;
    }
    return SL_OK;
}

static enum sl_status unknown_word(const char *what, const char *word, size_t length,
                                   const char *const *known, size_t count, struct sl_error *err)
{
    char copy[64], hint[256] = "";
    snprintf(copy, sizeof copy, "%.*s", (int)(length < 63 ? length : 63), word);
    sl_suggest(hint, sizeof hint, copy, known, count);
    return SL_FAIL(err, SL_USAGE, "unknown %s '%s'%s", what, copy, hint);
}

/* What the settings say; a parameter without `text` is not set. */
struct reading {
    const struct sl_template *template;
    struct sl_template_value values[MAX_PARAMS];
    const char *config; /* the path of config.json; NULL: none */
};

static bool has_config(const struct sl_template *template)
{
    bool has = false;
    for (size_t i = 0; i < template->param_count && !has; i++)
        has = template->params[i].config != NULL;
    return has;
}

static enum sl_status read_setting(struct reading *r, const char *setting, struct sl_error *err)
{
    const struct sl_template *template = r->template;
    const char *equals = strchr(setting, '=');
    if (!equals || equals == setting)
        return SL_FAIL(err, SL_USAGE, "'%s' is not of the form KEY=VALUE", setting);
    size_t length = (size_t)(equals - setting);
    if (has_config(template) && length == 6 && memcmp(setting, "config", 6) == 0) {
        r->config = equals + 1;
        return SL_OK;
    }
    const char *known[MAX_PARAMS];
    for (size_t i = 0; i < template->param_count; i++) {
        const char *name = template->params[i].name;
        if (strlen(name) == length && memcmp(name, setting, length) == 0)
            return read_value(&template->params[i], equals + 1, &r->values[i], err);
        known[i] = name;
    }
    return unknown_word("template parameter", setting, length, known, template->param_count, err);
}

/* Of what is not set, what the model's file says.  A figure that it should have and has not is not
 * guessed. */
static enum sl_status read_config(struct reading *r, struct sl_template_config *config,
                                  struct sl_error *err)
{
    enum sl_status status = sl_template_config_read(config, r->config, err);
    if (status == SL_OK && r->template->refused)
        status = sl_template_config_refuse(config, r->template->refused, r->template->name, err);
    for (size_t i = 0; status == SL_OK && i < r->template->param_count; i++) {
        const struct sl_template_param *param = &r->template->params[i];
        if (r->values[i].text || !param->config)
            continue;
        const char *text = sl_template_config_find(config, param->config);
        struct sl_error local = {0};
        if (!text && param->config[strlen(param->config) - 1] == ';')
            continue;
        if (!text)
            status = SL_FAIL(err, SL_USAGE, "'%s' has no %s; say it with --set %s=...", r->config,
                             param->config, param->name);
        else if (read_value(param, text, &r->values[i], &local) != SL_OK)
            status = SL_FAIL(err, SL_USAGE, "'%s': %s", r->config, local.message);
    }
    return status;
}

static enum sl_status read_settings(struct reading *r, const char *const *settings, size_t count,
                                    struct sl_template_config *config, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (size_t i = 0; status == SL_OK && i < count; i++)
        status = read_setting(r, settings[i], err);
    if (status == SL_OK && r->config)
        status = read_config(r, config, err);
    for (size_t i = 0; status == SL_OK && i < r->template->param_count; i++)
        if (!r->values[i].text)
            status = read_value(&r->template->params[i], r->template->params[i].initial,
                                &r->values[i], err);
    return status;
}

static enum sl_status write_folder(const struct reading *r, const char *dir, bool force,
                                   struct sl_error *err)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/scenario.yaml", dir) >= (int)sizeof path)
        return SL_FAIL(err, SL_USAGE, "the path '%.80s...' is too long", dir);
    if (!force && access(path, F_OK) == 0)
        return SL_FAIL(err, SL_USAGE, "'%s' exists already (--force overwrites it)", path);
    bool ours = access(dir, F_OK) != 0;
    enum sl_status status = sl_make_dirs(dir, err);
    if (status == SL_OK)
        status = r->template->write(dir, r->values, err);
    if (status != SL_OK && ours)
        rmdir(dir); /* a folder that holds something stays */
    return status;
}

enum sl_status sl_template_generate(const char *name, const char *dir, const char *const *settings,
                                    size_t setting_count, bool force, struct sl_error *err)
{
    const struct sl_template *template = sl_template_find(name);
    if (!template) {
        const char *known[sizeof templates / sizeof templates[0]];
        for (size_t i = 0; i < sl_template_count(); i++)
            known[i] = templates[i]->name;
        return unknown_word("template", name, strlen(name), known, sl_template_count(), err);
    }
    if (template->param_count > MAX_PARAMS)
        return SL_FAIL(err, SL_SYSTEM, "template '%s' has too many parameters", name);
    struct reading reading = {.template = template};
    struct sl_template_config config = {0};
    enum sl_status status = read_settings(&reading, settings, setting_count, &config, err);
    if (status == SL_OK)
        status = write_folder(&reading, dir, force, err);
    sl_template_config_free(&config);
    return status;
}
