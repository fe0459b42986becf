# Files of tests/bench/: `make bench` prints one table of ratios to references of the same run; none is a
# check, as the speed of a shared machine proves nothing.
BENCH_ROUNDS = 7
SIMPY_INTERPRETER = python3
WORKLOADS = tests/bench/workloads.c tests/bench/workloads.h tests/bench/workload_folders.c

BENCHES += tests/bench/bench
tests_bench_bench_SOURCES = tests/bench/bench.c tests/bench/plain_loops.c \
	tests/bench/plain_loops.h tests/bench/plain_loop.h tests/bench/plain_full.c tests/bench/plain_sharing.c tests/bench/plain_heap.h \
	tests/bench/whole_run.c tests/bench/whole_run.h $(WORKLOADS)
tests_bench_bench_LDADD = libtested.la $(GSL_LIBS) -lm
BENCH_PEERS = SimPy "$(SIMPY_INTERPRETER) $(srcdir)/tests/bench/peer_simpy.py"
EXTRA_DIST += tests/bench/peer_simpy.py
if HAVE_SIMGRID
BENCHES += tests/bench/peer_simgrid
tests_bench_peer_simgrid_SOURCES = tests/bench/peer_simgrid.c $(WORKLOADS)
tests_bench_peer_simgrid_LDADD = -lsimgrid $(GSL_LIBS) -lm
BENCH_PEERS += SimGrid ./tests/bench/peer_simgrid
endif

bench: $(BENCHES)
	./tests/bench/bench $(BENCH_ROUNDS) $(BENCH_PEERS)
.PHONY: bench

# Programs to call by hand: what a draw of each family costs; how often a race agrees with a sweep; and
# `write_workload w1-full 1000 DIR`.
BY_HAND = tests/bench/bench_draws tests/bench/bench_race tests/bench/write_workload \
	tests/bench/run_trials
tests_bench_bench_draws_SOURCES = tests/bench/bench_draws.c
tests_bench_bench_draws_LDADD = libtested.la $(GSL_LIBS)
tests_bench_bench_race_SOURCES = tests/bench/bench_race.c
tests_bench_bench_race_LDADD = libtested.la $(GSL_LIBS) -lm
tests_bench_write_workload_SOURCES = tests/bench/write_workload.c $(WORKLOADS)
tests_bench_write_workload_LDADD = -lm

# What tests/cli/instructions.sh counts.
tests_bench_run_trials_SOURCES = tests/bench/run_trials.c tests/bench/whole_run.c \
	tests/bench/whole_run.h
tests_bench_run_trials_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_CFLAGS='"$(CFLAGS)"'
tests_bench_run_trials_LDADD = libtested.la
tests/cli/instructions.log: tests/bench/run_trials$(EXEEXT) tests/bench/write_workload$(EXEEXT)

EXTRA_PROGRAMS += $(BENCHES) $(BY_HAND)
CLEANFILES += $(BENCHES) $(BY_HAND)
