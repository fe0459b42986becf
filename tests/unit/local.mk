# Unit tests: one program per module, TAP on stdout through Check.
TEST_LIBS = libslackline.la $(CHECK_LIBS) $(GSL_LIBS)
TEST_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS) -I$(top_srcdir)/tests/support
EXTRA_DIST += tests/support/harness.h
