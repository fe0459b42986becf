# Fuzz targets.  `replay` runs their seeds and past crashes in any build; libFuzzer drives them in a
# build of its own, configured with --enable-fuzzing, which `make fuzz` makes in fuzz/.
FUZZ_SOURCES = tests/fuzz/fuzz.h tests/fuzz/targets.def tests/fuzz/check.h tests/fuzz/fuzz_lib.c \
  tests/fuzz/fuzz_timeline.h tests/fuzz/fuzz_timeline.c tests/fuzz/fuzz_scenario.c \
  tests/fuzz/fuzz_legal.c tests/fuzz/fuzz_dist.c tests/fuzz/fuzz_expr.c tests/fuzz/fuzz_units.c \
  tests/fuzz/fuzz_yaml.c tests/fuzz/fuzz_arrivals.c tests/fuzz/fuzz_device.c tests/fuzz/fuzz_trace.c \
  tests/fuzz/fuzz_nsys.c tests/fuzz/fuzz_record.c tests/fuzz/fuzz_reply.c tests/fuzz/fuzz_results.c \
  tests/fuzz/fuzz_script.c tests/fuzz/fuzz_calibrate.c tests/fuzz/fuzz_realized.c tests/fuzz/fuzz_parts.c \
  tests/fuzz/fuzz_plots.c \
  $(RANDOM_RUNS)
# -I tests/fuzz: its check.h stands for Check's.
FUZZ_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/fuzz -I$(top_srcdir)/tests/support
FUZZ_LDADD = libcalibrate.la libtested.la $(GSL_LIBS) $(SQLITE_LIBS) -lm

check_PROGRAMS += tests/fuzz/replay
tests_fuzz_replay_SOURCES = tests/fuzz/replay.c $(FUZZ_SOURCES)
tests_fuzz_replay_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_replay_LDADD = $(FUZZ_LDADD)

EXTRA_PROGRAMS += tests/fuzz/fuzz
tests_fuzz_fuzz_SOURCES = tests/fuzz/fuzz_main.c $(FUZZ_SOURCES)
tests_fuzz_fuzz_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_LDADD = $(FUZZ_LDADD)
tests_fuzz_fuzz_LDFLAGS = -fsanitize=fuzzer

CLEANFILES += fuzz-crash-*
EXTRA_DIST += tests/fuzz/base tests/fuzz/seeds tests/fuzz/crashes tests/fuzz/fuzz.sh

# FUZZ_SECONDS of every target, or of those of FUZZ_TARGETS; what was found stays in fuzz/corpus.
FUZZ_SECONDS = 60
FUZZ_TARGETS =
fuzz:
	@FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_TARGETS='$(FUZZ_TARGETS)' SL_SRCDIR='$(abs_top_srcdir)' \
	  $(SHELL) $(top_srcdir)/tests/fuzz/fuzz.sh fuzz
.PHONY: fuzz
