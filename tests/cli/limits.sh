#!/bin/sh
# Every limit of doc/limits.md is reached by an input made here, one step beyond it, and refused with the
# words of the page; every row of its tables but the last is reached by some case.
. "$SL_SRCDIR/tests/support/tap.sh"
page=$SL_SRCDIR/doc/limits.md
case=$work/case
yaml='name: x
resources: {gpu: {servers: 1}}
objective: {tail: 0.99}'

# many FROM TO FORMAT: the format for each number, %d wherever it stands.
many()
{
    awk -v from="$1" -v to="$2" -v format="$3" \
        'BEGIN {for (i = from; i <= to; i++) {line = format; gsub(/%d/, i, line); printf "%s", line}}'
}

# repeat COUNT TEXT: the text so many times.
repeat()
{
    printf "%$1s" '' | sed "s/ /$2/g"
}

# fresh [YAML]: a scenario of one node, with more lines of YAML.
fresh()
{
    rm -rf "$case"
    mkdir "$case"
    printf '%s\n%s\n' "$yaml" "${1:-trials: 10}" >"$case/scenario.yaml"
    printf 'node,kind,resource,duration\na,compute,gpu,1us\n' >"$case/nodes.csv"
}

# nodes HEADER ROWS
nodes()
{
    printf 'node,kind,resource,duration%s\n%s\n' "$1" "$2" >"$case/nodes.csv"
}

# The words that the page says are printed about a limit.
words()
{
    awk -F '|' -v what="$1" '{gsub(/^ +| +$/, "", $2)} $2 == what {split($0, part, "`"); print part[2]}' "$page"
}

# refused WHAT EXIT COMMAND...: slackline's message holds the page's words.
refused()
{
    what=$1
    shift
    printf '%s\n' "$what" >>"$work/reached"
    expected=$(words "$what")
    exits "$@"
    if [ -n "$expected" ]; then
        says "$expected" "$what: the words of the page"
    else
        fail "$what: is in the page" "$(head -n 3 "$work/err" | cut -c 1-400)"
    fi
}

# check_refused WHAT: the scenario is refused by `check`.
check_refused()
{
    refused "$1" 3 "$1: refused" check "$case"
}

# ---- files ---------------------------------------------------------------------------------------
fresh
truncate -s 16777217 "$case/scenario.yaml"
check_refused "bytes of a YAML file"
fresh
echo "[$(repeat 1048576 a,)a]" >"$case/scenario.yaml"
check_refused "values of a YAML file"
fresh "description: $(repeat 65 '[')"
check_refused "depth of a YAML file"
fresh
truncate -s 4294967297 "$case/nodes.csv"
check_refused "bytes of a table"
fresh
nodes '' "$(repeat 201 n),compute,gpu,1us"
check_refused "bytes of a name"
fresh
refused "steps of a --set path" 3 "steps of a --set path: refused" run "$case" --set "$(repeat 64 a.)b=1"

# ---- the graph -----------------------------------------------------------------------------------
fresh "domains: {hbm: {capacity: 1GiB}}"
printf 'object,size\na,1000000TB\nb,1000000TB\nc,1000000TB\n' >"$case/objects.csv"
check_refused "bytes of all objects"
fresh "resources: {$(many 1 17 'r%d: {servers: 1}, ')gpu: {servers: 1}}"
sed -i 2d "$case/scenario.yaml"
nodes '' "a,compute,$(many 1 17 'r%d;'),1us"
check_refused "resources of a node"
fresh "domains: {$(many 1 17 'm%d: {capacity: 1GiB}, ')}"
nodes ,workspace "a,compute,gpu,1us,$(many 1 17 'm%d:1KiB;')"
check_refused "domains of a node"
fresh "run: {mode: closed, concurrency: 1, jobs: 10}"
nodes ,steps 'a,compute,gpu,1us,1000000001'
check_refused "steps of a node of a job"
fresh "domains: {$(many 1 9 'm%d: {capacity: 1GiB}, ')}
run: {mode: closed, concurrency: 1, jobs: 10}"
printf 'object,size,placements,shared\nkv,1KiB,%sm9,blocks\n' "$(many 1 8 'm%d;')" >"$case/objects.csv"
check_refused "placements of blocks that jobs share"
fresh "guards: {$(many 1 9 'g%d: {probability: 0.5}, ')}"
nodes ,guard "a,compute,gpu,1us,$(many 1 8 'g%d & ')g9"
check_refused "guards of a node"
fresh
nodes '' "a,compute,gpu,1us
b,compute,gpu,1us"
printf 'from,to,type,scope\na,b,ordering,next:1000001\n' >"$case/edges.csv"
check_refused "iterations that an edge skips"
fresh
nodes ,class "$(many 1 2049 'n%d,compute,gpu,1us,c%d
')"
check_refused "contention classes"
fresh "factors: {$(many 1 1025 'f%d: {draw: "uniform(low=1, high=2)", per: trial}, ')}"
check_refused "factors"
fresh "run: {mode: iterate, iterations: 600000}"
nodes '' "a,compute,gpu,1us
b,compute,gpu,1us"
check_refused "nodes of all iterations"

