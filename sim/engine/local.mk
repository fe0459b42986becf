# Files of sim/engine/.
libslackline_la_SOURCES += \
  sim/engine/adversary.c \
  sim/engine/adversary.h \
  sim/engine/capacity.c \
  sim/engine/chain.c \
  sim/engine/classes.h \
  sim/engine/contend.c \
  sim/engine/contend_compact.c \
  sim/engine/contend_heap.h \
  sim/engine/deadlock.c \
  sim/engine/draws.c \
  sim/engine/engine.h \
  sim/engine/events.h \
  sim/engine/evict.c \
  sim/engine/evict.h \
  sim/engine/evict_leases.c \
  sim/engine/evict_room.c \
  sim/engine/evict_runs.c \
  sim/engine/fallback.c \
  sim/engine/instant.c \
  sim/engine/levels.h \
  sim/engine/program.c \
  sim/engine/program.h \
  sim/engine/program_bytes.c \
  sim/engine/program_cells.c \
  sim/engine/program_draws.c \
  sim/engine/program_keys.c \
  sim/engine/program_overlap.c \
  sim/engine/program_queue.c \
  sim/engine/waiting.c \
  sim/engine/waiting_scan.c \
  sim/engine/waitlist.h \
  sim/engine/worker.c
