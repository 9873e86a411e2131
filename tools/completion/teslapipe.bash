# bash completion of teslapipe. The table that `teslapipe help --bash` writes (_teslapipe_table) precedes this text.

# Completes the words of another command line, which begins at word $1.
_teslapipe_program() {
    if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif [ "$1" -eq "$COMP_CWORD" ]; then
        mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
    fi
}

# Prints the index of the word behind the options of command $1: the name of the program to run.
_teslapipe_options_end() {
    local i options values positional topics commands scenes
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --) echo $((i + 1)); return ;;
        -*) _teslapipe_table "$1" "${COMP_WORDS[i]}"
            [ -z "$values" ] || i=$((i + 1)) ;;
        *) break ;;
        esac
    done
    echo "$i"
}

_teslapipe() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    local options values positional topics commands scenes end
    local command=${COMP_WORDS[1]-}
    COMPREPLY=()
    _teslapipe_table "$command" "$before"
    if [ "$COMP_CWORD" -eq 1 ] || { [ "$command" = help ] && [ "$COMP_CWORD" -eq 2 ]; }; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
        return
    fi
    if [ "$COMP_CWORD" -eq 2 ]; then
        scenes="$scenes $topics"
    elif [[ " $topics " == *" ${COMP_WORDS[2]} "* ]]; then
        _teslapipe_table "$command ${COMP_WORDS[2]}" "$before"
    fi
    if [ "$positional" = program ]; then
        end=$(_teslapipe_options_end "$command")
        if [ "$end" -lt "$COMP_CWORD" ] || { [ "$end" -eq "$COMP_CWORD" ] && [[ $word != -* ]]; }; then
            _teslapipe_program "$end"
            return
        fi
    fi
    case $values in
    any) return ;;
    files | folders)
        mapfile -t COMPREPLY < <(compgen "$([ "$values" = files ] && echo -f || echo -d)" -- "$word")
        compopt -o filenames 2>/dev/null
        return ;;
    ?*)
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
        return ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    elif [ "$positional" = scenes ]; then
        mapfile -t COMPREPLY < <(compgen -W "$scenes" -- "$word"; compgen -f -- "$word")
    elif [ "$positional" = files ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
    fi
}
complete -F _teslapipe teslapipe
