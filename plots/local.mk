# Files of plots/.
libslackline_la_SOURCES += plots/gnuplot.c plots/gnuplot.h plots/plot.h plots/plot_results.c plots/plot_set.c \
  plots/plot_set.h plots/plot_tail.c plots/plot_pareto.c plots/plot_stalls.c plots/plot_pressure.c plots/plot_gantt.c \
  plots/plot_axes.c plots/plot_band.c plots/plot_slack.c plots/plot_load.c plots/plot_tornado.c plots/plot_map.c plots/plot_map.h plots/map_shapes.c plots/plot_robustness.c plots/plot_iterations.c \
  plots/plot_audit.c plots/plot_audit.h plots/plot_audit_gantt.c plots/plot_audit_time.c plots/plot_audit_memory.c
EXTRA_DIST += doc/maps.md doc/break-even-map.png doc/break-even-robustness.png
nobase_dist_pkgdata_DATA += plots/common.gp plots/tail.gp plots/pareto.gp plots/pressure.gp plots/gantt.gp \
  plots/stalls.gp plots/axis.gp plots/band.gp plots/slack.gp plots/tornado.gp plots/map.gp plots/robustness.gp plots/iterations.gp \
  plots/audit_gantt.gp plots/audit_time.gp plots/audit_memory.gp plots/load.gp plots/kappa.gp plots/fits.gp
