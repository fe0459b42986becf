#!/bin/sh
# Runs the gallery of counterexamples and prints one table: what is tempting, what it costs, what is better.
# Exits 1 when an exhibit no longer shows its point.  README.md says what the columns of gallery.csv mean.
#
# usage: gallery.sh [--tsv] [EXHIBIT...]
#   --tsv   a line per row of gallery.csv instead of the table, separated by tabs, at full precision: exhibit,
#           figure, tempting policy, its value, lo, hi, better policy, its value, lo, hi, ratio, stated factor,
#           and `yes` where the row shows its point, else the reason
# Needs the slackline binary alone: $SLACKLINE, or the one in PATH, or the one in build/.
set -uf
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd) || exit 4
if [ -z "${SLACKLINE:-}" ]; then
    SLACKLINE=$(command -v slackline) || SLACKLINE=$here/../../build/slackline
fi
[ -x "$SLACKLINE" ] || {
    echo "gallery.sh: no slackline binary: set SLACKLINE" >&2
    exit 2
}
work=$(mktemp -d "${TMPDIR:-/tmp}/sl-gallery-XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
tsv=
[ "${1:-}" = --tsv ] && tsv=yes && shift
tab=$(printf '\t')

# Fields of a CSV line into f[1..n]; "" inside quotes is a quote.
csv='function fields(line, f,    n, c, i, quoted) {
    n = 1; f[1] = ""; quoted = 0
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"" && quoted && substr(line, i + 1, 1) == "\"") { f[n] = f[n] c; i++ }
        else if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) f[++n] = ""
        else f[n] = f[n] c
    }
    return n
}'

# rows EXHIBIT...: gallery.csv (without comments and header) separated by tabs, `-` for an empty field.
rows()
{
    awk -v only=" $* " "$csv"'
        /^#/ { next }
        !seen++ { next }
        { n = fields($0, f)
          if (only != "  " && !index(only, " " f[1] " ")) next
          for (i = 1; i <= n; i++) printf "%s%s", f[i] == "" ? "-" : f[i], i < n ? "\t" : "\n" }' \
        "$here/gallery.csv"
}

# codes SCENARIO: what check prints, sorted, in one line.
codes()
{
    "$SLACKLINE" check "$1" 2>&1 >/dev/null |
        grep -E ': (error|warning): ' | sed 's/.*\[\([a-z-]*\)]$/\1/' | sort -u | paste -s -d ' ' -
}

# simulate SCENARIO POLICY SETTINGS FOLDER: the results folder; fails where there is none.
simulate()
{
    options=
    [ "$2" = - ] || options="--policy $2"
    [ "$3" = - ] || for setting in $3; do options="$options --set $setting"; done
    # shellcheck disable=SC2086
    "$SLACKLINE" run "$1" $options -o "$4" >/dev/null 2>"$work/said"
    [ -s "$4/summary.csv" ] || {
        sed "s|^|gallery.sh: |" "$work/said" >&2
        return 1
    }
}

# field FOLDER COLUMN: value, lo and hi of a summary, lo and hi being the value where it has no interval.
field()
{
    awk -v column="$2" "$csv"'
        { n = fields($0, f) }
        NR == 1 { for (i = 1; i <= n; i++) at[f[i]] = i
                  stem = column; sub(/_us$/, "", stem); lo = stem "_lo_us"; hi = stem "_hi_us"; next }
        { v = column in at ? f[at[column]] : ""
          if (v == "") v = "-"
          print v "\t" (lo in at ? f[at[lo]] : v) "\t" (hi in at ? f[at[hi]] : v); exit }' "$1/summary.csv"
}

# label SCENARIO POLICY SETTINGS
label()
{
    case $1:$2 in
    .:*) said=$2 ;;
    *:-) said=$1/ ;;
    *) said="$1/ $2" ;;
    esac
    [ "$3" = - ] && echo "$said" || echo "$said ($3)"
}

# judge FIGURE TEMPTING BETTER FACTOR VERDICT: ratio, factor and whether the row shows its point.  TEMPTING and
# BETTER are "value lo hi".
judge()
{
    awk -v figure="$1" -v a="$2" -v b="$3" -v factor="$4" -v verdict="$5" 'BEGIN {
        split(a, t, "\t"); split(b, g, "\t"); ratio = "-"; shows = "yes"
        f = factor; below = sub(/^</, "", f); same = sub(/^~/, "", f)
        if (verdict !~ /^ok/) shows = "the better policy is " verdict
        else if (figure == "codes") { if (t[1] == "-") shows = "check finds no error" }
        else if (figure == "verdict") { if (t[1] ~ /^ok/) shows = "the tempting policy is ok" }
        else if (t[1] == "-" || g[1] == "-") shows = "no such figure"
        else {
            ratio = g[1] + 0 == 0 ? 1e9 : t[1] / g[1]
            if (same) { if (ratio > f || ratio * f < 1) shows = "they differ" }
            else if (below ? t[3] + 0 >= g[2] + 0 : t[2] + 0 <= g[3] + 0) shows = "the intervals overlap"
            else if (below ? ratio > f : ratio < f) shows = "not " factor
        }
        print ratio "\t" factor "\t" shows }'
}

