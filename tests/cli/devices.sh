#!/bin/sh
# The device folders that come with Slackline.  Published ones: each row says where its figure is from,
# the figures are those of the sources (copy times by hand from bandwidth and overhead), and a generated
# scenario runs on each of them as it stands.  The measured one: its tables are a calibration's, and the
# scenarios made for it run.
. "$SL_SRCDIR/tests/support/tap.sh"

# Every row has a status, and its source or evidence begins with the word that the status demands.
# Published rows name a source after the word.
cat >"$work/sources.awk" <<'AWK'
/^#/ {next}
!head {head = 1; if ($0 !~ /,status,(source|evidence)$/) print FILENAME ": no status and source"; next}
!/,(published,"?published:.+|assumed,"?(assumed|published):.+|ok,.*)$/ {print FILENAME ": " $0}
AWK
# What a calibration wrote: a head that says with what and when, every figure with one of the statuses
# that calibrations give, and every slowdown measured.
cat >"$work/measured.awk" <<'AWK'
BEGIN {FS = ","}
/^# (tool|backend|start|identity)=./ {heads++}
/^#/ {next}
!names {for (i = 1; i <= NF; i++) at[$i] = i; names = NF; if (!at["status"]) print FILENAME ": no status"; next}
at["set"] && ($at["status"] !~ /^(ok|one-session|too-few)$/ || $at["source"] != "measured") {print FILENAME ": " $0}
!at["set"] && !/,(ok|other-regime|one-session|too-few),/ {print FILENAME ": " $0}
END {if (heads != 4) print FILENAME ": " heads " of 4 lines of provenance"}
AWK
published()
{
    for table in durations kappa; do
        awk -f "$work/sources.awk" "$folder$table.csv" >"$work/faults"
        check "$name: each row of $table.csv has a status and its source" test ! -s "$work/faults"
    done
    exits 0 "$name: a scenario can be made for it" generate llm-train -o "$work/$name" \
        --set=device="$folder" --set=layers=2
    exits 0 "$name: which is legal" check "$work/$name"
    exits 0 "$name: and runs" run "$work/$name" --trials 40 --threads 1
}
measured()
{
    for table in durations kappa; do
        awk -f "$work/measured.awk" "$folder$table.csv" >"$work/faults"
        check "$name: $table.csv is a calibration's" test ! -s "$work/faults"
    done
    for scenario in "$SL_SRCDIR"/scenarios/cpu-loop/*/; do
        exits 0 "$name: $(basename "$scenario") is legal" check "$scenario"
        exits 0 "$name: and runs" sweep "$scenario" --trials 40 --threads 1 -o "$work/$(basename "$scenario")"
        check "$name: no cell of it is illegal or deadlocked" \
            awk -F, 'NR > 1 && /,(illegal|deadlock)/ {exit 1}' "$work/$(basename "$scenario")/summary.csv"
    done
}
for folder in "$SL_SRCDIR"/models/devices/*/; do
    name=$(basename "$folder")
    if grep -q '^# tool=slackline-calibrate' "$folder/kappa.csv"; then
        measured
    else
        published
    fi
done

# copy DEVICE FROM TO US: 1 GiB between two domains takes overhead + bytes / bandwidth.
copy()
{
    mkdir "$work/copy-$1-$2"
    cp -r "$SL_SRCDIR/models/devices/$1" "$work/device-$1-$2"
    chmod -R u+w "$work/device-$1-$2"
    sed -i '/^ *noise: /d' "$work/device-$1-$2/device.yaml"
    cat >"$work/copy-$1-$2/scenario.yaml" <<YAML
name: one-copy
device: ../device-$1-$2
nodes: nodes.csv
objects: objects.csv
trials: 1
domains: {pinned: {capacity: 4GiB, reserve: 0B}, hbm: {reserve: 0B}}
YAML
    {
        echo "object,size,home,placements,initial"
        echo "tensor,1GiB,$2,hbm;pinned,$2"
    } >"$work/copy-$1-$2/objects.csv"
    {
        echo "node,kind,object,from,to"
        echo "move,transfer,tensor,$2,$3"
    } >"$work/copy-$1-$2/nodes.csv"
    exits 0 "$1: 1 GiB from $2 to $3" run "$work/copy-$1-$2" -o "$work/out-$1-$2"
    got=$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "max_us") c = i} NR == 2 {print $c}' \
        "$work/out-$1-$2/summary.csv")
    check "$1: takes $4 us (got $got)" awk -v a="$got" -v b="$4" 'BEGIN {exit !(a - b < 0.001 && b - a < 0.001)}'
}
# 2^30 bytes / bandwidth + 6 us per call + 8 us of latency.
copy a100-sxm4 pinned hbm 43310.041
copy a100-sxm4 hbm pinned 42963.673
copy gh200 pinned hbm 2862.122
copy gh200 hbm pinned 3629.292
copy h100-sxm5 hbm pinned 20662.881
finish
