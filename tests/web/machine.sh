#!/bin/sh
# The machine as WebAssembly, if it was built (make web-machine, make web): the golden pictures bit for bit, and answers.
set -u
cd "$(dirname "$0")/../.." || exit 1
machine=$(realpath -m "${BUILD:-build}/web/machine.js")
if [ -n "${SAN:-}" ] || [ ! -f "$machine" ] || ! command -v node >/dev/null; then
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
node tests/web/machine.mjs "$machine"
