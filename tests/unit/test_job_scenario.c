/* Modes open and closed: every key of `run` lands where scenario.h says, faults are located and
 * what changes nothing is named; and the jobs that a scenario's source gives. */
#include <config.h>

#include "harness.h"
#include "job_source.h"
#include "tempdir.h"
#include <math.h>
#include <string.h>

static struct tempdir dir;
static struct sl_scenario scenario;
static struct sl_diags diags;
static struct sl_error err;

static const char nodes[] = "node,kind,resource,duration\n"
                            "prefill,compute,compute,0.3us * context_tokens + 2ms\n"
                            "decode,compute,compute,exponential(mean=1ms) * generated_tokens\n";
static const char edges[] = "from,to\nprefill,decode\n";

static void open_dir(void)
{
    tempdir_make(&dir);
    diags = (struct sl_diags){0};
    err = (struct sl_error){0};
}

static void close_dir(void)
{
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
    tempdir_remove(&dir);
}

static enum sl_status load_with(const char *run, const char *more,
                                const struct sl_override *overrides, uint32_t count)
{
    char yaml[3000];
    snprintf(yaml, sizeof yaml,
             "name: jobs\n"
             "resources: {compute: {}}\n"
             "domains: {hbm: {capacity: 80GiB, reserve: 0B}}\n"
             "run: %s\n%s",
             run, more);
    tempdir_write(&dir, "scenario.yaml", yaml);
    tempdir_write(&dir, "nodes.csv", nodes);
    tempdir_write(&dir, "edges.csv", edges);
    return sl_scenario_load(&scenario, dir.path, overrides, count, &diags, &err);
}

static enum sl_status load(const char *run, const char *more)
{
    return load_with(run, more, NULL, 0);
}

static void load_sound(const char *run, const char *more)
{
    enum sl_status status = load(run, more);
    if (status)
        sl_diags_print(&diags, stdout);
    ck_assert_int_eq(status, SL_OK);
}

/* A diagnostic with this text at this place of scenario.yaml (line 4 is that of `run`). */
static const struct sl_diag *find(const char *text)
{
    for (uint32_t i = 0; i < diags.count; i++)
        if (strstr(diags.items[i].message, text))
            return &diags.items[i];
    sl_diags_print(&diags, stdout);
    ck_abort_msg("no '%s'", text);
}

/* Warnings of what changes nothing, but for the memory, of which these graphs have none. */
static uint32_t idle_warnings(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < diags.count; i++)
        count += strcmp(diags.items[i].code, "unused-parameter") == 0;
    return count;
}

#define OPEN                                                                                       \
    "{mode: open, arrivals: poisson(rate=4/s), jobs: 2000, parameters: {context_tokens: "          \
    "'uniform(low=0, high=2000)', generated_tokens: const(200)}"

START_TEST(open_mode_lands)
{
    load_sound(OPEN ", warmup: 200, marks: {ttft: prefill, done: decode}, "
                    "per_token: {tpot: {from: prefill, to: decode, per: generated_tokens}}, "
                    "slo: {latency: 10s, ttft: 2s, tpot: 100ms}, "
                    "admission: {jobs: 64, when_full: reject}}",
               "objective: {metric: ttft, tail: 0.95}\n");
    const struct sl_job_mode *jobs = &scenario.jobs;
    ck_assert_int_eq(scenario.mode, SL_MODE_OPEN);
    ck_assert(sl_scenario_has_jobs(&scenario));
    ck_assert_double_eq(sl_arrivals_rate(jobs->arrivals), 4);
    ck_assert_uint_eq(jobs->jobs, 2000);
    ck_assert_int_eq(jobs->warmup, 200);
    ck_assert_uint_eq(jobs->parameters.count, 2);
    ck_assert_double_eq(jobs->means[0], 1000);
    ck_assert_double_eq(jobs->means[1], 200);
    ck_assert_uint_eq(jobs->mark_count, 2);
    ck_assert_str_eq(jobs->marks[0].name, "ttft");
    ck_assert_uint_eq(jobs->marks[0].node, 0);
    ck_assert_uint_eq(jobs->marks[1].node, 1);
    ck_assert_uint_eq(jobs->per_count, 1);
    ck_assert_str_eq(jobs->pers[0].name, "tpot");
    ck_assert(jobs->pers[0].from == 0 && jobs->pers[0].to == 1 && jobs->pers[0].parameter == 1);
    ck_assert_uint_eq(jobs->slo_count, 3);
    ck_assert_str_eq(jobs->slos[2].metric, "tpot");
    ck_assert_int_eq(jobs->slos[2].limit_ps, 100000000000);
    ck_assert_uint_eq(jobs->admitted_most, 64);
    ck_assert(jobs->reject_when_full);
    ck_assert_str_eq(jobs->metric, "ttft");
    ck_assert_int_eq(scenario.objective.metric, SL_METRIC_LATENCY);
    ck_assert_uint_eq(jobs->concurrency, 0);
    ck_assert_uint_eq(idle_warnings(), 0);
}
END_TEST

