# Files of sim/cmd/.
slackline_SOURCES += sim/cmd/main.c sim/cmd/options.c sim/cmd/command.h sim/cmd/cmd_check.c \
  sim/cmd/cmd_list.c sim/cmd/cmd_generate.c sim/cmd/cmd_plot.c sim/cmd/cmd_run.c sim/cmd/cmd_sweep.c \
  sim/cmd/runargs.c sim/cmd/runargs.h sim/cmd/session.c sim/cmd/session.h sim/cmd/progress.c \
  sim/cmd/progress.h sim/cmd/table.c sim/cmd/table.h sim/cmd/cell_facts.c sim/cmd/report_cell.c \
  sim/cmd/report_cell.h sim/cmd/report_cell_json.c sim/cmd/report_outcomes.c \
  sim/cmd/report_outcomes.h sim/cmd/report_outcomes_json.c sim/cmd/report_windows.c sim/cmd/report_sweep.c sim/cmd/report_sweep.h \
  sim/cmd/report_sweep_json.c
