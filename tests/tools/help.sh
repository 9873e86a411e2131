#!/usr/bin/env bash
# All help has one source: --help, man pages, completions of bash and zsh, and the sentences about instructions with
# docs/instructions.md. usage: help.sh [--update] writes docs/instructions.md.
. "$(dirname "$0")/../checks"
build=${BUILD:-build}
program=$build/teslapipe

instructions() {
    sed '/^## Tesla/,$d' docs/instructions.md
    for set in Tesla:gt215:g200 Fermi:gf100:gk104 generic64:g64:; do
        IFS=: read -r name first second <<<"$set"
        printf '## %s\n\n' "$name"
        { "$program" as -m "$first" --explain list; [ -z "$second" ] || "$program" as -m "$second" --explain list; } |
            awk '!seen[$0]++'
        [ "$name" = generic64 ] || echo
    done
}
if [ "${1-}" = --update ]; then
    instructions >"$folder/page" && cat "$folder/page" >docs/instructions.md
    exit
fi
instructions >"$folder/page"
check "docs/instructions.md has the sentences of explain.inc (tests/tools/help.sh --update)" \
    diff "$folder/page" docs/instructions.md

# ---- pages and completions: every option of every command
commands=$("$program" --help | sed -n '/Scenes:/q; s/^  \([a-z]*\) .*/\1/p')
check "commands" test "$(wc -w <<<"$commands")" -ge 14
for command in $commands; do
    page=$build/man/teslapipe-$command.1
    options=$("$program" help "$command" | sed -n 's/^  \(-[-a-z]*\).*/\1/p' | grep -v '^--help$')
    check "help $command is $command --help" diff <("$program" help "$command") <("$program" "$command" --help)
    check "the page of $command is current" diff "$page" <("$build/teslapipe-interactive" help --man "$command")
    check "the page of $command has the status of a job" test \
        "$(grep -c '^  --resume ' <<<"$("$program" help "$command")")" = "$(grep -c '; 3: ' "$page")"
    check "the page of $command has the status of findings" test \
        "$(grep -c '^  --suppressions ' <<<"$("$program" help "$command")")" = "$(grep -c '; 4: ' "$page")"
    for option in $options; do
        check "$command $option in its page" grep -q -e "^.B ${option//-/\\\\-}\( \|$\)" "$page"
        check "$command $option in bash" grep -q -e "options='.*$option " \
            <(sed -n "/^    '$command')\$/,/;;\$/p" "$build/completion/teslapipe.bash")
        check "$command $option in zsh" grep -q -e "'\*\?$option\[" \
            <(sed -n "/^    '$command')\$/,/;;\$/p" "$build/completion/teslapipe.zsh")
    done
    check "the program's page has $command" grep -q "^.BR teslapipe.-$command (1)" "$build/man/teslapipe.1"
