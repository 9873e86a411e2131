#!/bin/sh
# Checks that the sections of docs/reference that sources and documents cite exist. A citation in a source
# has one form: `tesla-isa.md §7.4`, further sections behind it as `, §2.1`, ` and §9` or ` to §9`; in
# fermi-isa.md §13 and tesla-isa.md §13 also `§13 item 3`, a row of the table there. A source that names
# a page of the reference without a section is an error.
# usage: citations.sh [FILE...] (all sources and documents if none is given). Ends in "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
name='(tesla-isa|tesla-3d|fermi-isa|fermi-3d|generic64-isa)\.md'
section='§[0-9]+(\.[0-9]+)?( item [0-9]+)?'
passed=0
failed=0

wrong() {
    echo "FAIL citations: $1"
    failed=$((failed + 1))
}

exists() { # page, section, item or nothing
    awk -v section="$2" -v item="$3" '
        /^#/ { n = $2; sub(/\.$/, "", n); inside = n == section; found = found || inside && item == "" }
        inside && item != "" && $0 ~ "^\\| " item " \\|" { found = 1 }
        END { exit !found }' "docs/reference/$1"
}

check() { # file, citation
    page=${2%% *}
    case $2 in
    *§*) ;;
    *)
        case $1 in
        *.md) ;;
        *) wrong "$1 names $page without a section" ;;
        esac
        return
        ;;
    esac
    for part in $(echo "$2" | grep -oE "$section" | sed 's/§//; s/ item /:/'); do
        item=
        case $part in *:*) item=${part#*:} ;; esac
        if exists "$page" "${part%%:*}" "$item"; then
            passed=$((passed + 1))
        else
            wrong "$1 cites $page §$part, which is not there"
        fi
    done
}

[ $# -gt 0 ] || set -- $(grep -rlE --include='*.[chS]' --include='*.inc' --include='*.md' --exclude-dir='build*' \
    --exclude-dir=.git "$name" .)
list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
for file; do
    # a citation may continue on the next line, after the comment's leader
    tr '\n' ' ' <"$file" | sed -E 's/ +(\*|\/\/)? +/ /g' |
        grep -oE "$name( $section((,| and| to) $section)*)?" >"$list"
    while read -r citation; do
        check "$file" "$citation"
    done <"$list"
done
# sections that a page of the reference cites in itself
for page in tesla-isa tesla-3d fermi-isa fermi-3d generic64-isa; do
    for part in $(sed -E "s/$name( $section((,| and| to) $section)*)?//g" "docs/reference/$page.md" |
        grep -oE "§[0-9]+(\.[0-9]+)?" | sort -u); do
        if exists "$page.md" "${part#§}" ""; then
            passed=$((passed + 1))
        else
            wrong "docs/reference/$page.md cites its $part, which is not there"
        fi
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
