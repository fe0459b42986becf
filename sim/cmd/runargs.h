/* Options of the commands that run cells. */
#ifndef SL_RUNARGS_H
#define SL_RUNARGS_H
#include "command.h"
#include "results.h"

#define SL_MAX_SETTINGS 64
#define SL_MAX_POLICIES 64

enum sl_run_key {
    SL_KEY_SET = SL_KEY_LONG,
    SL_KEY_TRIALS,
    SL_KEY_SEED,
    SL_KEY_THREADS,
    SL_KEY_FORCE,
    SL_KEY_RESUME,
    SL_KEY_RACE,
    SL_KEY_UNTIL,
    SL_KEY_AXIS,
    SL_KEY_MAP,
    SL_KEY_REFINE,
    SL_KEY_JSON
};

/* The table entries of the shared options; each command adds its own --policy. */
#define SL_RUN_OPTIONS                                                                             \
    {SL_KEY_SET, "set", "KEY=VALUE", "override a key of the scenario; may be repeated"},           \
        {SL_KEY_TRIALS, "trials", "N", "trials per cell (default: the scenario's)"},               \
        {SL_KEY_UNTIL, "until", "FIGURE:WIDTH",                                                    \
         "trials until the interval is as narrow (p99:1%)"},                                       \
        {SL_KEY_SEED, "seed", "S", "seed of every draw (default: the scenario's)"},                \
        {SL_KEY_THREADS, "threads", "T", "worker threads (default: one per core)"},                \
        {'o', "output", "DIR", "write a results folder"},                                          \
        {SL_KEY_FORCE, "force", NULL, "replace an earlier results folder"},                        \
    {                                                                                              \
        SL_KEY_JSON, "json", NULL, "print JSON instead of tables"                                  \
    }

struct sl_run_args {
    struct sl_arena arena;
    const char *policies[SL_MAX_POLICIES]; /* as named, each once */
    uint32_t policy_count;                 /* 0: none was named */
    const char *dir;
    struct sl_override overrides[SL_MAX_SETTINGS];
    struct sl_yaml *axes; /* of --axis, instead of the scenario's; NULL: none was given */
    /* Texts of --set, --axis and --policy, "no-axes", "race" and "map", for the manifest. */
    const char *settings[SL_MAX_SETTINGS + SL_MAX_POLICIES + 4];
    uint32_t override_count, setting_count;
    struct sl_run_options options;
    uint32_t threads; /* 0: one per core */
    uint32_t refine;  /* halvings of each edge of a map */
    bool force, resume, race, map, json;
};

/* A sl_option_taker; `user` is a struct sl_run_args. */
enum sl_status sl_run_args_take(void *user, int key, const char *value, struct sl_error *err);
/* "slackline run ..." as typed, in the arena; NULL: out of memory. */
const char *sl_run_args_command(struct sl_run_args *args, int argc, char **argv);
#endif
