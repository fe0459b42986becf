# Files of models/templates/.
libslackline_la_SOURCES += models/templates/templates.c models/templates/templates.h \
  models/templates/templates.def models/templates/template_llm_train.c models/templates/llm_shape.c \
  models/templates/llm_shape.h models/templates/scenario_tables.c models/templates/scenario_tables.h \
  models/templates/llm_train_yaml.c models/templates/llm_train_yaml.h
