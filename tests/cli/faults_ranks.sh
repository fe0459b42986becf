#!/bin/sh
# kill -9 in a sweep on ranks, at random times: of the leader, of another rank, of the launcher.  --resume, on
# three ranks, on two or without any, completes the folder to the bytes of one that nothing interrupted.
#
# 9 kills that hit, a third of each kind; 60 with SL_LONG=1.  Times are drawn from a fixed seed.
. "$SL_SRCDIR/tests/support/tap.sh"
grep -q '^#define WITH_MPI' "$SL_BUILDDIR/config.h" || skip_all "built without --with-mpi"
command -v mpirun >/dev/null 2>&1 || skip_all "mpirun is not installed"
. "$SL_SRCDIR/tests/support/mpi.sh"
sweep="sweep $SL_SRCDIR/scenarios/hello --trials 4000 --threads 1"
kills=9
[ -z "${SL_LONG:-}" ] || kills=60
cd "$work" || exit 99
# shellcheck disable=SC2086 # words
exits 0 "a sweep without interruption" $sweep -o whole

# start RANKS: the sweep on so many ranks, or by one process (0), in the background.
start()
{
    if [ "$1" -eq 0 ]; then
        # shellcheck disable=SC2086
        timeout -s KILL 120 "$SLACKLINE" $sweep --resume -o cut >out 2>err &
    else
        # shellcheck disable=SC2086
        timeout -s KILL 120 mpirun -n "$1" "$SLACKLINE" $sweep --resume -o cut >out 2>err &
    fi
    job=$!
}

# victim KIND: its id; the launcher's where the ranks are not there yet.
victim()
{
    launcher=$(ps -o pid= --ppid $job | tr -d ' ')
    [ -n "$launcher" ] || return 1
    case $1 in
    leader) ps -o pid=,comm= --ppid "$launcher" | awk '$2 == "slackline" && !n++ {print $1}' ;;
    rank) ps -o pid=,comm= --ppid "$launcher" | awk '$2 == "slackline" {last = $1} END {print last}' ;;
    launcher) echo "$launcher" ;;
    esac
}

milliseconds()
{
    date +%s%N | cut -c1-13
}
from=$(milliseconds)
start 3
wait $job
took=$(($(milliseconds) - from))
check "on three ranks" same whole cut
rm -rf cut

seed=1
draw() # a number below $1, by the minimal standard generator (Park and Miller 1988)
{
    seed=$((seed * 16807 % 2147483647))
    drawn=$((seed % $1))
}
# ended CODE: what became of a run.  Ranks whose launcher was killed end by themselves, moments later.
ended()
{
    if [ "$1" -eq 0 ]; then
        folders=$((folders + 1))
        same whole cut >why 2>&1 || bad="after $hits kills the folder differs: $(cat why)"
        rm -rf cut
    elif grep -q 'another run is writing' err; then
        waits=$((waits + 1))
        [ $waits -lt 200 ] || bad="after $hits kills ranks hold the folder: $(cat err)"
        sleep 0.2
    else
        bad="after $hits kills --resume ends with $1: $(cat err)"
    fi
}
hits=0 tries=0 folders=0 waits=0 bad=
while [ $hits -lt $kills ] && [ $tries -lt $((20 * kills)) ] && [ -z "$bad" ]; do
    tries=$((tries + 1))
    case $((hits % 3)) in 0) kind=leader ;; 1) kind=rank ;; 2) kind=launcher ;; esac
    start $((tries % 2 ? 3 : 2))
    draw $((took + 1))
    sleep "$(awk "BEGIN {print $drawn / 1000}")"
    id=$(victim $kind) && [ -n "$id" ] && kill -KILL "$id" 2>/dev/null && killed=yes || killed=
    code=0
    wait $job 2>/dev/null || code=$?
    if [ $code -ne 0 ] && [ -n "$killed" ] && ! grep -q 'another run is writing' err; then
        hits=$((hits + 1))
        # One in four is taken up by a process without ranks.
        [ $((hits % 4)) -eq 0 ] || continue
        code=4 waits=0
        while [ $code -ne 0 ] && [ -z "$bad" ]; do
            start 0
            code=0
            wait $job || code=$?
            ended $code
        done
    else
        ended $code
    fi
done
code=1 waits=0
while [ $code -ne 0 ] && [ -z "$bad" ]; do
    start 3
    code=0
    wait $job || code=$?
    ended $code
done
what="$hits kills in $tries runs, $folders folders equal to the whole one"
if [ -z "$bad" ] && [ $hits -eq $kills ]; then pass "$what"; else fail "$what" "$bad"; fi
sleep 1
check "no rank outlives its job" sh -c "! ps -eo args | grep '[s]weep $SL_SRCDIR/scenarios/hello --trials 4000 --threads 1 --resume -o cut'"
finish