START_TEST(closed_mode_lands)
{
    load_sound("{mode: closed, concurrency: 8, think: exponential(mean=1s), jobs: 50, warmup: "
               "auto, admission: {jobs: 4}, parameters: {context_tokens: 1000, generated_tokens: "
               "10}}",
               "objective: {metric: throughput}\n");
    const struct sl_job_mode *jobs = &scenario.jobs;
    ck_assert_int_eq(scenario.mode, SL_MODE_CLOSED);
    ck_assert_uint_eq(jobs->concurrency, 8);
    ck_assert_double_eq(sl_dist_mean(jobs->think), 1e12);
    ck_assert_int_eq(jobs->warmup, -1);
    ck_assert(jobs->admitted_most == 4 && !jobs->reject_when_full);
    ck_assert_int_eq(scenario.objective.metric, SL_METRIC_THROUGHPUT);
    ck_assert_str_eq(jobs->metric, "throughput");
    ck_assert_uint_eq(idle_warnings(), 0);
}
END_TEST

START_TEST(a_trace_brings_its_parameters)
{
    tempdir_write(&dir, "a.csv",
                  "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                  "2023-11-16 18:15:46.0,100,10\n"
                  "2023-11-16 18:15:48.5,300,30\n");
    load_sound("{mode: open, arrivals: 'trace(file=a.csv, format=azure, speed=0.5)', parameters: "
               "{more: 'uniform(low=1, high=3)'}, per_token: {x: {from: prefill, to: decode, per: "
               "more}}}",
               "");
    const struct sl_job_mode *jobs = &scenario.jobs;
    ck_assert_uint_eq(jobs->jobs, 0);
    ck_assert_uint_eq(sl_job_mode_count(jobs), 2);
    ck_assert_uint_eq(jobs->parameters.count, 3);
    ck_assert_double_eq(jobs->means[0], 200);
    ck_assert_ptr_null(jobs->draws[0]);
    ck_assert_ptr_nonnull(jobs->draws[2]);
    ck_assert_str_eq(jobs->metric, "latency");
    ck_assert_double_eq(sl_node_mean_scale(&scenario.graph->nodes[0]), 2.06e9);
    struct sl_job_source source;
    struct sl_job_arrival job;
    bool more;
    ck_assert_int_eq(sl_job_source_open(&source, &scenario, 1, 0, &err), SL_OK);
    ck_assert_int_eq(source.next(source.user, &job, &more, &err), SL_OK);
    ck_assert(more && job.t_ps == 0 && job.parameters[0] == 100 && job.parameters[1] == 10);
    ck_assert_int_eq(source.next(source.user, &job, &more, &err), SL_OK);
    ck_assert(more && job.t_ps == 5000000000000 && job.parameters[0] == 300);
    ck_assert(job.parameters[2] > 1 && job.parameters[2] < 3);
    ck_assert_int_eq(source.next(source.user, &job, &more, &err), SL_OK);
    ck_assert(!more);
    sl_job_source_close(&source);
}
END_TEST

/* ---- sources ------------------------------------------------------------------------------------
 */

/* The first `count` jobs of a replication: times and first parameters. */
static void jobs_of(uint64_t seed, uint32_t trial, uint32_t count, double *t_s, double *tokens)
{
    struct sl_job_source source;
    struct sl_job_arrival job;
    bool more = true;
    ck_assert_int_eq(sl_job_source_open(&source, &scenario, seed, trial, &err), SL_OK);
    for (uint32_t j = 0; j < count; j++) {
        ck_assert_int_eq(source.next(source.user, &job, &more, &err), SL_OK);
        ck_assert(more);
        t_s[j] = (double)job.t_ps / 1e12;
        tokens[j] = job.parameters[0];
    }
    ck_assert_int_eq(source.next(source.user, &job, &more, &err), SL_OK);
    ck_assert_msg(!more, "more than %u jobs", count);
    sl_job_source_close(&source);
}

/* Means of 2000 draws within 4.9 deviations (a false-alarm rate of 1e-6 each): gaps of mean 1/4 s,
 * tokens uniform on (0, 2000); and as good as no correlation between the two. */