# ---- the machine ---------------------------------------------------------------------------------
fresh "domains: {$(many 1 4097 'm%d: {capacity: 1GiB}, ')}"
check_refused "domains"
fresh "domains: {hbm: {capacity: 1GiB}, host: {capacity: 1GiB}}
routes: [$(many 1 4097 '{from: hbm, to: host, resource: gpu, bandwidth: 1GB/s}, ')]"
check_refused "routes"
fresh "costs: [$(many 1 4097 '{allocation: 1us}, ')]"
check_refused "API costs"
fresh "resources: {$(many 1 65 'r%d: {servers: 1, group: g%d}, ')gpu: {servers: 1}}"
sed -i 2d "$case/scenario.yaml"
check_refused "contention groups"
fresh "kappa: {table: kappa.csv}"
nodes ,class "a,compute,gpu,1us,u"
printf 'victim,set,kappa\nu,u,1000000001\n' >"$case/kappa.csv"
check_refused "a slowdown"
fresh "kappa: {table: kappa.csv}"
nodes ,class "a,compute,gpu,1us,u"
printf 'victim,set,kappa\nu,%sc65,1.5\n' "$(many 1 64 'c%d+')" >"$case/kappa.csv"
check_refused "classes of a measured set"
fresh "kappa: {rule: bandwidth, demands: {$(many 1 64 'c%d: {l%d: 0.5}, ')c1: {l65: 0.5}}}"
sed -i 's/, c1: {l65: 0.5}/, c65: {l65: 0.5}/' "$case/scenario.yaml"
check_refused "links of the rule bandwidth"
fresh "kappa: {rule: bandwidth, demands: {$(many 1 65 "c%d: {$(many 1 64 'l@: 0.5, ' | awk '{while (sub(/@/, ++n)) ; print}')}, ")}}"
check_refused "demands of classes on links"
mkdir "$work/machine"
printf 'name: machine\nresources: {gpu: {servers: 1}}\n' >"$work/machine/device.yaml"
{
    echo class,variant,dist
    many 1 10001 'c%d,v,constant(1us)
'
} >"$work/machine/durations.csv"
fresh "device: ../machine"
check_refused "rows of durations.csv"
fresh "scale: {duration: {a: 1000001}}"
check_refused "a factor of scale"

# ---- durations and expressions -------------------------------------------------------------------
# duration TEXT
duration()
{
    fresh
    nodes '' "a,compute,gpu,\"$1\""
}
duration 3000000h
check_refused "a duration"
duration "1us + $(repeat 70000 ' ')1us"
check_refused "characters of a distribution"
duration "$(repeat 9 '1us + ')1us"
check_refused "depth of a distribution"
duration "mixture($(repeat 1024 '1 * 1us, ')1 * 1us)"
check_refused "components of a mixture"
duration "empirical(file=v.csv)"
truncate -s 268435457 "$case/v.csv"
check_refused "bytes of an empirical sample"
fresh
nodes '' "$(many 1 257 'a%d,compute,gpu,empirical(file=v%d.csv)
')"
for n in $(seq 257); do printf 'value\n1us\n2us\n' >"$case/v$n.csv"; done
check_refused "empirical samples in use at a time, in a process"
fresh
nodes '' "a,compute,gpu,480h
b,compute,gpu,480h"
refused "durations of a graph" 3 "durations of a graph: refused" run "$case"
fresh "trials: 10"
nodes '' "a,compute,gpu,480h"
refused "makespans of all trials" 3 "makespans of all trials: refused" run "$case"
fresh "kappa: {table: kappa.csv}
trials: 1"
sed -i 's/servers: 1/servers: 2, group: g/' "$case/scenario.yaml"
nodes ,class "a,compute,gpu,1h,u
b,compute,gpu,1h,u"
printf 'victim,set,kappa\nu,u,1000000\n' >"$case/kappa.csv"
refused "a duration under contention" 3 "a duration under contention: refused" run "$case"
nodes ,class,lane "$(many 1 3 'a%d,compute,gpu,36min,u,first
b%d,compute,gpu,36min,u,second
')"
printf 'victim,set,kappa\nu,u,1000\n' >"$case/kappa.csv"
refused "simulated time" 3 "simulated time: refused" run "$case"
fresh
nodes '' "a,compute,gpu,\"exponential(mean=480h)\""
refused "drawn durations of a trial" 3 "drawn durations of a trial: refused" run "$case" --trials 50

# ---- jobs ----------------------------------------------------------------------------------------
# queue PARAMETERS [DURATION]
queue()
{
    fresh "run: {mode: closed, concurrency: 1, jobs: 10, $1}"
    nodes '' "a,compute,gpu,\"${2:-1us}\""
}
queue "parameters: {$(many 1 65 'p%d: 1, ')}"
check_refused "parameters of a job"
queue "marks: {$(many 1 65 'm%d: a, ')}"
check_refused "figures of a job"
queue "parameters: {n: 1}" "1us * $(repeat 65 '(')n$(repeat 65 ')')"
check_refused "depth of an expression"
queue "parameters: {n: 1}" "1us * n$(repeat 3000 '+n')"
check_refused "characters of an expression"

