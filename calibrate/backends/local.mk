# Files of calibrate/backends/: the cuda backend.  Its pure parts are built, and tested, everywhere.
libcalibrate_la_SOURCES += calibrate/backends/cuda_records.c calibrate/backends/cuda_records.h \
  calibrate/backends/cuda_stamp.h calibrate/backends/cuda_sizes.c calibrate/backends/cuda_sizes.h
if WITH_CUDA
libcalibrate_la_SOURCES += calibrate/backends/cuda.c calibrate/backends/cuda_actor.c \
  calibrate/backends/cuda_bench.h calibrate/backends/cuda_calls.c calibrate/backends/cuda_class_list.h \
  calibrate/backends/cuda_classes.c calibrate/backends/cuda_compute.c calibrate/backends/cuda_copies.c \
  calibrate/backends/cuda_cupti.c calibrate/backends/cuda_cupti.h calibrate/backends/cuda_cupti_symbols.def \
  calibrate/backends/cuda_clock.c calibrate/backends/cuda_replay.c \
  calibrate/backends/cuda_stage.c calibrate/backends/cuda_stage.h \
  calibrate/backends/cuda_driver.h calibrate/backends/cuda_gate.c calibrate/backends/cuda_load.c \
  calibrate/backends/cuda_machine.c calibrate/backends/cuda_nvml.c calibrate/backends/cuda_nvml.h \
  calibrate/backends/cuda_read.c calibrate/backends/cuda_shot.c calibrate/backends/cuda_shot.h \
  calibrate/backends/cuda_symbols.def calibrate/backends/cuda_units.c calibrate/backends/kernels_fatbin.S

# The assembler reads the file itself; make's own lists don't know of it.
calibrate/backends/kernels_fatbin.lo: calibrate/backends/kernels.fatbin
calibrate/backends/kernels.fatbin: calibrate/backends/kernels.cu calibrate/backends/cuda_stamp.h
	$(AM_V_GEN)$(MKDIR_P) calibrate/backends && $(NVCC) -O3 -fatbin $(CUDA_GENCODE) \
	  -I$(srcdir)/calibrate/backends $(srcdir)/calibrate/backends/kernels.cu -o $@.tmp && mv $@.tmp $@
CLEANFILES += calibrate/backends/kernels.fatbin
else
libcalibrate_la_SOURCES += calibrate/backends/cuda_none.c
endif
EXTRA_DIST += calibrate/backends/kernels.cu
