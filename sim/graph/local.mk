# Files of sim/graph/.
libslackline_la_SOURCES += sim/graph/graph.c sim/graph/graph.h sim/graph/graph_finish.c \
  sim/graph/graph_cycle.c sim/graph/graph_cycle.h sim/graph/graph_terms.c sim/graph/graph_route.c \
  sim/graph/scenario.h
