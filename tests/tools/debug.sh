#!/bin/sh
# The debugger's prompt on recorded draws: each case is a script and the lines that its output must have, in order. Then
# bad input, then `teslapipe diff` with a recording in which one program has a planted mistake.
# usage: debug.sh. Ends in "N passed, N failed".
. "$(dirname "$0")/../checks"
program=${BUILD:-build}/teslapipe
streams=tests/golden/streams
errors=$folder/output

# session NAME COMMANDS EXPECTED DEBUG-ARGUMENTS...: COMMANDS and EXPECTED are lines
session() {
    name=$1
    expected=$3
    printf '%s\n' "$2" >"$folder/script"
    shift 3
    "$program" debug "$@" -x "$folder/script" --batch >"$folder/output" 2>&1
    printf '%s\n' "$expected" >"$folder/expected"
    missing=$(awk 'NR == FNR { want[++n] = $0; next } at < n && index($0, want[at + 1]) { at++ }
                   END { if (at < n) print "no line \"" want[at + 1] "\"" }' \
        "$folder/expected" "$folder/output")
    check_text "$name" "$missing"
}

bad() { # exit code, text of the one line on stderr, debug-arguments...
    code=$1
    text=$2
    shift 2
    refuses "$code" "$text" "$program" debug "$@"
}

session "a control program's vertex, and what it writes for the patch" 'info lanes
finish
c
info result' 'draw 1, output vertex 2 of patch 1, hit 1
lane 5 is output vertex 2 of patch 1
patch a[0x0] = 0x40000000 (2)
patch a[0x4] = 0x40400000 (3)
patch a[0x8] = 0x40800000 (4)
patch a[0x10] = 0x40400000 (3)
patch a[0x20] = 0x3f000000 (0.5)' tests/tools/tessellation.tpr --draw 1 --patch 1,2

session "an evaluation program's point" 'c
info lanes
info result' 'draw 1, point 4 of patch 1, hit 1
is point 4 of patch 1
a[0x7c] = 0x3f800000 (1)
patch a[0x20] = 0x3f000000 (0.5)' tests/tools/tessellation.tpr --draw 1 --point 1,4

session 'a fragment that counts in memory' 'c
info result' 'draw 1, pixel 20,40, hit 1
colour 0:' tests/tools/tessellation.tpr --pixel 20,40

session 'the last draw at a pixel, step by step' 's
s
info lanes' 'draw 2, pixel 30,30, hit 1
0: 0x07ff80  interp $r0 v[0x0]
$r0 = 0x3f800000 (1)
1: 0x07ff84  rcp f32 $r0 $r0
lane 28 is pixel 30,30' $streams/blend.tpr --pixel 30,30

session 'to the end and what came out' 'c
info result' 'the warp has ended after 7 instructions
colour 0: 0.9 0.2382812 0.2 0.6' $streams/blend.tpr --pixel 30,30

session 'backwards finds the past again' 's 5
back 3
s 1
back' '5: 0x07ffa0
2: 0x07ff88
3: 0x07ff90
2: 0x07ff88' $streams/blend.tpr --pixel 30,30

session 'breakpoints by operation, forwards and backwards' 'b rcp
c
c
rc' 'breakpoint 1 on rcp
1: 0x07ff84  rcp
the warp has ended
1: 0x07ff84  rcp' $streams/blend.tpr --pixel 30,30

session 'a watched register stops when it changes' 'watch $r2
c' 'watchpoint 1: $r2 in lane 28
watchpoint 1: $r2 in lane 28 is now 0x3e4ccccd (0.2)
5: 0x07ffa0' $streams/blend.tpr --pixel 30,30

session 'another value, another colour; gone again after going back' 's 6
set $r3 = 0.25
c
info result
back 7
c
info result' '$r3 = 0x3e800000 (0.25)
colour 0: 0.9 0.2382812 0.2 0.25
0: 0x07ff80
colour 0: 0.9 0.2382812 0.2 0.6' $streams/blend.tpr --pixel 30,30

session 'a pixel of another tile' 'info lanes' 'pixel 30,100, hit
is pixel 30,100' $streams/blend.tpr --pixel 30,100

session 'a geometry program, by primitive' 'c
info result' 'draw 1, primitive 0, hit 1
emitted vertices: 9' $streams/geometry.tpr --draw 1 --primitive 0

session 'a vertex program, by vertex' 'info lanes' 'draw 1, vertex 1, hit 1
lane 1 is vertex 1' $streams/triangle.tpr --draw 1 --vertex 1

# Compute programs: 256 threads add up 1, 2, 3 ...; the sum of thread 40 is 861 in all three instruction sets. A barrier
# lets the warp continue only when the other seven warps have arrived.
programs=demos/programs/compute
perl -e 'print pack("l*", 1 .. 256)' >"$folder/in"
sum() { # name, program, register of the sum, arguments of run...
    name=$1
    file=$2
    register=$3
    shift 3
    session "$name" "watch g1[0xa0]
c
back
p $register
s
p g1[0xa0]" "block 0,0,0, thread 40,0,0, warp 1 of 8, hit 1: lane 8
g1[0xa0] in lane 8 is now 0x0000035d (861)
$register = 0x0000035d (861)
g1[0xa0] = 0x0000035d (861)" "$file" --thread 40 --grid 1 --block 256 --buffer 0="$folder/in" \
        --buffer 1=zero:1024 --param 256 "$@"
}
sum 'a compute program with barriers' $programs/prefix_sum.cp '$r7'
sum 'the same for Fermi' $programs/fermi/prefix_sum.cp '$r7' -m gf100
sum 'the same in the generic set' $programs/g64/prefix_sum.cp '$r7' -m g64

session 'the source of a compute program, breakpoints at barriers, back over one' 'list
b bar
c
s
back
p s[0xc4]
s 2
info draws' '=>   9  cvt u32 $r1 u16 $r0l
breakpoint 1 on bar
prefix_sum.cp:25
15: 0x000070  mov b32 $r8 0x1
14: 0x000068  bar inc wait 0x0 all
s[0xc4] = 0x0000002a (42)
a compute grid' $programs/prefix_sum.cp --thread 40 --grid 1 --block 256 --buffer 0="$folder/in" \
    --buffer 1=zero:1024 --param 256

cat >"$folder/quads.cp" <<'END'
    cvt u32 $r1 u16 $r0l
    mov b32 $r2 0x0
    set $c0 # e u32 $r1 $r2
    (lg $c0) bra #end
    quadon
    add b32 $r2 $r1 $r2
    quadpop
end:
    exit nop
END
session 'the lanes that quadon adds' 'b quadon
c
s
info lanes' 'active 1-31,
active     0-31
exited     0
#0 lanes 1-31 were active before quadon' "$folder/quads.cp" --thread 1 --grid 1 --block 32

session 'a block and thread of more than one dimension' 'info lanes' \
    'block 1,2,0, thread 1,1,0, warp 0 of 1, hit 1: lane 5' $programs/vector_add.cp --thread 1,1 --at 1,2 \
    --grid 2,3 --block 4,2 --buffer 0=zero:64 --buffer 1=zero:64 --buffer 2=zero:64 --param 8

session 'a scene, its programs from files; quads' 'list
quad 1
info targets
info draws
print v[0x0]' 'pixel 320,180, hit
=>
active
colour 0
so far
v[0x0] =' --scene teapot --pixel 320,180 --draw 1

session 'divergent lanes: which wait where and why' 'b 0x7ff68
c
c
c
c
c
c
c
info lanes' 'active     0-17,20-21,24-25,28-31
left loop  18-19,22-23,26-27
#0 lanes 0-31 go on behind the loop when all have left it, at 0x07ff70' $streams/flow.tpr --pixel 30,64

bad 1 'no fragment of any draw lies there' $streams/blend.tpr --pixel 3000,1
bad 2 'must be PATCH or PATCH,N' tests/tools/tessellation.tpr --patch 1,2,3 --draw 1
bad 2 'there is no draw 1000' $streams/blend.tpr --pixel 30,30 --draw 1000
bad 2 'must be X,Y' $streams/blend.tpr --pixel 30
bad 2 'one of --pixel, --vertex, --primitive, --patch, --point and --thread' $streams/blend.tpr
bad 2 'must be X, X,Y or X,Y,Z' $streams/blend.tpr --thread 1,2,3,4
bad 2 'must be X, X,Y or X,Y,Z' $streams/blend.tpr --thread 4294967296
bad 2 'must be X, X,Y or X,Y,Z' $streams/blend.tpr --thread 1 --at x
bad 1 '0 grids have such a block' $streams/blend.tpr --thread 1
bad 1 'the grid has no such block and thread' $programs/vector_add.cp --thread 99 --grid 1 --block 32 --buffer 0=zero:4 --buffer 1=zero:4 --buffer 2=zero:4 --param 1
bad 2 'no scene named' --scene nothing --pixel 1,1
bad 2 'not both' --scene teapot $streams/blend.tpr --pixel 1,1
bad 1 'not a recording' README.md --pixel 1,1
bad 1 'No such file' /no/file --pixel 1,1
bad 1 'No such file' $streams/blend.tpr --pixel 30,30 -x /no/script

printf 'frobnicate\n' >"$folder/script"
"$program" debug $streams/blend.tpr --pixel 30,30 -x "$folder/script" --batch >"$folder/output" 2>&1
check_text 'a wrong command makes a script fail' "$([ $? -eq 1 ] || echo 'exit code is not 1')"

# mov b32 $r2 0.2 in the second draw's fragment program becomes 0.8
perl -0777 -pe 's/\x09\x80\x0d\x10\xcf\xcc\xe4\x03/\x09\x80\x0d\x10\xcf\xcc\xf4\x03/' \
    $streams/blend.tpr >"$folder/planted.tpr"
differ() { # name, exit code, text, files
    name=$1
    code=$2
    text=$3
    shift 3
    "$program" diff "$@" >"$folder/output" 2>&1
    got=$?
    wrong=
    [ $got -eq "$code" ] || wrong="exit $got"
    grep -q -e "$text" "$folder/output" || wrong="$wrong no line with '$text'"
    check_text "$name" "$wrong"
}
differ 'diff of equals' 0 '5 draws, the same pictures' $streams/blend.tpr $streams/blend.tpr
differ 'diff finds the draw' 1 'draw 2 is the first to differ: colour 0, 2340 texels, the first at 8,20' \
    $streams/blend.tpr "$folder/planted.tpr"
differ 'diff finds the instruction' 1 '0x07ff98  mov b32 $r2 0x3f4ccccd' \
    $streams/blend.tpr "$folder/planted.tpr"
differ 'diff of no recording' 1 'not a recording' $streams/blend.tpr README.md

checks_end
