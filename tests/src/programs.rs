//! The command lines of the programs.

use clap::Command;

/// The programs, by name.
pub fn programs() -> [(&'static str, Command); 4] {
    [
        ("bd", bd::cli::command()),
        ("gt", gt::cli::command()),
        ("gtd", gtd::command()),
        ("gt-keeper", gt_keeper::command()),
    ]
}
