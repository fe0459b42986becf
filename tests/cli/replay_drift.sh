#!/bin/sh
# Replays on a machine that is written down, calibrated by its own tables: what of an error is drift,
# and what the model lacks, is what was planted.
. "$SL_SRCDIR/tests/support/tap.sh"
simulator=$SLACKLINE SLACKLINE=$SLACKLINE_CALIBRATE
cp -R "$SL_SRCDIR/tests/fixtures/drift" "$work/drift" && chmod -R u+w "$work/drift"
machine=$work/drift/machine.yaml

exits 0 "the device is measured" measure --backend script --script "$machine" -o "$work/drift/device" \
    --cases 'alone:*;pair:*;control:*'
# replayed NAME ARGUMENTS...: 200 repetitions of the scenario into $work/NAME.
replayed()
{
    name=$1
    shift
    exits 0 "$name: replayed" replay "$work/drift" -b script -n 200 -o "$work/$name" "$@"
    cp "$work/out" "$work/$name.txt"
}
# figure NAME FILE ROW COLUMN VALUE SLACK: a figure of the row that begins with ROW.
figure()
{
    got=$(awk -F, -v row="$3" -v column="$4" \
        'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) c = i } $1 == row { print $c }' "$work/$1/$2.csv")
    check "$1: $4 of $3 is $5 (got $got)" awk -v a="$got" -v b="$5" -v s="$6" \
        'BEGIN { exit !(a != "" && a - b <= s && b - a <= s) }'
}

# As calibrated: 4 ms of products beside a copy of 4.2 ms, and nothing in each other's way.
replayed same --script "$machine"
figure same drift product ratio 1 0.01
figure same drift copy ratio 1 0.000001
figure same drift copy calibrated_us 4200 0.001
figure same verdict median measured_us 4200 0.001
figure same verdict median error 0 0.000001
figure same verdict median seen_error 0 0.000001
figure same drift product shots 100 0
check "same: products are as sessions differ" grep -q '^product,.*,yes,100,0$' "$work/same/drift.csv"

# A fifth slower, and a copy that is in a product's way: it has done 4.8 / 1.5 = 3.2 ms of its 4.2 when
# the product ends, and ends at 5.8.  Of shots 6 to 205, behind two works' warm-up, 40 are a fifth.
sed -e 's/, bandwidth: 1GB\/s, noise/, bandwidth: 0.83333333333GB\/s, noise/' "$machine" >"$work/later.yaml"
cat >>"$work/later.yaml" <<'YAML'
kappa:
  - {victim: copy, set: product, kappa: 1.5}
troubles:
  - {kind: preempted, every: 5}
YAML
replayed later --script "$work/later.yaml"
figure later drift product ratio 1.2 0.006
figure later drift copy ratio 1 0.000001
figure later verdict median measured_us 5800 30
figure later verdict median projected_us 4200 0.001
figure later verdict median error -0.2759 0.003    # 4.2 / 5.8 - 1
figure later verdict median seen_projected_us 4800 30
figure later verdict median seen_error -0.1724 0.006 # 4.8 / 5.8 - 1
figure later verdict median drift -0.125 0.006      # 4.2 / 4.8 - 1
check "later: 1.2 lies in the interval" \
    awk -F, '$1 == "product" { found = $9 <= 1.2 && 1.2 <= $10 } END { exit !found }' "$work/later/drift.csv"
check "later: products have moved further than sessions differ" \
    grep -q '^product,.*,no,80,20$' "$work/later/drift.csv"
check "later: rejected shots are counted" grep -q '^drift,.*,160,40,-0\.1' "$work/later/replay.csv"
check "later: the report tells drift from the model" grep -q "is -12\.[0-9]% by drift" "$work/later.txt"

# Drift alone: the second projection is right where the first one is off by what was planted.
sed -e '/^kappa:/,$d' "$work/later.yaml" >"$work/slower.yaml"
replayed slower --script "$work/slower.yaml"
figure slower verdict median error -0.125 0.006
figure slower verdict median seen_error 0 0.006
check "slower: nothing is left" grep -q "overlap: nothing is shown to be missing" "$work/slower.txt"

# compare takes such folders, of which the one policy's is the other's under its name.
cp -R "$work/slower" "$work/other"
sed -i 's/,keep,/,same,/' "$work/other/replay.csv"
"$simulator" compare "$work/drift" -p keep -p same --measured "$work/slower" --measured "$work/other" \
    >"$work/out" 2>"$work/err"
check "compare takes the folders" test $? -eq 0
prints "keep (200 of 200 repetitions on script judged)" "compare: how many repetitions"

exits 3 "a machine that is not written down" replay "$work/drift" -b script --script "$work/none.yaml"
exits 2 "a script for another backend" replay "$work/drift" --script "$machine"
# --force replaces a replay, and nothing else.
again="replay $work/drift -b script --script $machine -n 20 --force"
mkdir "$work/mine" && echo mine >"$work/mine/notes"
# shellcheck disable=SC2086 # $again is words
exits 2 "force on a folder of something else" $again -o "$work/mine"
check "force on a folder of something else: nothing is added" test "$(ls "$work/mine")" = notes
# shellcheck disable=SC2086
exits 0 "force on a replay" $again -o "$work/same"
check "force on a replay: it is replaced" grep -q '^drift,keep,script,[^,]*,[^,]*,20,20,' "$work/same/replay.csv"
finish
