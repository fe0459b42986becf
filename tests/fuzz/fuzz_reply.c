/* A runtime's answers to the hand-off of the base scenario's plan: what one asks for is put
 * into the plan, which then runs or is refused with a reason. */
#include <config.h>

#include "fuzz.h"
#include "recompute.h"

/* The plan, once; it and its scenario stay. */
static const struct sl_plan *base_plan(void)
{
    static struct sl_scenario scenario;
    static struct sl_plan plan;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    if (plan.graph)
        return &plan;
    fuzz_write_base();
    FUZZ_CHECK(sl_scenario_load(&scenario, fuzz_dir(), NULL, 0, &diags, &err) == SL_OK, "%s",
               err.message);
    const struct sl_policy_spec *policy = sl_scenario_policy(&scenario, "away");
    FUZZ_CHECK(policy && sl_policy_plan(&plan, &scenario, policy, &diags, &err) == SL_OK, "%s",
               err.message);
    sl_diags_free(&diags);
    fuzz_clean();
    return &plan;
}

static void run_recomputed(const struct sl_plan *plan)
{
    struct sl_program *program = NULL;
    struct sl_worker *worker = NULL;
    const struct sl_trial *trial;
    struct sl_error err = {0};
    enum sl_status status = sl_program_create(&program, plan->graph, &plan->engine, &err);
    if (status == SL_OK)
        status = sl_worker_create(&worker, program, &err);
    if (status == SL_OK)
        status = sl_worker_run(worker, 1, 0, 0, &trial, &err);
    fuzz_judge(status, NULL, &err);
    FUZZ_CHECK(status != SL_OK || trial->outcome == SL_DONE || trial->deadlock,
               "a deadlock without a name");
    sl_worker_free(worker);
    sl_program_free(program);
}

static void run(const uint8_t *data, size_t size)
{
    const struct sl_plan *plan = base_plan();
    struct sl_reply reply;
    struct sl_recomputed recomputed = {0};
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    enum sl_status status =
        sl_reply_read(&reply, fuzz_write("reply.json", data, size), plan->graph, &diags, &err);
    fuzz_judge(status, &diags, &err);
    if (status == SL_OK) {
        status = sl_recompute(&recomputed, plan, &reply, &err);
        fuzz_judge(status, NULL, &err);
        if (status == SL_OK)
            run_recomputed(&recomputed.plan);
        sl_recomputed_free(&recomputed);
    }
    sl_reply_free(&reply);
}

static void seed(const struct fuzz_seeds *seeds)
{
    static const char *const texts[] = {
        "{\"format\": \"slackline-reply\", \"version\": 1, \"runtime\": \"r 1.0\", \"feasible\": "
        "\"yes\"}",
        ("{\"format\": \"slackline-reply\", \"version\": 1, \"runtime\": \"r 1.0\",\n"
         "\"scenario\": \"base\", \"policy\": \"away\", \"feasible\": \"with-constraints\", "
         "\"why\": "
         "\"one engine\",\n"
         "\"constraints\": {\n"
         " \"edges\": [{\"from\": \"f0\", \"to\": \"f2\", \"type\": \"ordering\", \"lag\": "
         "\"2.5us\", "
         "\"reason\": \"e\"}],\n"
         " \"resources\": [{\"resource\": \"compute\", \"servers\": 1, \"reason\": \"r\"}],\n"
         " \"domains\": [{\"domain\": \"hbm\", \"capacity\": \"2048MiB\", \"rounding\": \"2MiB\", "
         "\"reason\": \"g\"}],\n"
         " \"uncancellable\": [{\"node\": \"b1\", \"reason\": \"u\"}]},\n"
         "\"ordering\": [{\"queue\": \"q0\", \"nodes\": [\"f0\", \"f1\"]}, {\"queue\": \"q1\", "
         "\"nodes\": [\"b1\", \"b0\"]}],\n"
         "\"overhead\": [{\"class\": \"gemm\", \"duration\": \"uniform(low=1us, high=3us)\", "
         "\"evidence\": \"measured: x\"},\n"
         "  {\"kind\": \"compute\", \"duration\": \"unknown\", \"evidence\": \"unknown\"},\n"
         "  {\"node\": \"f2\", \"duration\": \"4us\", \"evidence\": \"assumed: y\"}],\n"
         "\"deviations\": [{\"node\": \"f2\", \"instead\": \"i\", \"why\": \"w\", \"consequence\": "
         "\"k\"}, {\"wish\": \"aging\", \"instead\": \"i\", \"why\": \"w\"}],\n"
         "\"mechanisms\": [{\"wish\": \"m\", \"mechanism\": \"n\", \"realizable\": \"yes\", "
         "\"count\": 3, \"object\": \"a0\"}],\n"
         "\"assumptions\": [{\"assumption\": \"s\", \"holds\": \"no\", \"detail\": \"d\"}]}\n"),
    };
    fuzz_seed_texts(seeds, texts, FUZZ_COUNT(texts));
}

const struct fuzz_target fuzz_target_reply = {
    .name = "reply",
    .description = "a runtime's answers to a hand-off, and the plans that they make",
    .run = run,
    .seeds = seed,
};
