/* CSV tables: contents and places of cells, and every fault with its place and code. */
#include <config.h>

#include "csvtab.h"
#include "harness.h"
#include <string.h>
#include <unistd.h>

static const struct sl_column_spec spec[] = {{"node", true}, {"kind", true}, {"class", false}};

static char path[] = "/tmp/sl-csvtab-XXXXXX";
static struct sl_csv table;
static struct sl_diags diags;
static struct sl_error err;

static void setup(void)
{
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void teardown(void)
{
    sl_csv_free(&table);
    sl_diags_free(&diags);
    unlink(path);
}

static void read_bytes(const char *bytes, size_t size)
{
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(bytes, 1, size, out), size);
    fclose(out);
    sl_csv_free(&table);
    sl_diags_free(&diags);
    ck_assert_int_eq(sl_csv_read(&table, path, spec, 3, &diags, &err), SL_OK);
}

static void read_text(const char *text)
{
    read_bytes(text, strlen(text));
}

static void cell_is(uint32_t row, uint32_t column, const char *text, int line, int at)
{
    struct sl_place place = sl_csv_place(&table, row, column);
    ck_assert_str_eq(sl_csv_cell(&table, row, column), text);
    ck_assert_int_eq(place.line, line);
    ck_assert_int_eq(place.column, at);
    ck_assert_str_eq(place.file, path);
}

/* Diagnostic i has this text, code and place; an error in all of these tests. */
static void fault_is(size_t i, int line, int column, const char *code, const char *message)
{
    ck_assert_uint_lt(i, diags.count);
    const struct sl_diag *item = &diags.items[i];
    ck_assert_str_eq(item->message, message);
    ck_assert_str_eq(item->code, code);
    ck_assert_int_eq(item->place.line, line);
    ck_assert_int_eq(item->place.column, column);
    ck_assert_int_eq(item->severity, SL_ERROR);
}

START_TEST(plain)
{
    read_text("node,kind\na,compute\nb,transfer");
    ck_assert_uint_eq(diags.count, 0);
    ck_assert_uint_eq(table.row_count, 2);
    ck_assert(table.present[0] && table.present[1] && !table.present[2]);
    cell_is(0, 0, "a", 2, 1);
    cell_is(0, 1, "compute", 2, 3);
    cell_is(0, 2, "", 2, 0);
    cell_is(1, 1, "transfer", 3, 3);
}
END_TEST

START_TEST(order_of_columns)
{
    read_text("class,node,kind\nc1,n1,k1\n");
    ck_assert_uint_eq(diags.count, 0);
    cell_is(0, 0, "n1", 2, 4);
    cell_is(0, 1, "k1", 2, 7);
    cell_is(0, 2, "c1", 2, 1);
}
END_TEST

START_TEST(decorated)
{
    read_text("\xEF\xBB\xBF# source=w1, seed=1\r\n  # \"more\r\n\r\nnode , kind,class\r\n"
              "\r\n  a ,\t\"x,\"\"y\"\"\" ,  \r\n \t \r\n\"\",\" b \",c c\r\n");
    ck_assert_uint_eq(diags.count, 0);
    ck_assert_uint_eq(table.row_count, 2);
    cell_is(0, 0, "a", 6, 3);
    cell_is(0, 1, "x,\"y\"", 6, 7);
    ck_assert_str_eq(sl_csv_cell(&table, 0, 2), "");
    cell_is(1, 0, "", 8, 1);
    cell_is(1, 1, "b", 8, 4);
    cell_is(1, 2, "c c", 8, 10);
}
END_TEST

START_TEST(columns_count_characters)
{
    read_text("node,kind,class\n\xC3\xA9\xE2\x82\xAC,\xF0\x9F\x98\x80,z\n");
    ck_assert_uint_eq(diags.count, 0);
    cell_is(0, 1, "\xF0\x9F\x98\x80", 2, 4);
    cell_is(0, 2, "z", 2, 6);
}
END_TEST

START_TEST(bad_header)
{
    read_text("nod, class,class,,price\na,b,c,d,e\nf\n");
    fault_is(0, 1, 1, "unknown-column", "unknown column 'nod' (did you mean 'node'?)");
    fault_is(1, 1, 12, "duplicate-column", "column 'class' is named twice");
    fault_is(2, 1, 18, "unknown-column", "unknown column '' (allowed: node, kind, class)");
    fault_is(3, 1, 19, "unknown-column", "unknown column 'price' (allowed: node, kind, class)");
    fault_is(4, 1, 0, "missing-column", "the header names no column 'node', which is required");
    fault_is(5, 1, 0, "missing-column", "the header names no column 'kind', which is required");
    fault_is(6, 3, 0, "too-few-cells", "row has 1 cell, the header names 5");
    ck_assert_uint_eq(diags.count, 7);
}
END_TEST

