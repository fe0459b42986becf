#!/bin/sh
# The gallery of counterexamples: each row of gallery.csv shows its point, the README.md of each exhibit has its
# parts, the figures that the simulation gives and exactly the codes that check prints.
. "$SL_SRCDIR/tests/support/tap.sh"
gallery=$SL_SRCDIR/scenarios/counterexamples

# Each row is one line; the last field is `yes`, or the reason why the row does not show its point.
sh "$gallery/gallery.sh" --tsv >"$work/rows" 2>"$work/err"
rows=$(grep -c '^[a-z]' "$gallery/gallery.csv") # the header is one of them
check "every row of gallery.csv was run" test "$(grep -c . "$work/rows")" -eq $((rows - 1))
[ ! -s "$work/err" ] || sed 's/^/# /' "$work/err"

# Each failure mode and rejected default is a comment of gallery.csv, its rows below it.
awk '/^# (Failure modes|Rejected defaults)$/ { next }
     /^#/ { if (open) print item; item = $0; open = 1; items++; next }
     { open = 0 }
     END { if (open) print item
           if (items != 20) print items " items" }' "$gallery/gallery.csv" >"$work/missing"
check "twelve failure modes and eight rejected defaults have rows" test ! -s "$work/missing"
sed 's/^# */# /; s/^[^#]/# &/' "$work/missing"

# numbers README: what stands in backquotes in the paragraph of the number, one a line.
numbers()
{
    awk '/^\*\*The number that shows it\.\*\*/ { inside = 1 }
         inside && /^$/ { exit }
         inside' "$1" | tr '\n' ' ' | tr '`' '\n' | awk 'NR % 2 == 0'
}

# stated LO HI COLUMN NUMBERS: one of the numbers, to its digits, lies in [LO, HI].
stated()
{
    awk -v lo="$1" -v hi="$2" -v column="$3" '
        BEGIN { scale["us"] = 1; scale["ms"] = 1e3; scale["s"] = 1e6
                scale["B"] = 1; scale["KiB"] = 2^10; scale["MiB"] = 2^20; scale["GiB"] = 2^30
                wanted = column ~ /_us$/ ? "^[mu]?s$" : column ~ /_bytes?$/ ? "^([KMG]i)?B$" : \
                         column ~ /_byte_s$/ ? "^([KMG]i)?B s$" : "^$" }
        { value = $1; unit = $2 (NF > 2 ? " " $3 : "")
          if (value !~ /^[0-9.]+$/ || unit !~ wanted) next
          sub(/ s$/, "", unit)
          by = unit == "" ? 1 : scale[unit]
          half = index(value, ".") ? 10 ^ -(length(value) - index(value, ".")) / 2 : 0.5
          if ((value + half) * by >= lo - 1e-9 * lo && (value - half) * by <= hi + 1e-9 * hi) found = 1 }
        END { exit !found }' "$4"
}

while IFS="$(printf '\t')" read -r exhibit figure bad a a_lo a_hi good b b_lo b_hi _ factor shows; do
    row="$exhibit, $figure of $bad against $good"
    check "$row: as stated ($factor)" test "$shows" = yes
    readme=$gallery/$exhibit/README.md
    numbers "$readme" >"$work/numbers"
    case $figure in
    codes) for code in $a; do check "$row: states $code" grep -qx "$code" "$work/numbers"; done ;;
    verdict) check "$row: states $a" grep -qx "$a" "$work/numbers" ;;
    *)
        check "$row: states $a" stated "$a_lo" "$a_hi" "$figure" "$work/numbers"
        check "$row: states $b" stated "$b_lo" "$b_hi" "$figure" "$work/numbers"
        ;;
    esac
done <"$work/rows"

# codes SCENARIO: what check prints, as a README.md writes it.
codes()
{
    "$SLACKLINE" check "$1" >"$work/out" 2>"$work/err"
    found=$(grep -E ': (error|warning): ' "$work/err" | sed 's/.*\[\([a-z-]*\)]$/\1/' | sort -u | paste -s -d , - |
        sed 's/,/, /g')
    echo "${found:-none}"
}

for exhibit in "$gallery"/*/; do
    exhibit=${exhibit%/}
    name=${exhibit##*/}
    for part in "The tempting policy" "What goes wrong" "The number that shows it" "The policy that fixes it"; do
        check "$name: has '$part'" grep -qF "**$part.**" "$exhibit/README.md"
    done
    check "$name: has a row in gallery.csv" grep -q "^$name," "$gallery/gallery.csv"
    check "$name: stands in the gallery's README.md" grep -qF "[$name]($name/README.md)" "$gallery/README.md"
    for scenario in "$exhibit" "$exhibit"/*/; do
        [ -f "$scenario/scenario.yaml" ] || continue
        line="Codes: $(codes "$scenario")"
        [ "$scenario" = "$exhibit" ] || {
            scenario=${scenario%/}
            line="Codes of ${scenario##*/}: $(codes "$scenario")"
        }
        check "$name: $line" grep -qxF "$line" "$exhibit/README.md"
    done
    # Its commands are ones that a reader can type; 1 is a verdict.
    sed -n 's/^    slackline //p' "$exhibit/README.md" >"$work/commands"
    check "$name: has commands" test -s "$work/commands"
    while read -r command; do
        got=0
        case $command in
        check*) few= ;;
        *) few="--trials 100" ;;
        esac
        (cd "$SL_SRCDIR" && eval "\"\$SLACKLINE\" $command $few") >"$work/out" 2>&1 || got=$?
        check "$name: slackline $command" test "$got" -le 1
    done <"$work/commands"
done

# Users get what the tree has.
if [ -f "$gallery/local.mk" ]; then
    (cd "$gallery" && find ./*/ -type f ! -name '.*') | sed 's|^\./||' | sort >"$work/files"
    while read -r file; do
        grep -qF "\$(gallery)/$file" "$gallery/local.mk" || echo "$file"
    done <"$work/files" >"$work/missing"
    check "every file of an exhibit is in local.mk" test ! -s "$work/missing"
    sed 's/^/# /' "$work/missing"
fi

# The table is what users see; a gallery that no longer shows its point is an error.
SLACKLINE=$SLACKLINE sh "$gallery/gallery.sh" prefetch-as-early-as-possible >"$work/table" 2>&1
check "the table names the exhibit" grep -q "^prefetch-as-early-as-possible " "$work/table"
mkdir "$work/gallery"
cp -r "$gallery/gallery.sh" "$gallery/prefetch-as-early-as-possible" "$work/gallery"
chmod -R u+w "$work/gallery" # make distcheck tests a read-only tree
{
    head -1 "$gallery/gallery.csv"
    echo "prefetch-as-early-as-possible,none,.,jit,,.,asap,,p99_us,1.1"
} >"$work/gallery/gallery.csv"
check "a row that shows nothing exits 1" sh -c "sh '$work/gallery/gallery.sh' >'$work/table'; test \$? -eq 1"
check "and is marked" grep -q "DOES NOT SHOW" "$work/table"
finish
