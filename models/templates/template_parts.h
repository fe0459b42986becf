/* What templates share: the device that a scenario names, checks of shapes and capacities, and the
 * writing of single files. */
#ifndef SL_TEMPLATE_PARTS_H
#define SL_TEMPLATE_PARTS_H
#include "llm_shape.h"
#include "templates.h"

enum { SL_TEMPLATE_PATH = 4096, SL_TEMPLATE_WORK = 64 };

/* Parameters of a decoder's shape with these defaults, in this order; and the device. */
/* clang-format off: one line is one parameter */
#define SL_LLM_PARAMS(layers, hidden, ffn, ffn_keys, heads, kv_heads) \
    {"layers", SL_TEMPLATE_INTEGER, layers, 1, 512, NULL, "decoder layers", "num_hidden_layers"}, \
    {"hidden", SL_TEMPLATE_INTEGER, hidden, 64, 65536, NULL, "hidden size h", "hidden_size"}, \
    {"ffn", SL_TEMPLATE_INTEGER, ffn, 64, 262144, NULL, "feed-forward size f", ffn_keys}, \
    {"heads", SL_TEMPLATE_INTEGER, heads, 1, 1024, NULL, "query heads; divides hidden, unless head_dim is set", \
     "num_attention_heads"}, \
    {"kv_heads", SL_TEMPLATE_INTEGER, kv_heads, 1, 1024, NULL, "key and value heads; divides heads", \
     "num_key_value_heads;num_attention_heads"}
#define SL_HEAD_DIM_PARAM \
    {"head_dim", SL_TEMPLATE_INTEGER, "0", 0, 4096, NULL, "width of a head; 0: hidden / heads", "head_dim;"}
#define SL_DEVICE_PARAM \
    {"device", SL_TEMPLATE_TEXT, "h100-sxm5", 0, 0, NULL, \
     "a device that comes with Slackline, or a folder relative to the scenario", NULL}
#define SL_DTYPE_PARAM \
    {"dtype", SL_TEMPLATE_TEXT, "bfloat16", 0, 0, "bfloat16;float16;float32;float8_e4m3fn", \
     "type of weights, activations, keys and values", "torch_dtype;dtype"}
#define SL_RIDGE_PARAM \
    {"ridge", SL_TEMPLATE_NUMBER, "295", 1, 1e6, NULL, \
     "FLOP per byte from which a kernel is bound by FLOP/s; of the H100 989.4 TFLOP/s over 3.35 TB/s", \
     NULL}
/* clang-format on */
/* Keys of models whose keys and values, or whose layers, are others than llm_shape.h's. */
#define SL_LATENT_KEYS "kv_lora_rank"
#define SL_EXPERT_KEYS "num_local_experts;num_experts;n_routed_experts;" SL_LATENT_KEYS

/* What scenario.yaml in `dir` says of the device: a text with a slash as it is; a name as the
 * folder beside the scenarios of a checkout, below the current folder or $SLACKLINE_DATA, or where
 * it was installed.  SL_USAGE where there is none of that name. */
enum sl_status sl_template_device(const char *dir, const char *device, char path[SL_TEMPLATE_PATH],
                                  struct sl_error *err) SL_NODISCARD;
/* Bytes of an element of one of SL_DTYPE_PARAM's words. */
int64_t sl_template_element_bytes(const char *dtype);
/* SL_USAGE for heads that do not divide what they have to, and for more than 2^26 tokens. */
enum sl_status sl_template_check_shape(const struct sl_llm_shape *shape,
                                       struct sl_error *err) SL_NODISCARD;
/* The ';'-separated capacities go into the sweep as they are written; one that is no size must not
 * get there (SL_USAGE). */
enum sl_status sl_template_check_capacities(const char *list, struct sl_error *err) SL_NODISCARD;
/* "a;b" as "[a, b]". */
void sl_template_put_list(FILE *out, const char *items);
/* Text of the column `work`: of `flop`, or where that is 0 of `bytes`. */
void sl_template_work(char work[SL_TEMPLATE_WORK], double flop, double bytes);
/* Of a kernel, the roofline's side that binds: at `ridge` FLOP per byte and more its FLOP, on class
 * gemm; below its bytes, on class elementwise. */
const char *sl_template_roofline(char work[SL_TEMPLATE_WORK], double flop, double bytes,
                                 double ridge);

/* Writes DIR/NAME. */
enum sl_status sl_template_write_file(const char *dir, const char *name,
                                      void (*put)(FILE *out, const void *what), const void *what,
                                      struct sl_error *err) SL_NODISCARD;
/* Writes DIR/README.md; one that is there stays: it may say what somebody found. */
enum sl_status sl_template_write_readme(const char *dir, void (*put)(FILE *out, const void *what),
                                        const void *what, struct sl_error *err) SL_NODISCARD;
#endif
