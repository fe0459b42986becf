/* What was measured of a plan, as decide --measured reads it.  The first letter says as what the
 * rest comes: 'r' a replay's folder, 'a' an audit's, framed, 'f' one file (an audit's JSON, or a
 * trace). */
#include <config.h>

#include "fuzz.h"
#include "realized.h"

static void check(const struct sl_realized *realized)
{
    FUZZ_CHECK(realized->run_count > 0, "no run");
    for (uint32_t i = 0; i < realized->run_count; i++) {
        const struct sl_realized_run *run = &realized->runs[i];
        FUZZ_CHECK(run->first <= realized->work_count &&
                       run->count <= realized->work_count - run->first,
                   "run %u has works beyond the last", i);
        FUZZ_CHECK(realized->times_us[i] >= 0, "a time of %g us", realized->times_us[i]);
        FUZZ_CHECK(i == 0 || realized->times_us[i - 1] <= realized->times_us[i],
                   "times are not ascending");
    }
    for (uint32_t i = 0; i < realized->work_count; i++)
        FUZZ_CHECK(realized->works[i].name < realized->names.count &&
                       realized->works[i].from_ps <= realized->works[i].to_ps,
                   "work %u ends before it starts", i);
}

static void run(const uint8_t *data, size_t size)
{
    /* A file that is not there is SL_SYSTEM; replay.csv tells a replay's folder from an audit's. */
    static const char *const names[] = {"replay.csv", "repetitions.csv", "timeline.csv",
                                        "works.csv", "steps.csv"};
    struct sl_realized realized = {0};
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    if (size == 0)
        return;
    const char *path = fuzz_dir();
    for (size_t i = data[0] == 'a'; i < FUZZ_COUNT(names); i++)
        fuzz_write(names[i], "", 0);
    if (data[0] == 'f')
        path = fuzz_write("measured.json", data + 1, size - 1);
    else
        fuzz_unframe(data, size);
    enum sl_status status = sl_realized_read(&realized, path, &diags, &err);
    if (status == SL_OK)
        check(&realized);
    fuzz_judge(status, &diags, &err);
    sl_realized_free(&realized);
    fuzz_clean();
}

static void seed(const struct fuzz_seeds *seeds)
{
    static const char *const texts[] = {
        "r\n=== replay.csv\n"
        "scenario,policy,backend,plan,regime,repetitions,judged,shots,shots_rejected,drift\n"
        "hello,keep,cpu,0123456789abcdef,near,4,3,8,0,0.01\n"
        "=== repetitions.csv\n"
        "repetition,makespan_us,sentinel_before_ns,sentinel_after_ns,regime,preemptions,reject_"
        "reason,"
        "timer,sm_mhz,throttled\n"
        "0,12.5,50,51,near,0,,host,,0\n1,9,50,50,near,0,,host,,0\n2,9.25,50,50,near,0,,host,,0\n"
        "3,11,50,90,near,1,preempted,host,,0\n"
        "=== timeline.csv\n"
        "repetition,node,resource,ready_us,start_us,end_us,class,bytes\n"
        "0,f0,compute,0,0,5,gemm,\n0,copy,h2d,5,6,12.5,copy.h2d,4096\n"
        "1,f0,compute,0,0,5,gemm,\n1,copy,h2d,5,5,9,copy.h2d,4096\n"
        "2,f0,compute,0,0.25,5,gemm,\n2,copy,h2d,5,5,9.25,copy.h2d,4096\n"
        "3,f0,compute,0,0,5,gemm,\n3,copy,h2d,5,5,11,copy.h2d,4096\n",
        "a\n=== works.csv\n"
        "name,step,start_us,finish_us,behind_stream_us,ready_delay_us,class\n"
        "f0,1,0,5,0,0.5,gemm\ncopy,1,5,9,1,,copy.h2d\nf0,2,10,16,,,gemm\nlast,,20,21,0,0,gemm\n"
        "=== steps.csv\n"
        "step,from_us,finish_us,name,cold\n1,0,9,ProfilerStep#1,no\n2,10,16,ProfilerStep#2,no\n",
        "a\n=== works.csv\nname,step,start_us,finish_us\nf0,,1,5\nf1,,2,7.5\n=== "
        "steps.csv\nstep,from_us,finish_us\n",
        "f{\"trace\": \"t.json\", \"importer\": \"kineto\", \"gpu_span_ns\": 1200,\n"
        " \"steps\": [{\"step\": 1, \"time_ns\": 900}, {\"step\": 2, \"time_ns\": 850.5}]}\n",
        "f{\"trace\": \"t.json\", \"importer\": \"kineto\", \"gpu_span_ns\": 1200}\n",
        "fcell,at,trial,node,resource,ready_us,start_us,finish_us\n0,median,0,f0,gpu,0,0,5\n"
        "0,median,0,f1,gpu,5,5,9\n0,p99,7,f0,gpu,0,0,8\n",
    };
    fuzz_seed_texts(seeds, texts, FUZZ_COUNT(texts));
}

const struct fuzz_target fuzz_target_realized = {
    .name = "realized",
    .description = "measurements of a plan: replays, audits, traces",
    .run = run,
    .seeds = seed,
};
