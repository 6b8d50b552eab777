//! `gt convoy show`.

use kit::ui::{Page, escape};
use serde::Serialize;

use super::super::{CommandResult, build_report};
use super::status;
use crate::context::Context;
use gt::flow::place::discovery::{self, RigDocument};
use gt::flow::work::convoy::{self, ConvoyProgress};
use gt::record::town_view::TownView;

/// Show one convoy, with its discovery documents on request
///
/// With `--documents` it lists what explorers and planners wrote down, rig by rig, with the command
/// that prints each; also after the convoy landed. With `--json` the object of `gt convoy status`,
/// and documents: [{rig, ref, path, bytes}].
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The convoy's id or title, or its number in `gt convoy list`
    convoy: String,
    /// Also list the discovery documents
    #[arg(long)]
    documents: bool,
}

#[derive(Serialize)]
struct ShowConvoyReport {
    #[serde(flatten)]
    convoy: ConvoyProgress,
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<Vec<RigDocument>>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let view = TownView::read(&town)?;
    let found = super::find_convoy(&view, &args.convoy)?;
    let convoy = convoy::ProgressBoard::from_view(&view).progress(found);
    let documents = args
        .documents
        .then(|| discovery::documents_of_all(&town, &convoy.id));
    let shown = ShowConvoyReport {
        convoy,
        documents: documents.transpose()?,
    };
    let root = town.layout.root().to_owned();
    build_report(shown, move |shown, page| {
        status::write_convoy(&shown.convoy, page);
        for rig_document in shown.documents.iter().flatten() {
            write_document_line(rig_document, &root, page);
        }
        if shown.documents.as_ref().is_some_and(Vec::is_empty) {
            page.line("   no discovery documents");
        }
    })
}

fn write_document_line(rig_document: &RigDocument, root: &std::path::Path, page: &mut Page) {
    let repo = root.join(&rig_document.rig).join(".repo.git");
    let path = escape::escape_line(&rig_document.document.path);
    page.cut_line(format!(
        "   📄 {}: {path}, {} bytes",
        rig_document.rig, rig_document.document.bytes
    ));
    // Never cut at the screen's width, because users copy it.
    let full_command = rig_document.document.command();
    let command = full_command.trim_start_matches("git ");
    page.line(format!(
        "              → git -C {} {}",
        repo.display(),
        escape::escape_line(command)
    ));
}