# One row of gallery.csv, as one line for --tsv.
show()
{
    bad=$here/$1/$3 good=$here/$1/$6
    rm -rf "$work/bad" "$work/good"
    simulate "$good" "$7" "$8" "$work/good" || return 1
    verdict=$(field "$work/good" verdict)
    case $9 in
    codes)
        tempting=- other=$(field "$work/good" p99_us)
        "$SLACKLINE" check "$bad" >/dev/null 2>&1 || tempting=$(codes "$bad")
        tempting=$tempting$tab-$tab-
        ;;
    *)
        simulate "$bad" "$4" "$5" "$work/bad" || return 1
        tempting=$(field "$work/bad" "$9") other=$(field "$work/good" "$9")
        [ "$9" = verdict ] && other=$(field "$work/good" p99_us)
        ;;
    esac
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$9" "$(label "$3" "$4" "$5")" "$tempting" \
        "$(label "$6" "$7" "$8")" "$other" "$(judge "$9" "$tempting" "$other" "${10}" "$verdict")"
}

# The table of the lines of --tsv.
table()
{
    awk -F '\t' '
        function quantity(v, figure) {
            if (v == "-" || v == "inf") return v
            if (figure ~ /_us$/ && v < 1e3) return sprintf("%.4g us", v)
            if (figure ~ /_us$/ && v < 1e6) return sprintf("%.4g ms", v / 1e3)
            if (figure ~ /_us$/) return sprintf("%.4g s", v / 1e6)
            if (figure ~ /_byte_s$/) return sprintf("%.3g GiB s", v / 2^30)
            if (figure ~ /_bytes$/) return sprintf("%.3g GiB", v / 2^30)
            return sprintf("%.3g", v) }
        # Of a setting only the key, once: `servers=2` for resources.compute.servers=2 resources.nic.servers=2.
        function brief(label,    at, n, i, w, said, text) {
            if (!(at = index(label, " ("))) return label
            n = split(substr(label, at + 2, length(label) - at - 2), w, " ")
            for (i = 1; i <= n; i++) {
                sub(/^[^=]*\./, "", w[i])
                if (w[i] != said) text = text (i > 1 ? " " : "") w[i]
                said = w[i] }
            return substr(label, 1, at) "(" text ")" }
        function cell(v, lo, hi, figure) {
            if (figure == "codes" || figure == "verdict") return v
            return quantity(v, figure) (lo == hi ? "" : " [" quantity(lo, figure) ", " quantity(hi, figure) "]") }
        function put(c, text) { rows[r, c] = text; if (length(text) > width[c]) width[c] = length(text) }
        BEGIN { r = 0; n = split("exhibit|figure|tempting policy|its figure|better policy|its figure|factor", h, "|")
                for (c = 1; c <= n; c++) put(c, h[c]) }
        { r++; name = $2; sub(/_(us|bytes|byte_s)$/, "", name)
          other = $2 == "codes" || $2 == "verdict" ? "p99_us" : $2
          put(1, $1); put(2, name); put(3, brief($3)); put(4, cell($4, $5, $6, $2)); put(5, brief($7))
          put(6, (other == $2 ? "" : "ok, p99 ") cell($8, $9, $10, other))
          put(7, ($11 == "-" ? $11 : sprintf("%.3g", $11)) ($12 ~ /^</ ? " tempts" : $12 ~ /^~/ ? " no gain" : "") \
                 ($13 == "yes" ? "" : "  DOES NOT SHOW: " $13)) }
        END { for (i = 0; i <= r; i++) {
                  line = ""
                  for (c = 1; c <= n; c++) line = line sprintf("%-*s", c < n ? width[c] + 2 : 0, rows[i, c])
                  print line } }' "$1"
}

rows "$@" >"$work/rows"
[ -s "$work/rows" ] || {
    echo "gallery.sh: no such exhibit" >&2
    exit 2
}
rc=0
while IFS=$tab read -r folder item bad policy settings good other others figure factor; do
    show "$folder" "$item" "$bad" "$policy" "$settings" "$good" "$other" "$others" "$figure" "$factor" || rc=1
done <"$work/rows" >"$work/shown"
if [ -n "$tsv" ]; then cat "$work/shown"; else table "$work/shown"; fi
awk -F '\t' '$13 != "yes" { bad = 1 } END { exit bad }' "$work/shown" || rc=1
exit $rc
