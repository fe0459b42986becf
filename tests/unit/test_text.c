/* Words, diagnostics and the arena they live in. */
#include <config.h>

#include "harness.h"
#include "text.h"
#include <string.h>

START_TEST(names_are_dense)
{
    struct sl_names names = {0};
    char word[16];
    for (uint32_t i = 0; i < 1000; i++) {
        snprintf(word, sizeof word, "n%u", i);
        ck_assert_uint_eq(sl_names_add(&names, word), i);
    }
    ck_assert_uint_eq(sl_names_add(&names, "n7"), 7);
    ck_assert_uint_eq(names.count, 1000);
    ck_assert_uint_eq(sl_names_find(&names, "n999"), 999);
    ck_assert_uint_eq(sl_names_find(&names, "n1000"), SL_NONE);
    sl_names_free(&names);
    ck_assert_uint_eq(sl_names_find(&names, "n1"), SL_NONE);
}
END_TEST

START_TEST(shared_names_go_their_own_way)
{
    struct sl_names names = {0}, copy = {0}, again = {0};
    ck_assert_uint_eq(sl_names_add(&names, "a"), 0);
    ck_assert_uint_eq(sl_names_add(&names, "b"), 1);
    ck_assert(sl_names_share(&copy, &names));
    ck_assert_uint_eq(sl_names_add(&copy, "b"), 1);
    ck_assert_uint_eq(sl_names_add(&copy, "c"), 2);
    ck_assert_uint_eq(sl_names_find(&names, "c"), SL_NONE);
    /* What the original takes later is not the copy's, whatever its index. */
    ck_assert_uint_eq(sl_names_add(&names, "d"), 2);
    ck_assert_uint_eq(sl_names_find(&copy, "d"), SL_NONE);
    ck_assert_uint_eq(sl_names_add(&copy, "d"), 3);
    /* A share of a share needs the first original only. */
    ck_assert(sl_names_share(&again, &copy));
    sl_names_free(&copy);
    static const char *const words[] = {"a", "b", "c", "d"};
    ck_assert_uint_eq(again.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_str_eq(again.names[i], words[i]);
        ck_assert_uint_eq(sl_names_find(&again, words[i]), i);
    }
    ck_assert_uint_eq(sl_names_add(&again, "e"), 4);
    sl_names_free(&again);
    ck_assert_uint_eq(names.count, 3);
    ck_assert_uint_eq(sl_names_find(&names, "a"), 0);
    sl_names_free(&names);
}
END_TEST

START_TEST(nearest_word)
{
    static const char *const words[] = {"compute", "capacity", "reserve", "h2d", "hbm"};
    const struct {
        const char *word, *nearest;
    } cases[] = {
        {"capcity", "capacity"},   /* deletion */
        {"capacityy", "capacity"}, /* insertion */
        {"reserbe", "reserve"},    /* substitution */
        {"ocmpute", "compute"},    /* swap of neighbours */
        {"cmoupte", "compute"},    /* two swaps in seven letters */
        {"h2", "h2d"},
        {"HBM", "hbm"}, /* case does not count */
        {"bandwidth", NULL},
        {"rsvr", NULL}, /* three edits, one allowed */
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *nearest = sl_nearest(cases[i].word, words, 5);
        ck_assert_msg((nearest == NULL) == (cases[i].nearest == NULL) &&
                          (!nearest || strcmp(nearest, cases[i].nearest) == 0),
                      "'%s' gave '%s'", cases[i].word, nearest ? nearest : "nothing");
    }
    static const char *const letters[] = {"a"};
    ck_assert_ptr_null(sl_nearest("b", letters, 1));
    char giant[100000];
    memset(giant, 'x', sizeof giant);
    giant[sizeof giant - 1] = '\0';
    ck_assert_ptr_null(sl_nearest(giant, words, 5));
}
END_TEST

