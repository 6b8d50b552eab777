#compdef gt-keeper

autoload -U is-at-least

_gt-keeper() {
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
'--root=[The folder that holds \`keeper/\`\: a rig'\''s root. Else GT_RIG_ROOT, else the nearest one above]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
":: :_gt-keeper_commands" \
"*::: :->gt-keeper" \
&& ret=0
    case $state in
    (gt-keeper)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-keeper-command-$line[1]:"
        case $line[1] in
            (install)
_arguments "${_arguments_options[@]}" : \
'--root=[The folder that holds \`keeper/\`\: a rig'\''s root. Else GT_RIG_ROOT, else the nearest one above]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(uninstall)
_arguments "${_arguments_options[@]}" : \
'--root=[The folder that holds \`keeper/\`\: a rig'\''s root. Else GT_RIG_ROOT, else the nearest one above]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(plant)
_arguments "${_arguments_options[@]}" : \
'--root=[The folder that holds \`keeper/\`\: a rig'\''s root. Else GT_RIG_ROOT, else the nearest one above]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'::source -- The repository; the rig'\''s own clone where nothing is said:_files' \
&& ret=0
;;
(review)
_arguments "${_arguments_options[@]}" : \
'--name=[The convoy'\''s name; GT_CONVOY_NAME where nothing is said]:NAME:_default' \
'--spec=[What it is to achieve; GT_CONVOY_SPEC_FILE or GT_CONVOY_SPEC where nothing is said]:SPEC:_default' \
'--root=[The folder that holds \`keeper/\`\: a rig'\''s root. Else GT_RIG_ROOT, else the nearest one above]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(reviewed)
_arguments "${_arguments_options[@]}" : \
'--root=[The folder that holds \`keeper/\`\: a rig'\''s root. Else GT_RIG_ROOT, else the nearest one above]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(brief)
_arguments "${_arguments_options[@]}" : \
'--root=[The folder that holds \`keeper/\`\: a rig'\''s root. Else GT_RIG_ROOT, else the nearest one above]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'::decision -- The decision, such as ADR-017; of the hook'\''s variables where nothing is said:_default' \
&& ret=0
;;
(validate)
_arguments "${_arguments_options[@]}" : \
'--base=[The commit without the change; GT_BASE where nothing is said]:BASE:_default' \
'--commit=[The commit with it; GT_COMMIT where nothing is said]:COMMIT:_default' \
'--root=[The folder that holds \`keeper/\`\: a rig'\''s root. Else GT_RIG_ROOT, else the nearest one above]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'::decision -- The decision, such as ADR-017; of the hook'\''s variables where nothing is said:_default' \
&& ret=0
;;
(waive)
_arguments "${_arguments_options[@]}" : \
'--reason=[Why]:REASON:_default' \
'--file=[Only in this file]:FILE:_default' \
'--root=[The folder that holds \`keeper/\`\: a rig'\''s root. Else GT_RIG_ROOT, else the nearest one above]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':decision -- The decision, such as ADR-017:_default' \
':rule -- The rule'\''s words, or the constraint'\''s code:_default' \
&& ret=0
;;
(explain)
_arguments "${_arguments_options[@]}" : \
'--root=[The folder that holds \`keeper/\`\: a rig'\''s root. Else GT_RIG_ROOT, else the nearest one above]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'*::codes -- Codes, or a decision whose codes are meant:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--root=[The folder that holds \`keeper/\`\: a rig'\''s root. Else GT_RIG_ROOT, else the nearest one above]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
'--root=[The folder that holds \`keeper/\`\: a rig'\''s root. Else GT_RIG_ROOT, else the nearest one above]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':decision -- The decision, such as ADR-017:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt-keeper__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-keeper-help-command-$line[1]:"
        case $line[1] in
            (install)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(uninstall)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(plant)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(review)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(reviewed)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(brief)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(validate)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(waive)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(explain)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(show)
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

(( $+functions[_gt-keeper_commands] )) ||
_gt-keeper_commands() {
    local commands; commands=(
'install:Put the hooks into a rig'\''s \`hooks/\` folder' \
'uninstall:Take the hooks away. Seeds and decisions stay' \
'plant:Fill the seed vault by reading a repository. What people wrote there stays' \
'review:Review a convoy (the pre-convoy hook). Exit code 0 approves, 3 leaves it to a person, 1 rejects' \
'reviewed:Settle a decision that a person was asked about (the convoy-reviewed hook)' \
'brief:Tell what was decided, in a few lines (the convoy-briefing hook)' \
'validate:Check a change against its decision (the pre-merge hook). Exit code 1 where a rule is broken' \
'waive:Let a rule of a decision be broken, for a reason that is kept' \
'explain:Tell what constraint codes mean; all of them where none is named' \
'list:List the decisions' \
'show:Show a decision as it stands in its file' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt-keeper commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__brief_commands] )) ||
_gt-keeper__subcmd__brief_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper brief commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__explain_commands] )) ||
_gt-keeper__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper explain commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help_commands] )) ||
_gt-keeper__subcmd__help_commands() {
    local commands; commands=(
'install:Put the hooks into a rig'\''s \`hooks/\` folder' \
'uninstall:Take the hooks away. Seeds and decisions stay' \
'plant:Fill the seed vault by reading a repository. What people wrote there stays' \
'review:Review a convoy (the pre-convoy hook). Exit code 0 approves, 3 leaves it to a person, 1 rejects' \
'reviewed:Settle a decision that a person was asked about (the convoy-reviewed hook)' \
'brief:Tell what was decided, in a few lines (the convoy-briefing hook)' \
'validate:Check a change against its decision (the pre-merge hook). Exit code 1 where a rule is broken' \
'waive:Let a rule of a decision be broken, for a reason that is kept' \
'explain:Tell what constraint codes mean; all of them where none is named' \
'list:List the decisions' \
'show:Show a decision as it stands in its file' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt-keeper help commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help__subcmd__brief_commands] )) ||
_gt-keeper__subcmd__help__subcmd__brief_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper help brief commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help__subcmd__explain_commands] )) ||
_gt-keeper__subcmd__help__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper help explain commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help__subcmd__help_commands] )) ||
_gt-keeper__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper help help commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help__subcmd__install_commands] )) ||
_gt-keeper__subcmd__help__subcmd__install_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper help install commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help__subcmd__list_commands] )) ||
_gt-keeper__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper help list commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help__subcmd__plant_commands] )) ||
_gt-keeper__subcmd__help__subcmd__plant_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper help plant commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help__subcmd__review_commands] )) ||
_gt-keeper__subcmd__help__subcmd__review_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper help review commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help__subcmd__reviewed_commands] )) ||
_gt-keeper__subcmd__help__subcmd__reviewed_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper help reviewed commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help__subcmd__show_commands] )) ||
_gt-keeper__subcmd__help__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper help show commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help__subcmd__uninstall_commands] )) ||
_gt-keeper__subcmd__help__subcmd__uninstall_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper help uninstall commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help__subcmd__validate_commands] )) ||
_gt-keeper__subcmd__help__subcmd__validate_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper help validate commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__help__subcmd__waive_commands] )) ||
_gt-keeper__subcmd__help__subcmd__waive_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper help waive commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__install_commands] )) ||
_gt-keeper__subcmd__install_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper install commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__list_commands] )) ||
_gt-keeper__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper list commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__plant_commands] )) ||
_gt-keeper__subcmd__plant_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper plant commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__review_commands] )) ||
_gt-keeper__subcmd__review_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper review commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__reviewed_commands] )) ||
_gt-keeper__subcmd__reviewed_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper reviewed commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__show_commands] )) ||
_gt-keeper__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper show commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__uninstall_commands] )) ||
_gt-keeper__subcmd__uninstall_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper uninstall commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__validate_commands] )) ||
_gt-keeper__subcmd__validate_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper validate commands' commands "$@"
}
(( $+functions[_gt-keeper__subcmd__waive_commands] )) ||
_gt-keeper__subcmd__waive_commands() {
    local commands; commands=()
    _describe -t commands 'gt-keeper waive commands' commands "$@"
}

if [ "$funcstack[1]" = "_gt-keeper" ]; then
    _gt-keeper "$@"
else
    compdef _gt-keeper gt-keeper
fi
