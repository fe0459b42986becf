#!/bin/sh
# From a machine that is written down to a projection: what slackline makes of the tables, unedited, is
# what the machine's truth says by hand.
. "$SL_SRCDIR/tests/support/tap.sh"
machine=$SL_SRCDIR/tests/fixtures/calibrate/machine.yaml
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA

# The truth without its troubles, and only products vary: copies of 25 and 22 GB/s with 8 and 9 us.
sed -e '/^troubles:/,$d' -e '/^drift:/d' -e '/ noise: lognormal/d' "$machine" >"$work/machine.yaml"
"$SLACKLINE_CALIBRATE" measure --backend script --script "$work/machine.yaml" -o "$work/machine" \
    --cases 'alone:*;pair:*;control:*' >"$work/summary" 2>"$work/err"
check "calibrate" test $? -eq 0
check "a summary is printed" grep -q "^measured   3 sessions" "$work/summary"
if command -v gnuplot >/dev/null 2>&1; then
    for picture in kappa fits; do
        check "$picture: its path is printed" grep -q "/plots/$picture.png$" "$work/summary"
        # Signature, and the width in the header: 1200 = 0x04b0.
        check "$picture: a PNG 1200 pixels wide" sh -c "od -An -tx1 -N20 '$work/machine/plots/$picture.png' |
            tr -d ' \n' | grep -q '^89504e470d0a1a0a0000000d49484452000004b0'"
        check "$picture: a whole SVG" sh -c "tail -3 '$work/machine/plots/$picture.svg' | grep -q '</svg>'"
    done
else
    skip "pictures" "gnuplot is not installed"
fi

# case NAME NODES: a scenario on the device whose nodes.csv, below its header, is NODES.
case_of()
{
    mkdir "$work/$1"
    cat >"$work/$1/scenario.yaml" <<'YAML'
name: calibrated
device: ../machine
nodes: nodes.csv
objects: objects.csv
domains: {host: {capacity: 4GiB, reserve: 0B}, hbm: {reserve: 0B}}
trials: 100
YAML
    printf '%s\n' "object,size,home,placements,initial" "up,16MiB,host,host;hbm,host" \
        "down,16MiB,hbm,host;hbm,hbm" >"$work/$1/objects.csv"
    printf '%s\n' "node,kind,object,from,to,resource,class,work" "$2" >"$work/$1/nodes.csv"
    exits 0 "$1: runs" run "$work/$1" -o "$work/$1/out"
    check "$1: without a warning of the tables" sh -c "! grep csv: '$work/err'"
}

# takes NAME US SHARE: the median is US within SHARE of it.
takes()
{
    got=$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "median_us") c = i} NR == 2 {print $c}' \
        "$work/$1/out/summary.csv")
    check "$1: takes $2 us (got $got)" awk -v a="$got" -v b="$2" -v s="$3" \
        'BEGIN {exit !(a > b * (1 - s) && a < b * (1 + s))}'
}

# 8 us + 16777216 B / 25 GB/s.
case_of copy "move,transfer,up,host,hbm,,,"
takes copy 679.089 0.001
# The class's row at 4 MiB: 4194304 B / 4 GB/s, and a spread of 2%.
case_of product 'product,compute,,,,compute,gemm,"bytes=4MiB, dtype=bf16"'
takes product 1048.576 0.01
# Both copies from the start.  Up at 1.40, down at 1.30 of 9 us + 16777216 / 22 GB/s = 771.601 us: up ends
# at 950.724 us, when down has done 731.326 us of its work, and does the other 40.275 us alone.
case_of both "$(printf '%s\n' "move,transfer,up,host,hbm,,," "back,transfer,down,hbm,host,,,")"
takes both 990.999 0.002
finish
