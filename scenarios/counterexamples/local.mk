# Files of scenarios/counterexamples/.
gallery = scenarios/counterexamples
nobase_dist_pkgdata_SCRIPTS += $(gallery)/gallery.sh
nobase_dist_pkgdata_DATA += $(gallery)/README.md $(gallery)/gallery.csv

nobase_dist_pkgdata_DATA += $(gallery)/hidden-dependency/README.md $(gallery)/hidden-dependency/nodes.csv \
  $(gallery)/hidden-dependency/objects.csv $(gallery)/hidden-dependency/fixed/scenario.yaml \
  $(gallery)/hidden-dependency/fixed/edges.csv $(gallery)/hidden-dependency/invalid/scenario.yaml \
  $(gallery)/hidden-dependency/invalid/edges.csv $(gallery)/hidden-dependency/reclaimed/scenario.yaml \
  $(gallery)/hidden-dependency/reclaimed/edges.csv $(gallery)/hidden-dependency/unallocated/scenario.yaml \
  $(gallery)/hidden-dependency/unallocated/edges.csv $(gallery)/hidden-dependency/unmapped/scenario.yaml \
  $(gallery)/hidden-dependency/unmapped/edges.csv

nobase_dist_pkgdata_DATA += $(gallery)/prefetch-as-early-as-possible/README.md \
  $(gallery)/prefetch-as-early-as-possible/scenario.yaml $(gallery)/prefetch-as-early-as-possible/nodes.csv \
  $(gallery)/prefetch-as-early-as-possible/edges.csv $(gallery)/prefetch-as-early-as-possible/objects.csv \
  $(gallery)/prefetch-as-early-as-possible/kappa.csv

nobase_dist_pkgdata_DATA += $(gallery)/assumed-bandwidth-reserve-quantile/README.md \
  $(gallery)/assumed-bandwidth-reserve-quantile/nodes.csv $(gallery)/assumed-bandwidth-reserve-quantile/objects.csv \
  $(gallery)/assumed-bandwidth-reserve-quantile/assumed/scenario.yaml $(gallery)/assumed-bandwidth-reserve-quantile/stated/scenario.yaml

nobase_dist_pkgdata_DATA += $(gallery)/broad-barrier/README.md $(gallery)/broad-barrier/fixed/scenario.yaml \
  $(gallery)/broad-barrier/fixed/nodes.csv $(gallery)/broad-barrier/fixed/edges.csv $(gallery)/broad-barrier/fixed/objects.csv \
  $(gallery)/broad-barrier/fixed-cycle/scenario.yaml $(gallery)/broad-barrier/fixed-cycle/nodes.csv \
  $(gallery)/broad-barrier/fixed-cycle/edges.csv $(gallery)/broad-barrier/fixed-cycle/objects.csv \
  $(gallery)/broad-barrier/tempting/scenario.yaml $(gallery)/broad-barrier/tempting/nodes.csv \
  $(gallery)/broad-barrier/tempting/edges.csv $(gallery)/broad-barrier/tempting/objects.csv \
  $(gallery)/broad-barrier/tempting-cycle/scenario.yaml $(gallery)/broad-barrier/tempting-cycle/nodes.csv \
  $(gallery)/broad-barrier/tempting-cycle/edges.csv $(gallery)/broad-barrier/tempting-cycle/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/evidence-of-one-local-event/README.md $(gallery)/evidence-of-one-local-event/nodes.csv \
  $(gallery)/evidence-of-one-local-event/objects.csv $(gallery)/evidence-of-one-local-event/one-event/scenario.yaml \
  $(gallery)/evidence-of-one-local-event/representative/scenario.yaml

