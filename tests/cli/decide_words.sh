#!/bin/sh
# What a decision says in words: who is held against whom, which drifts were looked for, and for want of what it stays open.
. "$SL_SRCDIR/tests/support/tap.sh"
at="--at domains.hbm.capacity=4.25GiB"
finding() { sed -n "s/^finding: //p" "$1/decision.yaml" | tr -s "'"; }
drifts() { sed -n "s/^drifts: //p" "$1/decision.yaml" | tr -s "'"; }
cp -r "$SL_SRCDIR/scenarios/hello" "$work/after"
twin="  - {name: twin, action: offload, select: largest, prefetch: {when: lookahead, lookahead: 2}}"
sed -i "s|^sweep:|$twin\n&|" "$work/after/scenario.yaml"
cp -r "$work/after" "$work/before"

# A policy that takes the time of another in each trial cannot be made to lead it by any drift.
exits 1 "beside a twin" decide "$work/after" -p fetch-early $at --trials 500 -o "$work/twin"
check "the drifts are those of three that differ" test "$(drifts "$work/twin" | grep -c "of the 3 best policies, 'fetch-early', 'recompute' and 'fetch-late': ")" = 1
check "and the twin is named" test "$(drifts "$work/twin" | grep -c "; 'twin' takes in each trial the time of one of them, and is left out'$")" = 1
sed -e '/name: recompute/d' -e '/name: fetch-late/d' -e 's/^baseline: .*/baseline: keep/' "$work/after/scenario.yaml" >"$work/two.yaml"
mkdir "$work/two" && cp "$work/after"/*.csv "$work/two" && cp "$work/two.yaml" "$work/two/scenario.yaml"
exits 1 "beside nobody but a twin" decide "$work/two" -p fetch-early $at --trials 500 -o "$work/alone"
check "no drift is looked for, which is said" test "$(drifts "$work/alone" | grep -c "not looked for: 'twin' takes its time in each trial, and there is no other policy that could lead")" = 1
check "one that deadlocks is no difference of infinity" test "$(finding "$work/alone" | grep -c "'fetch-early' has a finite p99 against 'keep'")" = 1

# The one that is behind has no lead to lose; a lead that is none by its interval is told as such.
exits 1 "the one that is behind" decide "$work/after" -p recompute $at --trials 500 -o "$work/behind"
check "has no lead, which is said" test "$(drifts "$work/behind" | grep -c "not looked for: on 500 trials 'fetch-early' is ahead of 'recompute', which has no lead there")" = 1
sed -i 's/name: twin\(.*\)lookahead: 2/name: three\1lookahead: 3/' "$work/two.yaml"
cp "$work/two.yaml" "$work/two/scenario.yaml"
exits 1 "beside one that is hardly apart" decide "$work/two" -p fetch-early $at --trials 500 -o "$work/near"
check "the lead is told to be open" test "$(drifts "$work/near" | grep -c "unscaled the lead over 'three' is not settled: 0 ps \[-")" = 1

# The same policy's name in two scenarios: each is told with its own.
exits 1 "a baseline of another folder" decide "$work/after" -p fetch-early $at --trials 1000 --within 1 --baseline "$work/before:fetch-early" \
    --baseline-set domains.hbm.capacity=4.25GiB -o "$work/other"
check "is told apart by the folders" test "$(finding "$work/other" | grep -c "'fetch-early' of 'after' .* against 'fetch-early' of 'before', as projected")" = 1
exits 1 "the same folder with other settings" decide "$work/after" -p fetch-late $at --trials 1000 --within 1 --baseline "$work/after:fetch-late" \
    --baseline-set domains.hbm.capacity=5.25GiB -o "$work/same"
check "is told apart by them" test "$(finding "$work/same" | grep -c "'fetch-late' .* against 'fetch-late' with domains.hbm.capacity=5.25GiB, as projected")" = 1
exits 1 "a policy of the same scenario" decide "$work/after" -p fetch-early $at --trials 1000 --within 1 -o "$work/own"
check "needs no folder" test "$(finding "$work/own" | grep -c "^''*fetch-early' lowers the p99 by .* against 'recompute', as projected")" = 1

# Too few trials: of a p99 0.99^368 is the first below 0.025, of a comparison of two 0.99^437 below 0.0125.
exits 1 "100 trials" decide "$work/after" -p fetch-early $at --trials 100 --within 1 -o "$work/few"
prints "there is no projected tail: 100 trials are too few, a p99 takes 368" "are too few for the tail"
prints "the projected tail is not compared: 100 trials of each are too few, p99s take 437" "and to compare it"
exits 0 "a sweep of 500 trials" sweep "$work/after" --trials 500 -o "$work/swept"
exits 1 "a decision on it" decide "$work/swept" $at --within 1
prints "status: hypothesis" "stays a hypothesis"
needs=$(sed -n 's/^\([^,]*,\)*tail,\([0-9]*\),.*/\2/p' "$work/swept/winners.csv" | head -n 1)
prints "it stays a hypothesis: the lowest tail; the sweep's 500 trials are too few to compare its tail, which takes $needs of each cell" "and says for want of what"
check "by a number" test "$needs" -gt 500
check "and so does the finding" test "$(finding "$work/swept" | grep -c "nothing speaks against it, it is not told apart from others by so few trials, and ")" = 1
finish
