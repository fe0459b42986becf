#!/bin/sh
# mpirun slackline sweep: the same folder as from one process, and what happens when a rank is lost.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello

# Commands that do not share work would run several times, side by side.
OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=0
export OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
exits 2 "run as one of three ranks" run "$hello" --policy recompute
says "only 'slackline sweep' shares its work" "is refused, with the reason"
OMPI_COMM_WORLD_RANK=1
exits 2 "another rank" run "$hello" --policy recompute
check "says nothing" test ! -s "$work/err"
unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
if ! grep -q '^#define WITH_MPI' "$SL_BUILDDIR/config.h"; then
    PMI_RANK=0 PMI_SIZE=2
    export PMI_RANK PMI_SIZE
    exits 2 "sweep as a rank of a build without MPI" sweep "$hello" -o "$work/none"
    says "this build has no MPI" "is refused"
    says "--with-mpi" "and says what to do"
    check "nothing is written" test ! -e "$work/none"
    skip "sweeps on ranks" "built without --with-mpi"
    finish
fi
if ! command -v mpirun >/dev/null 2>&1; then
    skip "sweeps on ranks" "mpirun is not installed"
    finish
fi
. "$SL_SRCDIR/tests/support/mpi.sh"

# on_ranks CODE RANKS WHAT ARGUMENTS...: like exits, of a job.
on_ranks()
{
    wanted=$1 ranks=$2 what=$3
    shift 3
    got=0
    timeout -s KILL 120 mpirun -n "$ranks" "$SLACKLINE" "$@" >"$work/out" 2>"$work/err" || got=$?
    if [ "$got" -eq "$wanted" ]; then
        pass "$what"
    else
        fail "$what" "exit $got, not $wanted: $(cat "$work/err")"
    fi
}

# Rank 0 fails at once, while others - its own worker, too - are about to send it what nobody wants.
for n in 1 2 3; do
    on_ranks 4 3 "a folder that cannot be made ends the job ($n)" sweep "$hello" --trials 20 \
        -o /dev/null/x
done

# Eight cells at two settings of the scenario; `keep` deadlocks at both.
exits 0 "one process" sweep "$hello" --trials 400 -o "$work/one"
sed '/trials\/s/d; /results:/d' "$work/out" >"$work/one.txt"
for n in 2 5; do
    on_ranks 0 $n "$n ranks" sweep "$hello" --trials 400 -o "$work/on$n"
    check "give the same folder" same "$work/one" "$work/on$n"
    sed '/trials\/s/d; /results:/d' "$work/out" >"$work/on.txt"
    check "and the same report" cmp "$work/one.txt" "$work/on.txt"
done

if [ -n "${SL_LONG:-}" ]; then
    # One cell that is worth being split.
    exits 0 "a large cell" sweep "$hello" -p recompute --axis domains.hbm.capacity=4.25GiB \
        --trials 250000 --threads 2
    sed '/trials\/s/d' "$work/out" >"$work/one.txt"
    on_ranks 0 3 "in portions" sweep "$hello" -p recompute --axis domains.hbm.capacity=4.25GiB \
        --trials 250000
    sed '/trials\/s/d' "$work/out" >"$work/on.txt"
    check "says the same" cmp "$work/one.txt" "$work/on.txt"
else
    skip "a large cell in portions" "SL_LONG is not set"
fi

on_ranks 2 2 "a folder that exists" sweep "$hello" --trials 10 -o "$work/one"
says "exists already" "is refused as by one process"
check "once" test "$(grep -c 'exists already' "$work/err")" = 1

# A rank that is killed: its launcher ends the others.  It leaves the leader about a second to tell, which a
# machine that does other things, too, may not give it: so there are some tries.
n=20000
lose_a_rank()
{
    rm -rf "$work/lost"
    timeout -s KILL 120 mpirun -n 3 "$SLACKLINE" sweep "$hello" --threads 1 --trials $n -o "$work/lost" \
        >"$work/out" 2>"$work/err" &
    job=$!
    waits=0
    until [ -e "$work/lost/cells/00000.part" ] || [ $waits -gt 300 ]; do
        sleep 0.1
        waits=$((waits + 1))
    done
    launcher=$(ps -o pid= --ppid $job | tr -d ' ')
    victim=$(ps -o pid=,comm= --ppid "$launcher" | awk '$2 == "slackline" {last = $1} END {print last}')
    kill -KILL "$victim"
    code=0
    wait $job || code=$?
}
for try in 1 2 3 4 5; do
    lose_a_rank
    [ $code -eq 0 ] || ! grep -q "rank 2 of 3" "$work/err" || break
    echo "# try $try: the leader was ended before it could tell"
done
check "a job that lost a rank fails" test $code -ne 0
says "rank 2 of 3 (process $victim on " "and names the rank"
says "--resume continues" "and what to do"
check "finished cells are there" test -e "$work/lost/cells/00000.part"
on_ranks 0 2 "resumed on two ranks" sweep "$hello" --trials $n -o "$work/lost" --resume
exits 0 "without a loss" sweep "$hello" --trials $n -o "$work/whole"
check "the folder is the same" same "$work/lost" "$work/whole"
finish
