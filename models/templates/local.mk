# Files of models/templates/.
libslackline_la_SOURCES += models/templates/templates.c models/templates/templates.h \
  models/templates/templates.def models/templates/template_parts.c models/templates/template_parts.h \
  models/templates/template_config.c models/templates/template_config.h \
  models/templates/scenario_tables.c models/templates/scenario_tables.h models/templates/llm_shape.c \
  models/templates/llm_shape.h models/templates/template_llm_train.c models/templates/llm_train_yaml.c \
  models/templates/llm_train_yaml.h models/templates/template_llm_decode.c \
  models/templates/template_moe.c models/templates/template_weight_stream.c \
  models/templates/template_chain.c models/templates/stream_yaml.c models/templates/stream_yaml.h
