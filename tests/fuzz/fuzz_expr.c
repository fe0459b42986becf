/* Expressions of job parameters: what parses has a value, and one that does not vary has one alone.
 */
#include <config.h>

#include "expr.h"
#include "fuzz.h"
#include <math.h>
#include <stdlib.h>

static void check_value(const struct sl_expr *expr, const char *text)
{
    double a[] = {0, 1, 2.5}, b[] = {1e9, 0, 3};
    double at_a = sl_expr_value(expr, a), at_b = sl_expr_value(expr, b);
    if (!sl_expr_varies(expr))
        FUZZ_CHECK(at_a == at_b || (isnan(at_a) && isnan(at_b)), "%s: %g, then %g", text, at_a,
                   at_b);
    for (uint32_t p = 0; p < 3; p++)
        FUZZ_CHECK(sl_expr_varies(expr) || !sl_expr_uses(expr, p), "%s uses a parameter", text);
}

static void run(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    struct sl_arena arena = {0};
    struct sl_names names = {0};
    const struct sl_expr *expr;
    struct sl_error err = {0};
    struct sl_place place = {"fuzz", 1, 1};
    char *text = fuzz_text(data + 1, size - 1);
    static const char *const words[] = {"context_tokens", "n", "kv.missing"};
    for (size_t i = 0; i < FUZZ_COUNT(words); i++)
        FUZZ_CHECK(sl_names_add(&names, words[i]) == i, "names");
    enum sl_status status = sl_expr_parse(&expr, text, (enum sl_expr_dimension)(data[0] % 3),
                                          data[0] & 4 ? NULL : &names, place, &arena, &err);
    fuzz_judge(status, NULL, &err);
    if (status == SL_OK)
        check_value(expr, text);
    sl_names_free(&names);
    sl_arena_free(&arena);
    free(text);
}

static void seed(const struct fuzz_seeds *seeds)
{
    static const char *const texts[] = {
        "10.3us * context_tokens + 2ms",
        "2160KiB * context_tokens",
        "2max(1, ceil(context_tokens / 512)) * 64MiB",
        "0-(n - 3) / (kv.missing + 1)",
        "0min(n, 2, floor(1.5e3))",
        "01 / 0",
        "3n",
        "110ms / 2us * 3us",
        "0((((((1))))))",
    };
    fuzz_seed_texts(seeds, texts, FUZZ_COUNT(texts));
}

const struct fuzz_target fuzz_target_expr = {
    .name = "expr",
    .description = "expressions of job parameters",
    .run = run,
    .seeds = seed,
};
