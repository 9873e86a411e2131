#!/bin/sh
# Checks that files, folders, links, `make` targets, functions and other names of the code with an underscore that the
# documents name exist. Names of the hardware, of OpenGL and of other projects are in tests/tree/docs.words. Lines have
# at most 120 columns, except tables of the reference. The rows of a table have equal numbers of cells, and an empty
# line follows the table. Names in docs/log and CHANGELOG.md are not checked, because these files describe past versions.
# usage: docs.sh. Ends in "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
words=$(mktemp) || exit 1
trap 'rm -f "$words" "$words.known"' EXIT
passed=0
failed=0
git ls-files 2>/dev/null | grep -v '^docs/\|^[A-Z]*\.md$' | xargs grep -ohE '[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)+' 2>/dev/null |
    sort -u >"$words.known"
[ -s "$words.known" ] || find . \( -path './build*' -o -path ./.git -o -path ./docs \) -prune -o -type f ! -path './[A-Z]*.md' -print |
    xargs grep -IohE '[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)+' | sort -u >"$words.known"
cat tests/tree/docs.words >>"$words.known"
ls tests/*/*.c | sed 's|^tests/||; s|/|_|; s|\.c$||' >>"$words.known" # test programs
find . -path './build*' -prune -o -type f -print | sed 's|.*/||; s|\..*||' >>"$words.known"

wrong() { # document, name, kind of the name
    echo "FAIL docs: $1 names $2, which is no $3"
    failed=$((failed + 1))
}

for document in *.md docs/*.md docs/log/*.md docs/reference/*.md; do
    passed=$((passed + 1))
    wide=$(LC_ALL=C.UTF-8 grep -nE '.{121}' "$document")
    case $document in docs/reference/* | docs/instructions.md) wide=$(echo "$wide" | grep -v '^[0-9]*:|') ;; esac
    if [ -n "$wide" ]; then
        echo "FAIL docs: $document has lines of more than 120 columns:" $(echo "$wide" | cut -d: -f1)
        failed=$((failed + 1))
    fi
    # awk counts the cells of each row; text directly behind a row would become a row
    broken=$(awk '/^ *```/ { code = !code }
        !code && /^ *\|/ { gsub(/\\\|/, ""); n = gsub(/\|/, "|"); if (cells && n != cells) print NR; cells = n; next }
        { if (!code && cells && NF) print NR; cells = 0 }' "$document")
    if [ -n "$broken" ]; then
        echo "FAIL docs: tables of $document have rows of other lengths, or text directly behind:" $broken
        failed=$((failed + 1))
    fi
    for link in $(grep -oE '\]\([^)#:]+\)' "$document" | sed 's/](//; s/)$//' | sort -u); do
        if [ -e "$(dirname "$document")/$link" ]; then
            passed=$((passed + 1))
        else
            wrong "$document" "$link" "file to link to"
        fi
    done
    case $document in CHANGELOG.md | docs/log/* | docs/reference/*) continue ;; esac
    # paths: words with a known folder in front, or with the ending of a source file
    for path in $(grep -oE '[A-Za-z0-9_./*-]+' "$document" |
        grep -E '^(api|base|bench|demos|docs|drm|examples|fifo|include|pipeline|raster|shader|tests|tex|tools|window)/|^[a-z_0-9]+\.(c|h|inc|sh)$' |
        sed 's/[.,:]*$//' | sort -u); do
        if ls -d $path >/dev/null 2>&1 || find . -path './build*' -prune -o -name "$path" -print | grep -q .; then
            passed=$((passed + 1))
        else
            grep -qxF -- "$path" tests/tree/docs.words || wrong "$document" "$path" "file"
        fi
    done
    for target in $(grep -oE '`make [a-z0-9-]+' "$document" | sed 's/.*make //' | sort -u); do
        if grep -qE "^([a-z -]* )?$target( [a-z -]*)?:" Makefile; then
            passed=$((passed + 1))
        else
            wrong "$document" "$target" "target of make"
        fi
    done
    grep -oE '`[^`]*`' "$document" | grep -oE '[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)+' | sort -u >"$words"
    for name in $(sort -u "$words.known" "$words.known" | comm -23 "$words" -); do
        wrong "$document" "$name" "name in the code"
    done
    passed=$((passed + $(wc -l <"$words")))
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
