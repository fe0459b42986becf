# Files of sim/embed/, the library's own face.  What is exported is what slackline.sym lists; the version
# says how that has changed (current:revision:age of libtool).
include_HEADERS = sim/slackline.h
libslackline_la_SOURCES += sim/embed/embed_parts.h sim/embed/model.c sim/embed/result.c \
  sim/embed/row_table.c
EXTRA_DIST += sim/slackline.sym sim/slackline.pc.in
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = slackline.pc