START_TEST(open_jobs_have_arrivals_and_parameters_of_their_own)
{
    static double t[2000], tokens[2000], again_t[2000], again[2000];
    load_sound(OPEN "}", "");
    jobs_of(1, 5, 2000, t, tokens);
    double sum = 0, product = 0;
    for (size_t j = 0; j < 2000; j++) {
        ck_assert(tokens[j] > 0 && tokens[j] < 2000);
        sum += tokens[j];
        product += (tokens[j] - 1000) * (t[j] - (j ? t[j - 1] : 0) - 0.25);
    }
    ck_assert_double_eq_tol(t[1999] / 2000, 0.25, 4.9 * 0.25 / sqrt(2000));
    ck_assert_double_eq_tol(sum / 2000, 1000, 4.9 * 2000 / sqrt(12.0 * 2000));
    ck_assert_double_eq_tol(product / 2000 / (0.25 * 2000 / sqrt(12)), 0, 4.9 / sqrt(2000));
    jobs_of(1, 5, 2000, again_t, again);
    ck_assert_mem_eq(t, again_t, sizeof t);
    ck_assert_mem_eq(tokens, again, sizeof tokens);
    jobs_of(1, 6, 2000, again_t, again);
    ck_assert(t[0] != again_t[0] && tokens[0] != again[0]);
}
END_TEST

START_TEST(closed_jobs_have_think_times)
{
    static double think[2000], tokens[2000];
    load_sound(
        "{mode: closed, concurrency: 8, think: exponential(mean=1s), jobs: 2000, parameters: "
        "{context_tokens: 7, generated_tokens: 10}}",
        "");
    jobs_of(3, 0, 2000, think, tokens);
    double sum = 0;
    for (size_t j = 0; j < 2000; j++) {
        sum += think[j];
        ck_assert_double_eq(tokens[j], 7);
    }
    ck_assert_double_eq_tol(sum / 2000, 1, 4.9 / sqrt(2000));
    scenario.jobs.think = NULL;
    jobs_of(3, 0, 2000, think, tokens);
    ck_assert(think[0] == 0 && think[1999] == 0);
}
END_TEST

/* ---- faults and warnings ------------------------------------------------------------------------
 */

