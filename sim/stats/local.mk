# Files of sim/stats/.
libslackline_la_SOURCES += sim/stats/quantile.c sim/stats/quantile.h
