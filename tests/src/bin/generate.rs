//! Writes `completions/` and `man/` from the command lines; with `--check` only says what is not
//! fresh.
//!
//! The same commands give the same files: no date, no version, so that only a change of a command or of
//! its words changes a page.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bd::sys::env;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use town_tests::programs;

fn main() -> ExitCode {
    let check = env::args().iter().any(|arg| arg == "--check");
    match run(check) {
        Ok(code) => code,
        Err(error) => {
            // Without standard error there is nowhere left to complain.
            writeln!(io::stderr(), "generate: {error}").ok();
            ExitCode::FAILURE
        }
    }
}

fn run(check: bool) -> io::Result<ExitCode> {
    let root = root();
    if !check {
        write(&root)?;
        return Ok(ExitCode::SUCCESS);
    }
    let old = stale(&root)?;
    let mut out = io::stderr();
    for line in &old {
        writeln!(out, "{line}")?;
    }
    if old.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "mend them with: {MEND}")?;
    Ok(ExitCode::FAILURE)
}

/// How to mend files that are not fresh.
const MEND: &str = "cargo run -p town-tests --bin generate";

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every generated file by its path in the repository.
fn files() -> io::Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for (name, command) in programs() {
        for (shell, ending) in [
            (Shell::Bash, "bash"),
            (Shell::Zsh, "zsh"),
            (Shell::Fish, "fish"),
        ] {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut command.clone(), name, &mut text);
            files.insert(PathBuf::from(format!("completions/{name}.{ending}")), text);
        }
        let mut command = command.disable_help_subcommand(true);
        command.build();
        pages(name, &command, &mut files)?;
    }
    Ok(files)
}

/// The page of a command and those of its subcommands, hidden ones left out.
fn pages(name: &str, command: &Command, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    let man = Man::new(command.clone().display_name(name.to_owned())).title(name.to_uppercase());
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if command.get_arguments().any(|arg| !arg.is_hide_set()) {
        man.render_options_section(&mut text)?;
    }
    let shown = || command.get_subcommands().filter(|sub| !sub.is_hide_set());
    if shown().next().is_some() {
        man.render_subcommands_section(&mut text)?;
    }
    files.insert(PathBuf::from(format!("man/{name}.1")), text);
    for sub in shown() {
        pages(&format!("{name}-{}", sub.get_name()), sub, files)?;
    }
    Ok(())
}

/// What in the repository differs from the files as they should be: missing, changed, left over.
fn stale(root: &Path) -> io::Result<Vec<String>> {
    let wanted = files()?;
    let mut stale = Vec::new();
    for (path, text) in &wanted {
        match std::fs::read(root.join(path)) {
            Ok(found) if found == *text => {}
            Ok(_) => stale.push(format!("{} is not fresh", path.display())),
            Err(_) => stale.push(format!("{} is missing", path.display())),
        }
    }
    for path in present(root)? {
        if !wanted.contains_key(&path) {
            stale.push(format!("{} is left over", path.display()));
        }
    }
    Ok(stale)
}

/// Writes what is missing or changed and removes what is left over.
fn write(root: &Path) -> io::Result<()> {
    let wanted = files()?;
    for path in present(root)? {
        if !wanted.contains_key(&path) {
            std::fs::remove_file(root.join(&path))?;
        }
    }
    for (path, text) in wanted {
        let path = root.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

/// The generated files that are there.
fn present(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for (folder, endings) in [
        ("completions", &["bash", "zsh", "fish"][..]),
        ("man", &["1"]),
    ] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
            continue;
        };
        for entry in entries {
            let path = Path::new(folder).join(entry?.file_name());
            let ending = path.extension().and_then(|ending| ending.to_str());
            if ending.is_some_and(|ending| endings.contains(&ending)) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_and_man_pages_are_fresh() {
        let stale = stale(&root()).unwrap();
        assert!(stale.is_empty(), "{stale:#?}\nmend them with: {MEND}");
    }

    #[test]
    fn every_visible_command_says_what_it_does() {
        fn look(path: &str, command: &Command, silent: &mut Vec<String>) {
            for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
                let path = format!("{path} {}", sub.get_name());
                if sub.get_about().is_none() {
                    silent.push(path.clone());
                }
                for arg in sub.get_arguments().filter(|arg| !arg.is_hide_set()) {
                    if arg.get_help().is_none()
                        && arg.get_id() != "help"
                        && arg.get_id() != "version"
                    {
                        silent.push(format!("{path} --{}", arg.get_id()));
                    }
                }
                look(&path, sub, silent);
            }
        }
        let mut silent = Vec::new();
        for (name, command) in programs() {
            look(name, &command, &mut silent);
        }
        assert!(silent.is_empty(), "{silent:#?}");
    }

    #[test]
    fn a_changed_a_missing_and_a_left_over_file_are_told_and_mended() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        assert!(stale(folder.path()).unwrap().is_empty());
        std::fs::write(folder.path().join("man/bd.1"), "old").unwrap();
        std::fs::remove_file(folder.path().join("completions/gt.fish")).unwrap();
        std::fs::write(folder.path().join("man/bd-gone.1"), "old").unwrap();
        let told = stale(folder.path()).unwrap();
        assert_eq!(
            told,
            [
                "completions/gt.fish is missing",
                "man/bd.1 is not fresh",
                "man/bd-gone.1 is left over"
            ]
        );
        write(folder.path()).unwrap();
        assert!(stale(folder.path()).unwrap().is_empty());
    }
}
