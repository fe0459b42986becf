# Files of sim/measure/.
libslackline_la_SOURCES += sim/measure/audit.c sim/measure/audit.h sim/measure/audit_parts.h sim/measure/audit_calls.c sim/measure/audit_events.c \
  sim/measure/audit_memories.c sim/measure/audit_sequence.c sim/measure/audit_ranges.c sim/measure/audit_steps.c sim/measure/audit_totals.c \
  sim/measure/audit_uses.c sim/measure/audit_waits.c sim/measure/intervals.c sim/measure/intervals.h
libslackline_la_SOURCES += \
  sim/measure/bounds.c \
  sim/measure/measure.h \
  sim/measure/measurer.c \
  sim/measure/measurer.h \
  sim/measure/class_pairs.c \
  sim/measure/class_pairs.h \
  sim/measure/proof_capacity.c \
  sim/measure/proof_progress.c \
  sim/measure/proof_progress.h \
  sim/measure/proof_reclaim.c \
  sim/measure/proof_reclaim.h \
  sim/measure/proof_union.c \
  sim/measure/proof_union.h \
  sim/measure/proof_uses.c \
  sim/measure/proof_uses.h \
  sim/measure/speculation_hits.c \
  sim/measure/stalls.c \
  sim/measure/timeline.c \
  sim/measure/timeline.h \
  sim/measure/timeline_finish.c
