/* Thin names over YAJL's generator: "key": value in one call; NaN and infinities become null and
 * "inf", which JSON numbers cannot say. */
#ifndef SL_JSON_OUT_H
#define SL_JSON_OUT_H
#include "quantile.h"
#include <yajl/yajl_gen.h>

yajl_gen sl_json_create(void); /* NULL: out of memory */
/* One that writes into the stream at once, whose errors tell what was lost; sl_json_drop ends it.
 */
yajl_gen sl_json_create_on(FILE *out);
void sl_json_open_map(yajl_gen gen, const char *key); /* key NULL: an element or the root */
void sl_json_open_array(yajl_gen gen, const char *key);
void sl_json_text(yajl_gen gen, const char *key, const char *text); /* NULL: null */
void sl_json_number(yajl_gen gen, const char *key, double value);
void sl_json_us(yajl_gen gen, const char *key, int64_t ps); /* exact microseconds */
/* A map: value, lo and hi; or value_us, lo_us and hi_us of a time in us. */
void sl_json_estimate(yajl_gen gen, const char *key, struct sl_estimate estimate);
void sl_json_estimate_us(yajl_gen gen, const char *key, struct sl_estimate time);
void sl_json_integer(yajl_gen gen, const char *key, int64_t value);
void sl_json_raw_number(yajl_gen gen, const char *key, const char *digits);
void sl_json_bool(yajl_gen gen, const char *key, bool value);
/* Releases the generator; NULL is allowed. */
void sl_json_drop(yajl_gen gen);
/* Writes what was generated and releases the generator. */
enum sl_status sl_json_finish(yajl_gen gen, FILE *out, struct sl_error *err) SL_NODISCARD;
#endif
