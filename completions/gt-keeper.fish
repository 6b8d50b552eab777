# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_gt_keeper_global_optspecs
    string join \n root= json h/help V/version
end

function __fish_gt_keeper_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_gt_keeper_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_gt_keeper_using_subcommand
    set -l cmd (__fish_gt_keeper_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -l root -d 'The folder that holds `keeper/`: a rig\'s root. Else GT_RIG_ROOT, else the nearest one above' -r -F
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -l json -d 'Prints machine-readable JSON'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -s V -l version -d 'Print version'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -f -a "install" -d 'Put the hooks into a rig\'s `hooks/` folder'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -f -a "uninstall" -d 'Take the hooks away. Seeds and decisions stay'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -f -a "plant" -d 'Fill the seed vault by reading a repository. What people wrote there stays'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -f -a "review" -d 'Review a convoy (the pre-convoy hook). Exit code 0 approves, 3 leaves it to a person, 1 rejects'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -f -a "reviewed" -d 'Settle a decision that a person was asked about (the convoy-reviewed hook)'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -f -a "brief" -d 'Tell what was decided, in a few lines (the convoy-briefing hook)'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -f -a "validate" -d 'Check a change against its decision (the pre-merge hook). Exit code 1 where a rule is broken'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -f -a "waive" -d 'Let a rule of a decision be broken, for a reason that is kept'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -f -a "explain" -d 'Tell what constraint codes mean; all of them where none is named'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -f -a "list" -d 'List the decisions'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -f -a "show" -d 'Show a decision as it stands in its file'
complete -c gt-keeper -n "__fish_gt_keeper_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand install" -l root -d 'The folder that holds `keeper/`: a rig\'s root. Else GT_RIG_ROOT, else the nearest one above' -r -F
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand install" -l json -d 'Prints machine-readable JSON'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand install" -s h -l help -d 'Print help'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand uninstall" -l root -d 'The folder that holds `keeper/`: a rig\'s root. Else GT_RIG_ROOT, else the nearest one above' -r -F
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand uninstall" -l json -d 'Prints machine-readable JSON'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand uninstall" -s h -l help -d 'Print help'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand plant" -l root -d 'The folder that holds `keeper/`: a rig\'s root. Else GT_RIG_ROOT, else the nearest one above' -r -F
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand plant" -l json -d 'Prints machine-readable JSON'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand plant" -s h -l help -d 'Print help'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand review" -l name -d 'The convoy\'s name; GT_CONVOY_NAME where nothing is said' -r
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand review" -l spec -d 'What it is to achieve; GT_CONVOY_SPEC_FILE or GT_CONVOY_SPEC where nothing is said' -r
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand review" -l root -d 'The folder that holds `keeper/`: a rig\'s root. Else GT_RIG_ROOT, else the nearest one above' -r -F
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand review" -l json -d 'Prints machine-readable JSON'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand review" -s h -l help -d 'Print help'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand reviewed" -l root -d 'The folder that holds `keeper/`: a rig\'s root. Else GT_RIG_ROOT, else the nearest one above' -r -F
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand reviewed" -l json -d 'Prints machine-readable JSON'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand reviewed" -s h -l help -d 'Print help'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand brief" -l root -d 'The folder that holds `keeper/`: a rig\'s root. Else GT_RIG_ROOT, else the nearest one above' -r -F
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand brief" -l json -d 'Prints machine-readable JSON'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand brief" -s h -l help -d 'Print help'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand validate" -l base -d 'The commit without the change; GT_BASE where nothing is said' -r
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand validate" -l commit -d 'The commit with it; GT_COMMIT where nothing is said' -r
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand validate" -l root -d 'The folder that holds `keeper/`: a rig\'s root. Else GT_RIG_ROOT, else the nearest one above' -r -F
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand validate" -l json -d 'Prints machine-readable JSON'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand validate" -s h -l help -d 'Print help'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand waive" -l reason -d 'Why' -r
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand waive" -l file -d 'Only in this file' -r
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand waive" -l root -d 'The folder that holds `keeper/`: a rig\'s root. Else GT_RIG_ROOT, else the nearest one above' -r -F
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand waive" -l json -d 'Prints machine-readable JSON'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand waive" -s h -l help -d 'Print help'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand explain" -l root -d 'The folder that holds `keeper/`: a rig\'s root. Else GT_RIG_ROOT, else the nearest one above' -r -F
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand explain" -l json -d 'Prints machine-readable JSON'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand explain" -s h -l help -d 'Print help'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand list" -l root -d 'The folder that holds `keeper/`: a rig\'s root. Else GT_RIG_ROOT, else the nearest one above' -r -F
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand list" -l json -d 'Prints machine-readable JSON'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand list" -s h -l help -d 'Print help'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand show" -l root -d 'The folder that holds `keeper/`: a rig\'s root. Else GT_RIG_ROOT, else the nearest one above' -r -F
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand show" -l json -d 'Prints machine-readable JSON'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand show" -s h -l help -d 'Print help'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand help; and not __fish_seen_subcommand_from install uninstall plant review reviewed brief validate waive explain list show help" -f -a "install" -d 'Put the hooks into a rig\'s `hooks/` folder'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand help; and not __fish_seen_subcommand_from install uninstall plant review reviewed brief validate waive explain list show help" -f -a "uninstall" -d 'Take the hooks away. Seeds and decisions stay'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand help; and not __fish_seen_subcommand_from install uninstall plant review reviewed brief validate waive explain list show help" -f -a "plant" -d 'Fill the seed vault by reading a repository. What people wrote there stays'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand help; and not __fish_seen_subcommand_from install uninstall plant review reviewed brief validate waive explain list show help" -f -a "review" -d 'Review a convoy (the pre-convoy hook). Exit code 0 approves, 3 leaves it to a person, 1 rejects'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand help; and not __fish_seen_subcommand_from install uninstall plant review reviewed brief validate waive explain list show help" -f -a "reviewed" -d 'Settle a decision that a person was asked about (the convoy-reviewed hook)'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand help; and not __fish_seen_subcommand_from install uninstall plant review reviewed brief validate waive explain list show help" -f -a "brief" -d 'Tell what was decided, in a few lines (the convoy-briefing hook)'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand help; and not __fish_seen_subcommand_from install uninstall plant review reviewed brief validate waive explain list show help" -f -a "validate" -d 'Check a change against its decision (the pre-merge hook). Exit code 1 where a rule is broken'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand help; and not __fish_seen_subcommand_from install uninstall plant review reviewed brief validate waive explain list show help" -f -a "waive" -d 'Let a rule of a decision be broken, for a reason that is kept'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand help; and not __fish_seen_subcommand_from install uninstall plant review reviewed brief validate waive explain list show help" -f -a "explain" -d 'Tell what constraint codes mean; all of them where none is named'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand help; and not __fish_seen_subcommand_from install uninstall plant review reviewed brief validate waive explain list show help" -f -a "list" -d 'List the decisions'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand help; and not __fish_seen_subcommand_from install uninstall plant review reviewed brief validate waive explain list show help" -f -a "show" -d 'Show a decision as it stands in its file'
complete -c gt-keeper -n "__fish_gt_keeper_using_subcommand help; and not __fish_seen_subcommand_from install uninstall plant review reviewed brief validate waive explain list show help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