START_TEST(wrong_widths)
{
    read_text("node,kind,class\na\nb,c,d,e\n# late\nf,g,h\n");
    fault_is(0, 2, 0, "too-few-cells", "row has 1 cell, the header names 3");
    fault_is(1, 3, 0, "too-many-cells", "row has 4 cells, the header names 3");
    fault_is(2, 4, 0, "too-few-cells",
             "row has 1 cell, the header names 3 (comments stand before the header only)");
    ck_assert_uint_eq(diags.count, 3);
    cell_is(0, 1, "", 2, 0);
    cell_is(3, 2, "h", 5, 5);
}
END_TEST

START_TEST(bad_quotes)
{
    read_text("node,kind,class\na,\"b\nc,d\"e,f\ng,\"h\"i,j\nk,\"l\",m\n");
    fault_is(0, 2, 3, "bad-quotes", "a quoted cell does not end on its line");
    fault_is(1, 3, 3, "bad-quotes",
             "a quote inside a cell: put the whole cell in quotes and double the quotes inside it");
    fault_is(2, 4, 3, "bad-quotes",
             "a quote inside a cell: put the whole cell in quotes and double the quotes inside it");
    ck_assert_uint_eq(diags.count, 3);
    ck_assert_uint_eq(table.row_count, 1);
    cell_is(0, 1, "l", 5, 3);
}
END_TEST

START_TEST(bad_bytes)
{
    static const char text[] = "node,kind\na,b\xFF\nc\0,d\ne\rf,g\n"
                               "\xC0\xAF,overlong\n\xED\xA0\x80,surrogate\nh,\xE2\x82";
    read_bytes(text, sizeof text - 1);
    fault_is(0, 2, 4, "invalid-utf8", "byte 0xFF is not valid UTF-8");
    fault_is(1, 3, 2, "nul-byte", "a NUL byte");
    fault_is(2, 4, 2, "stray-cr", "a carriage return inside a line");
    fault_is(3, 5, 1, "invalid-utf8", "byte 0xC0 is not valid UTF-8");
    fault_is(4, 6, 1, "invalid-utf8", "byte 0xED is not valid UTF-8");
    fault_is(5, 7, 3, "invalid-utf8", "byte 0xE2 is not valid UTF-8");
    ck_assert_uint_eq(diags.count, 6);
    ck_assert_uint_eq(table.row_count, 0);
}
END_TEST

START_TEST(empty)
{
    const char *const texts[] = {"", "\n\n", "# only a comment", "\xEF\xBB\xBF"};
    for (size_t i = 0; i < 4; i++) {
        read_text(texts[i]);
        fault_is(0, 0, 0, "no-header", "the table is empty: its first line must name the columns");
        ck_assert_uint_eq(table.row_count, 0);
    }
    read_text("node,kind");
    ck_assert_uint_eq(diags.count, 0);
    ck_assert_uint_eq(table.row_count, 0);
}
END_TEST

START_TEST(unreadable)
{
    ck_assert_int_eq(sl_csv_read(&table, "/nonexistent/nodes.csv", spec, 3, &diags, &err),
                     SL_INVALID);
    ck_assert_str_eq(err.message, "cannot open: No such file or directory");
    sl_csv_free(&table);
    err = (struct sl_error){0};
    ck_assert_int_eq(sl_csv_read(&table, "/tmp", spec, 3, &diags, &err), SL_INVALID);
    ck_assert_str_eq(err.message, "not a regular file");
    sl_csv_free(&table);
    err = (struct sl_error){0};
    ck_assert_int_eq(sl_csv_read(&table, "/dev/zero", spec, 3, &diags, &err), SL_INVALID);
    ck_assert_uint_eq(diags.count, 0);
}
END_TEST

/* Random bytes from a small alphabet of special characters: the reader must come back, and each
 * cell that it returns must end inside the file's text. */
