# Files of scenarios/counterexamples/.
gallery = scenarios/counterexamples
nobase_dist_pkgdata_SCRIPTS += $(gallery)/gallery.sh
nobase_dist_pkgdata_DATA += $(gallery)/README.md $(gallery)/gallery.csv

nobase_dist_pkgdata_DATA += $(gallery)/prefetch-as-early-as-possible/README.md \
  $(gallery)/prefetch-as-early-as-possible/scenario.yaml $(gallery)/prefetch-as-early-as-possible/nodes.csv \
  $(gallery)/prefetch-as-early-as-possible/edges.csv $(gallery)/prefetch-as-early-as-possible/objects.csv \
  $(gallery)/prefetch-as-early-as-possible/kappa.csv

# One table of all exhibits.
gallery: slackline
	@SLACKLINE='$(abs_top_builddir)/slackline' $(SHELL) '$(srcdir)/scenarios/counterexamples/gallery.sh'
.PHONY: gallery
