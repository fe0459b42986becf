# Files of sim/decide/.
libslackline_la_SOURCES += sim/decide/record.c sim/decide/record.h sim/decide/record_fields.c \
  sim/decide/record_history.c sim/decide/record_history.h sim/decide/record_json.c sim/decide/record_read.c \
  sim/decide/record_shape.h sim/decide/record_write.c
