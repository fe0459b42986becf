# Files of tests/cli/.

check_SCRIPTS += tests/cli/check_arrows.sh
EXTRA_DIST += tests/cli/check_arrows.sh

check_SCRIPTS += tests/cli/commands.sh tests/cli/hostile.sh tests/cli/help_vs_man.sh tests/cli/list_vs_man.sh \
  tests/cli/results.sh tests/cli/plot.sh
EXTRA_DIST += tests/cli/commands.sh tests/cli/hostile.sh tests/cli/help_vs_man.sh tests/cli/list_vs_man.sh \
  tests/cli/results.sh tests/cli/plot.sh tests/support/tap.sh tests/support/mpi.sh tests/support/break_even.sh

check_SCRIPTS += tests/cli/broken_input.sh tests/cli/illegal_graphs.sh
EXTRA_DIST += tests/cli/broken_input.sh tests/fixtures/broken \
  tests/cli/illegal_graphs.sh tests/fixtures/illegal
check_SCRIPTS += tests/cli/determinism.sh tests/cli/jobs.sh tests/cli/jobs_explain.sh tests/cli/jobs_reports.sh
EXTRA_DIST += tests/cli/determinism.sh tests/cli/jobs.sh tests/cli/jobs_explain.sh tests/cli/jobs_reports.sh
check_SCRIPTS += tests/cli/shared.sh tests/cli/kv_offload.sh
EXTRA_DIST += tests/cli/shared.sh tests/cli/kv_offload.sh
check_SCRIPTS += tests/cli/gallery.sh tests/cli/devices.sh tests/cli/generate.sh \
  tests/cli/tutorial.sh
EXTRA_DIST += tests/cli/gallery.sh tests/cli/devices.sh tests/cli/generate.sh tests/cli/tutorial.sh tests/fixtures/traces
check_SCRIPTS += tests/cli/explain.sh tests/cli/compare.sh tests/cli/winners.sh tests/cli/race.sh tests/cli/until.sh tests/cli/pareto.sh \
  tests/cli/order.sh
EXTRA_DIST += tests/cli/explain.sh tests/cli/compare.sh tests/cli/winners.sh tests/cli/race.sh tests/cli/until.sh tests/cli/pareto.sh \
  tests/cli/order.sh tests/fixtures/order
