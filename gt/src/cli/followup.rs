//! `gt followup`.

use serde::Serialize;

use super::{Answer, answer};
use crate::cli::context::Context;
use crate::flow::followup::{self, Made, Request};
use crate::flow::sling::{self, Slung};

/// Ask for more on work that was done: a bead whose worker is told what was done before.
///
/// The new bead is linked to the one it follows. Its worker finds in its context the task then, the molecule and its
/// steps, the specification's path, the commits and the files that they changed, and what was asked for before, in
/// order. `gt brief BEAD` shows it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The bead that was worked on, or the polecat that did it.
    #[arg(value_name = "BEAD|POLECAT")]
    of: String,
    /// What is wanted now.
    prompt: String,
    /// The title, where not the first line of the prompt.
    #[arg(long, default_value = "", hide_default_value = true)]
    title: String,
    /// The priority, 0 to 4, where not that of the original.
    #[arg(short, long, value_parser = clap::value_parser!(i64).range(0..=4))]
    priority: Option<i64>,
    /// Sling it at once: to an idle worker of its rig, or to the target named.
    #[arg(long, value_name = "TARGET", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    sling: Option<String>,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    made: Made,
    #[serde(skip_serializing_if = "Option::is_none")]
    slung: Option<Slung>,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let made = followup::make(
        &town,
        &Request {
            of: args.of,
            prompt: args.prompt,
            title: args.title,
            priority: args.priority,
        },
    )?;
    let slung = match args.sling {
        None => None,
        Some(target) => {
            let rig = made.rig.clone().unwrap_or_default();
            let request = sling::Request {
                bead: made.bead.clone(),
                target: if target.is_empty() { rig } else { target },
                ..sling::Request::default()
            };
            let slung = sling::sling(&town, &request)
                .map_err(|error| error.context(format!("{} is made, but not slung", made.bead)))?;
            crate::host::daemon::wake(&town);
            Some(slung)
        }
    };
    answer(Report { made, slung }, |report, page| {
        let made = &report.made;
        let title = bd::ui::escape::line(&made.title);
        page.line(format!(
            "✓ {} follows up {}  {title}",
            made.bead, made.original
        ));
        match (&report.slung, &made.rig) {
            (Some(slung), _) => page.line(format!("  slung to {}", slung.target)),
            (None, Some(rig)) => page.line(format!("  next: gt sling {} {rig}", made.bead)),
            (None, None) => page.line(format!("  next: gt sling {}", made.bead)),
        }
    })
}
