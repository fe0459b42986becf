# Sourced by shell tests that start ranks.
# Open MPI's launcher as root, with more ranks than cores, on the loopback interface alone; other
# launchers do not look at these.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_btl=self,vader
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
export OMPI_MCA_oob_tcp_if_include OMPI_MCA_btl

# same A B: the results folders, but for the times in their manifests and the commands that made them.
same()
{
    diff -r -x manifest.json "$1" "$2" &&
        [ "$(grep -vE '"(date|command)"' "$1/manifest.json")" = \
            "$(grep -vE '"(date|command)"' "$2/manifest.json")" ]
}
