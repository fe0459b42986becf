# Completion of slackline and slackline-calibrate in bash.  The program is asked: commands and options are
# those of its --help, whose text is made from the tables that the program itself reads.

# Commands, one a line.
_slackline_commands()
{
    "$1" --help 2>/dev/null | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p'
}

# Options of a command ("" for the program alone), one a line; "--name=" where a value follows.
_slackline_options()
{
    "$1" ${2:+"$2"} --help 2>/dev/null |
        sed -n 's/^  \(-.,\|   \) \(--[a-z][a-z-]*=\{0,1\}\).*/\2/p'
}

_slackline()
{
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
    local commands
    COMPREPLY=()
    commands=$(_slackline_commands "$program")
    if [[ $COMP_CWORD -eq 1 && $word != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
    elif [[ $word == -* ]]; then
        [[ " ${commands//$'\n'/ } " == *" $command "* ]] || command=
        mapfile -t COMPREPLY < <(compgen -W "$(_slackline_options "$program" "$command")" -- "$word")
        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    elif [[ $command == list ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" list --names 2>/dev/null | cut -f 1 | sort -u)" -- "$word")
    fi # else: files and folders
}

complete -o bashdefault -o default -F _slackline slackline slackline-calibrate
