# Files of models/.
libslackline_la_SOURCES += \
  models/arrival_law.h models/arrivals.c models/arrivals.def models/arrivals.h models/arrivals_fixed.c \
  models/arrivals_mmpp.c models/arrivals_poisson.c models/arrivals_trace.c \
  models/trace_azure.c models/trace_csv.c models/trace_format.h models/trace_formats.def \
  models/trace_mooncake.c models/trace_reader.c \
  models/dist.c models/dist.h models/dist_args.c models/dist_family.h models/dist_parse.c \
  models/expr.c models/expr.h models/expr_ops.h models/expr_parse.c \
  models/distributions.def models/dist_const.c models/dist_empirical.c models/dist_exponential.c \
  models/dist_gamma.c models/dist_lognormal.c models/dist_mixture.c models/dist_normal.c \
  models/dist_pert.c models/dist_shift.c models/dist_sum.c models/dist_triangular.c models/dist_uniform.c \
  models/dist_weibull.c models/qtable.c models/qtable.h
libslackline_la_SOURCES += \
  models/kappa.c models/kappa.h models/kappa_additive.c models/kappa_bandwidth.c \
  models/kappa_crowd.c models/kappa_crowd.h \
  models/kappa_max.c models/kappa_product.c models/kappa_rules.def models/kappa_table.c
libslackline_la_SOURCES += \
  models/known.c models/known.h models/platform.c models/platform.h models/device.c models/device.h models/durations_csv.c \
  models/factor.c models/factor.h \
  models/fields.c models/fields.h models/kappa_section.c models/batching.c models/batching.h models/route_time.c models/table_head.c models/table_head.h models/way.c models/way.h models/work.c
# Device folders of published figures; the measured one has its own local.mk.
DEVICES = models/devices/h100-sxm5 models/devices/a100-sxm4 models/devices/gh200
nobase_dist_pkgdata_DATA += $(DEVICES:=/device.yaml) $(DEVICES:=/durations.csv) $(DEVICES:=/kappa.csv)
