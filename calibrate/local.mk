# Files of calibrate/: the program slackline-calibrate.
bin_PROGRAMS += slackline-calibrate
# Options are read as slackline reads them, under the other program's name.
slackline_calibrate_CPPFLAGS = $(AM_CPPFLAGS) -DSL_PROGRAM='"slackline-calibrate"'
slackline_calibrate_LDADD = libslackline.la $(GSL_LIBS) $(YAJL_LIBS)
slackline_calibrate_SOURCES = sim/cmd/options.c sim/cmd/command.h
slackline_calibrate_SOURCES += calibrate/calibrate_main.c calibrate/backend.c calibrate/backend.h \
  calibrate/backends.def calibrate/work.h calibrate/judge.h calibrate/case.h calibrate/measurement.h
slackline_calibrate_SOURCES += calibrate/backends/cuda.c
slackline_calibrate_SOURCES += calibrate/backends/cpu.c
slackline_calibrate_SOURCES += calibrate/backends/script.c
