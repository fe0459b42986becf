# Files of tests/bench/: programs that print ratios to reference loops of the same run.  `make bench`
# runs them all; none is a check, as the speed of a shared machine proves nothing.
BENCHES += tests/bench/bench_draws
tests_bench_bench_draws_SOURCES = tests/bench/bench_draws.c
tests_bench_bench_draws_LDADD = libslackline.la $(GSL_LIBS)

EXTRA_PROGRAMS = $(BENCHES)
CLEANFILES += $(BENCHES)
bench: $(BENCHES)
	@set -e; for program in $(BENCHES); do echo "== $$program"; ./$$program; done
.PHONY: bench
BENCHES += tests/bench/bench_engine
tests_bench_bench_engine_SOURCES = tests/bench/bench_engine.c \
	tests/bench/workloads.c tests/bench/workloads.h
tests_bench_bench_engine_LDADD = libslackline.la $(GSL_LIBS) -lm
BENCHES += tests/bench/bench_race
tests_bench_bench_race_SOURCES = tests/bench/bench_race.c
tests_bench_bench_race_LDADD = libslackline.la $(GSL_LIBS) -lm
# `make tests/bench/write_workload`, then `tests/bench/write_workload w1-full 1000 DIR`.
EXTRA_PROGRAMS += tests/bench/write_workload
tests_bench_write_workload_SOURCES = tests/bench/write_workload.c tests/bench/workloads.c \
	tests/bench/workloads.h
tests_bench_write_workload_LDADD = -lm
CLEANFILES += tests/bench/write_workload
