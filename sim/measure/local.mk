# Files of sim/measure/.
libslackline_la_SOURCES += \
  sim/measure/bounds.c \
  sim/measure/measure.h \
  sim/measure/measurer.c \
  sim/measure/measurer.h \
  sim/measure/stalls.c
