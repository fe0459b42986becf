/* The CSV files of a replay. */
#include "config.h"

#include "csvtab.h"
#include "figures.h"
#include "replay_files.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static bool holds_files(const char *path)
{
    DIR *dir = opendir(path);
    bool found = false;
    for (struct dirent *entry; dir && !found && (entry = readdir(dir)) != NULL;)
        found = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                strcmp(entry->d_name, SL_FOLDER_OWNER) != 0 && !sl_outfile_is_left(entry->d_name);
    if (dir)
        closedir(dir);
    return found;
}

static bool holds_replay(const char *dir)
{
    char path[4096];
    return snprintf(path, sizeof path, "%s/timeline.csv", dir) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

/* An earlier replay's, which would speak for repetitions that it did not count. */
static void remove_identity(const char *dir)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/replay.csv", dir) < (int)sizeof path)
        unlink(path);
}

enum sl_status sl_replay_files_open(struct sl_replay_files *files, bool force, struct sl_error *err)
{
    if (!files->dir)
        return SL_OK;
    bool taken = holds_files(files->dir);
    if (taken && !force)
        return SL_FAIL(err, SL_USAGE, "'%s' is not empty (--force replaces a replay in it)",
                       files->dir);
    if (taken && !holds_replay(files->dir))
        return SL_FAIL(err, SL_USAGE, "'%s' holds files, and none of them is a replay's",
                       files->dir);
    enum sl_status status = sl_make_dirs(files->dir, err);
    if (status == SL_OK)
        status = sl_folder_lock(files->dir, &files->lock, err);
    if (status == SL_OK && !sl_folder_remove(files->dir, sl_outfile_is_left))
        status = SL_FAIL(err, SL_SYSTEM, "cannot remove an old file in '%s': %s", files->dir,
                         strerror(errno));
    if (status == SL_OK)
        status = sl_outfile_open_in(&files->timeline, files->dir, "timeline.csv", err);
    if (status == SL_OK)
        status = sl_outfile_open_in(&files->repetitions, files->dir, "repetitions.csv", err);
    if (status != SL_OK)
        return status;
    remove_identity(files->dir);
    fputs("repetition,node,resource,ready_us,start_us,end_us,class,bytes\n",
          files->timeline.stream);
    fputs("repetition,makespan_us,sentinel_before_ns,sentinel_after_ns,regime,preemptions,"
          "reject_reason,timer,sm_mhz,throttled\n",
          files->repetitions.stream);
    return SL_OK;
}

static void put_us(FILE *out, int64_t ns)
{
    fprintf(out, ",%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
}

static void put_name(FILE *out, const char *name)
{
    putc(',', out);
    sl_csv_put(out, name);
}

/* What its work moves or touches; empty of a node that is no work of a class. */
static void put_bytes(FILE *out, const struct sl_replay_node *node)
{
    putc(',', out);
    if (node->act == SL_REPLAY_WORK && node->work.klass != SL_NONE)
        fprintf(out, "%" PRId64, node->work.bytes * node->pieces);
}

void sl_replay_files_add(struct sl_replay_files *files, uint32_t repetition,
                         const struct sl_replay_log *log, const char *regime, enum sl_reject reject)
{
    const struct sl_replay_plan *plan = files->plan;
    if (!files->dir)
        return;
    FILE *out = files->timeline.stream;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        const struct sl_replay_node *node = &plan->nodes[i];
        const struct sl_replay_times *times = &log->times[i];
        if (times->end_ns < 0)
            continue; /* it never came so far, or its record was lost */
        fprintf(out, "%" PRIu32, repetition);
        put_name(out, node->name);
        put_name(out, node->demands.count > 0
                          ? plan->resources[plan->demands[node->demands.first].resource].name
                          : "");
        put_us(out, times->ready_ns);
        put_us(out, times->start_ns);
        put_us(out, times->end_ns);
        put_name(out, node->class_name);
        put_bytes(out, node);
        putc('\n', out);
    }
    out = files->repetitions.stream;
    fprintf(out, "%" PRIu32, repetition);
    put_us(out, log->makespan_ns);
    sl_put_number(out, log->sentinel_before_ns);
    sl_put_number(out, log->sentinel_after_ns);
    put_name(out, regime);
    fprintf(out, ",%" PRIu64, log->preemptions);
    put_name(out, sl_reject_name(reject));
    put_name(out, log->timer ? log->timer : "");
    sl_put_number(out, log->sm_mhz);
    fprintf(out, ",%d\n", log->throttled);
}

enum sl_status sl_replay_files_commit(struct sl_replay_files *files, struct sl_error *err)
{
    if (!files->dir)
        return SL_OK;
    enum sl_status status = sl_outfile_commit(&files->timeline, err);
    return status == SL_OK ? sl_outfile_commit(&files->repetitions, err) : status;
}

