#!/bin/sh
# One fault at a time in a scenario that is otherwise sound: where it is, what was found and what would do,
# and exit 3.  A fault that changes nothing is a warning, and the answer stays 0.
. "$SL_SRCDIR/tests/support/tap.sh"
base=$work/base
mkdir -p "$base/dev" && cd "$work" || exit 99

cat >"$base/scenario.yaml" <<'EOF'
name: base
device: dev
baseline: retain
objective:
  tail: 0.95
  order: [tail, peak.hbm]
  constraints: [peak.hbm <= 74GiB, max_wait <= 50ms]
factors:
  clock: {draw: 'lognormal(mean=1.1, cv=0.03)', per: trial, classes: [gemm]}
overlap: overlap.csv
policies:
  - {name: retain, action: retain}
  - {name: jit, action: offload, prefetch: {when: jit}}
sweep:
  domains.hbm.capacity: [80GiB, 100GiB]
trials: 20
EOF
cat >"$base/dev/device.yaml" <<'EOF'
name: dev
facts: [{name: memory, value: 80 GB, source: 'published: a sheet'}]
resources: {compute: {servers: 1, group: gpu0}, h2d: {group: gpu0}, d2h: {}}
domains:
  hbm: {capacity: 80GiB, reserve: 1GiB, rounding: 2MiB}
  host: {capacity: 64GiB, reserve: 0B}
routes:
  - {from: host, to: hbm, resource: h2d, class: copy.h2d, bandwidth: 50GB/s, latency: 8us, evidence: 'published: a sheet'}
  - {from: hbm, to: host, resource: d2h, class: copy.d2h, bandwidth: 50GB/s, latency: 8us, evidence: 'published: a sheet'}
costs:
  - {what: mapping, duration: 2us, evidence: 'published: a sheet'}
kappa: {rule: product, table: kappa.csv}
EOF
cat >"$base/dev/durations.csv" <<'EOF'
# schema_version=1
class,size_bytes,work_flop,dist,dur_med_ns,ci_lo_ns,ci_hi_ns,sessions,evidence
gemm,,1e9,10us,10000,9900,10100,3,
gemm,,1e12,1ms,,,,,assumed: scaled
copy,1000,,4us,,,,,
EOF
cat >"$base/dev/kappa.csv" <<'EOF'
victim,set,set_size,kappa,ci_lo,ci_hi
gemm,copy.h2d,1,1.5,1.4,1.6
copy.h2d,gemm,1,1.2,,
EOF
cat >"$base/nodes.csv" <<'EOF'
node,kind,class,resource,work,duration,inputs,outputs,staging,staging_until,guard,evidence
first,compute,gemm,compute,flops=10GFLOP,,w,x,,,,measured: here
second,compute,,compute,,10us,view,y,,,,measured: here
EOF
cat >"$base/edges.csv" <<'EOF'
from,to,type,lag,scope
first,second,,1us,
EOF
cat >"$base/objects.csv" <<'EOF'
object,size,home,placements,alias_of,initial,persist
w,100MiB,hbm,hbm;host,,hbm,yes
x,1MiB,hbm,hbm;host,,,
y,1MiB,hbm,,,,
view,1MiB,,,x,,
EOF
cat >"$base/overlap.csv" <<'EOF'
a,b,allowed,contention,earliest,latest,proof
gemm,copy.d2h,yes,1.5;1.1,,,other engines
EOF

# changed CODE FILE SED MESSAGE: what `check` says of the base with FILE changed by SED.
changed()
{
    rm -rf case && cp -R "$base" case && sed -i "$3" "case/$2" || exit 99
    if cmp -s "$base/$2" "case/$2"; then
        fail "$4" "the change of $2 changes nothing: $3"
        return
    fi
    got=0
    (cd case && "$SLACKLINE" check .) >"$work/out" 2>"$work/err" || got=$?
    if [ "$got" -eq "$1" ] && grep -qF -- "$4" "$work/err"; then
        pass "$4"
    else
        fail "$4" "exit $got, expected $1: $(cat "$work/err")"
    fi
}

refused()
{
    changed 3 "$@"
}

warned()
{
    changed 0 "$@"
}

exits 0 "the base has no fault" check base
check "and nothing to say" test ! -s "$work/err"

# The table of measured durations.
durations=dev/durations.csv
refused $durations '3s/9900,10100/10001,10100/' \
    "$durations:3:22: error: the median of 10000 ns lies outside its interval from ci_lo_ns 10001 to ci_hi_ns 10100"
refused $durations '3s/9900,10100/9900,9999/' "$durations:3:22: error: the median of 10000 ns lies outside"
refused $durations '3s/9900,10100/0,10100/' "$durations:3:22: error: the median of 10000 ns lies outside"
refused $durations '3s/9900,10100/9900,/' "$durations:3:22: error: the median of 10000 ns lies outside"
refused $durations '3s/10000,9900/,10100/' \
    "$durations:3:17: error: the median of 10000 ns lies outside its interval from ci_lo_ns 10100"
