//! `gt doctor`.

use anyhow::Context as _;
use kit::sys::file;
use kit::ui::{counted, escape};

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::place::repair;
use gt::host::LiveTown;
use gt::view::bundle;
use gt::view::doctor::{self, Finding, FindingLevel};

/// Check the town and name the fix for each finding
///
/// Changes nothing unless --fix is given. The exit code is 1 if something does not work. With
/// `--json` an array of {check, level, text, hint?}; level is ok, note, warning or error.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run only these checks
    checks: Vec<String>,
    /// Also show checks that pass
    #[arg(short, long)]
    verbose: bool,
    /// First repair what loses nothing: missing files, hooks and routes, git's settings of rigs,
    /// and the paths of a town that was moved
    #[arg(long)]
    fix: bool,
    /// Accepted for scripts: every rig is checked
    #[arg(long, hide = true, value_name = "RIG")]
    rig: Option<String>,
    /// Write what a bug report needs to a file, with secrets masked
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "gt-report.md",
        require_equals = true,
        conflicts_with_all = ["checks", "fix"]
    )]
    bundle: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    for wanted in &args.checks {
        let known: Vec<&str> = doctor::check_names().collect();
        anyhow::ensure!(
            known.contains(&wanted.as_str()),
            "there is no check `{wanted}`; known: {}",
            known.join(", ")
        );
    }
    let town = ctx.open_town()?;
    if let Some(path) = &args.bundle {
        return write_bundle(ctx, &town, path);
    }
    if args.fix {
        let report = repair::repair_town(&town, None);
        for repair in &report.repaired {
            ctx.ui.status(&format!("✓ {}", escape::escape_line(repair)));
        }
        for failure in &report.failed {
            ctx.ui.warn(failure);
        }
    }
    let findings = doctor::run_checks(&town, &args.checks);
    let errors = findings
        .iter()
        .filter(|finding| finding.level == FindingLevel::Error)
        .count();
    let verbose = args.verbose;
    let shown = build_report(findings, move |findings, page| {
        write_findings(findings, verbose, page);
    });
    if errors == 0 {
        return shown;
    }
    ctx.ui.show(shown?.as_ref());
    anyhow::bail!("gt doctor found {}", counted(errors, "problem"))
}

/// Writes the report for a bug. Keeps an existing file.
fn write_bundle(ctx: &Context, town: &LiveTown, path: &str) -> CommandResult {
    let path = ctx.env.make_absolute(path);
    let text = bundle::build_bundle(town, env!("CARGO_PKG_VERSION"));
    let is_new = file::create_file(&path, text.as_bytes(), 0o600)
        .with_context(|| format!("cannot write {}", path.display()))?;
    anyhow::ensure!(
        is_new,
        "{} is there already: remove it, or choose another file with --bundle=FILE",
        path.display()
    );
    build_report(path, |path, page| {
        page.line(format!("✓ wrote {}", path.display()));
        page.line("  It has settings, findings, the status, events and the daemon's log.");
        page.line("  Texts of beads and mail are left out. Read it before you send it.");
    })
}

fn write_findings(findings: &[Finding], verbose: bool, page: &mut kit::ui::Page) {
    for finding in findings {
        if finding.level == FindingLevel::Ok && !verbose {
            continue;
        }
        let style = page.style();
        let mark = match finding.level {
            FindingLevel::Ok => style.green("✓"),
            FindingLevel::Note => style.dim("·"),
            FindingLevel::Warning => style.yellow("!"),
            FindingLevel::Error => style.red("✗"),
        };
        let text = escape::escape_line(&finding.text);
        page.line(format!("{mark} {}: {text}", finding.check));
        if let Some(hint) = &finding.hint {
            page.line(format!("    {hint}"));
        }
    }
    let wrong = findings
        .iter()
        .filter(|finding| finding.level >= FindingLevel::Warning)
        .count();
    if wrong == 0 {
        let well = findings
            .iter()
            .filter(|finding| finding.level == FindingLevel::Ok)
            .count();
        page.line(format!(
            "{} {well} checks are well",
            page.style().green("✓")
        ));
    }
}
