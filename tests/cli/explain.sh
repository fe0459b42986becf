#!/bin/sh
# explain: scenarios small enough for every figure to be worked out by hand.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello

# scene NAME REST-OF-YAML: a scenario of two servers, two domains and constants.
scene()
{
    mkdir -p "$work/$1"
    cat >"$work/$1/scenario.yaml" <<EOF
name: $1
nodes: nodes.csv
objects: objects.csv
resources: {gpu: {servers: 1}, dma: {servers: 1}}
domains: {hbm: {capacity: ${3:-8GiB}, reserve: 0B}, host: {capacity: 8GiB, reserve: 0B}}
objective: {metric: makespan, tail: 0.99}
policies: [{name: given, action: as-given}]
trials: $2
seed: 11
EOF
    printf 'object,size,home\n' >"$work/$1/objects.csv"
    cat >"$work/$1/nodes.csv"
}

# value KEY: the first number after "KEY": in the last run's JSON.
value()
{
    sed -n 's/^ *"'"$1"'": \([-0-9.e]*\),*$/\1/p' "$work/out" | head -n 1
}

# is KEY NUMBER: the first such key has this very value.
is()
{
    got=$(value "$1")
    if [ "$got" = "$2" ]; then pass "$1 is $2"; else fail "$1 is $2" "found $got"; fi
}

# near NUMBER EXPECTED TOLERANCE WHAT
near()
{
    if awk -v x="$1" -v m="$2" -v t="$3" 'BEGIN { exit !(x != "" && x - m <= t && m - x <= t) }'; then
        pass "$4"
    else
        fail "$4" "$1 is not $2 +- $3"
    fi
}

# ---- which term of reclaim_ready binds -------------------------------------------------------
# w 10us writes b; two readers (5us, 20us), a user of the alias v (12us), an offload (31us), a barrier.
# reclaim_ready = max(30, 22, 41, 10) = 41us; the reclamation x is 7us later.  Then b comes back, from
# 48 to 49us, and is read once more until 50us; that copy and the one in host go with their last user.
scene terms 10 <<'EOF'
node,kind,duration,inputs,outputs,object,from,to
w,compute,10us,,b,,,
r1,compute,5us,b,,,,
r2,compute,20us,b,,,,
va,compute,12us,v,,,,
off,offload,31us,,,b,hbm,host
early,compute,3us,,,,,
bar,barrier,,,,b,,
x,reclamation,,,,b,hbm,
back,prefetch,1us,,,b,host,hbm
r3,compute,1us,b,,,,
EOF
printf 'object,size,home,alias_of\nb,1GiB,hbm,\nv,1GiB,,b\n' >"$work/terms/objects.csv"
cat >"$work/terms/edges.csv" <<'EOF'
from,to,type,lag,evidence
off,x,lifetime-hold,7us,assumed: by hand
r1,x,lifetime-hold,,
r2,x,lifetime-hold,,
va,x,lifetime-hold,,
w,bar,data-ready,,
bar,x,lifetime-hold,,
x,back,ordering,,
back,r3,data-ready,,
EOF
exits 0 "explain" explain "$work/terms" --json
is makespan_us 50
is reclamations 3
is transfer 2
is retained_beyond_us 7
is all_trials_reclamations 30
exits 0 "explain an object" explain "$work/terms" --object b --json
is last_read_us 50
is reclaim_ready_us 41
is given_back_us 48
exits 0 "explain an object, text" explain "$work/terms" --object v
prints "last alias     22.00 us by va" "the alias use"
prints "last transfer  41.00 us by off, which binds" "the transfer binds"
prints "last barrier   10.00 us by bar" "the barrier"
prints "held 7.00 us beyond: proven" "how long it was held beyond"
exits 0 "explain a node" explain "$work/terms" --node x
prints "lifetime-hold  7.00 us  -       same   assumed: by hand" "an edge with lag and evidence"
prints "48.00 us by off, which binds" "which predecessor binds"
exits 0 "explain the report" explain "$work/terms" --at worst
prints "3 reclamations, all after their reclaim_ready; bound by reader 1, alias 0, transfer 2, barrier 0; largest retention beyond: 7.00 us, b in hbm" \
    "the summary of reclamations"
