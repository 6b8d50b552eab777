//! `gt followup`.

use serde::Serialize;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::work::followup::{self, FollowupReport, FollowupRequest};
use gt::flow::work::sling::{self, SlingReport};

/// Make a bead that continues earlier work
///
/// The new bead is linked to the finished one. Its worker's context has the earlier task, its
/// molecule and steps, the path of its specification, the commits with their files, and earlier
/// follow-ups in order. `gt brief BEAD` shows that context.
///
/// If the earlier work is in the merge queue, the branch of the new bead starts at its last commit
/// and is merged after it; with `--wait` the new bead is not begun before the merge. If the earlier
/// work is not handed in, the new bead waits for it.
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
    /// Wait until the earlier work is merged
    #[arg(long)]
    wait: bool,
    /// Sling it at once, to TARGET or an idle worker of its rig
    #[arg(long, value_name = "TARGET", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    sling: Option<String>,
}

#[derive(Serialize)]
struct FollowUpReport {
    #[serde(flatten)]
    made: FollowupReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    slung: Option<SlingReport>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let made = followup::create_followup(
        &town,
        &FollowupRequest {
            of: args.of,
            prompt: args.prompt,
            title: args.title,
            priority: args.priority,
            wait: args.wait,
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
            let slung = sling::sling_bead(&town, &request)
                .map_err(|error| error.context(format!("{} is made, but not slung", made.bead)))?;
            gt::host::daemon::wake_daemon(&town);
            Some(slung)
        }
    };
    build_report(FollowUpReport { made, slung }, |report, page| {
        let made = &report.made;
        let title = kit::ui::escape::escape_line(&made.title);
        page.line(format!(
            "✓ {} follows up {}  {title}",
            made.bead, made.original
        ));
        if let Some(convoy) = &made.convoy {
            page.line(format!("  added to {convoy}, whose branch has the work"));
        }
        if !made.waits_for.is_empty() {
            page.line(format!("  waits for {}", made.waits_for.join(", ")));
        } else if let Some(on) = &made.stands_on {
            page.line(format!(
                "  starts at the last commit of {}, which is not merged yet ({})",
                on.bead, on.request
            ));
        }
        match (&report.slung, &made.rig) {
            (Some(slung), _) if !slung.waits_for.is_empty() => {
                page.line(format!("  queued for {}", slung.target));
            }
            (Some(slung), _) => page.line(format!("  slung to {}", slung.target)),
            (None, Some(rig)) => page.line(format!("  next: gt sling {} {rig}", made.bead)),
            (None, None) => page.line(format!("  next: gt sling {}", made.bead)),
        }
    })
}
