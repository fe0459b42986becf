/* Options of the commands that run cells. */
#include "runargs.h"
#include "units.h"
#include <string.h>

#define MAX_TRIALS  100000000
#define MAX_THREADS 1024
#define MAX_REFINE  20

static enum sl_status take_integer(const char *option, const char *text, int64_t low, int64_t high,
                                   int64_t *value, struct sl_error *err)
{
    char why[SL_WHY_SIZE] = "";
    if (sl_parse_integer(text, low, high, value, why))
        return SL_OK;
    return SL_FAIL(err, SL_USAGE, "--%s: %s", option, why);
}

static enum sl_status take_set(struct sl_run_args *args, const char *text, struct sl_error *err)
{
    if (args->override_count == SL_MAX_SETTINGS)
        return SL_FAIL(err, SL_USAGE, "more than %d --set options", SL_MAX_SETTINGS);
    struct sl_error local = {0};
    enum sl_status status =
        sl_override_parse(&args->overrides[args->override_count], text, &args->arena, &local);
    if (status != SL_OK)
        return SL_FAIL(err, status == SL_SYSTEM ? SL_SYSTEM : SL_USAGE, "--set %s: %s", text,
                       local.message);
    args->override_count++;
    args->settings[args->setting_count++] = text;
    return SL_OK;
}

/* The first one replaces all axes of the scenario: an override of `sweep`. */
static enum sl_status open_axes(struct sl_run_args *args, struct sl_error *err)
{
    if (args->override_count == SL_MAX_SETTINGS)
        return SL_FAIL(err, SL_USAGE, "more than %d --set options", SL_MAX_SETTINGS);
    args->axes = sl_arena_alloc(&args->arena, sizeof *args->axes);
    if (!args->axes)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    *args->axes = (struct sl_yaml){.type = SL_YAML_MAP, .place = {.file = "--axis"}};
    args->overrides[args->override_count++] =
        (struct sl_override){.path = "sweep", .value = args->axes};
    return SL_OK;
}

/* KEY=V1,V2,... */
static enum sl_status take_axis(struct sl_run_args *args, const char *text, struct sl_error *err)
{
    const char *equals = strchr(text, '=');
    struct sl_arena *arena = &args->arena;
    struct sl_error local = {0};
    if (!equals || equals == text || !equals[1])
        return SL_FAIL(err, SL_USAGE, "--axis %s: expected KEY=VALUE,VALUE,...", text);
    if (args->setting_count >= SL_MAX_SETTINGS)
        return SL_FAIL(err, SL_USAGE, "more than %d --set and --axis options", SL_MAX_SETTINGS);
    const char *key = sl_arena_printf(arena, "%.*s", (int)(equals - text), text);
    const char *list = sl_arena_printf(arena, "[%s]", equals + 1);
    const char *setting = sl_arena_printf(arena, "axis=%s", text);
    if (!key || !list || !setting)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (sl_yaml_get(args->axes, key))
        return SL_FAIL(err, SL_USAGE, "--axis %s is given twice", key);
    enum sl_status status = args->axes ? SL_OK : open_axes(args, err);
    struct sl_yaml *values = NULL;
    if (status == SL_OK &&
        (status = sl_yaml_parse(list, strlen(list), "--axis", arena, &values, &local)) != SL_OK)
        return SL_FAIL(err, status == SL_SYSTEM ? SL_SYSTEM : SL_USAGE, "--axis %s: %s", text,
                       local.message);
    if (status == SL_OK)
        status = sl_yaml_put(args->axes, key, values, arena, err);
    if (status == SL_OK)
        args->settings[args->setting_count++] = setting;
    return status;
}

static enum sl_status take_policy(struct sl_run_args *args, const char *name, struct sl_error *err)
{
    for (uint32_t i = 0; i < args->policy_count; i++)
        if (strcmp(args->policies[i], name) == 0)
            return SL_FAIL(err, SL_USAGE, "--policy %s is given twice", name);
    if (args->policy_count == SL_MAX_POLICIES)
        return SL_FAIL(err, SL_USAGE, "more than %d --policy options", SL_MAX_POLICIES);
    args->policies[args->policy_count++] = name;
    return SL_OK;
}

static enum sl_status take_until(struct sl_run_args *args, const char *text, struct sl_error *err)
{
    struct sl_until *until = &args->options.until;
    char why[SL_WHY_SIZE];
    if (until->width > 0)
        return SL_FAIL(err, SL_USAGE, "--until is given twice, as %s and %s; one figure at a time",
                       until->text, text);
    if (!sl_until_parse(until, text, why))
        return SL_FAIL(err, SL_USAGE, "--until: %s", why);
    return SL_OK;
}

enum sl_status sl_run_args_take(void *user, int key, const char *value, struct sl_error *err)
{
    struct sl_run_args *args = user;
    int64_t number = 0;
    enum sl_status status = SL_OK;
    switch (key) {
    case 'p':
        status = take_policy(args, value, err);
        break;
    case 'o':
        args->dir = value;
        break;
    case SL_KEY_SET:
        status = take_set(args, value, err);
        break;
    case SL_KEY_TRIALS:
        status = take_integer("trials", value, 1, MAX_TRIALS, &number, err);
        args->options.trials = (uint32_t)number;
        break;
    case SL_KEY_SEED:
        status = take_integer("seed", value, 0, INT64_MAX, &number, err);
        args->options.seed = (uint64_t)number;
        args->options.seed_given = true;
        break;
    case SL_KEY_THREADS:
        status = take_integer("threads", value, 1, MAX_THREADS, &number, err);
        args->threads = (uint32_t)number;
        break;
    case SL_KEY_FORCE:
        args->force = true;
        break;
    case SL_KEY_RESUME:
        args->resume = true;
        break;
    case SL_KEY_UNTIL:
        status = take_until(args, value, err);
        break;
    case SL_KEY_RACE:
        args->race = true;
        break;
    case SL_KEY_AXIS:
        status = take_axis(args, value, err);
        break;
    case SL_KEY_MAP:
        args->map = true;
        break;
    case SL_KEY_REFINE:
        status = take_integer("refine", value, 0, MAX_REFINE, &number, err);
        args->refine = (uint32_t)number;
        break;
    default:
        args->json = true;
        break;
    }
    return status;
}

const char *sl_run_args_command(struct sl_run_args *args, int argc, char **argv)
{
    size_t size = sizeof "slackline";
    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    char *text = sl_arena_alloc(&args->arena, size);
    if (!text)
        return NULL;
    strcpy(text, "slackline");
    for (int i = 0; i < argc; i++) {
        strcat(text, " ");
        strcat(text, argv[i]);
    }
    return text;
}