prints "waits for hbm: none can arise: all copies and staging at once 2.00 GiB" "no wait can arise"

# ---- bytes beside an object ------------------------------------------------------------------
# w 10us writes b with 64 MiB of workspace; the offload, 5us, holds 16 MiB of staging until r, 2us
# after it, has ended at 17us.
scene beside 10 <<'EOF'
node,kind,duration,inputs,outputs,object,from,to,workspace,staging,staging_until
w,compute,10us,,b,,,,hbm:64MiB,,
off,offload,5us,,,b,hbm,host,,host:16MiB,r
r,compute,2us,,,,,,,,
back,prefetch,1us,,,b,host,hbm,,,
u,compute,1us,b,,,,,,,
EOF
printf 'object,size,home\nb,1GiB,hbm\n' >"$work/beside/objects.csv"
printf 'from,to\noff,r\nr,back\nback,u\n' >"$work/beside/edges.csv"
exits 0 "explain an object and its surroundings" explain "$work/beside" --object b
prints "w: 64.0 MiB of hbm, [0 ps, 10.00 us]" "workspace of a user"
prints "off: 16.0 MiB of host, [10.00 us, 17.00 us]" "a staging interval"
exits 0 "in JSON" explain "$work/beside" --object b --json
is until_us 10

# ---- slack, and an order of waits ------------------------------------------------------------
# a 10us and b 3us before c 5us: b has slack 7.  d 4us with deadline 6us: slack 2.  e and f, 6us each,
# share the server: f waits 6us for e.  The makespan is 15us, c's end.
scene slack 10 <<'EOF'
node,kind,resource,duration,deadline
a,compute,,10us,
b,compute,,3us,
c,compute,,5us,
d,compute,,4us,6us
e,compute,gpu,6us,
f,compute,gpu,6us,
EOF
printf 'from,to\na,c\nb,c\n' >"$work/slack/edges.csv"
slack()
{
    exits 0 "explain $1" explain "$work/slack" --node "$1" --json
    is slack_us "$2"
}
slack a 0
slack b 7
slack c 0
slack d 2
slack f 9
is wait_us 6
exits 0 "explain the report" explain "$work/slack"
prints "CP_dependency: 15.0 us over 2 nodes" "the precedence bound"
prints "path: a -> c" "and its path"
prints "1 different waits (queue 1, capacity 0, overlap 0, fallback 0); with precedence they are acyclic" \
    "one order of waits"
prints "its probability is at most 30.8% (95%)" "no deadlock in 10 trials: 1 - 0.025^(1/10)"

# ---- kinds of waits --------------------------------------------------------------------------
# a and b want all of hbm for 10us: b waits for bytes.  c and d, 10us each, must not run together.
scene kinds 10 1GiB <<'EOF'
node,kind,duration,workspace
a,compute,10us,hbm:1GiB
b,compute,10us,hbm:1GiB
c,compute,10us,
d,compute,10us,
EOF
printf 'a,b,allowed\nc,d,no\n' >"$work/kinds/overlap.csv"
exits 0 "explain of two waits" explain "$work/kinds"
prints "2 different waits (queue 0, capacity 1, overlap 1, fallback 0)" "one for bytes, one for leave"
exits 0 "explain a forbidden peer" explain "$work/kinds" --node d
prints "10.00 us by c, which binds" "who held it up"
check "and the row that forbids it" grep -q "^  c  *forbidden" "$work/out"

# ---- nodes that swap -------------------------------------------------------------------------
# Ready after independent exponentials of mean 10us, 20us on one server: each waits for the other with
# probability (1 - exp(-2)) / 2 = 0.43233.  Five standard errors of 4000 trials: 0.039.
scene swap 4000 <<'EOF'
node,kind,resource,duration
pa,compute,,exponential(mean=10us)
pb,compute,,exponential(mean=10us)
a,compute,gpu,20us
b,compute,gpu,20us
EOF
printf 'from,to\npa,a\npb,b\n' >"$work/swap/edges.csv"
exits 0 "explain of swapping nodes" explain "$work/swap" --at p99 --json
check "no order explains every trial" grep -q '"union_acyclic": false' "$work/out"
sed -n '/"cycle": \[/,/\]/s/^ *"trials": //p' "$work/out" >"$work/trials"
check "a cycle of two waits" test "$(wc -l <"$work/trials")" -eq 2
while read -r trials; do
    near "$trials" 1729.3 156 "its share of trials"