START_TEST(suggestions)
{
    static const char *const words[] = {"fifo", "priority", "edf"};
    char text[200] = "unknown order 'fif'";
    sl_suggest(text, sizeof text, "fif", words, 3);
    ck_assert_str_eq(text, "unknown order 'fif' (did you mean 'fifo'?)");
    text[0] = '\0';
    sl_suggest(text, sizeof text, "shortest", words, 3);
    ck_assert_str_eq(text, " (allowed: fifo, priority, edf)");
    char small[30] = "";
    sl_suggest(small, sizeof small, "shortest", words, 3);
    ck_assert_str_eq(small, " (allowed: fifo, ...)");
    static const char *const twice[] = {"f0", "gemm", "f1", "gemm"};
    text[0] = '\0';
    sl_suggest(text, sizeof text, "elsewhere", twice, 4);
    ck_assert_str_eq(text, " (allowed: f0, gemm, f1)");
    text[0] = '\0';
    sl_suggest(text, sizeof text, "x", words, 0);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(globs)
{
    ck_assert(sl_glob_any("act*", "act7.norm"));
    ck_assert(sl_glob_any("w?; act[0-9] ", "act3"));
    ck_assert(!sl_glob_any("w?;act[0-9]", "act33"));
    ck_assert(!sl_glob_any("", "x"));
    ck_assert(!sl_glob_any(" ; ;", "x"));
}
END_TEST

START_TEST(hash_vectors)
{
    /* Published FNV-1a 64 values of "", "a", "foobar" (cbf29ce484222325, af63dc4c8601ec8c,
     * 85944171f73967e8), each through MurmurHash3's fmix64, worked out with another program. */
    ck_assert_uint_eq(sl_hash_text(""), 0xefd01f60ba992926u);
    ck_assert_uint_eq(sl_hash_text("a"), 0x82a2a958a9bece5bu);
    ck_assert_uint_eq(sl_hash_text("foobar"), 0x2c22194922d1672bu);
}
END_TEST

START_TEST(pieces)
{
    struct sl_arena arena = {0};
    size_t count = 9;
    char **items = sl_split(&arena, " hbm ; pinned;;nvme:1", ';', &count);
    ck_assert_uint_eq(count, 4);
    ck_assert_str_eq(items[0], "hbm");
    ck_assert_str_eq(items[1], "pinned");
    ck_assert_str_eq(items[2], "");
    ck_assert_str_eq(items[3], "nvme:1");
    ck_assert_ptr_null(items[4]);
    ck_assert_ptr_nonnull(sl_split(&arena, " \t", ';', &count));
    ck_assert_uint_eq(count, 0);
    sl_arena_free(&arena);
}
END_TEST

START_TEST(arena_memory)
{
    struct sl_arena arena = {0};
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *memory = sl_arena_alloc(&arena, size);
        ck_assert_ptr_nonnull(memory);
        ck_assert_uint_eq((uintptr_t)memory % 16, 0);
        for (size_t i = 0; i < size; i++)
            ck_assert_uint_eq(memory[i], 0);
        memset(memory, 0xAA, size); /* shows up in a later block that overlaps */
    }
    ck_assert_ptr_nonnull(sl_arena_alloc(&arena, 10 << 20));
    ck_assert_str_eq(sl_arena_printf(&arena, "%s-%d", "layer", 31), "layer-31");
    ck_assert_ptr_null(sl_arena_array(&arena, SIZE_MAX / 2, 4));
    ck_assert_ptr_null(sl_arena_alloc(&arena, SIZE_MAX - 8));
    sl_arena_free(&arena);
    ck_assert_uint_eq(arena.total, 0);

    struct sl_arena small = {.limit = 10000};
    size_t got = 0;
    while (got < 100000 && sl_arena_alloc(&small, 100))
        got += 100;
    ck_assert_uint_gt(got, 5000);
    ck_assert_uint_lt(got, 10000);
    ck_assert_uint_le(small.total, small.limit);
    sl_arena_free(&small);
}
END_TEST

START_TEST(arrays_grow)
{
    uint32_t *items = NULL, capacity = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        ck_assert(sl_grow((void **)&items, &capacity, i + 1, sizeof *items));
        items[i] = i;
    }
    ck_assert_uint_eq(items[9999], 9999);
    ck_assert(!sl_grow((void **)&items, &capacity, UINT32_MAX, SIZE_MAX / 4));
    ck_assert_uint_eq(items[1234], 1234);
    free(items);
}
END_TEST

static char *printed(const struct sl_diags *diags)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    sl_diags_print(diags, out);
    fclose(out);
    return text;
}

