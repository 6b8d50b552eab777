//! `gt followup`.

use serde::Serialize;

use super::{Answer, answer};
use crate::cli::context::Context;
use crate::flow::followup::{self, FollowupRequest, Made};
use crate::flow::sling::{self, Slung};

/// Make a bead that continues finished work
///
/// The new bead is linked to the finished one. Its worker's context has the earlier task, its molecule and steps, the
/// path of its specification, the commits with their files, and earlier follow-ups in order. `gt brief BEAD` shows
/// that context.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The finished bead, or the polecat that finished it
    #[arg(value_name = "BEAD|POLECAT")]
    of: String,
    /// The new request
    prompt: String,
    /// The title (default: the first line of the prompt)
    #[arg(long, default_value = "", hide_default_value = true)]
    title: String,
    /// The priority, 0 to 4 (default: that of the finished bead)
    #[arg(short, long, value_parser = clap::value_parser!(i64).range(0..=4))]
    priority: Option<i64>,
    /// Sling it at once, to TARGET or an idle worker of its rig
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
        &FollowupRequest {
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
            let request = sling::SlingRequest {
                bead: made.bead.clone(),
                target: if target.is_empty() { rig } else { target },
                ..sling::SlingRequest::default()
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
