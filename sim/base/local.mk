# Files of sim/base/.
libslackline_la_SOURCES += sim/base/status.c sim/base/status.h sim/base/arena.h sim/base/text.h \
  sim/base/units.h sim/base/csvtab.h sim/base/yamldoc.h sim/base/outfile.h
