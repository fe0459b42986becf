/* Options of `decide` that are about a record, and reading and writing one. */
#include "config.h"

#include "decide.h"
#include "decide_more.h"
#include "measuring.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum sl_status take_share(const char *value, double *share, struct sl_error *err)
{
    char why[SL_WHY_SIZE];
    return sl_parse_share(value, share, why) ? SL_OK
                                             : SL_FAIL(err, SL_USAGE, "--tolerance: %s", why);
}

static enum sl_status take_budget(const char *value, double *seconds, struct sl_error *err)
{
    char why[SL_WHY_SIZE];
    int64_t ps;
    if (!sl_parse_time(value, &ps, why))
        return SL_FAIL(err, SL_USAGE, "--budget: %s", why);
    *seconds = (double)ps / 1e12;
    return ps > 0 ? SL_OK : SL_FAIL(err, SL_USAGE, "--budget: a search takes time");
}

bool sl_decide_more_owns(int key)
{
    return key >= SL_DECIDE_MEASURED && key <= SL_DECIDE_BUDGET;
}

enum sl_status sl_decide_more_take(struct sl_decide_more *more, int key, const char *value,
                                   struct sl_error *err)
{
    switch (key) {
    case SL_DECIDE_MEASURED:
        more->measured = value;
        return SL_OK;
    case SL_DECIDE_MEASURED_BASELINE:
        more->baseline = value;
        return SL_OK;
    case SL_DECIDE_TOLERANCE:
        return take_share(value, &more->tolerance, err);
    case SL_DECIDE_COMPARE:
        more->compare = value;
        return SL_OK;
    case SL_DECIDE_REBASE:
        more->rebase = true;
        return SL_OK;
    case SL_DECIDE_DEVICE:
        more->device = value;
        return SL_OK;
    default:
        return take_budget(value, &more->budget_s, err);
    }
}

bool sl_decide_more_asked(const struct sl_decide_more *more)
{
    return more->measured || more->baseline || more->tolerance > 0 || more->compare ||
           more->rebase || more->device || more->budget_s > 0;
}

enum sl_status sl_decide_lock(struct sl_record_lock *lock, const char *operand,
                              struct sl_error *err)
{
    struct stat about;
    const char *slash = strrchr(operand, '/');
    bool folder = stat(operand, &about) == 0 && S_ISDIR(about.st_mode);
    int length = folder  ? snprintf(lock->dir, sizeof lock->dir, "%s", operand)
                 : slash ? snprintf(lock->dir, sizeof lock->dir, "%.*s",
                                    (int)(slash > operand ? slash - operand : 1), operand)
                         : snprintf(lock->dir, sizeof lock->dir, ".");
    if (length >= (int)sizeof lock->dir || stat(lock->dir, &about) != 0 ||
        !S_ISDIR(about.st_mode)) {
        lock->dir[0] = '\0'; /* who reads the record says what is wrong with the path */
        return SL_OK;
    }
    return sl_folder_lock_record(lock->dir, &lock->folder, err);
}

void sl_decide_unlock(struct sl_record_lock *lock)
{
    if (lock->dir[0])
        sl_folder_unlock(lock->dir, &lock->folder);
    lock->dir[0] = '\0';
}

enum sl_status sl_decide_read_record(struct sl_record *record, const char *operand,
                                     const char *scenario, char path[4096], struct sl_error *err)
{
    struct stat about;
    struct sl_diags diags = {0};
    bool folder = stat(operand, &about) == 0 && S_ISDIR(about.st_mode);
    int length = snprintf(path, 4096, "%s%s", operand, folder ? "/" SL_RECORD_FILE : "");
    sl_record_init(record);
    if (length >= 4096)
        return SL_FAIL(err, SL_USAGE, "the path of the record is too long");
    enum sl_status status = sl_record_read(record, path, &diags, err);
    sl_diags_print(&diags, stderr);
    if (status != SL_SYSTEM && diags.errors > 0)
        *err = (struct sl_error){0}; /* all are told already */
    sl_diags_free(&diags);
    return status == SL_OK && scenario ? sl_record_move(record, scenario, err) : status;
}

enum sl_status sl_decide_rewrite(struct sl_record *record, const char *path, const char *line,
                                 struct sl_error *err)
{
    const char *slash = strrchr(path, '/');
    char page[4096 + 16];
    snprintf(page, sizeof page, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, "decision.md");
    enum sl_status status = sl_decide_conclude(record, err);
    if (status == SL_OK)
        status = sl_decide_settle(record, line, err);
    if (status == SL_OK)
        status = sl_record_write(record, path, err);
    return status == SL_OK ? sl_decision_page_write(record, page, err) : status;
}

static enum sl_status check(const struct sl_decide_more *more, const struct sl_run_args *args)
{
    int asked = (more->measured != NULL) + (more->compare != NULL) + more->rebase;
    if (asked > 1)
        return sl_usage_error("decide", "--measured, --compare and --rebase exclude each other");
    if (!more->measured && (more->baseline || more->tolerance > 0))
        return sl_usage_error("decide", "--measured-baseline and --tolerance are about --measured");
    if (!more->rebase && (more->device || more->budget_s > 0))
        return sl_usage_error("decide", "--device and --budget are about --rebase");
    if (more->rebase && !more->device)
        return sl_usage_error("decide", "--rebase needs the folder of the other device (--device)");
    if (more->compare && more->scenario)
        return sl_usage_error("decide",
                              "--compare looks at no scenario: it goes without --scenario");
    if (args->override_count > 0)
        return sl_usage_error("decide", "--set goes with a scenario; a record has its settings");
    return SL_OK;
}

enum sl_status sl_decide_more_run(struct sl_decide_more *more, const struct sl_run_args *args,
                                  const char *operand, const char *line)
{
    struct sl_error err = {0};
    enum sl_status status = check(more, args);
    if (status != SL_OK)
        return status;
    more->trials = args->options.trials;
    more->threads = args->threads;
    more->json = args->json;
    status = more->compare  ? sl_decide_compared(more, operand, &err)
             : more->rebase ? sl_decide_rebased(more, operand, &err)
                            : sl_decide_measured(more, operand, line, &err);
    return err.status == SL_OK ? status : sl_report_error("decide", &err);
}
