/* What `measure` and `session` do alike: the options that say what is measured, and the backend and
 * cases that they come to. */
#ifndef SL_CALIBRATION_H
#define SL_CALIBRATION_H
#include "command.h"
#include "session_csv.h"
#include "table_head.h"
#include "workload.h"

enum {
    SL_KEY_SCRIPT = SL_KEY_LONG,
    SL_KEY_DEVICE,
    SL_KEY_QUICK,
    SL_KEY_FULL,
    SL_KEY_CASES,
    SL_KEY_FROM,
    SL_KEY_OWN, /* of one command: from here on */
};
#define SL_CALIBRATION_OPTIONS                                                                     \
    {'b', "backend", "NAME", "what runs the work: cuda, cpu or script"},                           \
        {SL_KEY_SCRIPT, "script", "FILE", "the machine that backend script plays"},                \
        {SL_KEY_DEVICE, "device", "N", "the GPU's number; 0 by default"},                          \
        {SL_KEY_QUICK, "quick", NULL, "3 sessions, a minute or two: the default"},                 \
        {SL_KEY_FULL, "full", NULL, "8 sessions with more shots of works alone"},                  \
        {SL_KEY_CASES, "cases", "GLOBS",                                                           \
         "only cases whose key matches one of these, ';' between"},                                \
        {SL_KEY_FROM, "from", "PATH", "only the classes of a scenario or trace, at its sizes"},  \
        {'S', "seed", "N", "draws sets, partial overlaps and the order; 1 by default"},            \
    {                                                                                              \
        'o', "output", "DIR", "the device folder"                                                  \
    }

struct sl_calibration {
    /* As given. */
    const char *backend_name, *script, *globs, *from, *dir;
    uint64_t seed;
    uint32_t device;
    struct sl_depth depth;
    bool depth_given;
    /* Opened. */
    const struct sl_backend *backend;
    struct sl_bench *bench;
    struct sl_workload workload; /* of `from` */
    struct sl_case_list cases;
};

/* What holds without options. */
struct sl_calibration sl_calibration_defaults(void);
/* Takes one of SL_CALIBRATION_OPTIONS. */
enum sl_status sl_calibration_take(struct sl_calibration *calibration, int key, const char *value,
                                   struct sl_error *err) SL_NODISCARD;
/* Opens the backend, `session` of it (0: none, to look at it only), and lists the cases. */
enum sl_status sl_calibration_open(struct sl_calibration *calibration, uint32_t session,
                                   struct sl_error *err) SL_NODISCARD;
/* SL_USAGE where every case is waived. */
enum sl_status sl_calibration_check_cases(const struct sl_calibration *calibration,
                                          struct sl_error *err) SL_NODISCARD;
/* Refuses measured tables of another machine: SL_USAGE at the first fact of identity in which the
 * opened one differs and which `accept` (globs joined by ';', NULL: none) doesn't name; those that
 * it names are told on stderr. */
enum sl_status sl_calibration_check_machine(const struct sl_calibration *calibration,
                                            const struct sl_table_head *head, const char *accept,
                                            struct sl_error *err) SL_NODISCARD;
struct sl_session_identity sl_calibration_identity(const struct sl_calibration *calibration);
void sl_calibration_close(struct sl_calibration *calibration);

extern const struct sl_command sl_command_measure, sl_command_session, sl_command_verify,
    sl_command_replay;
#endif
