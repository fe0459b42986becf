# Files of calibrate/: the program slackline-calibrate, and all of it but its commands as a library
# that tests link, too.
bin_PROGRAMS += slackline-calibrate
# Options are read as slackline reads them, under the other program's name.
slackline_calibrate_CPPFLAGS = $(AM_CPPFLAGS) -DSL_PROGRAM='"slackline-calibrate"' \
  -DSL_PAGE_PER_COMMAND=false
slackline_calibrate_LDADD = libcalibrate.la libinside.la
slackline_calibrate_SOURCES = sim/cmd/options.c sim/cmd/command.h sim/cmd/progress.c sim/cmd/progress.h \
  calibrate/calibrate_main.c calibrate/calibration.c calibrate/calibration.h \
  calibrate/calibration_folder.c calibrate/calibration_folder.h calibrate/cmd_measure.c calibrate/cmd_session.c calibrate/cmd_verify.c
slackline_calibrate_SOURCES += calibrate/cmd_replay.c calibrate/replay_parts.h calibrate/replay_project.c \
  calibrate/replay_repeat.c calibrate/replay_tell.c calibrate/replay_report.c sim/cmd/table.c sim/cmd/table.h

noinst_LTLIBRARIES += libcalibrate.la
libcalibrate_la_LIBADD =
libcalibrate_la_SOURCES = calibrate/backend.c calibrate/backend.h calibrate/backends.def \
  calibrate/work.h calibrate/measurement.h
libcalibrate_la_SOURCES += calibrate/judge.c calibrate/judge.h calibrate/cases.c calibrate/case.h \
  calibrate/protocol.c calibrate/protocol.h calibrate/shooter.c calibrate/shooter.h \
  calibrate/session_csv.c calibrate/session_csv.h \
  calibrate/session_process.c calibrate/session_process.h calibrate/workload.c calibrate/workload.h calibrate/workload_trace.c calibrate/workload_parts.h calibrate/verify.c calibrate/verify.h
libcalibrate_la_SOURCES += calibrate/estimate.h calibrate/fit.h calibrate/tables.h calibrate/summary.h \
  calibrate/pictures.h calibrate/fit.c calibrate/fit_laws.c calibrate/fit_laws.h \
  calibrate/estimate.c calibrate/estimate_parts.h calibrate/session_median.c calibrate/session_median.h \
  calibrate/common_fit.c calibrate/common_fit.h calibrate/estimate_shared.c calibrate/tables_shared.c \
  calibrate/estimate_kappa.c calibrate/estimate_durations.c calibrate/estimate_routes.c calibrate/estimate_composition.c \
  calibrate/tables.c calibrate/tables_parts.h calibrate/tables_csv.c calibrate/device_yaml.c calibrate/summary.c \
  calibrate/pictures_draw.c calibrate/pictures_parts.h calibrate/picture_kappa.c calibrate/picture_fits.c
libcalibrate_la_SOURCES += calibrate/backends/cpu.c calibrate/backends/cpu_bench.h \
  calibrate/backends/cpu_classes.c calibrate/backends/cpu_crew.c calibrate/backends/cpu_crew.h \
  calibrate/backends/cpu_machine.c calibrate/backends/cpu_machine.h calibrate/backends/cpu_replay.c \
  calibrate/backends/cpu_sentinel.c calibrate/backends/cpu_sentinel.h calibrate/backends/cpu_shot.c calibrate/backends/cpu_store.c \
  calibrate/backends/cpu_works.c calibrate/backends/cpu_works.h
libcalibrate_la_SOURCES += calibrate/backends/script.c calibrate/backends/script_bench.h calibrate/backends/script_replay.c \
  calibrate/backends/script_file.c calibrate/backends/script_file.h calibrate/backends/script_parts.h \
  calibrate/backends/script_classes.c calibrate/backends/script_kappa.c \
  calibrate/backends/script_trouble.c calibrate/backends/script_trouble.h
libcalibrate_la_SOURCES += calibrate/replay.h calibrate/replay_plan.c calibrate/replay_rules.c \
  calibrate/replay_rules.h calibrate/replay_size.c calibrate/replay_size.h calibrate/replay_tally.c \
  calibrate/replay_tally.h calibrate/replay_verdict.c calibrate/replay_verdict.h calibrate/replay_files.c \
  calibrate/replay_files.h calibrate/replay_drift.c calibrate/replay_drift.h calibrate/replay_seen.c calibrate/replay_seen.h
