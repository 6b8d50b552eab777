//! Writes `completions/` and `man/` from the command lines, `docs/FORMULAS.md` from the formulas,
//! and `docs/GT-COMPATIBILITY.md` from the vocabulary of `gt`; with `--check` only says what is not
//! fresh.
//!
//! The same commands give the same files: no date, no version, so that only a change of a command
//! or of its words changes a page.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bd::formula::{Formula, FormulaStep};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use gt::flow::agent::uninstall::MAN_PAGE_MARK;
use kit::cli::completion::{SHELLS, build_script};
use kit::sys::env;
use town_tests::programs;

fn main() -> ExitCode {
    let check = env::process_args().iter().any(|arg| arg == "--check");
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
        for shell in SHELLS {
            let path = PathBuf::from(format!("completions/{name}.{shell}"));
            files.insert(path, build_script(name, shell).into_bytes());
        }
        let mut command = command.disable_help_subcommand(true);
        command.build();
        let families = shown(&command).filter(|sub| is_family(sub));
        for family in families {
            let page = format!("{name}-{}", family.get_name());
            files.insert(path_of(&page), family_page(name, &page, family)?);
        }
        files.insert(path_of(name), program_page(name, &command)?);
    }
    let guide = std::fs::read_to_string(root().join("formulas/README.md"))?;
    let page = format!("{}{}", guide.trim_end(), built_in_formulas());
    files.insert(PathBuf::from("docs/FORMULAS.md"), page.into_bytes());
    let page = gt_cli::vocabulary::build_page();
    files.insert(PathBuf::from("docs/GT-COMPATIBILITY.md"), page.into_bytes());
    Ok(files)
}

/// An entry for each built-in formula.
fn built_in_formulas() -> String {
    let shelf = bd::formula::FormulaSearchPath {
        has_built_in: true,
        ..bd::formula::FormulaSearchPath::default()
    };
    let mut page = String::from("\n\n## Built-in formulas\n");
    for found in shelf.load_all() {
        if let Ok(loaded) = found.loaded {
            page.push_str(&formula_entry(&loaded.formula));
        }
    }
    page
}

/// One formula: what it is for, its variables, its steps.
fn formula_entry(formula: &Formula) -> String {
    let mut entry = format!(
        "\n### {} {}\n\n{}\n",
        formula.name,
        formula.version_text(),
        formula.description.trim()
    );
    let mut facts = vec![format!("Type: {}.", formula.kind.as_str())];
    if !formula.extends.is_empty() {
        facts.push(format!("Extends {}.", formula.extends.join(", ")));
    }
    if formula.phase == "vapor" {
        facts.push("Made as a wisp.".to_owned());
    }
    entry.push_str(&format!("\n{}\n", facts.join(" ")));
    let vars = formula.vars.iter().map(|(name, var)| {
        let note = match &var.default {
            Some(default) if !default.is_empty() => format!(" (default `{default}`)"),
            None if var.required => " (required)".to_owned(),
            _ => String::new(),
        };
        format!("| `{name}` | {}{note} |\n", var.description)
    });
    let inputs = formula.inputs.iter().map(|(name, input)| {
        let note = if input.required { " (required)" } else { "" };
        format!("| `{name}` | {}{note} |\n", input.description)
    });
    let vars: String = vars.chain(inputs).collect();
    if !vars.is_empty() {
        entry.push_str(&format!("\n| Variable | Meaning |\n| --- | --- |\n{vars}"));
    }
    let mut steps: Vec<String> = Vec::new();
    let template = if formula.template.is_empty() {
        &formula.steps
    } else {
        &formula.template
    };
    list_steps(template, 0, &mut steps);
    steps.extend(formula.legs.iter().map(|leg| {
        let needs = after(&leg.needs);
        format!("- {} `{}`{needs}\n", leg.title, leg.id)
    }));
    steps.extend(
        formula
            .synthesis
            .iter()
            .map(|step| format!("- then: {}\n", step.title)),
    );
    if !steps.is_empty() {
        entry.push_str(&format!("\n{}", steps.concat()));
    }
    entry
}

fn after(needs: &[String]) -> String {
    match needs {
        [] => String::new(),
        needs => format!(", after `{}`", needs.join("`, `")),
    }
}

fn list_steps(steps: &[FormulaStep], depth: usize, lines: &mut Vec<String>) {
    for step in steps {
        let needs: Vec<String> = step.before().map(str::to_owned).collect();
        let title = if step.title.is_empty() {
            "repeated"
        } else {
            &step.title
        };
        let indent = "  ".repeat(depth);
        lines.push(format!(
            "{indent}- {title} `{}`{}\n",
            step.id,
            after(&needs)
        ));
        list_steps(&step.children, depth + 1, lines);
        if let Some(repeat) = &step.repeat {
            list_steps(&repeat.body, depth + 1, lines);
        }
    }
}

