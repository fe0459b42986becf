/* Options, backend and cases of a calibration. */
#include "config.h"

#include "calibration.h"
#include "text.h"
#include "units.h"
#include <string.h>

#define MOST_BACKENDS 16

struct sl_calibration sl_calibration_defaults(void)
{
    return (struct sl_calibration){.seed = 1, .depth = sl_depth_quick};
}

static enum sl_status take_number(const char *option, const char *value, int64_t low, int64_t high,
                                  int64_t *number, struct sl_error *err)
{
    char why[SL_WHY_SIZE];
    return sl_parse_integer(value, low, high, number, why)
               ? SL_OK
               : SL_FAIL(err, SL_USAGE, "--%s: %s", option, why);
}

static enum sl_status take_depth(struct sl_calibration *calibration, const struct sl_depth *depth,
                                 struct sl_error *err)
{
    if (calibration->depth_given && strcmp(calibration->depth.name, depth->name) != 0)
        return SL_FAIL(err, SL_USAGE, "--quick and --full exclude each other");
    calibration->depth = *depth;
    calibration->depth_given = true;
    return SL_OK;
}

enum sl_status sl_calibration_take(struct sl_calibration *calibration, int key, const char *value,
                                   struct sl_error *err)
{
    int64_t number = 0;
    enum sl_status status = SL_OK;
    switch (key) {
    case 'b':
        calibration->backend_name = value;
        break;
    case SL_KEY_SCRIPT:
        calibration->script = value;
        break;
    case SL_KEY_DEVICE:
        status = take_number("device", value, 0, 1023, &number, err);
        calibration->device = (uint32_t)number;
        break;
    case SL_KEY_QUICK:
        status = take_depth(calibration, &sl_depth_quick, err);
        break;
    case SL_KEY_FULL:
        status = take_depth(calibration, &sl_depth_full, err);
        break;
    case SL_KEY_CASES:
        calibration->globs = value;
        break;
    case SL_KEY_FROM:
        calibration->from = value;
        break;
    case 'S':
        status = take_number("seed", value, 0, INT64_MAX, &number, err);
        calibration->seed = (uint64_t)number;
        break;
    case 'o':
        if (!value[0]) /* DIR/sessions would be at the root */
            return SL_FAIL(err, SL_USAGE, "--output: the name of the folder is empty");
        calibration->dir = value;
        break;
    default:
        return SL_FAIL(err, SL_USAGE, "unknown option");
    }
    return status;
}

static enum sl_status find_backend(struct sl_calibration *calibration, struct sl_error *err)
{
    const char *name = calibration->backend_name, *names[MOST_BACKENDS];
    char hint[256] = "";
    size_t count = 0;
    for (; count < sl_backend_count() && count < MOST_BACKENDS; count++)
        names[count] = sl_backend_get(count)->name;
    if (!name)
        return SL_FAIL(err, SL_USAGE, "--backend is missing: cuda, cpu or script");
    calibration->backend = sl_backend_find(name);
    if (!calibration->backend) {
        sl_suggest(hint, sizeof hint, name, names, count);
        return SL_FAIL(err, SL_USAGE, "unknown backend '%s'%s", name, hint);
    }
    if (calibration->backend->missing)
        return SL_FAIL(err, SL_SYSTEM, "backend %s is not in this build: %s", name,
                       calibration->backend->missing);
    if (calibration->script && strcmp(name, "script") != 0)
        return SL_FAIL(err, SL_USAGE, "--script is for --backend script");
    if (calibration->device > 0 && strcmp(name, "cuda") != 0)
        return SL_FAIL(err, SL_USAGE, "--device is for --backend cuda");
    return SL_OK;
}

enum sl_status sl_calibration_open(struct sl_calibration *calibration, uint32_t session,
                                   struct sl_error *err)
{
    enum sl_status status = find_backend(calibration, err);
    if (status != SL_OK)
        return status;
    const struct sl_backend *backend = calibration->backend;
    struct sl_bench_options options = {
        .seed = sl_session_seed_of(calibration->seed, session),
        .script = calibration->script,
        .device = calibration->device,
    };
    status = backend->open(&calibration->bench, &options, err);
    if (status != SL_OK)
        return status;
    struct sl_case_request request = {
        .actors_max = backend->layout(calibration->bench)->actors_max,
        .seed = calibration->seed,
        .globs = calibration->globs,
    };
    request.classes = backend->classes(calibration->bench, &request.class_count);
    if (calibration->from) {
        status = sl_workload_read(&calibration->workload, calibration->from, err);
        if (status == SL_OK)
            status = sl_workload_narrow(&calibration->workload, &request.classes,
                                        request.class_count, err);
        if (status != SL_OK)
            return status;
    }
    return sl_case_list_make(&calibration->cases, &request, err);
}

enum sl_status sl_calibration_check_cases(const struct sl_calibration *calibration,
                                          struct sl_error *err)
{
    const struct sl_case_list *cases = &calibration->cases;
    for (uint32_t i = 0; i < cases->count; i++)
        if (!cases->cases[i].waived)
            return SL_OK;
    return SL_FAIL(err, SL_USAGE,
                   "there is nothing to measure: all %u cases are waived, such as %s: %s (--list "
                   "prints why)",
                   cases->count, cases->cases[0].key, cases->cases[0].waived);
}

/* The facts that identify the machine, one of which `accept` must name. */
static enum sl_status check_accept(const struct sl_fingerprint *machine, const char *accept,
                                   struct sl_error *err)
{
    char facts[256] = "";
    for (uint32_t i = 0; i < machine->identity_count; i++) {
        size_t used = strlen(facts);
        if (sl_glob_any(accept, machine->facts[i].key))
            return SL_OK;
        snprintf(facts + used, sizeof facts - used, "%s%s", i > 0 ? ", " : "",
                 machine->facts[i].key);
    }
    return SL_FAIL(err, SL_USAGE, "--accept: '%s' names no fact that is compared (allowed: %s)",
                   accept, facts);
}

enum sl_status sl_calibration_check_machine(const struct sl_calibration *calibration,
                                            const struct sl_table_head *head, const char *accept,
                                            struct sl_error *err)
{
    const struct sl_fingerprint *machine = calibration->backend->fingerprint(calibration->bench);
    enum sl_status status = accept ? check_accept(machine, accept, err) : SL_OK;
    for (uint32_t i = 0; status == SL_OK && i < machine->identity_count; i++) {
        const struct sl_fact *fact = &machine->facts[i];
        if (sl_table_head_agrees(head, fact->key, fact->value))
            continue;
        const char *found = sl_table_head_find(head, fact->key)->value;
        if (!accept || !sl_glob_any(accept, fact->key))
            return SL_FAIL(err, SL_USAGE,
                           "the tables are of another machine: their %s is '%s', here it is '%s' "
                           "(--accept=%s compares all the same)",
                           fact->key, found, fact->value, fact->key);
        fprintf(stderr, "%s differs: '%s' in the tables, '%s' here\n", fact->key, found,
                fact->value);
    }
    return status;
}

struct sl_session_identity sl_calibration_identity(const struct sl_calibration *calibration)
{
    return (struct sl_session_identity){
        .backend = calibration->backend,
        .fingerprint = calibration->backend->fingerprint(calibration->bench),
        .depth = &calibration->depth,
        .cases = &calibration->cases,
        .seed = calibration->seed,
    };
}

void sl_calibration_close(struct sl_calibration *calibration)
{
    sl_case_list_free(&calibration->cases);
    sl_workload_free(&calibration->workload);
    if (calibration->bench)
        calibration->backend->close(calibration->bench);
    calibration->bench = NULL;
}
