#!/usr/bin/env bash
# The behaviour of the command line: help, exit codes 0/1/2, one clear line on stderr for bad input (unknown commands,
# scenes, options; impossible sizes; missing and broken data files).
# usage: cli.sh [TESLAPIPE]. Prints a line per failed check and "N passed, N failed".
. "$(dirname "$0")/../checks"
program=${1:-${BUILD:-build}/teslapipe}

# RUN: an emulated program cannot start another program for its processor, and cannot preload a library into programs of
# this machine.
skipped=0
starts_another() {
    [ "$1" = view ] || [ "$1" = debug ] || [[ "$1" = gl && " $* " = *" -- "* ]]
}

expect() { # exit code, text of the only line on stderr ("" = no line), arguments...
    code=$1
    text=$2
    shift 2
    if [ -n "${RUN:-}" ] && starts_another "$@"; then
        skipped=$((skipped + 1))
        return
    fi
    "$program" "$@" >"$folder/output" 2>"$folder/errors"
    got=$?
    if [ -z "$text" ]; then
        said=$([ -s "$folder/errors" ] || echo right)
    else
        said=$([ "$(wc -l <"$folder/errors")" -eq 1 ] && grep -q -e "$text" "$folder/errors" &&
            echo right)
    fi
    if [ "$got" -eq "$code" ] && [ "$said" = right ]; then
        pass
    else
        fail "teslapipe $*: exit $got (expected $code), stderr (expected '$text'):"
    fi
}

expect 0 '' --help
for command in $("$program" --help | sed -n '/Scenes:/q; s/^  \([a-z]*\) .*/\1/p'); do
    expect 0 '' "$command" --help
done
check "version" test "$("$program" --version)" = "teslapipe $(sed -n 's/^#define TP_VERSION "\(.*\)"/\1/p' include/teslapipe.h)"
expect 2 'no command named frobnicate' frobnicate

# The program needs no library but libpng and those of the C library, and draws a picture in less than 22 MiB. Another
# program opens windows.
needs_little() {
    ! ldd "$program" | grep -v -e linux-vdso -e ld-linux -e libpng -e libz -e libm.so -e libc.so -e libdl -e libpthread \
        -e libgcc_s -e libasan -e libubsan -e libtsan
}
takes_little() {
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
sys.exit(0 if kib < 22 * 1024 else "%d KiB" % kib)' "$program" render triangle --threads 2 -o "$folder"
}
check "libraries" needs_little
[ -n "${SAN:-}${RUN:-}" ] || check "memory" takes_little
# Without memory, the message has a reason.
has_reasons() {
    for limit in $(seq 60000 10000 240000); do
        (ulimit -v "$limit" && "$program" render triangle --threads 1 -o "$folder/limited") >/dev/null 2>"$folder/errors" ||
            ! grep -q ': *$' "$folder/errors" || return 1
    done
}
[ -n "${SAN:-}${RUN:-}" ] || check "reasons without memory" has_reasons # RUN: the limit would apply to the emulator
alone=$folder/alone
mkdir "$alone"
cp "$program" "$alone/teslapipe"
whole=$program
program=$alone/teslapipe
expect 1 'teslapipe-interactive, beside this program: No such file' view triangle
program=$whole
expect 2 'which program' gl
check "gl --quirks list" grep -q '^position .*gl_FragCoord' <("$program" gl --quirks list)
check "gl --quirks list: the scissor" grep -q '^scissor .*blit' <("$program" gl --quirks list)
expect 2 'no chip named g99; there are: gt215' gl --chip g99 -- true
expect 2 '--threads x: must be a whole number from 1 to 256' gl --threads x -- true
expect 2 'the levels are error, warning, info, debug and profile' gl --log loud -- true
expect 2 'cannot write /no/folder/log' gl --log debug:/no/folder/log -- true
expect 2 'cannot write /no/folder/stream' gl --record /no/folder/stream -- true
expect 127 '/no/program: No such file' gl -- /no/program
expect 127 'no-such-program: No such file' gl -- no-such-program
expect 127 '/no/program: No such file' gl --headless -- /no/program
expect 126 'Permission denied' gl -- /etc/passwd
expect 126 'is a folder' gl -- /etc
printf '#!/no/interpreter -x\n' >"$folder/script"
chmod +x "$folder/script"
expect 126 'script: its interpreter /no/interpreter is missing' gl -- "$folder/script"
expect 126 'script: its interpreter /no/interpreter is missing' gl --headless -- "$folder/script"
# Options are refused that would have no effect or contradict each other.
for option in '--seconds 1' '--png x.png' '-o .' '--size 8x8'; do
    # shellcheck disable=SC2086
    expect 2 "${option%% *} is for programs in a window" gl $option -- true
done
for others in '--window --headless' '--headless --fullscreen' '--share --kms' '--share --desktop' '--share --headless'; do
    # shellcheck disable=SC2086
    expect 2 'contradicts it' gl $others -- true
done
for option in "--record $folder/unwritten" '--timeline /dev/null' --check-memory --window '-- true'; do
    # shellcheck disable=SC2086
    expect 2 '--check runs no PROGRAM' gl --check $option
