# Sourced by shell tests: TAP on stdout.  Needs SLACKLINE and SL_SRCDIR; makes $work, a temporary
# folder that is removed at the end.
LC_ALL=C
export LC_ALL
number=0
work=$(mktemp -d "${TMPDIR:-/tmp}/sl-cli-XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM

# pass WHAT / fail WHAT [DETAIL]
pass()
{
    number=$((number + 1))
    echo "ok $number - $1"
}

fail()
{
    number=$((number + 1))
    echo "not ok $number - $1"
    [ -z "${2:-}" ] || printf '%s\n' "$2" | sed 's/^/# /'
}

skip()
{
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

skip_all()
{
    echo "1..0 # SKIP $1"
    exit 0
}

# sanitized [KIND]: the build looks for faults with some sanitizer, or that of the kind (address, thread).
sanitized()
{
    grep -q "^SL_CFLAGS = .*-fsanitize=.*${1:-}" "$SL_BUILDDIR/Makefile"
}

# skip_sanitized WHY: ends the test in such a build, where it would take long and find nothing more.
skip_sanitized()
{
    [ -n "${SL_LONG:-}" ] || ! sanitized || skip_all "$1"
}

# check WHAT COMMAND...: passes when the command succeeds.
check()
{
    what=$1
    shift
    if detail=$("$@" 2>&1); then pass "$what"; else fail "$what" "$detail"; fi
}

# exits CODE WHAT ARGUMENTS...: slackline's exit status; its output stays in $work/out and err.
exits()
{
    wanted=$1
    what=$2
    shift 2
    got=0
    "$SLACKLINE" "$@" >"$work/out" 2>"$work/err" || got=$?
    if [ "$got" -eq "$wanted" ]; then
        pass "$what"
    else
        fail "$what" "exit $got, not $wanted: $(cat "$work/err")"
    fi
}

# says TEXT WHAT: standard error of the last run contains the text.
says()
{
    if grep -qF -- "$1" "$work/err"; then pass "$2"; else fail "$2" "$(cat "$work/err")"; fi
}

prints()
{
    if grep -qF -- "$1" "$work/out"; then pass "$2"; else fail "$2" "$(cat "$work/out")"; fi
}

finish()
{
    echo "1..$number"
    exit 0
}