done
check "topics" grep -q '^usage: teslapipe bench alu' <("$program" help bench alu)
check "help help is --help" diff <("$program" help help) <("$program" --help)
refuses 2 'no command named frobnicate' "$program" help frobnicate
if command -v mandoc >/dev/null; then
    for page in "$build"/man/*.1; do
        ! grep -q '^\.so ' "$page" || continue
        check "$page has no mistake" sh -c "! mandoc -Tlint -W warning $page | grep -v 'missing date'"
    done
fi

# ---- bash: the completions of a word
completes() { # expected words, words of the command line...
    local want=$1
    shift
    # shellcheck disable=SC2016
    got=$(bash --norc -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _teslapipe
        printf "%s\n" "${COMPREPLY[@]}"' - "$build/completion/teslapipe.bash" "$@" | sort | xargs)
    if [ "$got" = "$want" ]; then pass; else fail "bash: $* completes to '$got', not '$want'"; fi
}
touch "$folder/errors"
completes "render replay" teslapipe re
completes "render replay" teslapipe help re
completes "teapot" teslapipe render tea
completes "--threads --time" teslapipe render --t
completes "interp native" teslapipe render teapot --engine ''
completes "base" teslapipe render teapot --simd b
completes "gf100 gf104 gf106 gf108 gf110 gf114 gf116 gf117 gf119" teslapipe gl --chip gf
completes "units" teslapipe bench u
completes "--seconds --simd" teslapipe bench alu --s
completes "tests/checks" teslapipe gl -- cat tests/che
completes "tests/checks" teslapipe replay tests/che

# ---- zsh, if it is installed: the same completions by its own system
if command -v zsh >/dev/null; then
    cat >"$folder/ask" <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
say() { zpty -w shell "$1"; }
say "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d $1/dump"
say 'zstyle ":completion:*" list-prompt ""; LISTMAX=0; bindkey "^I" complete-word; echo rea''dy'
zpty -r -m shell line '*ready*'
zpty -w -n shell "$2"$'\t'
sleep 1
zpty -w -n shell $'\C-a: \C-e\n'
say 'echo do''ne'
zpty -r -m shell line '*done*'
print -r -- "$line"
END
    mkdir "$folder/zsh"
    cp "$build/completion/teslapipe.zsh" "$folder/zsh/_teslapipe"
    zsh_completes() { # line, the line after the completion
        zsh -f "$folder/ask" "$folder/zsh" "$1" >"$folder/errors" 2>&1
        check "zsh: $1" grep -q -e "$2" "$folder/errors"
    }
    zsh_completes 'teslapipe rep' 'teslapipe replay'
    zsh_completes 'teslapipe render --wir' 'render --wireframe'
    zsh_completes 'teslapipe render teapot --engine nat' '--engine native'
    zsh_completes 'teslapipe bench un' 'bench units'
else
    skipped=1
fi

# ---- sentences
said() { # expected, arguments...
    local want=$1
    shift
    check "$*: $want" grep -q -F -e "$want" <("$program" "$@" 2>&1)
}
said 'D = A * B + C, with a truncated product.' as --explain add
said 'add [sat] f32 D [neg] (mul A B) [neg] C' as --explain add
said 'D = the field of A that begins at bit B[0:7]' as -m gf100 --explain ext
said 'FADD[.SAT][.RM|RP|RZ] D, A, B' as -m g64 --explain FADD
said 'FFMA is written in envyas as: fma rn f32' as -m gf100 -s asfermi --explain FFMA
said 'has no instruction named frobnicate' as --explain frobnicate
said 'gf100 has no instruction named shfl; -m chooses a chip with it: gk104' as -m gf100 --explain shfl
# Every name in the list is explained for at least one chip.
for chip in gt215 gf100 g64; do
    while read -r name; do
        check "$chip: $name is explained" grep -q -v 'list shows all' <("$program" as -m "$chip" --explain "$name" 2>&1)
    done < <("$program" as -m "$chip" --explain list | sed -n 's/^| `\(.*\)` | [a-z ]* | .*/\1/p' | sed 's/`, `/\n/g')
done
# A program with comments assembles back to the same words.
for source in demos/programs/*.[vgf]p; do
    type=${source##*.}
    "$program" as "$source" -o "$folder/words" && "$program" dis -t "$type" --explain "$folder/words" >"$folder/text"
    check "$source: every instruction has a sentence" sh -c "! grep -v -e ' // .*\.$' $folder/text"
    "$program" as -t "$type" "$folder/text" -o "$folder/again"
    check "$source: assembles back" cmp "$folder/words" "$folder/again"
done
for source in demos/programs/fermi/*.[vtgfc]*p; do
    type=${source##*.}
    "$program" as -m gf100 "$source" -o "$folder/words" &&
        "$program" dis -m gf100 -t "$type" --explain "$folder/words" >"$folder/text"
    check "$source: every instruction has a sentence" sh -c "! grep -v -e ' // .*\.$' $folder/text"
done
check "operands in the sentence" grep -q '// \$r0 = the larger of -|\$r1| and \$r2\.$' \
    <(echo 'max f32 $r0 neg abs $r1 $r2' | "$program" as -t fp --hex |
        "$program" dis -t fp --explain)
check "operands of generic64 in the sentence" grep -q '// R0 = R1 + R2\.$' \
    <(echo 'FADD R0, R1, R2' | "$program" as -m g64 -t cp --hex | "$program" dis -m g64 -t cp --explain)
checks_end ${skipped:+"$skipped"}
