/* The classes of a GPU, made when it is known how large its works are. */
#include <config.h>

#include "cuda_class_list.h"

static const struct sl_cuda_class *const classes[] = {
    &sl_cuda_copy_h2d, &sl_cuda_copy_d2h, &sl_cuda_copy_d2d, &sl_cuda_copy_p2p,
    &sl_cuda_gemm,     &sl_cuda_stream,   &sl_cuda_latency,  &sl_cuda_memset,
    &sl_cuda_alloc,    &sl_cuda_map,      &sl_cuda_empty,
};

uint32_t sl_cuda_class_count(void)
{
    return SL_CUDA_COUNT(classes);
}

const struct sl_cuda_form *sl_cuda_form_of(const struct sl_work *work)
{
    return &classes[work->klass]->forms[work->form];
}

uint64_t sl_cuda_cut(const struct sl_bench *bench, struct sl_work *work)
{
    const struct sl_work_class *klass = &bench->classes[work->klass];
    const struct sl_cuda_form *form = sl_cuda_form_of(work);
    if (form->manner == SL_CUDA_CALLS || klass->size_count == 0)
        return 1;
    struct sl_cuda_pieces pieces = sl_cuda_split(work->bytes, klass->sizes[klass->size_count - 1],
                                                 classes[work->klass]->growth);
    work->bytes = pieces.bytes;
    if (form->function == SL_CUDA_FN_GEMM_F16)
        work->bytes = sl_cuda_gemm_bytes(sl_cuda_gemm_side_near(pieces.bytes));
    return pieces.count;
}

bool sl_cuda_set_sizes(struct sl_bench *bench, struct sl_work_class *klass, const int64_t *sizes,
                       uint32_t count, int64_t limit)
{
    int64_t *kept = sl_arena_array(&bench->arena, count, sizeof *kept);
    if (!kept)
        return false;
    int64_t last = 0;
    for (;;) {
        int64_t next = INT64_MAX;
        for (uint32_t i = 0; i < count; i++)
            if (sizes[i] > last && sizes[i] < next)
                next = sizes[i];
        if (next > limit)
            break;
        kept[klass->size_count++] = last = next;
    }
    klass->sizes = kept;
    return true;
}

/* Tensor cores take bf16 from compute capability 8.0 on. */
static bool available(const struct sl_bench *bench, const struct sl_cuda_form *form)
{
    return form->function != SL_CUDA_FN_GEMM_BF16 || bench->capacity.major >= 8;
}

/* Forms that a GPU lacks are the last of their class, so that indices stay those of the class. */
static bool make(struct sl_bench *bench, const struct sl_cuda_class *own,
                 struct sl_work_class *klass)
{
    struct sl_work_form *forms = sl_arena_array(&bench->arena, own->form_count, sizeof *forms);
    if (!forms)
        return false;
    *klass = (struct sl_work_class){
        .name = own->name,
        .description = own->description,
        .forms = forms,
        .shaped = own->shaped,
    };
    for (uint32_t i = 0; i < own->form_count && available(bench, &own->forms[i]); i++)
        forms[klass->form_count++] = own->forms[i].columns;
    return own->size(bench, klass);
}

bool sl_cuda_classes_make(struct sl_bench *bench)
{
    bench->classes = sl_arena_array(&bench->arena, sl_cuda_class_count(), sizeof *bench->classes);
    bool ok = bench->classes != NULL;
    for (uint32_t i = 0; ok && i < sl_cuda_class_count(); i++)
        ok = make(bench, classes[i], &bench->classes[i]);
    return ok;
}
