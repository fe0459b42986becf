# Files of sim/cmd/.
slackline_SOURCES += sim/cmd/main.c sim/cmd/options.c sim/cmd/command.h sim/cmd/cmd_check.c \
  sim/cmd/cmd_list.c sim/cmd/cmd_generate.c sim/cmd/cmd_plot.c sim/cmd/cmd_run.c sim/cmd/cmd_sweep.c \
  sim/cmd/launch.c sim/cmd/launch.h sim/cmd/runargs.c sim/cmd/runargs.h sim/cmd/session.c sim/cmd/session.h sim/cmd/progress.c \
  sim/cmd/progress.h sim/cmd/table.c sim/cmd/table.h sim/cmd/cmd_decide.c sim/cmd/decide_before.c sim/cmd/decide_before.h sim/cmd/decide_report.c sim/cmd/decide_report.h \
  sim/cmd/decide_select.c sim/cmd/decide_source.c sim/cmd/decide_source.h sim/cmd/report_cell.c \
  sim/cmd/report_cell.h sim/cmd/report_cell_json.c sim/cmd/report_batches.c sim/cmd/report_batches.h sim/cmd/report_caches.c sim/cmd/report_caches.h sim/cmd/report_job_lateness.c sim/cmd/report_job_lateness.h sim/cmd/report_job_waits.c sim/cmd/report_job_waits.h sim/cmd/report_jobs.c sim/cmd/report_jobs.h sim/cmd/report_jobs_json.c sim/cmd/report_outcomes.c \
  sim/cmd/report_critical.c sim/cmd/report_critical.h sim/cmd/report_tail_chain.c \
  sim/cmd/report_outcomes.h sim/cmd/report_outcomes_json.c sim/cmd/report_evictions.c sim/cmd/report_speculation.c sim/cmd/report_iterations.c sim/cmd/report_windows.c sim/cmd/report_use.c \
  sim/cmd/report_use.h sim/cmd/report_use_json.c sim/cmd/report_waits.c \
  sim/cmd/report_waits.h sim/cmd/wait_story.c sim/cmd/wait_story.h sim/cmd/report_sweep.c sim/cmd/report_sweep.h \
  sim/cmd/report_sweep_json.c sim/cmd/report_sweep_groups.c sim/cmd/report_sweep_legend.c sim/cmd/report_race.c sim/cmd/report_until.c sim/cmd/report_until.h \
  sim/cmd/report_sweep_parts.h sim/cmd/report_sweep_steady.c sim/cmd/report_constraints.c sim/cmd/sweep_rows.c

slackline_SOURCES += sim/cmd/cmd_reproduce.c sim/cmd/decide_changes.c sim/cmd/decide_measured.c sim/cmd/decide_more.c \
  sim/cmd/decide_more.h sim/cmd/decide_rebase.c

slackline_SOURCES += sim/cmd/cmd_compare.c sim/cmd/report_compare.c sim/cmd/report_compare.h \
  sim/cmd/report_compare_json.c sim/cmd/sweep_judge.c sim/cmd/sweep_judge.h \
  sim/cmd/report_shares.c sim/cmd/report_shares.h

slackline_SOURCES += sim/cmd/cmd_explain.c sim/cmd/explain_job_admission.c sim/cmd/explain_job_admission.h sim/cmd/explain_job.c sim/cmd/explain_job.h sim/cmd/explain_job_holders.c \
  sim/cmd/explain_job_holders.h sim/cmd/explain_job_json.c sim/cmd/explain.h sim/cmd/explain_parts.h \
  sim/cmd/explain_chain.c sim/cmd/explain_costs.c sim/cmd/explain_costs.h sim/cmd/explain_costs_json.c sim/cmd/explain_edges.c sim/cmd/explain_gather.c sim/cmd/explain_head.c \
  sim/cmd/explain_node.c sim/cmd/explain_object.c sim/cmd/explain_picture.c sim/cmd/explain_progress.c \
  sim/cmd/explain_ready.c sim/cmd/explain_reclaim.c sim/cmd/explain_runs.c sim/cmd/explain_slack.c sim/cmd/explain_story.c sim/cmd/sheet.c \
  sim/cmd/sheet.h

slackline_SOURCES += sim/cmd/report_sensitivity.c sim/cmd/report_sensitivity.h \
  sim/cmd/report_sensitivity_json.c sim/cmd/whatif.c sim/cmd/whatif.h

slackline_SOURCES += sim/cmd/sweep_map.c sim/cmd/sweep_map.h sim/cmd/report_map.c \
  sim/cmd/report_robustness.c sim/cmd/report_robustness.h
slackline_SOURCES += sim/cmd/cmd_search.c sim/cmd/report_search.c sim/cmd/report_search.h \
  sim/cmd/report_search_json.c sim/cmd/search_verdict.c sim/cmd/search_verdict.h
slackline_SOURCES += sim/cmd/measured.c sim/cmd/measured.h sim/cmd/report_rank_check.c sim/cmd/report_rank_check.h
slackline_SOURCES += sim/cmd/cmd_import.c sim/cmd/report_import.c sim/cmd/report_import.h sim/cmd/trace_input.c sim/cmd/trace_input.h
slackline_SOURCES += sim/cmd/cmd_audit.c sim/cmd/report_audit.c sim/cmd/report_audit.h sim/cmd/report_audit_host.c sim/cmd/report_audit_json.c
slackline_SOURCES += sim/cmd/cmd_export.c sim/cmd/export_record.c sim/cmd/export_record.h

# Completion, which asks the program itself; its files have the names that the shells look for.
EXTRA_DIST += sim/cmd/completion.bash sim/cmd/completion.zsh
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
install-data-local: install-completion
install-completion:
	$(MKDIR_P) '$(DESTDIR)$(bashcompletiondir)' '$(DESTDIR)$(zshcompletiondir)'
	for name in slackline slackline-calibrate; do \
	  $(INSTALL_DATA) '$(srcdir)/sim/cmd/completion.bash' "$(DESTDIR)$(bashcompletiondir)/$$name" || exit 1; \
	done
	$(INSTALL_DATA) '$(srcdir)/sim/cmd/completion.zsh' '$(DESTDIR)$(zshcompletiondir)/_slackline'
uninstall-local: uninstall-completion
uninstall-completion:
	rm -f '$(DESTDIR)$(bashcompletiondir)/slackline' '$(DESTDIR)$(bashcompletiondir)/slackline-calibrate' \
	  '$(DESTDIR)$(zshcompletiondir)/_slackline'
.PHONY: install-completion uninstall-completion
slackline_SOURCES += sim/cmd/cmd_feasibility.c
