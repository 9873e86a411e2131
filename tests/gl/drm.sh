#!/usr/bin/env bash
# The render node as programs use it: GBM buffers and surfaces (tests/gl/gbm.c); many textures, fork, PRIME between
# processes, threads (drm.c); its ioctls one by one (ioctls.c, submissions.c); buffers that processes share (turns.c);
# its files in the system (files.c); a display whose window is the test (screens.c); failing calls of libc (faults.c);
# recordings (recordings.c); warnings about other renderers (fallback.c). ioctls, submissions and files run as every
# chip. Environment: BUILD, CHIPS (default: gt215 g80), PROGRAMS, CC.
. "$(dirname "$0")/both_drivers"
needs_headers EGL/egl.h GL/glcorearb.h gbm.h
declare -A made tried
for name in ${PROGRAMS:=gbm drm ioctls submissions turns screens faults recordings fallback files}; do
    compile "$name" -lEGL -lGL -lgbm -lm -lpthread
    made[$name]=$compiled
done
declare -A renderer=([gt215]=NVA3 [gt216]=NVA5 [gt218]=NVA8 [mcp89]=NVAF [g80]=NV50 [g84]=NV84 [g86]=NV86 [g92]=NV92
    [g94]=NV94 [g96]=NV96 [g98]=NV98 [g200]=NVA0 [mcp77]=NVAA [mcp79]=NVAC [gf108]=NVC1)
try() { # chip, program
    timeout 60 "$BUILD/teslapipe" gl --chip "$1" -- "${made[$2]}" "${renderer[$1]}" >"$work/out" 2>"$work/log"
    rc=$?
    # files opens the node and draws nothing with it, so a warning must come
    if [ "$2" = files ] && ! { grep -q '^teslapipe: WARNING: files does not draw on teslapipe' "$work/log" &&
        grep -q 'The GPU was opened, but its driver was not chosen' "$work/log"; }; then
        echo "$1 $2: no warning"
        failed=$((failed + 1))
    fi
    # expected complaints: ioctls asks for an unknown class, submissions uses an unknown method, files draws nothing
    sed -i '/no engine of class 1234$/d; /ILLEGAL_METHOD 1ffc/d; /^teslapipe: WARNING: files does not draw/,$d; /^$/d' "$work/log"
    # faults sometimes has no memory and no GPU
    [ "$2" = faults ] && sed -i '/: out of memory while/d; /: no executable memory for native code: Cannot allocate/d; /: error: no GPU: /d' "$work/log"
    line=$(tail -n 1 "$work/out")
    sed '$d' "$work/out" | sed "s/^/$1 $2: /"
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    elif [ $rc -ne 0 ] || [[ " gbm drm " != *" $2 "* ]]; then
        echo "$1 $2: exit $rc without a verdict"
        failed=$((failed + 1))
    fi
    # a crash, or a complaint of the GPU
    if [ $rc -gt 1 ] || [ -s "$work/log" ]; then
        echo "$1 $2: exit $rc"
        head -n 5 "$work/log"
        failed=$((failed + 1))
    fi
}
once=" turns screens faults recordings fallback " # run on one chip only
for chip in ${CHIPS:-gt215 g80}; do
    for name in $PROGRAMS; do
        [[ $once == *" $name "* && -n ${tried[$name]:-} ]] || try "$chip" "$name"
        tried[$name]=1
    done
done
for chip in ${CHIPS:-${!renderer[@]}}; do
    for name in ioctls submissions files; do
        [[ -n ${CHIPS:-} || " gt215 g80 " == *" $chip "* || -z ${made[$name]:-} ]] ||
            [[ $chip = gf* && $name != ioctls ]] || # the others write a Tesla's command streams
            try "$chip" "$name"
    done
