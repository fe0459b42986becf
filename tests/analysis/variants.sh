#!/bin/sh
# `make check-variants`: for each set of optional libraries the tarball is unpacked, configured beside its
# read-only sources, built, installed, run from where it is installed, removed and cleaned again, by `make
# distcheck` with few tests.  Prints a line for each, and what the tarball lacks of the sources in git.
set -u
top=${SL_SRCDIR:?}
: "${VARIANTS:=all no-mpi mpi no-cuda no-check}"
# Of the suite: what depends on a library, on being installed, or on the tarball being whole.
scripts="tests/cli/commands.sh tests/cli/embed.sh tests/cli/install.sh tests/cli/ranks.sh tests/cli/faults_ranks.sh \
tests/cli/cuda.sh tests/cli/check_arrows.sh tests/cli/help_vs_man.sh tests/cli/list_vs_man.sh"
unit=tests/unit/test_csvtab
rc=0

# said FILE WORD: what configure's table says of a feature.
said()
{
    sed -n "s/^  $2  *\([a-z]*\) .*/\1/p" "$1" | tail -1
}

# distcheck NAME FLAGS PROGRAMS
distcheck()
{
    log=variant-$1.log
    begin=$(date +%s)
    # What is tested is packaging: without optimization it compiles in a third of the time.
    if make distcheck DISTCHECK_CONFIGURE_FLAGS="CFLAGS='-O0 -g0' $2" check_PROGRAMS="$3" \
        TESTS="$3 $scripts" >"$log" 2>&1; then
        took=$(($(date +%s) - begin))
        echo "ok - $1 ($2): MPI $(said "$log" MPI), cuda $(said "$log" cuda), tests $(said "$log" tests);" \
            "$(awk '/^# (PASS|SKIP):/ {n[$2] += $3} END {print n["PASS:"] + 0, "passed,", n["SKIP:"] + 0, "skipped"}' "$log");" \
            "$took s"
        rm -f "$log"
    else
        echo "not ok - $1 ($2), see $log"
        tail -15 "$log" | sed 's/^/# /'
        rc=1
    fi
}

# A pkg-config that does not know the module $1.
without_module()
{
    cat >variant-pkg-config <<EOF
#!/bin/sh
case " \$* " in *" $1 "*) exit 1 ;; esac
exec pkg-config "\$@"
EOF
    chmod +x variant-pkg-config
    echo "PKG_CONFIG=$(pwd)/variant-pkg-config"
}

variant()
{
    case $1 in
    all) distcheck all "" "$unit" ;;
    no-mpi) distcheck no-mpi --without-mpi "$unit" ;;
    mpi)
        if command -v mpicc >/dev/null 2>&1; then
            distcheck mpi --with-mpi "$unit"
        else
            echo "ok - mpi # SKIP mpicc is not installed (Debian packages libopenmpi-dev, openmpi-bin)"
        fi
        ;;
    no-cuda) distcheck no-cuda --without-cuda "$unit" ;;
    no-check) distcheck no-check "$(without_module check)" "" ;;
    *) echo "not ok - no variant is called '$1'"; rc=1 ;;
    esac
}

# Files of the repository that the tarball lacks, and files of the tarball that only tools make but git
# has.  .ci, .gitignore and debian/ are for those who have the repository.
compare_with_git()
{
    if ! git -C "$top" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        echo "ok - the tarball against git # SKIP $top is no git repository"
        return
    fi
    make -s dist >variant-dist.log 2>&1 || { cat variant-dist.log; rc=1; return; }
    tar -tf "$(find . -maxdepth 1 -name 'slackline-*.tar.xz')" | sed 's|^[^/]*/||; /\/$/d; /^$/d' | sort >variant-tarball
    git -C "$top" ls-files | grep -v -e '^\.ci/' -e '^\.gitignore$' -e '^debian/' | sort >variant-git
    if comm -23 variant-git variant-tarball | grep . >variant-missing; then
        echo "not ok - the tarball lacks files of the repository"
        sed 's/^/# /' variant-missing
        rc=1
    else
        echo "ok - the tarball has all $(grep -c . variant-git) files of the repository"
    fi
    if comm -13 variant-git variant-tarball | grep -v -e '^build-aux/' -e '^m4/l' -e '^Makefile.in$' \
        -e '^configure$' -e '^aclocal.m4$' -e '^config.h.in$' >variant-missing; then
        echo "not ok - the tarball has files that nobody knows"
        sed 's/^/# /' variant-missing
        rc=1
    else
        echo "ok - ... and besides them only what autoreconf makes"
    fi
    rm -f variant-tarball variant-git variant-missing variant-dist.log
}

compare_with_git
for name in $VARIANTS; do
    variant "$name"
done
rm -f variant-pkg-config
exit $rc