START_TEST(diagnostics_in_order)
{
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    ck_assert_int_eq(sl_diags_status(&diags, &err), SL_OK);
    sl_diags_add(&diags, SL_WARNING, "unused", (struct sl_place){"nodes.csv", 9, 1}, "knob %d", 1);
    ck_assert_int_eq(sl_diags_status(&diags, &err), SL_OK);
    sl_diags_add(&diags, SL_ERROR, "late", (struct sl_place){"nodes.csv", 10, 2}, "b\033[1mold");
    sl_diags_add(&diags, SL_ERROR, "early", (struct sl_place){"edges.csv", 3, 0}, "first");
    sl_diags_add(&diags, SL_NOTE, "hint", (struct sl_place){0}, "no place");
    char *text = printed(&diags);
    ck_assert_str_eq(text, "note: no place [hint]\n"
                           "edges.csv:3: error: first [early]\n"
                           "nodes.csv:9:1: warning: knob 1 [unused]\n"
                           "nodes.csv:10:2: error: b?[1mold [late]\n");
    free(text);
    ck_assert_int_eq(sl_diags_status(&diags, &err), SL_INVALID);
    ck_assert_int_eq(err.place.line, 10);
    sl_diags_free(&diags);
}
END_TEST

START_TEST(diagnostics_say_what_to_do)
{
    struct sl_diags diags = {0};
    sl_diags_suggest(&diags, "to nobody"); /* nothing was added yet */
    sl_diags_add(&diags, SL_ERROR, "late", (struct sl_place){"b.csv", 2, 1}, "second");
    sl_diags_suggest(&diags, "drop '%s\033'", "x");
    sl_diags_subject(&diags, SL_SUBJECT_NODE, "x");
    sl_diags_subject(&diags, SL_SUBJECT_OBJECT, "x");
    sl_diags_subject(&diags, SL_SUBJECT_NODE, "x");
    sl_diags_add(&diags, SL_ERROR, "early", (struct sl_place){"a.csv", 1, 1}, "first");
    char *text = printed(&diags);
    ck_assert_str_eq(text, "a.csv:1:1: error: first [early]\n"
                           "b.csv:2:1: error: second [late]\n"
                           "  suggestion: drop 'x?'\n");
    free(text);
    ck_assert_uint_eq(diags.items[0].subject_count, 2); /* a name of each kind, once */
    /* What is not kept takes no suggestion, and the one before it keeps its own. */
    for (int i = 0; i < 300; i++)
        sl_diags_add(&diags, SL_ERROR, "bad", (struct sl_place){"c.csv", i + 1, 0}, "row");
    sl_diags_suggest(&diags, "too late");
    sl_diags_subject(&diags, SL_SUBJECT_NODE, "y");
    ck_assert_ptr_null(diags.items[diags.count - 1].suggestion);
    ck_assert_uint_eq(diags.items[diags.count - 1].subject_count, 0);
    sl_diags_free(&diags);
}
END_TEST

START_TEST(diagnostics_are_bounded)
{
    struct sl_diags diags = {0};
    for (int i = 0; i < 1000; i++)
        sl_diags_add(&diags, SL_ERROR, "bad", (struct sl_place){"f", i + 1, 0}, "row");
    ck_assert_uint_eq(diags.errors, 1000);
    ck_assert_uint_eq(diags.count, 200);
    /* A flood of one code hides no other. */
    sl_diags_add(&diags, SL_ERROR, "other", (struct sl_place){"g", 1, 0}, "row");
    ck_assert_uint_eq(diags.count, 201);
    char *text = printed(&diags);
    ck_assert_ptr_nonnull(strstr(text, "... and 800 more errors [bad]\n"));
    ck_assert_ptr_nonnull(strstr(text, "g:1: error: row [other]\n"));
    free(text);
    sl_diags_free(&diags);
}
END_TEST

START_TEST(first_error_wins)
{
    struct sl_error err = {0};
    ck_assert_int_eq(SL_FAIL(&err, SL_SYSTEM, "disk %d", 1), SL_SYSTEM);
    ck_assert_int_eq(SL_FAIL(&err, SL_INVALID, "later"), SL_INVALID);
    ck_assert_int_eq(err.status, SL_SYSTEM);
    ck_assert_str_eq(err.message, "disk 1");
    ck_assert_int_eq(SL_FAIL(NULL, SL_NO, "nobody listens"), SL_NO);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("text");
    TCase *tc = tcase_create("text");
    tcase_add_test(tc, names_are_dense);
    tcase_add_test(tc, shared_names_go_their_own_way);
    tcase_add_test(tc, nearest_word);
    tcase_add_test(tc, suggestions);
    tcase_add_test(tc, globs);
    tcase_add_test(tc, hash_vectors);
    tcase_add_test(tc, pieces);
    tcase_add_test(tc, arena_memory);
    tcase_add_test(tc, arrays_grow);
    tcase_add_test(tc, diagnostics_in_order);
    tcase_add_test(tc, diagnostics_say_what_to_do);
    tcase_add_test(tc, diagnostics_are_bounded);
    tcase_add_test(tc, first_error_wins);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
