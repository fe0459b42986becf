/* Quantities with mandatory units: "120us", "64MiB", "25GB/s", "4/s", "7.2TFLOP", "1%".
 *
 * Each parser takes a whole trimmed text and fills *value; on failure it returns false and writes
 * into `why` what was found and which units are allowed ("'120' has no unit; write a time such as
 * 120us (ps, ns, us, ms, s, min, h)").  NaN, infinities, overflow and negative values are refused
 * unless stated.  Decimal and binary prefixes are told apart (MB, MiB).  The decimal
 * point is a point in every locale; blanks may stand between number and unit.  What is rounded is
 * rounded to the nearest; whole numbers are exact. */
#ifndef SL_UNITS_H
#define SL_UNITS_H
#include "status.h"

#define SL_WHY_SIZE 256
#define SL_PS_PER_US 1000000LL

/* Picoseconds in us; INT64_MAX stands for never (a deadlock) and is INFINITY. */
double sl_us_of(int64_t ps);

/* llround for 0 <= x < 2^62, without a call: half of the doubled integer part, halves up. */
static inline int64_t sl_round_ps(double x)
{
    return ((int64_t)(x + x) + 1) >> 1;
}

/* Time in picoseconds: ps ns us ms s min h.  Up to 2^62 ps (53 days). "0" needs a unit too. */
bool sl_parse_time(const char *text, int64_t *ps, char why[SL_WHY_SIZE]) SL_NODISCARD;
/* The same, not rounded to a tick: parameters of distributions. */
bool sl_parse_time_real(const char *text, double *ps, char why[SL_WHY_SIZE]) SL_NODISCARD;
/* Bytes: B kB MB GB TB KiB MiB GiB TiB.  Up to 2^60. */
bool sl_parse_bytes(const char *text, int64_t *bytes, char why[SL_WHY_SIZE]) SL_NODISCARD;
/* The same, not rounded to a byte and up to 1e300: factors of an expression. */
bool sl_parse_bytes_real(const char *text, double *bytes, char why[SL_WHY_SIZE]) SL_NODISCARD;
/* Bytes per second: any byte unit followed by "/s". */
bool sl_parse_bandwidth(const char *text, double *bytes_per_s, char why[SL_WHY_SIZE]) SL_NODISCARD;
/* Events per second: "4/s", "250/ms" (us, ms, s, min, h). */
bool sl_parse_rate(const char *text, double *per_s, char why[SL_WHY_SIZE]) SL_NODISCARD;
/* Floating-point operations: FLOP kFLOP MFLOP GFLOP TFLOP PFLOP. */
bool sl_parse_flop(const char *text, double *flop, char why[SL_WHY_SIZE]) SL_NODISCARD;
/* A dimensionless number ("0.95", "1e-3"); "5%" is 0.05.  Not negative. */
bool sl_parse_number(const char *text, double *value, char why[SL_WHY_SIZE]) SL_NODISCARD;
/* A share above 0 and at most 100%: "1%", or a number below 1 ("0.01").  A larger one without its %
 * is refused, because "1" may mean 1% or all. */
bool sl_parse_share(const char *text, double *share, char why[SL_WHY_SIZE]) SL_NODISCARD;
/* A whole number within [low, high]. */
bool sl_parse_integer(const char *text, int64_t low, int64_t high, int64_t *value,
                      char why[SL_WHY_SIZE]) SL_NODISCARD;

/* The end of a decimal number "[+-]digits[.digits][e[+-]digits]" at the start of `text`, or NULL. */
const char *sl_number_end(const char *text);

/* A point in time that no number of ps holds, because it counts from far away: s seconds and ps
 * picoseconds, 0 <= ps < 10^12. */
struct sl_instant {
    int64_t s, ps;
};
/* The decimal number "[+]digits[.digits][e[+-]digits]" in the first `length` characters of `text`,
 * times 10^power seconds, exactly and then rounded to a ps, half up; false when it is no such number,
 * is above 10^15 s, or is longer than 400 characters. */
bool sl_parse_instant(const char *text, size_t length, int power,
                      struct sl_instant *instant) SL_NODISCARD;

/* For people: three significant digits and a unit ("14.5 ms", "1.42 GiB"), into `buffer`, which is
 * returned.  NaN prints as "-", infinity as "inf". */
char *sl_format_time(char *buffer, size_t size, double ps);
char *sl_format_bytes(char *buffer, size_t size, double bytes);
/* A time with four digits ("1.541 s"): estimates with an interval, whose ends lie close together. */
char *sl_format_estimate(char *buffer, size_t size, double ps);
/* "1,234,567"; 27 bytes hold any. */
char *sl_format_count(char *buffer, size_t size, uint64_t value);
#endif
