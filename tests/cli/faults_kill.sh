#!/bin/sh
# kill -9 at random times during a sweep: --resume completes the folder to the bytes of one that
# nothing interrupted.  A second process is refused while the first one runs, and not by what a killed
# one left.  SIGINT and SIGTERM end a sweep with 130 and keep the finished cells.
#
# 15 kills that hit; 200 with SL_LONG=1.  Times are drawn from a fixed seed; where the machine takes
# the sweep's time, no kill is a failure.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello
kills=15
[ -z "${SL_LONG:-}" ] || kills=200
sweep="sweep $hello --trials 400 --threads 1"
cd "$work" || exit 99

# same FOLDER: the uninterrupted one's files and bytes, but for the date and the command in the manifest.
same()
{
    (cd whole && find . | sort) >files
    (cd "$1" && find . | sort) | diff files - || return 1
    for file in whole/*.csv; do
        cmp "$file" "$1/$(basename "$file")" || return 1
    done
    grep -v -e '"date"' -e '"command"' whole/manifest.json >m1
    grep -v -e '"date"' -e '"command"' "$1/manifest.json" | diff m1 -
}

milliseconds()
{
    date +%s%N | cut -c1-13
}

# shellcheck disable=SC2086 # $sweep is words
from=$(milliseconds)
exits 0 "a sweep without interruption" $sweep -o whole
took=$(($(milliseconds) - from))
check "took a measurable time" test $took -gt 0

# Each try runs on where the last one was killed, until the folder is complete; then it is compared,
# and another begins.
seed=1
draw() # a number below $1, by the minimal standard generator (Park and Miller 1988)
{
    seed=$((seed * 16807 % 2147483647))
    drawn=$((seed % $1))
}
hits=0 tries=0 folders=0 bad=
while [ $hits -lt $kills ] && [ $tries -lt $((20 * kills)) ] && [ -z "$bad" ]; do
    tries=$((tries + 1))
    draw $((took + 1))
    "$SLACKLINE" $sweep --resume -o cut >out 2>err &
    pid=$!
    sleep "$(awk "BEGIN {print $drawn / 1000}")"
    kill -KILL $pid 2>/dev/null
    code=0
    wait $pid 2>/dev/null || code=$?
    case $code in
    137)
        hits=$((hits + 1))
        ;;
    0)
        folders=$((folders + 1))
        same cut >why 2>&1 || bad="after $hits kills the folder differs: $(cat why)"
        rm -rf cut
        ;;
    *) bad="after $hits kills --resume ends with $code: $(cat err)" ;;
    esac
done
if [ -z "$bad" ]; then
    "$SLACKLINE" $sweep --resume -o cut >out 2>err || bad="the last --resume: $(cat err)"
    [ -n "$bad" ] || same cut >why 2>&1 || bad="the last folder differs: $(cat why)"
    folders=$((folders + 1))
fi
what="$hits kills in $tries runs, $folders folders equal to the whole one"
if [ -z "$bad" ] && [ $hits -eq $kills ]; then pass "$what"; else fail "$what" "$bad"; fi

# started ARGUMENTS...: a sweep of many trials in the background, at its second cell; its id in $pid.
started()
{
    rm -rf busy
    "$SLACKLINE" sweep "$hello" --trials 100000 --threads 1 -o busy "$@" >busy.out 2>busy.err &
    pid=$!
    tries=0
    while [ ! -e busy/cells/00001.part ] && [ $tries -lt 6000 ] && kill -0 $pid 2>/dev/null; do
        sleep 0.01
        tries=$((tries + 1))
    done
    kill -0 $pid 2>/dev/null
}

long="sweep $hello --trials 100000 --threads 1 -o busy"
if started; then
    exits 4 "a second process on the same folder, with --resume" $long --resume
    says "another run is writing into 'busy': process $pid on $(uname -n)" "is refused, and told who writes"
    exits 4 "with --force" $long --force --trials 20
    says "process $pid on" "refused, too"
    exits 2 "as a new run" $long
    check "the first goes on" kill -0 $pid
    kill -KILL $pid
    wait $pid 2>/dev/null
    check "the killed one leaves its name" grep -q "^process $pid on " busy/running
    kept=$(find busy/cells -name '*.part' | wc -l)
    exits 0 "which refuses nobody" sweep "$hello" --trials 20 --threads 1 -o busy --force
    check "and does not stay" test ! -e busy/running
    check "finished cells had been kept" test "$kept" -ge 1
else
    wait $pid
    skip "a second process on the same folder" "the sweep was over before it"
fi
for signal in INT TERM; do
    if started; then
        kill -$signal $pid
        code=0
        wait $pid || code=$?
        check "SIG$signal ends a sweep with 130" test $code -eq 130
        check "and says how to go on" grep -q -e '--resume' busy.err
        check "the finished cells stay" test -e busy/cells/00001.part
        check "and nothing else" sh -c "test -z \"\$(find busy -type f ! -name '*.part' ! -name manifest.json)\""
    else
        wait $pid
        skip "SIG$signal during a sweep" "the sweep was over before it"
    fi
done
finish
