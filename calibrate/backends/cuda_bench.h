/* The inside of the cuda backend: a GPU with its actors, and how works are done on it. */
#ifndef SL_CUDA_BENCH_H
#define SL_CUDA_BENCH_H
#include "backend.h"
#include "cuda_driver.h"
#include "cuda_nvml.h"
#include "cuda_records.h"
#include "cuda_sizes.h"

enum sl_cuda_function_index {
    SL_CUDA_FN_GATE,
    SL_CUDA_FN_EMPTY,
    SL_CUDA_FN_TRIAD,
    SL_CUDA_FN_CHASE,
    SL_CUDA_FN_LINK,
    SL_CUDA_FN_NOISE,
    SL_CUDA_FN_GEMM_F16,
    SL_CUDA_FN_GEMM_BF16,
    SL_CUDA_FUNCTIONS
};
struct sl_cuda_function {
    CUfunction function;
    uint32_t threads; /* of a block */
    uint32_t per_sm;  /* blocks that fit on a multiprocessor */
};

enum {
    SL_CUDA_ACTORS = 1 + SL_SHOT_AGGRESSORS_MAX,
    /* Units of one aggressor: what is behind the gate must fit into the driver's queues. */
    SL_CUDA_UNITS_MAX = 512,
};

/* A buffer of an actor, which grows as works need it. */
struct sl_cuda_buffer {
    CUdeviceptr device; /* 0 of host memory that the GPU doesn't see */
    void *host;         /* NULL of device memory */
    size_t bytes;
};

/* What a sequence of calls holds between its steps. */
struct sl_cuda_held {
    CUdeviceptr pointer, address;
    CUmemGenericAllocationHandle handle;
};

/* One of those who work at once: a stream and memory of its own. */
struct sl_cuda_actor {
    CUstream stream;
    CUevent led;     /* its leading units have ended */
    CUevent *events; /* timed: before its first unit, and after each */
    uint32_t event_count;
    struct sl_cuda_buffer work, peer, pinned, pageable, chain, stamps;
    CUgraphExec graph; /* NULL: none */
    struct sl_cuda_held held;
    uint32_t linked; /* sum of the sizes of the chains in place, in lines: powers of two */
};

struct sl_cuda_gate {
    CUstream stream;
    CUevent opened;
    volatile uint32_t *flags; /* [0]: opened by the host; [1]: by the timeout */
    CUdeviceptr device_flags;
};

/* How long a unit takes undisturbed, by events. */
struct sl_cuda_estimate {
    struct sl_work work;
    enum sl_work_shape shape;
    double ns;
};

struct sl_cuda_stage; /* cuda_stage.h */

struct sl_bench {
    struct sl_arena arena; /* facts, classes, layout */
    struct sl_cuda_driver driver;
    struct sl_nvml nvml;
    const char *cupti_missing; /* NULL: CUPTI runs */
    bool collecting;           /* CUPTI makes records now */
    CUdevice device, peer;
    CUcontext context, peer_context; /* peer_context NULL: no second GPU in reach */
    const char *peer_missing;        /* why not */
    CUmemoryPool pool;
    CUmodule module;
    struct sl_cuda_function functions[SL_CUDA_FUNCTIONS];
    struct sl_cuda_capacity capacity;
    size_t granularity;          /* of mappings, bytes */
    struct sl_cuda_buffer sweep; /* larger than the L2: writing it makes the L2 cold */
    struct sl_cuda_gate gate;
    CUevent base; /* event times count from here */
    int64_t base_ns;
    struct sl_cuda_actor actors[SL_CUDA_ACTORS];
    struct sl_work_class *classes;
    struct sl_fingerprint fingerprint;
    struct sl_bench_layout layout;
    struct sl_cuda_estimate *estimates;
    uint32_t estimate_count, estimate_capacity;
    struct sl_cuda_stage *stage; /* of the plan that is replayed; NULL: none */
    uint32_t epoch;              /* of the shot or repetition */
};

/* One unit of work as an actor does it. */
struct sl_cuda_unit {
    int64_t bytes;
    uint32_t blocks;    /* of its kernel; 0: it has none */
    CUdeviceptr stamps; /* 0: its blocks note nothing */
};

/* What a unit needs, bytes. */
struct sl_cuda_need {
    size_t work, peer, pinned, pageable, chain; /* the chain: as much again before it */
};

typedef enum sl_status (*sl_cuda_launch)(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                         const struct sl_cuda_unit *unit, struct sl_error *err);
typedef enum sl_status (*sl_cuda_step)(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                       int64_t bytes, struct sl_error *err);

/* How a form of a class is done. */
enum sl_cuda_manner {
    SL_CUDA_GATED,  /* launched into a stream, held back until all is there */
    SL_CUDA_GRAPH,  /* the same, as a graph of one node */
    SL_CUDA_DIRECT, /* launched into an idle stream: the way there is what is measured */
    SL_CUDA_CALLS,  /* calls that the host waits for */
};
struct sl_cuda_form {
    struct sl_work_form columns;
    enum sl_cuda_manner manner;
    bool cold, warm; /* the L2 is swept before, or filled with the work's data */
    enum sl_cuda_function_index function; /* SL_CUDA_FUNCTIONS: no kernel of ours */
    struct sl_cuda_need (*need)(const struct sl_bench *bench, int64_t bytes);
    sl_cuda_launch launch; /* of CALLS that launch: what their graph holds */
    const sl_cuda_step *steps;
    uint32_t step_count, timed_from, timed_to; /* steps [timed_from, timed_to) are the work */
};
struct sl_cuda_class {
    const char *name, *description;
    const struct sl_cuda_form *forms;
    uint32_t form_count;
    bool shaped;
    double growth; /* durations grow with bytes to this power; 0: not with bytes */
    /* Sets sizes, victim_bytes, unit_bytes, flops, waived of `klass`; false: out of memory. */
    bool (*size)(struct sl_bench *bench, struct sl_work_class *klass);
};

