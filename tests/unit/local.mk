# Unit tests: one program per module, TAP on stdout through Check.
# What every test is linked with, unless it says otherwise.
LDADD = libtested.la $(CHECK_LIBS) $(GSL_LIBS)
# Named one by one: of a folder, objects that were built in it would be packed, too.
EXTRA_DIST += tests/support/harness.h tests/support/tempdir.h tests/support/lab.h tests/support/lab_blocks.h \
  tests/support/planlab.h tests/support/celllab.h tests/support/threads.h tests/support/by_hand.h \
  tests/support/found_codes.h tests/support/dice.h tests/support/lindley.h tests/support/coverage.h \
  tests/support/draft.h tests/support/draft_query.h tests/support/random_maker.h \
  tests/support/random_lives.h tests/support/random_scenario.h tests/support/random_steps.h \
  tests/support/record_audit.h tests/support/cudalab.h tests/support/same_record.h tests/support/measuredlab.h tests/support/schema.h
TEST_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests/support

check_PROGRAMS += tests/unit/test_quantile
tests_unit_test_quantile_SOURCES = tests/unit/test_quantile.c
tests_unit_test_quantile_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_warmup
tests_unit_test_warmup_SOURCES = tests/unit/test_warmup.c
tests_unit_test_warmup_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_embed
tests_unit_test_embed_SOURCES = tests/unit/test_embed.c
tests_unit_test_embed_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_series
tests_unit_test_series_SOURCES = tests/unit/test_series.c
tests_unit_test_series_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_job_figures
tests_unit_test_job_figures_SOURCES = tests/unit/test_job_figures.c
tests_unit_test_job_figures_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_paired
tests_unit_test_paired_SOURCES = tests/unit/test_paired.c
tests_unit_test_paired_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_winner
tests_unit_test_winner_SOURCES = tests/unit/test_winner.c
tests_unit_test_winner_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_lexicographic
tests_unit_test_lexicographic_SOURCES = tests/unit/test_lexicographic.c
tests_unit_test_lexicographic_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_standings
tests_unit_test_standings_SOURCES = tests/unit/test_standings.c
tests_unit_test_standings_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_nested
tests_unit_test_nested_SOURCES = tests/unit/test_nested.c
tests_unit_test_nested_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_until
tests_unit_test_until_SOURCES = tests/unit/test_until.c
tests_unit_test_until_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_same_graph
tests_unit_test_same_graph_SOURCES = tests/unit/test_same_graph.c
tests_unit_test_same_graph_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_search
tests_unit_test_search_SOURCES = tests/unit/test_search.c
tests_unit_test_search_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_planner
tests_unit_test_planner_SOURCES = tests/unit/test_planner.c
tests_unit_test_planner_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_race
tests_unit_test_race_SOURCES = tests/unit/test_race.c
tests_unit_test_race_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_agreement
tests_unit_test_agreement_SOURCES = tests/unit/test_agreement.c
tests_unit_test_agreement_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_pareto
tests_unit_test_pareto_SOURCES = tests/unit/test_pareto.c
tests_unit_test_pareto_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_trials
tests_unit_test_trials_SOURCES = tests/unit/test_trials.c
tests_unit_test_trials_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_constraints
tests_unit_test_constraints_SOURCES = tests/unit/test_constraints.c
tests_unit_test_constraints_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_text
tests_unit_test_text_SOURCES = tests/unit/test_text.c
tests_unit_test_text_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_units
tests_unit_test_units_SOURCES = tests/unit/test_units.c
tests_unit_test_units_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_csvtab
tests_unit_test_csvtab_SOURCES = tests/unit/test_csvtab.c
tests_unit_test_csvtab_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_win_map
tests_unit_test_win_map_SOURCES = tests/unit/test_win_map.c
tests_unit_test_win_map_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_scale
tests_unit_test_scale_SOURCES = tests/unit/test_scale.c
tests_unit_test_scale_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_yamldoc
tests_unit_test_yamldoc_SOURCES = tests/unit/test_yamldoc.c
tests_unit_test_yamldoc_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_outfile
tests_unit_test_outfile_SOURCES = tests/unit/test_outfile.c
tests_unit_test_outfile_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_brisk
tests_unit_test_brisk_SOURCES = tests/unit/test_brisk.c
tests_unit_test_brisk_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_templates
tests_unit_test_templates_SOURCES = tests/unit/test_templates.c
tests_unit_test_templates_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_arrivals tests/unit/test_expr tests/unit/test_job_scenario tests/unit/test_job_tables
tests_unit_test_job_scenario_SOURCES = tests/unit/test_job_scenario.c
tests_unit_test_job_scenario_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_arrivals_SOURCES = tests/unit/test_arrivals.c
tests_unit_test_arrivals_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_job_tables_SOURCES = tests/unit/test_job_tables.c
tests_unit_test_job_tables_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_expr_SOURCES = tests/unit/test_expr.c
tests_unit_test_expr_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_dist tests/unit/test_kappa tests/unit/test_kappa_crowd tests/unit/test_qtable
tests_unit_test_dist_SOURCES = tests/unit/test_dist.c
tests_unit_test_dist_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_kappa_SOURCES = tests/unit/test_kappa.c
tests_unit_test_kappa_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_kappa_crowd_SOURCES = tests/unit/test_kappa_crowd.c
tests_unit_test_kappa_crowd_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_qtable_SOURCES = tests/unit/test_qtable.c
tests_unit_test_qtable_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_results_text
tests_unit_test_results_text_SOURCES = tests/unit/test_results_text.c
tests_unit_test_results_text_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_json_report
tests_unit_test_json_report_SOURCES = tests/unit/test_json_report.c
tests_unit_test_json_report_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_json_report_LDADD = $(LDADD) $(YAJL_LIBS)

