# Files of tests/oracle/.

# Random legal scenarios, as they are and with one violation each.
RANDOM_SCENARIOS = tests/support/draft.c tests/support/draft.h tests/support/dice.h \
  tests/support/random_maker.c tests/support/random_maker.h \
  tests/support/random_uses.c tests/support/random_steps.h \
  tests/support/random_lives.c tests/support/random_lives.h \
  tests/support/random_scenario.c tests/support/random_scenario.h
check_PROGRAMS += tests/oracle/test_random_legal
RANDOM_RUNS = $(RANDOM_SCENARIOS) tests/support/random_runs.c tests/support/random_runs.h \
  tests/support/audit_order.c tests/support/audit_copies.c tests/support/audit_windows.c \
  tests/support/audit_times.c tests/support/record_audit.h
tests_oracle_test_random_legal_SOURCES = tests/oracle/test_random_legal.c $(RANDOM_RUNS)
tests_oracle_test_random_legal_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_random_evict
tests_oracle_test_random_evict_SOURCES = tests/oracle/test_random_evict.c $(RANDOM_SCENARIOS)
tests_oracle_test_random_evict_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_injected
tests_oracle_test_injected_SOURCES = tests/oracle/test_injected.c tests/oracle/injections.h \
  tests/oracle/inject_lifetimes.c tests/oracle/inject_runs.c tests/oracle/inject_remarks.c \
  tests/support/draft_query.c tests/support/draft_query.h $(RANDOM_SCENARIOS)
tests_oracle_test_injected_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/oracle/test_engine_oracles tests/oracle/test_engine_reference
tests_oracle_test_engine_oracles_SOURCES = tests/oracle/test_engine_oracles.c
tests_oracle_test_engine_oracles_CPPFLAGS = $(TEST_CPPFLAGS)
REFERENCE_SIM = tests/oracle/reference_sim.c tests/oracle/reference_sim.h \
  tests/oracle/reference_parts.h tests/oracle/reference_facts.c tests/oracle/reference_kappa.c \
  tests/oracle/reference_ready.c tests/oracle/reference_cause.c
tests_oracle_test_engine_reference_SOURCES = tests/oracle/test_engine_reference.c \
  tests/oracle/reference_check.c tests/oracle/reference_check.h tests/oracle/reference_text.c \
  tests/oracle/reference_text.h tests/support/random_graph.c tests/support/random_graph.h \
  $(REFERENCE_SIM) $(RANDOM_SCENARIOS)
tests_oracle_test_engine_reference_CPPFLAGS = $(TEST_CPPFLAGS)
CLEANFILES += reference-*.txt

check_PROGRAMS += tests/oracle/test_engine_ties
tests_oracle_test_engine_ties_SOURCES = tests/oracle/test_engine_ties.c
tests_oracle_test_engine_ties_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_metamorphic
tests_oracle_test_metamorphic_SOURCES = tests/oracle/test_metamorphic.c \
  tests/oracle/metamorphic.c tests/oracle/metamorphic.h tests/oracle/metamorphic_relations.c \
  tests/support/morph.c tests/support/morph.h $(RANDOM_SCENARIOS)
tests_oracle_test_metamorphic_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/oracle/test_peers
tests_oracle_test_peers_SOURCES = tests/oracle/test_peers.c
tests_oracle_test_peers_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/oracle/test_chunks
tests_oracle_test_chunks_SOURCES = tests/oracle/test_chunks.c
tests_oracle_test_chunks_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/oracle/test_hops
tests_oracle_test_hops_SOURCES = tests/oracle/test_hops.c
tests_oracle_test_hops_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/oracle/test_streaming
tests_oracle_test_streaming_SOURCES = tests/oracle/test_streaming.c
tests_oracle_test_streaming_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_chain
tests_oracle_test_chain_SOURCES = tests/oracle/test_chain.c
tests_oracle_test_chain_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_rotor
tests_oracle_test_rotor_SOURCES = tests/oracle/test_rotor.c
tests_oracle_test_rotor_CPPFLAGS = $(TEST_CPPFLAGS)
# A machine in miniature, by which searches are judged, and its random problems.
STREAM_MODEL = tests/support/stream_model.c tests/support/stream_model.h \
  tests/support/stream_draft.c tests/support/stream_draft.h
