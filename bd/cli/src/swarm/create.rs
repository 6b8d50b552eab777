use super::validate::SwarmValidateReport;
use crate::args::resolve_assignee;
use crate::context::Context;
use bd::change;
use bd::graph::swarm::{self, SwarmAnalysis};
use kit::cli::report::{CommandResult, build_confirmation, build_report_with_exit};
use kit::ui::escape;

/// Create a swarm for an epic
///
/// If the bead is not an epic, creates an epic around it. As JSON: `{swarm_id, epic_id,
/// coordinator, analysis}`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The epic
    #[arg(value_name = "ID")]
    id: String,
    /// The agent that coordinates the swarm
    #[arg(long, value_name = "NAME", default_value = "")]
    coordinator: String,
    /// Create the swarm even if the epic has one or has problems
    #[arg(long)]
    force: bool,
}

/// The result of creating a swarm.
enum SwarmCreation {
    New {
        swarm: String,
        epic: String,
        analysis: Box<SwarmValidateReport>,
    },
    Exists {
        id: String,
        title: String,
    },
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("swarm create")?;
    let coordinator = resolve_assignee(ctx, Some(&args.coordinator)).unwrap_or_default();
    let store = ctx.store_for_id(&args.id)?;
    let made = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let id = tx.resolve(&args.id)?.id.clone();
        let epic = change::epic_for_swarm(tx, &id)?;
        if !args.force
            && let Some(old) = swarm::swarm_of_epic(tx, &epic.id)
        {
            return Ok(SwarmCreation::Exists {
                id: old.id.clone(),
                title: old.title.clone(),
            });
        }
        let analysis = Box::new(SwarmValidateReport::from_analysis(
            &SwarmAnalysis::for_epic(tx, &epic),
            false,
        ));
        if !args.force
            && let Some(error) = analysis.errors.first()
        {
            kit::bail_usage!("a swarm cannot do {}: {error}", epic.id);
        }
        let swarm = change::create_swarm(tx, &epic, &coordinator)?;
        Ok(SwarmCreation::New {
            swarm: swarm.id,
            epic: epic.id,
            analysis,
        })
    })?;
    match made {
        SwarmCreation::Exists { id, title } => {
            let report = kit::report_value! {
                error: "swarm already exists", existing_id: id, existing_title: title
            };
            build_report_with_exit(1, report, |report, page| {
                let title = escape::escape_line(&report.existing_title);
                page.line(format!(
                    "✗ {}: {} {title}",
                    report.error, report.existing_id
                ));
                page.line("Make another one: --force");
            })
        }
        SwarmCreation::New {
            swarm,
            epic,
            analysis,
        } => {
            let report = kit::report_value! {
                swarm_id: swarm, epic_id: epic, coordinator, analysis
            };
            build_confirmation(report, |report, page| {
                page.line(format!(
                    "✓ Created swarm {} for epic {}",
                    report.swarm_id, report.epic_id
                ));
            })
        }
    }
}
