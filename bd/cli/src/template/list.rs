use serde::Serialize;

use super::super::report::PlainBead;
use crate::context::Context;
use bd::molecule::{progress, proto};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{counted, escape};

/// List the protos
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let snapshot = ctx.store()?.snapshot()?;
    let protos = snapshot.select(|bead| bead.is_template() && bead.has_label(proto::LABEL));
    let protos: Vec<ListedProto> = protos
        .map(|bead| ListedProto {
            steps: progress::list_molecule_steps(&snapshot, &bead.id).len(),
            bead: PlainBead(bead.clone()),
        })
        .collect();
    build_report(protos, |protos, page| {
        if protos.is_empty() {
            page.line("No templates found");
            page.line("Make one: bd cook FORMULA --persist");
        }
        for ListedProto { bead, steps } in protos {
            let title = escape::escape_line(&bead.title);
            page.line(format!(
                "{}: {title} ({})",
                bead.id,
                counted(*steps, "step")
            ));
        }
    })
}

#[derive(Serialize)]
struct ListedProto {
    #[serde(flatten)]
    bead: PlainBead,
    steps: usize,
}
