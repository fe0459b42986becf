#!/bin/sh
# Objects that jobs share by blocks, through the whole command: five requests of a trace whose hits, moves
# and latencies are worked out by hand, blocks that the scenario names itself, and what is refused.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA

# cache NAME RUN: prefill takes 1us and 4us for each missing block, decode 10us; a block is 100 B, of which
# three lie in hbm, and takes 10us either way.
cache()
{
    mkdir "$work/$1"
    cat >"$work/$1/scenario.yaml" <<YAML
name: $1
resources: {gpu: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}
domains: {hbm: {capacity: 300B, reserve: 0B}, host: {capacity: 10kB, reserve: 0B}}
routes:
  - {from: host, to: hbm, resource: h2d, bandwidth: 10MB/s, evidence: assumed}
  - {from: hbm, to: host, resource: d2h, bandwidth: 10MB/s, evidence: assumed}
run: $2
objective: {metric: latency, tail: 0.9}
trials: 1
policies:
  - {name: demand, action: as-given}
  - {name: asap, action: as-given, prefetch: asap, cache: {spill: host, evict: lru}}
  - {name: none, action: as-given, cache: {spill: none}}
  - {name: fifo, action: as-given, cache: {spill: none, evict: fifo}}
baseline: demand
YAML
    printf '%s\n' object,size,placements,shared 'kv,100B,hbm;host,blocks' >"$work/$1/objects.csv"
    cat >"$work/$1/nodes.csv" <<CSV
node,kind,resource,inputs,outputs,duration,evidence
prefill,compute,gpu,,kv,4us * kv.missing + 1us,assumed
decode,compute,,kv,,10us,assumed
CSV
}
# latencies FOLDER LIST: of its jobs, in us.
latencies()
{
    check "$1: latencies are $2 us" awk -F, -v list="$2" '
        NR == 1 {for (i = 1; i <= NF; i++) if ($i == "latency_us") c = i; n = split(list, want, " "); next}
        {d = $c - want[NR - 1]; if (d > 1e-6 || d < -1e-6) {print NR - 1 ": " $c; exit 1}}
        END {exit NR != n + 1}' "$work/$1/jobs.csv"
}

cat >"$work/five.jsonl" <<'JSON'
{"timestamp": 0, "input_length": 1024, "output_length": 5, "hash_ids": [1, 2]}
{"timestamp": 1, "input_length": 1024, "output_length": 5, "hash_ids": [1, 3]}
{"timestamp": 2, "input_length": 1024, "output_length": 5, "hash_ids": [4, 5]}
{"timestamp": 3, "input_length": 1024, "output_length": 5, "hash_ids": [1, 2]}
{"timestamp": 4, "input_length": 1024, "output_length": 5, "hash_ids": [1, 2, 6]}
JSON
five="{mode: open, arrivals: 'trace(file=../five.jsonl, format=mooncake)'}"
cache five "$five"
exits 0 "is legal" check "$work/five"
# 1 and 2 are missing: 9 + 10.  1 is found, and 3 missing: 5 + 10.  4 and 5 are missing, 2 and 3 leave, in 20:
# 20 + 9 + 10.  1 is found, 2 is below; 5 leaves, in 10, and 2 comes, in 10: 20 + 1 + 10.  1 and 2 are found,
# 6 is missing, 4 leaves: 10 + 5 + 10.
for policy in demand asap; do
    exits 0 "$policy" run "$work/five" -p $policy -o "$work/$policy"
    latencies $policy "19 15 39 31 25"
done
# Whoever leaves is dropped at once: 19, 15, 19, and 2 is made again, for which 5 leaves, then 4 for 6.
exits 0 "nothing is spilled" run "$work/five" -p none -o "$work/none"
latencies none "19 15 19 15 15"
# First in, first out: for 4 and 5 first 1 and 2 leave, whose job put the second in first, so that both are
# missing in the fourth, for which 3 and one of 4 and 5 leave.
exits 0 "first in, first out" run "$work/five" -p fifo -o "$work/fifo"
latencies fifo "19 15 19 19 15"
exits 0 "the node that fetches is in the plan" run "$work/five" -p demand
prints "fetch:kv:host" "by name"

# Blocks without a trace: one of all jobs, one of the conversation, one of the job.
cache own '{mode: open, arrivals: fixed(rate=1000/s), jobs: 4, parameters: {user: const(7)},
  blocks: {count: 3, common: 1, own: 1, conversation: user}}'
