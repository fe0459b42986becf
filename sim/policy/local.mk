# Files of sim/policy/.
libslackline_la_SOURCES += sim/policy/policy.h sim/policy/policies.def sim/policy/parts.h \
  sim/policy/registry.c sim/policy/settings.c sim/policy/settings.h sim/policy/settings_keys.c sim/policy/settings_check.c sim/policy/editor.c sim/policy/editor.h \
  sim/policy/facts.c sim/policy/facts.h sim/policy/holds.c sim/policy/gaps.c sim/policy/journeys.c sim/policy/schedule.c \
  sim/policy/attempt.h sim/policy/sequence.c sim/policy/moves.c sim/policy/hops.c sim/policy/chunks.c sim/policy/hop_times.c sim/policy/copies.c \
  sim/policy/costs.c sim/policy/project.c sim/policy/renumber.c sim/policy/selection.c \
  sim/policy/plan.c sim/policy/decision.c sim/policy/decision.h sim/policy/planner.c sim/policy/planner.h sim/policy/tuned.c sim/policy/unroll.c sim/policy/unroll.h sim/policy/carry.c sim/policy/later_uses.c sim/policy/ranking.h sim/policy/select_none.c sim/policy/select_all.c \
  sim/policy/select_list.c sim/policy/select_largest.c sim/policy/select_belady.c \
  sim/policy/select_cost_benefit.c sim/policy/select_lru.c sim/policy/select_slack.c sim/policy/select_chain_optimal.c \
  sim/policy/walk.c sim/policy/walk.h sim/policy/action_retain.c sim/policy/action_as_given.c \
  sim/policy/action_offload.c sim/policy/action_remat.c sim/policy/prefetch_demand.c \
  sim/policy/prefetch_asap.c sim/policy/prefetch_lookahead.c sim/policy/prefetch_jit.c \
  sim/policy/prefetch_window.c sim/policy/room.c sim/policy/projection.h \
  sim/policy/action_chain_optimal.c sim/policy/chain_steps.c sim/policy/chain_steps.h sim/policy/chain_weigh.c \
  sim/policy/chain_optimum.c sim/policy/chain_optimum.h \
  sim/policy/best.c sim/policy/chain_time.c sim/policy/chain_time.h sim/policy/action_best.c sim/policy/reclaim_immediate.c sim/policy/reclaim_lazy.c sim/policy/reclaim_on_pressure.c
libslackline_la_SOURCES += sim/policy/evictions.c sim/policy/evictions.h sim/policy/evict_none.c \
  sim/policy/evict_fifo.c sim/policy/evict_lru.c sim/policy/evict_belady.c \
  sim/policy/evict_largest.c sim/policy/evict_dtr.c sim/policy/evict_cost_benefit.c \
  sim/policy/evict_ways.c sim/policy/dispatch.c sim/policy/shared.c
EXTRA_DIST += doc/policies.md