check_PROGRAMS += tests/unit/test_policy tests/unit/test_policy_settings
tests_unit_test_policy_SOURCES = tests/unit/test_policy.c
tests_unit_test_policy_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_policy_settings_SOURCES = tests/unit/test_policy_settings.c
tests_unit_test_policy_settings_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_policy_parts
tests_unit_test_policy_parts_SOURCES = tests/unit/test_policy_parts.c
tests_unit_test_policy_parts_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_decision
tests_unit_test_decision_SOURCES = tests/unit/test_decision.c
tests_unit_test_decision_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_policy_random
tests_unit_test_policy_random_SOURCES = tests/unit/test_policy_random.c
tests_unit_test_policy_random_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_measure tests/unit/test_cell tests/unit/test_sweep
check_PROGRAMS += tests/unit/test_pool
check_PROGRAMS += tests/unit/test_kineto
tests_unit_test_kineto_SOURCES = tests/unit/test_kineto.c
tests_unit_test_kineto_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_kineto_LDADD = $(LDADD) $(ZLIB_LIBS)
check_PROGRAMS += tests/unit/test_audit
tests_unit_test_audit_SOURCES = tests/unit/test_audit.c
tests_unit_test_audit_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_timeline
tests_unit_test_timeline_SOURCES = tests/unit/test_timeline.c
tests_unit_test_timeline_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_class_pairs
tests_unit_test_class_pairs_SOURCES = tests/unit/test_class_pairs.c
tests_unit_test_class_pairs_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_measure_SOURCES = tests/unit/test_measure.c
tests_unit_test_measure_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cell_SOURCES = tests/unit/test_cell.c
tests_unit_test_cell_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_pool_SOURCES = tests/unit/test_pool.c
tests_unit_test_pool_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_ranks
tests_unit_test_ranks_SOURCES = tests/unit/test_ranks.c
tests_unit_test_ranks_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_sweep_SOURCES = tests/unit/test_sweep.c
tests_unit_test_sweep_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_change
tests_unit_test_change_SOURCES = tests/unit/test_change.c
tests_unit_test_change_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_order
tests_unit_test_order_SOURCES = tests/unit/test_order.c
tests_unit_test_order_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_sensitivity
tests_unit_test_sensitivity_SOURCES = tests/unit/test_sensitivity.c
tests_unit_test_sensitivity_CPPFLAGS = $(TEST_CPPFLAGS)
EXTRA_DIST += tests/fixtures/anomaly
check_PROGRAMS += tests/unit/test_critical
tests_unit_test_critical_SOURCES = tests/unit/test_critical.c
tests_unit_test_critical_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_graph tests/unit/test_scenario tests/unit/test_legality \
  tests/unit/test_platform
