#!/bin/sh
# What reports say of batches, against runs that are worked out by hand.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA

# folder NAME RUN BATCH: a server that batches.
folder()
{
    mkdir "$work/$1"
    cat >"$work/$1/scenario.yaml" <<YAML
name: $1
resources: {gpu: {servers: 1, batch: $3}}
run: $2
objective: {metric: latency, tail: 0.5}
trials: 3
policies:
  - {name: given, action: as-given, dispatch: fifo}
baseline: given
YAML
}
# field FILE ROW COLUMN: of the first row that begins with ROW.
field()
{
    awk -F, -v r="$2" -v k="$3" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i}
        NR > 1 && index($0, r) == 1 {print $c; exit}' "$1"
}
# is WHAT FILE ROW COLUMN VALUE
is()
{
    check "$1: $4 is $5 (it is '$(field "$2" "$3" "$4")')" \
        awk -v x="$(field "$2" "$3" "$4")" -v y="$5" 'BEGIN {d = x - y
            exit !(x "" == y "" || (x != "" && y != "" && d * d < 1e-18 * (1 + y * y)))}'
}

# Jobs at 1 s, 2 s ... 10 s, batches of 2.3 s: {1}, {2, 3} from 3.3 s, {4, 5}, {6, 7}, {8, 9, 10}.
folder static '{mode: open, arrivals: fixed(rate=1/s), jobs: 10, warmup: 0}' '{most: 4}'
cat >"$work/static/nodes.csv" <<CSV
node,kind,resource,duration,evidence
serve,compute,gpu,2300ms,assumed
CSV
exits 0 "static batches" run "$work/static" -o "$work/s"
b=$work/s/batches.csv
is static "$b" 0,serve batches 15
is static "$b" 0,serve batches_per_trial 5
is static "$b" 0,serve mean_size 2
is static "$b" 0,serve mean_size_lo 2
is static "$b" 0,serve largest 3
is static "$b" 0,serve sizes_1 3
is static "$b" 0,serve sizes_2_3 12
# The server is busy for 11.5 s of 10, but four at a time would take 2.3 s of every 4.
is static "$work/s/summary.csv" 0, offered_load ""
is static "$b" 0,serve pause_us ''
prints "serve: 20% of 1, 80% of 2 to 3 members" "sizes are told"
exits 0 "as JSON" run "$work/static" --json
prints '"mean_size"' "they are in it"

# Two nodes of steps of 1 s, the second one of two steps; A comes at 2 s and B at 4 s.  A's first step ends
# as B comes, whose first node goes ahead: A pauses for 1 s.  Then {A, B}, then {B}.
folder steps '{mode: open, arrivals: fixed(rate=0.5/s), jobs: 2, warmup: 0}' '{most: 4, continuous: true}'
cat >"$work/steps/nodes.csv" <<CSV
node,kind,resource,duration,steps,evidence
pre,compute,gpu,1000ms,,assumed
decode,compute,gpu,1000ms,2,assumed
CSV
printf 'from,to,type\npre,decode,data-ready\n' >"$work/steps/edges.csv"
exits 0 "continuous batches" run "$work/steps" -o "$work/c"
b=$work/c/batches.csv
is continuous "$b" 0,pre batches_per_trial 2
is continuous "$b" 0,pre mean_size 1
is continuous "$b" 0,pre pause_us 0
is continuous "$b" 0,decode batches_per_trial 3
is continuous "$b" 0,decode mean_size 1.3333333333333333
is continuous "$b" 0,decode pause_us 500000
is continuous "$b" 0,decode sizes_2_3 3
finish