done <"$work/trials"
is cyclic_trials 0
exits 0 "in text" explain "$work/swap"
prints "shortest cycle, of 2 steps:" "the cycle"

# ---- the story of a trial --------------------------------------------------------------------
# a 10us, then b 20us on the same server: b waits 10us for a.  c begins 3us after b, at 33us, and takes
# 6us instead of 4 beside d (30 to 39us), which slows it by 1.5; then e 10us, to 49us.  On the chain: a,
# b, c, e for 46us, and the lag.
scene story 10 <<'EOF'
node,kind,class,resource,duration
a,compute,steady,gpu,10us
b,compute,steady,gpu,20us
c,compute,slowed,dma,4us
d,compute,steady,gpu,9us
e,compute,steady,dma,10us
EOF
sed 's/servers: 1}/servers: 1, group: chip}/g' "$work/story/scenario.yaml" >"$work/yaml"
printf 'edges: edges.csv\nkappa: {table: kappa.csv}\n' | cat "$work/yaml" - \
    >"$work/story/scenario.yaml"
printf 'victim,set,kappa\nslowed,steady,1.5\nsteady,slowed,1\n' >"$work/story/kappa.csv"
printf 'from,to,lag\nb,c,3us\nb,d,\nc,e,\n' >"$work/story/edges.csv"
exits 0 "the story of a trial" explain "$work/story"
prints "  It took 49.00 us, as long as the median trial." "its makespan"
prints "  Its critical chain has 4 nodes, on it for 46.00 us, and 3.000 us of lags and releases." \
    "its chain"
prints "  No node of the chain ran longer than its mean over the trials." "nothing out of the ordinary"
prints "  All nodes of the chain together ran as long as their means." "nor in total"
prints "The longest wait on the chain: b was ready at 0 ps and started 10.00 us later, when a had left gpu." \
    "who waited for what, held by whom"
prints "Contention added 2.000 us to the nodes of the chain, most to c: 2.000 us, which ran 6.000 us and would have taken 4.000 us alone." \
    "what contention added"

# A lone exponential of mean 20us, 51 trials: the story of the longest beside the sorted trials.
scene wild 51 <<'EOF'
node,kind,resource,duration
a,compute,gpu,exponential(mean=20us)
EOF
exits 0 "the trials" run "$work/wild" -o "$work/wild-results"
sed 1d "$work/wild-results/trials.csv" | cut -d, -f3 | sort -g | awk '
    {t[NR] = $1; sum += $1}
    END {mean = sum / NR; worst = t[NR]; median = t[26]
         printf "It took %.2f us, %.2f us (%.3g%%) longer\n", worst, worst - median,
             100 * (worst - median) / median
         printf "which took %.2f us.\n", median
         printf "a ran %.2f us, %.2f us above its mean of %.2f us.\n", worst, worst - mean, mean
         printf "together ran %.2f us above their means.\n", worst - mean}' >"$work/wanted"
exits 0 "the story of the worst trial" explain "$work/wild" --at worst
while read -r line; do
    prints "$line" "says: $line"
done <"$work/wanted"

# ---- deadlock --------------------------------------------------------------------------------
# Two jobs hold 1 GiB each of 2 GiB and want 1 GiB more 20us later, begun after exponentials of mean
# 100us: deadlock when they begin less than 20us apart, 1 - exp(-0.2) = 0.18127.  Five standard errors
# of 4000 trials: 0.0305.
scene deadlock 4000 2GiB <<'EOF'
node,kind,duration,inputs,outputs
pa,compute,exponential(mean=100us),,
pb,compute,exponential(mean=100us),,
a1,compute,20us,,A1
a2,compute,1us,A1,A2
b1,compute,20us,,B1
b2,compute,1us,B1,B2
EOF
printf 'object,size,home\nA1,1GiB,hbm\nA2,1GiB,hbm\nB1,1GiB,hbm\nB2,1GiB,hbm\n' \
    >"$work/deadlock/objects.csv"
