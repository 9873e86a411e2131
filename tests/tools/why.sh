#!/usr/bin/env bash
# The histories of more than 10,000 random pixels (teslapipe why --check) in the demo scenes, the recordings beside the
# golden pictures and those of the conformance tests. The last written colour is that of the picture; verdicts are those
# of brute force: a draw alone on two patterns, with its tests enabled one by one. Then bad input.
# usage: why.sh. Ends in "N passed, N failed".
. "$(dirname "$0")/../checks"
program=${BUILD:-build}/teslapipe
seed=0

few=1 # SHORT: a tenth of the pixels of scenes and streams
[ -z "${SHORT:-}" ] || few=10

histories() { # why-arguments...
    seed=$((seed + 1))
    "$program" why "$@" --seed $seed >>"$folder/out" 2>"$errors"
    check "$* --seed $seed" [ $? -eq 0 ]
}

for scene in triangle teapot mandelbrot checker grass explode wave lights shadow mirror deferred cube volume smoke nbody terrain particles glass; do
    histories --scene $scene --size 320x180 --check $((400 / few))
done
for f in tests/golden/streams/*.tpr; do
    histories "$f" --check $((50 / few))
done
for archive in tests/replays/*.tar.xz; do
    mkdir -p "$folder/replays"
    tar -C "$folder/replays" -xf "$archive" || exit 1
    for f in $(find "$folder/replays" -name '*.tpr' -size -256k | sort | sed -n 1~2p); do # every second one
        histories "$f" --check 40
    done
    # (Fermi's archive.) The exchange of a fragment returns the number of the fragment before it; the program then draws
    # green.
    for f in $(find "$folder/replays" -name "*ssbo-atomicexchange-fl.tpr"); do
        check "a fragment that depends on others" \
            grep -q 'now (0, 1, 0, 1)' <("$program" why "$f" 28 3 | grep -B 1 'gives alone$')
    done
    rm -r "$folder/replays"
done

# The runs above must have covered enough: numbers of pixels, and of each kind of verdict.
sum() { # a word of the lines in $folder/out: adds up the numbers before or after it
    awk -v want="$1" '{ n = split($0, part, /[:;,]/); for (i = 1; i <= n; i++) if (part[i] ~ "^ *" want " [0-9]+$" ||
        part[i] ~ "^ *[0-9]+ " want "$") { gsub(/[^0-9]/, "", part[i]); all += part[i] } } END { print all + 0 }' "$folder/out"
}
at_least() { # number, word
    check "$1 of '$2'" [ "$(sum "$2")" -ge "$1" ]
}
at_least $((10000 / few)) colours
at_least $((100000 / few)) verdicts
for verdict in 'culled' 'outside the scissor' 'not covered' 'zeta test failed' 'stencil test failed' \
    'discarded' 'written'; do
    at_least 1 "$verdict"
done

bad() { # exit code, text of the one line on stderr, why-arguments...
    code=$1
    text=$2
    shift 2
    refuses "$code" "$text" "$program" why "$@"
}
stream=tests/golden/streams/blend.tpr
{ printf 'TPR9'; tail -c +5 $stream; } >"$folder/version.tpr"
bad 2 'the target has 128x128 pixels' $stream 128 0
bad 2 'the target has 128x128 pixels' $stream 0 60000
bad 2 'not a pixel' $stream x 0
bad 2 'there is no draw 1000' $stream 1 1 --draw 1000
bad 2 'must be a whole number' $stream 1 1 --draw 0
bad 2 'no such target' $stream 1 1 --target 7
bad 2 'must be 0 to 7, or zeta' $stream 1 1 --target depth
bad 2 'the target has 1' $stream 1 1 --sample 1
bad 2 'must be 0 to 7' $stream 1 1 --sample 8
# A pixel of a tessellated patch: the number of the patch, and the points of the triangle.
for pixel in '10 10 0' '55 55 1'; do
    set -- $pixel
    "$program" why tests/tools/tessellation.tpr "$1" "$2" --inputs >"$folder/patch" 2>"$errors"
    check "the patch of $1,$2" grep -q "^cause: draw 1, primitive $3," "$folder/patch"
    check "three points of the patch of $1,$2" \
        test "$(grep -o 'evaluated point [0-9]*' "$folder/patch" | sort -u | wc -l)" -eq 3
    check "levels of the patch of $1,$2" \
        grep -q "^      patch $3: triangle, outer levels 2, 3, 4, inner 3; the pixel is at u 0\.[0-9]*, v 0\.[0-9]*, w 0\." "$folder/patch"
done
"$program" why tests/tools/tessellation.tpr 10 10 --json >"$folder/patch" 2>"$errors"
check "a patch as JSON" grep -q '"patch":{"number":0,"domain":"triangle","outer":\[2,3,4\],"inner":\[3\],"at":\[0.671' "$folder/patch"
# Stores of programs (tests/gl/causes.c): the cause of a pixel in a target, an image and a texture, and the chain from a
# pixel to the texels and words that it was made from, and to the stores of earlier launches and draws.
because() { # text, why-arguments...: checks that the answer has the text
    because_text=$1
    shift
    "$program" why tests/tools/causes.tpr "$@" >"$folder/why" 2>"$errors"
    check "why causes.tpr $*: $because_text" grep -qF -e "$because_text" "$folder/why"
}
threads() { # level: prints the threads of the chain's stores at this level, in one line
    indent=$(printf '%*s' $((2 * $1 + 6)) '')
    sed -n "s/^$indent\(an\|a\) [a-z ]* of \(.*\)) at 0x.*/\2/p" "$folder/why" | sort -u | tr '\n' ';'
}
because 'cause: an image store of launch 3 after draw 3 (cp, cp@7f000, thread 2,2,0 of block 0,0,0) at 0x07f110' 22 6
because 'draw 3, primitive 0 (front, fp@7f190): written, overwritten later' 22 6
because 'sustp wb zero img[0x0] 2d $r0:$r1 $r4:$r5:$r6:$r7: there was (0.2509804, 0.2509804, 0.2509804, 0.2509804), now (1, 0, 1, 1)' 22 6
because 'step through it: teslapipe debug tests/tools/causes.tpr --thread 2,2,0 --at 0,0,0 --hit 3' 22 6
"$program-interactive" debug tests/tools/causes.tpr --thread 2,2,0 --at 0,0,0 --hit 3 -x /dev/null --batch >"$folder/why" 2>"$errors"
check "debug stops at the thread" grep -q '^block 0,0,0, thread 2,2,0, .* lane 18 of cp@7f000' "$folder/why"
because 'cause: draw 3, primitive 0, program fp@7f190' 28 6 # a pixel beside the store
check "a pixel beside the store has no store" sh -c "! grep -q 'image store of launch 3' '$folder/why'"
because 'cause: draw 1, primitive 0, program fp@7f5d0' 5 9
check "a filtered sample reads four texels" [ "$(threads 1)" = 'launch 2 after draw 0 (cp, cp@7f940, thread 2,4,0 of block 0,0,0;launch 2 after draw 0 (cp, cp@7f940, thread 2,5,0 of block 0,0,0;launch 2 after draw 0 (cp, cp@7f940, thread 3,4,0 of block 0,0,0;launch 2 after draw 0 (cp, cp@7f940, thread 3,5,0 of block 0,0,0;' ]
check "one texel's thread has read the same texel" [ "$(threads 2)" = 'launch 1 after draw 0 (cp, cp@7fb80, thread 2,4,0 of block 0,0,0;' ]
because ', read at 0x07f600 (tex p lauto all' 5 9
because ', read at 0x07fa48 ((not $p0) suldb b32' 5 9
because 'there was 0x00000000, then 0xff402040' 5 9
because 'a store to g[] of draw 2 (vp, vp@7f490, vertex 1) at 0x07f4d8' 18 12
because 'a store to g[] of draw 2 (vp, vp@7f490, vertex 2) at 0x07f4d8' 18 20
because 'cause: an image store of draw 1 (fp, fp@7f5d0, pixel 5,9) at' 5 9 --image 0 --draw 1
because 'now (512, 0, 0, 1)' 0 0 --image 1
because 'cause: an atomic operation of draw 1 (fp, fp@7f5d0, pixel 15,31) at 0x07f7d8' 0 0 --image 1
check "16 warps add to the counter, watched or not" [ "$(grep -c '^an atomic operation' "$folder/why")" -eq 16 ]
because 'pixel 5,9 of a 16x16 rgbx8 texture, 3 draws, 3 launches' 5 9 --texture 0
because 'cause: an image store of launch 2 after draw 0 (cp, cp@7f940, thread 5,1,0 of block 0,1,0) at 0x07fb60' 5 9 --texture 0
because '"kind":"store","draw":3,"by":"image","stage":"cp","launch":3,"thread":"thread 2,2,0 of block 0,0,0"' 22 6 --json
because '"chain":[' 22 6 --json
because '{"level":2,"address":13369608,"read_at":522824,"draw":0,"by":"image","stage":"cp","launch":1,' 5 9 --json
check "JSON" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$folder/why"
causes=tests/tools/causes.tpr
bad 2 'one of --target, --image and --texture' $causes 1 1 --image 0 --texture 0
bad 2 '--image x: not a number' $causes 1 1 --image x
bad 2 'the last draw has no such image' $causes 1 1 --image 7
bad 2 'the last draw has no such texture' $causes 1 1 --texture 90
bad 2 '16,0: the texture has 16x16 pixels' $causes 16 0 --texture 0
bad 2 'sample 1: the image has 1' $causes 0 0 --image 0 --sample 1
# mandelbrot's program does not read 1/w, so words are not divided by w.
"$program" why --scene mandelbrot 176 96 --size 320x240 --inputs >"$folder/inputs" 2>"$errors"
check "a word that is not read" grep -q 'v\[0x0\] is not read (position' "$folder/inputs"
check "words as the program reads them" grep -q 'v\[0x4\] = -0.50647' "$folder/inputs"
# Every command reads a recording that is cut up to its last whole chunk.
for cut in $(($(wc -c <$stream) - 24)) $(($(wc -c <$stream) - 1)); do
    head -c "$cut" $stream >"$folder/cut.tpr"
    for command in 'why FILE 1 1' 'replay FILE' 'replay --hash FILE' "replay --html $folder/cut FILE" 'diff FILE FILE'; do
        # shellcheck disable=SC2046
        "$program" $(echo "$command" | sed "s|FILE|$folder/cut.tpr|g") >"$folder/of-cut" 2>"$errors"
        check_text "$command of a cut recording" "$([ $? -eq 0 ] || echo exit)"
        check "$command: one warning" test "$(grep -c 'warning: .* is cut off after byte' "$errors")" -eq 1
        if [ "$command" != 'replay FILE' ] && [ "${command#*html}" = "$command" ]; then
            # shellcheck disable=SC2046
            "$program" $(echo "$command" | sed "s|FILE|$stream|g") >"$folder/of-whole" 2>/dev/null
            sed "s|$stream|FILE|g; s/ blend$/ FILE/" "$folder/of-whole" >"$folder/of-whole.1"
            sed "s|$folder/cut.tpr|FILE|g; s/ cut$/ FILE/" "$folder/of-cut" >"$folder/of-cut.1"
            check "$command tells the same" cmp -s "$folder/of-whole.1" "$folder/of-cut.1"
        fi
    done
done
bad 1 'another version' "$folder/version.tpr" 1 1
bad 1 'not a recording' README.md 1 1
bad 1 'No such file' /no/file 1 1
bad 2 'no scene named' --scene nothing 1 1
bad 2 'takes X and Y (see' --scene teapot 1
bad 2 'a recording (or --scene NAME), X and Y' $stream 1
bad 2 'a recording (or --scene NAME), X and Y'

checks_end
