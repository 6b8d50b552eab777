//! `gt rig desk`.

use std::path::PathBuf;

use kit::ui::{Page, counted, escape};

use super::super::{CommandResult, build_report_with_exit};
use super::resolve_rig;
use crate::context::Context;
use gt::flow::place::desk::{self, DeskChange, DeskTrial};
use gt::host::daemon;
use gt::record::desk::{DeskFailure, DeskProgress};
use gt::view::desk::{DeskRow, RigDesk};

/// Show and set what a work tree needs before an agent starts
///
/// Without options it shows the desk of the rig. Carried files, setup and check apply to new and
/// used sandboxes, to crew and to the trees of the merge queue. If the setup or the check fails, no
/// agent of the rig starts until the desk is changed or --try passes, which exits with 1 if they
/// fail. With `--json` {rig, carry[], carry_folder, setup?, setup_files[], check?, teardown?,
/// setup_hooks?, failure?, desks[], trial?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rig (default: the one around the working directory)
    rig: Option<String>,
    /// Carry a file that git does not have, such as .env, to each work tree
    #[arg(long, value_name = "FILE")]
    carry: Vec<PathBuf>,
    /// Carry a file no longer, by its path in the work tree
    #[arg(long, value_name = "FILE")]
    drop: Vec<String>,
    /// The command that installs what the work needs
    #[arg(long, value_name = "COMMAND")]
    setup: Option<String>,
    /// A file whose content decides if the setup runs again (default: the usual lock files)
    #[arg(long, value_name = "FILE")]
    setup_file: Vec<String>,
    /// The command that must succeed before an agent starts
    #[arg(long, value_name = "COMMAND")]
    check: Option<String>,
    /// The command that runs before a work tree is removed
    #[arg(long, value_name = "COMMAND")]
    teardown: Option<String>,
    /// Remove a setting
    #[arg(long, value_name = "SETTING", value_parser = ["setup", "setup-files", "check", "teardown"])]
    unset: Vec<String>,
    /// Run setup and check in a scratch tree, and end a failure if both pass
    #[arg(long = "try")]
    trial: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let rig = resolve_rig(ctx, &town, args.rig.as_deref())?;
    let change = DeskChange {
        carry: args
            .carry
            .iter()
            .map(|path| ctx.env.cwd().join(path))
            .collect(),
        drop: args.drop,
        setup: args.setup,
        setup_files: args.setup_file,
        check: args.check,
        teardown: args.teardown,
        unset: args.unset,
    };
    if !change.is_empty() {
        desk::change_desk(&rig, &change)?;
    }
    let trial = args.trial.then(|| desk::try_desk(&rig)).transpose()?;
    if trial.is_some() || !change.is_empty() {
        // Workers may wait for this.
        daemon::wake_daemon(&town);
    }
    let exit = u8::from(trial.as_ref().is_some_and(|trial| !trial.passed));
    let mut shown = RigDesk::read(&rig)?;
    shown.trial = trial;
    build_report_with_exit(exit, shown, write_desk)
}

fn write_desk(desk: &RigDesk, page: &mut Page) {
    page.line(format!("Desk of {}", desk.rig));
    let carried: Vec<String> = desk
        .carry
        .iter()
        .map(|name| escape::escape_line(name))
        .collect();
    page.line(format!("  carries   {}", list_or_dash(&carried)));
    let files: Vec<String> = desk
        .setup_files
        .iter()
        .map(|name| escape::escape_line(name))
        .collect();
    let files = match files.as_slice() {
        [] => "again after each change of the usual lock files".to_owned(),
        files => format!("again after each change of {}", files.join(", ")),
    };
    for (name, line) in [
        ("setup", &desk.setup),
        ("check", &desk.check),
        ("teardown", &desk.teardown),
    ] {
        let line = line.as_deref().map(escape::escape_line);
        page.line(format!("  {name:<9} {}", line.as_deref().unwrap_or("-")));
        if name == "setup" && line.is_some() {
            page.line(format!("            {files}"));
        }
    }
    for hook in &desk.setup_hooks {
        page.line(format!(
            "  ! {} is not run; to make it the setup:",
            escape::escape_line(&hook.path.to_string_lossy())
        ));
        page.line(format!("    → {}", hook.next));
    }
    for row in &desk.desks {
        write_row(row, page);
    }
    if let Some(trial) = &desk.trial {
        write_trial(trial, page);
    } else if let Some(failure) = &desk.failure {
        write_failure(failure, page);
        page.line("No agent of the rig starts. Next step:");
        for next in failure.next_steps(&desk.rig) {
            page.line(format!("  {next}"));
        }
    }
}

fn list_or_dash(words: &[String]) -> String {
    if words.is_empty() {
        return "-".to_owned();
    }
    words.join(", ")
}

fn write_row(row: &DeskRow, page: &mut Page) {
    let number = match (row.slot, row.port, row.port_end, &row.name) {
        (Some(slot), Some(port), Some(end), Some(name)) => {
            format!("number {slot}, ports {port} to {end}, {name}")
        }
        _ => "no number".to_owned(),
    };
    page.line(format!("  {:<20} {number}", row.worker));
    match &row.progress {
        Some(DeskProgress::Running { step, since, .. }) => {
            page.line(format!(
                "    its {step} runs, begun {}",
                page.relative_time(&since.to_string())
            ));
        }
        Some(DeskProgress::Failed { step, end, log }) => {
            page.line(format!("    its {step} failed ({end})"));
            page.line(format!("    log {}", log.display()));
        }
        None => {}
    }
}

fn write_trial(trial: &DeskTrial, page: &mut Page) {
    match &trial.failure {
        None => {
            page.line(format!("✓ Setup and check pass at {:.12}.", trial.commit));
            if trial.resumed {
                page.line("  The agents of the rig start again.");
            }
        }
        Some(failure) => write_failure(failure, page),
    }
}

fn write_failure(failure: &DeskFailure, page: &mut Page) {
    page.line(format!("✗ {}", failure.describe()));
    let lines: Vec<&str> = failure.tail.lines().collect();
    for line in &lines {
        page.line(format!("  | {}", escape::escape_line(line)));
    }
    page.line(format!(
        "  {} of the log {}",
        counted(lines.len(), "line"),
        failure.log.display()
    ));
}