printf 'from,to\npa,a1\npb,b1\n' >"$work/deadlock/edges.csv"
exits 0 "explain with deadlocks" explain "$work/deadlock" --at worst --json
near "$(value probability)" 0.18127 0.0305 "the probability of deadlock"
check "its interval holds the truth" awk -v lo="$(value probability_lo)" \
    -v hi="$(value probability_hi)" 'BEGIN { exit !(lo < 0.18127 && 0.18127 < hi) }'
check "the worst trial is one" grep -q '"outcome": "deadlock"' "$work/out"
exits 0 "in text" explain "$work/deadlock" --at worst
prints "realized chain: none, the trial did not end" "no chain"
prints "4 of 6 nodes ran" "a story all the same: pa, pb, a1 and b1 ran"
prints "Ready and never started: 2, the longest" "and a2 and b2 were ready"
prints "never started" "nodes that waited to the end"
prints "a2 waits for 1.00 GiB of hbm held by b1" "the cycle by name"
prints "waits for hbm: can arise: all copies and staging at once 4.00 GiB" "waits can arise"
prints "of them that deadlocked other waits never ended" "what the sort of ended waits leaves out"

# ---- a fallback that is called ---------------------------------------------------------------
# b, 1us, is due at 3us and cannot start before 10us: cancelled at 2us, when c is called, to start at
# once.
scene called 10 <<'EOF'
node,kind,duration,deadline,fallback
a,compute,10us,,
b,compute,1us,3us,c
c,compute,4us,,
EOF
printf 'from,to\na,b\n' >"$work/called/edges.csv"
exits 0 "explain a cancelled node" explain "$work/called" --node b
prints "it had not started by deadline less mean duration" "why it was cancelled"
exits 0 "explain its fallback" explain "$work/called" --node c
prints "fallback of            b" "whose fallback it is"
prints "2.000 us by b, which binds" "what made it ready"
exits 0 "explain a fallback in JSON" explain "$work/called" --node c --json
check "the call is a term" grep -q '"called_as_fallback": {' "$work/out"

# ---- iterations ------------------------------------------------------------------------------
# b leaves at 2us and is back from 5us on; `late` reads it until 55us.  The second iteration reads that
# copy from 5us on, but gives it back only when `late` has ended: its own copy comes from 55 to 58us, and
# late@2 ends at 108us.
scene again 10 <<'EOF'
node,kind,duration,inputs,object,from,to
use,compute,1us,b,,,
off,offload,2us,,b,hbm,host
in,prefetch,3us,,b,host,hbm
late,compute,50us,b,,,
EOF
printf 'object,size,home,initial\nb,1GiB,hbm,hbm\n' >"$work/again/objects.csv"
printf 'from,to\noff,in\nin,late\n' >"$work/again/edges.csv"
echo 'run: {mode: iterate, iterations: 2}' >>"$work/again/scenario.yaml"
exits 0 "explain of two iterations" explain "$work/again" --json
is makespan_us 108
is all_trials_violated 0
exits 0 "their time" explain "$work/again"
prints "time per iteration: median 53.00 us [53.00 us, 53.00 us]" "is the second one alone: 108 - 55us"
exits 0 "an object's copies in two iterations" explain "$work/again" --object b
prints "copy 2 in hbm: taken 2.000 us by in, given back 55.00 us" "which copy is which"
prints "last reader    55.00 us by late, which binds" "the reader of the iteration before"

# ---- arguments -------------------------------------------------------------------------------
exits 2 "an unknown node" explain "$hello" --policy fetch-early --node prefetch:a00
says "did you mean 'prefetch:a0'?" "the nearest node of the plan"
exits 0 "a node that the policy inserted" explain "$hello" --policy fetch-early --node prefetch:a0
prints "prefetch a0 from pinned to hbm for b0" "what for"
exits 0 "an object that it moved" explain "$hello" --policy fetch-early --object a0
prints "offload a0 from hbm to pinned (select largest: 1.00 GiB, gap of 220 ms)" "and why"
exits 2 "an unknown object" explain "$hello" --object aO
says "the plan has no object 'aO'" "is named"
exits 2 "an unknown policy" explain "$hello" --policy fetch-erly
exits 2 "no such order statistic" explain "$hello" --at p100
says "allowed: median, worst, a quantile such as p90" "what is allowed"
exits 2 "no such trial" explain "$hello" --at 50 --trials 50
says "there is no trial 50 (allowed: 0 to 49)" "the range"
exits 0 "a trial by its number" explain "$hello" --at 49 --trials 50
prints "trial 49 of 50" "that trial"
exits 0 "a tail of too few trials" explain "$hello" --at p99 --trials 50
prints "50 trials are too few to estimate p99 (it needs 368)" "is said to be one"
exits 1 "a policy that only deadlocks" explain "$hello" --policy keep --trials 20
scene stranded 10 <<'EOF'
node,kind,duration,inputs
r,compute,1us,b
EOF
printf 'object,size,home,initial\nb,1GiB,hbm,host\n' >"$work/stranded/objects.csv"
sed 's/as-given/retain/' "$work/stranded/scenario.yaml" >"$work/yaml"
mv "$work/yaml" "$work/stranded/scenario.yaml"
exits 1 "a policy without a plan: no route leads to b's home" explain "$work/stranded"
prints "has no legal plan" "says so"

