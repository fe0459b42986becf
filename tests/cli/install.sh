#!/bin/sh
# `make install` puts everything in place that there is - every scenario, device, script, page and
# completion of the tree, whatever will be added - and `make uninstall` takes all of it away.
. "$SL_SRCDIR/tests/support/tap.sh"
skip_sanitized "what is installed does not depend on sanitizers"
root=$work/root

# in_build TARGET: make, as of a user's shell.
in_build()
{
    MAKEFLAGS= MFLAGS= make -s -C "$SL_BUILDDIR" DESTDIR="$root" "$1" >"$work/make" 2>&1
}
check "make install" in_build install
program=$(find "$root" -path '*/bin/slackline')
prefix=${program%/bin/slackline}
data=$prefix/share/slackline

# Paths below the tree and below the installed data must be the same.
(cd "$SL_SRCDIR" && find scenarios models/devices plots -type f ! -name '*.[ch]' ! -name local.mk \
    ! -name '.*' ! -name '*.o' ! -name '*.lo') | sort >"$work/tree"
(cd "$data" && find . -type f | sed 's|^\./||') | sort >"$work/data"
check "scenarios, devices and scripts are all installed" diff "$work/tree" "$work/data"
(cd "$SL_SRCDIR" && find doc -name '*.md' -o -name '*.png') | sort >"$work/tree"
(cd "$prefix/share/doc/slackline" && find doc -type f) | sort >"$work/pages"
check "... and all pages of doc/" diff "$work/tree" "$work/pages"
(cd "$SL_SRCDIR/man" && find . -name '*.[15]' | sed 's|^\./||') | sort >"$work/tree"
find "$prefix/share/man" -type f | sed 's|.*/||' | sort >"$work/pages"
check "... and all manual pages" diff "$work/tree" "$work/pages"
commands=$("$program" --help | sed -n 's/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p')
for command in $commands; do
    check "$command has its manual page" test -s "$prefix/share/man/man1/slackline-$command.1"
done

readelf -d "$program" "$prefix/bin/slackline-calibrate" "$prefix"/lib/libslackline.so >"$work/elf"
check "nothing looks for libraries in the build folder" test "$(grep -cE 'R(UN)?PATH' "$work/elf")" -eq 0
check "the library has its version" grep -q 'SONAME.*\[libslackline\.so\.0\]' "$work/elf"
SLACKLINE=$program
export SLACKLINE_DATA="$data"
exits 0 "the installed program runs" run "$data/scenarios/hello" --policy recompute --trials 50

# completed PROGRAM WORD...: what bash offers for the last word, one a line, without "="; in_zsh: zsh.
completed()
{
    # shellcheck disable=SC2016 # expanded by the other shell
    bash --norc -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _slackline
        printf "%s\n" "${COMPREPLY[@]}"' bash "$prefix/share/bash-completion/completions/slackline" "$@" |
        sed 's/=$//; /^$/d' | sort
}
in_zsh()
{
    # shellcheck disable=SC2016 # expanded by the other shell
    zsh -f -c 'file=$1; shift; words=("$@") CURRENT=$# PREFIX=${words[$#]}
        _call_program() { shift; "$@" }
        _describe() { print -l -- ${${(P)2}%%:*} }
        _files() { : }
        complete_it() { source $file }
        complete_it' zsh "$prefix/share/zsh/site-functions/_slackline" "$@" | sed 's/=$//; /^$/d' | sort
}

# offers ASK: commands and options, against the words of the help's text.
offers()
{
    "$1" "$program" "" >"$work/offered"
    printf '%s\n' $commands | sort >"$work/wanted"
    check "$2 offers every command" diff "$work/wanted" "$work/offered"
    "$1" "$program" --v >"$work/offered"
    check "$2 offers --version" grep -qx -- --version "$work/offered"
    for command in $commands; do
        "$program" "$command" --help | grep -o '^  .*' | grep -o -- '--[a-z][a-z-]*' | sort -u >"$work/wanted"
        "$1" "$program" "$command" -- >"$work/offered"
        check "$2 offers the options of $command" diff "$work/wanted" "$work/offered"
    done
    "$1" "$program" list dist >"$work/offered"
    check "$2 offers registries to list" grep -qx distributions "$work/offered"
    "$1" "$prefix/bin/slackline-calibrate" verify -- >"$work/offered"
    check "$2 knows slackline-calibrate" grep -q -- '^--' "$work/offered"
}
if command -v bash >/dev/null 2>&1; then
    offers completed bash
    check "bash: slackline-calibrate is completed, too" cmp \
        "$prefix/share/bash-completion/completions/slackline" \
        "$prefix/share/bash-completion/completions/slackline-calibrate"
else
    skip "bash completion" "bash is not installed"
fi
if command -v zsh >/dev/null 2>&1; then
    offers in_zsh zsh
else
    skip "zsh completion" "zsh is not installed"
fi

check "make uninstall" in_build uninstall
find "$root" -type f -o -type l >"$work/left"
check "... leaves nothing" test ! -s "$work/left"
finish