exits 0 "blocks of a conversation" run "$work/own" -p none -o "$work/o"
latencies o "23 15 15 15"
exits 0 "each job in its own one" run "$work/own" -p none -o "$work/e" --set run.jobs=2 \
    --set 'run.blocks.conversation=user * 0 + 1'
latencies e "23 15"
exits 3 "more blocks than a job may have" run "$work/own" -p none --set run.blocks.count=2000000
says "run.blocks: count is 2e+06 (allowed: 0 to 1048575)" "are refused"

# refused NAME RUN FILE TEXT WORDS: exit 3 with a file replaced.
refused()
{
    cache "$1" "$2"
    printf '%b' "$4" >"$work/$1/$3"
    exits 3 "$1" check "$work/$1"
    says "$5" "is refused by name"
}
object='object,size,placements,shared'
nodes='node,kind,resource,inputs,outputs,duration,object,from,to'
refused word "$five" objects.csv "$object\nkv,100B,hbm;host,block\n" "did you mean 'blocks'"
refused varies "$five" objects.csv "$object\nkv,1B * context_tokens,hbm;host,blocks\n" \
    "'kv' is shared by blocks: its size is that of one block"
refused initial "$five" objects.csv "$object,initial\nkv,100B,hbm;host,blocks,host\n" "no block is there at the start"
refused nobody "$five" nodes.csv "$nodes\ndecode,compute,,kv,,10us,,,\n" "no node outputs it"
refused two "$five" nodes.csv "$nodes\na,compute,gpu,,kv,1us,,,\nb,compute,gpu,,kv,1us,,,\n" "'a' and 'b' both output it"
refused moved "$five" nodes.csv "$nodes\na,compute,gpu,,kv,1us,,,\nb,prefetch,,,,,kv,host,hbm\n" \
    "node 'b' cannot move or hold it"
refused far "$five" nodes.csv "$nodes\na,compute,gpu,,kv,1us,,,\nb,compute,gpu,,,1us * kv.missing,,,\n" \
    "the duration of 'b' depends on its counts"
cache hold "$five"
printf '%b' "$nodes\na,compute,gpu,,kv,1us,,,\nb,compute,gpu,kv,,1us,,,\nc,compute,gpu,,,1us,,,\n" >"$work/hold/nodes.csv"
printf '%s\n' from,to,type,object a,b,data-ready,kv b,c,lifetime-hold,kv >"$work/hold/edges.csv"
exits 3 "an edge that holds it" check "$work/hold"
says "edges.csv:3" "is refused at its place"
says "so name it among the inputs of 'c'" "and how it can be held is told"
refused count "$five" nodes.csv "$nodes\na,compute,gpu,,kv,1us * kv.mising,,,\n" "did you mean 'kv.missing'"
refused unnamed '{mode: open, arrivals: fixed(rate=1/s), jobs: 2}' x '' "nothing says which ones a job needs"
refused twice "{mode: open, arrivals: 'trace(file=../five.jsonl, format=mooncake)', blocks: {count: 1,
  conversation: 1}}" x '' "the trace names the blocks of its jobs, too"
refused once '{mode: once}' nodes.csv "$nodes\na,compute,gpu,,kv,1us,,,\n" "mode once has no jobs that could share it"
exits 3 "a domain that is no tier" run "$work/five" -p asap --set policy.cache.spill=gpu
says "cache.spill: no domain 'gpu'" "is refused by name"
exits 3 "a way that plans cannot know" run "$work/five" -p asap --set policy.prefetch.when=jit
says "prefetch 'jit' is not for objects that jobs share by blocks" "is refused by name"

# What means nothing is warned of.
cache plain "$five"
printf 'object,size\nkv,100B\n' >"$work/plain/objects.csv"
sed -i 's/^kv,100B/&/; s/domains: .*/domains: {hbm: {capacity: 300B, reserve: 0B}}/; /^routes/,/d2h, b/d' "$work/plain/scenario.yaml"
printf '%s\n' "$nodes" 'a,compute,gpu,,kv,1us,,,' >"$work/plain/nodes.csv"
exits 0 "no object is shared" check "$work/plain"
says "policy 'none': cache.spill changes nothing here" "cache is of no use then"
says "policy 'asap': prefetch changes nothing here" "nor is prefetch"