queue "jobs: 10"
sed -i "s/mode: closed, concurrency: 1,/mode: open, arrivals: 'poisson(rate=1\/s$(repeat 4096 x))',/; s/, jobs: 10}/}/" "$case/scenario.yaml"
check_refused "characters of arrivals"
{
    printf t_s
    many 1 65 ',p%d'
    printf '\n0'
    many 1 65 ',1'
    echo
} >"$work/requests.csv"
fresh "run: {mode: open, jobs: 10, arrivals: 'trace(file=../requests.csv, format=csv)'}"
check_refused "columns of a trace of requests"

# ---- policies and commands -----------------------------------------------------------------------
fresh "policies: [$(many 1 4097 '{name: p%d, action: retain}, ')]"
check_refused "policies"
fresh "policies: [{name: p, action: retain, $(many 1 257 'k%d: 1, ')}]"
check_refused "settings of one policy"
fresh "sweep: {seed: [$(many 1 101 '%d, ')], trials: [$(many 1 101 '%d, ')], objective.tail: [$(many 1 101 '0.%d, ')]}"
check_refused "cells of a sweep"
fresh
refused "trials of a cell" 2 "trials of a cell: refused" run "$case" --trials 100000001
refused "threads" 2 "threads: refused" run "$case" --threads 1025
# shellcheck disable=SC2046 # words
refused "--set options" 2 "--set options: refused" run "$case" $(many 1 65 ' --set seed=%d')
# shellcheck disable=SC2046 # words
refused "--policy options" 2 "--policy options: refused" sweep "$case" $(many 1 65 ' --policy p%d')
# shellcheck disable=SC2046 # words
refused "--speedup options" 2 "--speedup options: refused" run "$case" $(many 1 33 ' --speedup a%d=1%')

# ---- traces --------------------------------------------------------------------------------------
# trace WHAT JSON: `audit` refuses the trace.
trace()
{
    printf '{"schemaVersion": 1, "traceEvents": [%s]}\n' "$2" >"$work/trace.json"
    refused "$1" 3 "$1: refused" audit "$work/trace.json" -o "$work/audited"
}
trace "depth of a Kineto trace" "$(repeat 1000 '[')$(repeat 1000 ']')"
trace "bytes of a text of a Kineto trace" "{\"ph\": \"X\", \"name\": \"$(repeat 9437184 w)\"}"
{
    echo repetition,node,resource,ready_us,start_us,end_us
    many 1 65537 '0,n,gpu,0,0,1
'
} >"$work/timeline.csv"
refused "works at a time on a resource of a timeline" 3 "many works at a time: refused" \
    audit "$work/timeline.csv" -o "$work/audited"
{
    echo repetition,node,resource,ready_us,start_us,end_us
    many 0 2 '%d,n,gpu,0,0,999999999999
'
} >"$work/timeline.csv"
refused "runs of a timeline" 3 "long runs: refused" audit "$work/timeline.csv" -o "$work/audited"

# ---- replies of a runtime ------------------------------------------------------------------------
fresh "policies: [{name: plain, action: as-given}]
trials: 1"
nodes ,evidence 'a,compute,gpu,1us,assumed: x'
exits 1 "a decision" decide "$case" -p plain -o "$work/decided"
# reply WHAT TEXT: a reply with this behind its head is refused.
reply()
{
    printf '{"format": "slackline-reply", "version": 1, "runtime": "r", "feasible": "yes", %s}\n' "$2" >"$work/reply.json"
    refused "$1" 3 "$1: refused" feasibility "$work/decided" --reply "$work/reply.json"
}
reply "depth of a reply" "\"ordering\": $(repeat 32 '[')$(repeat 32 ']')"
reply "keys of a map of a reply" "$(many 1 1001 '"k%d": 1, ')\"l\": 1"
reply "bytes of a text of a reply" "\"why\": \"$(repeat 9437184 w)\""
reply "memory of a reply's values" "\"ordering\": [$(repeat 4194304 1,)1]"
fresh "policies: [{name: plain, action: as-given}]
trials: 1"
nodes ,lane,evidence "$(many 1 32769 'n%d,compute,gpu,1us,s,assumed: x
')"
exits 1 "a decision on a long plan" decide "$case" -p plain --within 1 -o "$work/long"
refused "nodes of a plan that a built-in mapping answers" 3 "a long plan: refused" feasibility "$work/long" --mapping cuda

# The page has no row that nothing reaches, its last table aside.
sed -n '/^## .*not reached/q; /^| what/d; /^| ---/d; s/^| \([^|]*[^ |]\) *|.*`.*/\1/p' "$page" | sort >"$work/rows"
sort -u "$work/reached" >"$work/cases"
check "the rows of the page are the cases of this test" diff "$work/rows" "$work/cases"
finish