/* cuda_classes.c */
uint32_t sl_cuda_class_count(void);
bool sl_cuda_classes_make(struct sl_bench *bench) SL_NODISCARD;
const struct sl_cuda_form *sl_cuda_form_of(const struct sl_work *work);
/* The contract is that of sl_backend.cut. */
uint64_t sl_cuda_cut(const struct sl_bench *bench, struct sl_work *work);
/* Sets sizes, ascending and without doubles, those above `limit` left out; false: no memory. */
bool sl_cuda_set_sizes(struct sl_bench *bench, struct sl_work_class *klass, const int64_t *sizes,
                       uint32_t count, int64_t limit) SL_NODISCARD;

/* cuda_machine.c: what the GPU is. */
enum sl_status sl_cuda_machine_find(struct sl_bench *bench, uint32_t ordinal,
                                    struct sl_error *err) SL_NODISCARD;
bool sl_cuda_machine_describe(struct sl_bench *bench) SL_NODISCARD;

/* cuda_actor.c */
enum sl_status sl_cuda_actor_open(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                  struct sl_error *err) SL_NODISCARD;
void sl_cuda_actor_close(struct sl_bench *bench, struct sl_cuda_actor *actor);
/* Sees to it that the actor can do so many units of the work. */
enum sl_status sl_cuda_actor_reserve(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                     const struct sl_work *work, uint32_t units, uint32_t blocks,
                                     struct sl_error *err) SL_NODISCARD;
enum sl_status sl_cuda_actor_reserve_events(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                            uint32_t count, struct sl_error *err) SL_NODISCARD;
/* Launches a kernel of ours on the actor's stream. */
enum sl_status sl_cuda_run_kernel(struct sl_bench *bench, CUstream stream,
                                  enum sl_cuda_function_index index, uint32_t blocks,
                                  void **arguments, struct sl_error *err) SL_NODISCARD;

/* cuda_gate.c: holds all actors back until the host has launched all that they do. */
enum sl_status sl_cuda_gate_make(struct sl_bench *bench, struct sl_error *err) SL_NODISCARD;
void sl_cuda_gate_free(struct sl_bench *bench);
/* Launches the gate's kernel; streams that wait for gate.opened go on when the host opens it, or
 * after two seconds. */
enum sl_status sl_cuda_gate_close(struct sl_bench *bench, struct sl_error *err) SL_NODISCARD;
void sl_cuda_gate_open(struct sl_bench *bench);
bool sl_cuda_gate_timed_out(const struct sl_bench *bench);

/* cuda_units.c: one unit of work, in each manner. */
/* Blocks of the work's kernel; 0: it has none of ours. */
uint32_t sl_cuda_grid(const struct sl_bench *bench, const struct sl_work *work,
                      enum sl_work_shape shape);
/* Does steps [from, to) of a form of CALLS. */
enum sl_status sl_cuda_do_steps(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                const struct sl_work *work, uint32_t from, uint32_t to,
                                struct sl_error *err) SL_NODISCARD;
/* Makes the graph that a form of GRAPH replays; the actor keeps it until the next one. */
enum sl_status sl_cuda_make_graph(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                  const struct sl_work *work, const struct sl_cuda_unit *unit,
                                  struct sl_error *err) SL_NODISCARD;
/* Launches one unit of a form that is launched. */
enum sl_status sl_cuda_launch_unit(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                   const struct sl_work *work, const struct sl_cuda_unit *unit,
                                   struct sl_error *err) SL_NODISCARD;
/* Undisturbed time of a unit, from which the number of units follows; the first call for a work
 * measures it by events, and warms all that the work touches. */
enum sl_status sl_cuda_unit_time(struct sl_bench *bench, const struct sl_work *work,
                                 enum sl_work_shape shape, double *ns,
                                 struct sl_error *err) SL_NODISCARD;

/* Gives back what the steps before `timed_to` of a form of CALLS have; what fails is passed over.
 */
void sl_cuda_undo_steps(struct sl_bench *bench, struct sl_cuda_actor *actor,
                        const struct sl_work *work);

/* cuda_clock.c */
/* A moment that is known by both clocks, from which events are counted; nothing runs. */
enum sl_status sl_cuda_set_base(struct sl_bench *bench, struct sl_error *err) SL_NODISCARD;
/* When a recorded event was over, by the host's clock. */
enum sl_status sl_cuda_event_ns(struct sl_bench *bench, CUevent event, int64_t *ns,
                                struct sl_error *err) SL_NODISCARD;
/* Involuntary switches of the calling thread, so far. */
uint64_t sl_cuda_preemptions(void);
/* Times by CUPTI's records from now on, or without them; what came before is forgotten. */
void sl_cuda_set_timer(struct sl_bench *bench, bool cupti);

/* cuda_shot.c */
enum sl_status sl_cuda_shoot(struct sl_bench *bench, const struct sl_shot *shot,
                             struct sl_shot_log *log, struct sl_error *err) SL_NODISCARD;
#endif
