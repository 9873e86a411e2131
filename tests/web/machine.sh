#!/bin/sh
# The machine as WebAssembly (skipped unless make web-machine or make web built it): the golden pictures bit for bit,
# and results of small programs.
set -u
cd "$(dirname "$0")/../.." || exit 1
machine=$(realpath -m "${BUILD:-build}/web/machine.js")
if [ -n "${SAN:-}" ] || [ ! -f "$machine" ] || ! command -v node >/dev/null; then
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
# The machine with threads draws the scenes, too.
passed=0 failed=0
for file in "$machine" "${machine%machine.js}threads.js"; do
    [ -f "$file" ] || continue
    counts=$(node tests/web/machine.mjs "$file") || failed=$((failed + 1))
    echo "$counts" | grep -v ' passed, '
    passed=$((passed + $(echo "$counts" | sed -n 's/^\([0-9]*\) passed.*/\1/p')))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
