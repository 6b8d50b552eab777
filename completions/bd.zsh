#compdef bd

autoload -U is-at-least

_bd() {
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
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-V[Print the version]' \
'--version[Print the version]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_bd_commands" \
"*::: :->bd" \
&& ret=0
    case $state in
    (bd)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-command-$line[1]:"
        case $line[1] in
            (init)
_arguments "${_arguments_options[@]}" : \
'-p+[Prefix of new ids; the default is the folder'\''s name]:PREFIX:_default' \
'--prefix=[Prefix of new ids; the default is the folder'\''s name]:PREFIX:_default' \
'-b+[The branch that bd sync --full commits beads to]:BRANCH:_default' \
'--branch=[The branch that bd sync --full commits beads to]:BRANCH:_default' \
'--backend=[]:NAME:_default' \
'--destroy-token=[]:TOKEN:_default' \
'--server-port=[]:PORT:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--force[Add what is missing from a folder that has beads already]' \
'--skip-hooks[]' \
'--no-merge-driver[Do not set git up to merge beads field by field]' \
'--from-jsonl[]' \
'--contributor[]' \
'--team[]' \
'--stealth[]' \
'--setup-exclude[]' \
'--non-interactive[]' \
'--skip-agents[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(create)
_arguments "${_arguments_options[@]}" : \
'(--title --graph --dry-run)-f+[Many from a Markdown file\: \`## Title\` each]:FILE:_default' \
'(--title --graph --dry-run)--file=[Many from a Markdown file\: \`## Title\` each]:FILE:_default' \
'(--title --dry-run)--graph=[Many from a plan as JSON\: \`nodes\` with \`key\` and \`title\`, \`edges\` with \`from_key\` and \`to_key\`]:FILE:_default' \
'--title=[The title]:TITLE:_default' \
'-d+[The long text; \`-\` reads standard input]:TEXT:_default' \
'--description=[The long text; \`-\` reads standard input]:TEXT:_default' \
'--body=[]:BODY:_default' \
'-m+[]:MESSAGE:_default' \
'--message=[]:MESSAGE:_default' \
'(-d --description --body -m --message)--body-file=[Read the long text from a file; \`-\` is standard input]:PATH:_default' \
'--design=[How it is to be done]:TEXT:_default' \
'--acceptance=[When it is done]:TEXT:_default' \
'--notes=[Working notes]:TEXT:_default' \
'--append-notes=[]:TEXT:_default' \
'-p+[Priority, 0-4 or P0-P4; 0 is most urgent]:N:_default' \
'--priority=[Priority, 0-4 or P0-P4; 0 is most urgent]:N:_default' \
'-t+[Kind\: bug, feature, task, epic, chore, or one from types.custom]:KIND:_default' \
'--type=[Kind\: bug, feature, task, epic, chore, or one from types.custom]:KIND:_default' \
'-a+[Who works on it]:NAME:_default' \
'--assignee=[Who works on it]:NAME:_default' \
'*-l+[Labels]:LABELS:_default' \
'*--labels=[Labels]:LABELS:_default' \
'--id=[An id of your own]:ID:_default' \
'(--id)--parent=[Make it a child of this bead]:ID:_default' \
'*--deps=[Edges\: kind\:id or id]:EDGES:_default' \
'--waits-for=[Wait for the children of this bead]:ID:_default' \
'--waits-for-gate=[Which of them\: all-children or any-children]:GATE:_default' \
'--external-ref=[Its id in another tracker]:REF:_default' \
'--spec-id=[A specification]:PATH:_default' \
'-e+[Estimated minutes]:MINUTES:_default' \
'--estimate=[Estimated minutes]:MINUTES:_default' \
'--due=[When it is due]:TIME:_default' \
'--defer=[Not ready before this time]:TIME:_default' \
'--metadata=[JSON of your own, or @file]:JSON:_default' \
'--mol-type=[]:KIND:_default' \
'--wisp-type=[]:KIND:_default' \
'--agent-rig=[]:RIG:_default' \
'--event-category=[]:TEXT:_default' \
'--event-actor=[]:TEXT:_default' \
'--event-target=[]:TEXT:_default' \
'--event-payload=[]:JSON:_default' \
'(--prefix)--rig=[Make it in this rig of the town]:RIG:_default' \
'--prefix=[Make it in the rig with this prefix]:PREFIX:_default' \
'(--rig --prefix)--repo=[Make it in the project in this folder]:DIR:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'(--body-file)--stdin[Read the long text from standard input]' \
'--ephemeral[A wisp\: local, never in git]' \
'--force[Accept an id with another prefix]' \
'--dry-run[Show what would be made]' \
'--silent[Print only the id]' \
'--validate[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::positional -- The title:_default' \
&& ret=0
;;
(new)
_arguments "${_arguments_options[@]}" : \
'(--title --graph --dry-run)-f+[Many from a Markdown file\: \`## Title\` each]:FILE:_default' \
'(--title --graph --dry-run)--file=[Many from a Markdown file\: \`## Title\` each]:FILE:_default' \
'(--title --dry-run)--graph=[Many from a plan as JSON\: \`nodes\` with \`key\` and \`title\`, \`edges\` with \`from_key\` and \`to_key\`]:FILE:_default' \
'--title=[The title]:TITLE:_default' \
'-d+[The long text; \`-\` reads standard input]:TEXT:_default' \
'--description=[The long text; \`-\` reads standard input]:TEXT:_default' \
'--body=[]:BODY:_default' \
'-m+[]:MESSAGE:_default' \
'--message=[]:MESSAGE:_default' \
'(-d --description --body -m --message)--body-file=[Read the long text from a file; \`-\` is standard input]:PATH:_default' \
'--design=[How it is to be done]:TEXT:_default' \
'--acceptance=[When it is done]:TEXT:_default' \
'--notes=[Working notes]:TEXT:_default' \
'--append-notes=[]:TEXT:_default' \
'-p+[Priority, 0-4 or P0-P4; 0 is most urgent]:N:_default' \
'--priority=[Priority, 0-4 or P0-P4; 0 is most urgent]:N:_default' \
'-t+[Kind\: bug, feature, task, epic, chore, or one from types.custom]:KIND:_default' \
'--type=[Kind\: bug, feature, task, epic, chore, or one from types.custom]:KIND:_default' \
'-a+[Who works on it]:NAME:_default' \
'--assignee=[Who works on it]:NAME:_default' \
'*-l+[Labels]:LABELS:_default' \
'*--labels=[Labels]:LABELS:_default' \
'--id=[An id of your own]:ID:_default' \
'(--id)--parent=[Make it a child of this bead]:ID:_default' \
'*--deps=[Edges\: kind\:id or id]:EDGES:_default' \
'--waits-for=[Wait for the children of this bead]:ID:_default' \
'--waits-for-gate=[Which of them\: all-children or any-children]:GATE:_default' \
'--external-ref=[Its id in another tracker]:REF:_default' \
'--spec-id=[A specification]:PATH:_default' \
'-e+[Estimated minutes]:MINUTES:_default' \
'--estimate=[Estimated minutes]:MINUTES:_default' \
'--due=[When it is due]:TIME:_default' \
'--defer=[Not ready before this time]:TIME:_default' \
'--metadata=[JSON of your own, or @file]:JSON:_default' \
'--mol-type=[]:KIND:_default' \
'--wisp-type=[]:KIND:_default' \
'--agent-rig=[]:RIG:_default' \
'--event-category=[]:TEXT:_default' \
'--event-actor=[]:TEXT:_default' \
'--event-target=[]:TEXT:_default' \
'--event-payload=[]:JSON:_default' \
'(--prefix)--rig=[Make it in this rig of the town]:RIG:_default' \
'--prefix=[Make it in the rig with this prefix]:PREFIX:_default' \
'(--rig --prefix)--repo=[Make it in the project in this folder]:DIR:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'(--body-file)--stdin[Read the long text from standard input]' \
'--ephemeral[A wisp\: local, never in git]' \
'--force[Accept an id with another prefix]' \
'--dry-run[Show what would be made]' \
'--silent[Print only the id]' \
'--validate[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::positional -- The title:_default' \
&& ret=0
;;
(q)
_arguments "${_arguments_options[@]}" : \
'-p+[Priority, 0-4 or P0-P4]:N:_default' \
'--priority=[Priority, 0-4 or P0-P4]:N:_default' \
'-t+[Kind]:KIND:_default' \
'--type=[Kind]:KIND:_default' \
'*-l+[Labels]:LABELS:_default' \
'*--labels=[Labels]:LABELS:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
'*::words -- The title:_default' \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
'*--id=[A bead whose id looks like a flag]:ID:_default' \
'--at=[As it was at this time, by history (2h, 3d, 2026-03-01, yesterday)]:TIME:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--short[One line each]' \
'--children[Only the children]' \
'--refs[Only what points at it]' \
'--local-time[]' \
'--long[]' \
'--include-dependents[]' \
'--include-comments[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::ids -- The beads:_default' \
&& ret=0
;;
(view)
_arguments "${_arguments_options[@]}" : \
'*--id=[A bead whose id looks like a flag]:ID:_default' \
'--at=[As it was at this time, by history (2h, 3d, 2026-03-01, yesterday)]:TIME:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--short[One line each]' \
'--children[Only the children]' \
'--refs[Only what points at it]' \
'--local-time[]' \
'--long[]' \
'--include-dependents[]' \
'--include-comments[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::ids -- The beads:_default' \
&& ret=0
;;
(update)
_arguments "${_arguments_options[@]}" : \
'-s+[Status\: open, in_progress, blocked, deferred, closed, pinned, hooked, or one from status.custom]:STATUS:_default' \
'--status=[Status\: open, in_progress, blocked, deferred, closed, pinned, hooked, or one from status.custom]:STATUS:_default' \
'-p+[Priority, 0-4 or P0-P4]:N:_default' \
'--priority=[Priority, 0-4 or P0-P4]:N:_default' \
'--title=[Title]:TITLE:_default' \
'-t+[Kind]:KIND:_default' \
'--type=[Kind]:KIND:_default' \
'-a+[Who works on it]:NAME:_default' \
'--assignee=[Who works on it]:NAME:_default' \
'-d+[The long text; \`-\` reads standard input]:TEXT:_default' \
'--description=[The long text; \`-\` reads standard input]:TEXT:_default' \
'--body=[]:BODY:_default' \
'-m+[]:MESSAGE:_default' \
'--message=[]:MESSAGE:_default' \
'(-d --description --body -m --message)--body-file=[Read the long text from a file; \`-\` is standard input]:PATH:_default' \
'--design=[How it is to be done]:TEXT:_default' \
'--acceptance=[When it is done]:TEXT:_default' \
'--notes=[Working notes]:TEXT:_default' \
'--append-notes=[Add a line to the notes]:TEXT:_default' \
'--external-ref=[Its id in another tracker]:REF:_default' \
'--spec-id=[A specification]:PATH:_default' \
'-e+[Estimated minutes]:MINUTES:_default' \
'--estimate=[Estimated minutes]:MINUTES:_default' \
'*--add-label=[Add labels]:LABELS:_default' \
'*--remove-label=[Remove labels]:LABELS:_default' \
'*--set-labels=[Replace all labels; empty clears them]:LABELS:_default' \
'--parent=[Make it a child of this bead; empty detaches it]:ID:_default' \
'--session=[The agent session, for closing]:ID:_default' \
'--due=[When it is due; empty clears]:TIME:_default' \
'--defer=[Not ready before this time; empty clears]:TIME:_default' \
'--await-id=[What a gate waits for]:ID:_default' \
'--metadata=[JSON of your own, or @file]:JSON:_default' \
'*--set-metadata=[Set one key of the metadata]:KEY=VALUE:_default' \
'*--unset-metadata=[Remove one key of the metadata]:KEY:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'(-a --assignee)--unassign[No one works on it]' \
'(--body-file)--stdin[Read the long text from standard input]' \
'--claim[Take it, if no one has it]' \
'(--persistent)--ephemeral[Make it a wisp]' \
'--persistent[Make a wisp durable]' \
'--allow-empty-description[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::ids -- The beads:_default' \
&& ret=0
;;
(close)
_arguments "${_arguments_options[@]}" : \
'-r+[Why]:TEXT:_default' \
'--reason=[Why]:TEXT:_default' \
'--resolution=[]:TEXT:_default' \
'-m+[]:TEXT:_default' \
'--message=[]:TEXT:_default' \
'--reason-file=[Read the reason from a file; \`-\` is standard input]:PATH:_default' \
'--session=[The agent session]:ID:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'-f[Close it even if it waits for others or is pinned]' \
'--force[Close it even if it waits for others or is pinned]' \
'--suggest-next[Show what can be started now]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::ids -- The beads:_default' \
&& ret=0
;;
(done)
_arguments "${_arguments_options[@]}" : \
'-r+[Why]:TEXT:_default' \
'--reason=[Why]:TEXT:_default' \
'--resolution=[]:TEXT:_default' \
'-m+[]:TEXT:_default' \
'--message=[]:TEXT:_default' \
'--reason-file=[Read the reason from a file; \`-\` is standard input]:PATH:_default' \
'--session=[The agent session]:ID:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'-f[Close it even if it waits for others or is pinned]' \
'--force[Close it even if it waits for others or is pinned]' \
'--suggest-next[Show what can be started now]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::ids -- The beads:_default' \
&& ret=0
;;
(reopen)
_arguments "${_arguments_options[@]}" : \
'-r+[Why]:TEXT:_default' \
'--reason=[Why]:TEXT:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::ids -- The beads:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'-s+[Only this status; \`all\` for any]:STATUS:_default' \
'--status=[Only this status; \`all\` for any]:STATUS:_default' \
'-p+[Only this priority (0-4 or P0-P4)]:N:_default' \
'--priority=[Only this priority (0-4 or P0-P4)]:N:_default' \
'--priority-min=[Only this priority or a less urgent one]:N:_default' \
'--priority-max=[Only this priority or a more urgent one]:N:_default' \
'-t+[Only this kind]:KIND:_default' \
'--type=[Only this kind]:KIND:_default' \
'*--exclude-type=[None of these kinds]:KINDS:_default' \
'-a+[Only this assignee'\''s]:NAME:_default' \
'--assignee=[Only this assignee'\''s]:NAME:_default' \
'*-l+[With all of these labels]:LABELS:_default' \
'*--label=[With all of these labels]:LABELS:_default' \
'*--labels=[With all of these labels]:LABELS:_default' \
'*--label-any=[With one of these labels]:LABELS:_default' \
'*--exclude-label=[With none of these labels]:LABELS:_default' \
'--label-pattern=[With a label that matches a pattern of \`*\` and \`?\`]:PATTERN:_default' \
'*--id=[Only these ids]:IDS:_default' \
'--title=[With this text in the title]:TEXT:_default' \
'--title-contains=[With this text in the title]:TEXT:_default' \
'--desc-contains=[With this text in the description]:TEXT:_default' \
'--notes-contains=[With this text in the notes]:TEXT:_default' \
'--spec=[With a specification that starts so]:PREFIX:_default' \
'--created-after=[Created after this time]:TIME:_default' \
'--created-before=[Created before this time]:TIME:_default' \
'--updated-after=[Updated after this time]:TIME:_default' \
'--updated-before=[Updated before this time]:TIME:_default' \
'--closed-after=[Closed after this time]:TIME:_default' \
'--closed-before=[Closed before this time]:TIME:_default' \
'-n+[At most so many; 0 for all]:N:_default' \
'--limit=[At most so many; 0 for all]:N:_default' \
'--parent=[Only children of this bead]:ID:_default' \
'--due-after=[Due after this time]:TIME:_default' \
'--due-before=[Due before this time]:TIME:_default' \
'--mol-type=[]:KIND:_default' \
'--wisp-type=[]:KIND:_default' \
'--sort=[Sort by]:FIELD:(priority created updated closed status id title type assignee)' \
'--format=[Print only this\: \`id\`]:FORMAT:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--no-assignee[Only what no one has]' \
'--no-labels[Only without labels]' \
'--empty-description[Only without a description]' \
'--all[Closed ones too, and no limit]' \
'--ready[Only open ones]' \
'--deferred[Only deferred ones]' \
'--overdue[Only what is overdue]' \
'(--no-pinned)--pinned[Only pinned ones]' \
'--no-pinned[Only what is not pinned]' \
'--include-templates[Templates too]' \
'--include-gates[Gates too]' \
'-r[The other way round]' \
'--reverse[The other way round]' \
'--long[Several lines each]' \
'--tree[As a tree of parents and children]' \
'--flat[]' \
'--include-infra[Also show agents, roles, rigs, messages and slots, which a person is rarely looking for]' \
'--no-pager[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(children)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
':id -- The parent:_default' \
&& ret=0
;;
(ready)
_arguments "${_arguments_options[@]}" : \
'-n+[At most so many; 0 for all]:N:_default' \
'--limit=[At most so many; 0 for all]:N:_default' \
'-p+[Only this priority]:N:_default' \
'--priority=[Only this priority]:N:_default' \
'-a+[Only this assignee'\''s]:NAME:_default' \
'--assignee=[Only this assignee'\''s]:NAME:_default' \
'-s+[Order\: hybrid (new ones by priority, then the old), priority, oldest]:POLICY:_default' \
'--sort=[Order\: hybrid (new ones by priority, then the old), priority, oldest]:POLICY:_default' \
'*-l+[With all of these labels]:LABELS:_default' \
'*--label=[With all of these labels]:LABELS:_default' \
'*--label-any=[With one of these labels]:LABELS:_default' \
'-t+[Only this kind]:KIND:_default' \
'--type=[Only this kind]:KIND:_default' \
'--parent=[Only below this bead]:ID:_default' \
'--mol-type=[]:KIND:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'-u[Only what no one has]' \
'--unassigned[Only what no one has]' \
'--include-deferred[What is put off until later, too]' \
'--explain[Say why the others are not ready]' \
'--pretty[]' \
'--plain[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(blocked)
_arguments "${_arguments_options[@]}" : \
'--parent=[Only below this bead]:ID:_default' \
'-n+[At most so many; 0 for all. People get 50, programs all]:N:_default' \
'--limit=[At most so many; 0 for all. People get 50, programs all]:N:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(dep)
_arguments "${_arguments_options[@]}" : \
'-b+[The bead that waits for it]:ID:_default' \
'--blocks=[The bead that waits for it]:ID:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::blocker -- The bead that is waited for:_default' \
":: :_bd__subcmd__dep_commands" \
"*::: :->dep" \
&& ret=0

    case $state in
    (dep)
        words=($line[2] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-dep-command-$line[2]:"
        case $line[2] in
            (add)
_arguments "${_arguments_options[@]}" : \
'()--blocked-by=[What it waits for]:ID:_default' \
'(--blocked-by)--depends-on=[What it depends on]:ID:_default' \
'-t+[Kind of the edge\: blocks, parent-child, conditional-blocks, waits-for, related, discovered-from, tracks]:KIND:_default' \
'--type=[Kind of the edge\: blocks, parent-child, conditional-blocks, waits-for, related, discovered-from, tracks]:KIND:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':from -- The bead that depends:_default' \
'::to -- What it depends on:_default' \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
':from -- The bead that depends:_default' \
':to -- What it depends on:_default' \
&& ret=0
;;
(rm)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
':from -- The bead that depends:_default' \
':to -- What it depends on:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--direction=[down\: what it depends on; up\: what depends on it]:WAY:(down up)' \
'-t+[Only edges of this kind]:KIND:_default' \
'--type=[Only edges of this kind]:KIND:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
':id -- The bead:_default' \
&& ret=0
;;
(tree)
_arguments "${_arguments_options[@]}" : \
'-d+[How deep]:N:_default' \
'--max-depth=[How deep]:N:_default' \
'--direction=[down\: what it depends on; up\: what depends on it; both]:WAY:(down up both)' \
'--status=[Only beads of this status, and what leads to them]:STATUS:_default' \
'--format=[As a diagram\: mermaid]:FORMAT:(mermaid)' \
'-t+[]:KIND:_default' \
'--type=[]:KIND:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--reverse[What depends on it]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':id -- The bead:_default' \
&& ret=0
;;
(cycles)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(relate)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
':one -- One:_default' \
':other -- The other:_default' \
&& ret=0
;;
(unrelate)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
':one -- One:_default' \
':other -- The other:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_bd__subcmd__dep__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-dep-help-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(tree)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(cycles)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(relate)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(unrelate)
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
(label)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_bd__subcmd__label_commands" \
"*::: :->label" \
&& ret=0

    case $state in
    (label)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-label-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
'*::ids_and_label -- The beads, and last the label:_default' \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
'*::ids_and_label -- The beads, and last the label:_default' \
&& ret=0
;;
(rm)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
'*::ids_and_label -- The beads, and last the label:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
':id -- The bead:_default' \
&& ret=0
;;
(list-all)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_bd__subcmd__label__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-label-help-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list-all)
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
(comments)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--local-time[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
'::id -- The bead:_default' \
":: :_bd__subcmd__comments_commands" \
"*::: :->comments" \
&& ret=0

    case $state in
    (comments)
        words=($line[2] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-comments-command-$line[2]:"
        case $line[2] in
            (add)
_arguments "${_arguments_options[@]}" : \
'()-f+[Read the text from a file; \`-\` is standard input]:PATH:_default' \
'()--file=[Read the text from a file; \`-\` is standard input]:PATH:_default' \
'-a+[Who says it]:NAME:_default' \
'--author=[Who says it]:NAME:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'(-f --file)--stdin[Read the text from standard input]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
':id -- The bead:_default' \
'*::text -- The text:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_bd__subcmd__comments__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-comments-help-command-$line[1]:"
        case $line[1] in
            (add)
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
(comment)
_arguments "${_arguments_options[@]}" : \
'()-f+[Read the text from a file; \`-\` is standard input]:PATH:_default' \
'()--file=[Read the text from a file; \`-\` is standard input]:PATH:_default' \
'-a+[Who says it]:NAME:_default' \
'--author=[Who says it]:NAME:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'(-f --file)--stdin[Read the text from standard input]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
':id -- The bead:_default' \
'*::text -- The text:_default' \
&& ret=0
;;
(delete)
_arguments "${_arguments_options[@]}" : \
'--from-file=[Read ids from a file, one a line]:PATH:_default' \
'--reason=[Why]:TEXT:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'-f[Do it]' \
'--force[Do it]' \
'--dry-run[Show what would go]' \
'--cascade[What waits for them, too]' \
'--hard[Leave no tombstone]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::ids -- The beads:_default' \
&& ret=0
;;
(search)
_arguments "${_arguments_options[@]}" : \
'--query=[The text]:TEXT:_default' \
'-s+[Only this status; \`all\` for any]:STATUS:_default' \
'--status=[Only this status; \`all\` for any]:STATUS:_default' \
'-p+[Only this priority (0-4 or P0-P4)]:N:_default' \
'--priority=[Only this priority (0-4 or P0-P4)]:N:_default' \
'--priority-min=[Only this priority or a less urgent one]:N:_default' \
'--priority-max=[Only this priority or a more urgent one]:N:_default' \
'-t+[Only this kind]:KIND:_default' \
'--type=[Only this kind]:KIND:_default' \
'*--exclude-type=[None of these kinds]:KINDS:_default' \
'-a+[Only this assignee'\''s]:NAME:_default' \
'--assignee=[Only this assignee'\''s]:NAME:_default' \
'*-l+[With all of these labels]:LABELS:_default' \
'*--label=[With all of these labels]:LABELS:_default' \
'*--labels=[With all of these labels]:LABELS:_default' \
'*--label-any=[With one of these labels]:LABELS:_default' \
'*--exclude-label=[With none of these labels]:LABELS:_default' \
'--label-pattern=[With a label that matches a pattern of \`*\` and \`?\`]:PATTERN:_default' \
'*--id=[Only these ids]:IDS:_default' \
'--title=[With this text in the title]:TEXT:_default' \
'--title-contains=[With this text in the title]:TEXT:_default' \
'--desc-contains=[With this text in the description]:TEXT:_default' \
'--notes-contains=[With this text in the notes]:TEXT:_default' \
'--spec=[With a specification that starts so]:PREFIX:_default' \
'--created-after=[Created after this time]:TIME:_default' \
'--created-before=[Created before this time]:TIME:_default' \
'--updated-after=[Updated after this time]:TIME:_default' \
'--updated-before=[Updated before this time]:TIME:_default' \
'--closed-after=[Closed after this time]:TIME:_default' \
'--closed-before=[Closed before this time]:TIME:_default' \
'-n+[At most so many; 0 for all]:N:_default' \
'--limit=[At most so many; 0 for all]:N:_default' \
'--sort=[Sort by]:FIELD:(priority created updated closed status id title type assignee)' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--no-assignee[Only what no one has]' \
'--no-labels[Only without labels]' \
'--empty-description[Only without a description]' \
'-r[The other way round]' \
'--reverse[The other way round]' \
'--archived[In the archive, too]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::words -- The text:_default' \
&& ret=0
;;
(count)
_arguments "${_arguments_options[@]}" : \
'-s+[Only this status; \`all\` for any]:STATUS:_default' \
'--status=[Only this status; \`all\` for any]:STATUS:_default' \
'-p+[Only this priority (0-4 or P0-P4)]:N:_default' \
'--priority=[Only this priority (0-4 or P0-P4)]:N:_default' \
'--priority-min=[Only this priority or a less urgent one]:N:_default' \
'--priority-max=[Only this priority or a more urgent one]:N:_default' \
'-t+[Only this kind]:KIND:_default' \
'--type=[Only this kind]:KIND:_default' \
'*--exclude-type=[None of these kinds]:KINDS:_default' \
'-a+[Only this assignee'\''s]:NAME:_default' \
'--assignee=[Only this assignee'\''s]:NAME:_default' \
'*-l+[With all of these labels]:LABELS:_default' \
'*--label=[With all of these labels]:LABELS:_default' \
'*--labels=[With all of these labels]:LABELS:_default' \
'*--label-any=[With one of these labels]:LABELS:_default' \
'*--exclude-label=[With none of these labels]:LABELS:_default' \
'--label-pattern=[With a label that matches a pattern of \`*\` and \`?\`]:PATTERN:_default' \
'*--id=[Only these ids]:IDS:_default' \
'--title=[With this text in the title]:TEXT:_default' \
'--title-contains=[With this text in the title]:TEXT:_default' \
'--desc-contains=[With this text in the description]:TEXT:_default' \
'--notes-contains=[With this text in the notes]:TEXT:_default' \
'--spec=[With a specification that starts so]:PREFIX:_default' \
'--created-after=[Created after this time]:TIME:_default' \
'--created-before=[Created before this time]:TIME:_default' \
'--updated-after=[Updated after this time]:TIME:_default' \
'--updated-before=[Updated before this time]:TIME:_default' \
'--closed-after=[Closed after this time]:TIME:_default' \
'--closed-before=[Closed before this time]:TIME:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--no-assignee[Only what no one has]' \
'--no-labels[Only without labels]' \
'--empty-description[Only without a description]' \
'--by-status[A count for each status]' \
'--by-priority[A count for each priority]' \
'--by-type[A count for each kind]' \
'--by-assignee[A count for each assignee]' \
'--by-label[A count for each label]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--all[]' \
'--assigned[Only mine]' \
'--no-activity[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(stats)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--all[]' \
'--assigned[Only mine]' \
'--no-activity[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(history)
_arguments "${_arguments_options[@]}" : \
'-n+[Only the last so many; 0 for all]:N:_default' \
'--limit=[Only the last so many; 0 for all]:N:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
':id -- The bead:_default' \
&& ret=0
;;
(activity)
_arguments "${_arguments_options[@]}" : \
'--since=[Only since this time (5m, 2h, 2026-03-01)]:TIME:_default' \
'--type=[Only create, update, delete, comment or status]:TYPE:_default' \
'--mol=[Only beads whose id begins so]:PREFIX:_default' \
'-n+[The last so many; 0 for all]:N:_default' \
'--limit=[The last so many; 0 for all]:N:_default' \
'--interval=[]:DURATION:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'-f[Go on as things happen]' \
'--follow[Go on as things happen]' \
'--town[Of all projects of the town]' \
'-d[Which fields changed, too]' \
'--details[Which fields changed, too]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(undo)
_arguments "${_arguments_options[@]}" : \
'--last=[Your last N changes, newest first]:N:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::event -- The event, or the beginning of its id:_default' \
&& ret=0
;;
(compact)
_arguments "${_arguments_options[@]}" : \
'--older-than=[Closed longer ago than this\: 90d, 12w, 1y]:AGE:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--dry-run[Only show what would go]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(doctor)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--fix[Mend what can be mended]' \
'-y[]' \
'--yes[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'::path -- The project; that of the working directory where none is given:_files' \
&& ret=0
;;
(restore)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--lost[Bring back what a rollback by git took]' \
'--discard[Forget what a rollback by git took]' \
'--dry-run[Only show what would be done]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::ids -- The beads; with --lost or --discard all where none is given:_default' \
&& ret=0
;;
(defer)
_arguments "${_arguments_options[@]}" : \
'--until=[Until when]:TIME:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::ids -- The beads:_default' \
&& ret=0
;;
(undefer)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
'*::ids -- The beads:_default' \
&& ret=0
;;
(todo)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--all[Done ones too]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
":: :_bd__subcmd__todo_commands" \
"*::: :->todo" \
&& ret=0

    case $state in
    (todo)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-todo-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
'-p+[Priority]:N:_default' \
'--priority=[Priority]:N:_default' \
'-d+[The long text]:TEXT:_default' \
'--description=[The long text]:TEXT:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
'*::title -- The title:_default' \
&& ret=0
;;
(done)
_arguments "${_arguments_options[@]}" : \
'--reason=[Why]:TEXT:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
'*::ids -- The tasks:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--all[Done ones too]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_bd__subcmd__todo__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-todo-help-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(done)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
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
(types)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(where)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(config)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
":: :_bd__subcmd__config_commands" \
"*::: :->config" \
&& ret=0

    case $state in
    (config)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-config-command-$line[1]:"
        case $line[1] in
            (get)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--show-origin[Say where the value comes from]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
':key -- Its name:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--show-origin[Say where each value comes from]' \
'--all[Every setting there is]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(set)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
':key -- Its name:_default' \
':value -- Its value:_default' \
&& ret=0
;;
(unset)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
':key -- Its name:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_bd__subcmd__config__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-config-help-command-$line[1]:"
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
(prime)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--export[Print the built-in text even where PRIME.md exists]' \
'--full[]' \
'--mcp[]' \
'--stealth[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(quickstart)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(sync)
_arguments "${_arguments_options[@]}" : \
'-m+[What the commit says; the default is the time]:TEXT:_default' \
'--message=[What the commit says; the default is the time]:TEXT:_default' \
'(--full)--set-mode=[]:MODE:_default' \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--full[Commit, merge and push the beads]' \
'--no-push[Do not push]' \
'--no-pull[Do not ask the remote what others did]' \
'--dry-run[Only say what would be done]' \
'--flush-only[]' \
'--import[]' \
'--import-only[]' \
'--from-main[]' \
'--squash[]' \
'--status[]' \
'--check[]' \
'--no-git-history[]' \
'--rename-on-import[]' \
'--accept-rebase[]' \
'--force[]' \
'(--full)--resolve[]' \
'(--full)--ours[]' \
'(--full)--theirs[]' \
'(--full)--manual[]' \
'(--full)--merge[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
&& ret=0
;;
(merge)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'(--install)--unmerged[Finish a merge that git could not\: both sides come from its index]' \
'--install[Set this clone up so that git uses it]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'*::files -- The result, the common ancestor, ours and theirs:_files' \
&& ret=0
;;
(migrate)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
'*::rest:_default' \
&& ret=0
;;
(daemon)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
'*::rest:_default' \
&& ret=0
;;
(version)
_arguments "${_arguments_options[@]}" : \
'--actor=[Act under this name]:NAME:_default' \
'--db=[Use the beads beside this file]:PATH:_default' \
'-C+[Run as if started in this folder]:DIR:_default' \
'--directory=[Run as if started in this folder]:DIR:_default' \
'--lock-timeout=[]:DURATION:_default' \
'--dolt-auto-commit=[]:MODE:_default' \
'--daemon[]' \
'--json[Answer as JSON]' \
'--readonly[Refuse every change]' \
'-q[Print only data and errors]' \
'--quiet[Print only data and errors]' \
'-v[Accepted for older scripts]' \
'--verbose[Accepted for older scripts]' \
'--no-db[]' \
'--no-daemon[]' \
'--no-auto-flush[]' \
'--no-auto-import[]' \
'--sandbox[]' \
'--allow-stale[]' \
'--profile[]' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_bd__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-help-command-$line[1]:"
        case $line[1] in
            (init)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(create)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(q)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(update)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(close)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(reopen)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(children)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(ready)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(blocked)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(dep)
_arguments "${_arguments_options[@]}" : \
":: :_bd__subcmd__help__subcmd__dep_commands" \
"*::: :->dep" \
&& ret=0

    case $state in
    (dep)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-help-dep-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(tree)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(cycles)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(relate)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(unrelate)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(label)
_arguments "${_arguments_options[@]}" : \
":: :_bd__subcmd__help__subcmd__label_commands" \
"*::: :->label" \
&& ret=0

    case $state in
    (label)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-help-label-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list-all)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(comments)
_arguments "${_arguments_options[@]}" : \
":: :_bd__subcmd__help__subcmd__comments_commands" \
"*::: :->comments" \
&& ret=0

    case $state in
    (comments)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-help-comments-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(comment)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(delete)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(search)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(count)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(history)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(activity)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(undo)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(compact)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(doctor)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(restore)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(defer)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(undefer)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(todo)
_arguments "${_arguments_options[@]}" : \
":: :_bd__subcmd__help__subcmd__todo_commands" \
"*::: :->todo" \
&& ret=0

    case $state in
    (todo)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-help-todo-command-$line[1]:"
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(done)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(types)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(where)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(config)
_arguments "${_arguments_options[@]}" : \
":: :_bd__subcmd__help__subcmd__config_commands" \
"*::: :->config" \
&& ret=0

    case $state in
    (config)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:bd-help-config-command-$line[1]:"
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
(prime)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(quickstart)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(sync)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(merge)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(migrate)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(daemon)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(version)
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

(( $+functions[_bd_commands] )) ||
_bd_commands() {
    local commands; commands=(
'init:Start a beads project in this folder' \
'create:Make a new bead' \
'new:Make a new bead' \
'q:Make a bead from a few words and print only its id' \
'show:Show all about beads' \
'view:Show all about beads' \
'update:Change fields of beads' \
'close:Close beads' \
'done:Close beads' \
'reopen:Open closed beads again' \
'list:List beads' \
'children:List the children of a bead that are not closed' \
'ready:Show what can be started now' \
'blocked:Show what waits for something, and for what' \
'dep:Link beads\: what waits for what' \
'label:Add, remove and list labels' \
'comments:Show the comments on a bead, or add one' \
'comment:Comment on a bead' \
'delete:Delete beads' \
'search:Find beads by a text in title, description or id, closed ones too' \
'count:Count beads, closed ones too' \
'status:Show counts\: how much is open, in progress, blocked, ready, closed' \
'stats:Show counts\: how much is open, in progress, blocked, ready, closed' \
'history:Show what happened to a bead\: who changed which field from what to what, and when' \
'activity:Show what happened here, newest last\: time, event (for \`bd undo\`), change, actor' \
'undo:Take back a change\: the whole transaction, its later edits kept' \
'compact:Move old closed beads to the archive' \
'doctor:Look whether the beads of a project are sound' \
'restore:Bring back what is no longer there\: beads that were deleted or archived, or lines that git took' \
'defer:Put beads off' \
'undefer:Take up beads that were put off' \
'todo:Keep a simple list of tasks' \
'types:List the kinds that beads can have' \
'where:Print the folder whose beads are used here' \
'config:Read and change settings' \
'prime:Print what an agent should know about beads' \
'quickstart:Show a short tour' \
'sync:Put every acknowledged change into issues.jsonl; with --full commit, merge and push the beads' \
'merge:Merge beads files field by field; git'\''s merge driver' \
'migrate:Accepted for older scripts; there is nothing to migrate' \
'daemon:Accepted for older scripts; beads need no daemon' \
'version:Print the version' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'bd commands' commands "$@"
}
(( $+functions[_bd__subcmd__activity_commands] )) ||
_bd__subcmd__activity_commands() {
    local commands; commands=()
    _describe -t commands 'bd activity commands' commands "$@"
}
(( $+functions[_bd__subcmd__blocked_commands] )) ||
_bd__subcmd__blocked_commands() {
    local commands; commands=()
    _describe -t commands 'bd blocked commands' commands "$@"
}
(( $+functions[_bd__subcmd__children_commands] )) ||
_bd__subcmd__children_commands() {
    local commands; commands=()
    _describe -t commands 'bd children commands' commands "$@"
}
(( $+functions[_bd__subcmd__close_commands] )) ||
_bd__subcmd__close_commands() {
    local commands; commands=()
    _describe -t commands 'bd close commands' commands "$@"
}
(( $+functions[_bd__subcmd__comment_commands] )) ||
_bd__subcmd__comment_commands() {
    local commands; commands=()
    _describe -t commands 'bd comment commands' commands "$@"
}
(( $+functions[_bd__subcmd__comments_commands] )) ||
_bd__subcmd__comments_commands() {
    local commands; commands=(
'add:Add a comment' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'bd comments commands' commands "$@"
}
(( $+functions[_bd__subcmd__comments__subcmd__add_commands] )) ||
_bd__subcmd__comments__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'bd comments add commands' commands "$@"
}
(( $+functions[_bd__subcmd__comments__subcmd__help_commands] )) ||
_bd__subcmd__comments__subcmd__help_commands() {
    local commands; commands=(
'add:Add a comment' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'bd comments help commands' commands "$@"
}
(( $+functions[_bd__subcmd__comments__subcmd__help__subcmd__add_commands] )) ||
_bd__subcmd__comments__subcmd__help__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'bd comments help add commands' commands "$@"
}
(( $+functions[_bd__subcmd__comments__subcmd__help__subcmd__help_commands] )) ||
_bd__subcmd__comments__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'bd comments help help commands' commands "$@"
}
(( $+functions[_bd__subcmd__compact_commands] )) ||
_bd__subcmd__compact_commands() {
    local commands; commands=()
    _describe -t commands 'bd compact commands' commands "$@"
}
(( $+functions[_bd__subcmd__config_commands] )) ||
_bd__subcmd__config_commands() {
    local commands; commands=(
'get:Print a setting' \
'list:List the settings of this project' \
'set:Change a setting in \`config.yaml\`' \
'unset:Remove a setting from \`config.yaml\`' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'bd config commands' commands "$@"
}
(( $+functions[_bd__subcmd__config__subcmd__get_commands] )) ||
_bd__subcmd__config__subcmd__get_commands() {
    local commands; commands=()
    _describe -t commands 'bd config get commands' commands "$@"
}
(( $+functions[_bd__subcmd__config__subcmd__help_commands] )) ||
_bd__subcmd__config__subcmd__help_commands() {
    local commands; commands=(
'get:Print a setting' \
'list:List the settings of this project' \
'set:Change a setting in \`config.yaml\`' \
'unset:Remove a setting from \`config.yaml\`' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'bd config help commands' commands "$@"
}
(( $+functions[_bd__subcmd__config__subcmd__help__subcmd__get_commands] )) ||
_bd__subcmd__config__subcmd__help__subcmd__get_commands() {
    local commands; commands=()
    _describe -t commands 'bd config help get commands' commands "$@"
}
(( $+functions[_bd__subcmd__config__subcmd__help__subcmd__help_commands] )) ||
_bd__subcmd__config__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'bd config help help commands' commands "$@"
}
(( $+functions[_bd__subcmd__config__subcmd__help__subcmd__list_commands] )) ||
_bd__subcmd__config__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd config help list commands' commands "$@"
}
(( $+functions[_bd__subcmd__config__subcmd__help__subcmd__set_commands] )) ||
_bd__subcmd__config__subcmd__help__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'bd config help set commands' commands "$@"
}
(( $+functions[_bd__subcmd__config__subcmd__help__subcmd__unset_commands] )) ||
_bd__subcmd__config__subcmd__help__subcmd__unset_commands() {
    local commands; commands=()
    _describe -t commands 'bd config help unset commands' commands "$@"
}
(( $+functions[_bd__subcmd__config__subcmd__list_commands] )) ||
_bd__subcmd__config__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd config list commands' commands "$@"
}
(( $+functions[_bd__subcmd__config__subcmd__set_commands] )) ||
_bd__subcmd__config__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'bd config set commands' commands "$@"
}
(( $+functions[_bd__subcmd__config__subcmd__unset_commands] )) ||
_bd__subcmd__config__subcmd__unset_commands() {
    local commands; commands=()
    _describe -t commands 'bd config unset commands' commands "$@"
}
(( $+functions[_bd__subcmd__count_commands] )) ||
_bd__subcmd__count_commands() {
    local commands; commands=()
    _describe -t commands 'bd count commands' commands "$@"
}
(( $+functions[_bd__subcmd__create_commands] )) ||
_bd__subcmd__create_commands() {
    local commands; commands=()
    _describe -t commands 'bd create commands' commands "$@"
}
(( $+functions[_bd__subcmd__daemon_commands] )) ||
_bd__subcmd__daemon_commands() {
    local commands; commands=()
    _describe -t commands 'bd daemon commands' commands "$@"
}
(( $+functions[_bd__subcmd__defer_commands] )) ||
_bd__subcmd__defer_commands() {
    local commands; commands=()
    _describe -t commands 'bd defer commands' commands "$@"
}
(( $+functions[_bd__subcmd__delete_commands] )) ||
_bd__subcmd__delete_commands() {
    local commands; commands=()
    _describe -t commands 'bd delete commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep_commands] )) ||
_bd__subcmd__dep_commands() {
    local commands; commands=(
'add:Make a bead depend on another' \
'remove:Remove the edge between two beads, whatever its kind' \
'rm:Remove the edge between two beads, whatever its kind' \
'list:List the edges of a bead' \
'tree:Show what a bead depends on, and that in turn, as a tree' \
'cycles:Look for a circle of edges' \
'relate:Link two beads both ways' \
'unrelate:Remove the links between two beads' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'bd dep commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__add_commands] )) ||
_bd__subcmd__dep__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep add commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__cycles_commands] )) ||
_bd__subcmd__dep__subcmd__cycles_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep cycles commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__help_commands] )) ||
_bd__subcmd__dep__subcmd__help_commands() {
    local commands; commands=(
'add:Make a bead depend on another' \
'remove:Remove the edge between two beads, whatever its kind' \
'list:List the edges of a bead' \
'tree:Show what a bead depends on, and that in turn, as a tree' \
'cycles:Look for a circle of edges' \
'relate:Link two beads both ways' \
'unrelate:Remove the links between two beads' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'bd dep help commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__help__subcmd__add_commands] )) ||
_bd__subcmd__dep__subcmd__help__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep help add commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__help__subcmd__cycles_commands] )) ||
_bd__subcmd__dep__subcmd__help__subcmd__cycles_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep help cycles commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__help__subcmd__help_commands] )) ||
_bd__subcmd__dep__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep help help commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__help__subcmd__list_commands] )) ||
_bd__subcmd__dep__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep help list commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__help__subcmd__relate_commands] )) ||
_bd__subcmd__dep__subcmd__help__subcmd__relate_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep help relate commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__help__subcmd__remove_commands] )) ||
_bd__subcmd__dep__subcmd__help__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep help remove commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__help__subcmd__tree_commands] )) ||
_bd__subcmd__dep__subcmd__help__subcmd__tree_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep help tree commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__help__subcmd__unrelate_commands] )) ||
_bd__subcmd__dep__subcmd__help__subcmd__unrelate_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep help unrelate commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__list_commands] )) ||
_bd__subcmd__dep__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep list commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__relate_commands] )) ||
_bd__subcmd__dep__subcmd__relate_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep relate commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__remove_commands] )) ||
_bd__subcmd__dep__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep remove commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__tree_commands] )) ||
_bd__subcmd__dep__subcmd__tree_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep tree commands' commands "$@"
}
(( $+functions[_bd__subcmd__dep__subcmd__unrelate_commands] )) ||
_bd__subcmd__dep__subcmd__unrelate_commands() {
    local commands; commands=()
    _describe -t commands 'bd dep unrelate commands' commands "$@"
}
(( $+functions[_bd__subcmd__doctor_commands] )) ||
_bd__subcmd__doctor_commands() {
    local commands; commands=()
    _describe -t commands 'bd doctor commands' commands "$@"
}
(( $+functions[_bd__subcmd__help_commands] )) ||
_bd__subcmd__help_commands() {
    local commands; commands=(
'init:Start a beads project in this folder' \
'create:Make a new bead' \
'q:Make a bead from a few words and print only its id' \
'show:Show all about beads' \
'update:Change fields of beads' \
'close:Close beads' \
'reopen:Open closed beads again' \
'list:List beads' \
'children:List the children of a bead that are not closed' \
'ready:Show what can be started now' \
'blocked:Show what waits for something, and for what' \
'dep:Link beads\: what waits for what' \
'label:Add, remove and list labels' \
'comments:Show the comments on a bead, or add one' \
'comment:Comment on a bead' \
'delete:Delete beads' \
'search:Find beads by a text in title, description or id, closed ones too' \
'count:Count beads, closed ones too' \
'status:Show counts\: how much is open, in progress, blocked, ready, closed' \
'history:Show what happened to a bead\: who changed which field from what to what, and when' \
'activity:Show what happened here, newest last\: time, event (for \`bd undo\`), change, actor' \
'undo:Take back a change\: the whole transaction, its later edits kept' \
'compact:Move old closed beads to the archive' \
'doctor:Look whether the beads of a project are sound' \
'restore:Bring back what is no longer there\: beads that were deleted or archived, or lines that git took' \
'defer:Put beads off' \
'undefer:Take up beads that were put off' \
'todo:Keep a simple list of tasks' \
'types:List the kinds that beads can have' \
'where:Print the folder whose beads are used here' \
'config:Read and change settings' \
'prime:Print what an agent should know about beads' \
'quickstart:Show a short tour' \
'sync:Put every acknowledged change into issues.jsonl; with --full commit, merge and push the beads' \
'merge:Merge beads files field by field; git'\''s merge driver' \
'migrate:Accepted for older scripts; there is nothing to migrate' \
'daemon:Accepted for older scripts; beads need no daemon' \
'version:Print the version' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'bd help commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__activity_commands] )) ||
_bd__subcmd__help__subcmd__activity_commands() {
    local commands; commands=()
    _describe -t commands 'bd help activity commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__blocked_commands] )) ||
_bd__subcmd__help__subcmd__blocked_commands() {
    local commands; commands=()
    _describe -t commands 'bd help blocked commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__children_commands] )) ||
_bd__subcmd__help__subcmd__children_commands() {
    local commands; commands=()
    _describe -t commands 'bd help children commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__close_commands] )) ||
_bd__subcmd__help__subcmd__close_commands() {
    local commands; commands=()
    _describe -t commands 'bd help close commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__comment_commands] )) ||
_bd__subcmd__help__subcmd__comment_commands() {
    local commands; commands=()
    _describe -t commands 'bd help comment commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__comments_commands] )) ||
_bd__subcmd__help__subcmd__comments_commands() {
    local commands; commands=(
'add:Add a comment' \
    )
    _describe -t commands 'bd help comments commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__comments__subcmd__add_commands] )) ||
_bd__subcmd__help__subcmd__comments__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'bd help comments add commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__compact_commands] )) ||
_bd__subcmd__help__subcmd__compact_commands() {
    local commands; commands=()
    _describe -t commands 'bd help compact commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__config_commands] )) ||
_bd__subcmd__help__subcmd__config_commands() {
    local commands; commands=(
'get:Print a setting' \
'list:List the settings of this project' \
'set:Change a setting in \`config.yaml\`' \
'unset:Remove a setting from \`config.yaml\`' \
    )
    _describe -t commands 'bd help config commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__config__subcmd__get_commands] )) ||
_bd__subcmd__help__subcmd__config__subcmd__get_commands() {
    local commands; commands=()
    _describe -t commands 'bd help config get commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__config__subcmd__list_commands] )) ||
_bd__subcmd__help__subcmd__config__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd help config list commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__config__subcmd__set_commands] )) ||
_bd__subcmd__help__subcmd__config__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'bd help config set commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__config__subcmd__unset_commands] )) ||
_bd__subcmd__help__subcmd__config__subcmd__unset_commands() {
    local commands; commands=()
    _describe -t commands 'bd help config unset commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__count_commands] )) ||
_bd__subcmd__help__subcmd__count_commands() {
    local commands; commands=()
    _describe -t commands 'bd help count commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__create_commands] )) ||
_bd__subcmd__help__subcmd__create_commands() {
    local commands; commands=()
    _describe -t commands 'bd help create commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__daemon_commands] )) ||
_bd__subcmd__help__subcmd__daemon_commands() {
    local commands; commands=()
    _describe -t commands 'bd help daemon commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__defer_commands] )) ||
_bd__subcmd__help__subcmd__defer_commands() {
    local commands; commands=()
    _describe -t commands 'bd help defer commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__delete_commands] )) ||
_bd__subcmd__help__subcmd__delete_commands() {
    local commands; commands=()
    _describe -t commands 'bd help delete commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__dep_commands] )) ||
_bd__subcmd__help__subcmd__dep_commands() {
    local commands; commands=(
'add:Make a bead depend on another' \
'remove:Remove the edge between two beads, whatever its kind' \
'list:List the edges of a bead' \
'tree:Show what a bead depends on, and that in turn, as a tree' \
'cycles:Look for a circle of edges' \
'relate:Link two beads both ways' \
'unrelate:Remove the links between two beads' \
    )
    _describe -t commands 'bd help dep commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__dep__subcmd__add_commands] )) ||
_bd__subcmd__help__subcmd__dep__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'bd help dep add commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__dep__subcmd__cycles_commands] )) ||
_bd__subcmd__help__subcmd__dep__subcmd__cycles_commands() {
    local commands; commands=()
    _describe -t commands 'bd help dep cycles commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__dep__subcmd__list_commands] )) ||
_bd__subcmd__help__subcmd__dep__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd help dep list commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__dep__subcmd__relate_commands] )) ||
_bd__subcmd__help__subcmd__dep__subcmd__relate_commands() {
    local commands; commands=()
    _describe -t commands 'bd help dep relate commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__dep__subcmd__remove_commands] )) ||
_bd__subcmd__help__subcmd__dep__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'bd help dep remove commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__dep__subcmd__tree_commands] )) ||
_bd__subcmd__help__subcmd__dep__subcmd__tree_commands() {
    local commands; commands=()
    _describe -t commands 'bd help dep tree commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__dep__subcmd__unrelate_commands] )) ||
_bd__subcmd__help__subcmd__dep__subcmd__unrelate_commands() {
    local commands; commands=()
    _describe -t commands 'bd help dep unrelate commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__doctor_commands] )) ||
_bd__subcmd__help__subcmd__doctor_commands() {
    local commands; commands=()
    _describe -t commands 'bd help doctor commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__help_commands] )) ||
_bd__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'bd help help commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__history_commands] )) ||
_bd__subcmd__help__subcmd__history_commands() {
    local commands; commands=()
    _describe -t commands 'bd help history commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__init_commands] )) ||
_bd__subcmd__help__subcmd__init_commands() {
    local commands; commands=()
    _describe -t commands 'bd help init commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__label_commands] )) ||
_bd__subcmd__help__subcmd__label_commands() {
    local commands; commands=(
'add:Add a label to beads; one that is there already is fine' \
'remove:Remove a label from beads; one that is not there is fine' \
'list:List the labels of a bead' \
'list-all:List all labels with how many beads carry them' \
    )
    _describe -t commands 'bd help label commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__label__subcmd__add_commands] )) ||
_bd__subcmd__help__subcmd__label__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'bd help label add commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__label__subcmd__list_commands] )) ||
_bd__subcmd__help__subcmd__label__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd help label list commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__label__subcmd__list-all_commands] )) ||
_bd__subcmd__help__subcmd__label__subcmd__list-all_commands() {
    local commands; commands=()
    _describe -t commands 'bd help label list-all commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__label__subcmd__remove_commands] )) ||
_bd__subcmd__help__subcmd__label__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'bd help label remove commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__list_commands] )) ||
_bd__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd help list commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__merge_commands] )) ||
_bd__subcmd__help__subcmd__merge_commands() {
    local commands; commands=()
    _describe -t commands 'bd help merge commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__migrate_commands] )) ||
_bd__subcmd__help__subcmd__migrate_commands() {
    local commands; commands=()
    _describe -t commands 'bd help migrate commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__prime_commands] )) ||
_bd__subcmd__help__subcmd__prime_commands() {
    local commands; commands=()
    _describe -t commands 'bd help prime commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__q_commands] )) ||
_bd__subcmd__help__subcmd__q_commands() {
    local commands; commands=()
    _describe -t commands 'bd help q commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__quickstart_commands] )) ||
_bd__subcmd__help__subcmd__quickstart_commands() {
    local commands; commands=()
    _describe -t commands 'bd help quickstart commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__ready_commands] )) ||
_bd__subcmd__help__subcmd__ready_commands() {
    local commands; commands=()
    _describe -t commands 'bd help ready commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__reopen_commands] )) ||
_bd__subcmd__help__subcmd__reopen_commands() {
    local commands; commands=()
    _describe -t commands 'bd help reopen commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__restore_commands] )) ||
_bd__subcmd__help__subcmd__restore_commands() {
    local commands; commands=()
    _describe -t commands 'bd help restore commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__search_commands] )) ||
_bd__subcmd__help__subcmd__search_commands() {
    local commands; commands=()
    _describe -t commands 'bd help search commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__show_commands] )) ||
_bd__subcmd__help__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'bd help show commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__status_commands] )) ||
_bd__subcmd__help__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'bd help status commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__sync_commands] )) ||
_bd__subcmd__help__subcmd__sync_commands() {
    local commands; commands=()
    _describe -t commands 'bd help sync commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__todo_commands] )) ||
_bd__subcmd__help__subcmd__todo_commands() {
    local commands; commands=(
'add:Add a task' \
'done:Tasks are done' \
'list:List the tasks' \
    )
    _describe -t commands 'bd help todo commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__todo__subcmd__add_commands] )) ||
_bd__subcmd__help__subcmd__todo__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'bd help todo add commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__todo__subcmd__done_commands] )) ||
_bd__subcmd__help__subcmd__todo__subcmd__done_commands() {
    local commands; commands=()
    _describe -t commands 'bd help todo done commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__todo__subcmd__list_commands] )) ||
_bd__subcmd__help__subcmd__todo__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd help todo list commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__types_commands] )) ||
_bd__subcmd__help__subcmd__types_commands() {
    local commands; commands=()
    _describe -t commands 'bd help types commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__undefer_commands] )) ||
_bd__subcmd__help__subcmd__undefer_commands() {
    local commands; commands=()
    _describe -t commands 'bd help undefer commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__undo_commands] )) ||
_bd__subcmd__help__subcmd__undo_commands() {
    local commands; commands=()
    _describe -t commands 'bd help undo commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__update_commands] )) ||
_bd__subcmd__help__subcmd__update_commands() {
    local commands; commands=()
    _describe -t commands 'bd help update commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__version_commands] )) ||
_bd__subcmd__help__subcmd__version_commands() {
    local commands; commands=()
    _describe -t commands 'bd help version commands' commands "$@"
}
(( $+functions[_bd__subcmd__help__subcmd__where_commands] )) ||
_bd__subcmd__help__subcmd__where_commands() {
    local commands; commands=()
    _describe -t commands 'bd help where commands' commands "$@"
}
(( $+functions[_bd__subcmd__history_commands] )) ||
_bd__subcmd__history_commands() {
    local commands; commands=()
    _describe -t commands 'bd history commands' commands "$@"
}
(( $+functions[_bd__subcmd__init_commands] )) ||
_bd__subcmd__init_commands() {
    local commands; commands=()
    _describe -t commands 'bd init commands' commands "$@"
}
(( $+functions[_bd__subcmd__label_commands] )) ||
_bd__subcmd__label_commands() {
    local commands; commands=(
'add:Add a label to beads; one that is there already is fine' \
'remove:Remove a label from beads; one that is not there is fine' \
'rm:Remove a label from beads; one that is not there is fine' \
'list:List the labels of a bead' \
'list-all:List all labels with how many beads carry them' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'bd label commands' commands "$@"
}
(( $+functions[_bd__subcmd__label__subcmd__add_commands] )) ||
_bd__subcmd__label__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'bd label add commands' commands "$@"
}
(( $+functions[_bd__subcmd__label__subcmd__help_commands] )) ||
_bd__subcmd__label__subcmd__help_commands() {
    local commands; commands=(
'add:Add a label to beads; one that is there already is fine' \
'remove:Remove a label from beads; one that is not there is fine' \
'list:List the labels of a bead' \
'list-all:List all labels with how many beads carry them' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'bd label help commands' commands "$@"
}
(( $+functions[_bd__subcmd__label__subcmd__help__subcmd__add_commands] )) ||
_bd__subcmd__label__subcmd__help__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'bd label help add commands' commands "$@"
}
(( $+functions[_bd__subcmd__label__subcmd__help__subcmd__help_commands] )) ||
_bd__subcmd__label__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'bd label help help commands' commands "$@"
}
(( $+functions[_bd__subcmd__label__subcmd__help__subcmd__list_commands] )) ||
_bd__subcmd__label__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd label help list commands' commands "$@"
}
(( $+functions[_bd__subcmd__label__subcmd__help__subcmd__list-all_commands] )) ||
_bd__subcmd__label__subcmd__help__subcmd__list-all_commands() {
    local commands; commands=()
    _describe -t commands 'bd label help list-all commands' commands "$@"
}
(( $+functions[_bd__subcmd__label__subcmd__help__subcmd__remove_commands] )) ||
_bd__subcmd__label__subcmd__help__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'bd label help remove commands' commands "$@"
}
(( $+functions[_bd__subcmd__label__subcmd__list_commands] )) ||
_bd__subcmd__label__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd label list commands' commands "$@"
}
(( $+functions[_bd__subcmd__label__subcmd__list-all_commands] )) ||
_bd__subcmd__label__subcmd__list-all_commands() {
    local commands; commands=()
    _describe -t commands 'bd label list-all commands' commands "$@"
}
(( $+functions[_bd__subcmd__label__subcmd__remove_commands] )) ||
_bd__subcmd__label__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'bd label remove commands' commands "$@"
}
(( $+functions[_bd__subcmd__list_commands] )) ||
_bd__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd list commands' commands "$@"
}
(( $+functions[_bd__subcmd__merge_commands] )) ||
_bd__subcmd__merge_commands() {
    local commands; commands=()
    _describe -t commands 'bd merge commands' commands "$@"
}
(( $+functions[_bd__subcmd__migrate_commands] )) ||
_bd__subcmd__migrate_commands() {
    local commands; commands=()
    _describe -t commands 'bd migrate commands' commands "$@"
}
(( $+functions[_bd__subcmd__prime_commands] )) ||
_bd__subcmd__prime_commands() {
    local commands; commands=()
    _describe -t commands 'bd prime commands' commands "$@"
}
(( $+functions[_bd__subcmd__q_commands] )) ||
_bd__subcmd__q_commands() {
    local commands; commands=()
    _describe -t commands 'bd q commands' commands "$@"
}
(( $+functions[_bd__subcmd__quickstart_commands] )) ||
_bd__subcmd__quickstart_commands() {
    local commands; commands=()
    _describe -t commands 'bd quickstart commands' commands "$@"
}
(( $+functions[_bd__subcmd__ready_commands] )) ||
_bd__subcmd__ready_commands() {
    local commands; commands=()
    _describe -t commands 'bd ready commands' commands "$@"
}
(( $+functions[_bd__subcmd__reopen_commands] )) ||
_bd__subcmd__reopen_commands() {
    local commands; commands=()
    _describe -t commands 'bd reopen commands' commands "$@"
}
(( $+functions[_bd__subcmd__restore_commands] )) ||
_bd__subcmd__restore_commands() {
    local commands; commands=()
    _describe -t commands 'bd restore commands' commands "$@"
}
(( $+functions[_bd__subcmd__search_commands] )) ||
_bd__subcmd__search_commands() {
    local commands; commands=()
    _describe -t commands 'bd search commands' commands "$@"
}
(( $+functions[_bd__subcmd__show_commands] )) ||
_bd__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'bd show commands' commands "$@"
}
(( $+functions[_bd__subcmd__status_commands] )) ||
_bd__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'bd status commands' commands "$@"
}
(( $+functions[_bd__subcmd__sync_commands] )) ||
_bd__subcmd__sync_commands() {
    local commands; commands=()
    _describe -t commands 'bd sync commands' commands "$@"
}
(( $+functions[_bd__subcmd__todo_commands] )) ||
_bd__subcmd__todo_commands() {
    local commands; commands=(
'add:Add a task' \
'done:Tasks are done' \
'list:List the tasks' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'bd todo commands' commands "$@"
}
(( $+functions[_bd__subcmd__todo__subcmd__add_commands] )) ||
_bd__subcmd__todo__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'bd todo add commands' commands "$@"
}
(( $+functions[_bd__subcmd__todo__subcmd__done_commands] )) ||
_bd__subcmd__todo__subcmd__done_commands() {
    local commands; commands=()
    _describe -t commands 'bd todo done commands' commands "$@"
}
(( $+functions[_bd__subcmd__todo__subcmd__help_commands] )) ||
_bd__subcmd__todo__subcmd__help_commands() {
    local commands; commands=(
'add:Add a task' \
'done:Tasks are done' \
'list:List the tasks' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'bd todo help commands' commands "$@"
}
(( $+functions[_bd__subcmd__todo__subcmd__help__subcmd__add_commands] )) ||
_bd__subcmd__todo__subcmd__help__subcmd__add_commands() {
    local commands; commands=()
    _describe -t commands 'bd todo help add commands' commands "$@"
}
(( $+functions[_bd__subcmd__todo__subcmd__help__subcmd__done_commands] )) ||
_bd__subcmd__todo__subcmd__help__subcmd__done_commands() {
    local commands; commands=()
    _describe -t commands 'bd todo help done commands' commands "$@"
}
(( $+functions[_bd__subcmd__todo__subcmd__help__subcmd__help_commands] )) ||
_bd__subcmd__todo__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'bd todo help help commands' commands "$@"
}
(( $+functions[_bd__subcmd__todo__subcmd__help__subcmd__list_commands] )) ||
_bd__subcmd__todo__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd todo help list commands' commands "$@"
}
(( $+functions[_bd__subcmd__todo__subcmd__list_commands] )) ||
_bd__subcmd__todo__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'bd todo list commands' commands "$@"
}
(( $+functions[_bd__subcmd__types_commands] )) ||
_bd__subcmd__types_commands() {
    local commands; commands=()
    _describe -t commands 'bd types commands' commands "$@"
}
(( $+functions[_bd__subcmd__undefer_commands] )) ||
_bd__subcmd__undefer_commands() {
    local commands; commands=()
    _describe -t commands 'bd undefer commands' commands "$@"
}
(( $+functions[_bd__subcmd__undo_commands] )) ||
_bd__subcmd__undo_commands() {
    local commands; commands=()
    _describe -t commands 'bd undo commands' commands "$@"
}
(( $+functions[_bd__subcmd__update_commands] )) ||
_bd__subcmd__update_commands() {
    local commands; commands=()
    _describe -t commands 'bd update commands' commands "$@"
}
(( $+functions[_bd__subcmd__version_commands] )) ||
_bd__subcmd__version_commands() {
    local commands; commands=()
    _describe -t commands 'bd version commands' commands "$@"
}
(( $+functions[_bd__subcmd__where_commands] )) ||
_bd__subcmd__where_commands() {
    local commands; commands=()
    _describe -t commands 'bd where commands' commands "$@"
}

if [ "$funcstack[1]" = "_bd" ]; then
    _bd "$@"
else
    compdef _bd bd
fi
