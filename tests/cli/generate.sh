#!/bin/sh
# generate: every template makes a legal scenario that runs; sizes, FLOP and closed forms worked out here;
# a model's config.json in the place of its figures, and such files that are none.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA

# cell FILE ROW COLUMN: of a CSV file without quoted commas before that column.
cell()
{
    awk -F, -v r="$2" -v k="$3" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i}
        $1 == r {print $c}' "$1"
}
# near WHAT GOT WANTED SHARE
near()
{
    check "$1: $2 of $3" awk -v a="$2" -v b="$3" -v e="$4" \
        'BEGIN {d = a / b - 1; exit !(d <= e && d >= -e)}'
}
# mean FOLDER [OPTION...]: of the makespan, in us.
mean()
{
    "$SLACKLINE" run "$@" --json 2>"$work/err" | sed -n '/^  "mean": {/,/}/s/.*"value_us": \([0-9.e+]*\).*/\1/p'
}

"$SLACKLINE" list templates | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' >"$work/names"
check "there are five templates" test "$(wc -l <"$work/names")" -eq 5
while read -r name; do
    exits 0 "generate $name" generate "$name" -o "$work/$name"
    exits 0 "it is legal" check "$work/$name"
    prints "0 warnings" "without a warning"
    exits 0 "it runs" run "$work/$name" --trials 40 --set run.iterations=10
    exits 0 "once more" generate "$name" -o "$work/again"
    for file in nodes edges objects; do
        check "$name: the same $file.csv" cmp "$work/$name/$file.csv" "$work/again/$file.csv"
    done
    rm -r "$work/again"
done <"$work/names"

# Llama 2 70B, T = 8,192, s = 4,096, g = 1,024: FLOP of a layer, and 2 (2h^2 + 2hg + 3hf + 2h) bytes.
flop=$(awk 'BEGIN {h = 8192; g = 1024; f = 28672; t = 8192; s = 4096
    printf "%.6f", (2 * t * (2 * h * h + 2 * h * g + 3 * h * f) + 2 * t * s * h) / 1e9}')
near "weight-stream: GFLOP of a layer" "$(cell "$work/weight-stream/nodes.csv" layer.07 work | sed 's/flops=//; s/GFLOP//')" "$flop" 1e-9
check "bytes of its weights" test "$(cell "$work/weight-stream/objects.csv" weights.07 size)" = 1711308800B
# Without noise: on demand each copy and each layer after the other, L (f + c); two buffers f + (L - 1) max(c, f) + c.
# 52 GB/s, 6 us a call and 8 us latency; 516.2 TFLOP/s; a copy slows kernels by some percent.
still="--trials 1 --set factors.clock.draw=1 --set factors.link.draw=1 --set domains.hbm.capacity=8GiB"
c=$(awk -v g="$flop" 'BEGIN {print g / 516.2e3 * 1e6}')
f=$(awk 'BEGIN {print 1711308800 / 52e9 * 1e6 + 14}')
# shellcheck disable=SC2086
near "on demand, L (f + c)" "$(mean "$work/weight-stream" -p demand $still)" "$(awk -v c="$c" -v f="$f" 'BEGIN {print 80 * (f + c)}')" 0.02
# shellcheck disable=SC2086
near "two ahead, f + (L - 1) max(c, f) + c" "$(mean "$work/weight-stream" -p lookahead-2 $still)" \
    "$(awk -v c="$c" -v f="$f" 'BEGIN {print f + 79 * (c > f ? c : f) + c}')" 0.03

# Llama 3 8B: keys and values of a token are 128 KiB in all 32 layers; 32 sequences of 32,768 tokens.
check "llm-decode: keys and values of a layer" test "$(cell "$work/llm-decode/objects.csv" kv.09 size)" = 4096MiB
check "those of eight layers stay" test "$(grep -c '^kv.*,hbm,true,' "$work/llm-decode/objects.csv")" -eq 8
check "attention reads them and 2 (2h^2 + 2hg) bytes of weights" test \
    "$(cell "$work/llm-decode/nodes.csv" attention.09 work)" = "bytes=$((4096 + 80))MiB"
check "the weights are the published 8.03 billion parameters" test "$(cell "$work/llm-decode/objects.csv" weights size)" = 16060522496B
exits 0 "a batch that FLOP/s bind" generate llm-decode -o "$work/many" --set batch=1024 --set context=128
check "its feed-forward has 6Bhf FLOP" test "$(cell "$work/many/nodes.csv" mlp.00 work)" = flops=360.777252864GFLOP

# 24 steps of 10 and 20 ms.
exits 0 "a chain of constant times" generate chain -o "$work/still" --set cv=0
near "its makespan" "$(mean "$work/still" -p retain --trials 1)" 720000 1e-9

# moe at its defaults is the structure of scenarios/moe-prefetch.
for file in edges nodes; do
    cut -d, -f1-4 "$SL_SRCDIR/scenarios/moe-prefetch/$file.csv" | sort >"$work/a"
    cut -d, -f1-4 "$work/moe/$file.csv" | sort >"$work/b"
    check "moe: $file are those of moe-prefetch" cmp "$work/a" "$work/b"
done
check "an expert has 3hf parameters" test "$(cell "$work/moe/objects.csv" p.0.0 size)" = 352321536B

# A model's file.
cat >"$work/config.json" <<'JSON'
{"architectures": ["LlamaForCausalLM"], "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
 "num_attention_heads": 32, "torch_dtype": "float32", "vocab_size": 128256, "rope_scaling": {"hidden_size": 7}}
