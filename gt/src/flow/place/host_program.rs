//! Copies `gt` and `bd` to a machine that has none.
//!
//! The machine gets the very programs of the town, into a folder of its user. Their content is compared
//! with a checksum before they get their names, and they must run there.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use kit::sys::{ChildCommand, ChildOutput};
use kit::ui::escape::escape_line;

use crate::host::far::{build_ssh_pipe, compute_digest};

/// The folder of the programs there, for the shell of its user.
const PROGRAM_FOLDER: &str = "~/.local/share/gastown/bin";

/// The exit code of a question whose answer is no, which ssh never has.
const MISSING_EXIT_CODE: i32 = 44;

/// The time for a short command there, and for the copy of one program.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(40);
const COPY_TIMEOUT: Duration = Duration::from_secs(900);

/// Programs that were copied to a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CopiedPrograms {
    /// The path of `gt` there.
    pub program: String,
}

/// Copies the programs of the town to a machine on whose `PATH` there is no `gt`. `None` if it has one,
/// or if it cannot be asked: then the first connection says why.
pub(super) fn copy_missing_programs(
    ssh_host: &str,
    own_program: &Path,
) -> anyhow::Result<Option<CopiedPrograms>> {
    let asked = run_there(
        ssh_host,
        &format!("command -v gt >/dev/null || exit {MISSING_EXIT_CODE}"),
    )?;
    if asked.code() != Some(MISSING_EXIT_CODE) {
        return Ok(None);
    }
    let context = || format!("there is no gt on {ssh_host}, and it cannot be copied there");
    check_machine(ssh_host).with_context(context)?;
    for name in ["gt", "bd"] {
        copy_program(ssh_host, &own_program.with_file_name(name)).with_context(context)?;
    }
    let program = format!("{PROGRAM_FOLDER}/gt");
    let tried = run_there(ssh_host, &format!("{program} version"))?;
    check_success(&tried)
        .context("it does not run there")
        .with_context(context)?;
    Ok(Some(CopiedPrograms { program }))
}

/// Checks that a machine can run the programs of this one.
fn check_machine(ssh_host: &str) -> anyhow::Result<()> {
    let asked = run_there(ssh_host, "uname -sm")?;
    check_success(&asked)?;
    let machine = asked.text();
    let own = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    anyhow::ensure!(
        normalize_machine(&machine) == own,
        "it is {}, and the programs here are for {own}: install gt there",
        escape_line(machine.trim())
    );
    Ok(())
}

/// Returns the answer of `uname -sm` in the words of Rust's targets.
fn normalize_machine(answer: &str) -> String {
    let words = answer.split_whitespace().map(|word| match word {
        "Darwin" => "macos".to_owned(),
        "arm64" => "aarch64".to_owned(),
        "amd64" => "x86_64".to_owned(),
        word => word.to_lowercase(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn copy_program(ssh_host: &str, program: &Path) -> anyhow::Result<()> {
    let content =
        fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    let digest = compute_digest(program)?;
    let name = program.file_name().context("a program has no name")?;
    // The name is one of ours, and the digest has only digits.
    let path = format!("{PROGRAM_FOLDER}/{}", name.to_string_lossy());
    let line = format!(
        "mkdir -p {PROGRAM_FOLDER} && cat > {path}.new && \
         {{ sha256sum {path}.new 2>/dev/null || shasum -a 256 {path}.new; }} | grep -q ^{digest} && \
         chmod 755 {path}.new && mv -f {path}.new {path}"
    );
    let copy = ssh(ssh_host, &line).stdin(content).limit(COPY_TIMEOUT);
    check_success(&copy.run()?)
}

fn run_there(ssh_host: &str, line: &str) -> anyhow::Result<ChildOutput> {
    Ok(ssh(ssh_host, line).limit(COMMAND_TIMEOUT).run()?)
}

/// Returns the command that runs a line in `sh` there, whatever the shell of its user is.
fn ssh(ssh_host: &str, line: &str) -> ChildCommand {
    let words = build_ssh_pipe(ssh_host, &format!("sh -c '{line}'"));
    ChildCommand::new(&words[0]).args(&words[1..])
}

fn check_success(output: &ChildOutput) -> anyhow::Result<()> {
    let code = output.code().unwrap_or(255);
    anyhow::ensure!(
        output.is_success(),
        "ssh ended with exit code {code}: {}",
        escape_line(output.error_text().trim())
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_compared_by_system_and_processor() {
        assert_eq!(normalize_machine("Linux x86_64\n"), "linux x86_64");
        assert_eq!(normalize_machine("Darwin arm64\n"), "macos aarch64");
    }
}