nobase_dist_pkgdata_DATA += $(gallery)/global-barrier-for-convenience/README.md \
  $(gallery)/global-barrier-for-convenience/fixed/scenario.yaml $(gallery)/global-barrier-for-convenience/fixed/nodes.csv \
  $(gallery)/global-barrier-for-convenience/fixed/edges.csv $(gallery)/global-barrier-for-convenience/fixed/objects.csv \
  $(gallery)/global-barrier-for-convenience/tempting/scenario.yaml $(gallery)/global-barrier-for-convenience/tempting/nodes.csv \
  $(gallery)/global-barrier-for-convenience/tempting/edges.csv $(gallery)/global-barrier-for-convenience/tempting/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/held-capacity-deadlock/README.md $(gallery)/held-capacity-deadlock/fixed/scenario.yaml \
  $(gallery)/held-capacity-deadlock/fixed/nodes.csv $(gallery)/held-capacity-deadlock/fixed/edges.csv \
  $(gallery)/held-capacity-deadlock/fixed/objects.csv $(gallery)/held-capacity-deadlock/tempting/scenario.yaml \
  $(gallery)/held-capacity-deadlock/tempting/nodes.csv $(gallery)/held-capacity-deadlock/tempting/edges.csv \
  $(gallery)/held-capacity-deadlock/tempting/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/local-gain-as-end-to-end/README.md $(gallery)/local-gain-as-end-to-end/fixed/scenario.yaml \
  $(gallery)/local-gain-as-end-to-end/fixed/nodes.csv $(gallery)/local-gain-as-end-to-end/fixed/edges.csv \
  $(gallery)/local-gain-as-end-to-end/fixed/objects.csv $(gallery)/local-gain-as-end-to-end/tempting/scenario.yaml \
  $(gallery)/local-gain-as-end-to-end/tempting/nodes.csv $(gallery)/local-gain-as-end-to-end/tempting/edges.csv \
  $(gallery)/local-gain-as-end-to-end/tempting/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/median-improves-tail-regresses/README.md $(gallery)/median-improves-tail-regresses/scenario.yaml \
  $(gallery)/median-improves-tail-regresses/nodes.csv $(gallery)/median-improves-tail-regresses/edges.csv \
  $(gallery)/median-improves-tail-regresses/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/policy-mandates-mechanism/README.md $(gallery)/policy-mandates-mechanism/as-run/scenario.yaml \
  $(gallery)/policy-mandates-mechanism/as-run/nodes.csv $(gallery)/policy-mandates-mechanism/as-run/edges.csv \
  $(gallery)/policy-mandates-mechanism/as-run/objects.csv $(gallery)/policy-mandates-mechanism/fixed/scenario.yaml \
  $(gallery)/policy-mandates-mechanism/fixed/nodes.csv $(gallery)/policy-mandates-mechanism/fixed/edges.csv \
  $(gallery)/policy-mandates-mechanism/fixed/objects.csv $(gallery)/policy-mandates-mechanism/mandated/scenario.yaml \
  $(gallery)/policy-mandates-mechanism/mandated/nodes.csv $(gallery)/policy-mandates-mechanism/mandated/edges.csv \
  $(gallery)/policy-mandates-mechanism/mandated/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/reclaim-immediately/README.md $(gallery)/reclaim-immediately/fixed/scenario.yaml \
  $(gallery)/reclaim-immediately/fixed/nodes.csv $(gallery)/reclaim-immediately/fixed/edges.csv \
  $(gallery)/reclaim-immediately/fixed/objects.csv $(gallery)/reclaim-immediately/tempting/scenario.yaml \
  $(gallery)/reclaim-immediately/tempting/nodes.csv $(gallery)/reclaim-immediately/tempting/edges.csv \
  $(gallery)/reclaim-immediately/tempting/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/reclamation-too-early-or-late/README.md \
  $(gallery)/reclamation-too-early-or-late/fixed/scenario.yaml $(gallery)/reclamation-too-early-or-late/fixed/nodes.csv \
  $(gallery)/reclamation-too-early-or-late/fixed/edges.csv $(gallery)/reclamation-too-early-or-late/fixed/objects.csv \
  $(gallery)/reclamation-too-early-or-late/too-early/scenario.yaml $(gallery)/reclamation-too-early-or-late/too-early/nodes.csv \
  $(gallery)/reclamation-too-early-or-late/too-early/edges.csv $(gallery)/reclamation-too-early-or-late/too-early/objects.csv \
  $(gallery)/reclamation-too-early-or-late/too-late/scenario.yaml $(gallery)/reclamation-too-early-or-late/too-late/nodes.csv \
  $(gallery)/reclamation-too-early-or-late/too-late/edges.csv $(gallery)/reclamation-too-early-or-late/too-late/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/speculation-starves-demand/README.md $(gallery)/speculation-starves-demand/scenario.yaml \
  $(gallery)/speculation-starves-demand/nodes.csv $(gallery)/speculation-starves-demand/edges.csv \
  $(gallery)/speculation-starves-demand/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/premature-prefetch/README.md $(gallery)/premature-prefetch/fixed/scenario.yaml \
  $(gallery)/premature-prefetch/fixed/nodes.csv $(gallery)/premature-prefetch/fixed/edges.csv \
  $(gallery)/premature-prefetch/fixed/objects.csv $(gallery)/premature-prefetch/tempting/scenario.yaml \
  $(gallery)/premature-prefetch/tempting/nodes.csv $(gallery)/premature-prefetch/tempting/edges.csv \
  $(gallery)/premature-prefetch/tempting/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/contention-lengthens-critical-path/README.md \
  $(gallery)/contention-lengthens-critical-path/fixed/scenario.yaml \
  $(gallery)/contention-lengthens-critical-path/fixed/nodes.csv \
  $(gallery)/contention-lengthens-critical-path/fixed/edges.csv \
  $(gallery)/contention-lengthens-critical-path/fixed/objects.csv \
  $(gallery)/contention-lengthens-critical-path/tempting/scenario.yaml \
  $(gallery)/contention-lengthens-critical-path/tempting/nodes.csv \
  $(gallery)/contention-lengthens-critical-path/tempting/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/exposed-offload-round-trips/README.md \
  $(gallery)/exposed-offload-round-trips/scenario.yaml $(gallery)/exposed-offload-round-trips/nodes.csv \
  $(gallery)/exposed-offload-round-trips/objects.csv $(gallery)/exposed-offload-round-trips/kappa.csv