void sl_replay_files_close(struct sl_replay_files *files)
{
    if (!files->dir)
        return;
    sl_outfile_abandon(&files->timeline);
    sl_outfile_abandon(&files->repetitions);
    sl_folder_unlock(files->dir, &files->lock);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

struct sheet {
    const struct sl_replay_verdict *verdict;
    const struct sl_replay_plan *plan;
    const struct sl_graph *graph;
};

static const char *class_name(const struct sheet *s, uint32_t klass)
{
    return klass == SL_NONE ? "" : s->graph->platform->kappa.classes.names[klass];
}

/* After error: "yes" or "no", nothing where an interval is not known. */
static void put_agreement(FILE *out, const struct sl_replay_match *match)
{
    sl_put_number(out, match->error);
    fprintf(out, ",%s", match->agree ? "yes" : isnan(match->error) ? "" : "no");
}

static void put_quantiles(FILE *out, const struct sheet *s)
{
    fputs("quantity,measured_us,measured_lo_us,measured_hi_us,projected_us,projected_lo_us,"
          "projected_hi_us,error,intervals_overlap,seen_projected_us,seen_projected_lo_us,"
          "seen_projected_hi_us,seen_error,seen_intervals_overlap,drift\n",
          out);
    for (int i = 0; i < SL_REPLAY_QUANTILES; i++) {
        const struct sl_replay_quantile *row = &s->verdict->quantiles[i];
        fputs(row->name, out);
        sl_put_estimate(out, row->measured);
        sl_put_estimate(out, row->calibrated.projected);
        put_agreement(out, &row->calibrated);
        sl_put_estimate(out, row->seen.projected);
        put_agreement(out, &row->seen);
        sl_put_number(out, row->drift);
        putc('\n', out);
    }
}

static void put_speeds(FILE *out, const struct sheet *s)
{
    fputs("class,size_bytes,regime,calibrated_us,seen_us,seen_lo_us,seen_hi_us,ratio,ratio_lo,"
          "ratio_hi,sessions_factor,within_sessions,shots,rejected\n",
          out);
    const struct sl_replay_beside *beside = s->verdict->beside;
    for (uint32_t i = 0; beside && i < beside->speed_count; i++) {
        const struct sl_replay_speed *row = &beside->speeds[i];
        bool known = !isnan(row->ratio.value) && !isnan(row->allowed);
        sl_csv_put(out, class_name(s, row->klass));
        sl_put_integer(out, row->bytes);
        put_name(out, row->regime);
        sl_put_number(out, row->calibrated_us);
        sl_put_estimate(out, row->seen_us);
        sl_put_estimate(out, row->ratio);
        sl_put_number(out, row->allowed);
        sl_put_text(out, !known ? "" : sl_replay_speed_is_usual(row) ? "yes" : "no");
        sl_put_integer(out, row->shots);
        sl_put_integer(out, row->rejected);
        putc('\n', out);
    }
}

static void put_deviations(FILE *out, const struct sheet *s)
{
    fputs("node,resource,class,projected_us,measured_us,share_of_makespan\n", out);
    for (uint32_t i = 0; i < s->verdict->deviation_count; i++) {
        const struct sl_replay_deviation *row = &s->verdict->deviations[i];
        const struct sl_replay_node *node = &s->plan->nodes[row->node];
        sl_csv_put(out, node->name);
        put_name(out, s->plan->resources[s->plan->demands[node->demands.first].resource].name);
        put_name(out, class_name(s, node->klass));
        sl_put_number(out, row->projected_us);
        sl_put_number(out, row->measured_us);
        sl_put_number(out, row->share);
        putc('\n', out);
    }
}

static void put_overlaps(FILE *out, const struct sheet *s)
{
    fputs("a,b,projected_us,measured_us\n", out);
    for (uint32_t i = 0; i < s->verdict->overlap_count; i++) {
        const struct sl_replay_overlap *row = &s->verdict->overlaps[i];
        sl_csv_put(out, class_name(s, row->a));
        put_name(out, class_name(s, row->b));
        sl_put_number(out, row->projected_us);
        sl_put_number(out, row->measured_us);
        putc('\n', out);
    }
}

static void put_slowdowns(FILE *out, const struct sheet *s)
{
    fputs("victim,set,kappa_seen,kappa_used,share_of_time\n", out);
    for (uint32_t i = 0; i < s->verdict->slowdown_count; i++) {
        const struct sl_replay_slowdown *row = &s->verdict->slowdowns[i];
        sl_csv_put(out, class_name(s, row->seen.klass));
        put_name(out, row->others);
        sl_put_number(out, row->seen.kappa);
        sl_put_number(out, row->used);
        sl_put_number(out, row->seen.share);
        putc('\n', out);
    }
}

static void put_orders(FILE *out, const struct sheet *s)
{
    fputs("resource,nodes,in_order_share,misplaced_mean\n", out);
    for (uint32_t i = 0; i < s->verdict->order_count; i++) {
        const struct sl_replay_order *row = &s->verdict->orders[i];
        sl_csv_put(out, s->plan->resources[row->resource].name);
        fprintf(out, ",%" PRIu32, row->nodes);
        sl_put_number(out, row->in_order);
        sl_put_number(out, row->misplaced);
        putc('\n', out);
    }
}

enum sl_status sl_replay_files_verdict(const struct sl_replay_files *files,
                                       const struct sl_replay_verdict *verdict,
                                       const struct sl_cell *cell, struct sl_error *err)
{
    static const struct {
        const char *name;
        void (*put)(FILE *out, const struct sheet *s);
    } sheets[] = {{"verdict.csv", put_quantiles},     {"drift.csv", put_speeds},
                  {"deviations.csv", put_deviations}, {"overlaps.csv", put_overlaps},
                  {"slowdowns.csv", put_slowdowns},   {"orders.csv", put_orders}};
    const struct sheet s = {verdict, files->plan, cell->plan.graph};
    enum sl_status status = SL_OK;
    for (size_t i = 0; files->dir && status == SL_OK && i < sizeof sheets / sizeof sheets[0]; i++) {
        struct sl_outfile file;
        status = sl_outfile_open_in(&file, files->dir, sheets[i].name, err);
        if (status != SL_OK)
            break;
        sheets[i].put(file.stream, &s);
        status = sl_outfile_commit(&file, err);
    }
    return status;
}
