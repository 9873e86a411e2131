#!/bin/sh
# Installs into a folder and uses the installed files as a user would: the examples, in C, with pkg-config and the
# shared library, and one with the static library; symbols of the libraries; man page; the installed program.
# Environment: BUILD, CC, SAN.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
passed=0
failed=0
if [ -n "${SAN:-}" ]; then
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi

right() { # description, command...
    what=$1
    shift
    if "$@" >"$root/out" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL install: $what:"
        head -n 20 "$root/out"
    fi
}

right "make install" make -s install BUILD="$build" CC="${CC:-clang-19}" PREFIX="$root/usr"
export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig LD_LIBRARY_PATH=$root/usr/lib
mkdir "$root/bin"
for source in examples/*.c; do
    name=$(basename "$source" .c)
    # shellcheck disable=SC2046
    right "$name.c compiles" "${CC:-clang-19}" -std=c11 -Wall -Wextra -Werror -Iexamples -o "$root/bin/$name" "$source" \
        $(pkg-config --cflags --libs teslapipe) -lm -pthread
    right "$name" "$root/bin/$name"
done
# The example in the comment at the head of the header is a program.
sed -n '1,/^#ifndef/s/^ \*     //p' include/teslapipe.h >"$root/head.c"
# shellcheck disable=SC2046
right "the header's example compiles" "${CC:-clang-19}" -std=c11 -Wall -Wextra -Werror -o "$root/bin/head" "$root/head.c" \
    $(pkg-config --cflags --libs teslapipe) -pthread
right "the header's example draws" "$root/bin/head"
# shellcheck disable=SC2046
right "static" "${CC:-clang-19}" -Iexamples -o "$root/bin/static" examples/geometry.c $(pkg-config --cflags teslapipe) \
    "$root/usr/lib/libteslapipe.a" $(pkg-config --static --libs-only-other teslapipe) -lm -ldl -pthread
right "static runs" env -u LD_LIBRARY_PATH "$root/bin/static"
right "every function of the header is there, and nothing else" sh -c '
    cat include/teslapipe.h include/teslapipe_debug.h | grep -v ^typedef | grep -o "tp_[a-z0-9_]*(" | tr -d "(" | sort -u >'"$root"'/declared
    nm -D --defined-only '"$root"'/usr/lib/libteslapipe.so | sed -n "s/.* T \([^@]*\).*/\1/p" | sort -u >'"$root"'/shown
    diff '"$root"'/declared '"$root"'/shown'
right "other names stay inside" sh -c "! nm -D --defined-only $root/usr/lib/libteslapipe.so | grep -v -e ' tp_' -e TESLAPIPE_0"
right "man page" sh -c "grep -q '^.TH TESLAPIPE 1' $root/usr/share/man/man1/teslapipe.1"
right "the interactive program is beside it" "$root/usr/bin/teslapipe" debug --help
right "the program finds its data" "$root/usr/bin/teslapipe" render triangle --size 16x16 -o "$root"
# The debug information is in a separate part.
right "no debug information" sh -c "! readelf -SW $root/usr/bin/* $root/usr/lib/lib* | grep -F .debug_info"
# teslapipe-mpi contains the machine a second time.
right "less than 81 MB, 96 with teslapipe-mpi" sh -c "du -sm $root/usr
    [ \$(du -sm --exclude=teslapipe-mpi $root/usr | cut -f 1) -lt 81 ] && [ \$(du -sm $root/usr | cut -f 1) -lt 96 ]"
right "make install-dbg" make -s install-dbg BUILD="$build" CC="${CC:-clang-19}" PREFIX="$root/usr"
right "debug information by build id" sh -c "for p in $root/usr/bin/*; do id=\$(readelf -n \$p | sed -n 's/.*Build ID: //p')
    readelf -S $root/usr/lib/debug/.build-id/\$(echo \$id | cut -c 1-2)/\$(echo \$id | cut -c 3-).debug | grep -q debug_info || exit 1; done"
# A prefix with a blank.
right "make install into a folder with a blank" make -s install BUILD="$build" CC="${CC:-clang-19}" PREFIX="$root/a place"
export PKG_CONFIG_PATH="$root/a place/lib/pkgconfig" LD_LIBRARY_PATH="$root/a place/lib"
right "a program of it compiles" sh -c "eval \"${CC:-cc} -Iexamples -o '$root/bin/blank' examples/geometry.c $(pkg-config --cflags --libs teslapipe | sed 's/\\/\\\\/g') -pthread\""
right "and runs" "$root/bin/blank"
right "the program finds its data there" "$root/a place/bin/teslapipe" render triangle --size 16x16 -o "$root"
right "and its library" "$root/a place/bin/teslapipe" gl -- true
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