check_SCRIPTS += tests/cli/embed.sh tests/cli/install.sh tests/cli/limits.sh
EXTRA_DIST += tests/cli/embed.sh tests/cli/install.sh tests/cli/limits.sh
check_SCRIPTS += tests/cli/robustness.sh tests/cli/measured.sh
EXTRA_DIST += tests/cli/robustness.sh tests/cli/measured.sh
check_SCRIPTS += tests/cli/map.sh
EXTRA_DIST += tests/cli/map.sh
check_SCRIPTS += tests/cli/sensitivity.sh tests/cli/search.sh
EXTRA_DIST += tests/cli/sensitivity.sh tests/cli/search.sh
check_SCRIPTS += tests/cli/least_trials.sh
EXTRA_DIST += tests/cli/least_trials.sh
check_SCRIPTS += tests/cli/waits.sh
EXTRA_DIST += tests/cli/waits.sh
check_SCRIPTS += tests/cli/uncertainty.sh
EXTRA_DIST += tests/cli/uncertainty.sh
check_SCRIPTS += tests/cli/steady.sh tests/cli/weight_stream.sh tests/cli/activation_remat.sh tests/cli/optimizer_offload.sh
EXTRA_DIST += tests/cli/steady.sh tests/cli/weight_stream.sh tests/cli/activation_remat.sh tests/cli/optimizer_offload.sh
check_SCRIPTS += tests/cli/two_gpu.sh
EXTRA_DIST += tests/cli/two_gpu.sh
check_SCRIPTS += tests/cli/costs.sh
EXTRA_DIST += tests/cli/costs.sh
check_SCRIPTS += tests/cli/ranks.sh
EXTRA_DIST += tests/cli/ranks.sh
# The program with a choice of vector instructions, of the same objects.
check_SCRIPTS += tests/cli/isa.sh
EXTRA_DIST += tests/cli/isa.sh
EXTRA_PROGRAMS += tests/cli/slackline_isa
tests_cli_slackline_isa_SOURCES = $(slackline_SOURCES) tests/support/force_isa.c
tests_cli_slackline_isa_LDADD = libinside.la
tests/cli/isa.log: tests/cli/slackline_isa$(EXEEXT) tests/bench/write_workload$(EXEEXT)
CLEANFILES += tests/cli/slackline_isa
# What makes a forged record's seals anew.
EXTRA_PROGRAMS += tests/support/reseal
tests_support_reseal_SOURCES = tests/support/reseal.c
tests_support_reseal_CPPFLAGS = $(TEST_CPPFLAGS)
tests/cli/decide.log tests/cli/decide_inputs.log tests/cli/decision_loop.log tests/cli/feasibility.log: tests/support/reseal$(EXEEXT)
CLEANFILES += tests/support/reseal
check_SCRIPTS += tests/cli/instructions.sh
EXTRA_DIST += tests/cli/instructions.sh tests/fixtures/instructions.csv
check_SCRIPTS += tests/cli/calibrate.sh tests/cli/calibrated_device.sh
EXTRA_DIST += tests/cli/calibrate.sh tests/cli/calibrated_device.sh tests/fixtures/calibrate
check_SCRIPTS += tests/cli/decision_loop.sh
EXTRA_DIST += tests/cli/decision_loop.sh tests/fixtures/loop
check_SCRIPTS += tests/cli/replay.sh tests/cli/replay_drift.sh
EXTRA_DIST += tests/cli/replay.sh tests/cli/replay_drift.sh tests/fixtures/replay tests/fixtures/drift tests/fixtures/replay-gpu
check_SCRIPTS += tests/cli/cuda.sh tests/cli/cuda_replay.sh
EXTRA_DIST += tests/cli/cuda.sh tests/cli/cuda_replay.sh
check_SCRIPTS += tests/cli/azure_conversation.sh
EXTRA_DIST += tests/cli/azure_conversation.sh
check_SCRIPTS += tests/cli/audit.sh tests/cli/audit_plot.sh tests/cli/audit_chain.sh tests/cli/import_movable.sh
EXTRA_DIST += tests/cli/audit.sh tests/cli/audit_plot.sh tests/cli/audit_chain.sh tests/cli/import_movable.sh
check_SCRIPTS += tests/cli/import.sh
EXTRA_DIST += tests/cli/import.sh
check_SCRIPTS += tests/cli/export.sh
EXTRA_DIST += tests/cli/export.sh
check_SCRIPTS += tests/cli/feasibility.sh tests/cli/feasibility_jobs.sh
EXTRA_DIST += tests/cli/feasibility.sh tests/cli/feasibility_jobs.sh
check_SCRIPTS += tests/cli/decide.sh tests/cli/decide_costs.sh tests/cli/decide_gallery.sh tests/cli/refused_decisions.sh tests/cli/run_reports.sh tests/cli/decide_inputs.sh tests/cli/decide_words.sh
EXTRA_DIST += tests/cli/decide.sh tests/cli/decide_costs.sh tests/cli/decide_gallery.sh tests/cli/refused_decisions.sh tests/cli/run_reports.sh tests/cli/decide_inputs.sh tests/cli/decide_words.sh
check_SCRIPTS += tests/cli/refusals.sh tests/cli/usage.sh tests/cli/audit_rows.sh
EXTRA_DIST += tests/cli/refusals.sh tests/cli/usage.sh tests/cli/audit_rows.sh
check_SCRIPTS += tests/cli/faults_memory.sh tests/cli/faults_kill.sh tests/cli/faults_disk.sh tests/cli/faults_calibrate.sh tests/cli/faults_ranks.sh tests/cli/faults_around.sh
EXTRA_DIST += tests/cli/faults_memory.sh tests/cli/faults_kill.sh tests/cli/faults_disk.sh tests/cli/faults_calibrate.sh tests/cli/faults_ranks.sh tests/cli/faults_around.sh
# Preloaded by them; -rpath makes libtool build shared objects.
check_LTLIBRARIES += tests/support/libfailalloc.la tests/support/libstepclock.la
tests_support_libfailalloc_la_SOURCES = tests/support/fail_alloc.c
tests_support_libfailalloc_la_CFLAGS = $(WARN_CFLAGS) # without a sanitizer, which may not be there yet
tests_support_libfailalloc_la_LIBADD = -ldl
tests_support_libfailalloc_la_LDFLAGS = -module -avoid-version -shared -rpath $(abs_top_builddir)/.libs
# The program as it is, but with its code in a shared library, where they can take the arenas' place.
tests_support_slackline_SOURCES = $(slackline_SOURCES)
tests_support_slackline_LDADD = libtested.la $(SL_LIBS)
tests/cli/faults_memory.log: tests/support/slackline$(EXEEXT)
EXTRA_PROGRAMS += tests/support/slackline
CLEANFILES += tests/support/slackline
tests_support_libstepclock_la_SOURCES = tests/support/step_clock.c
tests_support_libstepclock_la_LDFLAGS = -module -avoid-version -shared -rpath $(abs_top_builddir)/.libs