check_PROGRAMS += tests/oracle/test_stream_model
tests_oracle_test_stream_model_SOURCES = tests/oracle/test_stream_model.c $(STREAM_MODEL)
tests_oracle_test_stream_model_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_search_chains tests/oracle/test_search_dags
tests_oracle_test_search_chains_SOURCES = tests/oracle/test_search_chains.c \
  tests/support/search_check.h $(STREAM_MODEL)
tests_oracle_test_search_chains_CPPFLAGS = $(TEST_CPPFLAGS)
tests_oracle_test_search_dags_SOURCES = tests/oracle/test_search_dags.c \
  tests/support/search_check.h $(STREAM_MODEL)
tests_oracle_test_search_dags_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_chain_select
tests_oracle_test_chain_select_SOURCES = tests/oracle/test_chain_select.c
tests_oracle_test_chain_select_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_paging
tests_oracle_test_paging_SOURCES = tests/oracle/test_paging.c tests/support/paging.h
tests_oracle_test_paging_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_evict
tests_oracle_test_evict_SOURCES = tests/oracle/test_evict.c tests/support/paging.h
tests_oracle_test_evict_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_elasticity
tests_oracle_test_elasticity_SOURCES = tests/oracle/test_elasticity.c
tests_oracle_test_elasticity_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_cannot_act
tests_oracle_test_cannot_act_SOURCES = tests/oracle/test_cannot_act.c
tests_oracle_test_cannot_act_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_psplib
tests_oracle_test_psplib_SOURCES = tests/oracle/test_psplib.c
tests_oracle_test_psplib_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_minimalloc
tests_oracle_test_minimalloc_SOURCES = tests/oracle/test_minimalloc.c
tests_oracle_test_minimalloc_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_dtr
tests_oracle_test_dtr_SOURCES = tests/oracle/test_dtr.c \
  tests/oracle/dtr_reference.c tests/oracle/dtr_gathered.c \
  tests/oracle/dtr_reference.h tests/oracle/dtr_machine.h \
  tests/support/dtr_log.c tests/support/dtr_changes.c tests/support/dtr_log.h \
  tests/support/dtr_scenario.c tests/support/dtr_scenario.h
tests_oracle_test_dtr_CPPFLAGS = $(TEST_CPPFLAGS)
tests_oracle_test_dtr_LDADD = $(LDADD) $(YAJL_LIBS)
EXTRA_DIST += tests/fixtures/dtr
check_PROGRAMS += tests/oracle/test_search_replay
tests_oracle_test_search_replay_SOURCES = tests/oracle/test_search_replay.c
tests_oracle_test_search_replay_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_search_order
tests_oracle_test_search_order_SOURCES = tests/oracle/test_search_order.c
tests_oracle_test_search_order_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_anomaly
tests_oracle_test_anomaly_SOURCES = tests/oracle/test_anomaly.c
tests_oracle_test_anomaly_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_overlap_oracles
tests_oracle_test_overlap_oracles_SOURCES = tests/oracle/test_overlap_oracles.c
tests_oracle_test_overlap_oracles_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_edges_oracles
tests_oracle_test_edges_oracles_SOURCES = tests/oracle/test_edges_oracles.c
tests_oracle_test_edges_oracles_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/oracle/test_outcomes
tests_oracle_test_outcomes_SOURCES = tests/oracle/test_outcomes.c
tests_oracle_test_outcomes_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_guards tests/oracle/test_speculation tests/oracle/test_steady
tests_oracle_test_steady_SOURCES = tests/oracle/test_steady.c
tests_oracle_test_steady_CPPFLAGS = $(TEST_CPPFLAGS)
tests_oracle_test_speculation_SOURCES = tests/oracle/test_speculation.c
tests_oracle_test_speculation_CPPFLAGS = $(TEST_CPPFLAGS)
tests_oracle_test_guards_SOURCES = tests/oracle/test_guards.c
tests_oracle_test_guards_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_iterate_oracles
tests_oracle_test_iterate_oracles_SOURCES = tests/oracle/test_iterate_oracles.c
tests_oracle_test_iterate_oracles_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/oracle/test_coverage
tests_oracle_test_coverage_SOURCES = tests/oracle/test_coverage.c
tests_oracle_test_coverage_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_coverage_paired
tests_oracle_test_coverage_paired_SOURCES = tests/oracle/test_coverage_paired.c
tests_oracle_test_coverage_paired_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_large
tests_oracle_test_large_SOURCES = tests/oracle/test_large.c
tests_oracle_test_large_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/oracle/test_ties
tests_oracle_test_ties_SOURCES = tests/oracle/test_ties.c
tests_oracle_test_ties_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_liveness
tests_oracle_test_liveness_SOURCES = tests/oracle/test_liveness.c
tests_oracle_test_liveness_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/oracle/test_uncertainty
tests_oracle_test_uncertainty_SOURCES = tests/oracle/test_uncertainty.c
tests_oracle_test_uncertainty_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_choice_costs
tests_oracle_test_choice_costs_SOURCES = tests/oracle/test_choice_costs.c
tests_oracle_test_choice_costs_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_parameters
tests_oracle_test_parameters_SOURCES = tests/oracle/test_parameters.c
tests_oracle_test_parameters_CPPFLAGS = $(TEST_CPPFLAGS)

