#!/bin/sh
# Checks the layout of all sources with clang-format-19 (.clang-format; exceptions in
# .clang-format-ignore). Prints the lines that differ. To mend a file: clang-format-19 -i FILE.
. "$(dirname "$0")/../checks"
list=$(mktemp) || exit 1
trap 'rm -f "$list" "$list".*' EXIT
find . -name 'build*' -prune -o -name .git -prune -o \( -name '*.c' -o -name '*.h' -o -name '*.inc' \) -print | sort >"$list"
xargs -P "$(nproc)" -n 32 clang-format-19 --dry-run -Werror <"$list" >"$list.said" 2>&1 || sed -n 's/ error: code.*/ not as clang-format makes it/p; /No such\|not found/p' "$list.said" | head -n 40
for file in $(sed -n 's/^\(\.*[^: ]*\):[0-9]*:[0-9]*: error.*/\1/p' "$list.said" | sort -u); do
    fail "$file"
done
[ "$failed" -gt 0 ] || check "clang-format-19 runs" clang-format-19 --version >/dev/null
[ "$failed" -gt 0 ] || passed=$(wc -l <"$list")
checks_end
