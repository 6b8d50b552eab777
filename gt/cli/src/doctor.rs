//! `gt doctor`.

use kit::ui::escape;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::repair;
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
    /// First repair what loses nothing: missing files of the town and missing hooks of its agents
    #[arg(long)]
    fix: bool,
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
    if args.fix {
        let report = repair::repair_town(&town);
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
    anyhow::bail!("{errors} of the doctor's findings need mending")
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