refused $durations '3s/,10000,/,-1,/' "$durations:3:16: error: dur_med_ns: "
refused $durations '3s/9900/x/' "$durations:3:22: error: ci_lo_ns: "
refused $durations '3s/10100/nan/' "$durations:3:27: error: ci_hi_ns: "
refused $durations '3s/,3,$/,1.5,/' "$durations:3:33: error: sessions: "
refused $durations '5s/1000//' "$durations:5:6: error: class 'copy': a duration needs its size_bytes or its work_flop"
refused $durations '5s/1000/0/' "$durations:5:6: error: size_bytes: "
refused $durations '4s/1e12/1e9/' "$durations:4:1: error: class 'gemm' is already given at this size at $durations:3"
refused $durations '5s/copy/a;b/' "$durations:5:1: error: "
refused $durations '5s/4us/4/' "$durations:5:12: error: dist: "
refused $durations '4s/assumed: scaled/guessed/' "$durations:4:20: error: "

# The table of slowdowns.
kappa=dev/kappa.csv
warned $kappa '2s/1.5,1.4,1.6/0.9,,/' "$kappa:2:17: warning: kappa 0.9 counts as 1"
refused $kappa '2s/1.5,1.4,1.6/0,,/' "$kappa:2:17: error: kappa 0; a slowdown is above 0 and at most "
refused $kappa '2s/1.5,1.4,1.6/-2,,/' "$kappa:2:17: error: kappa: '-2' is negative; write zero or more"
refused $kappa '2s/1.5,1.4,1.6/1e30,,/' "$kappa:2:17: error: kappa "
refused $kappa '2s/1.5,1.4,1.6/1.5,1.4,1e30/' "$kappa:2:17: error: kappa "
refused $kappa '2s/1.5,1.4,1.6/1.7,1.4,1.6/' "$kappa:2:17: error: kappa 1.7 lies outside its interval from 1.4 to 1.6"
refused $kappa '2s/1.5,1.4,1.6/1.3,1.4,1.6/' "$kappa:2:17: error: kappa 1.3 lies outside its interval from 1.4 to 1.6"
set=$(awk 'BEGIN {for (i = 0; i < 65; i++) printf "%sc%d", i ? "+" : "", i}')
refused $kappa "2s/copy.h2d,1/$set,65/" "names 65 classes; 1 to 64 are allowed"

# The machine.
device=dev/device.yaml
refused $device '/^  hbm/s/rounding: 2MiB/rounding: 0B/' "$device:5:51: error: rounding: must be at least 1B"
refused $device '8s/to: hbm/to: host/' "$device:8:5: error: a route from 'host' to itself moves nothing"
refused $device '9s/from: hbm, to: host/from: host, to: hbm/' \
    "$device:9:5: error: a route from 'host' to 'hbm' is already defined at $device:8"
refused $device '8s/50GB/0GB/' "$device:8:70: error: bandwidth: '0GB/s' moves nothing"
refused $device '8s/latency: 8us/staging: {domain: host, bucket: 0B}/' "error: bucket: must be at least 1B"
refused $device '11s/$/\n  - {what: mapping, duration: 3us}/' \
    "$device:12:5: error: this cost is already defined at $device:11"
refused $device '12s/rule: product/rule: product, unknown_kappa: perhaps/' \
    "$device:12:39: error: unknown_kappa: unknown 'perhaps' (allowed: bound, forbid, or a number of at least"
refused $device '12s/rule: product/rule: bandwidth, demands: {gemm: {hbm: 1.5}}/' "$device:12:"
refused $device '2s/, source: .*/}]/' "$device:2:"
refused $device '2s/\[{.*/[memory]/' "$device:2:9: error: a fact"
warned scenario.yaml '2s/$/\nkappa: {accept: [driver]}/' \
    "scenario.yaml:3:17: warning: kappa.accept: 'driver' changes nothing: the tables do not differ in it"

# Factors.
regime='s/lognormal([^)]*)/'
refused scenario.yaml "9${regime}regime(p=0.1, level=2/" \
    "scenario.yaml:9:17: error: 'regime(p=0.1, level=2': unbalanced parenthesis"
refused scenario.yaml "9${regime}regime(p=0.1, level=2)/" \
    "scenario.yaml:9:17: error: 'regime(p=0.1, level=2)': a parameter is missing"