tests_unit_test_graph_SOURCES = tests/unit/test_graph.c
tests_unit_test_graph_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_scenario_SOURCES = tests/unit/test_scenario.c
tests_unit_test_scenario_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_legality_SOURCES = tests/unit/test_legality.c
tests_unit_test_legality_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_legality_order
tests_unit_test_legality_order_SOURCES = tests/unit/test_legality_order.c
tests_unit_test_legality_order_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_platform_SOURCES = tests/unit/test_platform.c
tests_unit_test_platform_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_engine
tests_unit_test_engine_SOURCES = tests/unit/test_engine.c
tests_unit_test_engine_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_windows
tests_unit_test_windows_SOURCES = tests/unit/test_windows.c
tests_unit_test_windows_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_proofs
tests_unit_test_proofs_SOURCES = tests/unit/test_proofs.c
tests_unit_test_proofs_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_peak_bound tests/unit/test_adversary \
  tests/unit/test_legality_remarks
tests_unit_test_legality_remarks_SOURCES = tests/unit/test_legality_remarks.c
tests_unit_test_legality_remarks_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_peak_bound_SOURCES = tests/unit/test_peak_bound.c
tests_unit_test_peak_bound_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_adversary_SOURCES = tests/unit/test_adversary.c
tests_unit_test_adversary_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_batch
tests_unit_test_batch_SOURCES = tests/unit/test_batch.c
tests_unit_test_batch_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_isa
tests_unit_test_isa_SOURCES = tests/unit/test_isa.c
tests_unit_test_isa_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_node_sums
tests_unit_test_node_sums_SOURCES = tests/unit/test_node_sums.c
tests_unit_test_node_sums_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_draws
tests_unit_test_draws_SOURCES = tests/unit/test_draws.c
tests_unit_test_draws_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_draws_LDADD = $(LDADD) -lm
check_PROGRAMS += tests/unit/test_common
tests_unit_test_common_SOURCES = tests/unit/test_common.c
tests_unit_test_common_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_plain
tests_unit_test_plain_SOURCES = tests/unit/test_plain.c
tests_unit_test_plain_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_keysort
tests_unit_test_keysort_SOURCES = tests/unit/test_keysort.c
tests_unit_test_keysort_CPPFLAGS = $(TEST_CPPFLAGS)

# What is linked with the calibration's parts.
CALIBRATE_LDADD = libcalibrate.la $(LDADD) -lm
check_PROGRAMS += tests/unit/test_judge
tests_unit_test_judge_SOURCES = tests/unit/test_judge.c
tests_unit_test_judge_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_judge_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_cases
tests_unit_test_cases_SOURCES = tests/unit/test_cases.c
tests_unit_test_cases_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cases_LDADD = $(CALIBRATE_LDADD)

check_PROGRAMS += tests/unit/test_fit
tests_unit_test_fit_SOURCES = tests/unit/test_fit.c
tests_unit_test_fit_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_fit_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_estimate
tests_unit_test_estimate_SOURCES = tests/unit/test_estimate.c
tests_unit_test_estimate_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_estimate_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_composition
tests_unit_test_composition_SOURCES = tests/unit/test_composition.c
tests_unit_test_composition_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_composition_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_tables
tests_unit_test_tables_SOURCES = tests/unit/test_tables.c
tests_unit_test_tables_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_tables_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_summary
tests_unit_test_summary_SOURCES = tests/unit/test_summary.c
tests_unit_test_summary_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_summary_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_cpu_works tests/unit/test_cpu_backend
tests_unit_test_cpu_works_SOURCES = tests/unit/test_cpu_works.c
tests_unit_test_cpu_works_CPPFLAGS = $(TEST_CPPFLAGS) -iquote $(top_srcdir)/calibrate/backends
tests_unit_test_cpu_works_LDADD = $(CALIBRATE_LDADD)
tests_unit_test_cpu_backend_SOURCES = tests/unit/test_cpu_backend.c
tests_unit_test_cpu_backend_CPPFLAGS = $(TEST_CPPFLAGS) -iquote $(top_srcdir)/calibrate/backends
tests_unit_test_cpu_backend_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_protocol
tests_unit_test_protocol_SOURCES = tests/unit/test_protocol.c
tests_unit_test_protocol_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_protocol_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_session_csv
tests_unit_test_session_csv_SOURCES = tests/unit/test_session_csv.c
tests_unit_test_session_csv_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_session_csv_LDADD = $(CALIBRATE_LDADD)

