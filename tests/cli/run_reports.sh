#!/bin/sh
# Tables of a run's report that are worked out by hand: what was evicted, by the rules of paging, and which deadlines were missed.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA

# row TEXT WHAT: a row of a table, however wide its columns are.
row() { check "$2" sh -c "tr -s ' ' <'$work/out' | grep -qxF -- ' $1'"; }

# paging PAGES FRAMES PASSES: reads of pages of 1 GiB in turn, 1 ms each with 2 ms between, on a machine that fetches one in 1 ms.
paging()
{
    mkdir "$work/$1"
    cat >"$work/$1/scenario.yaml" <<YAML
name: paging
resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}
domains: {hbm: {capacity: $2GiB, reserve: 0B}, pinned: {capacity: 16GiB, reserve: 0B}}
routes:
  - {from: pinned, to: hbm, resource: h2d, bandwidth: 1000GiB/s}
  - {from: hbm, to: pinned, resource: d2h, bandwidth: 1000GiB/s}
objective: {metric: makespan, tail: 0.5}
trials: 20
policies:
  - {name: lru, action: retain, evict: lru}
  - {name: belady, action: retain, evict: belady}
baseline: lru
YAML
    awk -v n="$1" -v passes="$3" -v dir="$work/$1" 'BEGIN {
        print "object,size,home,placements,initial" >(dir "/objects.csv")
        for (i = 1; i <= n; i++) printf "p%d,1GiB,hbm,hbm;pinned,pinned\n", i >(dir "/objects.csv")
        print "node,kind,resource,lane,duration,inputs,evidence" >(dir "/nodes.csv")
        print "from,to,lag" >(dir "/edges.csv")
        for (k = 1; k <= n * passes; k++) {
            printf "r%d,compute,compute,s,1ms,p%d,assumed\n", k, (k - 1) % n + 1 >(dir "/nodes.csv")
            if (k > 1) printf "r%d,r%d,2ms\n", k - 1, k >(dir "/edges.csv")
        }
    }'
}

# Three pages in two frames, twice.  LRU: the third evicts p1, whose return evicts p2; p1 is not read again, and leaves room for p2.
# With two fetches beside the first three: 6 + 5 * 2 + 5 = 21 ms.
paging 3 2 2
exits 0 "LRU" run "$work/3" -p lru
prints "evicted while running: 2 of 3 objects that may leave, 2 times per trial, 0% of them before the copy was used again" "evicts two"
row "p1 1 0 1 fetched 0 1.00 ms" "... the first, fetched again in 1 ms, never moved out"
row "p2 1 0 1 fetched 0 1.00 ms" "... and the second"
prints "median       21.00 ms" "... and takes as long as that"
# Belady's rule lets go what is read last: p2, and p1 is still there.  6 + 10 + 4 = 20 ms.
exits 0 "Belady" run "$work/3" -p belady
prints "evicted while running: 1 of 3 objects that may leave, 1 times per trial" "evicts one"
row "p2 1 0 1 fetched 0 1.00 ms" "... which is read last"
prints "median       20.00 ms" "... and takes a fetch less"
exits 0 "as JSON" run "$work/3" -p belady --json
prints '"returns_by": "fetch"' "it comes back by a fetch"
prints '"livelocked": 0' "and no trial ends in evictions alone"
# Ten in nine frames, three times.  The tenth evicts p1; each of the second pass evicts the next one; p1 evicts p2 once more, and
# leaves room for the rest: 1 + 10 + 1.  30 + 29 * 2 + (10 + 12) = 110 ms.
paging 10 9 3
exits 0 "LRU in a circle" run "$work/10" -p lru
prints "evicted while running: 10 of 10 objects that may leave, 12 times per trial" "evicts all"
row "p2 2 0 2 fetched 0 1.00 ms" "... the second twice"
row "p8 1 0 1 fetched 0 1.00 ms" "... the eighth once"
prints "  and 2 other objects" "... and two more that are not shown"
prints "median       110.0 ms" "... and takes a fetch for each"

# Ten nodes of 10 us in a row, which have 35 us each: three meet that, and node k is 10 k - 35 us late.  20 of 20 trials, and none of
# them, by Clopper and Pearson: 0.025^(1/20) = 83.2 %, and the rest.
mkdir "$work/late"
cat >"$work/late/scenario.yaml" <<'YAML'
name: late
resources: {gpu: {servers: 1}}
objective: {metric: makespan, tail: 0.5}
trials: 20
policies: [{name: fifo, action: as-given}]
YAML
{
    echo node,kind,resource,duration,deadline,evidence
    for k in 1 2 3 4 5 6 7 8 9 10; do echo "n$k,compute,gpu,10us,35us,assumed"; done
} >"$work/late/nodes.csv"
exits 0 "deadlines" run "$work/late"
row "n4 35.0 us 100% [83.2%, 100%] 5.00 us 5.00 us - 5.00 us" "the first that is missed"
row "n10 35.0 us 100% [83.2%, 100%] 65.0 us 65.0 us - 65.0 us" "the last one"
row "n1 35.0 us 0% [0%, 16.8%] 0 ps - - 0 ps" "behind them those that are met"
prints "  and 2 other deadlines, each missed in at most 0 trials" "and how often what is not shown"
prints "  any deadline: missed in 100% [83.2%, 100%] of trials" "and any of them"
finish
