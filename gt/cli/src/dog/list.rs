//! `gt dog list`.

use kit::ui::escape;
use serde::Serialize;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::dog;
use gt::flow::townwide::dog::health::{self, DogCondition};
use gt::host::LiveTown;
use gt::record::dog::{Dog, list_damaged_dogs};

/// List the dogs
///
/// With `--json` a list of {name, state: idle|working, work?, work_started_at?, last_active,
/// worktrees, created_at, updated_at, condition?: zombie|hung|orphan}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

/// A dog with its problem.
#[derive(Debug, Serialize)]
pub(super) struct DogRow {
    #[serde(flatten)]
    pub dog: Dog,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<DogCondition>,
}

/// Reads all dogs with their problems.
pub(super) fn read_rows(town: &LiveTown) -> anyhow::Result<Vec<DogRow>> {
    let dogs = dog::list_dogs(town)?;
    let ill = health::check_dogs(town, health::HUNG, false)?;
    Ok(dogs
        .into_iter()
        .map(|dog| {
            let problem = ill.iter().find(|problem| problem.dog == dog.name);
            DogRow {
                condition: problem.map(|problem| problem.condition),
                dog,
            }
        })
        .collect())
}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    for damaged in list_damaged_dogs(&town.layout) {
        ctx.ui.warn(&escape::escape_line(&damaged));
    }
    build_report(read_rows(&town)?, |dogs, page| {
        for DogRow { dog, condition } in dogs {
            let work = escape::escape_line(&dog.work);
            let line = format!("{:<10} {:<8} {work}", dog.name, dog.state.name());
            page.line(line.trim_end());
            if let Some(condition) = condition {
                page.line(format!("  ! {}", condition.describe()));
                page.line("  → gt dog health-check --auto-clear");
            }
        }
        if dogs.is_empty() {
            page.line("no dogs: gt dog add");
        }
    })
}
