# Files of sim/cmd/.
slackline_SOURCES += sim/cmd/main.c sim/cmd/options.c sim/cmd/command.h sim/cmd/cmd_check.c \
  sim/cmd/cmd_list.c sim/cmd/cmd_generate.c
# While modules land one by one the program links without them; what is missing fails when called.
slackline_LDFLAGS = -Wl,--unresolved-symbols=ignore-all
