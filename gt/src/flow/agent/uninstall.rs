//! Removes what Gas Town wrote outside of its town, `gt uninstall`: the systemd unit, shell
//! completions, man pages, and the shell integration.
//!
//! No work is removed: the town's folder with its repositories stays, and so do the programs, which
//! belong to the tool that installed them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use kit::sys::file;
use serde::Serialize;

use crate::flow::place::rig::find_unfinished;
use crate::flow::place::shell;
use crate::host::daemon;
use crate::town::Town;

/// The programs with completions and man pages.
const PROGRAM_NAMES: [&str; 4] = ["bd", "gt", "gtd", "gt-keeper"];
/// The files of the shell integration, most of which older programs wrote, below the folder
/// `gastown` of each base folder: its variable, its usual place, and the names.
const SHELL_FILES: &[(&str, &str, &[&str])] = &[
    ("XDG_CONFIG_HOME", "~/.config", &["shell-hook.sh"]),
    ("XDG_STATE_HOME", "~/.local/state", &["state.json"]),
    ("XDG_CACHE_HOME", "~/.cache", &["rigs.cache", "asked-repos"]),
];

/// A file or a part of a file to remove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UninstallItem {
    pub kind: UninstallKind,
    pub path: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UninstallKind {
    Unit,
    Completion,
    ManPage,
    /// A file of the shell integration.
    ShellFile,
    /// The block of the shell integration in a start file of a shell.
    ShellBlock,
}

impl UninstallKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Unit => "systemd unit",
            Self::Completion => "completions",
            Self::ManPage => "man page",
            Self::ShellFile => "shell integration",
            Self::ShellBlock => "shell integration, a block in",
        }
    }
}

/// A rig that stays in the town's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StayingRig {
    pub name: String,
    /// The unfinished work, each in one line.
    pub unfinished: Vec<String>,
}

/// A text in each completion script of ours.
const COMPLETION_MARK: &str = "the program itself prints the candidates";

/// A line of each manual page of ours. Pages of other packages have the same names.
pub const MAN_PAGE_MARK: &str = ".\\\" A manual page of Gas Town.";

/// Returns the items that exist.
pub fn list_items(town: &Town) -> Vec<UninstallItem> {
    let mut items: Vec<UninstallItem> = daemon::list_unit_files(town)
        .into_iter()
        .map(|path| UninstallItem {
            kind: UninstallKind::Unit,
            path,
        })
        .collect();
    let mut add_item = |kind, path: PathBuf| {
        if std::fs::symlink_metadata(&path).is_ok() {
            items.push(UninstallItem { kind, path });
        }
    };
    let data = town.env.folder_named_by("XDG_DATA_HOME", "~/.local/share");
    for program in PROGRAM_NAMES {
        for path in [
            format!("bash-completion/completions/{program}"),
            format!("zsh/site-functions/_{program}"),
            format!("fish/vendor_completions.d/{program}.fish"),
        ] {
            let path = data.join(path);
            // Another program of that name may have its own.
            if std::fs::read_to_string(&path).is_ok_and(|text| text.contains(COMPLETION_MARK)) {
                add_item(UninstallKind::Completion, path);
            }
        }
    }
    for path in list_man_pages(&data.join("man/man1")) {
        add_item(UninstallKind::ManPage, path);
    }
    for (variable, usual, names) in SHELL_FILES {
        for name in *names {
            let path = town
                .env
                .folder_named_by(variable, usual)
                .join("gastown")
                .join(name);
            add_item(UninstallKind::ShellFile, path);
        }
    }
    let mut with_block: Vec<PathBuf> = shell::list_start_files(&town.env)
        .into_iter()
        .filter(|start_file| start_file.installed)
        .map(|start_file| start_file.file)
        .collect();
    let profile = town.env.make_absolute("~/.profile");
    if shell::has_block(&profile) {
        with_block.push(profile);
    }
    for path in with_block {
        add_item(UninstallKind::ShellBlock, path);
    }
    items
}

/// Returns the man pages of our programs and their commands.
fn list_man_pages(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut pages: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().and_then(OsStr::to_str);
            let Some(page) = name.and_then(|name| name.strip_suffix(".1")) else {
                return false;
            };
            let program = page.split('-').next().unwrap_or("");
            PROGRAM_NAMES.contains(&program)
                && std::fs::read_to_string(path)
                    .is_ok_and(|text| text.lines().any(|line| line == MAN_PAGE_MARK))
        })
        .collect();
    pages.sort();
    pages
}

/// Removes an item. A changed start file of a shell is kept as `NAME.gastown-backup`.
pub fn remove_item(item: &UninstallItem) -> anyhow::Result<()> {
    match item.kind {
        UninstallKind::ShellFile => {
            file::remove_file(&item.path)?;
            // A folder with other files in it stays.
            item.path.parent().map(std::fs::remove_dir);
        }
        UninstallKind::ShellBlock => {
            let mut backup = item.path.clone().into_os_string();
            backup.push(".gastown-backup");
            std::fs::copy(&item.path, backup)?;
            shell::remove_block(&item.path)?;
        }
        _ => file::remove_file(&item.path)?,
    }
    Ok(())
}

/// Returns the rigs, which stay, with their unfinished work.
pub fn list_staying_rigs(town: &Town) -> anyhow::Result<Vec<StayingRig>> {
    town.list_rigs()?
        .into_iter()
        .map(|rig| {
            Ok(StayingRig {
                unfinished: find_unfinished(town, rig.name())?,
                name: rig.name().to_owned(),
            })
        })
        .collect()
}
