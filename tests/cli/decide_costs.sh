#!/bin/sh
# Costs of a record: the figures of a device's tables as they are written there, and, of two decisions
# between which one row of one table was changed, exactly that row, from which value to which, and in
# which file.  The values are read from the tables by awk, or are written here.
. "$SL_SRCDIR/tests/support/tap.sh"
SOURCE_DATE_EPOCH=1796000000
export SOURCE_DATE_EPOCH

mkdir "$work/device" "$work/s"
cat >"$work/device/device.yaml" <<'EOF'
name: planted
resources:
  compute: {servers: 1, group: memory}
  copy: {servers: 1, group: memory}
domains:
  hbm: {capacity: 3GiB, reserve: 0B}
  host: {capacity: 64GiB, reserve: 0B}
routes:
  - {from: hbm, to: host, resource: copy, class: copy, bandwidth: 50GB/s, overhead: 6us, latency: 8us, evidence: "measured: planted"}
  - {from: host, to: hbm, resource: copy, class: copy, bandwidth: 40GB/s, overhead: 7us, evidence: "measured: planted"}
costs:
  - {what: reclamation, duration: 5us, domain: hbm, evidence: "bounded: planted"}
EOF
cat >"$work/device/durations.csv" <<'EOF'
class,size_bytes,dist,evidence
gemm,1073741824,"lognormal(median=20ms, cv=0.05)","measured: one"
gemm,2147483648,"lognormal(median=41ms, cv=0.05)","measured: two"
norm,1073741824,"5ms","published: three"
EOF
cat >"$work/device/kappa.csv" <<'EOF'
victim,set,kappa,ci_lo,ci_hi,source
gemm,copy,1.25,1.2,1.3,"measured: planted"
copy,gemm,1.5,,,"measured: planted"
norm,copy,1.125,,,"assumed: planted"
copy,norm,1.0625,,,"assumed: planted"
EOF
cat >"$work/s/scenario.yaml" <<'EOF'
name: planted
device: ../device
nodes: nodes.csv
edges: edges.csv
objects: objects.csv
factors:
  clock: {draw: "lognormal(mean=1.25, cv=0.01)", per: trial, classes: gemm, evidence: "assumed: planted"}
objective: {metric: makespan, tail: 0.9}
baseline: late
policies:
  - {name: late, action: offload, select: largest, prefetch: {when: demand}}
  - {name: early, action: offload, select: largest, prefetch: {when: lookahead, lookahead: 1}}
trials: 100
seed: 1
EOF
cat >"$work/s/nodes.csv" <<'EOF'
node,kind,class,resource,lane,work,duration,inputs,outputs,evidence
f0,compute,gemm,compute,step,bytes=1GiB,,,a0,
f1,compute,gemm,compute,step,bytes=1GiB,,a0,a1,
f2,compute,norm,compute,step,bytes=1GiB,,a1,a2,
f3,compute,gemm,compute,step,bytes=2GiB,,a2,a3,
b3,compute,gemm,compute,step,bytes=2GiB,,a3,,
b2,compute,,compute,step,,9ms,a2,,bounded: a clock
b1,compute,gemm,compute,step,bytes=1GiB,,a1,,
b0,compute,gemm,compute,step,bytes=1GiB,,a0,,
EOF
printf 'from,to,type,lag,evidence\nf3,b3,ordering,2ms,assumed: planted\n' >"$work/s/edges.csv"
cat >"$work/s/objects.csv" <<'EOF'
object,size,home,placements
a0,1GiB,hbm,hbm;host
a1,1GiB,hbm,hbm;host
a2,1GiB,hbm,hbm;host
a3,1GiB,hbm,hbm;host
EOF

