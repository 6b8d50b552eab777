#compdef gtd

autoload -U is-at-least

_gtd() {
    typeset -A opt_args
    typeset -a _arguments_options
    local ret=1

    if is-at-least 5.2; then
        _arguments_options=(-s -S -C)
    else
        _arguments_options=(-s -C)
    fi

    local context curcontext="$curcontext" state line
    _arguments "${_arguments_options[@]}" : \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
":: :_gtd_commands" \
"*::: :->gtd" \
&& ret=0
    case $state in
    (gtd)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gtd-command-$line[1]:"
        case $line[1] in
            (run)
_arguments "${_arguments_options[@]}" : \
'--town=[The town'\''s folder; the one around the working directory when left out]:TOWN:_files' \
'--once[Make passes until nothing is left to do, merge queues included, and end]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gtd__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gtd-help-command-$line[1]:"
        case $line[1] in
            (run)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
        esac
    ;;
esac
}

(( $+functions[_gtd_commands] )) ||
_gtd_commands() {
    local commands; commands=(
'run:Watch a town until told to stop' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gtd commands' commands "$@"
}
(( $+functions[_gtd__subcmd__help_commands] )) ||
_gtd__subcmd__help_commands() {
    local commands; commands=(
'run:Watch a town until told to stop' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gtd help commands' commands "$@"
}
(( $+functions[_gtd__subcmd__help__subcmd__help_commands] )) ||
_gtd__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gtd help help commands' commands "$@"
}
(( $+functions[_gtd__subcmd__help__subcmd__run_commands] )) ||
_gtd__subcmd__help__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'gtd help run commands' commands "$@"
}
(( $+functions[_gtd__subcmd__run_commands] )) ||
_gtd__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'gtd run commands' commands "$@"
}

if [ "$funcstack[1]" = "_gtd" ]; then
    _gtd "$@"
else
    compdef _gtd gtd
fi