done
echo older >"$folder/kept.json"
expect 2 '--json goes with --check-memory' gl --json "$folder/kept.json" -- true
expect 127 'no-such-program' gl --check-memory --json "$folder/kept.json" -- no-such-program
check "a refused gl leaves the older report" grep -q older "$folder/kept.json"
expect 2 '--seconds -1: must be a number from 0.001' gl --headless --seconds -1 -- true
expect 2 '--threads 999: must be a whole number from 1 to 256' gl --threads 999 -- true
expect 2 'must be one of: interp native' gl --engine abacus -- true
if [ -z "${SAN:-}" ]; then # a library with sanitizers cannot be preloaded into a program without them
    expect 0 '' gl --chip 0xA3 --threads 2 -- true
    expect 7 '' gl -- sh -c 'exit 7'
    expect 0 '' gl --log profile -- true
    check "gl --fast" test "$("$program" gl --fast -- sh -c 'echo $TESLAPIPE_ARITHMETIC')" = fast
    # Mesa's draw module uses no LLVM, unless the user wants it
    check "DRAW_USE_LLVM" test "$("$program" gl -- sh -c 'echo $DRAW_USE_LLVM')" = 0
    check "DRAW_USE_LLVM of the user" test "$(DRAW_USE_LLVM=1 "$program" gl -- sh -c 'echo $DRAW_USE_LLVM')" = 1
    expect 2 '--seconds soon: not a number' gl --headless --seconds soon -- true
    expect 2 '--size 8193x1: must be WIDTHxHEIGHT, each from 1 to 8192' gl --headless --size 8193x1 -- true
fi
expect 2 'which scene' render
expect 2 'no scene named teapott; there are: triangle teapot' render teapott
expect 2 'no scene named x' view x
expect 2 'no scene named x' bench x
expect 2 'no table or case "x"' bench units x
expect 2 "unknown option --vectors" bench native --vectors x
expect 0 '' bench serial terrain --size 64x64 --frames 1 --turns 1
speed='[0-9]*[1-9][0-9]*\.[0-9][0-9]'
[ -z "${RUN:-}" ] || speed='[0-9]*\.[0-9][0-9]' # in M/s
for table in patches:5 accesses:9 fermi:2; do
    "$program" bench units "${table%:*}" --threads 1 --seconds 0.01 >"$folder/units" 2>"$errors"
    check "every case of ${table%:*} has a speed" \
        test "$(grep -c "^  [a-z].* $speed " "$folder/units")" -eq "${table#*:}"
done
expect 2 'no scene named x' bench farm x
expect 2 'takes one scene' bench farm lights wave
expect 2 'unknown option --colour' render triangle --colour
expect 2 '--size needs' render triangle --size
for size in 0x240 320x0 320 x 320x240x1 -5x7 99999x99999 32769x10 320X240; do
    expect 2 'must be WIDTHxHEIGHT' render triangle --size=$size -o "$folder"
done
expect 2 '--threads 0' render triangle --threads 0 -o "$folder"
expect 2 '--frames many' render triangle --frames many -o "$folder"
expect 2 'must be one of: base avx2 avx512' render triangle --simd mmx -o "$folder"
expect 2 'must be one of: interp native' render triangle --engine abacus -o "$folder"
expect 0 '' render triangle --size 8x8 --engine interp -o "$folder"
expect 0 '' render triangle --size 1x1 -o "$folder"
expect 0 '' render triangle --size 64x48 --frames 3 -o "$folder"
for i in 0 1 2; do
    [ -s "$folder/triangle-000$i.png" ] || fail "frame $i"
done
expect 1 'proc' render triangle --size 8x8 -o /proc/nowhere
expect 1 'nowhere.obj' render model --model "$folder/nowhere.obj" -o "$folder"
echo 'not a model' >"$folder/broken.obj"
expect 1 'broken.obj' render model --model "$folder/broken.obj" -o "$folder"
cat >"$folder/quad.obj" <<'END'
mtllib quad.mtl
v 0 0 0
v 1 0 0
v 0 1 0
vt 0 0
usemtl paper
f 1/1 2/1 3/1
END
printf 'newmtl paper\nmap_Kd paper.png\n' >"$folder/quad.mtl"
expect 1 'paper.png' render model --model "$folder/quad.obj" -o "$folder"
echo 'not a picture' >"$folder/paper.png"
expect 1 'paper.png' render model --model "$folder/quad.obj" -o "$folder"

expect 2 'two pictures' compare "$folder/triangle.png"
expect 1 'paper.png' compare "$folder/triangle.png" "$folder/paper.png"
head -c 60 "$folder/triangle.png" >"$folder/cut.png"
: >"$folder/empty"
expect 1 'compare: .*/cut.png: is cut off, or no PNG file$' compare "$folder/cut.png" "$folder/cut.png"
expect 1 'compare: .*/empty: is empty$' compare "$folder/empty" "$folder/triangle.png"
expect 1 'compare: .*: Is a directory$' compare "$folder" "$folder/triangle.png"
expect 1 ' is 1x1, ' compare "$folder/triangle.png" "$folder/triangle-0000.png"
expect 0 '' compare "$folder/triangle.png" "$folder/triangle.png"
expect 0 '' compare --tolerance 0 -- "$folder/triangle.png" "$folder/triangle.png"
expect 1 'compare: --none: No such file' compare -- --none "$folder/triangle.png"
first=$folder/triangle-0000.png third=$folder/triangle-0002.png
expect 1 '' compare "$first" "$third"
expect 1 '' compare "$first" "$third" --html "$folder/page"
check "the page has three pictures and a slider" test "$(grep -o 'src="[a-z]*.png"\|type="range"' "$folder/page/index.html" |
    sort | uniq -c | tr -d ' "' | paste -sd ' ')" = '1src=difference.png 2src=expected.png 2src=got.png 1type=range'
