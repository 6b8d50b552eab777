//! `gt dog status`.

use kit::ui::{counted, escape};
use serde::Serialize;

use super::list::{DogRow, read_rows};
use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::dog as dogs;
use gt::record::dog::{self, DogState};

/// Show a dog, or the whole kennel
///
/// With `--json` of a dog as in `gt dog list`; of the kennel {total, idle, working, ill?[],
/// kennel_dir}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dog
    name: Option<String>,
}

#[derive(Debug, Serialize)]
struct DogPackReport {
    total: usize,
    idle: usize,
    working: usize,
    /// The dogs with a problem.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ill: Vec<String>,
    kennel_dir: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    if let Some(name) = args.name {
        let row = match read_rows(&town)?
            .into_iter()
            .find(|row| row.dog.name == name)
        {
            Some(row) => row,
            None => DogRow {
                dog: dogs::find_dog(&town, &name)?,
                condition: None,
            },
        };
        return build_report(row, |DogRow { dog, condition }, page| {
            page.line(format!("{} is {}", dog.address(), dog.state.name()));
            if !dog.work.is_empty() {
                page.line(format!("  at work on {}", escape::escape_line(&dog.work)));
            }
            if let Some(condition) = condition {
                page.line(format!("  ! {}", condition.describe()));
                page.line("  → gt dog health-check --auto-clear");
            }
            page.line(format!(
                "  last active {}",
                page.relative_time(&dog.last_active.to_string())
            ));
        });
    }
    let dogs = read_rows(&town)?;
    let idle = dogs
        .iter()
        .filter(|row| row.dog.state == DogState::Idle)
        .count();
    let pack = DogPackReport {
        ill: dogs
            .iter()
            .filter(|row| row.condition.is_some())
            .map(|row| row.dog.name.clone())
            .collect(),
        total: dogs.len(),
        idle,
        working: dogs.len() - idle,
        kennel_dir: dog::kennel_folder(&town.layout).display().to_string(),
    };
    build_report(pack, |pack, page| {
        let idle = pack.idle;
        let working = pack.working;
        page.line(format!(
            "{}: {idle} idle, {working} at work",
            counted(pack.total, "dog")
        ));
        page.line(format!("  {}", pack.kennel_dir));
        for name in &pack.ill {
            page.line(format!("  ! {name} has a problem"));
            page.line(format!("  → gt dog status {name}"));
        }
    })
}
