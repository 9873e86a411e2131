#!/usr/bin/env bash
# Debian's packaging agrees with the tree: version, symbols of the library, a package for each man page, packages that
# the build needs. tests/roots/packages builds the packages. Environment: BUILD, SAN.
. "$(dirname "$0")/../checks"
build=${BUILD:-build}
[ -z "${SAN:-}" ] || { echo "0 passed, 0 failed, 1 skipped"; exit 0; }
version=$(sed -n 's/^#define TP_VERSION "\(.*\)"/\1/p' include/teslapipe.h)
check "debian/changelog begins with $version" grep -q "^teslapipe ($version)" <(head -n 1 debian/changelog)
check "debian/libteslapipe0.symbols has what the library shows" diff \
    <(sed -n 's/^ \(tp_[a-z0-9_]*\)@.*/\1/p' debian/libteslapipe0.symbols) \
    <(nm -D --defined-only "$build/libteslapipe.so" | sed -n 's/.* T \([^@]*\).*/\1/p' | LC_ALL=C sort)
check "each man page is in one package" diff <(cat debian/*.manpages | sed 's|.*/||' | LC_ALL=C sort) \
    <(cd "$build/man" && ls ./*.1 | sed 's|./||' | LC_ALL=C sort)
# `make deps` installs the packages that a build needs; building a package needs the same, debhelper and Sphinx.
for package in $(sed -n '/^Build-Depends/,/^Standards/p' debian/control | sed 's/Build-Depends[-A-Za-z]*://; /^Standards/d; s/<.*>//; s/(.*)//; s/:native//; s/,//' |
    grep -v -e debhelper -e sphinx -e myst); do
    check "PACKAGES has $package" grep -qw -- "$package" <(sed -n '/^PACKAGES/,/^$/p' Makefile)
done
# Every file of examples and completions is in a package.
for file in examples/*.[ch] examples/ci/* examples/farm/* examples/glsl/*; do
    case $file in examples/*/*) pattern=${file%/*} ;; *) pattern='examples/\*' ;; esac
    check "$file is in a package" grep -q "^$pattern" <(cat debian/*.examples)
done
for script in debian/tests/[a-z]*; do
    [ "$script" = debian/tests/control ] || check "$script is in debian/tests/control" grep -q "^Tests: ${script##*/}$" debian/tests/control
done
# A package has the same bytes wherever it is built: all objects, also those outside of the rooms, are compiled with the
# flags of a package.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for place in one another; do
    make -s DEPS=no BUILD="$work/$place" MORE_CFLAGS="-g0" "$work/$place/obj/protocol/xdg-shell.o" >"$work/log" 2>&1 || cat "$work/log"
done
check "an object of a protocol does not name its build folder" cmp "$work/one/obj/protocol/xdg-shell.o" "$work/another/obj/protocol/xdg-shell.o"
checks_end
