/* Nsight Systems databases that a test builds itself, and what the reader makes of them. */
#ifndef SL_TEST_NSYSLAB_H
#define SL_TEST_NSYSLAB_H
#include "importer.h"
#include "tempdir.h"
#include <sqlite3.h>
#include <string.h>

/* The process of number `pid`, and thread `tid` of it. */
#define PID(pid)      ((pid)*INT64_C(16777216))
#define TID(pid, tid) (PID(pid) + (tid))

struct nsyslab {
    struct tempdir dir;
    char path[640];
    sqlite3 *db; /* NULL once the file is closed */
    struct sl_timeline timeline;
    struct sl_diags diags;
    struct sl_error err;
    enum sl_status status;
};

static inline void nsyslab_open(struct nsyslab *lab)
{
    memset(lab, 0, sizeof *lab);
    tempdir_make(&lab->dir);
    snprintf(lab->path, sizeof lab->path, "%s/report.sqlite", lab->dir.path);
    ck_assert_int_eq(sqlite3_open(lab->path, &lab->db), SQLITE_OK);
}

static inline void nsyslab_sql(struct nsyslab *lab, const char *sql)
{
    char *message = NULL;
    int code = sqlite3_exec(lab->db, sql, NULL, NULL, &message);
    ck_assert_msg(code == SQLITE_OK, "%s: %s", sql, message ? message : "");
}

static inline void nsyslab_close(struct nsyslab *lab)
{
    ck_assert_int_eq(sqlite3_close(lab->db), SQLITE_OK);
    lab->db = NULL;
}

static inline void nsyslab_forget(struct nsyslab *lab)
{
    sl_timeline_free(&lab->timeline);
    sl_diags_free(&lab->diags);
    lab->diags = (struct sl_diags){0};
    lab->err = (struct sl_error){0};
}

/* Reads the file, as often as a test wishes. */
static inline void nsyslab_import(struct nsyslab *lab)
{
    if (lab->db)
        nsyslab_close(lab);
    nsyslab_forget(lab);
    lab->status = sl_importer_nsys.read(lab->path, &lab->timeline, NULL, &lab->diags, &lab->err);
    if (lab->status == SL_OK)
        lab->status = sl_timeline_finish(&lab->timeline, &lab->err);
}

static inline void nsyslab_free(struct nsyslab *lab)
{
    nsyslab_forget(lab);
    sqlite3_close(lab->db);
    remove(lab->path);
    tempdir_remove(&lab->dir);
}

static inline const char *event_name(const struct nsyslab *lab, uint32_t event)
{
    return lab->timeline.names.names[lab->timeline.name[event]];
}

/* The first event of this name, SL_NONE when there is none. */
static inline uint32_t find_event(const struct nsyslab *lab, const char *name)
{
    for (uint32_t i = 0; i < lab->timeline.count; i++)
        if (strcmp(event_name(lab, i), name) == 0)
            return i;
    return SL_NONE;
}

/* The first diagnostic of this code, "" when there is none. */
static inline const char *said(const struct nsyslab *lab, const char *code)
{
    for (uint32_t i = 0; i < lab->diags.count; i++)
        if (strcmp(lab->diags.items[i].code, code) == 0)
            return lab->diags.items[i].message;
    return "";
}
#endif
