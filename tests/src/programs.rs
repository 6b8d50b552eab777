//! The command lines of the programs.

use clap::Command;

/// The programs, by name.
pub fn programs() -> [(&'static str, Command); 4] {
    [
        ("bd", bd_cli::build_command_line()),
        ("gt", gt_cli::build_command_line()),
        ("gtd", gtd::build_command_line()),
        ("gt-keeper", gt_keeper::build_command_line()),
    ]
}
