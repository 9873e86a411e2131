#!/bin/sh
# Eight of the shader tests again, with native code from the first warp of every program (tests/shader/test_native.h);
# the golden images by the interpreter and by native code; hostile programs by both; instructions that call handlers.
# usage: native.sh. Environment: BUILD. Ends in "N passed, N failed[, N skipped]".
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
program=$build/teslapipe
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0
failed=0

if ! why=$("$program" bench alu --engine native --seconds 0.001 2>&1 >"$out/list"); then
    echo "no native code: $why"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi

# A name with a 0 runs as on CPUs that have less of AVX-512.
for test in alu convert vectors compute exec_cases fermi flow memory alu0 vectors0 exec_cases0; do
    bytes=1
    [ "$test" = "${test%0}" ] || bytes=0
    test=${test%0}
    TESLAPIPE_NATIVE_BYTES=$bytes TESLAPIPE_TEST_NATIVE=1 "$build/tests/shader_$test" >"$out/log" 2>&1 </dev/null
    code=$?
    good=$(grep -c '^\[       OK \]' "$out/log")
    bad=$(grep -E '^\[  FAILED  \] [a-z_0-9]+$' "$out/log" | sort -u | grep -c .)
    [ $code -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
    passed=$((passed + good))
    failed=$((failed + bad))
    [ "$bad" -eq 0 ] || {
        echo "FAIL native: shader_$test (exit $code):"
        grep -vE '^\[ RUN|^\[       OK' "$out/log" | tail -n 40
    }
done

for engine in interp native; do
    mkdir "$out/$engine"
    "$program" render all -o "$out/$engine" --size 320x240 --time 2.5 --engine $engine \
        >"$out/list" 2>"$out/errors" || {
        echo "FAIL native: render all --engine $engine:"
        cat "$out/errors"
        failed=$((failed + 1))
    }
done
for picture in "$out"/interp/*.png; do
    if "$program" compare "$picture" "$out/native/$(basename "$picture")"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done

# Which operations of the demo programs call handlers: memory, vertices, textures, nothing else. (Base has
# neither tables nor gathers.)
if "$program" bench native --simd avx2 demos/programs/*.?p demos/programs/compute/*.cp >"$out/list" 2>&1; then
    called=$(grep '^calls' "$out/list" | grep -vE '^calls (ld|st|red|emit|tex[a-z]*) ')
    if [ -z "$called" ] && grep -q '^calls emit' "$out/list"; then
        passed=$((passed + 1))
    else
        echo "FAIL native: operations of the demo programs without stencils:"
        echo "$called"
        failed=$((failed + 1))
    fi
elif ! grep -q 'this CPU runs' "$out/list"; then
    echo "FAIL native: bench native:"
    cat "$out/list"
    failed=$((failed + 1))
fi

# On AVX2, instructions that compute each lane by itself are code for eight lanes that goes round four times
# (148 bytes an instruction where rows of 32 are in memory).
{
    yes 'xor b32 $r1 $r1 $r0
shr u32 $r2 $r1 0xd
add b32 $r1 $r1 $r2
add f32 $r3 $r1 $r2' | head -n 24
    echo 'exit nop'
} >"$out/strips.cp"
if "$program" bench native --simd avx2 "$out/strips.cp" >"$out/list" 2>&1; then
    bytes=$(awk '$1 == "all" { print $NF }' "$out/list")
    if [ "$bytes" -lt 60 ]; then
        passed=$((passed + 1))
    else
        echo "FAIL native: $bytes bytes an instruction where strips are in registers:"
        cat "$out/list"
        failed=$((failed + 1))
    fi
fi

# A file that ends within a word.
printf '\001\000\000\360\201\007\000\340\001' >"$out/cut.fp.bin"
if "$program" bench native -t fp "$out/cut.fp.bin" >"$out/list" 2>&1 || ! grep -q '9 bytes are not' "$out/list"; then
    echo "FAIL native: a file of 9 bytes:"
    cat "$out/list"
    failed=$((failed + 1))
else
    passed=$((passed + 1))
fi

# Hostile programs: as many branches as fit 64 KiB, and nothing but arithmetic; seconds would mean
# that compiling is not linear.
{
    echo 'and b32 $r0 $r0 0xffff
and b32 $r1 $r0 0x7'
    i=0
    while [ $i -lt 2000 ]; do
        echo "set \$c0 # e s32 \$r1 \$r0
(e \$c0) bra #l$i
add b32 \$r1 \$r1 \$r0
l$i: add b32 \$r0 \$r0 \$r1"
        i=$((i + 1))
    done
    echo 'exit nop'
} >"$out/branches.cp"
{
    yes 'add f32 $r1 (mul $r1 $r2) $r0' | head -n 50000
    echo 'exit nop'
} >"$out/long.cp"
for name in branches long; do
    for engine in interp native; do
        timeout 60 "$program" run "$out/$name.cp" --grid 2 --block 64 --stats --engine $engine \
            >"$out/$name.$engine" 2>&1 || echo "exit $?" >>"$out/$name.$engine"
    done
    if grep -q instructions "$out/$name.interp" && cmp -s "$out/$name.interp" "$out/$name.native"; then
        passed=$((passed + 1))
    else
        echo "FAIL native: $name.cp:"
        cat "$out/$name.interp" "$out/$name.native"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