JSON
exits 0 "a model's config.json" generate weight-stream -o "$work/model" --set "config=$work/config.json" --set micro_batch=1
check "gives the layers" test "$(grep -c '^layer' "$work/model/nodes.csv")" -eq 16
check "the shape, without grouped keys and values, and the type" test \
    "$(cell "$work/model/objects.csv" weights.00 size)" = $((4 * (4 * 2048 * 2048 + 3 * 2048 * 8192 + 2 * 2048)))B
exits 0 "what is set goes before it" generate weight-stream -o "$work/set" --set layers=3 --set "config=$work/config.json"
check "three layers" test "$(grep -c '^layer' "$work/set/nodes.csv")" -eq 3
refused()
{
    printf '%s' "$3" >"$work/bad.json"
    exits "$1" "config.json: $2" generate weight-stream -o "$work/none" --set "config=$work/bad.json"
    says "$4" "$2: why"
    check "$2: nothing is written" test ! -e "$work/none"
}
refused 2 "a figure that is missing" '{"hidden_size": 2048}' "has no num_hidden_layers; say it with --set layers="
refused 2 "a figure that is none" '{"num_hidden_layers": 1.5, "hidden_size": 1}' "parameter 'layers'"
refused 2 "a figure out of range" '{"num_hidden_layers": 100000}' "parameter 'layers'"
refused 3 "no JSON" '{"num_hidden_layers": 3' "bad.json:1:"
refused 3 "an array" '[1, 2]' "the outermost value is no object"
refused 3 "a number" '3' "the outermost value is no object"
refused 3 "a key twice" '{"hidden_size": 1, "hidden_size": 2}' "a key is there twice"
refused 3 "an empty file" '' "no JSON, or ends too early"
refused 3 "deep nesting" "$(printf '{"a":'; head -c 100000 /dev/zero | tr '\0' '[')" "more than 64 deep"
exits 3 "a file that is not there" generate weight-stream -o "$work/none" --set config=/nonexistent
# Heads of their own width: 32 queries' and 8 keys' heads of 128 for a hidden size of 2,560.
cat >"$work/wide.json" <<'JSON'
{"hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36, "num_attention_heads": 32,
 "num_key_value_heads": 8, "head_dim": 128, "num_experts": null, "torch_dtype": "bfloat16", "vocab_size": 151936}
JSON
exits 0 "heads of their own width" generate llm-decode -o "$work/wide" --set "config=$work/wide.json"
check "keys and values have it: 2 x 2 x 8 x 128 B x 2^20 tokens" test "$(cell "$work/wide/objects.csv" kv.09 size)" = 4096MiB
check "so have the projections: 2 (2hq + 2hg) B" test "$(cell "$work/wide/nodes.csv" attention.09 work)" = \
    "bytes=$((4096 + 50))MiB"
check "and the formula says so" grep -q '^attention.09,.*e(2hq+2hg)+2egsB B' "$work/wide/nodes.csv"
exits 0 "it is legal" check "$work/wide"
exits 0 "the same, streamed" generate weight-stream -o "$work/wide-stream" --set "config=$work/wide.json"
layer=$((2 * 2560 * (32 + 8) * 128 + 3 * 2560 * 9728 + 2 * 2560))
check "its layers" test "$(cell "$work/wide-stream/objects.csv" weights.09 size)" = $((2 * layer))B
flop=$(awk 'BEGIN {h = 2560; q = 4096; g = 1024; t = 8192; s = 4096
    printf "%.6f", (2 * t * (2 * h * q + 2 * h * g + 3 * h * 9728) + 2 * t * s * q) / 1e9}')
near "and its FLOP" "$(cell "$work/wide-stream/nodes.csv" layer.09 work | sed 's/flops=//; s/GFLOP//')" "$flop" 1e-9
exits 0 "the same, trained" generate llm-train -o "$work/wide-train" --set "config=$work/wide.json"
check "its queries, keys and values" test "$(cell "$work/wide-train/objects.csv" qkv.09 size)" = 192MiB
exits 2 "more layers stay than there are" generate llm-decode -o "$work/none" --set resident_layers=33
says "resident_layers = 33 is above layers = 32" "said"

# What a dense layer does not count is refused, at its key.
experts='{"num_hidden_layers": 4,
  "num_local_experts": 8, "num_experts_per_tok": 2, "hidden_size": 2048, "intermediate_size": 6144,
  "moe_intermediate_size": 768, "num_attention_heads": 32, "torch_dtype": "bfloat16"}'
for name in llm-decode llm-train weight-stream; do
    printf '%s' "$experts" >"$work/bad.json"
    exits 3 "$name: experts" generate "$name" -o "$work/none" --set "config=$work/bad.json"
    says "bad.json:2:3: " "at the key"
    says "'num_local_experts' is 8" "which is named"
done
exits 0 "moe has experts" generate moe -o "$work/experts" --set "config=$work/bad.json"
check "of their own width" test "$(cell "$work/experts/objects.csv" p.0.0 size)" = $((2 * 3 * 2048 * 768))B
printf '{"num_hidden_layers": 4, "kv_lora_rank": 512}' >"$work/bad.json"
exits 3 "keys and values that are compressed" generate moe -o "$work/none" --set "config=$work/bad.json"
says "bad.json:1:26: " "too"
exits 2 "a template that has no model" generate chain -o "$work/none" --set config=x
finish