# A rule for the object says when its blocks are fetched.  The second of two at once waits 9us for the first, which
# makes 1 and 2, and finds them in its turn: 9 + 1 + 10; as it comes it finds nothing, and makes them, too: 9 + 9 + 10.
cat >"$work/pair.jsonl" <<'JSON'
{"timestamp": 0, "input_length": 1024, "output_length": 5, "hash_ids": [1, 2]}
{"timestamp": 0, "input_length": 1024, "output_length": 5, "hash_ids": [1, 2]}
JSON
cache pair "{mode: open, arrivals: 'trace(file=../pair.jsonl, format=mooncake)'}"
sed -i 's/capacity: 300B/capacity: 600B/
    s/^  - {name: asap.*/&\n  - {name: ruled, action: as-given, prefetch: demand, rules: [{objects: "k*", prefetch: asap}]}/' \
    "$work/pair/scenario.yaml"
exits 0 "a rule for shared blocks" check "$work/pair"
check "is of use" sh -c "! grep -q \"policy 'ruled'\" '$work/err'"
exits 0 "in turn" run "$work/pair" -p demand -o "$work/turn"
latencies turn "19 20"
exits 0 "by rule" run "$work/pair" -p ruled -o "$work/ruled"
latencies ruled "19 28"
exits 3 "a way that plans cannot know, in a rule" run "$work/pair" -p ruled --set policy.prefetch.when=jit
says "prefetch 'jit' is not for objects that jobs share by blocks" "is refused by name"

# Three tiers: a block takes 20us from the host to the third one and 30us back.
# third NAME: with the trace of four requests, two blocks each, that fit into the home; two of the host.
third()
{
    cache "$1" "{mode: open, arrivals: 'trace(file=../four.jsonl, format=mooncake)'}"
    sed -i 's/hbm;host,/hbm;host;nvme,/' "$work/$1/objects.csv"
    sed -i 's/^domains: .*/domains: {hbm: {capacity: 200B, reserve: 0B}, host: {capacity: 200B, reserve: 0B}, nvme: {capacity: 10kB, reserve: 0B}}/
        s/^resources: {/&h2n: {}, n2h: {}, /
        s/^routes:/&\n  - {from: host, to: nvme, resource: h2n, bandwidth: 5MB\/s, evidence: assumed}\n  - {from: nvme, to: host, resource: n2h, bandwidth: 3333333.3333333335B\/s, evidence: assumed}/' \
        "$work/$1/scenario.yaml"
}
t=0
for hashes in "1, 2" "3, 4" "5, 6" "1, 2"; do
    echo "{\"timestamp\": $t, \"input_length\": 1024, \"output_length\": 5, \"hash_ids\": [$hashes]}"
    t=$((t + 1))
done >"$work/four.jsonl"
third tiers
exits 0 "three tiers" check "$work/tiers"
exits 0 "all placements are tiers" run "$work/tiers" -p demand -o "$work/three"
# 9 + 10.  1 and 2 go to the host: 20 + 9 + 10.  They leave it, 40, so that 3 and 4 can: 40 + 20 + 9 + 10.  3 and 4 leave
# the host, 40, 1 and 2 come there, 60, and home, 20, where 5 and 6 are lost, as the host is in use: 120 + 1 + 10.
latencies three "19 39 79 131"
prints "spilled from host to nvme" "what goes between the lower tiers"
prints "fetched from nvme to host" "and back"
prints "moved: 400 B from hbm to host, 400 B from host to nvme, 200 B from host to hbm, 200 B from nvme to host" "in bytes"
exits 0 "the same as JSON" run "$work/tiers" -p demand --json
prints '"fetched_to": "host"' "has the hops"
prints '"spilled_bytes": 400' "has their bytes"
# row COLUMN VALUE...: of caches.csv.
row()
{
    while [ $# -gt 1 ]; do
        check "$1 is $2" awk -F, -v name="$1" -v want="$2" '
            NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) c = i; next}
            {exit !(c && $c == want)}' "$work/three/caches.csv"
        shift 2
    done
}
row found_nvme_blocks 2 found_host_blocks 0 fetched_nvme_blocks 2 fetched_nvme_bytes 200 fetched_host_blocks 2 \
    fetched_blocks 2 evicted_hbm_blocks 6 spilled_hbm_blocks 4 spilled_host_bytes 400 lost_hbm_blocks 2 \
    evicted_host_blocks 4 evicted_nvme_blocks 0 left_nvme_blocks 4 left_host_blocks 2 left_hbm_blocks 2 lost_blocks 2
exits 0 "prefetch at arrival" run "$work/tiers" -p asap --set 'policy.cache.spill=host;nvme' -o "$work/early"
latencies early "19 39 79 131"
exits 0 "prefetch ahead" run "$work/tiers" -p demand --set 'policy.prefetch={when: lookahead, lookahead: 2}' -o "$work/look"
latencies look "19 39 79 131"
# Written through: 1 and 2 are in the third tier and 3 and 4 in the host when they have to leave, and are dropped; so
# are 3 and 4 when 1 and 2 come, 60, and 5 and 6 when they come home, 20.
exits 0 "written through" run "$work/tiers" -p demand --set policy.cache.write=through -o "$work/through"
latencies through "19 19 19 91"
prints "written ahead from host to nvme" "is told"
exits 0 "the host alone" run "$work/tiers" -p asap -o "$work/alone"
latencies alone "19 39 39 19"
exits 0 "an axis of tiers" sweep "$work/tiers" -p demand --set 'sweep={policy.cache.spill: [none, host, host;nvme, nvme]}'
prints "there is no route from 'hbm' to 'nvme'" "a tier that no route reaches is told"
# A route of its own from the third tier: 3 and 4 leave the host, 40, so that 5 and 6 can leave the home, 20; 60 + 1 + 10.
third direct
sed -i 's/to: host, resource: n2h/to: hbm, resource: n2h/' "$work/direct/scenario.yaml"
exits 0 "a direct route" run "$work/direct" -p demand -o "$work/straight"
latencies straight "19 39 79 131"
prints "fetched from nvme to hbm" "is taken"
third staged
sed -i 's/resource: n2h,/& staging: {domain: host, bucket: 10B, buckets: 2},/' "$work/staged/scenario.yaml"
exits 1 "staging buckets" run "$work/staged" -p demand
prints "blocks of 'kv' cannot go through the staging buckets of this route" "are refused by name"
# A placement that no policy names.
third named
sed -i 's/- {name: demand, action: as-given}/- {name: demand, action: as-given, cache: {spill: host}}/' "$work/named/scenario.yaml"
exits 0 "two of three" check "$work/named"
says "placement 'nvme' of 'kv' changes nothing: no policy has it in its cache.spill" "the third is of no use"
exits 3 "one that is not there" run "$work/tiers" -p demand --set 'policy.cache.spill=[host, disk]'
says "cache.spill: no domain 'disk'" "is named"
exits 3 "no such way" run "$work/tiers" -p demand --set policy.cache.write=throuh
says "cache.write: unknown word 'throuh' (did you mean 'through'" "is named"
# A tier on the way that is smaller than the home: the last job finds 7 in the third tier and has two of its three
# blocks in the host, which has room for two; or it finds two there, with one of the host's that it uses, too.
narrow()
{
    third "$1"
    sed -i 's/hbm: {capacity: 200B/hbm: {capacity: 300B/; s/- {name: demand, action: as-given}/- {name: demand, action: as-given, cache: {write: through}}/
        s/four.jsonl/'"$1"'.jsonl/' "$work/$1/scenario.yaml"
    t=0
    for hashes in $2; do
        echo "{\"timestamp\": $t, \"input_length\": 1024, \"output_length\": 5, \"hash_ids\": [$hashes]}"
        t=$((t + 1))
    done >"$work/$1.jsonl"
}
narrow short "4,6 2,4,7 2,3,4 2,3,7"
exits 0 "a narrow way" check "$work/short"
says "blocks of 'kv' come home from 'nvme' through 'host', of which 200 B are usable, less than the 300 B of 'hbm'" \
    "is warned of"
says "scenario.yaml:3:47: warning" "at the tier"
exits 1 "all of it held" run "$work/short" -p demand
says "less than the 300 B of 'hbm'" "a run warns, too"
prints "fetch:kv:nvme of job 3 demands 100 B of host, of which 200 B are usable and 200 B are held: 200 B by job 3, with nobody left to give them back" \
    "who holds them is told"
narrow some "1,3 4,6,7 1,2,7 1,4,6"
exits 1 "some of it held" run "$work/some" -p demand
prints "fetch:kv:nvme of job 3 demands 200 B of host, of which 200 B are usable and 200 B are held: 100 B by job 3; the 100 B that nobody uses could leave and are too few" \
    "what could leave is told, too"
exits 0 "a home that is as small" check "$work/tiers"
check "is not warned of" sh -c "! grep -q may-deadlock '$work/err'"
exits 0 "a host as large as the home" run "$work/short" -p demand --set domains.host.capacity=300B
check "is not warned of" sh -c "! grep -q may-deadlock '$work/err'"
finish
