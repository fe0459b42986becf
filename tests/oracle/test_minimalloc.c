/* Static allocation instances (minimalloc, Apache-2.0): buffers with a size that live from `lower`
 * up to, but not at, `upper`, in a memory of 1048576 bytes.
 *
 * A scenario has a node per stretch between two neighbouring times: `open` begins it and writes the
 * buffers that are born there, `work` lasts as long as it and reads those that die at its end.  So
 * the level of the run at any time is the sum of the sizes that live then, and the peak is that of
 * a sweep over the ends of the lives: peak = max over t of the sum of size over lower <= t < upper.
 * On A, B, E, F, G the peak is the capacity itself, on input.12 it is 12; on C it is 0.991 and on D
 * 0.940 of the capacity.  The least capacity that runs is the peak: with a byte less it is refused.
 */
#include "config.h"

#include "peak_bound.h"
#include "planlab.h"
#include "units.h"

#define MOST 400

struct buffer {
    int64_t lower, upper, bytes;
};

struct instance {
    int count, times;
    struct buffer buffers[MOST];
    int64_t time[2 * MOST]; /* distinct ends of lives, ascending */
};

static char data_dir[4000];

/* Two buffers that meet at 3 do not live together: 4 + 4 from 0 to 3, then 4 + 2, then 2 alone. */
static const char by_hand[] = "id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,0,3,4\nd,3,12,2\n";

static int by_value(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void parse(const char *text, struct instance *instance)
{
    memset(instance, 0, sizeof *instance);
    for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        long long lower, upper, bytes;
        ck_assert_int_eq(sscanf(line + 1, "%*[^,],%lld,%lld,%lld", &lower, &upper, &bytes), 3);
        ck_assert_int_lt(instance->count, MOST);
        ck_assert(lower < upper && bytes > 0);
        instance->time[2 * instance->count] = lower;
        instance->time[2 * instance->count + 1] = upper;
        instance->buffers[instance->count++] = (struct buffer){lower, upper, bytes};
    }
    qsort(instance->time, 2 * (size_t)instance->count, sizeof *instance->time, by_value);
    for (int i = 0; i < 2 * instance->count; i++)
        if (i == 0 || instance->time[i] != instance->time[instance->times - 1])
            instance->time[instance->times++] = instance->time[i];
}

static void read_instance(const char *name, struct instance *instance)
{
    static char text[1 << 16];
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", data_dir, name);
    FILE *in = fopen(path, "r");
    ck_assert_msg(in != NULL, "cannot open %s", path);
    size_t length = fread(text, 1, sizeof text - 1, in);
    ck_assert_uint_lt(length, sizeof text - 1);
    text[length] = '\0';
    fclose(in);
    parse(text, instance);
}

static int64_t swept_peak(const struct instance *instance)
{
    int64_t peak = 0;
    for (int k = 0; k < instance->times; k++) {
        int64_t level = 0;
        for (int b = 0; b < instance->count; b++)
            if (instance->buffers[b].lower <= instance->time[k] &&
                instance->time[k] < instance->buffers[b].upper)
                level += instance->buffers[b].bytes;
        peak = level > peak ? level : peak;
    }
    return peak;
}

/* Objects of a cell: the buffers that are born (or die) at `at`. */
static void put_buffers(FILE *out, const struct instance *instance, int64_t at, bool born)
{
    const char *separator = "";
    for (int b = 0; b < instance->count; b++)
        if ((born ? instance->buffers[b].lower : instance->buffers[b].upper) == at) {
            fprintf(out, "%sb%d", separator, b);
            separator = ";";
        }
}