# decide NAME [OPTION...]: the decision on 'early' in $work/NAME.
decide()
{
    name=$1
    shift
    exits 1 "decided: $name" decide "$work/s" -p early --within 1 -o "$work/$name" "$@"
}
# cost RECORD WHAT NAME OF KEY: the value of a row of its costs.
cost()
{
    awk -v what="$2" -v name="$3" -v of="$4" -v key="$5:" '
        function tell() { if (w == what && n == name && o == of) print found }
        /^costs:/ { on = 1; next }
        /^unknowns:/ { if (on) tell(); on = 0 }
        !on { next }
        $1 == "-" { tell(); w = $3; n = o = found = ""; next }
        $1 == "name:" { sub(/^ *name: /, ""); n = $0 }
        $1 == "of:" { sub(/^ *of: /, ""); o = $0 }
        $1 == key { sub(/^ *[a-z_]*: /, ""); found = $0 }
    ' "$work/$1/decision.yaml"
}
# same WHAT FOUND EXPECTED
same() { if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "found '$2', expected '$3'"; fi; }
# near WHAT FOUND EXPECTED: to nine digits.
near()
{
    check "$1 ($2, $3)" awk -v a="$2" -v b="$3" 'BEGIN { exit !(a - b < 1e-9 * b && b - a < 1e-9 * b) }'
}

# ---- the figures of one record -----------------------------------------------------------------
decide first
near "a median of the table" "$(cost first duration gemm bytes=1GiB median_us | tr -d '{}a-z: ')" 20000
near "its mean, median x sqrt(1 + cv^2)" "$(cost first duration gemm bytes=1GiB mean_us)" \
    "$(awk 'BEGIN { printf "%.15g", 20000 * sqrt(1 + 0.05 * 0.05) }')"
near "of another size of the class" "$(cost first duration gemm bytes=2GiB median_us | tr -d '{}a-z: ')" 41000
same "each size counts its own nodes" "$(cost first duration gemm bytes=1GiB uses) $(cost first duration gemm bytes=2GiB uses)" "4 2"
same "and has the evidence of its row" "$(cost first duration gemm bytes=2GiB source | tr -d "'")" "measured: two"
same "in which file" "$(cost first duration gemm bytes=2GiB table)" "../device/durations.csv"
near "a duration that is written out" "$(cost first duration compute b2 mean_us)" 9000
same "is the node's" "$(cost first duration compute b2 table)" nodes.csv
near "the bandwidth of a route" "$(cost first route 'hbm->host' '' bandwidth_bytes_per_s)" 50e9
near "its overhead" "$(cost first route 'hbm->host' '' overhead_us)" 6
near "its latency" "$(cost first route 'hbm->host' '' latency_us)" 8
near "of the other way" "$(cost first route 'host->hbm' '' bandwidth_bytes_per_s)" 40e9
near "an API's" "$(cost first api reclamation hbm mean_us)" 5
near "a lag's" "$(cost first lag ordering 'f3 -> b3' mean_us)" 2000
near "a factor's mean" "$(cost first factor clock '' factor)" 1.25
same "a slowdown with its interval" "$(cost first kappa 'gemm beside copy' '' kappa)" "{value: 1.25, lo: 1.2, hi: 1.3}"
same "a slowdown without one" "$(cost first kappa 'copy beside gemm' '' kappa)" "{value: 1.5}"
check "the page has them" grep -q '^| duration gemm of bytes=1GiB | 20.00 ms, mean 20.0[0-9] ms | 4 |' "$work/first/decision.md"

