# Sourced after tap.sh by tests of break-evens.  still_scenario TRIALS: $still, the scenario break-even
# without noise, whose closed forms the tests state.
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
scenario=$SL_SRCDIR/scenarios/break-even
still=$work/still

still_scenario()
{
    mkdir "$still"
    cp "$scenario"/*.csv "$still"
    sed 's/, noise: "[^"]*"//; s/^trials: .*/trials: '"$1/" "$scenario/scenario.yaml" >"$still/scenario.yaml"
    sed 's/"lognormal(mean=\([^,]*\), cv=0.02)"/\1/' "$scenario/nodes.csv" >"$still/nodes.csv"
}
