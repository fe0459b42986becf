#!/bin/sh
# The tree's own rules, from its sources: #include lines follow the folder arrows one way, names of
# .c and .h files are unique tree-wide, and each header compiles alone.
set -u
src=${SL_SRCDIR:-$(dirname "$0")/../..}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$src" || exit 1

# A folder and all the folders that it may include from, itself aside.
cat >"$tmp/map" <<'MAP'
sim
sim/base sim
models sim/base
sim/graph models sim/base
sim/engine sim/graph models sim/base
sim/policy sim/engine sim/graph models sim/base
sim/measure sim/engine sim/graph models sim/base
sim/stats sim/base
sim/run sim/policy sim/measure sim/stats sim/engine sim/graph models sim/base
sim/io sim/run sim/policy sim/measure sim/stats sim/engine sim/graph models sim/base
plots sim/io sim/run sim/policy sim/measure sim/stats sim/engine sim/graph models sim/base
sim/decide sim/io sim/run sim/policy sim/measure sim/stats sim/engine sim/graph models sim/base
sim/embed sim sim/io sim/run sim/policy sim/measure sim/stats sim/engine sim/graph models sim/base
sim/cmd sim/decide plots sim/io sim/run sim/policy sim/measure sim/stats sim/engine sim/graph models sim/base
calibrate sim/cmd sim/decide plots sim/io sim/run sim/policy sim/measure sim/stats sim/engine sim/graph models sim/base
MAP

# A tarball has no history: there, every source counts.
if git ls-files --error-unmatch configure.ac >"$tmp/git" 2>&1; then
    git ls-files '*.c' '*.h' '*.def'
else
    find sim models plots calibrate tests -name '*.[ch]' -o -name '*.def'
fi | sort >"$tmp/files"

n=0 failed=0
# report NAME FILE: passes when FILE, the list of faults, is empty.
report() {
    n=$((n + 1))
    if [ -s "$2" ]; then
        failed=1
        echo "not ok $n - $1"
        sed 's/^/# /' "$2"
    else
        echo "ok $n - $1"
    fi
}

echo 1..4

[ "$(wc -l <"$tmp/files")" -ge 20 ] || echo "only $(wc -l <"$tmp/files") sources found" >"$tmp/few"
report "the sources are found" "$tmp/few"

# Includes of headers that the tree does not hold (config.h, fixtures) are no arrows.
cat >"$tmp/arrows.awk" <<'AWK'
function folder(path) {
    if (path ~ /^sim\/[^\/]*\//) return substr(path, 1, index(substr(path, 5), "/") + 3)
    return substr(path, 1, index(path, "/") - 1)
}
FILENAME == map { known[$1] = 1; for (i = 1; i <= NF; i++) may[$1, $i] = 1; next }
FILENAME == files {
    name = $0; sub(/.*\//, "", name); home[name] = folder($0)
    if (folder($0) != "tests") ARGV[ARGC++] = $0
    next
}
FNR == 1 && !(folder(FILENAME) in known) { print FILENAME ": folder '" folder(FILENAME) "' has no row in the map" }
/^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0; sub(/^[^"]*"/, "", name); sub(/".*/, "", name); sub(/.*\//, "", name)
    if (name in home && !((folder(FILENAME), home[name]) in may))
        print FILENAME ":" FNR ": " folder(FILENAME) " may not include " home[name] "'s " name
}
AWK
awk -v map="$tmp/map" -v files="$tmp/files" -f "$tmp/arrows.awk" "$tmp/map" "$tmp/files" >"$tmp/arrows"
report "folder arrows run one way" "$tmp/arrows"

grep '\.[ch]$' "$tmp/files" | sed 's|.*/||' | sort | uniq -d |
    while read -r name; do grep "/$name\$" "$tmp/files"; done >"$tmp/twice"
report "file names are unique tree-wide" "$tmp/twice"

paths=$(sed -n 's|/[^/]*\.h$||p' "$tmp/files" | sort -u | sed 's/^/-iquote /')
libraries=$(pkg-config --cflags gsl yaml-0.1 yajl libmd check 2>"$tmp/pkg" || :)
: >"$tmp/alone"
grep '\.h$' "$tmp/files" | while read -r header; do
    # Headers of tests need Check, which is optional.
    case $header in tests/*) continue ;; esac
    # shellcheck disable=SC2086 # flags are words
    ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $paths $libraries \
        -x c "$header" >"$tmp/out" 2>&1 && continue
    # The CUDA toolkit is optional, too.
    grep -q 'fatal error: cuda\.h:' "$tmp/out" || { echo "$header:"; head -n 6 "$tmp/out"; } >>"$tmp/alone"
done
report "each header compiles alone" "$tmp/alone"
exit $failed