# ---- the picture -----------------------------------------------------------------------------
# x 10us on both resources, then y 980us, then z 10us on the nic: of the chain's 1000us z is 1%, x is
# computation on the busy resource first of all.
scene picture 10 <<'EOF'
node,kind,resource,duration
x,compute,compute:2;nic,10us
y,compute,compute,980us
z,transfer,nic,10us
EOF
printf 'from,to\nx,y\ny,z\n' >"$work/picture/edges.csv"
sed 's/^resources:.*/resources: {compute: {servers: 2}, nic: {servers: 1}}/' \
    "$work/picture/scenario.yaml" >"$work/yaml"
mv "$work/yaml" "$work/picture/scenario.yaml"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
exits 2 "--force without a folder" explain "$work/picture" --force
mkdir "$work/other"
echo mine >"$work/other/notes"
exits 2 "a folder with something else" explain "$work/picture" -o "$work/other" --force
says "holds 'notes', which explain did not write" "is refused"
SLACKLINE_DATA=$work "$SLACKLINE" explain "$work/picture" -o "$work/none" >"$work/out" 2>"$work/err"
check "without scripts the exit status is 4" test $? -eq 4
check "and nothing is left" test ! -e "$work/none"
if command -v gnuplot >/dev/null 2>&1; then
    exits 0 "a picture" explain "$work/picture" --at worst --set seed=12 -o "$work/drawn"
    prints "picture: $work/drawn/gantt.png" "is announced"
    check "is a PNG" sh -c "od -An -tx1 -N8 '$work/drawn/gantt.png' | grep -q '89 50 4e 47'"
    check "and an SVG with its finding" grep -q \
        ">worst trial 0 of given, seed=12: 1.000 ms, 1% of its critical chain is transfer on nic<" \
        "$work/drawn/gantt.svg"
    cut -d, -f2-4,8-14 "$work/drawn/gantt.csv" | tail -n +2 >"$work/bars"
    printf 'worst,0,%s\n' x,0,0,10,10,none,1,'compute;nic' y,10,10,990,990,data,1,compute \
        z,990,990,1000,1000,data,1,nic >"$work/expected"
    check "the bars are those of the trial" cmp "$work/expected" "$work/bars"
    exits 2 "a folder that is there" explain "$work/picture" -o "$work/drawn"
    says "exists already (--force replaces it)" "is refused"
    exits 0 "but for --force" explain "$work/picture" --force -o "$work/drawn" --json
    check "prints JSON alone" sh -c "! grep -q picture: '$work/out'"
    check "and draws another trial" grep -q ">median trial 0 of given: " "$work/drawn/gantt.svg"
    check "in three files" test "$(ls "$work/drawn" | tr '\n' ' ')" = "gantt.csv gantt.png gantt.svg "
    exits 1 "a deadlock" explain "$hello" --policy keep --trials 20 -o "$work/dead"
    check "is drawn up to where it stands" grep -q \
        ">median trial 0 of keep deadlocks: f4 waits for 1.00 GiB of hbm" "$work/dead/gantt.svg"
else
    skip "pictures" "gnuplot is not installed"
fi

