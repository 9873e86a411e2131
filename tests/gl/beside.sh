#!/usr/bin/env bash
# The resources that the preloaded library takes from programs, and systems on which it cannot work: thread-local
# storage, core dumps, systems that refuse memory files or executable memory (tests/gl/beside.c). Environment: BUILD,
# CC.
. "$(dirname "$0")/both_drivers"
[ -x "$BUILD/teslapipe" ] || fail_all "$BUILD/teslapipe is missing"

# glibc takes libraries' thread-local storage from the stack of every thread.
for library in libteslapipe-drm.so libteslapipe.so; do
    bytes=$(($(readelf -lW "$BUILD/$library" | awk '$1 == "TLS" { print $6 }')))
    check "thread-local storage of $library: $bytes bytes" [ "$bytes" -le 2048 ]
done

compile beside -lpthread
beside() { # mode
    "$BUILD/teslapipe" gl -- "$compiled" "$1" >"$work/out" 2>"$work/log"
    check_text "$1" "$([ $? -eq 0 ] || tail -n 3 "$work/out")"
}
beside stacks
check "no word" [ ! -s "$work/log" ]
beside dumps
for mode in no-memfd no-sysfs; do
    beside $mode
    check "$mode: the reason, once" [ "$(grep -c 'no GPU: the system refuses memfd_create: Operation not permitted' "$work/log")" -eq 1 ]
done
beside no-exec
if "$BUILD/teslapipe" exec --help | grep -q native; then
    check "no-exec: one line" [ "$(grep -c 'the interpreter runs programs' "$work/log")" -eq 1 ]
    # A program without a log of its own, and the command.
    for words in "first_triangle $work/triangle.png" "teslapipe render triangle --size 16x16 -o $work"; do
        "$compiled" no-exec "$BUILD"/$words >"$work/out" 2>"$work/log"
        check "no-exec: ${words%% *} draws" [ $? -eq 0 ]
        check "no-exec: ${words%% *} says so, once" [ "$(grep -c 'the interpreter runs programs' "$work/log")" -eq 1 ]
    done
fi

# Programs under valgrind, which must be able to read the library's debug information, and programs with the address
# sanitizer.
skipped=0
cat >"$work/asan.c" <<'END'
#include <fcntl.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    char *volatile p = malloc(8);
    const int result = open("/dev/dri/renderD128", O_RDWR) < 0 ? 3 : argc > 1 ? p[8] : 0;
    free(p);
    return result;
}
END
if command -v valgrind >/dev/null && ${CC:-clang-19} -gdwarf-4 -o "$work/plain" "$work/asan.c"; then
    timeout 100 "$BUILD/teslapipe" gl -- valgrind -q --error-exitcode=9 "$work/plain" >"$work/out" 2>"$work/log"
    check "under valgrind" [ $? -eq 0 ]
    check "the interpreter takes over" grep -q 'the interpreter runs programs' "$work/log"
    timeout 100 "$BUILD/teslapipe" gl -- valgrind -q --error-exitcode=9 "$work/plain" wrong >"$work/out" 2>"$work/log"
    check "valgrind finds a mistake" [ $? -eq 9 ]
else
    skipped=$((skipped + 3))
fi
if command -v gcc >/dev/null && gcc -g -fsanitize=address -o "$work/asan" "$work/asan.c" 2>"$work/log"; then
    "$BUILD/teslapipe" gl -- "$work/asan" >"$work/out" 2>"$work/log"
    check "with the address sanitizer" [ $? -eq 0 ]
    "$BUILD/teslapipe" gl -- "$work/asan" wrong >"$work/out" 2>"$work/log"
    check "it finds a mistake" grep -q 'heap-buffer-overflow' "$work/log"
    check "the user's options stay" [ "$(ASAN_OPTIONS=a=b "$BUILD/teslapipe" gl -- printenv ASAN_OPTIONS)" = a=b:verify_asan_link_order=0 ]
else
    skipped=$((skipped + 3))
fi
checks_end "$skipped"