START_TEST(random_bytes)
{
    static const char alphabet[] = "a,\"\n\r \t#\xC3\xA9";
    unsigned state = 12345;
    for (int round = 0; round < 2000; round++) {
        char bytes[80] = "node,kind,class\n";
        size_t size = strlen(bytes);
        while (size < sizeof bytes) {
            state = state * 1664525u + 1013904223u;
            bytes[size++] = alphabet[(state >> 16) % (sizeof alphabet - 1)];
        }
        read_bytes(bytes, size);
        for (uint32_t row = 0; row < table.row_count; row++)
            for (uint32_t column = 0; column < 3; column++)
                ck_assert_uint_lt(strlen(sl_csv_cell(&table, row, column)), sizeof bytes);
    }
}
END_TEST

/* Quotes around any of a row's cells change nothing but columns: what passes through libcsv and
 * what does not is read alike. */
START_TEST(quoted_or_not)
{
    static const char *const texts[] = {"a", "", " b\t", "c d", "\xC3\xA9", "  "};
    static const char *const read[] = {"a", "", "b", "c d", "\xC3\xA9", ""};
    static char text[40000] = "node,kind,class\n";
    size_t used = strlen(text);
    for (unsigned i = 0; i < 6 * 6 * 6 * 8; i++) {
        const unsigned what[] = {i / 8 % 6, i / 48 % 6, i / 288};
        for (unsigned k = 0; k < 3; k++) {
            const char *quote = i >> k & 1 ? "\"" : "";
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s", quote,
                                     k == 0 && what[0] == 1 ? "x" : texts[what[k]], quote,
                                     k < 2 ? "," : "\n");
        }
    }
    ck_assert_uint_lt(used, sizeof text);
    read_text(text);
    ck_assert_uint_eq(diags.count, 0);
    ck_assert_uint_eq(table.row_count, 6 * 6 * 6 * 8);
    for (unsigned i = 0; i < table.row_count; i++) {
        const unsigned what[] = {i / 8 % 6, i / 48 % 6, i / 288};
        for (unsigned k = 0; k < 3; k++)
            ck_assert_str_eq(sl_csv_cell(&table, i, k),
                             k == 0 && what[0] == 1 ? "x" : read[what[k]]);
    }
}
END_TEST

START_TEST(written_fields_come_back)
{
    const char *const fields[] = {"plain", "a,b", "say \"hi\"", "#5", "", "\xC3\xA9"};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fputs("node,kind,class\n", out);
    for (int i = 0; i < 6; i++) {
        sl_csv_put(out, fields[i]);
        fputs(i % 3 == 2 ? "\n" : ",", out);
    }
    fclose(out);
    read_text(text);
    free(text);
    ck_assert_uint_eq(diags.count, 0);
    for (uint32_t i = 0; i < 6; i++)
        ck_assert_str_eq(sl_csv_cell(&table, i / 3, i % 3), fields[i]);
}
END_TEST

/* Without a header no row has a meaning: one line, not one for each row below. */
START_TEST(broken_header)
{
    read_text("# note\nnode,\"kind\na,compute\nb,compute\n");
    ck_assert_uint_eq(diags.count, 1);
    fault_is(0, 2, 6, "bad-quotes", "a quoted cell does not end on its line");
    ck_assert_uint_eq(table.row_count, 0);
    read_text("node,k\xffind\na,compute\n");
    ck_assert_uint_eq(diags.count, 1);
    fault_is(0, 1, 7, "invalid-utf8", "byte 0xFF is not valid UTF-8");
    /* A broken comment is a line of its own. */
    read_text("# n\xffte\nnode,kind\na,compute\n");
    ck_assert_uint_eq(diags.count, 1);
    ck_assert_uint_eq(table.row_count, 1);
    cell_is(0, 1, "compute", 3, 3);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("csvtab");
    TCase *tc = tcase_create("csvtab");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, plain);
    tcase_add_test(tc, order_of_columns);
    tcase_add_test(tc, decorated);
    tcase_add_test(tc, columns_count_characters);
    tcase_add_test(tc, bad_header);
    tcase_add_test(tc, broken_header);
    tcase_add_test(tc, wrong_widths);
    tcase_add_test(tc, bad_quotes);
    tcase_add_test(tc, bad_bytes);
    tcase_add_test(tc, empty);
    tcase_add_test(tc, unreadable);
    tcase_add_test(tc, random_bytes);
    tcase_add_test(tc, quoted_or_not);
    tcase_add_test(tc, written_fields_come_back);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