refused scenario.yaml "9${regime}regime(p=0.1, p=2, dwell=1ms)/" "a parameter is given twice"
refused scenario.yaml "9${regime}regime(0.1, 2, 1ms, 4)/" "unknown parameter"
refused scenario.yaml "9${regime}regime(q=0.1, level=2, dwell=1ms)/" "unknown parameter"
refused scenario.yaml "9${regime}regime(p=0.1, level=2, dwell=0ms)/" "a dwell of nothing"
refused scenario.yaml "9${regime}regime(p=1.5, level=2, dwell=1ms)/" "scenario.yaml:9:17: error: p: "
warned scenario.yaml "9${regime}regime(0.1, 2, dwell = 1ms)/" \
    "scenario.yaml:9:53: warning: factor 'clock': per changes nothing, a regime switches in simulated time"
refused scenario.yaml "9s/draw: '[^']*', //" "scenario.yaml:9:"

# Distributions.
# shellcheck disable=SC2016
duration='2,$s/10us/'
refused nodes.csv "${duration}\"lognormal(median=0us, sigma=0.1)\"/" "character 1: lognormal: median must be above 0"
refused nodes.csv "${duration}\"weibull(mean=10us, p99=9us)\"/" "character 1: weibull: p99 is below the mean"
refused nodes.csv "${duration}\"weibull(mean=0us, shape=2)\"/" "character 1: weibull: mean must be above 0"
refused nodes.csv "${duration}\"weibull(mean=1us, p99=100000us)\"/" "character 1: weibull: no law of shape "
refused nodes.csv "${duration}\"normal(mean=1us, p99=1s)\"/" "character 1: normal: p99 of 1e+06 times the mean is too wide"
refused nodes.csv "${duration}-5us/" "nodes.csv:3:26: error: "
refused nodes.csv "${duration}\"empirical(file=few.csv)\"/" "character 1: empirical: './few.csv': No such file or directory"
parts=$(awk 'BEGIN {for (i = 0; i < 1025; i++) printf "%s0.5*1us", i ? ", " : ""}')
refused nodes.csv "${duration}\"mixture($parts)\"/" "mixture: 1025 components, at most 1024"
refused nodes.csv "${duration}\"mixture(0.5*1us, 0.4*2us)\"/" "character 1: mixture: the weights sum to 0.9, not to 1"

# Nodes, edges, objects, overlaps.
refused nodes.csv '3s/compute/ /' "nodes.csv:3:1: error: node 'second' has no kind"
warned nodes.csv '3s/view,y,,/view,y,,first/' "nodes.csv:3:39: warning: staging_until changes nothing: node 'second' has no staging"
refused edges.csv '2s/first//' "edges.csv:2:1: error: an edge needs from and to"
refused edges.csv '2s/second//' "edges.csv:2:1: error: an edge needs from and to"
refused edges.csv '2s/second/first/' "edges.csv:2:1: error: node 'first' cannot wait for itself (scope next can)"
refused edges.csv '2s/1us,/1us,always/' "edges.csv:2:19: error: "
refused objects.csv '4s/1MiB//' "objects.csv:4:1: error: object 'y' has no size"
refused objects.csv '4s/hbm//' "objects.csv:4:1: error: object 'y' is used by nodes: with several domains it needs a home"
refused objects.csv '4s/1MiB/1e30GiB/' "objects.csv:4:3: error: size: "
warned objects.csv '5s/$/yes/' \
    "objects.csv:5:16: warning: persist changes nothing: object 'view' is an alias and has its root's"
refused overlap.csv '2s/gemm//' "overlap.csv:2:1: error: column 'a' is empty"
refused overlap.csv '2s/copy.d2h//' "overlap.csv:2:1: error: column 'b' is empty"
refused overlap.csv '2s/1.5;1.1/1.5;1.1;1.2/' \
    "overlap.csv:2:19: error: contention '1.5;1.1;1.2': one number for both, or two"
refused overlap.csv '2s/copy.d2h,yes,1.5;1.1/gemm,yes,1.5;1.1/' \
    "overlap.csv:2:15: error: contention '1.5;1.1': 'gemm' beside itself has one kappa"
refused overlap.csv '2s/copy.d2h/second/' \
    "error: contention of 'gemm' and 'second': 'second' is a node, and kappa belongs to classes"
refused overlap.csv '2s/,,,/,9us,1us,/' "overlap.csv:2:31: error: latest '1us' lies before earliest '9us'"

# What to run.
refused scenario.yaml '6s/tail/fastest/' "scenario.yaml:6:"
refused scenario.yaml '7s/max_wait <=/max_wait >=/' \
    "error: constraint 'max_wait >= 50ms': less of 'max_wait' is better: write max_wait <= LIMIT"
refused scenario.yaml '13s/name: jit/name: retain/' \
    "scenario.yaml:13:12: error: policy 'retain' is already defined at scenario.yaml:12"
refused scenario.yaml '13s/when: jit/when: []/' "has no value"
refused scenario.yaml '15s/\[.*/[]/' "scenario.yaml:15:25: error: domains.hbm.capacity has no value"
warned scenario.yaml '2s/$/\nrun: {outer: 200}/' "warning: run.outer changes nothing without run.uncertainty: sample"
finish
