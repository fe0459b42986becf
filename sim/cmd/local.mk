# Files of sim/cmd/.
slackline_SOURCES += sim/cmd/main.c
