#compdef gt

autoload -U is-at-least

_gt() {
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
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
":: :_gt_commands" \
"*::: :->gt" \
&& ret=0
    case $state in
    (gt)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-command-$line[1]:"
        case $line[1] in
            (attach)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':agent -- The agent\: RIG/NAME, RIG/crew/NAME, mayor, ...:_default' \
&& ret=0
;;
(brief)
_arguments "${_arguments_options[@]}" : \
'--explain[Show each part with its source and size instead of the text]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'::bead -- The bead; the one on the hook where none is named:_default' \
&& ret=0
;;
(checkpoint)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_gt__subcmd__checkpoint_commands" \
"*::: :->checkpoint" \
&& ret=0

    case $state in
    (checkpoint)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-checkpoint-command-$line[1]:"
        case $line[1] in
            (write)
_arguments "${_arguments_options[@]}" : \
'-n+[What the next session should know]:NOTES:_default' \
'--notes=[What the next session should know]:NOTES:_default' \
'--molecule=[The molecule that you are working through]:MOLECULE:_default' \
'--step=[The step of it that you are at]:STEP:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(clear)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__checkpoint__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-checkpoint-help-command-$line[1]:"
        case $line[1] in
            (write)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(clear)
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
;;
(config)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_gt__subcmd__config_commands" \
"*::: :->config" \
&& ret=0

    case $state in
    (config)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-config-command-$line[1]:"
        case $line[1] in
            (get)
_arguments "${_arguments_options[@]}" : \
'--rig=[A rig'\''s; the one you are in where none is given]:RIG:_default' \
'(--rig)--town[The town'\''s]' \
'--show-origin[Say where the value comes from]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':key -- The setting:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--rig=[A rig'\''s; the one you are in where none is given]:RIG:_default' \
'(--rig)--town[The town'\''s]' \
'--show-origin[Say where each value comes from]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(set)
_arguments "${_arguments_options[@]}" : \
'--rig=[A rig'\''s; the one you are in where none is given]:RIG:_default' \
'(--rig)--town[The town'\''s]' \
'(--town)--local[On this machine only]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':key -- The setting:_default' \
':value -- Its value:_default' \
&& ret=0
;;
(unset)
_arguments "${_arguments_options[@]}" : \
'--rig=[A rig'\''s; the one you are in where none is given]:RIG:_default' \
'(--rig)--town[The town'\''s]' \
'(--town)--local[From this machine'\''s local layer; a block on it goes, too]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':key -- The setting:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__config__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-config-help-command-$line[1]:"
        case $line[1] in
            (get)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(set)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(unset)
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
;;
(convoy)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_gt__subcmd__convoy_commands" \
"*::: :->convoy" \
&& ret=0

    case $state in
    (convoy)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-convoy-command-$line[1]:"
        case $line[1] in
            (create)
_arguments "${_arguments_options[@]}" : \
'--owner=[Who owns it and hears when it lands; you when left out]:OWNER:_default' \
'*--notify=[Who else hears when it lands; the mayor when no address follows]::NOTIFY:_default' \
'(--spec-file)--spec=[What it is to achieve, for the pre-convoy hook; the texts of its beads where nothing is said]:TEXT:_default' \
'--spec-file=[The same, from a file]:PATH:_default' \
'--integration[Give it a branch of its own in each rig\: its beads are merged there, and it lands from there as one commit a rig]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':name -- Its name:_default' \
'*::beads -- The beads it tracks:_default' \
&& ret=0
;;
(add)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':convoy -- The convoy:_default' \
'*::beads -- The beads:_default' \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::convoy -- A convoy'\''s id, or its number in `gt convoy list`; all open ones when left out:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--all[Landed and closed ones, too]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(close)
_arguments "${_arguments_options[@]}" : \
'--reason=[Why]:REASON:_default' \
'-f[Close it although it tracks open work]' \
'--force[Close it although it tracks open work]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':convoy -- The convoy:_default' \
&& ret=0
;;
(land)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':convoy -- The convoy:_default' \
&& ret=0
;;
(review)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_gt__subcmd__convoy__subcmd__review_commands" \
"*::: :->review" \
&& ret=0

    case $state in
    (review)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-convoy-review-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--all[Those that were answered, too]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':request -- The request:_default' \
&& ret=0
;;
(approve)
_arguments "${_arguments_options[@]}" : \
'--reason=[Why]:REASON:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':request -- The request:_default' \
&& ret=0
;;
(reject)
_arguments "${_arguments_options[@]}" : \
'--reason=[Why]:REASON:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':request -- The request:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__convoy__subcmd__review__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-convoy-review-help-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(approve)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(reject)
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
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__convoy__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-convoy-help-command-$line[1]:"
        case $line[1] in
            (create)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(close)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(land)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(review)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__convoy__subcmd__help__subcmd__review_commands" \
"*::: :->review" \
&& ret=0

    case $state in
    (review)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-convoy-help-review-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(approve)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(reject)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
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
;;
(crew)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_gt__subcmd__crew_commands" \
"*::: :->crew" \
&& ret=0

    case $state in
    (crew)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-crew-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
'--rig=[The rig; the one you are in where none is given]:RIG:_default' \
'--branch[Put each clone on a branch of its own, crew/NAME]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::names -- The names; RIG/NAME names the rig, too:_default' \
&& ret=0
;;
(at)
_arguments "${_arguments_options[@]}" : \
'--rig=[The rig]:RIG:_default' \
'--agent=[The agent program, in place of the configured one]:AGENT:_default' \
'--no-tmux[Only print the clone'\''s folder]' \
'-d[Start the session, but do not show it]' \
'--detached[Start the session, but do not show it]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':name -- The name, or RIG/NAME:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--rig=[Only of this rig]:RIG:_default' \
'(--rig)--all[Of all rigs, which is what happens anyway without --rig]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(start)
_arguments "${_arguments_options[@]}" : \
'--rig=[The rig]:RIG:_default' \
'--agent=[The agent program, in place of the configured one]:AGENT:_default' \
'--all[All of them]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::names -- The names; RIG/NAME names the rig, too:_default' \
&& ret=0
;;
(stop)
_arguments "${_arguments_options[@]}" : \
'--rig=[The rig]:RIG:_default' \
'--all[All of them]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::names -- The names; RIG/NAME names the rig, too:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__crew__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-crew-help-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(at)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(start)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(stop)
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
;;
(daemon)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_gt__subcmd__daemon_commands" \
"*::: :->daemon" \
&& ret=0

    case $state in
    (daemon)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-daemon-command-$line[1]:"
        case $line[1] in
            (start)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(stop)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(logs)
_arguments "${_arguments_options[@]}" : \
'-n+[How many lines]:LINES:_default' \
'--lines=[How many lines]:LINES:_default' \
'-f[Go on showing what is written]' \
'--follow[Go on showing what is written]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(install)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__daemon__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-daemon-help-command-$line[1]:"
        case $line[1] in
            (start)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(stop)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(logs)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(install)
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
;;
(demo)
_arguments "${_arguments_options[@]}" : \
'--repo=[The repository to work on\: a path or a URL]:REPO:_default' \
'--agent=[A real agent runtime for the workers, such as claude]:AGENT:_default' \
'--keep[Leave the town running]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(doctor)
_arguments "${_arguments_options[@]}" : \
'-v[Show what is well, too]' \
'--verbose[Show what is well, too]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::checks -- Only these checks:_default' \
&& ret=0
;;
(done)
_arguments "${_arguments_options[@]}" : \
'-s+[What was done, and what the next worker should know]:SUMMARY:_default' \
'--summary=[What was done, and what the next worker should know]:SUMMARY:_default' \
'--no-change=[There is nothing to merge; say why]:REASON:_default' \
'--stay[Do not end the session]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(down)
_arguments "${_arguments_options[@]}" : \
'--daemon-only[Stop the daemon only; sessions go on]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(followup)
_arguments "${_arguments_options[@]}" : \
'--title=[The title, where not the first line of the prompt]:TITLE:_default' \
'-p+[The priority, 0 to 4, where not that of the original]:PRIORITY:_default' \
'--priority=[The priority, 0 to 4, where not that of the original]:PRIORITY:_default' \
'--sling=[Sling it at once\: to an idle worker of its rig, or to the target named]::TARGET:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':of -- The bead that was worked on, or the polecat that did it:_default' \
':prompt -- What is wanted now:_default' \
&& ret=0
;;
(handoff)
_arguments "${_arguments_options[@]}" : \
'-s+[What the letter is about]:SUBJECT:_default' \
'--subject=[What the letter is about]:SUBJECT:_default' \
'-m+[What the next session should know]:MESSAGE:_default' \
'--message=[What the next session should know]:MESSAGE:_default' \
'-c[Add to the letter\: hook, branch, changed files, unread mail, work in progress]' \
'--collect[Add to the letter\: hook, branch, changed files, unread mail, work in progress]' \
'-n[Show the letter, and do nothing]' \
'--dry-run[Show the letter, and do nothing]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::agent -- Whose session; yours when left out:_default' \
&& ret=0
;;
(hook)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'::agent -- Whose hook; yours when left out:_default' \
&& ret=0
;;
(hooks)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_gt__subcmd__hooks_commands" \
"*::: :->hooks" \
&& ret=0

    case $state in
    (hooks)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-hooks-command-$line[1]:"
        case $line[1] in
            (status)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'::target -- Only of this target\: `mayor`, `deacon`, `<rig>/polecats`, `<rig>/crew`, `<rig>/witness`, `<rig>/refinery`:_default' \
&& ret=0
;;
(diff)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'::target -- Only of this target:_default' \
&& ret=0
;;
(install)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'::target -- Only of this target:_default' \
&& ret=0
;;
(sync)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'::target -- Only of this target:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__hooks__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-hooks-help-command-$line[1]:"
        case $line[1] in
            (status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(diff)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(install)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(sync)
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
;;
(install)
_arguments "${_arguments_options[@]}" : \
'-n+[The town'\''s name; that of its folder when left out]:NAME:_default' \
'--name=[The town'\''s name; that of its folder when left out]:NAME:_default' \
'--owner=[The owner'\''s e-mail address; git'\''s user.email when left out. Agents'\'' commits carry it]:OWNER:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'::path -- Where; the working directory when left out:_default' \
&& ret=0
;;
(mail)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_gt__subcmd__mail_commands" \
"*::: :->mail" \
&& ret=0

    case $state in
    (mail)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-mail-command-$line[1]:"
        case $line[1] in
            (send)
_arguments "${_arguments_options[@]}" : \
'-s+[What it is about]:SUBJECT:_default' \
'--subject=[What it is about]:SUBJECT:_default' \
'-m+[The text]:MESSAGE:_default' \
'--message=[The text]:MESSAGE:_default' \
'--priority=[0 urgent, 1 high, 2 normal, 3 low]:PRIORITY:_default' \
'--type=[notification, task, scavenge or reply]:KIND:_default' \
'--reply-to=[The message that this one answers]:REPLY_TO:_default' \
'--urgent[As --priority 0]' \
'--permanent[Keep it in git with the town'\''s beads]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':to -- Who gets it\: mayor/, deacon/, overseer, RIG/witness, RIG/NAME, RIG/crew/NAME:_default' \
&& ret=0
;;
(inbox)
_arguments "${_arguments_options[@]}" : \
'-u[Only what is unread]' \
'--unread[Only what is unread]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
'::address -- Whose mailbox; yours when left out:_default' \
&& ret=0
;;
(read)
_arguments "${_arguments_options[@]}" : \
'--keep-unread[Do not mark it as read]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':message -- Its id, or its number in the inbox (1 is the newest):_default' \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
'--identity=[Whose mailbox; yours when left out]:IDENTITY:_default' \
'--inject[Print a reminder for the agent, and nothing without mail]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__mail__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-mail-help-command-$line[1]:"
        case $line[1] in
            (send)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(inbox)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(read)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(check)
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
;;
(mayor)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_gt__subcmd__mayor_commands" \
"*::: :->mayor" \
&& ret=0

    case $state in
    (mayor)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-mayor-command-$line[1]:"
        case $line[1] in
            (attach)
