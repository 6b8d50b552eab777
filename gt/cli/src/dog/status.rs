//! `gt dog status`.

use kit::ui::{counted, escape};
use serde::Serialize;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::dog as dogs;
use gt::record::dog::{self, Dog, DogState};

/// Show a dog, or the whole kennel
///
/// With `--json` of a dog as in `gt dog list`; of the kennel {total, idle, working, kennel_dir}.
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
    kennel_dir: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    if let Some(name) = args.name {
        return build_report(dogs::find_dog(&town, &name)?, |dog, page| {
            page.line(format!("{} is {}", dog.address(), dog.state.name()));
            if !dog.work.is_empty() {
                page.line(format!("  at work on {}", escape::escape_line(&dog.work)));
            }
            page.line(format!(
                "  last active {}",
                page.relative_time(&dog.last_active.to_string())
            ));
        });
    }
    let dogs = dogs::list_dogs(&town)?;
    let is_idle = |dog: &&Dog| dog.state == DogState::Idle;
    let idle = dogs.iter().filter(is_idle).count();
    let pack = DogPackReport {
        total: dogs.len(),
        idle,
        working: dogs.len() - idle,
        kennel_dir: dog::kennel_folder(&town.layout).display().to_string(),
    };
    build_report(pack, |pack, page| {
        let (idle, working) = (pack.idle, pack.working);
        page.line(format!(
            "{}: {idle} idle, {working} at work",
            counted(pack.total, "dog")
        ));
        page.line(format!("  {}", pack.kennel_dir));
    })
}
