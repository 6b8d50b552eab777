# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_bd_global_optspecs
    string join \n json actor= db= C/directory= readonly q/quiet v/verbose no-db no-daemon no-auto-flush no-auto-import sandbox allow-stale profile lock-timeout= dolt-auto-commit= V/version h/help
end

function __fish_bd_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_bd_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_bd_using_subcommand
    set -l cmd (__fish_bd_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c bd -n "__fish_bd_needs_command" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_needs_command" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_needs_command" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_needs_command" -l lock-timeout -r
complete -c bd -n "__fish_bd_needs_command" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_needs_command" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_needs_command" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_needs_command" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_needs_command" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_needs_command" -l no-db
complete -c bd -n "__fish_bd_needs_command" -l no-daemon
complete -c bd -n "__fish_bd_needs_command" -l no-auto-flush
complete -c bd -n "__fish_bd_needs_command" -l no-auto-import
complete -c bd -n "__fish_bd_needs_command" -l sandbox
complete -c bd -n "__fish_bd_needs_command" -l allow-stale
complete -c bd -n "__fish_bd_needs_command" -l profile
complete -c bd -n "__fish_bd_needs_command" -s V -l version -d 'Print the version'
complete -c bd -n "__fish_bd_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_needs_command" -f -a "init" -d 'Start a beads project in this folder'
complete -c bd -n "__fish_bd_needs_command" -f -a "create" -d 'Make a new bead'
complete -c bd -n "__fish_bd_needs_command" -f -a "new" -d 'Make a new bead'
complete -c bd -n "__fish_bd_needs_command" -f -a "q" -d 'Make a bead from a few words and print only its id'
complete -c bd -n "__fish_bd_needs_command" -f -a "show" -d 'Show all about beads'
complete -c bd -n "__fish_bd_needs_command" -f -a "view" -d 'Show all about beads'
complete -c bd -n "__fish_bd_needs_command" -f -a "update" -d 'Change fields of beads'
complete -c bd -n "__fish_bd_needs_command" -f -a "close" -d 'Close beads'
complete -c bd -n "__fish_bd_needs_command" -f -a "done" -d 'Close beads'
complete -c bd -n "__fish_bd_needs_command" -f -a "reopen" -d 'Open closed beads again'
complete -c bd -n "__fish_bd_needs_command" -f -a "list" -d 'List beads'
complete -c bd -n "__fish_bd_needs_command" -f -a "children" -d 'List the children of a bead that are not closed'
complete -c bd -n "__fish_bd_needs_command" -f -a "ready" -d 'Show what can be started now'
complete -c bd -n "__fish_bd_needs_command" -f -a "blocked" -d 'Show what waits for something, and for what'
complete -c bd -n "__fish_bd_needs_command" -f -a "dep" -d 'Link beads: what waits for what'
complete -c bd -n "__fish_bd_needs_command" -f -a "label" -d 'Add, remove and list labels'
complete -c bd -n "__fish_bd_needs_command" -f -a "comments" -d 'Show the comments on a bead, or add one'
complete -c bd -n "__fish_bd_needs_command" -f -a "comment" -d 'Comment on a bead'
complete -c bd -n "__fish_bd_needs_command" -f -a "delete" -d 'Delete beads'
complete -c bd -n "__fish_bd_needs_command" -f -a "search" -d 'Find beads by a text in title, description or id, closed ones too'
complete -c bd -n "__fish_bd_needs_command" -f -a "count" -d 'Count beads, closed ones too'
complete -c bd -n "__fish_bd_needs_command" -f -a "status" -d 'Show counts: how much is open, in progress, blocked, ready, closed'
complete -c bd -n "__fish_bd_needs_command" -f -a "stats" -d 'Show counts: how much is open, in progress, blocked, ready, closed'
complete -c bd -n "__fish_bd_needs_command" -f -a "history" -d 'Show what happened to a bead: who changed which field from what to what, and when'
complete -c bd -n "__fish_bd_needs_command" -f -a "activity" -d 'Show what happened here, newest last: time, event (for `bd undo`), change, actor'
complete -c bd -n "__fish_bd_needs_command" -f -a "undo" -d 'Take back a change: the whole transaction, its later edits kept'
complete -c bd -n "__fish_bd_needs_command" -f -a "compact" -d 'Move old closed beads to the archive'
complete -c bd -n "__fish_bd_needs_command" -f -a "doctor" -d 'Look whether the beads of a project are sound'
complete -c bd -n "__fish_bd_needs_command" -f -a "restore" -d 'Bring back what is no longer there: beads that were deleted or archived, or lines that git took'
complete -c bd -n "__fish_bd_needs_command" -f -a "defer" -d 'Put beads off'
complete -c bd -n "__fish_bd_needs_command" -f -a "undefer" -d 'Take up beads that were put off'
complete -c bd -n "__fish_bd_needs_command" -f -a "todo" -d 'Keep a simple list of tasks'
complete -c bd -n "__fish_bd_needs_command" -f -a "types" -d 'List the kinds that beads can have'
complete -c bd -n "__fish_bd_needs_command" -f -a "where" -d 'Print the folder whose beads are used here'
complete -c bd -n "__fish_bd_needs_command" -f -a "config" -d 'Read and change settings'
complete -c bd -n "__fish_bd_needs_command" -f -a "prime" -d 'Print what an agent should know about beads'
complete -c bd -n "__fish_bd_needs_command" -f -a "quickstart" -d 'Show a short tour'
complete -c bd -n "__fish_bd_needs_command" -f -a "sync" -d 'Put every acknowledged change into issues.jsonl; with --full commit, merge and push the beads'
complete -c bd -n "__fish_bd_needs_command" -f -a "merge" -d 'Merge beads files field by field; git\'s merge driver'
complete -c bd -n "__fish_bd_needs_command" -f -a "migrate" -d 'Accepted for older scripts; there is nothing to migrate'
complete -c bd -n "__fish_bd_needs_command" -f -a "daemon" -d 'Accepted for older scripts; beads need no daemon'
complete -c bd -n "__fish_bd_needs_command" -f -a "version" -d 'Print the version'
complete -c bd -n "__fish_bd_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c bd -n "__fish_bd_using_subcommand init" -s p -l prefix -d 'Prefix of new ids; the default is the folder\'s name' -r
complete -c bd -n "__fish_bd_using_subcommand init" -s b -l branch -d 'The branch that bd sync --full commits beads to' -r
complete -c bd -n "__fish_bd_using_subcommand init" -l backend -r
complete -c bd -n "__fish_bd_using_subcommand init" -l destroy-token -r
complete -c bd -n "__fish_bd_using_subcommand init" -l server-port -r
complete -c bd -n "__fish_bd_using_subcommand init" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand init" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand init" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand init" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand init" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand init" -l force -d 'Add what is missing from a folder that has beads already'
complete -c bd -n "__fish_bd_using_subcommand init" -l skip-hooks
complete -c bd -n "__fish_bd_using_subcommand init" -l no-merge-driver -d 'Do not set git up to merge beads field by field'
complete -c bd -n "__fish_bd_using_subcommand init" -l from-jsonl
complete -c bd -n "__fish_bd_using_subcommand init" -l contributor
complete -c bd -n "__fish_bd_using_subcommand init" -l team
complete -c bd -n "__fish_bd_using_subcommand init" -l stealth
complete -c bd -n "__fish_bd_using_subcommand init" -l setup-exclude
complete -c bd -n "__fish_bd_using_subcommand init" -l non-interactive
complete -c bd -n "__fish_bd_using_subcommand init" -l skip-agents
complete -c bd -n "__fish_bd_using_subcommand init" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand init" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand init" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand init" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand init" -l no-db
complete -c bd -n "__fish_bd_using_subcommand init" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand init" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand init" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand init" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand init" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand init" -l profile
complete -c bd -n "__fish_bd_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand create" -s f -l file -d 'Many from a Markdown file: `## Title` each' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l graph -d 'Many from a plan as JSON: `nodes` with `key` and `title`, `edges` with `from_key` and `to_key`' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l title -d 'The title' -r
complete -c bd -n "__fish_bd_using_subcommand create" -s d -l description -d 'The long text; `-` reads standard input' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l body -r
complete -c bd -n "__fish_bd_using_subcommand create" -s m -l message -r
complete -c bd -n "__fish_bd_using_subcommand create" -l body-file -d 'Read the long text from a file; `-` is standard input' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l design -d 'How it is to be done' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l acceptance -d 'When it is done' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l notes -d 'Working notes' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l append-notes -r
complete -c bd -n "__fish_bd_using_subcommand create" -s p -l priority -d 'Priority, 0-4 or P0-P4; 0 is most urgent' -r
complete -c bd -n "__fish_bd_using_subcommand create" -s t -l type -d 'Kind: bug, feature, task, epic, chore, or one from types.custom' -r
complete -c bd -n "__fish_bd_using_subcommand create" -s a -l assignee -d 'Who works on it' -r
complete -c bd -n "__fish_bd_using_subcommand create" -s l -l labels -d 'Labels' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l id -d 'An id of your own' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l parent -d 'Make it a child of this bead' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l deps -d 'Edges: kind:id or id' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l waits-for -d 'Wait for the children of this bead' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l waits-for-gate -d 'Which of them: all-children or any-children' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l external-ref -d 'Its id in another tracker' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l spec-id -d 'A specification' -r
complete -c bd -n "__fish_bd_using_subcommand create" -s e -l estimate -d 'Estimated minutes' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l due -d 'When it is due' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l defer -d 'Not ready before this time' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l metadata -d 'JSON of your own, or @file' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l mol-type -r
complete -c bd -n "__fish_bd_using_subcommand create" -l wisp-type -r
complete -c bd -n "__fish_bd_using_subcommand create" -l agent-rig -r
complete -c bd -n "__fish_bd_using_subcommand create" -l event-category -r
complete -c bd -n "__fish_bd_using_subcommand create" -l event-actor -r
complete -c bd -n "__fish_bd_using_subcommand create" -l event-target -r
complete -c bd -n "__fish_bd_using_subcommand create" -l event-payload -r
complete -c bd -n "__fish_bd_using_subcommand create" -l rig -d 'Make it in this rig of the town' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l prefix -d 'Make it in the rig with this prefix' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l repo -d 'Make it in the project in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand create" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand create" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand create" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand create" -l stdin -d 'Read the long text from standard input'
complete -c bd -n "__fish_bd_using_subcommand create" -l ephemeral -d 'A wisp: local, never in git'
complete -c bd -n "__fish_bd_using_subcommand create" -l force -d 'Accept an id with another prefix'
complete -c bd -n "__fish_bd_using_subcommand create" -l dry-run -d 'Show what would be made'
complete -c bd -n "__fish_bd_using_subcommand create" -l silent -d 'Print only the id'
complete -c bd -n "__fish_bd_using_subcommand create" -l validate
complete -c bd -n "__fish_bd_using_subcommand create" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand create" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand create" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand create" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand create" -l no-db
complete -c bd -n "__fish_bd_using_subcommand create" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand create" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand create" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand create" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand create" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand create" -l profile
complete -c bd -n "__fish_bd_using_subcommand create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand new" -s f -l file -d 'Many from a Markdown file: `## Title` each' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l graph -d 'Many from a plan as JSON: `nodes` with `key` and `title`, `edges` with `from_key` and `to_key`' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l title -d 'The title' -r
complete -c bd -n "__fish_bd_using_subcommand new" -s d -l description -d 'The long text; `-` reads standard input' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l body -r
complete -c bd -n "__fish_bd_using_subcommand new" -s m -l message -r
complete -c bd -n "__fish_bd_using_subcommand new" -l body-file -d 'Read the long text from a file; `-` is standard input' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l design -d 'How it is to be done' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l acceptance -d 'When it is done' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l notes -d 'Working notes' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l append-notes -r
complete -c bd -n "__fish_bd_using_subcommand new" -s p -l priority -d 'Priority, 0-4 or P0-P4; 0 is most urgent' -r
complete -c bd -n "__fish_bd_using_subcommand new" -s t -l type -d 'Kind: bug, feature, task, epic, chore, or one from types.custom' -r
complete -c bd -n "__fish_bd_using_subcommand new" -s a -l assignee -d 'Who works on it' -r
complete -c bd -n "__fish_bd_using_subcommand new" -s l -l labels -d 'Labels' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l id -d 'An id of your own' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l parent -d 'Make it a child of this bead' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l deps -d 'Edges: kind:id or id' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l waits-for -d 'Wait for the children of this bead' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l waits-for-gate -d 'Which of them: all-children or any-children' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l external-ref -d 'Its id in another tracker' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l spec-id -d 'A specification' -r
complete -c bd -n "__fish_bd_using_subcommand new" -s e -l estimate -d 'Estimated minutes' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l due -d 'When it is due' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l defer -d 'Not ready before this time' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l metadata -d 'JSON of your own, or @file' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l mol-type -r
complete -c bd -n "__fish_bd_using_subcommand new" -l wisp-type -r
complete -c bd -n "__fish_bd_using_subcommand new" -l agent-rig -r
complete -c bd -n "__fish_bd_using_subcommand new" -l event-category -r
complete -c bd -n "__fish_bd_using_subcommand new" -l event-actor -r
complete -c bd -n "__fish_bd_using_subcommand new" -l event-target -r
complete -c bd -n "__fish_bd_using_subcommand new" -l event-payload -r
complete -c bd -n "__fish_bd_using_subcommand new" -l rig -d 'Make it in this rig of the town' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l prefix -d 'Make it in the rig with this prefix' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l repo -d 'Make it in the project in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand new" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand new" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand new" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand new" -l stdin -d 'Read the long text from standard input'
complete -c bd -n "__fish_bd_using_subcommand new" -l ephemeral -d 'A wisp: local, never in git'
complete -c bd -n "__fish_bd_using_subcommand new" -l force -d 'Accept an id with another prefix'
complete -c bd -n "__fish_bd_using_subcommand new" -l dry-run -d 'Show what would be made'
complete -c bd -n "__fish_bd_using_subcommand new" -l silent -d 'Print only the id'
complete -c bd -n "__fish_bd_using_subcommand new" -l validate
complete -c bd -n "__fish_bd_using_subcommand new" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand new" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand new" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand new" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand new" -l no-db
complete -c bd -n "__fish_bd_using_subcommand new" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand new" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand new" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand new" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand new" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand new" -l profile
complete -c bd -n "__fish_bd_using_subcommand new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand q" -s p -l priority -d 'Priority, 0-4 or P0-P4' -r
complete -c bd -n "__fish_bd_using_subcommand q" -s t -l type -d 'Kind' -r
complete -c bd -n "__fish_bd_using_subcommand q" -s l -l labels -d 'Labels' -r
complete -c bd -n "__fish_bd_using_subcommand q" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand q" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand q" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand q" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand q" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand q" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand q" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand q" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand q" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand q" -l no-db
complete -c bd -n "__fish_bd_using_subcommand q" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand q" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand q" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand q" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand q" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand q" -l profile
complete -c bd -n "__fish_bd_using_subcommand q" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand show" -l id -d 'A bead whose id looks like a flag' -r
complete -c bd -n "__fish_bd_using_subcommand show" -l at -d 'As it was at this time, by history (2h, 3d, 2026-03-01, yesterday)' -r
complete -c bd -n "__fish_bd_using_subcommand show" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand show" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand show" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand show" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand show" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand show" -l short -d 'One line each'
complete -c bd -n "__fish_bd_using_subcommand show" -l children -d 'Only the children'
complete -c bd -n "__fish_bd_using_subcommand show" -l refs -d 'Only what points at it'
complete -c bd -n "__fish_bd_using_subcommand show" -l local-time
complete -c bd -n "__fish_bd_using_subcommand show" -l long
complete -c bd -n "__fish_bd_using_subcommand show" -l include-dependents
complete -c bd -n "__fish_bd_using_subcommand show" -l include-comments
complete -c bd -n "__fish_bd_using_subcommand show" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand show" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand show" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand show" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand show" -l no-db
complete -c bd -n "__fish_bd_using_subcommand show" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand show" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand show" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand show" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand show" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand show" -l profile
complete -c bd -n "__fish_bd_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand view" -l id -d 'A bead whose id looks like a flag' -r
complete -c bd -n "__fish_bd_using_subcommand view" -l at -d 'As it was at this time, by history (2h, 3d, 2026-03-01, yesterday)' -r
complete -c bd -n "__fish_bd_using_subcommand view" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand view" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand view" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand view" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand view" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand view" -l short -d 'One line each'
complete -c bd -n "__fish_bd_using_subcommand view" -l children -d 'Only the children'
complete -c bd -n "__fish_bd_using_subcommand view" -l refs -d 'Only what points at it'
complete -c bd -n "__fish_bd_using_subcommand view" -l local-time
complete -c bd -n "__fish_bd_using_subcommand view" -l long
complete -c bd -n "__fish_bd_using_subcommand view" -l include-dependents
complete -c bd -n "__fish_bd_using_subcommand view" -l include-comments
complete -c bd -n "__fish_bd_using_subcommand view" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand view" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand view" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand view" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand view" -l no-db
complete -c bd -n "__fish_bd_using_subcommand view" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand view" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand view" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand view" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand view" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand view" -l profile
complete -c bd -n "__fish_bd_using_subcommand view" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand update" -s s -l status -d 'Status: open, in_progress, blocked, deferred, closed, pinned, hooked, or one from status.custom' -r
complete -c bd -n "__fish_bd_using_subcommand update" -s p -l priority -d 'Priority, 0-4 or P0-P4' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l title -d 'Title' -r
complete -c bd -n "__fish_bd_using_subcommand update" -s t -l type -d 'Kind' -r
complete -c bd -n "__fish_bd_using_subcommand update" -s a -l assignee -d 'Who works on it' -r
complete -c bd -n "__fish_bd_using_subcommand update" -s d -l description -d 'The long text; `-` reads standard input' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l body -r
complete -c bd -n "__fish_bd_using_subcommand update" -s m -l message -r
complete -c bd -n "__fish_bd_using_subcommand update" -l body-file -d 'Read the long text from a file; `-` is standard input' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l design -d 'How it is to be done' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l acceptance -d 'When it is done' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l notes -d 'Working notes' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l append-notes -d 'Add a line to the notes' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l external-ref -d 'Its id in another tracker' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l spec-id -d 'A specification' -r
complete -c bd -n "__fish_bd_using_subcommand update" -s e -l estimate -d 'Estimated minutes' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l add-label -d 'Add labels' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l remove-label -d 'Remove labels' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l set-labels -d 'Replace all labels; empty clears them' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l parent -d 'Make it a child of this bead; empty detaches it' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l session -d 'The agent session, for closing' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l due -d 'When it is due; empty clears' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l defer -d 'Not ready before this time; empty clears' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l await-id -d 'What a gate waits for' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l metadata -d 'JSON of your own, or @file' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l set-metadata -d 'Set one key of the metadata' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l unset-metadata -d 'Remove one key of the metadata' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand update" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand update" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand update" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand update" -l unassign -d 'No one works on it'
complete -c bd -n "__fish_bd_using_subcommand update" -l stdin -d 'Read the long text from standard input'
complete -c bd -n "__fish_bd_using_subcommand update" -l claim -d 'Take it, if no one has it'
complete -c bd -n "__fish_bd_using_subcommand update" -l ephemeral -d 'Make it a wisp'
complete -c bd -n "__fish_bd_using_subcommand update" -l persistent -d 'Make a wisp durable'
complete -c bd -n "__fish_bd_using_subcommand update" -l allow-empty-description
complete -c bd -n "__fish_bd_using_subcommand update" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand update" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand update" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand update" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand update" -l no-db
complete -c bd -n "__fish_bd_using_subcommand update" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand update" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand update" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand update" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand update" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand update" -l profile
complete -c bd -n "__fish_bd_using_subcommand update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand close" -s r -l reason -d 'Why' -r
complete -c bd -n "__fish_bd_using_subcommand close" -l resolution -r
complete -c bd -n "__fish_bd_using_subcommand close" -s m -l message -r
complete -c bd -n "__fish_bd_using_subcommand close" -l reason-file -d 'Read the reason from a file; `-` is standard input' -r
complete -c bd -n "__fish_bd_using_subcommand close" -l session -d 'The agent session' -r
complete -c bd -n "__fish_bd_using_subcommand close" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand close" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand close" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand close" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand close" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand close" -s f -l force -d 'Close it even if it waits for others or is pinned'
complete -c bd -n "__fish_bd_using_subcommand close" -l suggest-next -d 'Show what can be started now'
complete -c bd -n "__fish_bd_using_subcommand close" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand close" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand close" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand close" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand close" -l no-db
complete -c bd -n "__fish_bd_using_subcommand close" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand close" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand close" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand close" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand close" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand close" -l profile
complete -c bd -n "__fish_bd_using_subcommand close" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand done" -s r -l reason -d 'Why' -r
complete -c bd -n "__fish_bd_using_subcommand done" -l resolution -r
complete -c bd -n "__fish_bd_using_subcommand done" -s m -l message -r
complete -c bd -n "__fish_bd_using_subcommand done" -l reason-file -d 'Read the reason from a file; `-` is standard input' -r
complete -c bd -n "__fish_bd_using_subcommand done" -l session -d 'The agent session' -r
complete -c bd -n "__fish_bd_using_subcommand done" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand done" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand done" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand done" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand done" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand done" -s f -l force -d 'Close it even if it waits for others or is pinned'
complete -c bd -n "__fish_bd_using_subcommand done" -l suggest-next -d 'Show what can be started now'
complete -c bd -n "__fish_bd_using_subcommand done" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand done" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand done" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand done" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand done" -l no-db
complete -c bd -n "__fish_bd_using_subcommand done" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand done" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand done" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand done" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand done" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand done" -l profile
complete -c bd -n "__fish_bd_using_subcommand done" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand reopen" -s r -l reason -d 'Why' -r
complete -c bd -n "__fish_bd_using_subcommand reopen" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand reopen" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand reopen" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand reopen" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand reopen" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand reopen" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand reopen" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand reopen" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand reopen" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand reopen" -l no-db
complete -c bd -n "__fish_bd_using_subcommand reopen" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand reopen" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand reopen" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand reopen" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand reopen" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand reopen" -l profile
complete -c bd -n "__fish_bd_using_subcommand reopen" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand list" -s s -l status -d 'Only this status; `all` for any' -r
complete -c bd -n "__fish_bd_using_subcommand list" -s p -l priority -d 'Only this priority (0-4 or P0-P4)' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l priority-min -d 'Only this priority or a less urgent one' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l priority-max -d 'Only this priority or a more urgent one' -r
complete -c bd -n "__fish_bd_using_subcommand list" -s t -l type -d 'Only this kind' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l exclude-type -d 'None of these kinds' -r
complete -c bd -n "__fish_bd_using_subcommand list" -s a -l assignee -d 'Only this assignee\'s' -r
complete -c bd -n "__fish_bd_using_subcommand list" -s l -l label -l labels -d 'With all of these labels' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l label-any -d 'With one of these labels' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l exclude-label -d 'With none of these labels' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l label-pattern -d 'With a label that matches a pattern of `*` and `?`' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l id -d 'Only these ids' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l title -d 'With this text in the title' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l title-contains -d 'With this text in the title' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l desc-contains -d 'With this text in the description' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l notes-contains -d 'With this text in the notes' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l spec -d 'With a specification that starts so' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l created-after -d 'Created after this time' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l created-before -d 'Created before this time' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l updated-after -d 'Updated after this time' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l updated-before -d 'Updated before this time' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l closed-after -d 'Closed after this time' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l closed-before -d 'Closed before this time' -r
complete -c bd -n "__fish_bd_using_subcommand list" -s n -l limit -d 'At most so many; 0 for all' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l parent -d 'Only children of this bead' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l due-after -d 'Due after this time' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l due-before -d 'Due before this time' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l mol-type -r
complete -c bd -n "__fish_bd_using_subcommand list" -l wisp-type -r
complete -c bd -n "__fish_bd_using_subcommand list" -l sort -d 'Sort by' -r -f -a "priority\t''
created\t''
updated\t''
closed\t''
status\t''
id\t''
title\t''
type\t''
assignee\t''"
complete -c bd -n "__fish_bd_using_subcommand list" -l format -d 'Print only this: `id`' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand list" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand list" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand list" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand list" -l no-assignee -d 'Only what no one has'
complete -c bd -n "__fish_bd_using_subcommand list" -l no-labels -d 'Only without labels'
complete -c bd -n "__fish_bd_using_subcommand list" -l empty-description -d 'Only without a description'
complete -c bd -n "__fish_bd_using_subcommand list" -l all -d 'Closed ones too, and no limit'
complete -c bd -n "__fish_bd_using_subcommand list" -l ready -d 'Only open ones'
complete -c bd -n "__fish_bd_using_subcommand list" -l deferred -d 'Only deferred ones'
complete -c bd -n "__fish_bd_using_subcommand list" -l overdue -d 'Only what is overdue'
complete -c bd -n "__fish_bd_using_subcommand list" -l pinned -d 'Only pinned ones'
complete -c bd -n "__fish_bd_using_subcommand list" -l no-pinned -d 'Only what is not pinned'
complete -c bd -n "__fish_bd_using_subcommand list" -l include-templates -d 'Templates too'
complete -c bd -n "__fish_bd_using_subcommand list" -l include-gates -d 'Gates too'
complete -c bd -n "__fish_bd_using_subcommand list" -s r -l reverse -d 'The other way round'
complete -c bd -n "__fish_bd_using_subcommand list" -l long -d 'Several lines each'
complete -c bd -n "__fish_bd_using_subcommand list" -l tree -d 'As a tree of parents and children'
complete -c bd -n "__fish_bd_using_subcommand list" -l flat
complete -c bd -n "__fish_bd_using_subcommand list" -l include-infra -d 'Also show agents, roles, rigs, messages and slots, which a person is rarely looking for'
complete -c bd -n "__fish_bd_using_subcommand list" -l no-pager
complete -c bd -n "__fish_bd_using_subcommand list" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand list" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand list" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand list" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand list" -l no-db
complete -c bd -n "__fish_bd_using_subcommand list" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand list" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand list" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand list" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand list" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand list" -l profile
complete -c bd -n "__fish_bd_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand children" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand children" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand children" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand children" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand children" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand children" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand children" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand children" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand children" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand children" -l no-db
complete -c bd -n "__fish_bd_using_subcommand children" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand children" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand children" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand children" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand children" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand children" -l profile
complete -c bd -n "__fish_bd_using_subcommand children" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand ready" -s n -l limit -d 'At most so many; 0 for all' -r
complete -c bd -n "__fish_bd_using_subcommand ready" -s p -l priority -d 'Only this priority' -r
complete -c bd -n "__fish_bd_using_subcommand ready" -s a -l assignee -d 'Only this assignee\'s' -r
complete -c bd -n "__fish_bd_using_subcommand ready" -s s -l sort -d 'Order: hybrid (new ones by priority, then the old), priority, oldest' -r
complete -c bd -n "__fish_bd_using_subcommand ready" -s l -l label -d 'With all of these labels' -r
complete -c bd -n "__fish_bd_using_subcommand ready" -l label-any -d 'With one of these labels' -r
complete -c bd -n "__fish_bd_using_subcommand ready" -s t -l type -d 'Only this kind' -r
complete -c bd -n "__fish_bd_using_subcommand ready" -l parent -d 'Only below this bead' -r
complete -c bd -n "__fish_bd_using_subcommand ready" -l mol-type -r
complete -c bd -n "__fish_bd_using_subcommand ready" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand ready" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand ready" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand ready" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand ready" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand ready" -s u -l unassigned -d 'Only what no one has'
complete -c bd -n "__fish_bd_using_subcommand ready" -l include-deferred -d 'What is put off until later, too'
complete -c bd -n "__fish_bd_using_subcommand ready" -l explain -d 'Say why the others are not ready'
complete -c bd -n "__fish_bd_using_subcommand ready" -l pretty
complete -c bd -n "__fish_bd_using_subcommand ready" -l plain
complete -c bd -n "__fish_bd_using_subcommand ready" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand ready" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand ready" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand ready" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand ready" -l no-db
complete -c bd -n "__fish_bd_using_subcommand ready" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand ready" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand ready" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand ready" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand ready" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand ready" -l profile
complete -c bd -n "__fish_bd_using_subcommand ready" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand blocked" -l parent -d 'Only below this bead' -r
complete -c bd -n "__fish_bd_using_subcommand blocked" -s n -l limit -d 'At most so many; 0 for all. People get 50, programs all' -r
complete -c bd -n "__fish_bd_using_subcommand blocked" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand blocked" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand blocked" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand blocked" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand blocked" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand blocked" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand blocked" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand blocked" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand blocked" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand blocked" -l no-db
complete -c bd -n "__fish_bd_using_subcommand blocked" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand blocked" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand blocked" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand blocked" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand blocked" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand blocked" -l profile
complete -c bd -n "__fish_bd_using_subcommand blocked" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -s b -l blocks -d 'The bead that waits for it' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l no-db
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -l profile
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -a "add" -d 'Make a bead depend on another'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -a "remove" -d 'Remove the edge between two beads, whatever its kind'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -a "rm" -d 'Remove the edge between two beads, whatever its kind'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -a "list" -d 'List the edges of a bead'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -a "tree" -d 'Show what a bead depends on, and that in turn, as a tree'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -a "cycles" -d 'Look for a circle of edges'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -a "relate" -d 'Link two beads both ways'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -a "unrelate" -d 'Remove the links between two beads'
complete -c bd -n "__fish_bd_using_subcommand dep; and not __fish_seen_subcommand_from add remove rm list tree cycles relate unrelate help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l blocked-by -d 'What it waits for' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l depends-on -d 'What it depends on' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -s t -l type -d 'Kind of the edge: blocks, parent-child, conditional-blocks, waits-for, related, discovered-from, tracks' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l no-db
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -l profile
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l no-db
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -l profile
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l no-db
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -l profile
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l direction -d 'down: what it depends on; up: what depends on it' -r -f -a "down\t''
up\t''"
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -s t -l type -d 'Only edges of this kind' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l no-db
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -l profile
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -s d -l max-depth -d 'How deep' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l direction -d 'down: what it depends on; up: what depends on it; both' -r -f -a "down\t''
up\t''
both\t''"
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l status -d 'Only beads of this status, and what leads to them' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l format -d 'As a diagram: mermaid' -r -f -a "mermaid\t''"
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -s t -l type -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l reverse -d 'What depends on it'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l no-db
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -l profile
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from tree" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l no-db
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -l profile
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from cycles" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l no-db
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -l profile
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from relate" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l no-db
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -l profile
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from unrelate" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from help" -f -a "add" -d 'Make a bead depend on another'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from help" -f -a "remove" -d 'Remove the edge between two beads, whatever its kind'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the edges of a bead'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from help" -f -a "tree" -d 'Show what a bead depends on, and that in turn, as a tree'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from help" -f -a "cycles" -d 'Look for a circle of edges'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from help" -f -a "relate" -d 'Link two beads both ways'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from help" -f -a "unrelate" -d 'Remove the links between two beads'
complete -c bd -n "__fish_bd_using_subcommand dep; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l no-db
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -l profile
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -f -a "add" -d 'Add a label to beads; one that is there already is fine'
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -f -a "remove" -d 'Remove a label from beads; one that is not there is fine'
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -f -a "rm" -d 'Remove a label from beads; one that is not there is fine'
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -f -a "list" -d 'List the labels of a bead'
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -f -a "list-all" -d 'List all labels with how many beads carry them'
complete -c bd -n "__fish_bd_using_subcommand label; and not __fish_seen_subcommand_from add remove rm list list-all help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l no-db
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -l profile
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l no-db
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -l profile
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l no-db
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -l profile
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l no-db
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -l profile
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l no-db
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -l profile
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from list-all" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add a label to beads; one that is there already is fine'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from help" -f -a "remove" -d 'Remove a label from beads; one that is not there is fine'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the labels of a bead'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from help" -f -a "list-all" -d 'List all labels with how many beads carry them'
complete -c bd -n "__fish_bd_using_subcommand label; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l local-time
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l no-db
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -l profile
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -a "add" -d 'Add a comment'
complete -c bd -n "__fish_bd_using_subcommand comments; and not __fish_seen_subcommand_from add help" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -s f -l file -d 'Read the text from a file; `-` is standard input' -r
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -s a -l author -d 'Who says it' -r
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l stdin -d 'Read the text from standard input'
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l no-db
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -l profile
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add a comment'
complete -c bd -n "__fish_bd_using_subcommand comments; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c bd -n "__fish_bd_using_subcommand comment" -s f -l file -d 'Read the text from a file; `-` is standard input' -r
complete -c bd -n "__fish_bd_using_subcommand comment" -s a -l author -d 'Who says it' -r
complete -c bd -n "__fish_bd_using_subcommand comment" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand comment" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand comment" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand comment" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand comment" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand comment" -l stdin -d 'Read the text from standard input'
complete -c bd -n "__fish_bd_using_subcommand comment" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand comment" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand comment" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand comment" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand comment" -l no-db
complete -c bd -n "__fish_bd_using_subcommand comment" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand comment" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand comment" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand comment" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand comment" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand comment" -l profile
complete -c bd -n "__fish_bd_using_subcommand comment" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand delete" -l from-file -d 'Read ids from a file, one a line' -r
complete -c bd -n "__fish_bd_using_subcommand delete" -l reason -d 'Why' -r
complete -c bd -n "__fish_bd_using_subcommand delete" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand delete" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand delete" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand delete" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand delete" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand delete" -s f -l force -d 'Do it'
complete -c bd -n "__fish_bd_using_subcommand delete" -l dry-run -d 'Show what would go'
complete -c bd -n "__fish_bd_using_subcommand delete" -l cascade -d 'What waits for them, too'
complete -c bd -n "__fish_bd_using_subcommand delete" -l hard -d 'Leave no tombstone'
complete -c bd -n "__fish_bd_using_subcommand delete" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand delete" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand delete" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand delete" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand delete" -l no-db
complete -c bd -n "__fish_bd_using_subcommand delete" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand delete" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand delete" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand delete" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand delete" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand delete" -l profile
complete -c bd -n "__fish_bd_using_subcommand delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand search" -l query -d 'The text' -r
complete -c bd -n "__fish_bd_using_subcommand search" -s s -l status -d 'Only this status; `all` for any' -r
complete -c bd -n "__fish_bd_using_subcommand search" -s p -l priority -d 'Only this priority (0-4 or P0-P4)' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l priority-min -d 'Only this priority or a less urgent one' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l priority-max -d 'Only this priority or a more urgent one' -r
complete -c bd -n "__fish_bd_using_subcommand search" -s t -l type -d 'Only this kind' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l exclude-type -d 'None of these kinds' -r
complete -c bd -n "__fish_bd_using_subcommand search" -s a -l assignee -d 'Only this assignee\'s' -r
complete -c bd -n "__fish_bd_using_subcommand search" -s l -l label -l labels -d 'With all of these labels' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l label-any -d 'With one of these labels' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l exclude-label -d 'With none of these labels' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l label-pattern -d 'With a label that matches a pattern of `*` and `?`' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l id -d 'Only these ids' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l title -d 'With this text in the title' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l title-contains -d 'With this text in the title' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l desc-contains -d 'With this text in the description' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l notes-contains -d 'With this text in the notes' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l spec -d 'With a specification that starts so' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l created-after -d 'Created after this time' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l created-before -d 'Created before this time' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l updated-after -d 'Updated after this time' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l updated-before -d 'Updated before this time' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l closed-after -d 'Closed after this time' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l closed-before -d 'Closed before this time' -r
complete -c bd -n "__fish_bd_using_subcommand search" -s n -l limit -d 'At most so many; 0 for all' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l sort -d 'Sort by' -r -f -a "priority\t''
created\t''
updated\t''
closed\t''
status\t''
id\t''
title\t''
type\t''
assignee\t''"
complete -c bd -n "__fish_bd_using_subcommand search" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand search" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand search" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand search" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand search" -l no-assignee -d 'Only what no one has'
complete -c bd -n "__fish_bd_using_subcommand search" -l no-labels -d 'Only without labels'
complete -c bd -n "__fish_bd_using_subcommand search" -l empty-description -d 'Only without a description'
complete -c bd -n "__fish_bd_using_subcommand search" -s r -l reverse -d 'The other way round'
complete -c bd -n "__fish_bd_using_subcommand search" -l archived -d 'In the archive, too'
complete -c bd -n "__fish_bd_using_subcommand search" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand search" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand search" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand search" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand search" -l no-db
complete -c bd -n "__fish_bd_using_subcommand search" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand search" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand search" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand search" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand search" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand search" -l profile
complete -c bd -n "__fish_bd_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand count" -s s -l status -d 'Only this status; `all` for any' -r
complete -c bd -n "__fish_bd_using_subcommand count" -s p -l priority -d 'Only this priority (0-4 or P0-P4)' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l priority-min -d 'Only this priority or a less urgent one' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l priority-max -d 'Only this priority or a more urgent one' -r
complete -c bd -n "__fish_bd_using_subcommand count" -s t -l type -d 'Only this kind' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l exclude-type -d 'None of these kinds' -r
complete -c bd -n "__fish_bd_using_subcommand count" -s a -l assignee -d 'Only this assignee\'s' -r
complete -c bd -n "__fish_bd_using_subcommand count" -s l -l label -l labels -d 'With all of these labels' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l label-any -d 'With one of these labels' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l exclude-label -d 'With none of these labels' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l label-pattern -d 'With a label that matches a pattern of `*` and `?`' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l id -d 'Only these ids' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l title -d 'With this text in the title' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l title-contains -d 'With this text in the title' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l desc-contains -d 'With this text in the description' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l notes-contains -d 'With this text in the notes' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l spec -d 'With a specification that starts so' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l created-after -d 'Created after this time' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l created-before -d 'Created before this time' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l updated-after -d 'Updated after this time' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l updated-before -d 'Updated before this time' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l closed-after -d 'Closed after this time' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l closed-before -d 'Closed before this time' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand count" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand count" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand count" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand count" -l no-assignee -d 'Only what no one has'
complete -c bd -n "__fish_bd_using_subcommand count" -l no-labels -d 'Only without labels'
complete -c bd -n "__fish_bd_using_subcommand count" -l empty-description -d 'Only without a description'
complete -c bd -n "__fish_bd_using_subcommand count" -l by-status -d 'A count for each status'
complete -c bd -n "__fish_bd_using_subcommand count" -l by-priority -d 'A count for each priority'
complete -c bd -n "__fish_bd_using_subcommand count" -l by-type -d 'A count for each kind'
complete -c bd -n "__fish_bd_using_subcommand count" -l by-assignee -d 'A count for each assignee'
complete -c bd -n "__fish_bd_using_subcommand count" -l by-label -d 'A count for each label'
complete -c bd -n "__fish_bd_using_subcommand count" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand count" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand count" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand count" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand count" -l no-db
complete -c bd -n "__fish_bd_using_subcommand count" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand count" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand count" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand count" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand count" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand count" -l profile
complete -c bd -n "__fish_bd_using_subcommand count" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand status" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand status" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand status" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand status" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand status" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand status" -l all
complete -c bd -n "__fish_bd_using_subcommand status" -l assigned -d 'Only mine'
complete -c bd -n "__fish_bd_using_subcommand status" -l no-activity
complete -c bd -n "__fish_bd_using_subcommand status" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand status" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand status" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand status" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand status" -l no-db
complete -c bd -n "__fish_bd_using_subcommand status" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand status" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand status" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand status" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand status" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand status" -l profile
complete -c bd -n "__fish_bd_using_subcommand status" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand stats" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand stats" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand stats" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand stats" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand stats" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand stats" -l all
complete -c bd -n "__fish_bd_using_subcommand stats" -l assigned -d 'Only mine'
complete -c bd -n "__fish_bd_using_subcommand stats" -l no-activity
complete -c bd -n "__fish_bd_using_subcommand stats" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand stats" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand stats" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand stats" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand stats" -l no-db
complete -c bd -n "__fish_bd_using_subcommand stats" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand stats" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand stats" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand stats" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand stats" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand stats" -l profile
complete -c bd -n "__fish_bd_using_subcommand stats" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand history" -s n -l limit -d 'Only the last so many; 0 for all' -r
complete -c bd -n "__fish_bd_using_subcommand history" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand history" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand history" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand history" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand history" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand history" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand history" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand history" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand history" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand history" -l no-db
complete -c bd -n "__fish_bd_using_subcommand history" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand history" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand history" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand history" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand history" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand history" -l profile
complete -c bd -n "__fish_bd_using_subcommand history" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand activity" -l since -d 'Only since this time (5m, 2h, 2026-03-01)' -r
complete -c bd -n "__fish_bd_using_subcommand activity" -l type -d 'Only create, update, delete, comment or status' -r
complete -c bd -n "__fish_bd_using_subcommand activity" -l mol -d 'Only beads whose id begins so' -r
complete -c bd -n "__fish_bd_using_subcommand activity" -s n -l limit -d 'The last so many; 0 for all' -r
complete -c bd -n "__fish_bd_using_subcommand activity" -l interval -r
complete -c bd -n "__fish_bd_using_subcommand activity" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand activity" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand activity" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand activity" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand activity" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand activity" -s f -l follow -d 'Go on as things happen'
complete -c bd -n "__fish_bd_using_subcommand activity" -l town -d 'Of all projects of the town'
complete -c bd -n "__fish_bd_using_subcommand activity" -s d -l details -d 'Which fields changed, too'
complete -c bd -n "__fish_bd_using_subcommand activity" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand activity" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand activity" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand activity" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand activity" -l no-db
complete -c bd -n "__fish_bd_using_subcommand activity" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand activity" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand activity" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand activity" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand activity" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand activity" -l profile
complete -c bd -n "__fish_bd_using_subcommand activity" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand undo" -l last -d 'Your last N changes, newest first' -r
complete -c bd -n "__fish_bd_using_subcommand undo" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand undo" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand undo" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand undo" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand undo" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand undo" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand undo" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand undo" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand undo" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand undo" -l no-db
complete -c bd -n "__fish_bd_using_subcommand undo" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand undo" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand undo" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand undo" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand undo" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand undo" -l profile
complete -c bd -n "__fish_bd_using_subcommand undo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand compact" -l older-than -d 'Closed longer ago than this: 90d, 12w, 1y' -r
complete -c bd -n "__fish_bd_using_subcommand compact" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand compact" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand compact" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand compact" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand compact" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand compact" -l dry-run -d 'Only show what would go'
complete -c bd -n "__fish_bd_using_subcommand compact" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand compact" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand compact" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand compact" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand compact" -l no-db
complete -c bd -n "__fish_bd_using_subcommand compact" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand compact" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand compact" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand compact" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand compact" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand compact" -l profile
complete -c bd -n "__fish_bd_using_subcommand compact" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand doctor" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand doctor" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand doctor" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand doctor" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand doctor" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand doctor" -l fix -d 'Mend what can be mended'
complete -c bd -n "__fish_bd_using_subcommand doctor" -s y -l yes
complete -c bd -n "__fish_bd_using_subcommand doctor" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand doctor" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand doctor" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand doctor" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand doctor" -l no-db
complete -c bd -n "__fish_bd_using_subcommand doctor" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand doctor" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand doctor" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand doctor" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand doctor" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand doctor" -l profile
complete -c bd -n "__fish_bd_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand restore" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand restore" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand restore" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand restore" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand restore" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand restore" -l lost -d 'Bring back what a rollback by git took'
complete -c bd -n "__fish_bd_using_subcommand restore" -l discard -d 'Forget what a rollback by git took'
complete -c bd -n "__fish_bd_using_subcommand restore" -l dry-run -d 'Only show what would be done'
complete -c bd -n "__fish_bd_using_subcommand restore" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand restore" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand restore" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand restore" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand restore" -l no-db
complete -c bd -n "__fish_bd_using_subcommand restore" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand restore" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand restore" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand restore" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand restore" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand restore" -l profile
complete -c bd -n "__fish_bd_using_subcommand restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand defer" -l until -d 'Until when' -r
complete -c bd -n "__fish_bd_using_subcommand defer" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand defer" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand defer" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand defer" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand defer" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand defer" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand defer" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand defer" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand defer" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand defer" -l no-db
complete -c bd -n "__fish_bd_using_subcommand defer" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand defer" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand defer" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand defer" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand defer" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand defer" -l profile
complete -c bd -n "__fish_bd_using_subcommand defer" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand undefer" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand undefer" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand undefer" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand undefer" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand undefer" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand undefer" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand undefer" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand undefer" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand undefer" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand undefer" -l no-db
complete -c bd -n "__fish_bd_using_subcommand undefer" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand undefer" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand undefer" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand undefer" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand undefer" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand undefer" -l profile
complete -c bd -n "__fish_bd_using_subcommand undefer" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l all -d 'Done ones too'
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l no-db
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -l profile
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -f -a "add" -d 'Add a task'
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -f -a "done" -d 'Tasks are done'
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -f -a "list" -d 'List the tasks'
complete -c bd -n "__fish_bd_using_subcommand todo; and not __fish_seen_subcommand_from add done list help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -s p -l priority -d 'Priority' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -s d -l description -d 'The long text' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l no-db
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -l profile
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l reason -d 'Why' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l no-db
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -l profile
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from done" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l all -d 'Done ones too'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l no-db
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -l profile
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add a task'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from help" -f -a "done" -d 'Tasks are done'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the tasks'
complete -c bd -n "__fish_bd_using_subcommand todo; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c bd -n "__fish_bd_using_subcommand types" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand types" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand types" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand types" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand types" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand types" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand types" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand types" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand types" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand types" -l no-db
complete -c bd -n "__fish_bd_using_subcommand types" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand types" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand types" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand types" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand types" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand types" -l profile
complete -c bd -n "__fish_bd_using_subcommand types" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand where" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand where" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand where" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand where" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand where" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand where" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand where" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand where" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand where" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand where" -l no-db
complete -c bd -n "__fish_bd_using_subcommand where" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand where" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand where" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand where" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand where" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand where" -l profile
complete -c bd -n "__fish_bd_using_subcommand where" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l no-db
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -l profile
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -f -a "get" -d 'Print a setting'
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -f -a "list" -d 'List the settings of this project'
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -f -a "set" -d 'Change a setting in `config.yaml`'
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -f -a "unset" -d 'Remove a setting from `config.yaml`'
complete -c bd -n "__fish_bd_using_subcommand config; and not __fish_seen_subcommand_from get list set unset help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l show-origin -d 'Say where the value comes from'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l no-db
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -l profile
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from get" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l show-origin -d 'Say where each value comes from'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l all -d 'Every setting there is'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l no-db
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -l profile
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l no-db
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -l profile
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from set" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l no-db
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -l profile
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from unset" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "get" -d 'Print a setting'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the settings of this project'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "set" -d 'Change a setting in `config.yaml`'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "unset" -d 'Remove a setting from `config.yaml`'
complete -c bd -n "__fish_bd_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c bd -n "__fish_bd_using_subcommand prime" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand prime" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand prime" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand prime" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand prime" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand prime" -l export -d 'Print the built-in text even where PRIME.md exists'
complete -c bd -n "__fish_bd_using_subcommand prime" -l full
complete -c bd -n "__fish_bd_using_subcommand prime" -l mcp
complete -c bd -n "__fish_bd_using_subcommand prime" -l stealth
complete -c bd -n "__fish_bd_using_subcommand prime" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand prime" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand prime" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand prime" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand prime" -l no-db
complete -c bd -n "__fish_bd_using_subcommand prime" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand prime" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand prime" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand prime" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand prime" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand prime" -l profile
complete -c bd -n "__fish_bd_using_subcommand prime" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand quickstart" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand quickstart" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand quickstart" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l no-db
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand quickstart" -l profile
complete -c bd -n "__fish_bd_using_subcommand quickstart" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand sync" -s m -l message -d 'What the commit says; the default is the time' -r
complete -c bd -n "__fish_bd_using_subcommand sync" -l set-mode -r
complete -c bd -n "__fish_bd_using_subcommand sync" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand sync" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand sync" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand sync" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand sync" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand sync" -l full -d 'Commit, merge and push the beads'
complete -c bd -n "__fish_bd_using_subcommand sync" -l no-push -d 'Do not push'
complete -c bd -n "__fish_bd_using_subcommand sync" -l no-pull -d 'Do not ask the remote what others did'
complete -c bd -n "__fish_bd_using_subcommand sync" -l dry-run -d 'Only say what would be done'
complete -c bd -n "__fish_bd_using_subcommand sync" -l flush-only
complete -c bd -n "__fish_bd_using_subcommand sync" -l import
complete -c bd -n "__fish_bd_using_subcommand sync" -l import-only
complete -c bd -n "__fish_bd_using_subcommand sync" -l from-main
complete -c bd -n "__fish_bd_using_subcommand sync" -l squash
complete -c bd -n "__fish_bd_using_subcommand sync" -l status
complete -c bd -n "__fish_bd_using_subcommand sync" -l check
complete -c bd -n "__fish_bd_using_subcommand sync" -l no-git-history
complete -c bd -n "__fish_bd_using_subcommand sync" -l rename-on-import
complete -c bd -n "__fish_bd_using_subcommand sync" -l accept-rebase
complete -c bd -n "__fish_bd_using_subcommand sync" -l force
complete -c bd -n "__fish_bd_using_subcommand sync" -l resolve
complete -c bd -n "__fish_bd_using_subcommand sync" -l ours
complete -c bd -n "__fish_bd_using_subcommand sync" -l theirs
complete -c bd -n "__fish_bd_using_subcommand sync" -l manual
complete -c bd -n "__fish_bd_using_subcommand sync" -l merge
complete -c bd -n "__fish_bd_using_subcommand sync" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand sync" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand sync" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand sync" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand sync" -l no-db
complete -c bd -n "__fish_bd_using_subcommand sync" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand sync" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand sync" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand sync" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand sync" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand sync" -l profile
complete -c bd -n "__fish_bd_using_subcommand sync" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand merge" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand merge" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand merge" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand merge" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand merge" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand merge" -l unmerged -d 'Finish a merge that git could not: both sides come from its index'
complete -c bd -n "__fish_bd_using_subcommand merge" -l install -d 'Set this clone up so that git uses it'
complete -c bd -n "__fish_bd_using_subcommand merge" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand merge" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand merge" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand merge" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand merge" -l no-db
complete -c bd -n "__fish_bd_using_subcommand merge" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand merge" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand merge" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand merge" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand merge" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand merge" -l profile
complete -c bd -n "__fish_bd_using_subcommand merge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c bd -n "__fish_bd_using_subcommand migrate" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand migrate" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand migrate" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand migrate" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand migrate" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand migrate" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand migrate" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand migrate" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand migrate" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand migrate" -l no-db
complete -c bd -n "__fish_bd_using_subcommand migrate" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand migrate" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand migrate" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand migrate" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand migrate" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand migrate" -l profile
complete -c bd -n "__fish_bd_using_subcommand migrate" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand daemon" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand daemon" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand daemon" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand daemon" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand daemon" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand daemon" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand daemon" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand daemon" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand daemon" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand daemon" -l no-db
complete -c bd -n "__fish_bd_using_subcommand daemon" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand daemon" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand daemon" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand daemon" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand daemon" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand daemon" -l profile
complete -c bd -n "__fish_bd_using_subcommand daemon" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand version" -l actor -d 'Act under this name' -r
complete -c bd -n "__fish_bd_using_subcommand version" -l db -d 'Use the beads beside this file' -r
complete -c bd -n "__fish_bd_using_subcommand version" -s C -l directory -d 'Run as if started in this folder' -r
complete -c bd -n "__fish_bd_using_subcommand version" -l lock-timeout -r
complete -c bd -n "__fish_bd_using_subcommand version" -l dolt-auto-commit -r
complete -c bd -n "__fish_bd_using_subcommand version" -l daemon
complete -c bd -n "__fish_bd_using_subcommand version" -l json -d 'Answer as JSON'
complete -c bd -n "__fish_bd_using_subcommand version" -l readonly -d 'Refuse every change'
complete -c bd -n "__fish_bd_using_subcommand version" -s q -l quiet -d 'Print only data and errors'
complete -c bd -n "__fish_bd_using_subcommand version" -s v -l verbose -d 'Accepted for older scripts'
complete -c bd -n "__fish_bd_using_subcommand version" -l no-db
complete -c bd -n "__fish_bd_using_subcommand version" -l no-daemon
complete -c bd -n "__fish_bd_using_subcommand version" -l no-auto-flush
complete -c bd -n "__fish_bd_using_subcommand version" -l no-auto-import
complete -c bd -n "__fish_bd_using_subcommand version" -l sandbox
complete -c bd -n "__fish_bd_using_subcommand version" -l allow-stale
complete -c bd -n "__fish_bd_using_subcommand version" -l profile
complete -c bd -n "__fish_bd_using_subcommand version" -s h -l help -d 'Print help'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "init" -d 'Start a beads project in this folder'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "create" -d 'Make a new bead'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "q" -d 'Make a bead from a few words and print only its id'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "show" -d 'Show all about beads'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "update" -d 'Change fields of beads'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "close" -d 'Close beads'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "reopen" -d 'Open closed beads again'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "list" -d 'List beads'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "children" -d 'List the children of a bead that are not closed'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "ready" -d 'Show what can be started now'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "blocked" -d 'Show what waits for something, and for what'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "dep" -d 'Link beads: what waits for what'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "label" -d 'Add, remove and list labels'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "comments" -d 'Show the comments on a bead, or add one'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "comment" -d 'Comment on a bead'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "delete" -d 'Delete beads'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "search" -d 'Find beads by a text in title, description or id, closed ones too'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "count" -d 'Count beads, closed ones too'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "status" -d 'Show counts: how much is open, in progress, blocked, ready, closed'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "history" -d 'Show what happened to a bead: who changed which field from what to what, and when'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "activity" -d 'Show what happened here, newest last: time, event (for `bd undo`), change, actor'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "undo" -d 'Take back a change: the whole transaction, its later edits kept'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "compact" -d 'Move old closed beads to the archive'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "doctor" -d 'Look whether the beads of a project are sound'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "restore" -d 'Bring back what is no longer there: beads that were deleted or archived, or lines that git took'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "defer" -d 'Put beads off'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "undefer" -d 'Take up beads that were put off'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "todo" -d 'Keep a simple list of tasks'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "types" -d 'List the kinds that beads can have'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "where" -d 'Print the folder whose beads are used here'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "config" -d 'Read and change settings'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "prime" -d 'Print what an agent should know about beads'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "quickstart" -d 'Show a short tour'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "sync" -d 'Put every acknowledged change into issues.jsonl; with --full commit, merge and push the beads'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "merge" -d 'Merge beads files field by field; git\'s merge driver'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "migrate" -d 'Accepted for older scripts; there is nothing to migrate'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "daemon" -d 'Accepted for older scripts; beads need no daemon'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "version" -d 'Print the version'
complete -c bd -n "__fish_bd_using_subcommand help; and not __fish_seen_subcommand_from init create q show update close reopen list children ready blocked dep label comments comment delete search count status history activity undo compact doctor restore defer undefer todo types where config prime quickstart sync merge migrate daemon version help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from dep" -f -a "add" -d 'Make a bead depend on another'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from dep" -f -a "remove" -d 'Remove the edge between two beads, whatever its kind'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from dep" -f -a "list" -d 'List the edges of a bead'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from dep" -f -a "tree" -d 'Show what a bead depends on, and that in turn, as a tree'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from dep" -f -a "cycles" -d 'Look for a circle of edges'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from dep" -f -a "relate" -d 'Link two beads both ways'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from dep" -f -a "unrelate" -d 'Remove the links between two beads'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from label" -f -a "add" -d 'Add a label to beads; one that is there already is fine'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from label" -f -a "remove" -d 'Remove a label from beads; one that is not there is fine'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from label" -f -a "list" -d 'List the labels of a bead'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from label" -f -a "list-all" -d 'List all labels with how many beads carry them'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from comments" -f -a "add" -d 'Add a comment'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from todo" -f -a "add" -d 'Add a task'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from todo" -f -a "done" -d 'Tasks are done'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from todo" -f -a "list" -d 'List the tasks'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "get" -d 'Print a setting'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "list" -d 'List the settings of this project'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "set" -d 'Change a setting in `config.yaml`'
complete -c bd -n "__fish_bd_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "unset" -d 'Remove a setting from `config.yaml`'