# ---- eviction while running ------------------------------------------------------------------
# One GiB of hbm for two objects, a GiB takes 1 ms either way, and dma is busy from 11 to 30 ms:
#     w1 0-10 | evict:A 10-11 | w2 11-21, r1 calls A at 21 | dma free at 30: evict:B 30-31 |
#     refetch:A 31-32 | r1 32-42 | A, still in host, dropped at 42 | refetch:B 42-43 | r2 43-53 |
#     B dropped | refetch:A 53-54 | r3 54-64, the end of A | refetch:B 64-65 | r4 65-75
mkdir -p "$work/paging"
cat >"$work/paging/nodes.csv" <<'EOF'
node,kind,resource,lane,duration,inputs,outputs,release
w1,compute,gpu,s,10ms,,A,
w2,compute,gpu,s,10ms,,B,
r1,compute,gpu,s,10ms,A,,
r2,compute,gpu,s,10ms,B,,
r3,compute,gpu,s,10ms,A,,
r4,compute,gpu,s,10ms,B,,
busy,compute,dma,,19ms,,,11ms
EOF
printf 'object,size,home,placements\nA,1GiB,hbm,hbm;host\nB,1GiB,hbm,hbm;host\n' \
    >"$work/paging/objects.csv"
cat >"$work/paging/scenario.yaml" <<'EOF'
name: paging
nodes: nodes.csv
objects: objects.csv
resources: {gpu: {servers: 1}, dma: {servers: 1}}
domains: {hbm: {capacity: 1GiB, reserve: 0B}, host: {capacity: 8GiB, reserve: 0B}}
routes:
  - {from: hbm, to: host, resource: dma, bandwidth: 1000GiB/s}
  - {from: host, to: hbm, resource: dma, bandwidth: 1000GiB/s}
objective: {metric: makespan, tail: 0.99}
policies: [{name: lru, action: retain, evict: lru}]
trials: 20
seed: 1
EOF
exits 0 "explain under eviction" explain "$work/paging" --json
is makespan_us 75000
chain=$(sed -n '/"chain"/,/\]/s/^ *"\(node\|cause\)": "\([^"]*\)",*$/\2/p' "$work/out" | tr '\n' ' ')
check "a node that was called late waits for the engine" sh -c "echo '$chain' | grep -q ' busy [a-z]* evict:B queue refetch:A capacity r1 data '"
exits 0 "a node by which a copy returns" explain "$work/paging" --node refetch:A --json
check "ran twice in the trial" sh -c "grep '\"runs\": 2,' '$work/out'"
is first_start_us 31000
is last_finish_us 54000
check "and 40 times in 20" sh -c "grep '\"runs\": 40\$' '$work/out'"
exits 0 "a node by which a copy leaves" explain "$work/paging" --node evict:B --json
is ready_us 30000
prints '"behind": "busy"' "was called when the engine came free"
exits 0 "an object that left twice" explain "$work/paging" --object A --json
steps=$(sed -n '/"evictions"/,$s/^ *"\(at_us\|change\|room_for\|by\)": "*\([^",]*\)"*,*$/\2/p' \
    "$work/out" | tr '\n' ' ')
check "did so as worked out" test "$steps" = "10000 called to leave w2 11000 moved out evict:A \
32000 back refetch:A 42000 dropped refetch:B 54000 back refetch:A "
exits 0 "as text" explain "$work/paging" --object A
prints "42.00 ms  hbm: dropped to make room for refetch:B" "too"
exits 0 "the whole report" explain "$work/paging"
prints "evicted while running, in this trial: 4 times, 2 of them moved out; 4 returns" "counts them"

# ---- every policy of a shipped scenario, and threads -----------------------------------------
for policy in keep recompute fetch-late fetch-early; do
    "$SLACKLINE" explain "$hello" --policy $policy --trials 200 --at worst --json --threads 1 \
        >"$work/one" 2>/dev/null
    "$SLACKLINE" explain "$hello" --policy $policy --trials 200 --at worst --json --threads 2 \
        >"$work/two" 2>/dev/null
    check "$policy: the same with one thread and two" cmp "$work/one" "$work/two"
    check "$policy: no proof fails" grep -q '"all_trials_violated": 0' "$work/one"
    if command -v python3 >/dev/null 2>&1; then
        check "$policy: well-formed JSON" python3 -m json.tool "$work/one" /dev/null
    else
        skip "$policy: well-formed JSON" "python3 is not installed"
    fi
done
finish