check_PROGRAMS += tests/unit/test_cuda_records
tests_unit_test_cuda_records_SOURCES = tests/unit/test_cuda_records.c
tests_unit_test_cuda_records_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_cuda_records_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_replay
tests_unit_test_replay_SOURCES = tests/unit/test_replay.c
tests_unit_test_replay_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_replay_LDADD = $(CALIBRATE_LDADD)
# With the report, which is the command's own.
check_PROGRAMS += tests/unit/test_replay_drift
tests_unit_test_replay_drift_SOURCES = tests/unit/test_replay_drift.c calibrate/replay_report.c sim/cmd/table.c
tests_unit_test_replay_drift_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_replay_drift_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_verify
tests_unit_test_verify_SOURCES = tests/unit/test_verify.c
tests_unit_test_verify_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_verify_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_script
tests_unit_test_script_SOURCES = tests/unit/test_script.c
tests_unit_test_script_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_script_LDADD = $(CALIBRATE_LDADD)

check_PROGRAMS += tests/unit/test_cuda_backend
tests_unit_test_cuda_backend_SOURCES = tests/unit/test_cuda_backend.c
tests_unit_test_cuda_backend_CPPFLAGS = $(TEST_CPPFLAGS) \
  -DSL_FAKE_DIR='"$(abs_top_builddir)/tests/support/fake"'
tests_unit_test_cuda_backend_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_cuda_cupti
tests_unit_test_cuda_cupti_SOURCES = tests/unit/test_cuda_cupti.c
tests_unit_test_cuda_cupti_CPPFLAGS = $(TEST_CPPFLAGS) \
  -DSL_FAKE_DIR='"$(abs_top_builddir)/tests/support/fake-cupti"'
tests_unit_test_cuda_cupti_LDADD = $(CALIBRATE_LDADD)
check_PROGRAMS += tests/unit/test_cuda_replay tests/unit/test_cuda_replay_events
tests_unit_test_cuda_replay_SOURCES = tests/unit/test_cuda_replay.c
tests_unit_test_cuda_replay_CPPFLAGS = $(TEST_CPPFLAGS) \
  -DSL_FAKE_DIR='"$(abs_top_builddir)/tests/support/fake-cupti"'
tests_unit_test_cuda_replay_LDADD = $(CALIBRATE_LDADD)
tests_unit_test_cuda_replay_events_SOURCES = tests/unit/test_cuda_replay.c
tests_unit_test_cuda_replay_events_CPPFLAGS = $(TEST_CPPFLAGS) -DSL_BY_EVENTS \
  -DSL_FAKE_DIR='"$(abs_top_builddir)/tests/support/fake"'
tests_unit_test_cuda_replay_events_LDADD = $(CALIBRATE_LDADD)
# Drivers without a GPU, found by their soname: one whose CUPTI finds no GPU, one with a CUPTI of its
# own, and an old one that lacks a function.
if WITH_CUDA
FAKE_CUDA = $(srcdir)/tests/support/fake_cuda.c
FAKE_NEEDS = tests/support/fake_cuda.h calibrate/backends/cuda_stamp.h
FAKE_MAKE = $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) -iquote $(srcdir)/tests/support $(CPPFLAGS) \
  $(AM_CFLAGS) $(CFLAGS) -shared -fPIC
check_DATA = tests/support/fake/libcuda.so.1 tests/support/fake-old/libcuda.so.1 \
  tests/support/fake-cupti/libcuda.so.1 tests/support/fake-cupti/libcupti.so.$(CUDA_MAJOR)
tests/support/fake/libcuda.so.1: tests/support/fake_cuda.c $(FAKE_NEEDS)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FAKE_MAKE) $(FAKE_CUDA) -o $@
tests/support/fake-old/libcuda.so.1: tests/support/fake_cuda.c $(FAKE_NEEDS)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FAKE_MAKE) -DSL_FAKE_OLD $(FAKE_CUDA) -o $@
tests/support/fake-cupti/libcuda.so.1: tests/support/fake_cuda.c $(FAKE_NEEDS)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FAKE_MAKE) $(FAKE_CUDA) -o $@
tests/support/fake-cupti/libcupti.so.$(CUDA_MAJOR): tests/support/fake_cupti.c $(FAKE_NEEDS)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FAKE_MAKE) $(srcdir)/tests/support/fake_cupti.c -o $@
CLEANFILES += $(check_DATA)
endif
EXTRA_DIST += tests/support/fake_cuda.c tests/support/fake_cuda.h tests/support/fake_cupti.c
check_PROGRAMS += tests/unit/test_factors
tests_unit_test_factors_SOURCES = tests/unit/test_factors.c
tests_unit_test_factors_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_shared
tests_unit_test_shared_SOURCES = tests/unit/test_shared.c
tests_unit_test_shared_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_shared_LDADD = $(CALIBRATE_LDADD)


