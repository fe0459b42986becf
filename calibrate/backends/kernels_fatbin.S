/* The compiled kernels as data: kernels.fatbin, which nvcc makes from kernels.cu. */
    .section .rodata
    .balign 8
    .globl sl_cuda_fatbin
    .type sl_cuda_fatbin, %object
sl_cuda_fatbin:
    .incbin "calibrate/backends/kernels.fatbin"
    .size sl_cuda_fatbin, . - sl_cuda_fatbin
    .section .note.GNU-stack, "", %progbits
