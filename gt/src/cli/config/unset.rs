//! `gt config unset`.

use super::super::{Answer, answer};
use super::Whose;
use crate::cli::context::Context;
use crate::town::config::{self, Layer};

/// Remove a setting from a file, so that the layers below it count again.
///
/// With `--json` {key, file}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The setting.
    key: String,
    #[command(flatten)]
    whose: Whose,
    /// From this machine's local layer; a block on it goes, too.
    #[arg(long, conflicts_with = "town")]
    local: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    let town = ctx.town()?;
    let rig = args.whose.rig(ctx, &town)?;
    let layer = if args.local {
        Layer::Local
    } else {
        Layer::Settings
    };
    let file = config::change(&town, rig.as_ref(), layer, &args.key, None)?;
    let key = args.key.clone();
    let data = serde_json::json!({ "key": key, "file": file });
    answer(data, move |_, page| {
        page.line(format!("{key} is no longer set in {}", file.display()));
    })
}
