#!/bin/sh
# scenarios/azure-conversation: the mean time to first token of the 70B model is that of the queue M/G/1
# (Pollaczek and Khinchine), and all requests of the published trace are accounted for, at both models.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
azure=$SL_SRCDIR/scenarios/azure-conversation

# field FILE COLUMN: of the first row.
field()
{
    awk -F, -v k="$2" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i}
        NR == 2 {print $c; exit}' "$1"
}

# 0.1213 s of work and 0.237 s of waiting; a standard error is some 9 ms.
exits 0 "Poisson arrivals" run "$azure/llama-70b" --trials 2 --set run.jobs=10000 \
    --set objective.metric=ttft -o "$work/p"
check "mean time to first token is 0.359 s (it is $(field "$work/p/summary.csv" mean_us) us)" \
    awk -v x="$(field "$work/p/summary.csv" mean_us)" 'BEGIN {exit !(x > 314e3 && x < 404e3)}'
check "offered load is 0.671 (it is $(field "$work/p/summary.csv" offered_load))" \
    awk -v x="$(field "$work/p/summary.csv" offered_load)" 'BEGIN {exit !(x > 0.65 && x < 0.69)}'
check "at the prompts" test "$(field "$work/p/summary.csv" bottleneck)" = prefill

# A relative name counts from the scenario's folder, wherever the command is called.
cp -r "$azure/llama-8b" "$work/own"
printf 'TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,374,44\r\n' >"$work/short.csv"
exits 0 "a trace beside the scenario" run "$work/own" --trials 1 --set 'run.parameters={}' \
    --set 'run.arrivals=trace(file=../short.csv, format=azure)'
prints "1 arrived, 1 completed" "is found"
# 40.7 us x 374 + 44 steps of 6 ms.
prints "279.2 ms" "and its request takes its own time"

# whole MODEL SPEED
whole()
{
    exits 0 "the trace through $1" run "$azure/$1" --trials 1 --set 'run.parameters={}' -o "$work/$1" \
        --set "run.arrivals=trace(file=$trace, format=azure, speed=$2)"
    check "$1: 19,366 requests, all completed" test "$(field "$work/$1/summary.csv" jobs)" = 19366 \
        -a "$(field "$work/$1/summary.csv" completed)" = 19366 \
        -a "$(field "$work/$1/summary.csv" rejected)" = 0
}
# A request without an answer is served; where a node makes no step, its row in the trace is named.
printf '%s\n' TIMESTAMP,ContextTokens,GeneratedTokens '2023-11-16 18:15:46.6805900,374,44' \
    '2023-11-16 18:15:50.9951690,396,0' >"$work/silent.csv"
silent="--trials 1 --set run.parameters={}"
exits 0 "no answer" run "$SL_SRCDIR/scenarios/azure-conversation/llama-70b" $silent \
    --set "run.arrivals=trace(file=$work/silent.csv, format=azure)"
prints "2 arrived, 2 completed" "is served"
cp -r "$SL_SRCDIR/scenarios/azure-conversation/llama-70b" "$work/steps"
chmod -R u+w "$work/steps"
sed -i 's/"max(1, generated_tokens)"/generated_tokens/' "$work/steps/nodes.csv"
exits 3 "no step" run "$work/steps" $silent --set "run.arrivals=trace(file=$work/silent.csv, format=azure)"
says "silent.csv:3): 'decode' makes 0 steps" "is told at its row"
says "steps of max(1, ...) allow for that" "with the remedy"

trace=${SL_SHARED:-}/data/arrivals/azure_conv_2023.csv
if [ ! -r "$trace" ]; then
    skip "the published trace" "no ../shared/data/arrivals"
elif [ -z "${SL_LONG:-}" ]; then
    skip "the published trace" "SL_LONG is not set"
else
    whole llama-70b 1
    whole llama-8b 10
fi
finish
