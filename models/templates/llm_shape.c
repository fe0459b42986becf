/* Tables of a layer's kernels and tensors, and what they cost at a shape. */
#include "llm_shape.h"
#include <stdbool.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* In order of execution.  RoPE and both residual additions are fused into their neighbours. */
const struct sl_llm_kernel sl_llm_forward[] = {
    {"norm1", "elementwise", 0, 0, 0, 0, 2, 0, "2eTh B", "x_in", "norm1"},
    {"qkv", "gemm", 2, 4, 0, 0, 0, 0, "2T(hq+2hg) FLOP", "norm1", "qkv"},
    {"attention", "attention", 0, 0, 0, 1, 0, 0, "2Tsq FLOP (causal)", "qkv", "attn"},
    {"attn_out", "gemm", 2, 0, 0, 0, 0, 0, "2Thq FLOP", "attn;x_in", "x_mid"},
    {"norm2", "elementwise", 0, 0, 0, 0, 2, 0, "2eTh B", "x_mid", "norm2"},
    {"gate", "gemm", 0, 0, 2, 0, 0, 0, "2Thf FLOP", "norm2", "gate"},
    {"up", "gemm", 0, 0, 2, 0, 0, 0, "2Thf FLOP", "norm2", "up"},
    {"silu", "elementwise", 0, 0, 0, 0, 0, 2, "2eTf B", "gate", "silu"},
    {"product", "elementwise", 0, 0, 0, 0, 0, 3, "3eTf B", "silu;up", "product"},
    {"down", "gemm", 0, 0, 2, 0, 0, 0, "2Thf FLOP", "product;x_mid", "x_in+1"},
};
const size_t sl_llm_forward_count = COUNT(sl_llm_forward);

/* A GEMM's backward is two GEMMs of its size (data and weight gradients); flash attention's is 2.5
 * forwards (five matrix products for two: the scores are recomputed).  d-tensors are gradients. */
const struct sl_llm_kernel sl_llm_backward[] = {
    {"down", "gemm", 0, 0, 4, 0, 0, 0, "4Thf FLOP", "dy;product", "dproduct"},
    {"swiglu", "elementwise", 0, 0, 0, 0, 0, 6, "6eTf B", "dproduct;gate;up;silu", "dgate;dup"},
    {"gate_up", "gemm", 0, 0, 8, 0, 0, 0, "8Thf FLOP", "dgate;dup;norm2", "dnorm2"},
    {"norm2", "elementwise", 0, 0, 0, 0, 4, 0, "4eTh B", "dnorm2;x_mid;dy", "dx_mid"},
    {"attn_out", "gemm", 4, 0, 0, 0, 0, 0, "4Thq FLOP", "dx_mid;attn", "dattn"},
    {"attention", "attention", 0, 0, 0, 2.5, 0, 0, "5Tsq FLOP (causal)", "dattn;qkv;attn", "dqkv"},
    {"qkv", "gemm", 4, 8, 0, 0, 0, 0, "4T(hq+2hg) FLOP", "dqkv;norm1", "dnorm1"},
    {"norm1", "elementwise", 0, 0, 0, 0, 4, 0, "4eTh B", "dnorm1;x_in;dx_mid", "dy-1"},
};
const size_t sl_llm_backward_count = COUNT(sl_llm_backward);

