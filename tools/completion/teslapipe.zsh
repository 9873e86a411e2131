
# The functions that `teslapipe help --zsh` writes precede this text.
_teslapipe() {
    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then
        _teslapipe_commands
        return
    fi
    local command=$words[2]
    local -a topics
    topics=(${=$(_teslapipe_topics $command)})
    shift words
    (( CURRENT-- ))
    if (( CURRENT == 2 && $#topics )); then
        compadd -a topics
    elif (( $#topics && $topics[(Ie)$words[2]] )); then
        command="$command $words[2]"
        shift words
        (( CURRENT-- ))
    fi
    _teslapipe_arguments $command
}

_teslapipe "$@"
