# What reads or watches the program instead of testing it; doc/analysis.md says which tool, on what, and
# what is excepted.  A tool that is not installed is named, and skipped.
EXTRA_DIST += tests/analysis/lint.sh tests/analysis/valgrind.sh tests/analysis/threads.sh tests/analysis/coverage.sh \
  tests/analysis/variants.sh tests/analysis/counts.sh .clang-tidy

# Of all sources, or of those of LINT_FILES; with LINT_DEEP=1 by clang's analyzer, too, which takes hours.
LINT_FILES =
lint:
	@LINT_FLAGS='$(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS)' LINT_FILES='$(LINT_FILES)' \
	  $(SHELL) $(top_srcdir)/tests/analysis/lint.sh $(top_srcdir)

# Unit tests under valgrind, one process each; the last takes ten minutes.
VALGRIND_TESTS = tests/unit/test_csvtab tests/unit/test_yamldoc tests/unit/test_expr \
  tests/unit/test_scenario tests/unit/test_kineto tests/unit/test_nsys \
  tests/unit/test_record tests/unit/test_reply tests/unit/test_policy tests/unit/test_engine \
  tests/unit/test_batch tests/unit/test_plain tests/unit/test_jobs tests/unit/test_cell tests/unit/test_sweep \
  tests/unit/test_dist
check-valgrind: $(VALGRIND_TESTS)
	@$(AM_TESTS_ENVIRONMENT) LIBTOOL='$(LIBTOOL)' \
	  $(SHELL) $(top_srcdir)/tests/analysis/valgrind.sh $(VALGRIND_TESTS)

# Tests that use threads, in a build of their own under ThreadSanitizer.
THREAD_TESTS = tests/unit/test_pool tests/unit/test_trials tests/unit/test_sweep tests/unit/test_ranks \
  tests/unit/test_until tests/unit/test_race tests/unit/test_search tests/unit/test_sensitivity
check-threads:
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/analysis/threads.sh threads $(THREAD_TESTS)

# All tests in a build of their own that counts branches, or COVERAGE_TESTS on top of what has been counted.
COVERAGE_BUILD = coverage
COVERAGE_TESTS =
coverage:
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/analysis/coverage.sh $(COVERAGE_BUILD) $(COVERAGE_TESTS)
# The tarball with and without each optional library, or VARIANTS of them.
VARIANTS =
check-variants:
	+@$(AM_TESTS_ENVIRONMENT) VARIANTS='$(VARIANTS)' $(SHELL) $(top_srcdir)/tests/analysis/variants.sh
CLEANFILES += variant-*
.PHONY: lint check-valgrind check-threads coverage check-variants
