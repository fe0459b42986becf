/* Few numbers are sorted by qsort; many doubles by radix from the lowest byte up (Knuth 1973,
 * 5.2.5), which takes a quarter of qsort's time at a million. */
#include <config.h>

#include "numsort.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 512, BYTES = 8, DIGITS = 256 };
#define SIGN (UINT64_C(1) << 63)

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A double's bits as an integer of the same order (IEEE 754: of numbers of one sign the bits are
 * ordered as the magnitudes are). */
static inline uint64_t key_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

/* Where the first value of each digit goes; false where all have the same one. */
static bool places(size_t counts[DIGITS], size_t n)
{
    size_t sum = 0;
    for (unsigned d = 0; d < DIGITS; d++) {
        if (counts[d] == n)
            return false;
        size_t here = counts[d];
        counts[d] = sum;
        sum += here;
    }
    return true;
}

static void sort_by_digits(double *values, double *scratch, size_t n)
{
    size_t counts[BYTES][DIGITS] = {{0}};
    for (size_t i = 0; i < n; i++) {
        uint64_t key = key_of(values[i]);
        for (unsigned b = 0; b < BYTES; b++)
            counts[b][key >> 8 * b & 255]++;
    }
    double *from = values, *to = scratch;
    for (unsigned b = 0; b < BYTES; b++) {
        if (!places(counts[b], n))
            continue;
        for (size_t i = 0; i < n; i++)
            to[counts[b][key_of(from[i]) >> 8 * b & 255]++] = from[i];
        double *swap = from;
        from = to;
        to = swap;
    }
    if (from != values)
        memcpy(values, from, n * sizeof *values);
}

void sl_sort_doubles(double *values, size_t n)
{
    double *scratch = n > FEW ? malloc(n * sizeof *scratch) : NULL;
    if (scratch)
        sort_by_digits(values, scratch, n);
    else if (n > 0) /* qsort takes no null pointer */
        qsort(values, n, sizeof *values, compare_doubles);
    free(scratch);
}

static int compare_integers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void sl_sort_integers(int64_t *values, size_t n)
{
    if (n > 0)
        qsort(values, n, sizeof *values, compare_integers);
}