check "the page's pictures" "$program" compare "$folder/page/got.png" "$first"
check "the page's pictures, expected" "$program" compare "$folder/page/expected.png" "$third"
expect 0 '' compare "$first" "$first" --html "$folder/no page"
check "no page of equal pictures" test ! -e "$folder/no page"
expect 1 '' compare --tolerance 2 "$first" "$third"
expect 0 '' compare --tolerance 255 "$first" "$third"
expect 1 '' compare --allow 1 "$first" "$third"
expect 0 '' compare --allow 50 "$first" "$third"
expect 1 '' compare --histogram 0.01 "$first" "$third"
expect 0 '' compare --histogram 20 "$first" "$third"
expect 1 'fewer than 100000 colours' compare --colours 100000 "$folder/triangle.png" "$folder/triangle.png"

export TESLAPIPE_DATA="$folder/data"
expect 1 'triangle.vp not found' render triangle -o "$folder"
mkdir -p "$folder/data/programs"
echo 'frobnicate $r0' >"$folder/data/programs/triangle.vp"
expect 1 'triangle.vp:1:1: ' render triangle -o "$folder"
cp "demos/programs/triangle.vp" "$folder/data/programs/triangle.vp"
echo 'again: bra #again' >"$folder/data/programs/triangle.fp"
expect 1 'triangle.fp.*TIMEOUT' render triangle --size 64x48 -o "$folder"
unset TESLAPIPE_DATA

# ---- machine code: as, dis, exec, run, trace
expect 2 'as: standard input does not tell the program type' as
expect 2 'why: --size goes with --scene$' why tests/golden/streams/flow.tpr 1 1 --size 8x8
expect 2 'debug: --time goes with --scene$' debug tests/golden/streams/flow.tpr --pixel 1,1 --time 1 --batch
expect 2 'debug: --vertex x: not a number$' debug tests/golden/streams/flow.tpr --vertex x --draw 1
printf 'exit nop\n' >"$folder/nop.cp"
expect 1 'run: .*/empty: is empty; a buffer has at least 1 byte$' run "$folder/nop.cp" --grid 1 --block 1 --buffer 0="$folder/empty"
expect 1 'debug: .*/none.cp: No such file' debug "$folder/none.cp" --thread 0 --grid 1 --block 1

programs="demos/programs"
says() { # text that a line of the last command's output must match
    if grep -q -e "$1" "$folder/output"; then
        pass
    else
        fail "no '$1' in:"
        sed 's/^/    /' "$folder/output"
    fi
}
same() { # two files
    check "$1 and $2 differ" cmp -s "$1" "$2"
}

for command in as dis exec run trace; do
    expect 0 '' $command --help
done
for chip in g80 g84 g200 mcp77 gt215; do # disassembled and assembled again
    expect 0 '' as -m $chip -t fp "$programs/mandelbrot.fp" -o "$folder/code.bin"
    expect 0 '' dis -m $chip -t fp "$folder/code.bin" -o "$folder/code.txt"
    expect 0 '' as -m $chip -t fp "$folder/code.txt" -o "$folder/again.bin"
    same "$folder/code.bin" "$folder/again.bin"
done
head -c 4096 /dev/urandom >"$folder/noise.bin" # random words, for every chip and type
for type in vp gp fp cp; do
    for chip in g80 g84 g200 mcp77 gt215; do
        expect 0 '' dis -m $chip -t $type "$folder/noise.bin" -o "$folder/noise.txt"
        expect 0 '' as -m $chip -t $type "$folder/noise.txt" -o "$folder/again.bin"
        same "$folder/noise.bin" "$folder/again.bin"
    done
