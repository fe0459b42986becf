# Files of sim/base/.
libslackline_la_SOURCES += sim/base/status.c sim/base/status.h sim/base/arena.c sim/base/arena.h \
  sim/base/text.c sim/base/text.h sim/base/names.c sim/base/names.h sim/base/units.c sim/base/units.h sim/base/infile.c sim/base/infile.h \
  sim/base/clock.h sim/base/csvtab.c sim/base/csvtab.h sim/base/isa.c sim/base/isa.h sim/base/keysort.c sim/base/keysort.h sim/base/numsort.c sim/base/numsort.h sim/base/sort.c sim/base/sort.h sim/base/yamldoc.c sim/base/yamltree.c sim/base/yamldoc.h \
  sim/base/linefile.c sim/base/linefile.h sim/base/philox.c sim/base/philox.h \
  sim/base/philox_lanes.inc sim/base/uniforms.c \
  sim/base/jsonparser.c sim/base/jsonparser.h sim/base/kept.c sim/base/kept.h sim/base/memout.c sim/base/memout.h sim/base/outfile.c sim/base/outfile.h sim/base/paths.c sim/base/paths.h sim/base/wire.c sim/base/wire.h sim/base/comm.h sim/base/comm_threads.c
if WITH_MPI
libslackline_la_SOURCES += sim/base/comm_mpi.c
else
libslackline_la_SOURCES += sim/base/comm_no_mpi.c
endif
EXTRA_DIST += sim/base/comm_mpi.c sim/base/comm_no_mpi.c
