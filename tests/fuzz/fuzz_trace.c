/* Trace files of any format that slackline reads: what an importer takes is a timeline that can be
 * audited, becomes a graph, and is written as a scenario that loads. */
#include <config.h>

#include "fuzz.h"
#include "fuzz_timeline.h"
#include "importer.h"

static void run(const uint8_t *data, size_t size)
{
    struct sl_timeline timeline = {0};
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    const char *path = fuzz_write("trace.json", data, size);
    enum sl_status status = sl_import(path, &timeline, NULL, &diags, NULL, &err);
    fuzz_judge(status, &diags, &err);
    if (status == SL_OK)
        fuzz_use_timeline(&timeline);
    sl_timeline_free(&timeline);
    fuzz_clean();
}

static void seed(const struct fuzz_seeds *seeds)
{
    static const char *const texts[] = {
        "{\"traceEvents\": [\n"
        "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, "
        "\"tid\": 2, \"ts\": 10, \"dur\": 3, \"args\": {\"correlation\": 7}},\n"
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 7, \"ts\": "
        "15, "
        "\"dur\": 20, \"args\": {\"correlation\": 7, \"device\": 0, \"stream\": 7}},\n"
        "{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy HtoD (Pinned -> Device)\", "
        "\"ts\": 40, \"dur\": 5.5, \"args\": {\"device\": 0, \"stream\": 8, \"bytes\": 4096}},\n"
        "{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"name\": \"[memory]\", \"pid\": 1, "
        "\"tid\": 2, "
        "\"ts\": 50, \"args\": {\"Addr\": 4096, \"Bytes\": 512, \"Device Id\": 0, \"Device Type\": "
        "1, "
        "\"Total Allocated\": 512, \"Total Reserved\": 1024}},\n"
        "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#1\", \"pid\": 1, "
        "\"tid\": 2, \"ts\": 1, \"dur\": 60},\n"
        "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaStreamSynchronize\", \"pid\": "
        "1, "
        "\"tid\": 2, \"ts\": 30, \"dur\": 9, \"args\": {\"stream\": 7}}\n"
        "], \"schemaVersion\": 1, \"baseTimeNanoseconds\": 1700000000000000000}\n",
        "{\"traceEvents\": []}",
        "cell,at,trial,node,resource,ready_us,start_us,finish_us\n0,median,0,f0,gpu,0,0,5\n"
        "0,median,0,f1,gpu,5,5,9\n0,p99,7,f0,gpu,0,0,8\n",
        ("repetition,node,resource,ready_us,start_us,end_us,class,bytes\n"
         "0,f0,compute,0,0,5,gemm,\n0,copy,h2d,1,2,7,copy.h2d,4096\n1,f0,compute,0,0,5.5,gemm,\n"),
    };
    fuzz_seed_texts(seeds, texts, FUZZ_COUNT(texts));
    fuzz_seed_file(seeds, "tests/fixtures/traces/weight_stream.json", NULL);
}

const struct fuzz_target fuzz_target_trace = {
    .name = "trace",
    .description = "traces (Kineto JSON, timelines), their audit, graph and scenario",
    .run = run,
    .seeds = seed,
};