done
printf '\003\000\001\020\200\007\000\000' >"$folder/far.bin" # a target outside of the file
expect 0 '' dis -m g80 -t cp "$folder/far.bin"
says '^bra 0x80$'
printf 'abc' >"$folder/odd.bin"
expect 1 'not a whole number of words' dis -m g80 -t vp "$folder/odd.bin"
expect 1 'nowhere.bin' dis -m g80 -t vp "$folder/nowhere.bin"
expect 2 '-m g99' dis -m g99 -t vp "$folder/far.bin"
expect 2 '-t xp' dis -m g80 -t xp "$folder/far.bin"
expect 2 'give -t' dis -m g80 "$folder/far.bin"
expect 2 'one file' dis -m g80 -t vp "$folder/far.bin" "$folder/far.bin"
# Filters: standard input and output; text of words as the dumps of drivers have it.
from() { # input, arguments...
    input=$1
    shift
    "$program" "$@" <"$input" >"$folder/output" 2>"$folder/errors"
    check "$* <$input" test $? -eq 0
}
printf 'mov b32 $r0 1.5\nadd f32 $r1 $r0 0x40490fdb\nmov b32 $r2 0x7\nexit nop\n' >"$folder/filter.fp"
from "$folder/filter.fp" as -m g200 -t fp
cp "$folder/output" "$folder/filter.bin"
expect 0 '' as -m g200 -t fp "$folder/filter.fp" -o "$folder/again.bin"
same "$folder/filter.bin" "$folder/again.bin"
from "$folder/filter.fp" as -m g200 -t fp --hex -
cp "$folder/output" "$folder/filter.hex"
says '^0x[0-9a-f]* 0x[0-9a-f]*$'
from "$folder/filter.hex" dis -m g200 -t fp
says '0x3fc00000  // 1.5$'
says '0x40490fdb  // 3.14159274$'
says '^mov b32 $r2 0x7$'
cp "$folder/output" "$folder/filter.txt"
from "$folder/filter.bin" dis -m g200 -t fp -
same "$folder/output" "$folder/filter.txt"
from "$folder/filter.txt" as -m g200 -t fp
same "$folder/output" "$folder/filter.bin"
{ echo ' # a dump'; sed 's/ /, /; s/$/; \/\/ an instruction/' "$folder/filter.hex"; } | sed 1d >"$folder/dump.hex"
expect 0 '' dis -m g200 -t fp "$folder/dump.hex"
same "$folder/output" "$folder/filter.txt"
sed 's/0x//g' "$folder/filter.hex" >"$folder/dump.hex" # as the driver prints words with NV50_PROG_DEBUG
expect 0 '' dis -m g200 -t fp "$folder/dump.hex"
same "$folder/output" "$folder/filter.txt"
echo '0x80000000 0x9000000g' >"$folder/dump.hex"
expect 1 'dump.hex:1: 0x9000000g is not a word' dis -m g200 -t fp "$folder/dump.hex"
echo '0x80000000 -0xffffffff70000000' >"$folder/dump.hex"
expect 1 'dump.hex:1: -0xffffffff70000000 is not a word' dis -m g200 -t fp "$folder/dump.hex"
printf '0x80000000 0x%0100000d' 0 >"$folder/dump.hex"
expect 0 '' dis -m g200 -t fp "$folder/dump.hex"
printf '0x80000000 0x%0100000dg' 0 >"$folder/dump.hex"
expect 1 'dump.hex:1: 0x0\{38\}\.\.\. is not a word' dis -m g200 -t fp "$folder/dump.hex"
# All mistakes of a file are reported, each once.
printf 'nop\nadd b32 $r1 $r2 $r64x\nmov b32, $r0 $r1\nfrob\nbra #nowhere\n.nothing\nmov b32 $r0 1\n' >"$folder/many.vp"
"$program" as -m g80 -t vp "$folder/many.vp" -o "$folder/none.bin" 2>"$folder/errors"
check "mistakes fail" test $? -eq 1
check "no output then" test ! -e "$folder/none.bin"
check "the lines with mistakes" test "$(sed 's/^[^:]*:\([0-9]*\):.*/\1/' "$folder/errors" | sort -n | tr '\n' ' ')" = '2 3 4 5 6 '
# asfermi takes 20 bits without sign; the chip reads them with sign.
printf 'IADD R0, R1, 0x80000\nIADD R0, R1, 0x7ffff\nLOP.AND R0, R1, 0xfffff\nFADD R0, R1, F1.5\nIADD R0, R1, -0x80000\n' >"$folder/sign.cp"
"$program" as -m gf100 -s asfermi "$folder/sign.cp" -o "$folder/sign.bin" 2>"$folder/errors"
check "a warning is no mistake" test $? -eq 0
check "numbers that the chip reads as others" test "$(sed 's/.*cp:\([0-9]*:[0-9]*\): warning: the chip reads `\(.*\)` as \([-0-9a-fx]*\): .*/\1 \2 \3/' "$folder/errors" | tr '\n' ' ')" = '1:14 0x80000 -0x80000 3:17 0xfffff -0x1 '
# Macros and included files; the places of mistakes in them.
mkdir "$folder/inc"
cat >"$folder/inc/more.inc" <<'END'
.macro scale to from
mul f32 \to \from 2.0
.endm
.macro loop count
mov b32 $r9 \count
_again\@: sub b32 $c0 $r9 $r9 $r8
(lg $c0) bra #_again\@
.endm
END
printf '.include "inc/more.inc"\nstart: scale $r1, $r2\nscale $r1 $r2 // twice\nloop 3\nloop 4\nexit nop\n' | sed 's/start: //' >"$folder/macros.fp"
printf 'mul f32 $r1 $r2 2.0\nmul f32 $r1 $r2 2.0\nmov b32 $r9 3\na: sub b32 $c0 $r9 $r9 $r8\n(lg $c0) bra #a\nmov b32 $r9 4\nb: sub b32 $c0 $r9 $r9 $r8\n(lg $c0) bra #b\nexit nop\n' >"$folder/plain.fp"
expect 0 '' as -m g200 "$folder/macros.fp" -o "$folder/macros.bin"
expect 0 '' as -m g200 "$folder/plain.fp" -o "$folder/plain.bin"
same "$folder/macros.bin" "$folder/plain.bin"
refused() { # text, message: a program with directives that `as` refuses
    printf "$1" >"$folder/macros.fp"
    expect 1 "$2" as -m g200 "$folder/macros.fp" -o "$folder/macros.bin"
}
refused '.include "inc/more.inc"\n\nscale $r1 $r2x\n' 'inc/more.inc:2:.*: macro scale, used in line 3: '
refused 'nop\n.include "inc/none.inc"\n' 'macros.fp:2:1: .include .*inc/none.inc: No such file'
refused '.macro a\na\n.endm\na\n' 'nested more than 32 deep'
refused '.include "macros.fp"\n' 'nested more than 32 deep'
refused '.macro a x\nmov b32 $r0 \\y\n.endm\na 1\n' 'macro a has no such argument: .y'
refused '.macro a x\nnop\n' 'macros.fp:1:1: .macro a has no .endm'
refused '.macro a x\nnop\n.endm\na 1 2\n' 'macros.fp:4:1: macro a takes 1 arguments'
refused '.macro a x x\n.endm\n' 'macros.fp:1:1: .macro a has two arguments x'
refused '.macro a\n.endm b\n' '.endm stands alone'
refused '.include "inc/more.inc" "inc/more.inc"\n' 'macros.fp:1:1: .include takes the name of one file'
refused '.include "inc/more.inc\n' 'no quote at its end'
printf 'nop\n\000nop\n' >"$folder/inc/zero.inc"
refused '.include "inc/zero.inc"\n' 'inc/zero.inc: is not text'
# A few lines that expand to very many lines: macros and files that use other ones twice, and arguments.
doubled() { # macros m1 to m29, each of which uses the one before it twice
    seq 1 29 | while read -r n; do printf ".macro m$n\nm$((n - 1))\nm$((n - 1))\n.endm\n"; done
}
for body in '' 'nop\n'; do
    { printf ".macro m0\n$body.endm\n" && doubled && echo m29; } >"$folder/macros.fp"
    expect 1 'more than [0-9]* MiB of text' as -m g200 "$folder/macros.fp" -o "$folder/macros.bin"
