//! `gt dog call`.

use serde_json::json;

use super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::townwide::dog;
use gt::record;

/// Start the sessions of dogs
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dog
    name: Option<String>,
    /// Start all of them
    #[arg(long, conflicts_with = "name")]
    all: bool,
    /// Use this agent runtime instead of the configured one
    #[arg(long)]
    agent: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let names = if args.all {
        record::dog::list_dogs(&town.layout)
            .into_iter()
            .map(|dog| dog.name)
            .collect()
    } else {
        vec![super::resolve_dog_name(&town, args.name)?]
    };
    let mut called = Vec::new();
    for name in names {
        let live = dog::start_dog_session(&town, &name, args.agent.as_deref())?;
        called.push(json!({ "dog": name, "session": live.name }));
    }
    build_report(called, |called, page| {
        for called_dog in called {
            page.line(format!(
                "● {} runs in session {}",
                called_dog["dog"].as_str().unwrap_or(""),
                called_dog["session"].as_str().unwrap_or("")
            ));
        }
        if called.is_empty() {
            page.line("no dogs: gt dog add");
        }
    })
}
