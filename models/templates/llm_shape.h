/* The arithmetic of one decoder layer of a LLaMA-like transformer: FLOP and bytes of every kernel
 * of a training step, bytes of every tensor.  Derivations: doc/flagship.md.
 *
 * T tokens (sequence x micro-batch), h hidden size, q = heads head_dim (h, unless the model says
 * otherwise), g = kv_heads head_dim, f FFN size, s sequence, e bytes per element.  A GEMM of m x k
 * by k x n is 2mkn FLOP. */
#ifndef SL_LLM_SHAPE_H
#define SL_LLM_SHAPE_H
#include <stddef.h>
#include <stdint.h>

enum { SL_LLM_FORMULA = 96 };

struct sl_llm_shape {
    int64_t layers, hidden, ffn, heads, kv_heads, sequence, micro_batch, vocab, ranks;
    int64_t element_bytes;
    int64_t head_dim; /* 0: hidden / heads */
};

/* One kernel of a layer.  Exactly one of FLOP and bytes is non-zero. */
struct sl_llm_kernel {
    const char *name, *klass;
    /* FLOP = T (hq h q + hg h g + hf h f) + attention x causal_attention */
    double hq, hg, hf, attention;
    /* bytes = e T (th h + tf f) */
    double th, tf;
    const char *formula;          /* the same for people: see sl_llm_formula */
    const char *inputs, *outputs; /* tensors, ';'-separated; "+1" and "-1": of that other layer */
};

/* A tensor of a layer: e T (h th + q tq + g tg + f tf) bytes. */
struct sl_llm_tensor {
    const char *name;
    double th, tq, tg, tf;
    const char *rebuilt_by; /* forward kernel whose re-execution reproduces it; NULL: none stated */
    const char *formula;
};

extern const struct sl_llm_kernel sl_llm_forward[];
extern const size_t sl_llm_forward_count;
extern const struct sl_llm_kernel sl_llm_backward[];
extern const size_t sl_llm_backward_count;
extern const struct sl_llm_tensor sl_llm_tensors[];
extern const size_t sl_llm_tensor_count;

int64_t sl_llm_tokens(const struct sl_llm_shape *shape);
int64_t sl_llm_query_width(const struct sl_llm_shape *shape); /* q */
int64_t sl_llm_kv_width(const struct sl_llm_shape *shape);    /* g */
/* A formula of the tables: q as h, and hq as h^2, where they are the same. */
const char *sl_llm_formula(char text[SL_LLM_FORMULA], const struct sl_llm_shape *shape,
                           const char *formula);
double sl_llm_kernel_flop(const struct sl_llm_shape *shape, const struct sl_llm_kernel *kernel);
double sl_llm_kernel_bytes(const struct sl_llm_shape *shape, const struct sl_llm_kernel *kernel);
int64_t sl_llm_tensor_bytes(const struct sl_llm_shape *shape, const struct sl_llm_tensor *tensor);
/* QK^T and PV under a causal mask: half of 2 x 2 s^2 q per sequence. */
double sl_llm_causal_attention_flop(const struct sl_llm_shape *shape);
int64_t sl_llm_layer_parameters(const struct sl_llm_shape *shape); /* 2hq + 2hg + 3hf + 2h */
int64_t sl_llm_parameters(const struct sl_llm_shape *shape);       /* + 2Vh + h */
#endif
