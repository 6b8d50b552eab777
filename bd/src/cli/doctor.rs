use std::path::PathBuf;

use serde_json::{Value, json};

use crate::context::Context;
use crate::doctor::{self, Check, Level};
use crate::store::find;
use crate::ui::{Page, Report, escape};

use super::report::Answer;

/// Check the beads of a project and name the fixes
///
/// The exit code is 1 if something is wrong. --fix repairs what can be repaired without loss: it restores
/// damaged lines from git, sorts the file, rebuilds the index, removes unfinished files of killed
/// commands, and sets up merging.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// The project (default: that of the working directory)
    #[arg(value_name = "DIR")]
    path: Option<PathBuf>,
    /// Repair what can be repaired
    #[arg(long)]
    fix: bool,
    #[arg(short, long, hide = true)]
    yes: bool,
}

impl Args {
    /// The project of the working directory.
    pub(super) fn here(fix: bool) -> Self {
        Self {
            path: None,
            fix,
            ..Self::default()
        }
    }
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let store = match &args.path {
        Some(path) => {
            let dir = ctx.env.absolute(&path.to_string_lossy()).join(".beads");
            ctx.open(&find::follow(&dir, &mut Vec::new()))?
        }
        None => ctx.store()?,
    };
    let mended = if args.fix {
        ctx.may_change("doctor --fix")?;
        let mended = doctor::mend(&store, &ctx.author(), &ctx.clock);
        mended?
    } else {
        Vec::new()
    };
    Ok(Box::new(Examined {
        path: store.dir().to_owned(),
        checks: doctor::examine(&store, &ctx.clock)?,
        mended,
    }))
}

/// What was seen.
#[derive(Debug)]
struct Examined {
    path: PathBuf,
    checks: Vec<Check>,
    mended: Vec<String>,
}

impl Examined {
    fn worst(&self) -> Level {
        let levels = self.checks.iter().map(|check| check.level);
        levels.max().unwrap_or(Level::Ok)
    }
}

impl Report for Examined {
    fn json(&self) -> Value {
        let checks: Vec<Value> = self
            .checks
            .iter()
            .map(|check| {
                json!({
                    "name": check.name,
                    "status": check.level.as_str(),
                    "message": check.message,
                    "detail": check.detail.join("\n"),
                    "fix": check.fix,
                })
            })
            .collect();
        json!({
            "path": self.path.display().to_string(),
            "checks": checks,
            "mended": self.mended,
            "overall_ok": self.worst() != Level::Error,
            "cli_version": env!("CARGO_PKG_VERSION"),
        })
    }

    fn human(&self, page: &mut Page) {
        for line in &self.mended {
            page.line(format!("✓ {}", escape::line(line)));
        }
        for check in &self.checks {
            let style = page.style().clone();
            let mark = match check.level {
                Level::Ok => style.green("✓"),
                Level::Warning => style.yellow("⚠"),
                Level::Error => style.red("✗"),
            };
            page.line(format!(
                "{mark} {}: {}",
                check.name,
                escape::line(&check.message)
            ));
            for line in check.detail.iter().take(20) {
                page.cut_line(format!("    {}", escape::line(line)));
            }
            if check.detail.len() > 20 {
                page.line(format!("    and {} more", check.detail.len() - 20));
            }
            if let Some(fix) = &check.fix {
                page.line(format!("    Fix: {}", escape::line(fix)));
            }
        }
    }

    fn exit(&self) -> u8 {
        u8::from(self.worst() == Level::Error)
    }
}
