#!/bin/sh
# slackline-calibrate --backend cuda where there is no GPU: it says why in one line and exits with 4.
# Drivers without a GPU stand in for real ones and are found as those are, by their soname.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE=$SLACKLINE_CALIBRATE
fakes=$SL_BUILDDIR/tests/support

# refuses TEXT WHAT: measuring exits with 4 after one line that contains the text.
refuses()
{
    exits 4 "$2" measure --backend cuda -o "$work/device"
    says "$1" "$2: says why"
    check "$2: in one line" test "$(wc -l <"$work/err")" -eq 1
    check "$2: makes no folder" test ! -e "$work/device"
}

# with_driver NAME MODE COMMAND...: with a driver of tests/support in the way of a real one.
with_driver()
{
    before=${LD_LIBRARY_PATH-}
    LD_LIBRARY_PATH=$fakes/$1:$before SL_FAKE_CUDA=$2
    export LD_LIBRARY_PATH SL_FAKE_CUDA
    shift 2
    "$@"
    LD_LIBRARY_PATH=$before
    unset SL_FAKE_CUDA
}

if "$SLACKLINE" --help | grep -q 'not in this build: built without CUDA'; then
    refuses "./configure --with-cuda=DIR" "built without CUDA"
    skip "drivers without a GPU" "built without CUDA"
    skip "kernels compile" "built without CUDA"
    finish
fi

### No driver, no GPU, a driver that won't do
if ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
    skip "no driver" "there is one"
else
    refuses "no NVIDIA driver here" "no driver"
fi
with_driver fake no-device refuses "there is no GPU" "a driver without a GPU"
with_driver fake mismatch refuses "are of different versions" "a driver beside another's module"
with_driver fake-old "" refuses "too old: it lacks cuMemRelease" "a driver that lacks a function"
with_driver fake "" exits 4 "a GPU that is not there" measure --backend cuda --device 3 -o "$work/device"
says "there is no GPU 3 (found: 1" "a GPU that is not there: says why"

### From shots to tables: one busy stream beside a work makes it half as long again
with_driver fake "" exits 0 "a calibration" measure --backend cuda --sessions 2 -o "$work/device" \
    --cases 'pair:stream|stream:*;alone:stream/f32-device-stream-warm:*'
# The table's columns by name.
awk -F, '/^#/ { next } !at["victim"] { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print $at["victim"], $at["set"], $at["shape"], $at["mode"], $at["status"],
            ($at["kappa"] > 1.499 && $at["kappa"] < 1.501) }' "$work/device/kappa.csv" >"$work/rows"
cat >"$work/wanted" <<'ROWS'
stream stream room share ok 1
stream stream fill share ok 1
ROWS
check "the slowdown that was planted" diff "$work/wanted" "$work/rows"
check "the machine is named" grep -q '^# gpu_uuid=GPU-00010203-0405-0607-0809-0a0b0c0d0e0f$' \
    "$work/device/kappa.csv"

### The kernels that the program asks for are those that are compiled
if "$NVCC" -ptx -arch=compute_80 -I"$SL_SRCDIR/calibrate/backends" \
    "$SL_SRCDIR/calibrate/backends/kernels.cu" -o "$work/kernels.ptx" 2>"$work/err"; then
    pass "kernels compile"
else
    fail "kernels compile" "$(cat "$work/err")"
fi
sed -n 's/^\.visible \.entry \([a-z0-9_]*\).*/\1/p' "$work/kernels.ptx" | sort >"$work/compiled"
grep -o '"sl_[a-z0-9_]*"' "$SL_SRCDIR/calibrate/backends/cuda.c" | tr -d '"' | sort >"$work/asked"
check "kernels have the names that are asked for" diff "$work/compiled" "$work/asked"
finish
