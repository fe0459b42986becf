# Files of sim/decide/.
libslackline_la_SOURCES += sim/decide/gate.c sim/decide/gate.h sim/decide/gates.def sim/decide/gate_actions.c \
  sim/decide/gate_bounds.c sim/decide/gate_capacity.c sim/decide/gate_contention.c sim/decide/gate_correctness.c \
  sim/decide/gate_costs.c sim/decide/gate_mechanism.c sim/decide/gate_progress.c sim/decide/gate_separation.c \
  sim/decide/gate_target.c
libslackline_la_SOURCES += sim/decide/record.c sim/decide/record.h sim/decide/record_evidence.h sim/decide/record_fields.c \
  sim/decide/record_fields.h sim/decide/record_fields_evidence.c sim/decide/record_fields_plan.c sim/decide/record_plan.h \
  sim/decide/record_values.h sim/decide/record_history.c sim/decide/record_history.h sim/decide/record_inputs.c sim/decide/record_inputs.h \
  sim/decide/record_place.c sim/decide/record_json.c sim/decide/record_read.c \
  sim/decide/record_seal.c sim/decide/record_seal.h sim/decide/record_shape.h sim/decide/record_write.c
libslackline_la_SOURCES += sim/decide/reply.h sim/decide/reply_lists.c sim/decide/reply_parts.h sim/decide/reply_read.c \
  sim/decide/reply_write.c sim/decide/recompute.c sim/decide/recompute_legal.c sim/decide/recompute.h
libslackline_la_SOURCES += sim/decide/feasibility.c sim/decide/feasibility.h sim/decide/feasibility_answer.c \
  sim/decide/feasibility_parts.h sim/decide/feasibility_record.c sim/decide/feasibility_runs.c \
  sim/decide/own_waits.c sim/decide/own_waits.h
libslackline_la_SOURCES += sim/decide/mapping.c sim/decide/mapping.h sim/decide/mappings.def sim/decide/mapping_cuda.c \
  sim/decide/mapping_cuda.h sim/decide/mapping_cuda_calls.c sim/decide/mapping_cuda_decisions.c sim/decide/mapping_cuda_jobs.c sim/decide/mapping_cuda_memory.c sim/decide/mapping_cuda_streams.c
libslackline_la_SOURCES += sim/decide/measuring.c sim/decide/measuring.h sim/decide/measuring_contention.c \
  sim/decide/measuring_match.c sim/decide/measuring_order.c sim/decide/measuring_peaks.c sim/decide/measuring_result.c sim/decide/measuring_speed.c \
  sim/decide/planned.c sim/decide/planned.h sim/decide/realized.c sim/decide/realized.h sim/decide/realized_audit.c \
  sim/decide/realized_timeline.c sim/decide/realized_trace.c sim/decide/record_compare.c sim/decide/record_compare.h sim/decide/record_compare_costs.c \
  sim/decide/record_compare_parts.h sim/decide/record_scenario.c sim/decide/record_scenario.h \
  sim/decide/rebase.c sim/decide/rebase.h sim/decide/rebase_effects.c sim/decide/rebase_figures.c sim/decide/rebase_parts.h sim/decide/swap.c sim/decide/swap_find.c sim/decide/swap.h
libslackline_la_SOURCES += sim/decide/record_same.c sim/decide/record_same.h sim/decide/redecide.c sim/decide/redecide.h \
  sim/decide/redecide_columns.c sim/decide/redecide_parts.h
libslackline_la_SOURCES += sim/decide/decide.c sim/decide/decide.h sim/decide/decide_cells.c \
  sim/decide/decide_compare.c sim/decide/decide_conclude.c sim/decide/decide_cost_figures.c sim/decide/decide_costs.c sim/decide/decide_doubts.c sim/decide/decide_drifts.c \
  sim/decide/decide_identity.c sim/decide/decide_parts.h sim/decide/decide_plan.c sim/decide/decide_projection.c \
  sim/decide/decide_proofs.c sim/decide/decide_risks.c sim/decide/decide_schedule.c sim/decide/decide_stand_in.c \
  sim/decide/decide_unknowns.c sim/decide/job_proofs.c sim/decide/workflow.c \
  sim/decide/decision_page.c sim/decide/decision_page.h sim/decide/decision_page_doubts.c sim/decide/decision_page_plan.c \
  sim/decide/decision_page_results.c
