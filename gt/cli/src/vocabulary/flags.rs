//! Flags of the original on commands that exist in both programs, if they differ.

use super::Standing;

/// A flag of a command of the original.
#[derive(Debug, Clone, Copy)]
pub struct OldFlag {
    /// The command's words after `gt`.
    pub path: &'static str,
    /// The spellings.
    pub names: &'static [&'static str],
    pub standing: Standing,
}

const fn renamed(
    path: &'static str,
    names: &'static [&'static str],
    command: &'static str,
    note: &'static str,
) -> OldFlag {
    OldFlag {
        path,
        names,
        standing: Standing::Renamed { command, note },
    }
}

const fn refused(
    path: &'static str,
    names: &'static [&'static str],
    reason: &'static str,
    next: &'static str,
) -> OldFlag {
    OldFlag {
        path,
        names,
        standing: Standing::NotOffered { reason, next },
    }
}

const DONE_STATE: &str = "type `gt done`, and `gt done --failed TEXT` for work that cannot be done";
const LOSES: &str = "`gt down` loses nothing";

/// Every flag of the table.
pub const FLAGS: &[OldFlag] = &[
    refused(
        "sling",
        &["--naked"],
        "the daemon starts a session for each hooked bead",
        "type\n  gt rig park RIG\nfirst, and no session starts until\n  gt rig unpark RIG",
    ),
    renamed(
        "sling",
        &["--rig", "--to", "--target", "-r"],
        "gt sling BEAD RIG",
        "the last word is the target",
    ),
    renamed("hook", &["--clear"], "gt unsling BEAD", ""),
    renamed("hook", &["--force", "-f"], "gt sling BEAD --force", ""),
    renamed("hook", &["--subject", "-s"], "gt sling BEAD", ""),
    renamed(
        "hook",
        &["--message", "-m"],
        "gt sling BEAD --args TEXT",
        "",
    ),
    renamed(
        "hook",
        &["--dry-run", "-n"],
        "gt why BEAD",
        "it shows who has the bead",
    ),
    renamed(
        "unsling",
        &["--dry-run", "-n"],
        "gt why BEAD",
        "it shows who has the bead",
    ),
    refused(
        "mq reject",
        &["--notify"],
        "the reason is a comment on the bead",
        "type `gt nudge AGENT TEXT`",
    ),
    refused(
        "done",
        &["--status"],
        "the exit is a flag of its own",
        DONE_STATE,
    ),
    refused(
        "done",
        &["--exit"],
        "the exit is a flag of its own",
        DONE_STATE,
    ),
    refused(
        "done",
        &["--issue"],
        "the bead is the one on your hook",
        "type `gt hook`",
    ),
    refused(
        "done",
        &["--priority", "-p"],
        "the bead's priority counts",
        "type `bd priority ID N`",
    ),
    refused(
        "done",
        &["--cleanup-status"],
        "git is asked",
        "type `gt done`",
    ),
    refused(
        "done",
        &["--gate"],
        "a gate blocks the bead",
        "type `bd gate create --blocks ID`",
    ),
    refused(
        "done",
        &["--phase-complete"],
        "a gate blocks the bead",
        "type `gt handoff`",
    ),
    refused(
        "down",
        &["--dry-run"],
        LOSES,
        "type `gt status` to see what runs",
    ),
    refused("down", &["--nuke", "--nuclear"], LOSES, "type `gt down`"),
    refused(
        "down",
        &["--polecats-only"],
        LOSES,
        "type `gt unsling BEAD`",
    ),
    refused(
        "handoff",
        &["--watch"],
        "the session is restarted in its place",
        "type `gt handoff`",
    ),
    refused(
        "crew at",
        &["--debug"],
        "no such output",
        "type `gt doctor`",
    ),
    renamed(
        "convoy create",
        &["--molecule"],
        "gt sling FORMULA --on BEAD",
        "",
    ),
    renamed(
        "convoy",
        &["--interactive", "-i"],
        "gt convoy list --tree",
        "",
    ),
    refused(
        "convoy close",
        &["--notify"],
        "its subscribers get mail",
        "type `gt convoy close`",
    ),
    renamed(
        "mq list",
        &["--status"],
        "gt mq list RIG",
        "each line has its status",
    ),
    renamed("mq list", &["--epic"], "gt convoy status CONVOY", ""),
    renamed("namepool", &["--list", "-l"], "gt namepool themes", ""),
    renamed(
        "polecat nuke",
        &["--all"],
        "gt polecat nuke RIG/NAME",
        "name each polecat",
    ),
    refused(
        "polecat prune",
        &["--remote"],
        "a merge removes the branch at the remote, too",
        "type `gt polecat prune`",
    ),
    renamed("quota rotate", &["--from"], "gt account default NAME", ""),
    refused(
        "quota rotate",
        &["--idle"],
        "sessions that run keep their account",
        "type `gt quota rotate`",
    ),
    refused(
        "install",
        &["--github"],
        "no forge is used",
        "type `gh repo create` in the town",
    ),
    refused(
        "install",
        &["--public"],
        "no forge is used",
        "type `gh repo create` in the town",
    ),
    renamed("install", &["--shell"], "gt shell install", ""),
    refused(
        "install",
        &["--wrappers"],
        "hooks of the agent programs call `gt`",
        "type `gt hooks status`",
    ),
    refused(
        "install",
        &["--no-beads"],
        "a town is made of beads",
        "type `gt install PATH`",
    ),
    refused(
        "install",
        &["--public-name"],
        "a town has one name",
        "type `gt install PATH --name NAME`",
    ),
    refused(
        "rig add",
        &["--local-repo"],
        "objects are shared inside the rig",
        "type `gt rig add NAME URL`",
    ),
    refused(
        "prime",
        &["--state"],
        "it prints what a session reads",
        "type `gt whoami`",
    ),
    refused(
        "up",
        &["--restore"],
        "`gt up` always goes on where it stopped",
        "type `gt up`",
    ),
    refused(
        "doctor",
        &["--restart-sessions"],
        "the patrol restarts sessions",
        "type `gt doctor`",
    ),
];

/// Arguments of commands that take none, each with the commands to choose from.
const ARGUMENTS: &[(&str, &str, &str)] = &[
    (
        "down",
        "it stops the whole town",
        "type one of\n  gt down\n  gt rig stop RIG\n  gt unsling BEAD",
    ),
    (
        "feed",
        "its filters are flags",
        "type one of\n  gt feed --rig RIG\n  gt feed --actor AGENT\n  gt peek AGENT\n  gt why BEAD",
    ),
    (
        "status",
        "it shows the whole town",
        "type one of\n  gt rig status RIG\n  gt polecat status RIG/NAME\n  gt why BEAD",
    ),
    (
        "up",
        "it starts the whole town",
        "type one of\n  gt up\n  gt rig start RIG\n  gt sling BEAD RIG\n  gt crew start NAME",
    ),
];

/// Returns the reason and the next steps for an argument of a command that takes none.
pub(super) fn find_argument(path: &str) -> Option<(&'static str, &'static str)> {
    let found = ARGUMENTS.iter().find(|(command, ..)| *command == path);
    found.map(|(_, reason, next)| (*reason, *next))
}

/// Returns the line of a flag, as clap reports it: `--status <S>`, `--nuke`, `-p`.
pub(super) fn find_flag(path: &str, written: &str) -> Option<&'static OldFlag> {
    let name = written.split([' ', '=']).next()?;
    let is_named = |flag: &&OldFlag| flag.path == path && flag.names.contains(&name);
    FLAGS.iter().find(is_named)
}
