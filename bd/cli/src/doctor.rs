use std::path::PathBuf;

use anyhow::Context as _;
use serde::Serialize;

use super::reassign::ask_yes;
use crate::context::Context;
use bd::doctor::{self, CheckLevel, DoctorCheck};
use bd::store::find;
use kit::cli::report::{CommandResult, build_report_with_exit};
use kit::ui::{Page, escape};

/// Check the beads of a project and name the fixes
///
/// The exit code is 1 if something is wrong. --fix repairs what can be repaired without loss: it
/// restores damaged lines from git, sorts the file, rebuilds the index, removes unfinished files of
/// killed commands, and sets up merging.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The project (default: that of the working directory)
    #[arg(value_name = "DIR")]
    path: Option<PathBuf>,
    /// Repair what can be repaired
    #[arg(long)]
    fix: bool,
    /// With --fix, only print what needs repair
    #[arg(long)]
    dry_run: bool,
    /// With --fix, ask before the repair
    #[arg(short, long)]
    interactive: bool,
    #[arg(short, long, hide = true)]
    yes: bool,
    /// Run a single check: its name, or `validate` for all of the data, or `pollution` for beads
    /// of tests
    #[arg(long, value_name = "CHECK")]
    check: Option<String>,
    /// Leave out checks without a problem
    #[arg(long)]
    check_health: bool,
    /// Write the report to a file, as JSON
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    older: OlderArgs,
}

/// Flags of a bd with a database: each of its checks is either always made here or has no object.
#[derive(Debug, Default, clap::Args)]
struct OlderArgs {
    #[arg(long, hide = true)]
    deep: bool,
    #[arg(long, hide = true)]
    force: bool,
    #[arg(long, hide = true)]
    fix_child_parent: bool,
    #[arg(long, hide = true)]
    gastown: bool,
    #[arg(long, hide = true, value_name = "N")]
    gastown_duplicates_threshold: Option<usize>,
    #[arg(long, hide = true, value_name = "WHEN")]
    migration: Option<String>,
    #[arg(long, hide = true)]
    perf: bool,
    #[arg(long, hide = true)]
    server: bool,
    #[arg(long, hide = true, value_name = "SOURCE")]
    source: Option<String>,
}

impl Args {
    /// The arguments to check the project of the working directory.
    pub(super) fn for_current_project(fix: bool) -> Self {
        Self {
            path: None,
            fix,
            ..Self::default()
        }
    }
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = match &args.path {
        Some(path) => {
            let dir = ctx
                .env
                .make_absolute(&path.to_string_lossy())
                .join(".beads");
            ctx.open(&find::follow_redirect(&dir, &mut Vec::new()))?
        }
        None => ctx.store()?,
    };
    let mended = if args.fix
        && !args.dry_run
        && (!args.interactive || ask_yes(ctx, "Repair what can be repaired without loss?")?)
    {
        ctx.check_writable("doctor --fix")?;
        doctor::repair_store(&store, &ctx.author(), &ctx.clock)?
    } else {
        Vec::new()
    };
    let mut checks = doctor::examine_store(&store, &ctx.clock)?;
    if let Some(name) = &args.check {
        checks.extend(doctor::examine_more(&store, name)?);
        let names: Vec<String> = checks
            .iter()
            .map(|check| check.name.to_lowercase())
            .collect();
        if name != "validate" {
            checks.retain(|check| check.name.eq_ignore_ascii_case(name));
        }
        if checks.is_empty() {
            kit::bail_usage!(
                "unknown check {name:?}: use validate, pollution, {}",
                names.join(", ")
            );
        }
    }
    if args.check_health {
        checks.retain(|check| check.level != CheckLevel::Ok);
    }
    let has_errors = checks.iter().any(|check| check.level == CheckLevel::Error);
    let report = DoctorReport {
        path: store.dir().display().to_string(),
        checks,
        mended,
        overall_ok: !has_errors,
        cli_version: env!("CARGO_PKG_VERSION"),
    };
    if let Some(path) = &args.output {
        let path = ctx.env.make_absolute(&path.to_string_lossy());
        std::fs::write(&path, kit::json::to_pretty_json(&report))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    build_report_with_exit(u8::from(has_errors), report, |report, page| {
        write_checks(&report.mended, &report.checks, page);
    })
}

#[derive(Serialize)]
struct DoctorReport {
    path: String,
    checks: Vec<DoctorCheck>,
    mended: Vec<String>,
    overall_ok: bool,
    cli_version: &'static str,
}

fn write_checks(repaired: &[String], checks: &[DoctorCheck], page: &mut Page) {
    for line in repaired {
        page.line(format!("✓ {}", escape::escape_line(line)));
    }
    for check in checks {
        let style = page.style().clone();
        let mark = match check.level {
            CheckLevel::Ok => style.green("✓"),
            CheckLevel::Warning => style.yellow("⚠"),
            CheckLevel::Error => style.red("✗"),
        };
        page.line(format!(
            "{mark} {}: {}",
            check.name,
            escape::escape_line(&check.message)
        ));
        for line in check.detail.iter().take(20) {
            page.cut_line(format!("    {}", escape::escape_line(line)));
        }
        if check.detail.len() > 20 {
            page.line(format!("    and {} more", check.detail.len() - 20));
        }
        if let Some(fix) = &check.fix {
            page.line(format!("    Fix: {}", escape::escape_line(fix)));
        }
    }
}
