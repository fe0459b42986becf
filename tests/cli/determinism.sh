#!/bin/sh
# The number of threads does not show in a results folder (apart from the manifest's date and
# command); the seed does, in every table of trials.
set -u
scenario=$SL_SRCDIR/scenarios/hello
work=$(mktemp -d "${TMPDIR:-/tmp}/slackline-determinism.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
number=0

ok() { # ok DESCRIPTION: by the status of the command before
    status=$?
    number=$((number + 1))
    [ "$status" -eq 0 ] || printf 'not '
    printf 'ok %d - %s\n' "$number" "$1"
}

simulate() { # simulate COMMAND FOLDER OPTION...
    command=$1
    folder=$2
    shift 2
    "$SLACKLINE" "$command" "$scenario" --trials 60 -o "$work/$folder" "$@" \
        >"$work/$folder.out" 2>"$work/$folder.err"
}

same_folders() { # same_folders A B
    for folder in "$1" "$2"; do
        mkdir -p "$work/plain"
        rm -rf "$work/plain/$folder"
        cp -r "$work/$folder" "$work/plain/$folder" || return 1
        sed '/"date":/d; /"command":/d' "$work/$folder/manifest.json" \
            >"$work/plain/$folder/manifest.json" || return 1
    done
    diff -r "$work/plain/$1" "$work/plain/$2" | sed 's/^/# /'
    diff -rq "$work/plain/$1" "$work/plain/$2" >"$work/differences"
}

echo 1..18
for command in run sweep; do
    simulate $command $command-1 --threads 1
    ok "$command on one thread"
    [ "$(grep -c . "$work/$command-1/trials.csv")" -gt 60 ]
    ok "$command writes its trials"
    for threads in 2 3 7; do
        simulate $command $command-$threads --threads $threads
        ok "$command on $threads threads"
        same_folders $command-1 $command-$threads
        ok "$command: the folder of $threads threads is that of one"
    done
    simulate $command $command-seed --threads 1 --seed 77 &&
        ! cmp -s "$work/$command-1/trials.csv" "$work/$command-seed/trials.csv"
    ok "$command: another seed gives other trials"
done