done
verdict() { # what, command...
    local what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else
        echo "FAIL: $what"
        failed=$((failed + 1))
    fi
}
# TESLAPIPE_LOG is the name of a level, in any case; other words are no level. Messages go to stderr, or only into a
# file.
said_at() { # TESLAPIPE_LOG
    local name
    for name in ioctls submissions; do
        TESLAPIPE_LOG=$1 "$BUILD/teslapipe" gl --chip gt215 -- "${made[$name]}" NVA3 2>&1 >/dev/null
    done
}
lines() { said_at "$1" | wc -l; }
if [ -n "${made[ioctls]:-}" ] && [ -n "${made[submissions]:-}" ]; then
    usual=$(lines warning) more=$(lines info) most=$(lines DEBUG)
    verdict "info says more" [ "$more" -gt "$usual" ]
    verdict "debug most" [ "$most" -gt "$more" ]
    for level in "" warning WARNING nonsense; do
        verdict "warnings are said: '$level'" grep -q ILLEGAL_METHOD <(said_at "$level")
    done
    verdict "errors alone" [ -z "$(said_at error | grep -v 'error: ')" -a -n "$(said_at Error)" ]
    for level in warn warnings inf debugs p prof profiles ""; do
        verdict "no level: '$level'" [ "$(said_at "$level" | grep -vc 'the levels are error')" -eq "$usual" ]
        [ -z "$level" ] || verdict "and it is reported: $level" [ "$(lines "$level")" -gt "$usual" ]
    done
    verdict "all into a file" [ "$(lines "debug:$work/said")" -eq 0 ]
    for text in "GETPARAM 99 is unknown" "ioctl 9e is unknown" "no room for a buffer of 4096 bytes" "channel 1: object 00000011 of class 5039"; do
        verdict "$text" grep -q "$text\$" "$work/said"
    done
    if [ -c /dev/full ]; then
        verdict "a log on a full disk" grep -q 'the log is not complete: writing failed: No space' <(said_at debug:/dev/full)
        verdict "is reported once a process" [ "$(said_at debug:/dev/full | wc -l)" -le 4 ]
    fi
    verdict "a log in no folder" grep -q 'cannot log to /no/folder/log: No such file' <(said_at debug:/no/folder/log)
    verdict "profiles say where the time goes" [ "$(lines profile)" -gt "$more" ]
    verdict "as much" [ "$(wc -l <"$work/said")" -gt "$more" ]
fi
# Missing or wrong settings: the default chip is used.
with() { # what is complained of, settings...
    local complaint=$1
    shift
    verdict "$*" "$BUILD/teslapipe" gl -- env "$@" "${made[ioctls]}" NVA3 >/dev/null 2>"$work/log"
    verdict "$*: '$complaint'" [ "$(sed -n '/no engine of class 1234$/d; s/^teslapipe: error: //p' "$work/log")" = "$complaint" ]
}
if [ -n "${made[ioctls]:-}" ]; then
    with "" -u TESLAPIPE_CHIP
    with "" TESLAPIPE_CHIP=
    with "" TESLAPIPE_ARITHMETIC=fast
    with "TESLAPIPE_ARITHMETIC=quick: exact or fast" TESLAPIPE_ARITHMETIC=quick
    with "TESLAPIPE_CHIP=g8 is no chip: this is a gt215" TESLAPIPE_CHIP=g8
    with "" TESLAPIPE_THREADS=3
    with "TESLAPIPE_THREADS=999: a number from 1 to 256, or 0" TESLAPIPE_THREADS=999
    with "TESLAPIPE_THREADS=x: a number from 1 to 256, or 0" TESLAPIPE_THREADS=x
    with "TESLAPIPE_BUDGET=-1: a number from 1 to 1000000000000000, or 0" TESLAPIPE_BUDGET=-1
    with "" TESLAPIPE_BUDGET=1000000000000000
    with "" TESLAPIPE_RECORD=
    with "cannot record to $work/none/x" TESLAPIPE_RECORD="$work/none/x"
fi
# A chip by its number.
if [ -n "${made[files]:-}" ]; then
    for name in 0xa3 a3 GT215; do
        "$BUILD/teslapipe" gl --chip $name -- "${made[files]}" NVA3 >/dev/null 2>&1
        verdict "--chip $name" [ $? -eq 0 ]
    done
fi
# If a recording cannot be written completely, the program fails.
if [ -c /dev/full ] && [ -n "${made[gbm]:-}" ]; then
    timeout 60 "$BUILD/teslapipe" gl --chip gt215 --record /dev/full -- "${made[gbm]}" NVA3 >/dev/null 2>"$work/log"
    if [ $? -eq 1 ] && grep -q 'the recording is not complete' "$work/log"; then
        passed=$((passed + 1))
    else
        echo "a recording on a full disk: no failure"
        failed=$((failed + 1))
    fi
fi
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