done
: >"$folder/inc/0.inc"
seq 1 29 | while read -r n; do printf ".include \"$((n - 1)).inc\"\n.include \"$((n - 1)).inc\"\n" >"$folder/inc/$n.inc"; done
echo '.include "inc/29.inc"' >"$folder/macros.fp"
expect 1 'more than 64 MiB of text' as -m g200 "$folder/macros.fp" -o "$folder/macros.bin"
{ echo '.macro a x' && head -c 200000 /dev/zero | sed 's/\x00/\\x/g' && printf '\n.endm\na ' &&
    head -c 100000 /dev/zero | tr '\0' y && echo; } >"$folder/macros.fp"
expect 1 'more than 64 MiB of text' as -m g200 "$folder/macros.fp" -o "$folder/macros.bin"
seq 5000 | sed 's/.*/.macro a&\n.endm/' >"$folder/macros.fp"
expect 1 'more than 4096 definitions of macros' as -m g200 "$folder/macros.fp" -o "$folder/macros.bin"
printf 'nop\nadd b32 $r1 $r2 $r64x\n' >"$folder/wrong.vp"
expect 1 'wrong.vp:2:17: ' as -m g80 -t vp "$folder/wrong.vp" -o "$folder/again.bin"

printf 'g80 vp 20038404\tadd b32 $r1 $r2 $r3\ng80 vp 20000405 0400c780\tadd b32 $r1 $r2 $r3\tlong\n' \
    >"$folder/text.txt"
for command in as dis; do
    expect 0 '' $command --vectors "$folder/text.txt"
    says '^2 passed, 0 failed$'
done
printf 'g80 vp 20038404\tsub b32 $r1 $r2 $r3\n' >>"$folder/text.txt"
for command in as dis; do
    expect 1 '' $command --vectors "$folder/text.txt"
    says 'text.txt:3: g80 vp 20038404'
    says '^2 passed, 1 failed$'
done
says 'expected sub b32 $r1 $r2 $r3'
says 'got      add b32 $r1 $r2 $r3'
printf 'I g80 2000081d 040187d0 0 0 1 0 2 -> 00000003 0\n' >"$folder/exec.txt"
expect 0 '' exec --vectors "$folder/exec.txt" --engine interp
says '^1 passed, 0 failed$'
printf 'I mcp77 2000081d 040187d0 0 0 1 0 2 -> 00000004 0\n' >>"$folder/exec.txt"
expect 1 '' exec --vectors "$folder/exec.txt" --simd base
says 'exec.txt:2: '
says '^1 passed, 1 failed$'
expect 2 'must be one of: interp native' exec --vectors "$folder/exec.txt" --engine abacus
expect 1 'nowhere.txt' exec --vectors "$folder/nowhere.txt"
# A file in which no line is checked is an error.
echo '# no line of a vector' >"$folder/comments.txt"
for command in exec as dis; do
    expect 1 'comments.txt: no vectors' $command --vectors "$folder/comments.txt"
    expect 1 '/dev/null: no vectors' $command --vectors /dev/null
done

# 1.0 + 0.5 and 2.0 + 0.25
printf '\000\000\200\077\000\000\000\100' >"$folder/a.bin"
printf '\000\000\000\077\000\000\200\076' >"$folder/b.bin"
printf '\000\000\300\077\000\000\020\100' >"$folder/sum.bin"
for chip in g80 g84 g200 mcp77 gt215; do
    expect 0 '' run "$programs/compute/vector_add.cp" -m $chip --grid 1 --block 32 --param 2 \
        --buffer 0="$folder/a.bin" --buffer 1="$folder/b.bin" --buffer 2=zero:8 \
        --out 2="$folder/c.bin"
    same "$folder/c.bin" "$folder/sum.bin"
