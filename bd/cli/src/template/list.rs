use serde_json::{Value, json};

use crate::context::Context;
use bd::molecule::{progress, proto};
use kit::ui::{counted, escape};

use super::super::report::plain_json;
use kit::cli::report::{CommandResult, TextReport};

/// List the protos
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let protos = snapshot.select(|bead| bead.is_template() && bead.has_label(proto::LABEL));
    let (mut values, mut lines) = (Vec::<Value>::new(), Vec::new());
    for bead in protos {
        let steps = progress::list_molecule_steps(&snapshot, &bead.id).len();
        let mut value = plain_json(bead);
        value["steps"] = json!(steps);
        values.push(value);
        let title = escape::escape_line(&bead.title);
        lines.push(format!("{}: {title} ({})", bead.id, counted(steps, "step")));
    }
    if lines.is_empty() {
        lines.push("No templates found".to_owned());
        lines.push("Make one: bd cook FORMULA --persist".to_owned());
    }
    TextReport::lines(json!(values), lines).into_answer()
}
