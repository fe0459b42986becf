# Files of sim/run/.
libslackline_la_SOURCES += \
  sim/run/axes.c \
  sim/run/axes.h \
  sim/run/capacity_limits.c \
  sim/run/capacity_limits.h \
  sim/run/cell.c \
  sim/run/cell.h \
  sim/run/cellparts.h \
  sim/run/collect.c \
  sim/run/change.c \
  sim/run/change.h \
  sim/run/constraints.c \
  sim/run/contest.c \
  sim/run/contest.h \
  sim/run/peer_waits.c \
  sim/run/peer_waits.h \
  sim/run/pictures.c \
  sim/run/proofs.c \
  sim/run/proofs.h \
  sim/run/reduce.c \
  sim/run/sweep.c \
  sim/run/sweep.h \
  sim/run/tail_chain.c \
  sim/run/tail_chain.h \
  sim/run/tallies.c \
  sim/run/tallies.h \
  sim/run/tally_deadlines.c \
  sim/run/tally_fallbacks.c \
  sim/run/tally_class_pairs.c \
  sim/run/tally_peers.c \
  sim/run/tally_iterations.c \
  sim/run/tally_stalls.c \
  sim/run/tally_windows.c \
  sim/run/trials.c \
  sim/run/trials.h
