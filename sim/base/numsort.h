/* Sorting plain numbers, ascending. */
#ifndef SL_NUMSORT_H
#define SL_NUMSORT_H
#include <stddef.h>
#include <stdint.h>

/* No NAN among them.  Many are sorted digit by digit, with a copy of them. */
void sl_sort_doubles(double *values, size_t n);
void sl_sort_integers(int64_t *values, size_t n);
#endif