fn path_of(page: &str) -> PathBuf {
    PathBuf::from(format!("man/{page}.1"))
}

/// The subcommands that are not hidden.
fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|sub| !sub.is_hide_set())
}

/// Whether a command has a page of its own: one with subcommands.
fn is_family(command: &Command) -> bool {
    shown(command).next().is_some()
}

/// The page of a program: its options, each command without subcommands, and the names of the other
/// pages.
fn program_page(name: &str, command: &Command) -> io::Result<Vec<u8>> {
    let mut page = start(name, command)?;
    if shown(command).any(|sub| !is_family(sub)) {
        writeln!(page, ".SH COMMANDS")?;
    }
    for leaf in shown(command).filter(|sub| !is_family(sub)) {
        section(&format!("{name} {}", leaf.get_name()), leaf, &mut page)?;
    }
    let families: Vec<&Command> = shown(command).filter(|sub| is_family(sub)).collect();
    if !families.is_empty() {
        writeln!(page, ".SH \"COMMANDS WITH SUBCOMMANDS\"")?;
    }
    for family in families {
        let about = family.get_about().map(ToString::to_string);
        let roff = Roff::new()
            .control("TP", [])
            .text([bold(format!("{name}-{}", family.get_name())), roman("(1)")])
            .text([roman(about.unwrap_or_default())])
            .render();
        page.extend(without_preamble(&roff).into_bytes());
    }
    Ok(page)
}

/// The page of a command with subcommands: each of them is a section.
fn family_page(program: &str, name: &str, command: &Command) -> io::Result<Vec<u8>> {
    let mut page = start(name, &without_global_flags(command))?;
    writeln!(page, ".SH SUBCOMMANDS")?;
    sections(&name.replacen('-', " ", 1), command, &mut page)?;
    writeln!(page, ".SH \"SEE ALSO\"\n\\fB{program}\\fR(1)")?;
    Ok(page)
}

/// The sections of all subcommands of a command, theirs included.
fn sections(name: &str, command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    for sub in shown(command) {
        let name = format!("{name} {}", sub.get_name());
        section(&name, sub, page)?;
        sections(&name, sub, page)?;
    }
    Ok(())
}

/// The title, name, synopsis, description and options of a page.
fn start(name: &str, command: &Command) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone().display_name(name.to_owned())).title(name.to_uppercase());
    let mut first = format!("{MAN_PAGE_MARK}\n").into_bytes();
    man.render_title(&mut first)?;
    let mut rest = Vec::new();
    man.render_name_section(&mut rest)?;
    man.render_synopsis_section(&mut rest)?;
    man.render_description_section(&mut rest)?;
    if command.get_arguments().any(|arg| !arg.is_hide_set()) {
        man.render_options_section(&mut rest)?;
    }
    first.extend(without_preamble(&String::from_utf8_lossy(&rest)).into_bytes());
    Ok(first)
}

/// The synopsis, description and options of a command below a heading, without the flags of every
/// command.
fn section(name: &str, command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let command = without_global_flags(command);
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if command.get_arguments().any(|arg| !arg.is_hide_set()) {
        man.render_options_section(&mut text)?;
    }
    writeln!(page, ".SS \"{name}\"")?;
    for line in without_preamble(&String::from_utf8_lossy(&text)).lines() {
        // The heading of the section stands for those of its parts.
        let is_heading = line.starts_with(".SH");
        writeln!(page, "{}", if is_heading { ".PP" } else { line })?;
    }
    Ok(())
}

/// The command with the flags hidden that the program's page lists.
fn without_global_flags(command: &Command) -> Command {
    command.clone().mut_args(|arg| {
        let is_everywhere =
            arg.is_global_set() || ["help", "version"].contains(&arg.get_id().as_str());
        if is_everywhere { arg.hide(true) } else { arg }
    })
}

/// Roff without the definition of the apostrophe, which belongs to the start of a page.
fn without_preamble(roff: &str) -> String {
    let lines = roff.lines().filter(|line| !line.contains(".ds Aq "));
    lines.map(|line| format!("{line}\n")).collect()
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
    fn completions_and_man_pages_are_up_to_date() {
        let stale = stale(&root()).unwrap();
        assert!(stale.is_empty(), "{stale:#?}\nmend them with: {MEND}");
    }

    #[test]
    fn every_visible_command_has_a_description() {
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
    fn changed_missing_and_leftover_files_are_reported_and_fixed() {
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
