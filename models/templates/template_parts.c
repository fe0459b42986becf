/* What templates share. */
#include "config.h"

#include "datadir.h"
#include "outfile.h"
#include "template_parts.h"
#include "units.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum sl_status find_device(const char *dir, const char *name, char path[SL_TEMPLATE_PATH],
                                  struct sl_error *err)
{
    const size_t size = SL_TEMPLATE_PATH;
    char beside[SL_TEMPLATE_PATH], probe[SL_TEMPLATE_PATH + 16];
    bool fits = snprintf(path, size, "../../models/devices/%s", name) < (int)size &&
                snprintf(beside, sizeof beside, "%s/%s", dir, path) < (int)sizeof beside;
    if (!fits)
        return SL_FAIL(err, SL_USAGE, "the path '%.80s...' is too long", dir);
    snprintf(probe, sizeof probe, "%s/device.yaml", beside);
    if (access(probe, R_OK) == 0)
        return SL_OK;
    char *folder = NULL;
    const char *roots[] = {".", getenv("SLACKLINE_DATA")};
    for (size_t i = 0; i < sizeof roots / sizeof roots[0] && !folder; i++) {
        snprintf(beside, sizeof beside, "%.3000s/models/devices/%s", roots[i] ? roots[i] : ".",
                 name);
        snprintf(probe, sizeof probe, "%s/device.yaml", beside);
        if (access(probe, R_OK) == 0)
            folder = realpath(beside, NULL);
        if (access(probe, R_OK) == 0 && !folder)
            return SL_FAIL(err, SL_SYSTEM, "%s: %s", beside, strerror(errno));
    }
    int length = folder ? snprintf(path, size, "%s", folder)
                        : snprintf(path, size, "%s/models/devices/%s", sl_installed_data(), name);
    free(folder);
    snprintf(probe, sizeof probe, "%.4000s/device.yaml", path);
    if (length >= (int)size || access(probe, R_OK) != 0)
        return SL_FAIL(err, SL_USAGE,
                       "no device '%s' in ./models/devices, $SLACKLINE_DATA/models/devices or "
                       "%s/models/devices; give its folder instead",
                       name, sl_installed_data());
    return SL_OK;
}

enum sl_status sl_template_device(const char *dir, const char *device, char path[SL_TEMPLATE_PATH],
                                  struct sl_error *err)
{
    if (!strchr(device, '/'))
        return find_device(dir, device, path, err);
    if (snprintf(path, SL_TEMPLATE_PATH, "%s", device) >= SL_TEMPLATE_PATH)
        return SL_FAIL(err, SL_USAGE, "the path '%.80s...' is too long", device);
    return SL_OK;
}

int64_t sl_template_element_bytes(const char *dtype)
{
    if (strcmp(dtype, "float32") == 0)
        return 4;
    return strncmp(dtype, "float8", 6) == 0 ? 1 : 2;
}

enum sl_status sl_template_check_shape(const struct sl_llm_shape *shape, struct sl_error *err)
{
    if (shape->head_dim == 0 && shape->hidden % shape->heads != 0)
        return SL_FAIL(err, SL_USAGE, "heads = %lld does not divide hidden = %lld",
                       (long long)shape->heads, (long long)shape->hidden);
    if (shape->heads % shape->kv_heads != 0)
        return SL_FAIL(err, SL_USAGE, "kv_heads = %lld does not divide heads = %lld",
                       (long long)shape->kv_heads, (long long)shape->heads);
    if (sl_llm_tokens(shape) > INT64_C(1) << 26)
        return SL_FAIL(err, SL_USAGE, "sequence x micro_batch = %lld tokens is above 2^26",
                       (long long)sl_llm_tokens(shape));
    return SL_OK;
}

enum sl_status sl_template_check_capacities(const char *list, struct sl_error *err)
{
    for (const char *at = list;; at++) {
        char text[64], why[SL_WHY_SIZE];
        size_t length = strcspn(at, ";");
        int64_t bytes;
        snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text), at);
        if (!sl_parse_bytes(text, &bytes, why))
            return SL_FAIL(err, SL_USAGE, "capacities: %s", why);
        at += length;
        if (!*at)
            return SL_OK;
    }
}

void sl_template_put_list(FILE *out, const char *items)
{
    fputc('[', out);
    for (const char *at = items; *at;) {
        size_t length = strcspn(at, ";");
        fprintf(out, "%s%.*s", at == items ? "" : ", ", (int)length, at);
        at += length + (at[length] == ';');
    }
    fputc(']', out);
}

void sl_template_work(char work[SL_TEMPLATE_WORK], double flop, double bytes)
{
    if (flop > 0)
        snprintf(work, SL_TEMPLATE_WORK, "flops=%.15gGFLOP", flop / 1e9);
    else if (fmod(bytes, 1 << 20) == 0)
        snprintf(work, SL_TEMPLATE_WORK, "bytes=%.0fMiB", bytes / (1 << 20));
    else
        snprintf(work, SL_TEMPLATE_WORK, "bytes=%.0fB", bytes);
}

const char *sl_template_roofline(char work[SL_TEMPLATE_WORK], double flop, double bytes,
                                 double ridge)
{
    bool by_flop = flop >= ridge * bytes;
    sl_template_work(work, by_flop ? flop : 0, bytes);
    return by_flop ? "gemm" : "elementwise";
}

/* "DIR/NAME" into `path`. */
static enum sl_status join(char path[SL_TEMPLATE_PATH], const char *dir, const char *name,
                           struct sl_error *err)
{
    if (snprintf(path, SL_TEMPLATE_PATH, "%s/%s", dir, name) >= SL_TEMPLATE_PATH)
        return SL_FAIL(err, SL_USAGE, "the path '%.80s...' is too long", dir);
    return SL_OK;
}

enum sl_status sl_template_write_file(const char *dir, const char *name,
                                      void (*put)(FILE *out, const void *what), const void *what,
                                      struct sl_error *err)
{
    struct sl_outfile file;
    char path[SL_TEMPLATE_PATH];
    enum sl_status status = join(path, dir, name, err);
    if (status == SL_OK)
        status = sl_outfile_open(&file, path, err);
    if (status != SL_OK)
        return status;
    put(file.stream, what);
    return sl_outfile_commit(&file, err);
}

enum sl_status sl_template_write_readme(const char *dir, void (*put)(FILE *out, const void *what),
                                        const void *what, struct sl_error *err)
{
    char path[SL_TEMPLATE_PATH];
    enum sl_status status = join(path, dir, "README.md", err);
    if (status != SL_OK || access(path, F_OK) == 0)
        return status;
    return sl_template_write_file(dir, "README.md", put, what, err);
}
