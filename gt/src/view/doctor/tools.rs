//! Checks the programs that a town needs, and their versions.

use kit::sys::{ChildCommand, ExecError};

use super::CheckFindings;
use crate::host::LiveTown;
use crate::town::Town;

/// The first git that lists worktrees with `-z`.
const MIN_GIT: (u32, u32) = (2, 36);

/// The first tmux with options per pane and the required flags.
const MIN_TMUX: (u32, u32) = (3, 2);

pub(super) fn check_tools(town: &LiveTown, page: &mut CheckFindings) {
    check_program(
        town,
        page,
        "git",
        &["--version"],
        MIN_GIT,
        "install git 2.36 or later",
    );
    check_program(
        town,
        page,
        "tmux",
        &["-V"],
        MIN_TMUX,
        "install tmux 3.2 or later; without it no session can start, all else works",
    );
    if let Err(error) = town.host.check() {
        page.error(error.to_string(), "install what hosts the sessions");
    }
    for name in ["gt", "bd"] {
        let found = which::which_in(name, town.env.get("PATH"), town.env.cwd());
        let beside = town.exe.with_file_name(name).is_file();
        if found.is_err() && !beside {
            let hint = "put the folder of gt and bd on PATH: agents' hooks call them";
            page.warn(format!("{name} is not on PATH"), hint);
        }
    }
}

fn check_program(
    town: &Town,
    page: &mut CheckFindings,
    name: &str,
    args: &[&str],
    least: (u32, u32),
    hint: &str,
) {
    let mut exec = ChildCommand::new(name).args(args);
    if let Some(path) = town.env.get("PATH") {
        exec = exec.env("PATH", path);
    }
    match exec.run() {
        Err(ExecError::Missing { .. }) => page.error(format!("{name} is not installed"), hint),
        Err(error) => page.error(error.to_string(), hint),
        Ok(finished) => {
            let output = finished.text();
            match parse_version(&output) {
                Some(found) if found >= least => page.ok(output),
                Some(_) => page.warn(format!("{output} is too old"), hint),
                None => page.warn(
                    format!("{name} says {output:?}, which names no version"),
                    hint,
                ),
            }
        }
    }
}

/// Returns the first `major.minor` in a text, such as `tmux 3.3a` or `git version 2.39.5`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    text.split_whitespace().find_map(|word| {
        let word = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        let mut parts = word.split('.');
        let major = parse_leading_number(parts.next()?)?;
        let minor = parse_leading_number(parts.next()?)?;
        Some((major, minor))
    })
}

fn parse_leading_number(text: &str) -> Option<u32> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed_from_program_output() {
        assert_eq!(parse_version("tmux 3.3a"), Some((3, 3)));
        assert_eq!(
            parse_version("git version 2.39.5 (Apple Git-154)"),
            Some((2, 39))
        );
        assert_eq!(parse_version("tmux next-3.6"), Some((3, 6)));
        assert_eq!(parse_version("tmux master"), None);
    }
}