nobase_dist_pkgdata_DATA += $(gallery)/rematerialization-delays-consumer/README.md \
  $(gallery)/rematerialization-delays-consumer/scenario.yaml $(gallery)/rematerialization-delays-consumer/nodes.csv \
  $(gallery)/rematerialization-delays-consumer/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/maximize-overlap/README.md $(gallery)/maximize-overlap/scenario.yaml \
  $(gallery)/maximize-overlap/nodes.csv $(gallery)/maximize-overlap/objects.csv $(gallery)/maximize-overlap/kappa.csv

nobase_dist_pkgdata_DATA += $(gallery)/offload-largest-first/README.md $(gallery)/offload-largest-first/scenario.yaml \
  $(gallery)/offload-largest-first/nodes.csv $(gallery)/offload-largest-first/objects.csv \
  $(gallery)/offload-largest-first/kappa.csv

nobase_dist_pkgdata_DATA += $(gallery)/rematerialize-because-cheap-in-isolation/README.md \
  $(gallery)/rematerialize-because-cheap-in-isolation/scenario.yaml \
  $(gallery)/rematerialize-because-cheap-in-isolation/nodes.csv \
  $(gallery)/rematerialize-because-cheap-in-isolation/objects.csv \
  $(gallery)/rematerialize-because-cheap-in-isolation/kappa.csv

# One table of all exhibits.
gallery: slackline
	@SLACKLINE='$(abs_top_builddir)/slackline' $(SHELL) '$(srcdir)/scenarios/counterexamples/gallery.sh'
.PHONY: gallery

nobase_dist_pkgdata_DATA += $(gallery)/requests-admitted-without-memory/README.md \
  $(gallery)/requests-admitted-without-memory/scenario.yaml $(gallery)/requests-admitted-without-memory/nodes.csv \
  $(gallery)/requests-admitted-without-memory/edges.csv $(gallery)/requests-admitted-without-memory/objects.csv

nobase_dist_pkgdata_DATA += $(gallery)/shortest-first-starves-long/README.md \
  $(gallery)/shortest-first-starves-long/scenario.yaml $(gallery)/shortest-first-starves-long/nodes.csv
