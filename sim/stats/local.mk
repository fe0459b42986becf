# Files of sim/stats/.
libslackline_la_SOURCES += sim/stats/quantile.c sim/stats/quantile.h sim/stats/paired.c \
  sim/stats/paired.h sim/stats/bootstrap.c sim/stats/bootstrap.h sim/stats/winner.c sim/stats/winner.h \
  sim/stats/pareto.c sim/stats/pareto.h sim/stats/lexicographic.c sim/stats/lexicographic.h \
  sim/stats/nested.c sim/stats/nested.h sim/stats/proportions.c sim/stats/proportions.h \
  sim/stats/race.c sim/stats/race.h sim/stats/until.c sim/stats/until.h \
  sim/stats/series.c sim/stats/series.h sim/stats/series_blocks.c sim/stats/seriesparts.h sim/stats/ratio.c sim/stats/ratio.h sim/stats/trend.c sim/stats/trend.h \
  sim/stats/warmup.c sim/stats/warmup.h sim/stats/unpaired.c sim/stats/unpaired.h sim/stats/agreement.c sim/stats/agreement.h sim/stats/robust_line.c sim/stats/robust_line.h
libslackline_la_SOURCES += sim/stats/beside.c sim/stats/beside.h sim/stats/jackknife.c sim/stats/jackknife.h