static enum sl_status open_instance(struct planlab *lab, const struct instance *instance,
                                    int64_t capacity)
{
    char yaml[600], *nodes, *objects;
    size_t node_bytes, object_bytes;
    snprintf(yaml, sizeof yaml,
             "name: lives\nnodes: nodes.csv\nobjects: objects.csv\n"
             "resources: {gpu: {servers: 1}}\ndomains: {hbm: {capacity: %lldB, reserve: 0B}}\n"
             "objective: {metric: makespan, tail: 0.99}\ntrials: 1\nseed: 1\n"
             "policies:\n  - {name: retain, action: retain}\n",
             (long long)capacity);
    FILE *out = open_memstream(&nodes, &node_bytes);
    fputs("node,kind,resource,lane,duration,inputs,outputs\n", out);
    for (int k = 0; k + 1 < instance->times; k++) {
        fprintf(out, "open%d,compute,gpu,s,0us,,", k);
        put_buffers(out, instance, instance->time[k], true);
        fprintf(out, "\nwork%d,compute,gpu,s,%lldus,", k,
                (long long)(instance->time[k + 1] - instance->time[k]));
        put_buffers(out, instance, instance->time[k + 1], false);
        fputs(",\n", out);
    }
    fclose(out);
    out = open_memstream(&objects, &object_bytes);
    fputs("object,size,home\n", out);
    for (int b = 0; b < instance->count; b++)
        fprintf(out, "b%d,%lldB,hbm\n", b, (long long)instance->buffers[b].bytes);
    fclose(out);
    enum sl_status status = planlab_try_open(lab, yaml, nodes, objects, NULL, NULL);
    free(nodes);
    free(objects);
    return status;
}

static int64_t simulated_peak(const struct instance *instance, int64_t capacity)
{
    struct planlab lab;
    struct planlab_run run;
    ck_assert_int_eq(open_instance(&lab, instance, capacity), SL_OK);
    planlab_plan(&lab, "retain");
    const struct sl_trial *trial = planlab_trial(&lab, &run);
    ck_assert_int_eq(trial->outcome, SL_DONE);
    ck_assert_int_eq(trial->makespan_ps / SL_PS_PER_US,
                     instance->time[instance->times - 1] - instance->time[0]);
    int64_t peak = trial->peak_bytes[0];
    planlab_end(&run);
    planlab_close(&lab);
    return peak;
}

/* The scenario itself is refused where the buffers that are born at once do not fit; elsewhere the
 * plan that moves none is. */
static bool is_refused(const struct instance *instance, int64_t capacity)
{
    struct planlab lab;
    bool complete = false;
    enum sl_status status = open_instance(&lab, instance, capacity);
    if (status == SL_OK) {
        planlab_plan(&lab, "retain");
        status = sl_plan_peaks(lab.plan.graph, &complete, &lab.err);
        ck_assert(complete);
    }
    planlab_close(&lab);
    return status == SL_NO;
}

/* The peak with ample room and with just that much. */
static int64_t checked_peak(const struct instance *instance)
{
    int64_t peak = swept_peak(instance);
    ck_assert_int_eq(simulated_peak(instance, 2 * peak), peak);
    ck_assert_int_eq(simulated_peak(instance, peak), peak);
    ck_assert(is_refused(instance, peak - 1));
    return peak;
}

START_TEST(peak_by_hand)
{
    struct instance instance;
    parse(by_hand, &instance);
    ck_assert_int_eq(instance.times, 4);
    ck_assert_int_eq(checked_peak(&instance), 8);
}
END_TEST

static const struct {
    const char *file;
    int64_t peak;
} published[] = {
    {"A.1048576.csv", 1048576}, {"B.1048576.csv", 1048576}, {"C.1048576.csv", 1039360},
    {"D.1048576.csv", 986112},  {"E.1048576.csv", 1048576}, {"F.1048576.csv", 1048576},
    {"G.1048576.csv", 1048576}, {"input.12.csv", 12},
};

START_TEST(peak_of_published_instance)
{
    struct instance instance;
    read_instance(published[_i].file, &instance);
    ck_assert_int_eq(checked_peak(&instance), published[_i].peak);
}
END_TEST

int main(void)
{
    const char *shared = getenv("SL_SHARED");
    snprintf(data_dir, sizeof data_dir, "%.3900s/data/minimalloc", shared ? shared : "../shared");
    Suite *suite = suite_create("minimalloc");
    TCase *cases = tcase_create("peaks");
    tcase_add_test(cases, peak_by_hand);
    if (access(data_dir, R_OK) == 0)
        tcase_add_loop_test(cases, peak_of_published_instance, 0,
                            sizeof published / sizeof *published);
    else
        printf("# the published instances are not beside the checkout: by hand only\n");
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