check_PROGRAMS += tests/unit/test_jobs
tests_unit_test_jobs_SOURCES = tests/unit/test_jobs.c
tests_unit_test_jobs_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_jobs_admission
tests_unit_test_jobs_admission_SOURCES = tests/unit/test_jobs_admission.c
tests_unit_test_jobs_admission_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_jobs_story
tests_unit_test_jobs_story_SOURCES = tests/unit/test_jobs_story.c
tests_unit_test_jobs_story_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_jobs_line
tests_unit_test_jobs_line_SOURCES = tests/unit/test_jobs_line.c
tests_unit_test_jobs_line_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_jobs_tiers
tests_unit_test_jobs_tiers_SOURCES = tests/unit/test_jobs_tiers.c
tests_unit_test_jobs_tiers_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_jobs_cache
tests_unit_test_jobs_cache_SOURCES = tests/unit/test_jobs_cache.c
tests_unit_test_jobs_cache_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_batches
tests_unit_test_batches_SOURCES = tests/unit/test_batches.c
tests_unit_test_batches_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_nsys tests/unit/test_nsys_hostile
tests_unit_test_nsys_SOURCES = tests/unit/test_nsys.c tests/support/nsyslab.h
tests_unit_test_nsys_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_nsys_LDADD = $(LDADD) $(SQLITE_LIBS)
tests_unit_test_nsys_hostile_SOURCES = tests/unit/test_nsys_hostile.c tests/support/nsyslab.h
tests_unit_test_nsys_hostile_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_nsys_hostile_LDADD = $(LDADD) $(SQLITE_LIBS) $(ZLIB_LIBS)
check_PROGRAMS += tests/unit/test_trace_graph
tests_unit_test_trace_graph_SOURCES = tests/unit/test_trace_graph.c
tests_unit_test_trace_graph_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_export
tests_unit_test_export_SOURCES = tests/unit/test_export.c
tests_unit_test_export_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_export_LDADD = $(LDADD) $(YAJL_LIBS)
check_PROGRAMS += tests/unit/test_handoff
tests_unit_test_handoff_SOURCES = tests/unit/test_handoff.c
tests_unit_test_handoff_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_handoff_LDADD = $(LDADD) $(YAJL_LIBS)
check_PROGRAMS += tests/unit/test_reply tests/unit/test_recompute tests/unit/test_mapping
tests_unit_test_mapping_SOURCES = tests/unit/test_mapping.c
tests_unit_test_mapping_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_mapping_LDADD = $(LDADD) $(YAJL_LIBS)
tests_unit_test_reply_SOURCES = tests/unit/test_reply.c
tests_unit_test_reply_CPPFLAGS = $(TEST_CPPFLAGS)
tests_unit_test_recompute_SOURCES = tests/unit/test_recompute.c
tests_unit_test_recompute_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_own_waits
tests_unit_test_own_waits_SOURCES = tests/unit/test_own_waits.c
tests_unit_test_own_waits_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_trace_kappa
tests_unit_test_trace_kappa_SOURCES = tests/unit/test_trace_kappa.c
tests_unit_test_trace_kappa_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_trace_allocations
tests_unit_test_trace_allocations_SOURCES = tests/unit/test_trace_allocations.c
tests_unit_test_trace_allocations_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/unit/test_record
tests_unit_test_record_SOURCES = tests/unit/test_record.c
tests_unit_test_record_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_gate
tests_unit_test_gate_SOURCES = tests/unit/test_gate.c
tests_unit_test_gate_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_gate_evidence
tests_unit_test_gate_evidence_SOURCES = tests/unit/test_gate_evidence.c
tests_unit_test_gate_evidence_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_beside
tests_unit_test_beside_SOURCES = tests/unit/test_beside.c
tests_unit_test_beside_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_trace_movable
tests_unit_test_trace_movable_SOURCES = tests/unit/test_trace_movable.c
tests_unit_test_trace_movable_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_measuring
tests_unit_test_measuring_SOURCES = tests/unit/test_measuring.c
tests_unit_test_measuring_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_record_compare
tests_unit_test_record_compare_SOURCES = tests/unit/test_record_compare.c
tests_unit_test_record_compare_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/unit/test_rebase
tests_unit_test_rebase_SOURCES = tests/unit/test_rebase.c
tests_unit_test_rebase_CPPFLAGS = $(TEST_CPPFLAGS)