done
for set in gf100/fermi g64/g64; do
    expect 0 '' run "$programs/compute/${set#*/}/vector_add.cp" -m ${set%/*} --grid 1,1,1 --block 32 \
        --param 2 --buffer 0="$folder/a.bin" --buffer 1="$folder/b.bin" --buffer 2=zero:8 \
        --out 2="$folder/c.bin"
    same "$folder/c.bin" "$folder/sum.bin"
    expect 0 '' as -m ${set%/*} "$programs/compute/${set#*/}/prefix_sum.cp" -o "$folder/code.cp.bin"
    expect 0 '' dis -m ${set%/*} "$folder/code.cp.bin" -o "$folder/code.cp"
    expect 0 '' as -m ${set%/*} "$folder/code.cp" -o "$folder/again.cp.bin"
    same "$folder/again.cp.bin" "$folder/code.cp.bin"
done
expect 0 '' as -m gf100 "$programs/compute/fermi/tree_sum.cp" -o "$folder/code.cp.bin"
expect 0 '' dis -m gf100 -s asfermi "$folder/code.cp.bin" -o "$folder/code.cp"
expect 0 '' as -m gf100 -s asfermi "$folder/code.cp" -o "$folder/again.cp.bin"
same "$folder/again.cp.bin" "$folder/code.cp.bin"
expect 2 'needs -m gf100' dis -m g64 -s asfermi "$folder/code.cp.bin"
# the sums 1, 3, 6; one byte 2 and seven bytes 0 of eight
printf '\001\000\000\000\002\000\000\000\003\000\000\000' >"$folder/a.bin"
printf '\001\000\000\000\003\000\000\000\006\000\000\000' >"$folder/sum.bin"
expect 0 '' trace "$programs/compute/vector_add.cp" --vcd "$folder/warp.vcd" --lane 3
check "waves of one lane" test "$(grep -c '^.scope' "$folder/warp.vcd")" = 2
expect 1 'No such file' trace "$programs/compute/vector_add.cp" --vcd "$folder/none/warp.vcd"
expect 0 '' run "$programs/compute/prefix_sum.cp" --grid 1 --block 64 --param 3 \
    --buffer 0="$folder/a.bin" --buffer 1=zero:12 --out 1="$folder/c.bin"
same "$folder/c.bin" "$folder/sum.bin"
printf '\000\002\000\000\000\000\000\000' >"$folder/a.bin"
printf '\007\000\000\000\000\000\000\000\001\000\000\000' >"$folder/sum.bin"
expect 0 '' run "$programs/compute/histogram.cp" -m g84 --grid 3 --block 32 --param 8 \
    --buffer 0="$folder/a.bin" --buffer 1=zero:12 --out 1="$folder/c.bin"
same "$folder/c.bin" "$folder/sum.bin"
# zeros times zeros
expect 0 '' run "$programs/compute/matrix_multiply.cp" --grid 1,1 --block 16,16 --param 16 \
    --buffer 0=zero:1024 --buffer 1=zero:1024 --buffer 2=zero:1024 --out 2="$folder/c.bin"
head -c 1024 /dev/zero >"$folder/sum.bin"
same "$folder/c.bin" "$folder/sum.bin"
expect 0 ' 4 reads and 2 writes out of range' run "$programs/compute/vector_add.cp" --grid 1 \
    --block 32 --param 2 --stats
expect 2 '--grid x' run "$programs/compute/vector_add.cp" --grid x --block 32
expect 2 '--buffer 0=zero:8: g.N. has a buffer already' run "$programs/compute/vector_add.cp" --grid 1 --block 32 \
    --buffer 0=zero:4 --buffer 1=zero:4 --buffer 0=zero:8
expect 2 '--out 1=/dev/null: g.N. is written to a file already' run "$programs/compute/vector_add.cp" --grid 1 --block 32 \
    --buffer 1=zero:4 --out 1="$folder/c.bin" --out 1=/dev/null
expect 1 'at most 512 threads' run "$programs/compute/vector_add.cp" --grid 1 --block 513
expect 1 'nowhere.cp' run "$folder/nowhere.cp" --grid 1 --block 32

cat >"$folder/loop.fp" <<'END'
mov b32 $r2 3
and b32 $r1 $r0 $r2
mov b32 $r2 1
breakaddr #done
again: sub b32 $c0 $r1 $r1 $r2
(l $c0) break
add b32 $r3 $r3 $r2
bra #again
done: exit nop
END
expect 0 '' trace "$folder/loop.fp" --in r0=lane --lanes 0xf
says '^0x000028  (l $c0) break  *active 00000008$'
says '^          stack  PREBREAK 0x000040 0000000f$'
says '^          $r3       0x00000003 \[3\]$'
says '^ended after 19 instructions$'
expect 0 '' trace "$folder/loop.fp" --in r0=lane --lane 2 --steps 2
says '^          $r1       0x00000002 \[2\]$'
says '^stopped after 2 instructions$'
echo 'r0=5,6,7,8   # four lanes' >"$folder/inputs"
expect 0 '' trace "$folder/loop.fp" --inputs "$folder/inputs" --quad 0 -m mcp77
says '^          $r1       0x00000001 \[0\]  0x00000002 \[1\]  0x00000003 \[2\]'
expect 2 '--lane' trace "$folder/loop.fp" --lane 32
expect 2 'r99' trace "$folder/loop.fp" --in r99
expect 1 'nowhere.fp' trace "$folder/nowhere.fp"

echo 'again: bra #again' >"$folder/endless.fp"
"$program" trace "$folder/endless.fp" >"$folder/output" 2>"$folder/errors"
check "an endless loop is traced for a million instructions" grep -q '^stopped after 1000000 instructions$' "$folder/output"
check "which is said" grep -q 'did not end; --steps N' "$folder/errors"
for command in "trace $folder/loop.fp --inputs" 'as --vectors' 'dis --vectors' 'exec --vectors'; do
    # shellcheck disable=SC2086
    expect 1 '/dev/zero: is not text' $command /dev/zero
    # shellcheck disable=SC2086
    expect 1 '/no/file: No such file' $command /no/file
done
expect 2 'must be from 0 to 4294967295' trace "$folder/loop.fp" --lanes 0x1ffffffff
printf 'mov b32 $r0 0x1\nexit\n' >"$folder/fermi.cp"
for chip in gf100 sm_20 sm_21; do
    expect 0 '' run "$folder/fermi.cp" --grid 1 --block 1 -m $chip
done
expect 2 'nothing is bound there' run "$folder/fermi.cp" --grid 1 --block 1 -m gf100 --out "3=$folder/unwritten"
expect 2 'expected TARGET=VALUES' trace "$folder/loop.fp" --in r5=0x1ffffffff
expect 2 'expected a number of 32 bits' run "$programs/compute/vector_add.cp" --grid 1 --block 32 --param 0x1ffffffff
for mode in --check --hash "--html=$folder/unwritten"; do
    expect 2 "-o goes without ${mode%=*}" replay tests/golden/streams/triangle.tpr -o "$folder/unwritten" "$mode"
    expect 2 "timeline goes without ${mode%=*}" replay tests/golden/streams/triangle.tpr --timeline /dev/null "$mode"
done
expect 2 '--html goes without --hash' replay tests/golden/streams/triangle.tpr --hash --html "$folder/unwritten"
expect 2 '--calls goes with --hash' replay tests/golden/streams/triangle.tpr --calls "$folder/unwritten"
expect 2 '-o goes without --check' render triangle --check -o "$folder/unwritten"
for option in '--frames 2' '--format ppm' '--movie x.mp4' --resume --fast '--model x' '--stdout y4m'; do
    # shellcheck disable=SC2086
    expect 2 "${option%% *} goes without --check" render model --check $option
done
for option in --native '--log info' --fast; do
    # shellcheck disable=SC2086
    expect 2 "${option%% *} goes without --check" replay tests/golden/streams/triangle.tpr --check $option
done
expect 2 'has 1 draws, there is no draw 2' replay tests/golden/streams/triangle.tpr --draw 2
expect 2 'has 1 draws, there is no draw 2' replay tests/golden/streams/triangle.tpr --draw 2 -o "$folder/undrawn"
check "no picture of a draw that is not there" test -z "$(ls "$folder/undrawn")"
expect 2 '--chip goes without --from-recording' glsl --from-recording tests/golden/streams/triangle.tpr --chip g80
expect 2 '--capture goes without --from-recording' glsl --from-recording tests/golden/streams/triangle.tpr --capture x
expect 2 'teslapipe glsl: no chip named bogus' glsl examples/glsl/mesh.vert examples/glsl/mesh.frag --chip bogus
expect 2 'the output has no name' glsl --from-recording tests/golden/streams/triangle.tpr --name ''
expect 2 '--lane goes without --quad' trace "$programs/triangle.fp" --lane 3 --quad 2
expect 2 '--draw goes without --hash' replay tests/golden/streams/triangle.tpr --hash --draw 1
expect 2 '--format goes with --frames' replay tests/golden/streams/triangle.tpr --hash --format ppm
for option in --json --all --inputs --source '--draw 1' '--layer 0'; do
    # shellcheck disable=SC2086
    expect 2 "${option%% *} goes without --check" why --scene triangle --check 1 $option
done
expect 2 '--check takes a recording or --scene NAME, and no pixel' why --scene triangle 1 1 --check 1
expect 2 'layer 1: the target has 1' why --scene triangle 1 1 --layer 1
expect 2 '--seed goes with --check' why --scene triangle 1 1 --seed 3
expect 2 '--source goes without --json' why --scene triangle 1 1 --source --json
expect 2 '-o goes without --explain' as --explain add -o "$folder/unwritten"
expect 2 '--explain takes no file' as --explain add README.md
expect 2 '-o goes without --vectors' as --vectors README.md -o "$folder/unwritten"
expect 2 '-o goes without --vectors' dis --vectors README.md -o "$folder/unwritten"
# A file that cannot be written whole stays as it was.
head -c 3000 /dev/zero >"$folder/kept"
fails_to_write() (
    trap '' XFSZ
    ulimit -f 1
    ! "$program" run "$programs/compute/histogram.cp" --grid 1 --block 1 --buffer 0="$folder/kept" --out 0="$folder/kept"
)
check "a file too large" fails_to_write 2>"$folder/errors"
check "leaves the older file" test "$(wc -c <"$folder/kept")" -eq 3000
keeps_older() { # file, arguments...
    local file=$1
    shift
    mkdir -p "$(dirname "$file")"
    echo older >"$file"
    (
        trap '' XFSZ
        ulimit -f 0
        ! "$program" "$@" >/dev/null 2>&1
    ) && check "a failed $1 leaves the older $(basename "$file")" grep -q older "$file"
}
keeps_older "$folder/kept.vcd" trace "$folder/loop.fp" --vcd "$folder/kept.vcd"
keeps_older "$folder/kept.timeline" replay tests/golden/streams/triangle.tpr --timeline "$folder/kept.timeline"
keeps_older "$folder/kept.json" render triangle --check --json "$folder/kept.json"
keeps_older "$folder/report/index.html" replay tests/golden/streams/triangle.tpr --html "$folder/report"
keeps_older "$folder/glsl/draw.vp" glsl --from-recording tests/golden/streams/triangle.tpr -o "$folder/glsl"
# An output that is a link is written where the link leads, as /dev/stdout.
ln -s kept "$folder/link"
expect 0 '' as -m g200 "$programs/compute/histogram.cp" -o "$folder/link"
check "a link stays" test -L "$folder/link" -a "$(wc -c <"$folder/kept")" -lt 3000
expect 1 'does not fit 64 bits' as -t cp <(echo 'mov b32 $r0 -0xffffffffffffffff')
expect 1 '/no/out: No such file' run "$programs/compute/vector_add.cp" --grid 1 --block 32 --buffer 0=zero:4 --out 0=/no/out
expect 2 'must be one of: error warning info debug' replay --log nolevel "tests/golden/streams/triangle.tpr"
expect 2 'only the scene model loads one' render triangle --model /nope -o "$folder"
expect 0 '' help trace
says '^usage: teslapipe trace '
expect 2 'no command named zzz' help zzz
expect 1 "$folder: Is a directory" debug -x "$folder" --pixel 1,1 "tests/golden/streams/triangle.tpr"
expect 2 '-1: not a number' trace "$folder/loop.fp" --steps -1
expect 1 "$folder: Is a directory" trace "$folder/loop.fp" --inputs "$folder"
expect 2 '1 to 256' run "$programs/compute/vector_add.cp" --grid 1 --block 32 --threads 1000
expect 1 '/dev/zero: larger than 1 GiB' run "$programs/compute/vector_add.cp" --grid 1 --block 32 --buffer 0=/dev/zero
printf 'mov b32 $r0 1.0e999\n' >"$folder/wrong.vp"
expect 1 'too large for a 32-bit float' as -m g80 -t vp "$folder/wrong.vp" -o "$folder/again.bin"

# ---- files and disks: a file is whole or does not exist, and a failure has a message

if [ -c /dev/full ]; then
    for command in --help 'render --help' "dis -m g80 -t vp $folder/far.bin"; do
        # shellcheck disable=SC2086
        "$program" $command >/dev/full 2>"$folder/errors"
        [ $? -eq 1 ] && grep -q stdout "$folder/errors"
        check "$command to a full disk" [ $? -eq 0 ]
    done
fi
# Four programs write into one folder: a name that exists gets the new picture, and there is one manifest.
mkdir "$folder/both-write"
for i in 1 2 3 4; do
    "$program" render triangle --size 512x512 --frames 8 -o "$folder/both-write" >/dev/null 2>>"$folder/both-errors" &
done
wait
check "four programs write into one folder" test ! -s "$folder/both-errors"
check "and leave pictures alone" test "$(find "$folder/both-write" -type f ! -name 'triangle-000[0-7].png' ! -name triangle.manifest | wc -l)" -eq 0
check "and have one manifest" test "$(grep -c '^file ' "$folder/both-write/triangle.manifest")" -eq 32
# An interrupted program leaves no partial picture: a file gets its name when it is whole.
mkdir "$folder/pictures"
"$program" render triangle --size 4096x4096 --frames 50 -o "$folder/pictures" >/dev/null 2>&1 &
sleep 0.7
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
for picture in "$folder/pictures"/*.png; do
    [ -e "$picture" ] && expect 0 '' compare "$picture" "$picture"
done
check "it leaves nothing else" test "$(find "$folder/pictures" -type f ! -name '*.png' ! -name '*.manifest' | wc -l)" -eq 0

streams="tests/golden/streams"
expect 1 'nowhere.tpr: No such file' replay "$folder/nowhere.tpr"
echo 'not a stream, but long enough' >"$folder/text.tpr"
expect 1 'not a recording' replay "$folder/text.tpr"
expect 1 "$folder: Is a directory" replay "$folder"
expect 1 'Illegal seek' replay <(cat "tests/golden/streams/triangle.tpr")
expect 0 '' replay "$streams/triangle.tpr"
bytes=$(wc -c <"$streams/triangle.tpr")
for cut in 9 24 32 1000 $((bytes - 24)) $((bytes - 1)); do # some cuts lie where a chunk ends
    head -c "$cut" "$streams/triangle.tpr" >"$folder/cut.tpr"
    expect 0 'warning: .*cut.tpr: is cut off after byte' replay "$folder/cut.tpr"
done
# Without a picture there is a message.
head -c 1000 "$streams/triangle.tpr" >"$folder/cut.tpr"
"$program" replay "$folder/cut.tpr" -o "$folder/no-pictures" >/dev/null 2>"$folder/errors"
check "a replay without a picture fails" test $? -eq 1
check "and says what to do" grep -q 'there is no picture' "$folder/errors"
head -c 7 "$streams/triangle.tpr" >"$folder/cut.tpr"
expect 1 'not a recording' replay "$folder/cut.tpr"
# Without memory, a replay fails with a reason, or its picture is whole.
replays_whole_or_fails() {
    "$program" replay --threads 1 "$streams/render_to_texture.tpr" -o "$folder/replayed" >/dev/null || return 1
    for limit in $(seq 60000 10000 300000); do
        if (ulimit -v "$limit" && "$program" replay --threads 1 "$streams/render_to_texture.tpr" -o "$folder/limited") \
            >/dev/null 2>"$folder/errors"; then
            cmp -s "$folder/replayed/color0.png" "$folder/limited/color0.png" || return 1
        else
            grep -q 'memory\|cannot reserve' "$folder/errors" || return 1
        fi
    done
}
[ -n "${SAN:-}${RUN:-}" ] || check "replays without memory" replays_whole_or_fails

# README's first program, and the header for C++ compilers
readme=README.md
sed -n '/^\/\/ gradient.vp/,/^```/p' "$readme" | sed '/^```/d' >"$folder/both"
cut -c 1-61 "$folder/both" >"$folder/gradient.vp"
cut -c 62- "$folder/both" >"$folder/gradient.fp"
for type in vp fp; do
    expect 0 '' as -m gt215 -t $type "$folder/gradient.$type" -o "$folder/code.bin"
done
printf '#include "teslapipe.h"\nint main() { tp_raster_state r = {}; r.polygon_front = TP_POLYGON_LINE; return tp_set_raster(nullptr, &r) == TP_OK; }\n' \
    >"$folder/header.cc"
check "teslapipe.h in C++" ${CXX:-${CC:-clang-19}} -x c++ -std=c++11 -Wall -Wextra -Werror -Iinclude \
    -fsyntax-only "$folder/header.cc"
checks_end ${RUN:+$((skipped + 3))}
