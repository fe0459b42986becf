#!/bin/sh
# sweep without objective.order: the Pareto set, and no winner.
. "$SL_SRCDIR/tests/support/tap.sh"
mkdir "$work/open"
cp "$SL_SRCDIR"/scenarios/hello/*.csv "$work/open"
# Room for all at 16GiB, and policies that act all the same: peaks differ there.
sed -e 's/, order: \[tail, median\]//' -e 's/hbm.capacity: \[4.25GiB,/hbm.capacity: [16GiB,/' \
    -e 's/select: largest/select: all/' "$SL_SRCDIR/scenarios/hello/scenario.yaml" >"$work/open/scenario.yaml"
exits 0 "a sweep" sweep "$work/open" --trials 1000 -o "$work/r"
cp "$work/out" "$work/text"
check "names no winner" sh -c "! grep -q 'wins:\|no winner: it ties' '$work/text'"
prints "objective.order absent: state it to have one winner" "and says why"

# The definition, over summary.csv: hbm is the scarcest domain, staging is summed.
awk -F, '
NR == 1 {for (i = 1; i <= NF; i++) c[$i] = i; next}
{for (k in c) v[NR, k] = $c[k]; rows = NR}
function staging(r) {return v[r, "staging_hbm_byte_s"] + v[r, "staging_pinned_byte_s"]}
function dominates(a, b,   x, y, z) {
    x = v[a, "tail_us"] - v[b, "tail_us"]; y = v[a, "peak_hbm_bytes"] - v[b, "peak_hbm_bytes"]
    z = staging(a) - staging(b)
    return x <= 0 && y <= 0 && z <= 0 && (x < 0 || y < 0 || z < 0)
}
END {
    for (i = 2; i <= rows; i++) {
        if (v[i, "verdict"] != "ok") continue
        in_set = 1
        for (j = 2; j <= rows; j++)
            if (v[j, "verdict"] == "ok" && v[j, "domains.hbm.capacity"] == v[i, "domains.hbm.capacity"])
                in_set = in_set && !dominates(j, i)
        if (in_set) print v[i, "cell"]
    }
}' "$work/r/summary.csv" >"$work/expected"
check "a set is not empty" test -s "$work/expected"
awk '$1 ~ /^[0-9]+$/ && / P / {print $1}' "$work/text" >"$work/marked"
check "the cells marked P are those of the definition" cmp "$work/expected" "$work/marked"
exits 0 "as JSON" sweep "$work/open" --trials 1000 --json
tr -d ' \n' <"$work/out" | grep -o '"pareto_cells":\[[0-9,]*\]' | grep -o '[0-9]*' >"$work/json"
check "names the same cells" cmp "$work/expected" "$work/json"
prints '"scarcest_domain": "hbm"' "and the domain"
exits 0 "with an order" sweep "$SL_SRCDIR/scenarios/hello" --trials 1000
prints "wins:" "there is a winner"
check "and no Pareto set" sh -c "! grep -q Pareto '$work/out'"
exits 0 "with an order, as JSON" sweep "$SL_SRCDIR/scenarios/hello" --trials 1000 --json
check "no Pareto set either" sh -c "! grep -q pareto '$work/out'"
exits 0 "trials too few for a tail" sweep "$work/open" --trials 100
prints "too few trials for a p99, which takes 368" "are told"
finish
