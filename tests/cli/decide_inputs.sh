#!/bin/sh
# The files that a record was made from: all commands that read them again take them by their contents, wherever they lie now,
# and refuse others.
. "$SL_SRCDIR/tests/support/tap.sh"
commands="reproduce feasibility export rebase"
# on COMMAND RECORD: runs it; output in $work/out and err.
on()
{
    case $1 in
    reproduce) "$SLACKLINE" reproduce "$2" ;;
    feasibility) "$SLACKLINE" feasibility "$2" --mapping cuda ;;
    export) "$SLACKLINE" export "$2" --format handoff -o "$work/handoff.json" --force ;;
    rebase) "$SLACKLINE" decide "$2" --rebase --device "$work/device" --trials 100 ;;
    esac >"$work/out" 2>"$work/err"
}
# taken WHAT RECORD: each command reads it; refused WHAT RECORD TEXT: none does, and says why.
taken()
{
    for command in $commands; do
        got=0 && on "$command" "$2" || got=$?
        if [ $got -eq 0 ]; then pass "$1: $command"; else fail "$1: $command" "exit $got: $(tail -n 3 "$work/err" "$work/out")"; fi
    done
}
refused()
{
    for command in $commands; do
        got=0 && on "$command" "$2" || got=$?
        if [ $got -eq 0 ] || [ $got -eq 4 ]; then fail "$1: $command" "exit $got"; else pass "$1: $command refuses"; fi
        check "... and names it" grep -q "$3" "$work/out" "$work/err"
    done
}

"$SLACKLINE_CALIBRATE" measure --backend script --script "$SL_SRCDIR/tests/fixtures/loop/machine.yaml" -o "$work/device" \
    --cases 'alone:*;pair:*;control:*' >/dev/null 2>&1
mkdir "$work/here" && cp -R "$SL_SRCDIR/tests/fixtures/loop" "$work/here/loop" && cp -R "$work/device" "$work/here/device"
chmod -R u+w "$work/here"
exits 1 "a decision with a device of its own" decide "$work/here/loop" -p ahead --set device="$work/here/device" --trials 400 \
    --within 1 -o "$work/here/out"
exits 0 "and a runtime's answer" feasibility "$work/here/out" --mapping cuda
cp "$work/here/out/decision.yaml" "$work/first.yaml"
check "knows where the device lies seen from the record" \
    test "$(grep -c '^  from_record: ../device/' "$work/first.yaml")" = 3
taken "where it was" "$work/here/out"

# All of it elsewhere, and nothing where it was.
mv "$work/here" "$work/there"
taken "moved together" "$work/there/out"
check "the costs name the tables where they lie" grep -q "^  table: $(cd "$work/there" && pwd -P)/device/durations.csv" "$work/there/out/decision.yaml"
# Another device where it was, the one that is meant beside the record.
mkdir "$work/here" && cp -R "$work/there/device" "$work/here/device" && echo '# another' >>"$work/here/device/device.yaml"
taken "beside another device where it was" "$work/there/out"
mv "$work/there/device" "$work/gone"
rm -r "$work/here"
commands="reproduce feasibility export"
refused "without the device" "$work/there/out" "device.yaml', from which the decision was made, is not there"
mv "$work/gone" "$work/there/device" && echo '# another' >>"$work/there/device/device.yaml"
refused "with another device" "$work/there/out" 'device.yaml: .*has changed'
sed -i '$d' "$work/there/device/device.yaml"
commands="reproduce feasibility export rebase"
taken "with the same one again" "$work/there/out"

# edited SED: the record, in which a path is another one.
edited()
{
    sed "$1" "$work/there/out/decision.yaml" >"$work/there/out/edited.yaml"
    check "a path is edited" test "$(diff "$work/there/out/decision.yaml" "$work/there/out/edited.yaml" | grep -c '^>')" = 1
}
edited 's/^  path: nodes.csv/  path: nodez.csv/'
refused "a file that is not there" "$work/there/out/edited.yaml" nodez.csv
edited 's/^  path: nodes.csv/  path: edges.csv/'
refused "another file" "$work/there/out/edited.yaml" edges.csv
edited 's/^  path: edges.csv/  path: nodes.csv/'
refused "one file twice" "$work/there/out/edited.yaml" nodes.csv
cp "$work/there/loop/nodes.csv" "$work/there/loop/more.csv"
edited 's/^  path: nodes.csv/  path: more.csv/'
refused "one with the same contents that is not read" "$work/there/out/edited.yaml" more.csv
edited 's|^  path: .*/device/kappa.csv|  path: /none/kappa.csv|'
taken "a device's file by another path, found by its contents" "$work/there/out/edited.yaml"
edited 's|^  path: .*/device/kappa.csv|  path: '"$work/there/loop/edges.csv|"
taken "by that of a file with other contents" "$work/there/out/edited.yaml"
edited "s|^  folder: .*|  folder: $SL_SRCDIR/scenarios/hello|"
taken "a scenario by another folder" "$work/there/out/edited.yaml"

# A path that has no end is not read.
edited 's|^  path: .*/device/kappa.csv|  path: /dev/zero|'
taken "a device's file by a path without end" "$work/there/out/edited.yaml"

# A policy of several points is not one: whoever made all seals anew does not make it one.
awk '/^policy:/ { on = 1 } on && /^  - rule: 0/ && !done { print "  - rule: 0\n    key: prefetch.lookahead\n    values: [\"2\"]"; done = 1 }
     { print }' "$work/there/out/decision.yaml" >"$work/there/out/edited.yaml"
check "a policy of two points" "$SL_BUILDDIR/tests/support/reseal" "$work/there/out/edited.yaml"
refused "it" "$work/there/out/edited.yaml" "policy.settings has 'prefetch.lookahead' of rule 0 twice"
finish
