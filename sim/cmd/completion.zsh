#compdef slackline slackline-calibrate
# Completion of slackline and slackline-calibrate in zsh.  The program is asked: commands and options are
# those of its --help, whose text is made from the tables that the program itself reads.

local program=$words[1] command=
local -a commands options
commands=(${(f)"$(_call_program commands $program --help 2>/dev/null |
    sed -n '/^Commands/,/^$/s/^  \([a-z][a-z]*\)  *\([A-Z].*\)/\1:\2/p')"})
if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then
    _describe command commands
    return
fi
[[ -z ${commands[(r)$words[2]:*]} ]] || command=$words[2]
if [[ $PREFIX == -* ]]; then
    options=(${(f)"$(_call_program options $program $command --help 2>/dev/null |
        sed -n 's/^  \(-.,\|   \) \(--[a-z][a-z-]*=\{0,1\}\)[^ ]*  *\(.*\)/\2:\3/p')"})
    _describe option options -S ''
elif [[ $command == list ]]; then
    commands=(${(f)"$(_call_program parts $program list --names 2>/dev/null | cut -f 1 | sort -u)"})
    _describe part commands
else
    _files
fi
