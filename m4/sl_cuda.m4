# SL_CHECK_CUDA: looks for a CUDA toolkit with CUPTI and sets have_cuda (yes, no), cuda_why, CUDA_DIR,
# NVCC, CUDA_CFLAGS and CUDA_GENCODE.  Where --with-cuda was given, a toolkit that won't do is an error.
#
# Nothing of CUDA is linked: the headers and nvcc are needed to build, the driver to run.

# What the cuda backend is compiled for, as far as nvcc knows it.  As PTX, which the driver compiles,
# the highest is embedded for GPUs to come, and 8.0, whose kernels are whole, for all since.
m4_define([SL_CUDA_ARCHS], [75 80 86 87 89 90 100 103 110 120 121])
m4_define([SL_CUDA_HOW], [CUDA toolkit 12.8 or newer (nvcc, cuda.h, cupti.h); --with-cuda=DIR])

# SL_CUDA_TRY(DIR): sets sl_cuda_fault to what is wrong there, and CUDA_CFLAGS.
AC_DEFUN([SL_CUDA_TRY], [
  sl_cuda_fault=
  CUDA_CFLAGS=
  AS_IF([test ! -x "$1/bin/nvcc"], [sl_cuda_fault="$1/bin/nvcc is not there"])
  for header in cuda.h cupti.h; do
    sl_found=
    for sub in include extras/CUPTI/include; do
      AS_IF([test -z "$sl_found" && test -f "$1/$sub/$header"], [sl_found="$1/$sub"])
    done
    for sub in "$1"/targets/*/include; do
      AS_IF([test -z "$sl_found" && test -f "$sub/$header"], [sl_found="$sub"])
    done
    AS_IF([test -n "$sl_found"], [CUDA_CFLAGS="$CUDA_CFLAGS -isystem $sl_found"],
      [test -z "$sl_cuda_fault"], [sl_cuda_fault="there is no $header under $1"])
  done
  AS_IF([test -z "$sl_cuda_fault"], [SL_CUDA_COMPILE([$1])])
])

# The record structs change from one CUPTI to the next: those that the code reads must be there.
AC_DEFUN([SL_CUDA_COMPILE], [
  sl_save_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $CUDA_CFLAGS"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <cupti.h>]],
      [[CUpti_ActivityMemcpy6 copy; CUpti_ActivityMemset4 set; CUpti_ActivityMemory4 memory;
        (void)&copy, (void)&set, (void)&memory;]])], [],
    [sl_cuda_fault="the CUPTI of $1 is older than CUDA 12.8's"])
  CPPFLAGS=$sl_save_CPPFLAGS
  AS_IF([test -z "$sl_cuda_fault"], [
    NVCC=$1/bin/nvcc
    CUDA_GENCODE=
    sl_archs=`"$NVCC" --list-gpu-code 2>/dev/null`
    for arch in SL_CUDA_ARCHS; do
      AS_CASE([" "`echo $sl_archs`" "], [*" sm_$arch "*],
        [CUDA_GENCODE="$CUDA_GENCODE -gencode arch=compute_$arch,code=sm_$arch"
         sl_ptx="-gencode arch=compute_$arch,code=compute_$arch"])
    done
    AS_CASE([$CUDA_GENCODE], [*sm_80*], [sl_ptx="$sl_ptx -gencode arch=compute_80,code=compute_80"])
    CUDA_GENCODE="$CUDA_GENCODE $sl_ptx"
    echo '__global__ void nothing() {}' >conftest.cu
    AS_IF(["$NVCC" -fatbin $CUDA_GENCODE conftest.cu -o conftest.fatbin >&AS_MESSAGE_LOG_FD 2>&1], [],
      [sl_cuda_fault="$NVCC does not compile (config.log says why)"])
    rm -f conftest.cu conftest.fatbin
  ])
])

AC_DEFUN([SL_CHECK_CUDA], [
  AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@],
       [calibrate on GPUs, with the CUDA toolkit in DIR (default: where one is found)])],
    [], [with_cuda=auto])
  AC_MSG_CHECKING([for a CUDA toolkit])
  have_cuda=no
  cuda_why="SL_CUDA_HOW"
  NVCC=
  CUDA_DIR=
  CUDA_CFLAGS=
  CUDA_GENCODE=
  sl_cuda_first=
  sl_nvcc=`command -v nvcc 2>/dev/null`
  AS_IF([test -n "$sl_nvcc"], [sl_nvcc=`readlink -f "$sl_nvcc" | sed 's|/bin/nvcc$||'`])
  AS_CASE([$with_cuda],
    [no], [sl_cuda_dirs=
           cuda_why="switched off by --without-cuda"],
    [yes|auto], [sl_cuda_dirs="$CUDA_HOME $sl_nvcc /usr/local/cuda /opt/cuda /usr"],
    [sl_cuda_dirs=$with_cuda])
  for sl_dir in $sl_cuda_dirs; do
    AS_IF([test "$have_cuda" = no], [
      SL_CUDA_TRY([$sl_dir])
      AS_IF([test -z "$sl_cuda_fault"], [have_cuda=yes; CUDA_DIR=$sl_dir],
        [echo "no CUDA toolkit in $sl_dir: $sl_cuda_fault" >&AS_MESSAGE_LOG_FD
         # What is worth saying: not that a usual place is empty.
         AS_IF([test -z "$sl_cuda_first" && { test -x "$sl_dir/bin/nvcc" || test "$with_cuda" = "$sl_dir"; }],
           [sl_cuda_first=$sl_cuda_fault])])])
  done
  AS_IF([test "$have_cuda" = yes],
    [cuda_why="$CUDA_DIR; \`slackline-calibrate --backend cuda'"
     AC_MSG_RESULT([$CUDA_DIR])],
    [AC_MSG_RESULT([no])
     CUDA_CFLAGS=
     AS_IF([test -n "$sl_cuda_first"], [cuda_why="$sl_cuda_first; needed: $cuda_why"])
     AS_CASE([$with_cuda], [no|auto], [],
       [AC_MSG_ERROR([--with-cuda: ${sl_cuda_first:-no toolkit was found in $sl_cuda_dirs}; needed: SL_CUDA_HOW])])])

  AS_IF([test "$have_cuda" = yes], [
    sl_save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $CUDA_CFLAGS"
    AC_COMPUTE_INT([CUDA_MAJOR], [CUDA_VERSION / 1000], [[#include <cuda.h>]])
    AC_CHECK_TYPES([CUpti_ActivityKernel10], [], [], [[#include <cupti.h>]])
    CPPFLAGS=$sl_save_CPPFLAGS
    AC_SEARCH_LIBS([dlopen], [dl])
  ])
  AC_SUBST([CUDA_CFLAGS])
  AS_IF([test "$have_cuda" = yes],
    [AC_DEFINE_UNQUOTED([SL_CUDA_DIR], ["$CUDA_DIR"], [Where the CUDA toolkit was found.])])
  AC_SUBST([CUDA_GENCODE])
  AC_SUBST([CUDA_MAJOR])
  AC_SUBST([NVCC])
  AM_CONDITIONAL([WITH_CUDA], [test "$have_cuda" = yes])
])
