# Files of sim/io/.
libslackline_la_SOURCES += sim/io/results.c sim/io/results_folder.c sim/io/results_folder.h sim/io/results.h sim/io/result_parts.h sim/io/summary_csv.c \
  sim/io/parts_csv.c sim/io/parts_batches_csv.c sim/io/parts_caches_csv.c sim/io/parts_jobs_csv.c sim/io/summary_jobs.c sim/io/summary_jobs.h sim/io/parts_tail_csv.c sim/io/choice_costs_csv.c sim/io/choice_costs_csv.h sim/io/compare_csv.c sim/io/compare_csv.h sim/io/race_csv.c sim/io/race_csv.h sim/io/partfile.c sim/io/partfile.h \
  sim/io/metric_store.c sim/io/metric_store.h sim/io/order_figures.c \
  sim/io/order_figures.h sim/io/sensitivity_csv.c sim/io/sensitivity_csv.h sim/io/parts_nodes_csv.c \
  sim/io/parts_outcomes_csv.c sim/io/parts_evictions_csv.c sim/io/parts_speculation_csv.c sim/io/parts_iterations_csv.c sim/io/parts_uncertainty_csv.c sim/io/parts_use_csv.c sim/io/figures.c sim/io/figures.h sim/io/manifest.c \
  sim/io/manifest.h sim/io/frame.c sim/io/frame.h sim/io/json_out.c sim/io/json_out.h \
  sim/io/draw_store.c sim/io/draw_store.h sim/io/engine_csv.c sim/io/engine_csv.h sim/io/search_csv.c sim/io/search_csv.h sim/io/shares.c sim/io/shares.h sim/io/alternatives.c sim/io/alternatives.h sim/io/grouping.c sim/io/grouping.h sim/io/standings.c sim/io/standings.h \
  sim/io/win_map.c sim/io/win_map.h sim/io/map_edges.c sim/io/map_csv.c sim/io/robustness_csv.c sim/io/robustness_csv.h \
  sim/io/replay_csv.c sim/io/replay_csv.h sim/io/rank_check_csv.c sim/io/rank_check_csv.h
libslackline_la_SOURCES += sim/io/importer.c sim/io/importer.h sim/io/importers.def sim/io/import_kineto.c sim/io/import_kineto_event.c \
  sim/io/import_kineto_field.c sim/io/json_stream.c sim/io/json_stream.h sim/io/json_tree.c sim/io/json_tree.h sim/io/kineto.h
libslackline_la_SOURCES += sim/io/exporter.c sim/io/exporter.h sim/io/exporters.def sim/io/export_dot.c \
  sim/io/export_perfetto.c sim/io/export_tracks.c sim/io/export_tracks.h \
  sim/io/export_handoff.c sim/io/handoff_jobs.c sim/io/handoff_machine.c sim/io/handoff_nodes.c sim/io/handoff_objects.c \
  sim/io/handoff_overlap.c sim/io/handoff_parts.h
libslackline_la_SOURCES += sim/io/import_slackline.c
libslackline_la_SOURCES += sim/io/audit_csv.c sim/io/audit_csv.h
libslackline_la_SOURCES += sim/io/import_nsys.c sim/io/import_nsys_calls.c sim/io/import_nsys_copies.c \
  sim/io/import_nsys_db.c sim/io/import_nsys_db.h sim/io/import_nsys_facts.c sim/io/import_nsys_kinds.c \
  sim/io/import_nsys_lanes.c sim/io/import_nsys_memory.c sim/io/import_nsys_names.c sim/io/import_nsys_parts.h \
  sim/io/import_nsys_waits.c sim/io/import_nsys_works.c
libslackline_la_SOURCES += sim/io/trace_graph.c sim/io/trace_graph.h sim/io/trace_parts.h sim/io/trace_works.c \
  sim/io/trace_hosts.c sim/io/trace_awaits.c sim/io/trace_handover.c sim/io/trace_starts.c sim/io/trace_order.c sim/io/trace_names.c sim/io/trace_names.h \
  sim/io/kernel_classes.def sim/io/trace_durations.c sim/io/trace_durations.h sim/io/trace_kappa.c sim/io/trace_kappa.h sim/io/trace_memory.c sim/io/trace_memory.h sim/io/trace_objects.c sim/io/trace_objects.h sim/io/trace_routes.c sim/io/trace_routes.h sim/io/trace_routes_write.c \
  sim/io/trace_movable.c sim/io/trace_movable.h sim/io/trace_movable_sizes.c sim/io/trace_report.c \
  sim/io/trace_scenario.c sim/io/trace_scenario.h sim/io/trace_scenario_yaml.c sim/io/trace_scenario_yaml.h
