# Files of sim/graph/.
libslackline_la_SOURCES += \
  sim/graph/graph.c sim/graph/graph.h sim/graph/graph_finish.c sim/graph/graph_cycle.c \
  sim/graph/graph_cycle.h sim/graph/evictor.h sim/graph/flow.c sim/graph/flow.h sim/graph/class_groups.c sim/graph/class_groups.h sim/graph/graph_terms.c \
  sim/graph/graph_route.c sim/graph/scenario.h sim/graph/scenario_parts.h \
  sim/graph/cell_expr.c sim/graph/scenario_jobs.c sim/graph/scenario_job_marks.c sim/graph/scenario_job_run.c sim/graph/scenario_shared.c \
  sim/graph/scenario_load.c sim/graph/scenario_run.c sim/graph/scenario_objective.c sim/graph/scenario_policies.c \
  sim/graph/speculation.c sim/graph/speculation.h \
  sim/graph/scenario_guards.c sim/graph/guards.c sim/graph/guards.h \
  sim/graph/scenario_stochastic.c sim/graph/scenario_unused.c sim/graph/table_read.c \
  sim/graph/objects_csv.c sim/graph/nodes_csv.c sim/graph/nodes_csv.h sim/graph/node_duration.c \
  sim/graph/edges_csv.c sim/graph/overlap_csv.c sim/graph/tuning_csv.c sim/graph/legality.c sim/graph/legality.h \
  sim/graph/legality.def sim/graph/legality_copies.c sim/graph/legality_copies.h \
  sim/graph/legality_guards.c sim/graph/legality_alias.c sim/graph/legality_moves.c sim/graph/legality_pivots.c \
  sim/graph/legality_remat.c sim/graph/legality_order.c sim/graph/legality_valid.c \
  sim/graph/legality_places.c sim/graph/legality_demands.c sim/graph/legality_lifetime.c \
  sim/graph/legality_remarks.c sim/graph/windows.c sim/graph/windows.h sim/graph/windows_pack.c
libslackline_la_SOURCES += \
  sim/graph/legality_capacity.c sim/graph/legality_mechanism.c sim/graph/legality_windows.c \
  sim/graph/legality_overlap.c sim/graph/legality_barrier.c \
  sim/graph/barrier_order.c sim/graph/barrier_order.h \
  sim/graph/peak_bound.c sim/graph/peak_bound.h \
  sim/graph/same_graph.c sim/graph/same_graph.h \
  sim/graph/scenario_overrides.c sim/graph/scenario_scale.c \
  sim/graph/plan_peaks.c sim/graph/order_sets.c sim/graph/order_sets.h
EXTRA_DIST += doc/legality.md