START_TEST(faults_are_located)
{
    static const struct {
        const char *run, *more, *says;
        int line;
    } cases[] = {
        {"{mode: open}", "", "mode open lacks the key 'arrivals'", 4},
        {"{mode: open, arrivals: poison(rate=4/s), jobs: 5}", "",
         "unknown law of arrivals 'poison' (did you mean 'poisson'?)", 4},
        {"{mode: open, arrivals: trace(file=gone.csv)}", "", "gone.csv': cannot open", 4},
        {"{mode: open, arrivals: fixed(rate=4/s)}", "", "whose arrivals have no end", 4},
        {"{mode: closed, jobs: 5}", "", "mode closed lacks the key 'concurrency'", 4},
        {"{mode: closed, concurrency: 0, jobs: 5}", "", "concurrency", 4},
        {"{mode: closed, concurrency: 2}", "", "mode closed lacks the key 'jobs'", 4},
        {"{mode: closed, concurrency: 2, jobs: 5, think: 3}", "", "'3' has no unit", 4},
        {OPEN ", warmup: 2000}", "", "warmup: 2000 of 2000 jobs leave none to measure", 4},
        {OPEN ", warmup: never}", "", "'never' is not a whole number", 4},
        {OPEN ", mark: {ttft: prefill}}", "", "did you mean 'marks'?", 4},
        {OPEN ", marks: {ttft: prefil}}", "", "did you mean 'prefill'?", 4},
        {OPEN ", marks: {latency: prefill}}", "", "metric 'latency': there is one of this name", 4},
        {OPEN ", marks: {a-b: prefill}}", "", "metric 'a-b': a name that columns can have", 4},
        {OPEN ", marks: {t: prefill}, per_token: {t: {from: prefill, to: decode, per: "
              "generated_tokens}}}",
         "", "metric 't': there is one of this name", 4},
        {OPEN ", per_token: {t: {from: prefill, to: decode}}}", "", "t lacks the key 'per'", 4},
        {OPEN ", per_token: {t: {from: prefill, to: decode, per: tokens}}}", "", "'tokens'", 4},
        {OPEN ", slo: {tpot: 3s}}", "", "slo: unknown 'tpot'", 4},
        {OPEN ", slo: {latency: 3}}", "", "'3' has no unit", 4},
        {OPEN ", admission: {jobs: 4, when_full: drop}}", "", "unknown 'drop'", 4},
        {OPEN ", admission: {when_full: queue}}", "",
         "run.admission limits nothing: state jobs (how many), memory (a domain), or both", 4},
        {OPEN ", admission: {memory: hbn}}", "", "did you mean 'hbm'?", 4},
        {OPEN ", admission: {memory: hbm, when_short: wait}}", "", "unknown 'wait'", 4},
        {OPEN "}", "objective: {metric: makespan}\n",
         "metric: 'makespan' is of modes once and iterate; state latency, throughput", 5},
        {OPEN ", marks: {ttft: prefill}}", "objective: {metric: tft}\n", "did you mean 'ttft'?", 5},
        {"{mode: once}", "objective: {metric: latency}\n",
         "metric: 'latency' is of jobs, and mode once has none (allowed: makespan)", 5},
        {OPEN "}", "policies: [{name: p, action: retain, evict: lru}]\n",
         "policy 'p': evict is not for jobs", 5},
        {OPEN "}", "policies: [{name: p, action: retain, evict: {how: lru}}]\n",
         "policy 'p': evict.how is not for jobs", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_dir();
        ck_assert_msg(load(cases[i].run, cases[i].more) == SL_INVALID, "%s", cases[i].says);
        const struct sl_diag *diag = find(cases[i].says);
        ck_assert_int_eq(diag->severity, SL_ERROR);
        ck_assert_msg(diag->place.line == cases[i].line && diag->place.column > 0, "%s: %d:%d",
                      cases[i].says, diag->place.line, diag->place.column);
        close_dir();
    }
    open_dir();
}
END_TEST

/* What a trace that cannot be read would have brought - parameters, blocks - is not missed. */
START_TEST(a_bad_trace_is_one_fault)
{
    static const struct {
        const char *trace, *law, *says;
    } cases[] = {
        {NULL, "trace(file=gone.csv)", "gone.csv': cannot open"},
        {"t_s,context_tokens,generated_tokens\n0,1,1\n1,x,1\n", "trace(file=a.csv)", "'x'"},
        {"context_tokens,generated_tokens\n1,1\n", "trace(file=a.csv)", "t_s"},
        {"{\"timestamp\": 0}\n", "trace(file=a.csv, format=mooncake)", "input_length"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char run[600];
        if (cases[i].trace)
            tempdir_write(&dir, "a.csv", cases[i].trace);
        tempdir_write(&dir, "objects.csv",
                      "object,size,placements,shared\n"
                      "act,160KiB * context_tokens,hbm,\n"
                      "one,generated_tokens,hbm,\n"
                      "kv,2MiB,hbm,blocks\n");
        snprintf(run, sizeof run,
                 "{mode: open, arrivals: '%s', jobs: 5, per_token: {tpot: {from: prefill, to: "
                 "decode, per: generated_tokens}}, slo: {tpot: 50ms}, parameters: {mine: 3}}",
                 cases[i].law);
        ck_assert_int_eq(load(run, "objective: {metric: tpot}\n"), SL_INVALID);
        find(cases[i].says);
        if (diags.errors + diags.warnings != 1)
            sl_diags_print(&diags, stdout);
        ck_assert_uint_eq(diags.errors + diags.warnings, 1);
        close_dir();
        open_dir();
    }
    ck_assert_int_eq(
        load("{mode: open, arrivals: trace(file=gone.csv), marks: {ttft: prefil}}", ""),
        SL_INVALID);
    ck_assert_uint_eq(diags.errors, 2); /* what is not its consequence is told */
}
END_TEST

START_TEST(tables_are_refused_by_name)
{
    tempdir_write(&dir, "overlap.csv", "a,b,allowed\nprefill,decode,no\n");
    char yaml[1000];
    snprintf(yaml, sizeof yaml,
             "name: jobs\n"
             "resources: {compute: {}}\n"
             "domains: {hbm: {capacity: 80GiB, reserve: 0B}}\n"
             "run: {mode: open, arrivals: fixed(rate=1/s), jobs: 5}\n");
    tempdir_write(&dir, "scenario.yaml", yaml);
    tempdir_write(&dir, "nodes.csv",
                  "node,kind,resource,duration,fallback,deadline\n"
                  "prefill,compute,compute,1us,decode,5us\n"
                  "decode,compute,compute,1us,,\n");
    tempdir_write(&dir, "edges.csv", "from,to,scope\nprefill,decode,next\n");
    ck_assert_int_eq(sl_scenario_load(&scenario, dir.path, NULL, 0, &diags, &err), SL_INVALID);
    ck_assert_int_eq(find("an edge of scope next is for iterations")->place.line, 2);
    ck_assert_int_eq(
        find("node 'prefill' has a fallback, which mode open does not take")->place.line, 2);
    ck_assert_int_eq(find("'prefill' and 'decode' are kept apart")->place.line, 2);
    ck_assert_uint_eq(diags.errors, 3);
}
END_TEST

START_TEST(what_changes_nothing_is_named)
{
    tempdir_write(&dir, "a.csv", "t_s,context_tokens,generated_tokens\n0,1,1\n1,1,1\n");
    load_sound("{mode: open, arrivals: trace(file=a.csv), jobs: 5, concurrency: 3, think: 1s, "
               "iterations: 4, parameters: {unused: 3}}",
               "");
    find("run.concurrency changes nothing in mode open");
    find("run.think changes nothing in mode open");
    find("run.iterations changes nothing in mode open");
    find("run.jobs changes nothing: the trace has 2 jobs");
    find("job parameter 'unused' changes nothing");
    ck_assert_uint_eq(sl_job_mode_count(&scenario.jobs), 2);
    ck_assert_uint_eq(idle_warnings(), 5);
}
END_TEST

START_TEST(clients_limit_admission)
{
    load_sound("{mode: closed, concurrency: 8, jobs: 50, arrivals: fixed(rate=1/s), admission: "
               "{jobs: 8}, parameters: {context_tokens: 1000, generated_tokens: 10}}",
               "");
    find("run.admission.jobs changes nothing: 8 clients have no more than 8 jobs at a time");
    find("run.arrivals changes nothing in mode closed");
    close_dir();
    open_dir();
    load_sound("{mode: closed, concurrency: 8, jobs: 5, parameters: {context_tokens: 1000, "
               "generated_tokens: 10}}",
               "");
    find("run.concurrency: of 8 clients only 5 ever have a job (run.jobs)");
}
END_TEST

START_TEST(admission_by_memory_lands)
{
    load_sound(OPEN ", admission: {memory: hbm, when_short: reject}}", "");
    ck_assert_str_eq(scenario.platform.domain_names.names[scenario.jobs.memory], "hbm");
    ck_assert(scenario.jobs.reject_when_short && !scenario.jobs.admitted_most);
    close_dir();
    open_dir();
    load_sound(OPEN ", admission: {memory: hbm, when_full: reject}}", "");
    find("run.admission.when_full changes nothing without run.admission.jobs");
    ck_assert(!scenario.jobs.reject_when_short);
    close_dir();
    open_dir();
    load_sound(OPEN ", admission: {jobs: 4, when_short: reject}}", "");
    find("run.admission.when_short changes nothing without run.admission.memory");
    ck_assert_uint_eq(scenario.jobs.memory, SL_NONE);
}
END_TEST

START_TEST(overrides_and_axes_reach_run)
{
    struct sl_arena arena = {0};
    static const char *const texts[] = {"run.arrivals=fixed(rate=8/s)", "run.jobs=7",
                                        "run.admission.jobs=3",
                                        "run.parameters.context_tokens=const(12)"};
    struct sl_override set[4];
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(sl_override_parse(&set[i], texts[i], &arena, &err), SL_OK);
    enum sl_status status = load_with(
        OPEN "}", "sweep: {run.arrivals: [poisson(rate=1/s), poisson(rate=2/s)]}\n", set, 4);
    sl_diags_print(&diags, stdout);
    ck_assert_int_eq(status, SL_OK);
    ck_assert_double_eq(sl_arrivals_rate(scenario.jobs.arrivals), 8);
    ck_assert_uint_eq(scenario.jobs.jobs, 7);
    ck_assert_uint_eq(scenario.jobs.admitted_most, 3);
    ck_assert_double_eq(scenario.jobs.means[0], 12);
    ck_assert_uint_eq(scenario.axis_count, 1);
    sl_arena_free(&arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("job_scenario");
    TCase *tcase = tcase_create("job_scenario");
    tcase_add_checked_fixture(tcase, open_dir, close_dir);
    tcase_add_test(tcase, open_mode_lands);
    tcase_add_test(tcase, closed_mode_lands);
    tcase_add_test(tcase, a_trace_brings_its_parameters);
    tcase_add_test(tcase, open_jobs_have_arrivals_and_parameters_of_their_own);
    tcase_add_test(tcase, closed_jobs_have_think_times);
    tcase_add_test(tcase, faults_are_located);
    tcase_add_test(tcase, a_bad_trace_is_one_fault);
    tcase_add_test(tcase, tables_are_refused_by_name);
    tcase_add_test(tcase, what_changes_nothing_is_named);
    tcase_add_test(tcase, clients_limit_admission);
    tcase_add_test(tcase, admission_by_memory_lands);
    tcase_add_test(tcase, overrides_and_axes_reach_run);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}
