#!/usr/bin/env bash
# teslapipe ci: which processes fail and why, on each chip; recordings of failures; the JUnit report. Also the example
# script for Mesa's developers, with the system's driver and with a copy of it. Environment: BUILD, CC.
. "$(dirname "$0")/both_drivers"
needs_headers EGL/egl.h GLES2/gl2.h
errors=$work/out
compile ci -lEGL -lGLESv2

ci() { # exit code, text of the summary, arguments...
    local want=$1 text=$2
    shift 2
    timeout 60 "$BUILD/teslapipe" ci -o "$work/ci" "$@" >"$work/out" 2>"$work/err"
    local got=$?
    check "ci $*: exit $got, not $want" [ "$got" -eq "$want" ]
    check "ci $*: $text" grep -q -e "$text" "$work/out"
}
files() { find "$work/ci" -type f | sed "s|$work/ci/||; s/[0-9]*\././" | sort | xargs; }

ci 0 'g84: 1 process drew, 0 failed, 0 skipped; the command ended with 0' --chips g84,gt215 -- "$compiled" pass
check "both chips" grep -q '^gt215: 1 process drew, 0 failed' "$work/out"
check "nothing is left of what passed" [ -z "$(files)" ]
ci 1 'FAILED .*ci fail: exit status 3' --junit "$work/junit.xml" -- sh -c "'$compiled' pass; '$compiled' fail"
check "one recording" [ "$(files)" = gt215/.tpr ]
check "the recording replays" "$BUILD/teslapipe" replay --hash "$work"/ci/gt215/*.tpr
check "JUnit: numbers" grep -q '<testsuite name="gt215" tests="3" failures="2" skipped="0"' "$work/junit.xml"
check "JUnit: reason" grep -q 'fail"><failure message="exit status 3"/>' "$work/junit.xml"
check "JUnit is XML" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/junit.xml"
ci 1 'FAILED .*ci crash: killed by a signal' -- sh -c "'$compiled' crash; true"
ci 0 '1 process drew, 0 failed, 1 skipped' -- sh -c "'$compiled' skip || true"
ci 1 'FAILED .*ci child: exit status 5' -- "$compiled" child
ci 1 'FAILED .*: drew with llvmpipe, not with this GPU' -- env LIBGL_ALWAYS_SOFTWARE=1 "$compiled" pass
TESLAPIPE_BUDGET=100 ci 1 'error.* of the GPU: ' -- "$compiled" pass
check "its log stays" [ "$(files)" = "gt215/.log gt215/.tpr" ]
ci 1 'no process opened the GPU' -- true
ci 1 'stopped by --timeout' --timeout 1 -- sh -c "'$compiled' pass; sleep 30"
ci 1 'FAILED' --junit "$work/bytes.xml" -- "$compiled" fail $'\xff\xc3\xa9\x1b'
check "JUnit is XML, whatever the arguments" \
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/bytes.xml"
ci 0 '1 process drew' --keep --no-record -- "$compiled" pass
check "--keep, --no-record" [ "$(files)" = "gt215/.begin gt215/.end gt215/.log" ]
refuses 2 'chips bad: must be all, or some of: gt215' "$BUILD/teslapipe" ci --chips bad -- true
refuses 2 ': must be all, or some of: gt215' "$BUILD/teslapipe" ci --chips '' -- true
refuses 2 'which program' "$BUILD/teslapipe" ci
"$BUILD/teslapipe" ci -o "$work/ci" -- \
    sh -c "trap 'echo >$work/ended; exit' TERM; echo >$work/began; sleep 20 & wait" >"$work/out" 2>&1 &
for _ in $(seq 100); do [ -e "$work/began" ] || sleep 0.1; done
kill -TERM $!
wait $!
for _ in $(seq 50); do [ -e "$work/ended" ] || sleep 0.1; done
check "a signal ends the command, too" [ -e "$work/ended" ]
timeout 60 "$BUILD/teslapipe" gl --record "$work/%p.tpr" -- "$compiled" pass >"$work/out" 2>&1
check "%p in --record" test "$(ls "$work" | grep -c '^[0-9]*\.tpr$')" -eq 1

# The example script, with Debian's driver and with a driver in another place.
export TESLAPIPE=$BUILD/teslapipe CHIPS=g84,gt215
if timeout 100 examples/ci/mesa.sh -o "$work/mesa" system "$compiled" pass >"$work/out" 2>&1; then pass; else fail "mesa.sh system"; fi
check "a report" grep -q 'testsuite name="g84" tests="2" failures="0"' "$work/mesa/report.xml"
copy=$work/prefix/lib/$(gcc -print-multiarch 2>/dev/null || echo x86_64-linux-gnu)
mkdir -p "$copy/dri"
cp -L "/usr/lib/${copy##*/}/dri/nouveau_dri.so" "$copy/dri/"
if timeout 100 examples/ci/mesa.sh -o "$work/mesa" "$work/prefix" "$compiled" pass >"$work/out" 2>&1; then pass; else fail "mesa.sh with a copy"; fi
check "the copy is what draws" grep -q "driver: $copy/dri/nouveau_dri.so" "$work/out"
if examples/ci/mesa.sh "$work/nowhere" true >"$work/out" 2>&1; then fail "mesa.sh without a driver"; else pass; fi
check "says what is missing" grep -q 'nowhere.*nouveau' "$work/out"
checks_end