/* Saved tensors first: what the forward pass leaves for the backward pass. */
const struct sl_llm_tensor sl_llm_tensors[] = {
    {"x_in", 1, 0, 0, 0, NULL, "eTh"},        {"norm1", 1, 0, 0, 0, "norm1", "eTh"},
    {"qkv", 0, 1, 2, 0, "qkv", "eT(q+2g)"},   {"attn", 0, 1, 0, 0, "attention", "eTq"},
    {"x_mid", 1, 0, 0, 0, "attn_out", "eTh"}, {"norm2", 1, 0, 0, 0, "norm2", "eTh"},
    {"gate", 0, 0, 0, 1, "gate", "eTf"},      {"up", 0, 0, 0, 1, "up", "eTf"},
    {"silu", 0, 0, 0, 1, "silu", "eTf"},      {"product", 0, 0, 0, 1, "product", "eTf"},
    {"dy", 1, 0, 0, 0, NULL, "eTh"},          {"dproduct", 0, 0, 0, 1, NULL, "eTf"},
    {"dgate", 0, 0, 0, 1, NULL, "eTf"},       {"dup", 0, 0, 0, 1, NULL, "eTf"},
    {"dnorm2", 1, 0, 0, 0, NULL, "eTh"},      {"dx_mid", 1, 0, 0, 0, NULL, "eTh"},
    {"dattn", 0, 1, 0, 0, NULL, "eTq"},       {"dqkv", 0, 1, 2, 0, NULL, "eT(q+2g)"},
    {"dnorm1", 1, 0, 0, 0, NULL, "eTh"},
};
const size_t sl_llm_tensor_count = COUNT(sl_llm_tensors);

static int64_t head_dim(const struct sl_llm_shape *shape)
{
    return shape->head_dim > 0 ? shape->head_dim : shape->hidden / shape->heads;
}

int64_t sl_llm_query_width(const struct sl_llm_shape *shape)
{
    return head_dim(shape) * shape->heads;
}

int64_t sl_llm_kv_width(const struct sl_llm_shape *shape)
{
    return head_dim(shape) * shape->kv_heads;
}

const char *sl_llm_formula(char text[SL_LLM_FORMULA], const struct sl_llm_shape *shape,
                           const char *formula)
{
    bool same = sl_llm_query_width(shape) == shape->hidden;
    size_t length = 0;
    for (const char *at = formula; *at && length + 4 < SL_LLM_FORMULA; at++)
        if (same && at[0] == 'h' && at[1] == 'q') {
            memcpy(text + length, "h^2", 3);
            length += 3;
            at++;
        } else {
            text[length++] = same && *at == 'q' ? 'h' : *at;
        }
    text[length] = '\0';
    return text;
}

int64_t sl_llm_tokens(const struct sl_llm_shape *shape)
{
    return shape->sequence * shape->micro_batch;
}

double sl_llm_causal_attention_flop(const struct sl_llm_shape *shape)
{
    return 2.0 * (double)sl_llm_tokens(shape) * (double)shape->sequence *
           (double)sl_llm_query_width(shape);
}

double sl_llm_kernel_flop(const struct sl_llm_shape *shape, const struct sl_llm_kernel *kernel)
{
    double h = (double)shape->hidden, f = (double)shape->ffn;
    double q = (double)sl_llm_query_width(shape), g = (double)sl_llm_kv_width(shape);
    return (double)sl_llm_tokens(shape) *
               (kernel->hq * h * q + kernel->hg * h * g + kernel->hf * h * f) +
           kernel->attention * sl_llm_causal_attention_flop(shape);
}

double sl_llm_kernel_bytes(const struct sl_llm_shape *shape, const struct sl_llm_kernel *kernel)
{
    return (double)(sl_llm_tokens(shape) * shape->element_bytes) *
           (kernel->th * (double)shape->hidden + kernel->tf * (double)shape->ffn);
}

int64_t sl_llm_tensor_bytes(const struct sl_llm_shape *shape, const struct sl_llm_tensor *tensor)
{
    int64_t width = (int64_t)tensor->th * shape->hidden +
                    (int64_t)tensor->tq * sl_llm_query_width(shape) +
                    (int64_t)tensor->tg * sl_llm_kv_width(shape) + (int64_t)tensor->tf * shape->ffn;
    return shape->element_bytes * sl_llm_tokens(shape) * width;
}

int64_t sl_llm_layer_parameters(const struct sl_llm_shape *shape)
{
    int64_t h = shape->hidden;
    return 2 * h * (sl_llm_query_width(shape) + sl_llm_kv_width(shape)) + 3 * h * shape->ffn +
           2 * h;
}

int64_t sl_llm_parameters(const struct sl_llm_shape *shape)
{
    return shape->layers * sl_llm_layer_parameters(shape) + 2 * shape->vocab * shape->hidden +
           shape->hidden;
}