check_PROGRAMS += tests/oracle/test_traces
tests_oracle_test_traces_SOURCES = tests/oracle/test_traces.c
tests_oracle_test_traces_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_jobs_unrolled
tests_oracle_test_jobs_unrolled_SOURCES = tests/oracle/test_jobs_unrolled.c
tests_oracle_test_jobs_unrolled_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_jobs_queues
tests_oracle_test_jobs_queues_SOURCES = tests/oracle/test_jobs_queues.c \
  tests/support/replications.h
tests_oracle_test_jobs_queues_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_jobs_priorities
tests_oracle_test_jobs_priorities_SOURCES = tests/oracle/test_jobs_priorities.c \
  tests/support/replications.h
tests_oracle_test_jobs_priorities_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_jobs_closed
tests_oracle_test_jobs_closed_SOURCES = tests/oracle/test_jobs_closed.c \
  tests/support/replications.h
tests_oracle_test_jobs_closed_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_jobs_bursts
tests_oracle_test_jobs_bursts_SOURCES = tests/oracle/test_jobs_bursts.c \
  tests/support/replications.h
tests_oracle_test_jobs_bursts_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_jobs_batches
tests_oracle_test_jobs_batches_SOURCES = tests/oracle/test_jobs_batches.c
tests_oracle_test_jobs_batches_CPPFLAGS = $(TEST_CPPFLAGS)
check_PROGRAMS += tests/oracle/test_trace_totals
tests_oracle_test_trace_totals_SOURCES = tests/oracle/test_trace_totals.c
tests_oracle_test_trace_totals_CPPFLAGS = $(TEST_CPPFLAGS)
tests_oracle_test_trace_totals_LDADD = $(LDADD) $(YAJL_LIBS)
check_PROGRAMS += tests/oracle/test_critical_paths
tests_oracle_test_critical_paths_SOURCES = tests/oracle/test_critical_paths.c
tests_oracle_test_critical_paths_CPPFLAGS = $(TEST_CPPFLAGS)
tests_oracle_test_critical_paths_LDADD = $(LDADD) $(YAJL_LIBS)
check_PROGRAMS += tests/oracle/test_trace_memory
tests_oracle_test_trace_memory_SOURCES = tests/oracle/test_trace_memory.c
tests_oracle_test_trace_memory_CPPFLAGS = $(TEST_CPPFLAGS)
tests_oracle_test_trace_memory_LDADD = $(LDADD) $(SQLITE_LIBS)
check_PROGRAMS += tests/oracle/test_trace_hostile
tests_oracle_test_trace_hostile_SOURCES = tests/oracle/test_trace_hostile.c
tests_oracle_test_trace_hostile_CPPFLAGS = $(TEST_CPPFLAGS)
tests_oracle_test_trace_hostile_LDADD = $(LDADD) $(SQLITE_LIBS) $(ZLIB_LIBS)

check_PROGRAMS += tests/oracle/test_nsys_files
tests_oracle_test_nsys_files_SOURCES = tests/oracle/test_nsys_files.c
tests_oracle_test_nsys_files_CPPFLAGS = $(TEST_CPPFLAGS)
tests_oracle_test_nsys_files_LDADD = $(LDADD) $(SQLITE_LIBS)
check_PROGRAMS += tests/oracle/test_trace_replay
tests_oracle_test_trace_replay_SOURCES = tests/oracle/test_trace_replay.c
tests_oracle_test_trace_replay_CPPFLAGS = $(TEST_CPPFLAGS)
tests_oracle_test_trace_replay_LDADD = $(LDADD) $(YAJL_LIBS)
