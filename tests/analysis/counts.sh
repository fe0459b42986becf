# Sourced by the scripts of this folder.
# counts LOG: of the cases in a test's TAP; what was killed at a case has counted those before it.
counts()
{
    awk '/^ok / {if (/# SKIP/) skipped++; else passed++}
        /^not ok / {failed++}
        /^1\.\.0 # SKIP/ {skipped++}
        END {print passed + 0, "passed,", failed + 0, "failed,", skipped + 0, "skipped"}' "$1"
}