# ---- one row changed: exactly that row -----------------------------------------------------------
# only WHAT ROW FIGURES FILE: the rows that differ, their figures, and the file, by the JSON.
only()
{
    "$SLACKLINE" decide --compare "$work/first" "$work/$1" --json >"$work/json" 2>"$work/err"
    awk -F'": ' '
        { value = $2; gsub(/[",]/, "", value) }
        /"kind":/ { cost = value == "cost" }
        /"what":/ && cost { if (!seen[value]++) rows = rows (rows ? "; " : "") value }
        /"figure":/ && cost { figures = figures (figures ? " " : "") value }
        /"changed_in":/ && cost { if (!of[value]++) files = files (files ? "; " : "") value }
        END { print rows "|" figures "|" files }' "$work/json" >"$work/found"
    same "$1: exactly that row, and where" "$(cat "$work/found")" "$2|$3|$4"
}
# plant NAME FILE SED: a copy of a file is changed, decided on, and put back.
plant()
{
    cp "$work/$2" "$work/kept"
    sed "$3" "$work/kept" >"$work/$2"
    check "$1: planted" test "$(diff "$work/kept" "$work/$2" | grep -c '^>')" = 1
    decide "$1"
    cp "$work/kept" "$work/$2"
}
plant same-size device/durations.csv 's/median=41ms/median=44ms/'
only same-size "duration gemm of bytes=2GiB" "median_us mean_us law" "../device/durations.csv"
near "from the value before" "$(awk '/"figure": "median_us"/ { on = 1 } on && /"value":/ { print $2 + 0; exit }' "$work/json")" 41000
near "to the value after" "$(awk '/"figure": "median_us"/ { on = 1 } on && /"after":/ { in_after = 1 }
    on && in_after && /"value":/ { print $2 + 0; exit }' "$work/json")" 44000
"$SLACKLINE" decide --compare "$work/first" "$work/same-size" >"$work/out"
check "for people" grep -q '^duration gemm of bytes=2GiB  *median_us  *41.00 ms  *44.00 ms  *../device/durations.csv$' "$work/out"
plant wider device/durations.csv 's/median=41ms, cv=0.05/median=41ms, cv=0.06/'
only wider "duration gemm of bytes=2GiB" "mean_us law" "../device/durations.csv"
plant slowdown device/kappa.csv 's/^copy,gemm,1.5/copy,gemm,1.75/'
only slowdown "kappa copy beside gemm" kappa ../device/kappa.csv
plant interval device/kappa.csv 's/1.25,1.2,1.3/1.25,1.2,1.4/'
only interval "kappa gemm beside copy" kappa ../device/kappa.csv
plant route device/device.yaml 's/40GB/32GB/'
only route "route host->hbm" bandwidth_bytes_per_s ../device/device.yaml
plant api device/device.yaml 's/duration: 5us/duration: 6us/'
only api "api reclamation of hbm" "median_us mean_us law" ../device/device.yaml
plant evidence device/durations.csv 's/measured: two/assumed: two/'
only evidence "duration gemm of bytes=2GiB" "evidence source" ../device/durations.csv
plant node s/nodes.csv 's/9ms/9.5ms/'
only node "duration compute of b2" "median_us mean_us law" nodes.csv
plant lag s/edges.csv 's/2ms/3ms/'
only lag "lag ordering of f3 -> b3" mean_us edges.csv
decide set --set 'factors.clock.draw=lognormal(mean=1.26, cv=0.01)'
only set "factor clock" "factor law" "the settings (--set)"
exits 0 "the same decision" decide --compare "$work/first" "$work/first"
check "no cost differs" test "$(grep -c '^cost' "$work/out")" = 0

# ---- many sizes of one class: one row with their range --------------------------------------------
awk -F, 'BEGIN { OFS = "," } { print } $1 == "b2" { for (i = 1; i <= 20; i++) print "x" i, "compute", "", "compute", "step", "", i "ms", "", "", "bounded: a clock" }' \
    "$work/s/nodes.csv" >"$work/more" && cp "$work/more" "$work/s/nodes.csv"
decide many
same "one row" "$(sed -n '/^costs:/,/^unknowns:/p' "$work/many/decision.yaml" | grep -c 'name: compute$')" 1
same "of all" "$(cost many duration compute '' uses)" 21
near "from the least" "$(cost many duration compute '' least_us)" 1000
near "to the most" "$(cost many duration compute '' most_us)" 20000
near "with the mean of all" "$(cost many duration compute '' mean_us)" "$(awk 'BEGIN { printf "%.15g", (210 + 9) / 21 * 1000 }')"
check "on the page" grep -q '^| duration compute | mean 10.43 ms, from 1.000 ms, to 20.00 ms | 21 |' "$work/many/decision.md"
exits 0 "it is reproduced" reproduce "$work/many"
finish
