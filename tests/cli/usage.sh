#!/bin/sh
# Options that are not what they should be, or do not go together: exit 2, the option named, nothing written.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
hello=$SL_SRCDIR/scenarios/hello
trace=$SL_SRCDIR/tests/fixtures/traces/weight_stream.json
cd "$work" || exit 99

# wrong MESSAGE ARGUMENTS...
wrong()
{
    message=$1
    shift
    got=0
    "$SLACKLINE" "$@" >"$work/out" 2>"$work/err" || got=$?
    if [ "$got" -eq 2 ] && grep -qF -- "$message" "$work/err" && [ "$(ls)" = "$left" ]; then
        pass "$*: $message"
    else
        fail "$*: $message" "exit $got, expected 2: $(cat "$work/err") $(ls)"
    fi
}

mkdir taken && : >taken/scenario.yaml && : >taken/file && : >out && : >err
left=$(ls)

wrong "--axis scale.duration.*: expected KEY=VALUE,VALUE,..." sweep "$hello" --axis 'scale.duration.*' -o made
wrong "--axis scale.size.* is given twice" sweep "$hello" --axis 'scale.size.*=1,2' --axis 'scale.size.*=3,4' -o made
wrong "--refine is about the boundaries of --map" sweep "$hello" --refine 2 -o made
wrong "--race needs an objective.order" sweep "$hello" -p recompute --set 'objective.order=[]' --race
wrong "--robustness compares policies, and fewer than two of these have a figure" compare "$hello" -p recompute -p fetch-late \
    --trials 1 --robustness 1.5
wrong "--threads" reproduce taken --threads 0
wrong "--threads" reproduce taken --threads many

wrong "--costs is about all trials: it goes without --at and --node" explain "$hello" --costs --at p99
wrong "--costs is about all trials: it goes without --at and --node" explain "$hello" --costs --node f0
wrong "--object: no object matches 'nothing*'" explain "$hello" --costs --object 'nothing*' --trials 20

wrong "--format: unknown format 'perfeto'" export "$hello" --format perfeto
wrong "--format is missing" export "$hello"
wrong "--format dot shows a plan: it goes without --at and --window" export "$hello" --format dot --at p99
wrong "--format dot shows a plan: it goes without --at and --window" export "$hello" --format dot --window 0ms:1ms
wrong "--force needs a file (-o FILE)" export "$hello" --format dot --force
wrong "'taken/file' exists already (--force replaces it)" export "$hello" --format dot -o taken/file
wrong "one --policy at a time" export "$hello" --format dot -p keep -p recompute

wrong "--window is FROM:TO, such as 10ms:25ms, not '5ms'" audit "$trace" --window 5ms
wrong "--window" audit "$trace" --window 5:6ms
wrong "--window 6ms:5ms ends before it begins" audit "$trace" --window 6ms:5ms
wrong "--step and --window are two scopes; give one" audit "$trace" --step 0 --window 1ms:2ms
wrong "--force needs a folder (-o DIR)" audit "$trace" --force
wrong "--durations is recorded or empirical, not 'drawn'" import "$trace" --durations drawn -o made
wrong "--movable is in or both, not 'out'" import "$trace" --movable out -o made
wrong "-o DIR is missing: the folder to write" import "$trace"
wrong "'taken' holds a scenario already (--force replaces it)" import "$trace" -o taken

wrong "--evaluations" search "$hello" --evaluations none
wrong "--budget: the time must be longer than 0" search "$hello" --budget 0s
wrong "--budget" search "$hello" --budget 60

wrong "a record of a scenario needs a folder to be written to (-o DIR)" decide "$hello" -p recompute
wrong "--at hbm: expected AXIS=VALUE" decide "$hello" -p recompute --at hbm -o made
wrong "--within" decide "$hello" -p recompute --within 0.5 -o made
wrong "--within" decide "$hello" -p recompute --within twice -o made
wrong "a scenario chooses no policy: name one with --policy" decide "$hello" -o made
wrong "--tolerance" decide taken/file --measured taken --tolerance 0%
wrong "--tolerance" decide taken/file --measured taken --tolerance much
wrong "--budget: a search takes time" decide taken/file --rebase --device taken --budget 0s
wrong "--budget" decide taken/file --rebase --device taken --budget 5

wrong "--mapping: unknown mapping 'cudda'" feasibility taken/file --mapping cudda
wrong "who answers? --reply FILE, or --mapping NAME" feasibility taken/file
wrong "--baseline-reply goes with --reply: a mapping answers both" feasibility taken/file --mapping cuda --baseline-reply taken/file
wrong "--write-reply goes with --mapping" feasibility taken/file --reply taken/file --write-reply made
wrong "'taken/file' exists already" feasibility taken/file --mapping cuda --write-reply taken/file

wrong "--robustness" compare "$hello" -p keep -p recompute --robustness wide
wrong "--robustness" compare "$hello" -p keep -p recompute --robustness 1

# An audit that is there is replaced only when told to.
exits 0 "an audit" audit "$trace" -o audit
left=$(ls)
wrong "'audit' holds an audit already (--force replaces it)" audit "$trace" -o audit
exits 0 "--force replaces it" audit "$trace" -o audit --force

# What generate takes: parameters of a template, each within its range.
wrong "'heads' is not of the form KEY=VALUE" generate llm-train -o made --set heads
wrong "does not divide hidden" generate llm-train -o made --set heads=33
wrong "parameter 'heads'" generate llm-train -o made --set heads=few
wrong "parameter 'heads': '0' is out of range" generate llm-train -o made --set heads=0
wrong "no device 'tractor'" generate llm-train -o made --set device=tractor
wrong "'taken/scenario.yaml' exists already (--force overwrites it)" generate llm-train -o taken
finish
