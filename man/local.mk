# Files of man/.
dist_man_MANS += man/slackline.1 man/slackline-check.1 man/slackline-run.1 man/slackline-explain.1 \
  man/slackline-sweep.1 man/slackline-compare.1 man/slackline-search.1 man/slackline-decide.1 man/slackline-feasibility.1 man/slackline-reproduce.1 \
  man/slackline-calibrate.1 man/slackline-calibrate-replay.1 man/slackline-plot.1 man/slackline-list.1 man/slackline-generate.1 man/slackline-audit.1 man/slackline-export.1 man/slackline-import.1 man/slackline-scenario.5 \
  man/slackline-results.5 man/slackline-traces.5