_arguments "${_arguments_options[@]}" : \
'--agent=[The agent program for a start, in place of the configured one]:AGENT:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(start)
_arguments "${_arguments_options[@]}" : \
'--agent=[The agent program, in place of the configured one]:AGENT:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(stop)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__mayor__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-mayor-help-command-$line[1]:"
        case $line[1] in
            (attach)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(start)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(stop)
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
;;
(mq)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_gt__subcmd__mq_commands" \
"*::: :->mq" \
&& ret=0

    case $state in
    (mq)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-mq-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':rig -- The rig:_default' \
&& ret=0
;;
(run)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':rig -- The rig:_default' \
&& ret=0
;;
(retry)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':request -- The merge request:_default' \
&& ret=0
;;
(waive)
_arguments "${_arguments_options[@]}" : \
'--reason=[Why it may pass]:REASON:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':request -- The merge request:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__mq__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-mq-help-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(run)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(retry)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(waive)
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
;;
(namepool)
_arguments "${_arguments_options[@]}" : \
'--rig=[The rig; the one you are in where none is given]:RIG:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_gt__subcmd__namepool_commands" \
"*::: :->namepool" \
&& ret=0

    case $state in
    (namepool)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-namepool-command-$line[1]:"
        case $line[1] in
            (set)
_arguments "${_arguments_options[@]}" : \
'--rig=[The rig; the one you are in where none is given]:RIG:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':theme -- The theme:_default' \
&& ret=0
;;
(themes)
_arguments "${_arguments_options[@]}" : \
'--rig=[The rig; the one you are in where none is given]:RIG:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__namepool__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-namepool-help-command-$line[1]:"
        case $line[1] in
            (set)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(themes)
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
;;
(nudge)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':agent -- The agent\: RIG/NAME, RIG/crew/NAME, mayor, ...:_default' \
'*::message -- The message:_default' \
&& ret=0
;;
(peek)
_arguments "${_arguments_options[@]}" : \
'-n+[How many lines]:LINES:_default' \
'--lines=[How many lines]:LINES:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':agent -- The agent\: RIG/NAME, RIG/crew/NAME, mayor, ...:_default' \
&& ret=0
;;
(polecat)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_gt__subcmd__polecat_commands" \
"*::: :->polecat" \
&& ret=0

    case $state in
    (polecat)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-polecat-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::rig -- The rig:_default' \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':polecat -- The polecat\: RIG/NAME:_default' \
&& ret=0
;;
(retry)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':polecat -- The worker\: RIG/NAME:_default' \
&& ret=0
;;
(nuke)
_arguments "${_arguments_options[@]}" : \
'-f[Remove it although work would be lost from the sandbox; it is saved to a rescue ref]' \
'--force[Remove it although work would be lost from the sandbox; it is saved to a rescue ref]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::polecats -- The polecats\: RIG/NAME:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__polecat__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-polecat-help-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(retry)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(nuke)
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
;;
(prime)
_arguments "${_arguments_options[@]}" : \
'--hook[Read the agent CLI'\''s hook JSON from standard input and record the session]' \
'--explain[Show each part with its source and size, and what was cut and why, instead of the text]' \
'--dry-run[Record nothing]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(rescue)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_gt__subcmd__rescue_commands" \
"*::: :->rescue" \
&& ret=0

    case $state in
    (rescue)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-rescue-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::rig -- Only of this rig:_default' \
&& ret=0
;;
(restore)
_arguments "${_arguments_options[@]}" : \
'--into=[The working tree; the worker'\''s own when left out]:INTO:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':reference -- The rescue ref:_default' \
&& ret=0
;;
(drop)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':reference -- The rescue ref:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__rescue__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-rescue-help-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(restore)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(drop)
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
;;
(rig)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_gt__subcmd__rig_commands" \
"*::: :->rig" \
&& ret=0

    case $state in
    (rig)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-rig-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
'--prefix=[The prefix of its beads]:PREFIX:_default' \
'--branch=[The branch that work is merged into]:BRANCH:_default' \
'--no-remote[Copy the repository and push nowhere]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':name -- The rig'\''s name:_default' \
'::url -- The repository\: a URL or a path:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':name -- The rig:_default' \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::rig -- The rig; the one you are in where none is given:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__rig__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-rig-help-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
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
;;
(scripted)
_arguments "${_arguments_options[@]}" : \
'--script=[The script, an executable file]:PATH:_files' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(session-restart)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':agent -- The agent:_default' \
&& ret=0
;;
(session-wrapper)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':file -- The start file:_files' \
&& ret=0
;;
(seance)
_arguments "${_arguments_options[@]}" : \
'--role=[Only of this role, or any part of an address]:ROLE:_default' \
'--rig=[Only of this rig]:RIG:_default' \
'--since=[Only since this time\: \`2h\`, \`3d\`, \`2026-03-01\`]:SINCE:_default' \
'--bead=[Only those that had this bead]:BEAD:_default' \
'-n+[At most so many, the newest; 0 for all]:RECENT:_default' \
'--recent=[At most so many, the newest; 0 for all]:RECENT:_default' \
'-t+[Ask this session; the beginning of its id is enough]:ID:_default' \
'--talk=[Ask this session; the beginning of its id is enough]:ID:_default' \
'-p+[Ask it this one question and print the answer, instead of going over to it]:QUESTION:_default' \
'--prompt=[Ask it this one question and print the answer, instead of going over to it]:QUESTION:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_gt__subcmd__seance_commands" \
"*::: :->seance" \
&& ret=0

    case $state in
    (seance)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-seance-command-$line[1]:"
        case $line[1] in
            (search)
_arguments "${_arguments_options[@]}" : \
'--role=[Only of this role, or any part of an address]:ROLE:_default' \
'--rig=[Only of this rig]:RIG:_default' \
'--since=[Only since this time\: \`2h\`, \`3d\`, \`2026-03-01\`]:SINCE:_default' \
'--bead=[Only those that had this bead]:BEAD:_default' \
'-n+[At most so many places, those of the newest sessions first; 0 for all]:LIMIT:_default' \
'--limit=[At most so many places, those of the newest sessions first; 0 for all]:LIMIT:_default' \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':text -- The text:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__seance__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-seance-help-command-$line[1]:"
        case $line[1] in
            (search)
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
;;
(signal)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_gt__subcmd__signal_commands" \
"*::: :->signal" \
&& ret=0

    case $state in
    (signal)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-signal-command-$line[1]:"
        case $line[1] in
            (stop)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(end)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__signal__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-signal-help-command-$line[1]:"
        case $line[1] in
            (stop)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(end)
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
;;
(sling)
_arguments "${_arguments_options[@]}" : \
'--agent=[Use this agent runtime instead of the configured one]:AGENT:_default' \
'-a+[Instructions beside the bead'\''s own text]:ARGS:_default' \
'--args=[Instructions beside the bead'\''s own text]:ARGS:_default' \
'-f[Take the bead from whoever has it; sling it even though it is blocked]' \
'--force[Take the bead from whoever has it; sling it even though it is blocked]' \
'--no-convoy[Make no convoy for a bead that has none]' \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::words -- The beads, then the target:_default' \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(unsling)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':bead -- The bead:_default' \
&& ret=0
;;
(up)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(version)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(whoami)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(why)
_arguments "${_arguments_options[@]}" : \
'--json[Prints machine-readable JSON]' \
'-h[Print help]' \
'--help[Print help]' \
':what -- A bead, convoy, merge request, or an agent'\''s name or address:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-command-$line[1]:"
        case $line[1] in
            (attach)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(brief)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(checkpoint)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__checkpoint_commands" \
"*::: :->checkpoint" \
&& ret=0

    case $state in
    (checkpoint)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-checkpoint-command-$line[1]:"
        case $line[1] in
            (write)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(clear)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(config)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__config_commands" \
"*::: :->config" \
&& ret=0

    case $state in
    (config)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-config-command-$line[1]:"
        case $line[1] in
            (get)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(set)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(unset)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(convoy)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__convoy_commands" \
"*::: :->convoy" \
&& ret=0

    case $state in
    (convoy)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-convoy-command-$line[1]:"
        case $line[1] in
            (create)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(close)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(land)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(review)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__convoy__subcmd__review_commands" \
"*::: :->review" \
&& ret=0

    case $state in
    (review)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-convoy-review-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(approve)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(reject)
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
;;
(crew)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__crew_commands" \
"*::: :->crew" \
&& ret=0

    case $state in
    (crew)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-crew-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(at)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(start)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(stop)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(daemon)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__daemon_commands" \
"*::: :->daemon" \
&& ret=0

    case $state in
    (daemon)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-daemon-command-$line[1]:"
        case $line[1] in
            (start)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(stop)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(logs)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(install)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(demo)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(doctor)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(done)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(down)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(followup)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(handoff)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(hook)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(hooks)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__hooks_commands" \
"*::: :->hooks" \
&& ret=0

    case $state in
    (hooks)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-hooks-command-$line[1]:"
        case $line[1] in
            (status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(diff)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(install)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(sync)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(install)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(mail)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__mail_commands" \
"*::: :->mail" \
&& ret=0

    case $state in
    (mail)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-mail-command-$line[1]:"
        case $line[1] in
            (send)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(inbox)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(read)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(mayor)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__mayor_commands" \
"*::: :->mayor" \
&& ret=0

    case $state in
    (mayor)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-mayor-command-$line[1]:"
        case $line[1] in
            (attach)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(start)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(stop)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(mq)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__mq_commands" \
"*::: :->mq" \
&& ret=0

    case $state in
    (mq)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-mq-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(run)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(retry)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(waive)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(namepool)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__namepool_commands" \
"*::: :->namepool" \
&& ret=0

    case $state in
    (namepool)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-namepool-command-$line[1]:"
        case $line[1] in
            (set)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(themes)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(nudge)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(peek)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(polecat)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__polecat_commands" \
"*::: :->polecat" \
&& ret=0

    case $state in
    (polecat)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-polecat-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(retry)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(nuke)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(prime)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(rescue)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__rescue_commands" \
"*::: :->rescue" \
&& ret=0

    case $state in
    (rescue)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-rescue-command-$line[1]:"
        case $line[1] in
            (list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(restore)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(drop)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(rig)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__rig_commands" \
"*::: :->rig" \
&& ret=0

    case $state in
    (rig)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-rig-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(scripted)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(session-restart)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(session-wrapper)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(seance)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__seance_commands" \
"*::: :->seance" \
&& ret=0

    case $state in
    (seance)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-seance-command-$line[1]:"
        case $line[1] in
            (search)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(signal)
_arguments "${_arguments_options[@]}" : \
":: :_gt__subcmd__help__subcmd__signal_commands" \
"*::: :->signal" \
&& ret=0

    case $state in
    (signal)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:gt-help-signal-command-$line[1]:"
        case $line[1] in
            (stop)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(end)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(sling)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(unsling)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(up)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(version)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(whoami)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(why)
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

(( $+functions[_gt_commands] )) ||
_gt_commands() {
    local commands; commands=(
'attach:Look at an agent'\''s session in this terminal. Leave it with Ctrl-b d; the agent goes on' \
'brief:Show what the worker of a bead is told of it\: the assignment, and what was done before in its convoy' \
'checkpoint:Write down where you stand, for the next session on the same work' \
'config:Look at settings and change them' \
'convoy:Follow batches of work until they have landed' \
'crew:Add, list, start, visit and stop crew\: persistent workers that a person directs' \
'daemon:Start, stop and look at the town'\''s daemon' \
'demo:Show a whole town at work\: three beads, two workers, one gate, one landed convoy' \
'doctor:Look whether the town is sound. Nothing is changed' \
'done:Finish the work on your hook (polecats)' \
'down:Stop the town\: the daemon, then every session of its agents' \
'followup:Ask for more on work that was done\: a bead whose worker is told what was done before' \
'handoff:End a session and start a fresh one of the same agent, with a letter to it' \
'hook:Show what is on a hook\: your own, or another agent'\''s' \
'hooks:Show and install what makes agent programs call \`gt\`\: their hooks' \
'install:Make a town\: a folder that holds rigs, agents and the town'\''s own beads. Safe to run again' \
'mail:Send and read mail' \
'mayor:Start, visit and stop the mayor\: the agent that a person talks to about the whole town' \
'mq:Look at and run a rig'\''s merge queue' \
'namepool:Show and choose where a rig'\''s polecats get their names' \
'nudge:Type a message into an agent'\''s session, now. For what lasts, send mail' \
'peek:Show the last lines of an agent'\''s screen' \
'polecat:Look at the workers of rigs; try again with one; remove a sandbox' \
'prime:Print the context of this session\: role, identity, work, prior work of the convoy, mail' \
'rescue:List, bring back and drop saved work' \
'rig:Add, look at and remove rigs\: the repositories that the town works on' \
'scripted:Do the work on my hook by running a script instead of asking a model' \
'session-restart:End the session of an agent and start the next one' \
'session-wrapper:Become the command that a start file names' \
'seance:List past sessions, search what was said in them, or ask one of them' \
'signal:Answer an agent program'\''s hooks\: the end of a turn, the end of a session' \
'sling:Give work to an agent' \
'status:Show what the town is doing\: daemon, agents, rigs with their workers and merge queue, convoys' \
'unsling:Take work off a hook' \
'up:Start the town\: the daemon, which starts sessions when there is work. Safe to run again' \
'version:Print the version' \
'whoami:Say who runs this command, as the town sees it' \
'why:Tell what happened to a bead, convoy, merge request or agent, and which rule decided it; where it stands now, if it is in line or its worker is stuck. With \`--json\` the events' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt commands' commands "$@"
}
(( $+functions[_gt__subcmd__attach_commands] )) ||
_gt__subcmd__attach_commands() {
    local commands; commands=()
    _describe -t commands 'gt attach commands' commands "$@"
}
(( $+functions[_gt__subcmd__brief_commands] )) ||
_gt__subcmd__brief_commands() {
    local commands; commands=()
    _describe -t commands 'gt brief commands' commands "$@"
}
(( $+functions[_gt__subcmd__checkpoint_commands] )) ||
_gt__subcmd__checkpoint_commands() {
    local commands; commands=(
'write:Write a checkpoint\: branch, last commit, changed files, and your words' \
'show:Show the checkpoint of this work tree' \
'clear:Forget the checkpoint of this work tree' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt checkpoint commands' commands "$@"
}
(( $+functions[_gt__subcmd__checkpoint__subcmd__clear_commands] )) ||
_gt__subcmd__checkpoint__subcmd__clear_commands() {
    local commands; commands=()
    _describe -t commands 'gt checkpoint clear commands' commands "$@"
}
(( $+functions[_gt__subcmd__checkpoint__subcmd__help_commands] )) ||
_gt__subcmd__checkpoint__subcmd__help_commands() {
    local commands; commands=(
'write:Write a checkpoint\: branch, last commit, changed files, and your words' \
'show:Show the checkpoint of this work tree' \
'clear:Forget the checkpoint of this work tree' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt checkpoint help commands' commands "$@"
}
(( $+functions[_gt__subcmd__checkpoint__subcmd__help__subcmd__clear_commands] )) ||
_gt__subcmd__checkpoint__subcmd__help__subcmd__clear_commands() {
    local commands; commands=()
    _describe -t commands 'gt checkpoint help clear commands' commands "$@"
}
(( $+functions[_gt__subcmd__checkpoint__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__checkpoint__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt checkpoint help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__checkpoint__subcmd__help__subcmd__show_commands] )) ||
_gt__subcmd__checkpoint__subcmd__help__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'gt checkpoint help show commands' commands "$@"
}
(( $+functions[_gt__subcmd__checkpoint__subcmd__help__subcmd__write_commands] )) ||
_gt__subcmd__checkpoint__subcmd__help__subcmd__write_commands() {
    local commands; commands=()
    _describe -t commands 'gt checkpoint help write commands' commands "$@"
}
(( $+functions[_gt__subcmd__checkpoint__subcmd__show_commands] )) ||
_gt__subcmd__checkpoint__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'gt checkpoint show commands' commands "$@"
}
(( $+functions[_gt__subcmd__checkpoint__subcmd__write_commands] )) ||
_gt__subcmd__checkpoint__subcmd__write_commands() {
    local commands; commands=()
    _describe -t commands 'gt checkpoint write commands' commands "$@"
}
(( $+functions[_gt__subcmd__config_commands] )) ||
_gt__subcmd__config_commands() {
    local commands; commands=(
'get:Print a setting'\''s value' \
'list:List all settings with their values' \
'set:Set a setting\: in the rig'\''s settings, in the town'\''s, or on this machine only' \
'unset:Remove a setting from a file, so that the layers below it count again' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt config commands' commands "$@"
}
(( $+functions[_gt__subcmd__config__subcmd__get_commands] )) ||
_gt__subcmd__config__subcmd__get_commands() {
    local commands; commands=()
    _describe -t commands 'gt config get commands' commands "$@"
}
(( $+functions[_gt__subcmd__config__subcmd__help_commands] )) ||
_gt__subcmd__config__subcmd__help_commands() {
    local commands; commands=(
'get:Print a setting'\''s value' \
'list:List all settings with their values' \
'set:Set a setting\: in the rig'\''s settings, in the town'\''s, or on this machine only' \
'unset:Remove a setting from a file, so that the layers below it count again' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt config help commands' commands "$@"
}
(( $+functions[_gt__subcmd__config__subcmd__help__subcmd__get_commands] )) ||
_gt__subcmd__config__subcmd__help__subcmd__get_commands() {
    local commands; commands=()
    _describe -t commands 'gt config help get commands' commands "$@"
}
(( $+functions[_gt__subcmd__config__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__config__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt config help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__config__subcmd__help__subcmd__list_commands] )) ||
_gt__subcmd__config__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt config help list commands' commands "$@"
}
(( $+functions[_gt__subcmd__config__subcmd__help__subcmd__set_commands] )) ||
_gt__subcmd__config__subcmd__help__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'gt config help set commands' commands "$@"
}
(( $+functions[_gt__subcmd__config__subcmd__help__subcmd__unset_commands] )) ||
_gt__subcmd__config__subcmd__help__subcmd__unset_commands() {
    local commands; commands=()
    _describe -t commands 'gt config help unset commands' commands "$@"
}
(( $+functions[_gt__subcmd__config__subcmd__list_commands] )) ||
_gt__subcmd__config__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt config list commands' commands "$@"
}
(( $+functions[_gt__subcmd__config__subcmd__set_commands] )) ||
_gt__subcmd__config__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'gt config set commands' commands "$@"
}
(( $+functions[_gt__subcmd__config__subcmd__unset_commands] )) ||
_gt__subcmd__config__subcmd__unset_commands() {
    local commands; commands=()
    _describe -t commands 'gt config unset commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy_commands] )) ||
_gt__subcmd__convoy_commands() {
    local commands; commands=(
'create:Make a convoy that tracks beads of any rig' \
'add:Let a convoy track more beads. One that has landed is open again' \
'status:Show how far a convoy is\: each tracked bead, who has it, what it waits for, and what a person can do about it' \
'list:List convoys, open ones or all' \
'close:Close a convoy by hand. Nobody is mailed\: it has not landed' \
'land:Land a convoy now, or go on with a landing that stopped' \
'review:Answer the requests for convoys that a pre-convoy hook left to a person' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt convoy commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__add_commands] )) ||
_gt__subcmd__convoy__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy add commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__close_commands] )) ||
_gt__subcmd__convoy__subcmd__close_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy close commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__create_commands] )) ||
_gt__subcmd__convoy__subcmd__create_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy create commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help_commands] )) ||
_gt__subcmd__convoy__subcmd__help_commands() {
    local commands; commands=(
'create:Make a convoy that tracks beads of any rig' \
'add:Let a convoy track more beads. One that has landed is open again' \
'status:Show how far a convoy is\: each tracked bead, who has it, what it waits for, and what a person can do about it' \
'list:List convoys, open ones or all' \
'close:Close a convoy by hand. Nobody is mailed\: it has not landed' \
'land:Land a convoy now, or go on with a landing that stopped' \
'review:Answer the requests for convoys that a pre-convoy hook left to a person' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt convoy help commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help__subcmd__add_commands] )) ||
_gt__subcmd__convoy__subcmd__help__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy help add commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help__subcmd__close_commands] )) ||
_gt__subcmd__convoy__subcmd__help__subcmd__close_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy help close commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help__subcmd__create_commands] )) ||
_gt__subcmd__convoy__subcmd__help__subcmd__create_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy help create commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__convoy__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help__subcmd__land_commands] )) ||
_gt__subcmd__convoy__subcmd__help__subcmd__land_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy help land commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help__subcmd__list_commands] )) ||
_gt__subcmd__convoy__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy help list commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help__subcmd__review_commands] )) ||
_gt__subcmd__convoy__subcmd__help__subcmd__review_commands() {
    local commands; commands=(
'list:List the requests that wait for a person' \
'show:Show one request\: the beads, who asked, what the hook says, where its decision is' \
'approve:Approve a request\: the convoy is made as it was asked for. A sling that waited for it goes on' \
'reject:Reject a request\: no convoy is made' \
    )
    _describe -t commands 'gt convoy help review commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help__subcmd__review__subcmd__approve_commands] )) ||
_gt__subcmd__convoy__subcmd__help__subcmd__review__subcmd__approve_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy help review approve commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help__subcmd__review__subcmd__list_commands] )) ||
_gt__subcmd__convoy__subcmd__help__subcmd__review__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy help review list commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help__subcmd__review__subcmd__reject_commands] )) ||
_gt__subcmd__convoy__subcmd__help__subcmd__review__subcmd__reject_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy help review reject commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help__subcmd__review__subcmd__show_commands] )) ||
_gt__subcmd__convoy__subcmd__help__subcmd__review__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy help review show commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__help__subcmd__status_commands] )) ||
_gt__subcmd__convoy__subcmd__help__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy help status commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__land_commands] )) ||
_gt__subcmd__convoy__subcmd__land_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy land commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__list_commands] )) ||
_gt__subcmd__convoy__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy list commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__review_commands] )) ||
_gt__subcmd__convoy__subcmd__review_commands() {
    local commands; commands=(
'list:List the requests that wait for a person' \
'show:Show one request\: the beads, who asked, what the hook says, where its decision is' \
'approve:Approve a request\: the convoy is made as it was asked for. A sling that waited for it goes on' \
'reject:Reject a request\: no convoy is made' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt convoy review commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__review__subcmd__approve_commands] )) ||
_gt__subcmd__convoy__subcmd__review__subcmd__approve_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy review approve commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__review__subcmd__help_commands] )) ||
_gt__subcmd__convoy__subcmd__review__subcmd__help_commands() {
    local commands; commands=(
'list:List the requests that wait for a person' \
'show:Show one request\: the beads, who asked, what the hook says, where its decision is' \
'approve:Approve a request\: the convoy is made as it was asked for. A sling that waited for it goes on' \
'reject:Reject a request\: no convoy is made' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt convoy review help commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__review__subcmd__help__subcmd__approve_commands] )) ||
_gt__subcmd__convoy__subcmd__review__subcmd__help__subcmd__approve_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy review help approve commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__review__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__convoy__subcmd__review__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy review help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__review__subcmd__help__subcmd__list_commands] )) ||
_gt__subcmd__convoy__subcmd__review__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy review help list commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__review__subcmd__help__subcmd__reject_commands] )) ||
_gt__subcmd__convoy__subcmd__review__subcmd__help__subcmd__reject_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy review help reject commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__review__subcmd__help__subcmd__show_commands] )) ||
_gt__subcmd__convoy__subcmd__review__subcmd__help__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy review help show commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__review__subcmd__list_commands] )) ||
_gt__subcmd__convoy__subcmd__review__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy review list commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__review__subcmd__reject_commands] )) ||
_gt__subcmd__convoy__subcmd__review__subcmd__reject_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy review reject commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__review__subcmd__show_commands] )) ||
_gt__subcmd__convoy__subcmd__review__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy review show commands' commands "$@"
}
(( $+functions[_gt__subcmd__convoy__subcmd__status_commands] )) ||
_gt__subcmd__convoy__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt convoy status commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew_commands] )) ||
_gt__subcmd__crew_commands() {
    local commands; commands=(
'add:Add crew members, each with a full clone of the rig'\''s repository' \
'at:Visit a crew member\: start its session if it has none, and show it in this terminal' \
'list:List the crew of a rig, or of all' \
'start:Start the sessions of crew members. One that runs already is left as it is' \
'stop:End the sessions of crew members. Their clones stay as they are' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt crew commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew__subcmd__add_commands] )) ||
_gt__subcmd__crew__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'gt crew add commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew__subcmd__at_commands] )) ||
_gt__subcmd__crew__subcmd__at_commands() {
    local commands; commands=()
    _describe -t commands 'gt crew at commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew__subcmd__help_commands] )) ||
_gt__subcmd__crew__subcmd__help_commands() {
    local commands; commands=(
'add:Add crew members, each with a full clone of the rig'\''s repository' \
'at:Visit a crew member\: start its session if it has none, and show it in this terminal' \
'list:List the crew of a rig, or of all' \
'start:Start the sessions of crew members. One that runs already is left as it is' \
'stop:End the sessions of crew members. Their clones stay as they are' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt crew help commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew__subcmd__help__subcmd__add_commands] )) ||
_gt__subcmd__crew__subcmd__help__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'gt crew help add commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew__subcmd__help__subcmd__at_commands] )) ||
_gt__subcmd__crew__subcmd__help__subcmd__at_commands() {
    local commands; commands=()
    _describe -t commands 'gt crew help at commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__crew__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt crew help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew__subcmd__help__subcmd__list_commands] )) ||
_gt__subcmd__crew__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt crew help list commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew__subcmd__help__subcmd__start_commands] )) ||
_gt__subcmd__crew__subcmd__help__subcmd__start_commands() {
    local commands; commands=()
    _describe -t commands 'gt crew help start commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew__subcmd__help__subcmd__stop_commands] )) ||
_gt__subcmd__crew__subcmd__help__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'gt crew help stop commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew__subcmd__list_commands] )) ||
_gt__subcmd__crew__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt crew list commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew__subcmd__start_commands] )) ||
_gt__subcmd__crew__subcmd__start_commands() {
    local commands; commands=()
    _describe -t commands 'gt crew start commands' commands "$@"
}
(( $+functions[_gt__subcmd__crew__subcmd__stop_commands] )) ||
_gt__subcmd__crew__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'gt crew stop commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon_commands] )) ||
_gt__subcmd__daemon_commands() {
    local commands; commands=(
'start:Start the daemon, detached from this terminal' \
'stop:Stop the daemon. Sessions go on\: they do not need it' \
'status:Say whether the daemon runs and how it is' \
'logs:Show the end of the daemon'\''s log' \
'install:Write the systemd user unit of this town'\''s daemon, and say how to enable it' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt daemon commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon__subcmd__help_commands] )) ||
_gt__subcmd__daemon__subcmd__help_commands() {
    local commands; commands=(
'start:Start the daemon, detached from this terminal' \
'stop:Stop the daemon. Sessions go on\: they do not need it' \
'status:Say whether the daemon runs and how it is' \
'logs:Show the end of the daemon'\''s log' \
'install:Write the systemd user unit of this town'\''s daemon, and say how to enable it' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt daemon help commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__daemon__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt daemon help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon__subcmd__help__subcmd__install_commands] )) ||
_gt__subcmd__daemon__subcmd__help__subcmd__install_commands() {
    local commands; commands=()
    _describe -t commands 'gt daemon help install commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon__subcmd__help__subcmd__logs_commands] )) ||
_gt__subcmd__daemon__subcmd__help__subcmd__logs_commands() {
    local commands; commands=()
    _describe -t commands 'gt daemon help logs commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon__subcmd__help__subcmd__start_commands] )) ||
_gt__subcmd__daemon__subcmd__help__subcmd__start_commands() {
    local commands; commands=()
    _describe -t commands 'gt daemon help start commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon__subcmd__help__subcmd__status_commands] )) ||
_gt__subcmd__daemon__subcmd__help__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt daemon help status commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon__subcmd__help__subcmd__stop_commands] )) ||
_gt__subcmd__daemon__subcmd__help__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'gt daemon help stop commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon__subcmd__install_commands] )) ||
_gt__subcmd__daemon__subcmd__install_commands() {
    local commands; commands=()
    _describe -t commands 'gt daemon install commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon__subcmd__logs_commands] )) ||
_gt__subcmd__daemon__subcmd__logs_commands() {
    local commands; commands=()
    _describe -t commands 'gt daemon logs commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon__subcmd__start_commands] )) ||
_gt__subcmd__daemon__subcmd__start_commands() {
    local commands; commands=()
    _describe -t commands 'gt daemon start commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon__subcmd__status_commands] )) ||
_gt__subcmd__daemon__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt daemon status commands' commands "$@"
}
(( $+functions[_gt__subcmd__daemon__subcmd__stop_commands] )) ||
_gt__subcmd__daemon__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'gt daemon stop commands' commands "$@"
}
(( $+functions[_gt__subcmd__demo_commands] )) ||
_gt__subcmd__demo_commands() {
    local commands; commands=()
    _describe -t commands 'gt demo commands' commands "$@"
}
(( $+functions[_gt__subcmd__doctor_commands] )) ||
_gt__subcmd__doctor_commands() {
    local commands; commands=()
    _describe -t commands 'gt doctor commands' commands "$@"
}
(( $+functions[_gt__subcmd__done_commands] )) ||
_gt__subcmd__done_commands() {
    local commands; commands=()
    _describe -t commands 'gt done commands' commands "$@"
}
(( $+functions[_gt__subcmd__down_commands] )) ||
_gt__subcmd__down_commands() {
    local commands; commands=()
    _describe -t commands 'gt down commands' commands "$@"
}
(( $+functions[_gt__subcmd__followup_commands] )) ||
_gt__subcmd__followup_commands() {
    local commands; commands=()
    _describe -t commands 'gt followup commands' commands "$@"
}
(( $+functions[_gt__subcmd__handoff_commands] )) ||
_gt__subcmd__handoff_commands() {
    local commands; commands=()
    _describe -t commands 'gt handoff commands' commands "$@"
}
(( $+functions[_gt__subcmd__help_commands] )) ||
_gt__subcmd__help_commands() {
    local commands; commands=(
'attach:Look at an agent'\''s session in this terminal. Leave it with Ctrl-b d; the agent goes on' \
'brief:Show what the worker of a bead is told of it\: the assignment, and what was done before in its convoy' \
'checkpoint:Write down where you stand, for the next session on the same work' \
'config:Look at settings and change them' \
'convoy:Follow batches of work until they have landed' \
'crew:Add, list, start, visit and stop crew\: persistent workers that a person directs' \
'daemon:Start, stop and look at the town'\''s daemon' \
'demo:Show a whole town at work\: three beads, two workers, one gate, one landed convoy' \
'doctor:Look whether the town is sound. Nothing is changed' \
'done:Finish the work on your hook (polecats)' \
'down:Stop the town\: the daemon, then every session of its agents' \
'followup:Ask for more on work that was done\: a bead whose worker is told what was done before' \
'handoff:End a session and start a fresh one of the same agent, with a letter to it' \
'hook:Show what is on a hook\: your own, or another agent'\''s' \
'hooks:Show and install what makes agent programs call \`gt\`\: their hooks' \
'install:Make a town\: a folder that holds rigs, agents and the town'\''s own beads. Safe to run again' \
'mail:Send and read mail' \
'mayor:Start, visit and stop the mayor\: the agent that a person talks to about the whole town' \
'mq:Look at and run a rig'\''s merge queue' \
'namepool:Show and choose where a rig'\''s polecats get their names' \
'nudge:Type a message into an agent'\''s session, now. For what lasts, send mail' \
'peek:Show the last lines of an agent'\''s screen' \
'polecat:Look at the workers of rigs; try again with one; remove a sandbox' \
'prime:Print the context of this session\: role, identity, work, prior work of the convoy, mail' \
'rescue:List, bring back and drop saved work' \
'rig:Add, look at and remove rigs\: the repositories that the town works on' \
'scripted:Do the work on my hook by running a script instead of asking a model' \
'session-restart:End the session of an agent and start the next one' \
'session-wrapper:Become the command that a start file names' \
'seance:List past sessions, search what was said in them, or ask one of them' \
'signal:Answer an agent program'\''s hooks\: the end of a turn, the end of a session' \
'sling:Give work to an agent' \
'status:Show what the town is doing\: daemon, agents, rigs with their workers and merge queue, convoys' \
'unsling:Take work off a hook' \
'up:Start the town\: the daemon, which starts sessions when there is work. Safe to run again' \
'version:Print the version' \
'whoami:Say who runs this command, as the town sees it' \
'why:Tell what happened to a bead, convoy, merge request or agent, and which rule decided it; where it stands now, if it is in line or its worker is stuck. With \`--json\` the events' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt help commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__attach_commands] )) ||
_gt__subcmd__help__subcmd__attach_commands() {
    local commands; commands=()
    _describe -t commands 'gt help attach commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__brief_commands] )) ||
_gt__subcmd__help__subcmd__brief_commands() {
    local commands; commands=()
    _describe -t commands 'gt help brief commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__checkpoint_commands] )) ||
_gt__subcmd__help__subcmd__checkpoint_commands() {
    local commands; commands=(
'write:Write a checkpoint\: branch, last commit, changed files, and your words' \
'show:Show the checkpoint of this work tree' \
'clear:Forget the checkpoint of this work tree' \
    )
    _describe -t commands 'gt help checkpoint commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__checkpoint__subcmd__clear_commands] )) ||
_gt__subcmd__help__subcmd__checkpoint__subcmd__clear_commands() {
    local commands; commands=()
    _describe -t commands 'gt help checkpoint clear commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__checkpoint__subcmd__show_commands] )) ||
_gt__subcmd__help__subcmd__checkpoint__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'gt help checkpoint show commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__checkpoint__subcmd__write_commands] )) ||
_gt__subcmd__help__subcmd__checkpoint__subcmd__write_commands() {
    local commands; commands=()
    _describe -t commands 'gt help checkpoint write commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__config_commands] )) ||
_gt__subcmd__help__subcmd__config_commands() {
    local commands; commands=(
'get:Print a setting'\''s value' \
'list:List all settings with their values' \
'set:Set a setting\: in the rig'\''s settings, in the town'\''s, or on this machine only' \
'unset:Remove a setting from a file, so that the layers below it count again' \
    )
    _describe -t commands 'gt help config commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__config__subcmd__get_commands] )) ||
_gt__subcmd__help__subcmd__config__subcmd__get_commands() {
    local commands; commands=()
    _describe -t commands 'gt help config get commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__config__subcmd__list_commands] )) ||
_gt__subcmd__help__subcmd__config__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt help config list commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__config__subcmd__set_commands] )) ||
_gt__subcmd__help__subcmd__config__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'gt help config set commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__config__subcmd__unset_commands] )) ||
_gt__subcmd__help__subcmd__config__subcmd__unset_commands() {
    local commands; commands=()
    _describe -t commands 'gt help config unset commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__convoy_commands] )) ||
_gt__subcmd__help__subcmd__convoy_commands() {
    local commands; commands=(
'create:Make a convoy that tracks beads of any rig' \
'add:Let a convoy track more beads. One that has landed is open again' \
'status:Show how far a convoy is\: each tracked bead, who has it, what it waits for, and what a person can do about it' \
'list:List convoys, open ones or all' \
'close:Close a convoy by hand. Nobody is mailed\: it has not landed' \
'land:Land a convoy now, or go on with a landing that stopped' \
'review:Answer the requests for convoys that a pre-convoy hook left to a person' \
    )
    _describe -t commands 'gt help convoy commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__convoy__subcmd__add_commands] )) ||
_gt__subcmd__help__subcmd__convoy__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'gt help convoy add commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__convoy__subcmd__close_commands] )) ||
_gt__subcmd__help__subcmd__convoy__subcmd__close_commands() {
    local commands; commands=()
    _describe -t commands 'gt help convoy close commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__convoy__subcmd__create_commands] )) ||
_gt__subcmd__help__subcmd__convoy__subcmd__create_commands() {
    local commands; commands=()
    _describe -t commands 'gt help convoy create commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__convoy__subcmd__land_commands] )) ||
_gt__subcmd__help__subcmd__convoy__subcmd__land_commands() {
    local commands; commands=()
    _describe -t commands 'gt help convoy land commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__convoy__subcmd__list_commands] )) ||
_gt__subcmd__help__subcmd__convoy__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt help convoy list commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__convoy__subcmd__review_commands] )) ||
_gt__subcmd__help__subcmd__convoy__subcmd__review_commands() {
    local commands; commands=(
'list:List the requests that wait for a person' \
'show:Show one request\: the beads, who asked, what the hook says, where its decision is' \
'approve:Approve a request\: the convoy is made as it was asked for. A sling that waited for it goes on' \
'reject:Reject a request\: no convoy is made' \
    )
    _describe -t commands 'gt help convoy review commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__convoy__subcmd__review__subcmd__approve_commands] )) ||
_gt__subcmd__help__subcmd__convoy__subcmd__review__subcmd__approve_commands() {
    local commands; commands=()
    _describe -t commands 'gt help convoy review approve commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__convoy__subcmd__review__subcmd__list_commands] )) ||
_gt__subcmd__help__subcmd__convoy__subcmd__review__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt help convoy review list commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__convoy__subcmd__review__subcmd__reject_commands] )) ||
_gt__subcmd__help__subcmd__convoy__subcmd__review__subcmd__reject_commands() {
    local commands; commands=()
    _describe -t commands 'gt help convoy review reject commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__convoy__subcmd__review__subcmd__show_commands] )) ||
_gt__subcmd__help__subcmd__convoy__subcmd__review__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'gt help convoy review show commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__convoy__subcmd__status_commands] )) ||
_gt__subcmd__help__subcmd__convoy__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt help convoy status commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__crew_commands] )) ||
_gt__subcmd__help__subcmd__crew_commands() {
    local commands; commands=(
'add:Add crew members, each with a full clone of the rig'\''s repository' \
'at:Visit a crew member\: start its session if it has none, and show it in this terminal' \
'list:List the crew of a rig, or of all' \
'start:Start the sessions of crew members. One that runs already is left as it is' \
'stop:End the sessions of crew members. Their clones stay as they are' \
    )
    _describe -t commands 'gt help crew commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__crew__subcmd__add_commands] )) ||
_gt__subcmd__help__subcmd__crew__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'gt help crew add commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__crew__subcmd__at_commands] )) ||
_gt__subcmd__help__subcmd__crew__subcmd__at_commands() {
    local commands; commands=()
    _describe -t commands 'gt help crew at commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__crew__subcmd__list_commands] )) ||
_gt__subcmd__help__subcmd__crew__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt help crew list commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__crew__subcmd__start_commands] )) ||
_gt__subcmd__help__subcmd__crew__subcmd__start_commands() {
    local commands; commands=()
    _describe -t commands 'gt help crew start commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__crew__subcmd__stop_commands] )) ||
_gt__subcmd__help__subcmd__crew__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'gt help crew stop commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__daemon_commands] )) ||
_gt__subcmd__help__subcmd__daemon_commands() {
    local commands; commands=(
'start:Start the daemon, detached from this terminal' \
'stop:Stop the daemon. Sessions go on\: they do not need it' \
'status:Say whether the daemon runs and how it is' \
'logs:Show the end of the daemon'\''s log' \
'install:Write the systemd user unit of this town'\''s daemon, and say how to enable it' \
    )
    _describe -t commands 'gt help daemon commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__daemon__subcmd__install_commands] )) ||
_gt__subcmd__help__subcmd__daemon__subcmd__install_commands() {
    local commands; commands=()
    _describe -t commands 'gt help daemon install commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__daemon__subcmd__logs_commands] )) ||
_gt__subcmd__help__subcmd__daemon__subcmd__logs_commands() {
    local commands; commands=()
    _describe -t commands 'gt help daemon logs commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__daemon__subcmd__start_commands] )) ||
_gt__subcmd__help__subcmd__daemon__subcmd__start_commands() {
    local commands; commands=()
    _describe -t commands 'gt help daemon start commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__daemon__subcmd__status_commands] )) ||
_gt__subcmd__help__subcmd__daemon__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt help daemon status commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__daemon__subcmd__stop_commands] )) ||
_gt__subcmd__help__subcmd__daemon__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'gt help daemon stop commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__demo_commands] )) ||
_gt__subcmd__help__subcmd__demo_commands() {
    local commands; commands=()
    _describe -t commands 'gt help demo commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__doctor_commands] )) ||
_gt__subcmd__help__subcmd__doctor_commands() {
    local commands; commands=()
    _describe -t commands 'gt help doctor commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__done_commands] )) ||
_gt__subcmd__help__subcmd__done_commands() {
    local commands; commands=()
    _describe -t commands 'gt help done commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__down_commands] )) ||
_gt__subcmd__help__subcmd__down_commands() {
    local commands; commands=()
    _describe -t commands 'gt help down commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__followup_commands] )) ||
_gt__subcmd__help__subcmd__followup_commands() {
    local commands; commands=()
    _describe -t commands 'gt help followup commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__handoff_commands] )) ||
_gt__subcmd__help__subcmd__handoff_commands() {
    local commands; commands=()
    _describe -t commands 'gt help handoff commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__hook_commands] )) ||
_gt__subcmd__help__subcmd__hook_commands() {
    local commands; commands=()
    _describe -t commands 'gt help hook commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__hooks_commands] )) ||
_gt__subcmd__help__subcmd__hooks_commands() {
    local commands; commands=(
'status:Show which roles have their hooks, and where' \
'diff:Show what the settings files lack of ours' \
'install:Write the settings files of all roles whose agent programs run hooks' \
'sync:Add what is missing to the settings files that are there' \
    )
    _describe -t commands 'gt help hooks commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__hooks__subcmd__diff_commands] )) ||
_gt__subcmd__help__subcmd__hooks__subcmd__diff_commands() {
    local commands; commands=()
    _describe -t commands 'gt help hooks diff commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__hooks__subcmd__install_commands] )) ||
_gt__subcmd__help__subcmd__hooks__subcmd__install_commands() {
    local commands; commands=()
    _describe -t commands 'gt help hooks install commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__hooks__subcmd__status_commands] )) ||
_gt__subcmd__help__subcmd__hooks__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt help hooks status commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__hooks__subcmd__sync_commands] )) ||
_gt__subcmd__help__subcmd__hooks__subcmd__sync_commands() {
    local commands; commands=()
    _describe -t commands 'gt help hooks sync commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__install_commands] )) ||
_gt__subcmd__help__subcmd__install_commands() {
    local commands; commands=()
    _describe -t commands 'gt help install commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mail_commands] )) ||
_gt__subcmd__help__subcmd__mail_commands() {
    local commands; commands=(
'send:Send a message' \
'inbox:List the messages of a mailbox, newest first' \
'read:Show a message and mark it as read' \
'check:Say whether there is unread mail' \
    )
    _describe -t commands 'gt help mail commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mail__subcmd__check_commands] )) ||
_gt__subcmd__help__subcmd__mail__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'gt help mail check commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mail__subcmd__inbox_commands] )) ||
_gt__subcmd__help__subcmd__mail__subcmd__inbox_commands() {
    local commands; commands=()
    _describe -t commands 'gt help mail inbox commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mail__subcmd__read_commands] )) ||
_gt__subcmd__help__subcmd__mail__subcmd__read_commands() {
    local commands; commands=()
    _describe -t commands 'gt help mail read commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mail__subcmd__send_commands] )) ||
_gt__subcmd__help__subcmd__mail__subcmd__send_commands() {
    local commands; commands=()
    _describe -t commands 'gt help mail send commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mayor_commands] )) ||
_gt__subcmd__help__subcmd__mayor_commands() {
    local commands; commands=(
'attach:Show the mayor'\''s session in this terminal, starting it if it does not run' \
'start:Start the mayor'\''s session. One that runs already is left as it is' \
'status:Say whether the mayor'\''s session runs' \
'stop:End the mayor'\''s session' \
    )
    _describe -t commands 'gt help mayor commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mayor__subcmd__attach_commands] )) ||
_gt__subcmd__help__subcmd__mayor__subcmd__attach_commands() {
    local commands; commands=()
    _describe -t commands 'gt help mayor attach commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mayor__subcmd__start_commands] )) ||
_gt__subcmd__help__subcmd__mayor__subcmd__start_commands() {
    local commands; commands=()
    _describe -t commands 'gt help mayor start commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mayor__subcmd__status_commands] )) ||
_gt__subcmd__help__subcmd__mayor__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt help mayor status commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mayor__subcmd__stop_commands] )) ||
_gt__subcmd__help__subcmd__mayor__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'gt help mayor stop commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mq_commands] )) ||
_gt__subcmd__help__subcmd__mq_commands() {
    local commands; commands=(
'list:List the open merge requests of a rig, in the order in which they go' \
'run:Drain a rig'\''s merge queue in the foreground, and land what is complete by that' \
'retry:Try a merge request again that is blocked or keeps failing' \
'waive:Let a merge request by its pre-merge hooks. The reason stays on the request; gates still run' \
    )
    _describe -t commands 'gt help mq commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mq__subcmd__list_commands] )) ||
_gt__subcmd__help__subcmd__mq__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt help mq list commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mq__subcmd__retry_commands] )) ||
_gt__subcmd__help__subcmd__mq__subcmd__retry_commands() {
    local commands; commands=()
    _describe -t commands 'gt help mq retry commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mq__subcmd__run_commands] )) ||
_gt__subcmd__help__subcmd__mq__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'gt help mq run commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__mq__subcmd__waive_commands] )) ||
_gt__subcmd__help__subcmd__mq__subcmd__waive_commands() {
    local commands; commands=()
    _describe -t commands 'gt help mq waive commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__namepool_commands] )) ||
_gt__subcmd__help__subcmd__namepool_commands() {
    local commands; commands=(
'set:Choose a theme. Polecats that are there keep their names' \
'themes:List the themes' \
    )
    _describe -t commands 'gt help namepool commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__namepool__subcmd__set_commands] )) ||
_gt__subcmd__help__subcmd__namepool__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'gt help namepool set commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__namepool__subcmd__themes_commands] )) ||
_gt__subcmd__help__subcmd__namepool__subcmd__themes_commands() {
    local commands; commands=()
    _describe -t commands 'gt help namepool themes commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__nudge_commands] )) ||
_gt__subcmd__help__subcmd__nudge_commands() {
    local commands; commands=()
    _describe -t commands 'gt help nudge commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__peek_commands] )) ||
_gt__subcmd__help__subcmd__peek_commands() {
    local commands; commands=()
    _describe -t commands 'gt help peek commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__polecat_commands] )) ||
_gt__subcmd__help__subcmd__polecat_commands() {
    local commands; commands=(
'list:List the polecats of a rig, or of all' \
'status:Show one polecat\: state and reason, work, sandbox, session, record' \
'retry:Try again with a worker that is stuck' \
'nuke:Remove a polecat'\''s sandbox\: the only command that does' \
    )
    _describe -t commands 'gt help polecat commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__polecat__subcmd__list_commands] )) ||
_gt__subcmd__help__subcmd__polecat__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt help polecat list commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__polecat__subcmd__nuke_commands] )) ||
_gt__subcmd__help__subcmd__polecat__subcmd__nuke_commands() {
    local commands; commands=()
    _describe -t commands 'gt help polecat nuke commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__polecat__subcmd__retry_commands] )) ||
_gt__subcmd__help__subcmd__polecat__subcmd__retry_commands() {
    local commands; commands=()
    _describe -t commands 'gt help polecat retry commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__polecat__subcmd__status_commands] )) ||
_gt__subcmd__help__subcmd__polecat__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt help polecat status commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__prime_commands] )) ||
_gt__subcmd__help__subcmd__prime_commands() {
    local commands; commands=()
    _describe -t commands 'gt help prime commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__rescue_commands] )) ||
_gt__subcmd__help__subcmd__rescue_commands() {
    local commands; commands=(
'list:List saved work\: rescue refs, made before a sandbox was reset, and snapshots of sessions that ended' \
'restore:Bring saved work back into a working tree. What is saved of crew is in their own clones' \
'drop:Forget saved work. Its commit is named, so that it can still be found for a while' \
    )
    _describe -t commands 'gt help rescue commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__rescue__subcmd__drop_commands] )) ||
_gt__subcmd__help__subcmd__rescue__subcmd__drop_commands() {
    local commands; commands=()
    _describe -t commands 'gt help rescue drop commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__rescue__subcmd__list_commands] )) ||
_gt__subcmd__help__subcmd__rescue__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt help rescue list commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__rescue__subcmd__restore_commands] )) ||
_gt__subcmd__help__subcmd__rescue__subcmd__restore_commands() {
    local commands; commands=()
    _describe -t commands 'gt help rescue restore commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__rig_commands] )) ||
_gt__subcmd__help__subcmd__rig_commands() {
    local commands; commands=(
'add:Add a repository to the town' \
'list:List the rigs of the town' \
'remove:Take a rig off the town'\''s list. Its folder stays' \
'status:Show a rig\: its repository, its merge queue, its workers and crew' \
    )
    _describe -t commands 'gt help rig commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__rig__subcmd__add_commands] )) ||
_gt__subcmd__help__subcmd__rig__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'gt help rig add commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__rig__subcmd__list_commands] )) ||
_gt__subcmd__help__subcmd__rig__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt help rig list commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__rig__subcmd__remove_commands] )) ||
_gt__subcmd__help__subcmd__rig__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'gt help rig remove commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__rig__subcmd__status_commands] )) ||
_gt__subcmd__help__subcmd__rig__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt help rig status commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__scripted_commands] )) ||
_gt__subcmd__help__subcmd__scripted_commands() {
    local commands; commands=()
    _describe -t commands 'gt help scripted commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__seance_commands] )) ||
_gt__subcmd__help__subcmd__seance_commands() {
    local commands; commands=(
'search:Search what was said in past sessions, whatever the case of the letters' \
    )
    _describe -t commands 'gt help seance commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__seance__subcmd__search_commands] )) ||
_gt__subcmd__help__subcmd__seance__subcmd__search_commands() {
    local commands; commands=()
    _describe -t commands 'gt help seance search commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__session-restart_commands] )) ||
_gt__subcmd__help__subcmd__session-restart_commands() {
    local commands; commands=()
    _describe -t commands 'gt help session-restart commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__session-wrapper_commands] )) ||
_gt__subcmd__help__subcmd__session-wrapper_commands() {
    local commands; commands=()
    _describe -t commands 'gt help session-wrapper commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__signal_commands] )) ||
_gt__subcmd__help__subcmd__signal_commands() {
    local commands; commands=(
'stop:A turn ended\: say what is left to do, once' \
'end:A session ends\: save what the next one needs' \
    )
    _describe -t commands 'gt help signal commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__signal__subcmd__end_commands] )) ||
_gt__subcmd__help__subcmd__signal__subcmd__end_commands() {
    local commands; commands=()
    _describe -t commands 'gt help signal end commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__signal__subcmd__stop_commands] )) ||
_gt__subcmd__help__subcmd__signal__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'gt help signal stop commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__sling_commands] )) ||
_gt__subcmd__help__subcmd__sling_commands() {
    local commands; commands=()
    _describe -t commands 'gt help sling commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__status_commands] )) ||
_gt__subcmd__help__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt help status commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__unsling_commands] )) ||
_gt__subcmd__help__subcmd__unsling_commands() {
    local commands; commands=()
    _describe -t commands 'gt help unsling commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__up_commands] )) ||
_gt__subcmd__help__subcmd__up_commands() {
    local commands; commands=()
    _describe -t commands 'gt help up commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__version_commands] )) ||
_gt__subcmd__help__subcmd__version_commands() {
    local commands; commands=()
    _describe -t commands 'gt help version commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__whoami_commands] )) ||
_gt__subcmd__help__subcmd__whoami_commands() {
    local commands; commands=()
    _describe -t commands 'gt help whoami commands' commands "$@"
}
(( $+functions[_gt__subcmd__help__subcmd__why_commands] )) ||
_gt__subcmd__help__subcmd__why_commands() {
    local commands; commands=()
    _describe -t commands 'gt help why commands' commands "$@"
}
(( $+functions[_gt__subcmd__hook_commands] )) ||
_gt__subcmd__hook_commands() {
    local commands; commands=()
    _describe -t commands 'gt hook commands' commands "$@"
}
(( $+functions[_gt__subcmd__hooks_commands] )) ||
_gt__subcmd__hooks_commands() {
    local commands; commands=(
'status:Show which roles have their hooks, and where' \
'diff:Show what the settings files lack of ours' \
'install:Write the settings files of all roles whose agent programs run hooks' \
'sync:Add what is missing to the settings files that are there' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt hooks commands' commands "$@"
}
(( $+functions[_gt__subcmd__hooks__subcmd__diff_commands] )) ||
_gt__subcmd__hooks__subcmd__diff_commands() {
    local commands; commands=()
    _describe -t commands 'gt hooks diff commands' commands "$@"
}
(( $+functions[_gt__subcmd__hooks__subcmd__help_commands] )) ||
_gt__subcmd__hooks__subcmd__help_commands() {
    local commands; commands=(
'status:Show which roles have their hooks, and where' \
'diff:Show what the settings files lack of ours' \
'install:Write the settings files of all roles whose agent programs run hooks' \
'sync:Add what is missing to the settings files that are there' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt hooks help commands' commands "$@"
}
(( $+functions[_gt__subcmd__hooks__subcmd__help__subcmd__diff_commands] )) ||
_gt__subcmd__hooks__subcmd__help__subcmd__diff_commands() {
    local commands; commands=()
    _describe -t commands 'gt hooks help diff commands' commands "$@"
}
(( $+functions[_gt__subcmd__hooks__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__hooks__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt hooks help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__hooks__subcmd__help__subcmd__install_commands] )) ||
_gt__subcmd__hooks__subcmd__help__subcmd__install_commands() {
    local commands; commands=()
    _describe -t commands 'gt hooks help install commands' commands "$@"
}
(( $+functions[_gt__subcmd__hooks__subcmd__help__subcmd__status_commands] )) ||
_gt__subcmd__hooks__subcmd__help__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt hooks help status commands' commands "$@"
}
(( $+functions[_gt__subcmd__hooks__subcmd__help__subcmd__sync_commands] )) ||
_gt__subcmd__hooks__subcmd__help__subcmd__sync_commands() {
    local commands; commands=()
    _describe -t commands 'gt hooks help sync commands' commands "$@"
}
(( $+functions[_gt__subcmd__hooks__subcmd__install_commands] )) ||
_gt__subcmd__hooks__subcmd__install_commands() {
    local commands; commands=()
    _describe -t commands 'gt hooks install commands' commands "$@"
}
(( $+functions[_gt__subcmd__hooks__subcmd__status_commands] )) ||
_gt__subcmd__hooks__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt hooks status commands' commands "$@"
}
(( $+functions[_gt__subcmd__hooks__subcmd__sync_commands] )) ||
_gt__subcmd__hooks__subcmd__sync_commands() {
    local commands; commands=()
    _describe -t commands 'gt hooks sync commands' commands "$@"
}
(( $+functions[_gt__subcmd__install_commands] )) ||
_gt__subcmd__install_commands() {
    local commands; commands=()
    _describe -t commands 'gt install commands' commands "$@"
}
(( $+functions[_gt__subcmd__mail_commands] )) ||
_gt__subcmd__mail_commands() {
    local commands; commands=(
'send:Send a message' \
'inbox:List the messages of a mailbox, newest first' \
'read:Show a message and mark it as read' \
'check:Say whether there is unread mail' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt mail commands' commands "$@"
}
(( $+functions[_gt__subcmd__mail__subcmd__check_commands] )) ||
_gt__subcmd__mail__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'gt mail check commands' commands "$@"
}
(( $+functions[_gt__subcmd__mail__subcmd__help_commands] )) ||
_gt__subcmd__mail__subcmd__help_commands() {
    local commands; commands=(
'send:Send a message' \
'inbox:List the messages of a mailbox, newest first' \
'read:Show a message and mark it as read' \
'check:Say whether there is unread mail' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt mail help commands' commands "$@"
}
(( $+functions[_gt__subcmd__mail__subcmd__help__subcmd__check_commands] )) ||
_gt__subcmd__mail__subcmd__help__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'gt mail help check commands' commands "$@"
}
(( $+functions[_gt__subcmd__mail__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__mail__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt mail help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__mail__subcmd__help__subcmd__inbox_commands] )) ||
_gt__subcmd__mail__subcmd__help__subcmd__inbox_commands() {
    local commands; commands=()
    _describe -t commands 'gt mail help inbox commands' commands "$@"
}
(( $+functions[_gt__subcmd__mail__subcmd__help__subcmd__read_commands] )) ||
_gt__subcmd__mail__subcmd__help__subcmd__read_commands() {
    local commands; commands=()
    _describe -t commands 'gt mail help read commands' commands "$@"
}
(( $+functions[_gt__subcmd__mail__subcmd__help__subcmd__send_commands] )) ||
_gt__subcmd__mail__subcmd__help__subcmd__send_commands() {
    local commands; commands=()
    _describe -t commands 'gt mail help send commands' commands "$@"
}
(( $+functions[_gt__subcmd__mail__subcmd__inbox_commands] )) ||
_gt__subcmd__mail__subcmd__inbox_commands() {
    local commands; commands=()
    _describe -t commands 'gt mail inbox commands' commands "$@"
}
(( $+functions[_gt__subcmd__mail__subcmd__read_commands] )) ||
_gt__subcmd__mail__subcmd__read_commands() {
    local commands; commands=()
    _describe -t commands 'gt mail read commands' commands "$@"
}
(( $+functions[_gt__subcmd__mail__subcmd__send_commands] )) ||
_gt__subcmd__mail__subcmd__send_commands() {
    local commands; commands=()
    _describe -t commands 'gt mail send commands' commands "$@"
}
(( $+functions[_gt__subcmd__mayor_commands] )) ||
_gt__subcmd__mayor_commands() {
    local commands; commands=(
'attach:Show the mayor'\''s session in this terminal, starting it if it does not run' \
'start:Start the mayor'\''s session. One that runs already is left as it is' \
'status:Say whether the mayor'\''s session runs' \
'stop:End the mayor'\''s session' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt mayor commands' commands "$@"
}
(( $+functions[_gt__subcmd__mayor__subcmd__attach_commands] )) ||
_gt__subcmd__mayor__subcmd__attach_commands() {
    local commands; commands=()
    _describe -t commands 'gt mayor attach commands' commands "$@"
}
(( $+functions[_gt__subcmd__mayor__subcmd__help_commands] )) ||
_gt__subcmd__mayor__subcmd__help_commands() {
    local commands; commands=(
'attach:Show the mayor'\''s session in this terminal, starting it if it does not run' \
'start:Start the mayor'\''s session. One that runs already is left as it is' \
'status:Say whether the mayor'\''s session runs' \
'stop:End the mayor'\''s session' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt mayor help commands' commands "$@"
}
(( $+functions[_gt__subcmd__mayor__subcmd__help__subcmd__attach_commands] )) ||
_gt__subcmd__mayor__subcmd__help__subcmd__attach_commands() {
    local commands; commands=()
    _describe -t commands 'gt mayor help attach commands' commands "$@"
}
(( $+functions[_gt__subcmd__mayor__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__mayor__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt mayor help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__mayor__subcmd__help__subcmd__start_commands] )) ||
_gt__subcmd__mayor__subcmd__help__subcmd__start_commands() {
    local commands; commands=()
    _describe -t commands 'gt mayor help start commands' commands "$@"
}
(( $+functions[_gt__subcmd__mayor__subcmd__help__subcmd__status_commands] )) ||
_gt__subcmd__mayor__subcmd__help__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt mayor help status commands' commands "$@"
}
(( $+functions[_gt__subcmd__mayor__subcmd__help__subcmd__stop_commands] )) ||
_gt__subcmd__mayor__subcmd__help__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'gt mayor help stop commands' commands "$@"
}
(( $+functions[_gt__subcmd__mayor__subcmd__start_commands] )) ||
_gt__subcmd__mayor__subcmd__start_commands() {
    local commands; commands=()
    _describe -t commands 'gt mayor start commands' commands "$@"
}
(( $+functions[_gt__subcmd__mayor__subcmd__status_commands] )) ||
_gt__subcmd__mayor__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt mayor status commands' commands "$@"
}
(( $+functions[_gt__subcmd__mayor__subcmd__stop_commands] )) ||
_gt__subcmd__mayor__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'gt mayor stop commands' commands "$@"
}
(( $+functions[_gt__subcmd__mq_commands] )) ||
_gt__subcmd__mq_commands() {
    local commands; commands=(
'list:List the open merge requests of a rig, in the order in which they go' \
'run:Drain a rig'\''s merge queue in the foreground, and land what is complete by that' \
'retry:Try a merge request again that is blocked or keeps failing' \
'waive:Let a merge request by its pre-merge hooks. The reason stays on the request; gates still run' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt mq commands' commands "$@"
}
(( $+functions[_gt__subcmd__mq__subcmd__help_commands] )) ||
_gt__subcmd__mq__subcmd__help_commands() {
    local commands; commands=(
'list:List the open merge requests of a rig, in the order in which they go' \
'run:Drain a rig'\''s merge queue in the foreground, and land what is complete by that' \
'retry:Try a merge request again that is blocked or keeps failing' \
'waive:Let a merge request by its pre-merge hooks. The reason stays on the request; gates still run' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt mq help commands' commands "$@"
}
(( $+functions[_gt__subcmd__mq__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__mq__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt mq help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__mq__subcmd__help__subcmd__list_commands] )) ||
_gt__subcmd__mq__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt mq help list commands' commands "$@"
}
(( $+functions[_gt__subcmd__mq__subcmd__help__subcmd__retry_commands] )) ||
_gt__subcmd__mq__subcmd__help__subcmd__retry_commands() {
    local commands; commands=()
    _describe -t commands 'gt mq help retry commands' commands "$@"
}
(( $+functions[_gt__subcmd__mq__subcmd__help__subcmd__run_commands] )) ||
_gt__subcmd__mq__subcmd__help__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'gt mq help run commands' commands "$@"
}
(( $+functions[_gt__subcmd__mq__subcmd__help__subcmd__waive_commands] )) ||
_gt__subcmd__mq__subcmd__help__subcmd__waive_commands() {
    local commands; commands=()
    _describe -t commands 'gt mq help waive commands' commands "$@"
}
(( $+functions[_gt__subcmd__mq__subcmd__list_commands] )) ||
_gt__subcmd__mq__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt mq list commands' commands "$@"
}
(( $+functions[_gt__subcmd__mq__subcmd__retry_commands] )) ||
_gt__subcmd__mq__subcmd__retry_commands() {
    local commands; commands=()
    _describe -t commands 'gt mq retry commands' commands "$@"
}
(( $+functions[_gt__subcmd__mq__subcmd__run_commands] )) ||
_gt__subcmd__mq__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'gt mq run commands' commands "$@"
}
(( $+functions[_gt__subcmd__mq__subcmd__waive_commands] )) ||
_gt__subcmd__mq__subcmd__waive_commands() {
    local commands; commands=()
    _describe -t commands 'gt mq waive commands' commands "$@"
}
(( $+functions[_gt__subcmd__namepool_commands] )) ||
_gt__subcmd__namepool_commands() {
    local commands; commands=(
'set:Choose a theme. Polecats that are there keep their names' \
'themes:List the themes' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt namepool commands' commands "$@"
}
(( $+functions[_gt__subcmd__namepool__subcmd__help_commands] )) ||
_gt__subcmd__namepool__subcmd__help_commands() {
    local commands; commands=(
'set:Choose a theme. Polecats that are there keep their names' \
'themes:List the themes' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt namepool help commands' commands "$@"
}
(( $+functions[_gt__subcmd__namepool__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__namepool__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt namepool help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__namepool__subcmd__help__subcmd__set_commands] )) ||
_gt__subcmd__namepool__subcmd__help__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'gt namepool help set commands' commands "$@"
}
(( $+functions[_gt__subcmd__namepool__subcmd__help__subcmd__themes_commands] )) ||
_gt__subcmd__namepool__subcmd__help__subcmd__themes_commands() {
    local commands; commands=()
    _describe -t commands 'gt namepool help themes commands' commands "$@"
}
(( $+functions[_gt__subcmd__namepool__subcmd__set_commands] )) ||
_gt__subcmd__namepool__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'gt namepool set commands' commands "$@"
}
(( $+functions[_gt__subcmd__namepool__subcmd__themes_commands] )) ||
_gt__subcmd__namepool__subcmd__themes_commands() {
    local commands; commands=()
    _describe -t commands 'gt namepool themes commands' commands "$@"
}
(( $+functions[_gt__subcmd__nudge_commands] )) ||
_gt__subcmd__nudge_commands() {
    local commands; commands=()
    _describe -t commands 'gt nudge commands' commands "$@"
}
(( $+functions[_gt__subcmd__peek_commands] )) ||
_gt__subcmd__peek_commands() {
    local commands; commands=()
    _describe -t commands 'gt peek commands' commands "$@"
}
(( $+functions[_gt__subcmd__polecat_commands] )) ||
_gt__subcmd__polecat_commands() {
    local commands; commands=(
'list:List the polecats of a rig, or of all' \
'status:Show one polecat\: state and reason, work, sandbox, session, record' \
'retry:Try again with a worker that is stuck' \
'nuke:Remove a polecat'\''s sandbox\: the only command that does' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt polecat commands' commands "$@"
}
(( $+functions[_gt__subcmd__polecat__subcmd__help_commands] )) ||
_gt__subcmd__polecat__subcmd__help_commands() {
    local commands; commands=(
'list:List the polecats of a rig, or of all' \
'status:Show one polecat\: state and reason, work, sandbox, session, record' \
'retry:Try again with a worker that is stuck' \
'nuke:Remove a polecat'\''s sandbox\: the only command that does' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt polecat help commands' commands "$@"
}
(( $+functions[_gt__subcmd__polecat__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__polecat__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt polecat help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__polecat__subcmd__help__subcmd__list_commands] )) ||
_gt__subcmd__polecat__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt polecat help list commands' commands "$@"
}
(( $+functions[_gt__subcmd__polecat__subcmd__help__subcmd__nuke_commands] )) ||
_gt__subcmd__polecat__subcmd__help__subcmd__nuke_commands() {
    local commands; commands=()
    _describe -t commands 'gt polecat help nuke commands' commands "$@"
}
(( $+functions[_gt__subcmd__polecat__subcmd__help__subcmd__retry_commands] )) ||
_gt__subcmd__polecat__subcmd__help__subcmd__retry_commands() {
    local commands; commands=()
    _describe -t commands 'gt polecat help retry commands' commands "$@"
}
(( $+functions[_gt__subcmd__polecat__subcmd__help__subcmd__status_commands] )) ||
_gt__subcmd__polecat__subcmd__help__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt polecat help status commands' commands "$@"
}
(( $+functions[_gt__subcmd__polecat__subcmd__list_commands] )) ||
_gt__subcmd__polecat__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt polecat list commands' commands "$@"
}
(( $+functions[_gt__subcmd__polecat__subcmd__nuke_commands] )) ||
_gt__subcmd__polecat__subcmd__nuke_commands() {
    local commands; commands=()
    _describe -t commands 'gt polecat nuke commands' commands "$@"
}
(( $+functions[_gt__subcmd__polecat__subcmd__retry_commands] )) ||
_gt__subcmd__polecat__subcmd__retry_commands() {
    local commands; commands=()
    _describe -t commands 'gt polecat retry commands' commands "$@"
}
(( $+functions[_gt__subcmd__polecat__subcmd__status_commands] )) ||
_gt__subcmd__polecat__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt polecat status commands' commands "$@"
}
(( $+functions[_gt__subcmd__prime_commands] )) ||
_gt__subcmd__prime_commands() {
    local commands; commands=()
    _describe -t commands 'gt prime commands' commands "$@"
}
(( $+functions[_gt__subcmd__rescue_commands] )) ||
_gt__subcmd__rescue_commands() {
    local commands; commands=(
'list:List saved work\: rescue refs, made before a sandbox was reset, and snapshots of sessions that ended' \
'restore:Bring saved work back into a working tree. What is saved of crew is in their own clones' \
'drop:Forget saved work. Its commit is named, so that it can still be found for a while' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt rescue commands' commands "$@"
}
(( $+functions[_gt__subcmd__rescue__subcmd__drop_commands] )) ||
_gt__subcmd__rescue__subcmd__drop_commands() {
    local commands; commands=()
    _describe -t commands 'gt rescue drop commands' commands "$@"
}
(( $+functions[_gt__subcmd__rescue__subcmd__help_commands] )) ||
_gt__subcmd__rescue__subcmd__help_commands() {
    local commands; commands=(
'list:List saved work\: rescue refs, made before a sandbox was reset, and snapshots of sessions that ended' \
'restore:Bring saved work back into a working tree. What is saved of crew is in their own clones' \
'drop:Forget saved work. Its commit is named, so that it can still be found for a while' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt rescue help commands' commands "$@"
}
(( $+functions[_gt__subcmd__rescue__subcmd__help__subcmd__drop_commands] )) ||
_gt__subcmd__rescue__subcmd__help__subcmd__drop_commands() {
    local commands; commands=()
    _describe -t commands 'gt rescue help drop commands' commands "$@"
}
(( $+functions[_gt__subcmd__rescue__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__rescue__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt rescue help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__rescue__subcmd__help__subcmd__list_commands] )) ||
_gt__subcmd__rescue__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt rescue help list commands' commands "$@"
}
(( $+functions[_gt__subcmd__rescue__subcmd__help__subcmd__restore_commands] )) ||
_gt__subcmd__rescue__subcmd__help__subcmd__restore_commands() {
    local commands; commands=()
    _describe -t commands 'gt rescue help restore commands' commands "$@"
}
(( $+functions[_gt__subcmd__rescue__subcmd__list_commands] )) ||
_gt__subcmd__rescue__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt rescue list commands' commands "$@"
}
(( $+functions[_gt__subcmd__rescue__subcmd__restore_commands] )) ||
_gt__subcmd__rescue__subcmd__restore_commands() {
    local commands; commands=()
    _describe -t commands 'gt rescue restore commands' commands "$@"
}
(( $+functions[_gt__subcmd__rig_commands] )) ||
_gt__subcmd__rig_commands() {
    local commands; commands=(
'add:Add a repository to the town' \
'list:List the rigs of the town' \
'remove:Take a rig off the town'\''s list. Its folder stays' \
'status:Show a rig\: its repository, its merge queue, its workers and crew' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt rig commands' commands "$@"
}
(( $+functions[_gt__subcmd__rig__subcmd__add_commands] )) ||
_gt__subcmd__rig__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'gt rig add commands' commands "$@"
}
(( $+functions[_gt__subcmd__rig__subcmd__help_commands] )) ||
_gt__subcmd__rig__subcmd__help_commands() {
    local commands; commands=(
'add:Add a repository to the town' \
'list:List the rigs of the town' \
'remove:Take a rig off the town'\''s list. Its folder stays' \
'status:Show a rig\: its repository, its merge queue, its workers and crew' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt rig help commands' commands "$@"
}
(( $+functions[_gt__subcmd__rig__subcmd__help__subcmd__add_commands] )) ||
_gt__subcmd__rig__subcmd__help__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'gt rig help add commands' commands "$@"
}
(( $+functions[_gt__subcmd__rig__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__rig__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt rig help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__rig__subcmd__help__subcmd__list_commands] )) ||
_gt__subcmd__rig__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt rig help list commands' commands "$@"
}
(( $+functions[_gt__subcmd__rig__subcmd__help__subcmd__remove_commands] )) ||
_gt__subcmd__rig__subcmd__help__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'gt rig help remove commands' commands "$@"
}
(( $+functions[_gt__subcmd__rig__subcmd__help__subcmd__status_commands] )) ||
_gt__subcmd__rig__subcmd__help__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt rig help status commands' commands "$@"
}
(( $+functions[_gt__subcmd__rig__subcmd__list_commands] )) ||
_gt__subcmd__rig__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'gt rig list commands' commands "$@"
}
(( $+functions[_gt__subcmd__rig__subcmd__remove_commands] )) ||
_gt__subcmd__rig__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'gt rig remove commands' commands "$@"
}
(( $+functions[_gt__subcmd__rig__subcmd__status_commands] )) ||
_gt__subcmd__rig__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt rig status commands' commands "$@"
}
(( $+functions[_gt__subcmd__scripted_commands] )) ||
_gt__subcmd__scripted_commands() {
    local commands; commands=()
    _describe -t commands 'gt scripted commands' commands "$@"
}
(( $+functions[_gt__subcmd__seance_commands] )) ||
_gt__subcmd__seance_commands() {
    local commands; commands=(
'search:Search what was said in past sessions, whatever the case of the letters' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt seance commands' commands "$@"
}
(( $+functions[_gt__subcmd__seance__subcmd__help_commands] )) ||
_gt__subcmd__seance__subcmd__help_commands() {
    local commands; commands=(
'search:Search what was said in past sessions, whatever the case of the letters' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt seance help commands' commands "$@"
}
(( $+functions[_gt__subcmd__seance__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__seance__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt seance help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__seance__subcmd__help__subcmd__search_commands] )) ||
_gt__subcmd__seance__subcmd__help__subcmd__search_commands() {
    local commands; commands=()
    _describe -t commands 'gt seance help search commands' commands "$@"
}
(( $+functions[_gt__subcmd__seance__subcmd__search_commands] )) ||
_gt__subcmd__seance__subcmd__search_commands() {
    local commands; commands=()
    _describe -t commands 'gt seance search commands' commands "$@"
}
(( $+functions[_gt__subcmd__session-restart_commands] )) ||
_gt__subcmd__session-restart_commands() {
    local commands; commands=()
    _describe -t commands 'gt session-restart commands' commands "$@"
}
(( $+functions[_gt__subcmd__session-wrapper_commands] )) ||
_gt__subcmd__session-wrapper_commands() {
    local commands; commands=()
    _describe -t commands 'gt session-wrapper commands' commands "$@"
}
(( $+functions[_gt__subcmd__signal_commands] )) ||
_gt__subcmd__signal_commands() {
    local commands; commands=(
'stop:A turn ended\: say what is left to do, once' \
'end:A session ends\: save what the next one needs' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt signal commands' commands "$@"
}
(( $+functions[_gt__subcmd__signal__subcmd__end_commands] )) ||
_gt__subcmd__signal__subcmd__end_commands() {
    local commands; commands=()
    _describe -t commands 'gt signal end commands' commands "$@"
}
(( $+functions[_gt__subcmd__signal__subcmd__help_commands] )) ||
_gt__subcmd__signal__subcmd__help_commands() {
    local commands; commands=(
'stop:A turn ended\: say what is left to do, once' \
'end:A session ends\: save what the next one needs' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'gt signal help commands' commands "$@"
}
(( $+functions[_gt__subcmd__signal__subcmd__help__subcmd__end_commands] )) ||
_gt__subcmd__signal__subcmd__help__subcmd__end_commands() {
    local commands; commands=()
    _describe -t commands 'gt signal help end commands' commands "$@"
}
(( $+functions[_gt__subcmd__signal__subcmd__help__subcmd__help_commands] )) ||
_gt__subcmd__signal__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'gt signal help help commands' commands "$@"
}
(( $+functions[_gt__subcmd__signal__subcmd__help__subcmd__stop_commands] )) ||
_gt__subcmd__signal__subcmd__help__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'gt signal help stop commands' commands "$@"
}
(( $+functions[_gt__subcmd__signal__subcmd__stop_commands] )) ||
_gt__subcmd__signal__subcmd__stop_commands() {
    local commands; commands=()
    _describe -t commands 'gt signal stop commands' commands "$@"
}
(( $+functions[_gt__subcmd__sling_commands] )) ||
_gt__subcmd__sling_commands() {
    local commands; commands=()
    _describe -t commands 'gt sling commands' commands "$@"
}
(( $+functions[_gt__subcmd__status_commands] )) ||
_gt__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'gt status commands' commands "$@"
}
(( $+functions[_gt__subcmd__unsling_commands] )) ||
_gt__subcmd__unsling_commands() {
    local commands; commands=()
    _describe -t commands 'gt unsling commands' commands "$@"
}
(( $+functions[_gt__subcmd__up_commands] )) ||
_gt__subcmd__up_commands() {
    local commands; commands=()
    _describe -t commands 'gt up commands' commands "$@"
}
(( $+functions[_gt__subcmd__version_commands] )) ||
_gt__subcmd__version_commands() {
    local commands; commands=()
    _describe -t commands 'gt version commands' commands "$@"
}
(( $+functions[_gt__subcmd__whoami_commands] )) ||
_gt__subcmd__whoami_commands() {
    local commands; commands=()
    _describe -t commands 'gt whoami commands' commands "$@"
}
(( $+functions[_gt__subcmd__why_commands] )) ||
_gt__subcmd__why_commands() {
    local commands; commands=()
    _describe -t commands 'gt why commands' commands "$@"
}

if [ "$funcstack[1]" = "_gt" ]; then
    _gt "$@"
else
    compdef _gt gt
fi
