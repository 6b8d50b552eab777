use super::report::PlainBead;
use crate::context::Context;
use bd::change::{self, BeadEdit};
use kit::cli::report::{CommandResult, build_confirmation};

/// Make a wisp a durable bead
///
/// The bead keeps its id. A comment records the promotion and its reason. As JSON the bead.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The wisp
    #[arg(value_name = "ID")]
    id: String,
    /// The reason
    #[arg(short, long, value_name = "TEXT")]
    reason: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("promote")?;
    let store = ctx.store_for_id(&args.id)?;
    let author = ctx.author();
    let bead = store.transact(&author, &ctx.clock, |tx| {
        let bead = tx.resolve(&args.id)?;
        let id = bead.id.clone();
        if !bead.ephemeral {
            kit::bail_usage!("{id} is not a wisp (already persistent)");
        }
        let edit = BeadEdit {
            ephemeral: Some(false),
            ..BeadEdit::default()
        };
        change::update_bead(tx, &id, edit)?;
        let comment = match args.reason.as_deref().unwrap_or("") {
            "" => "Promoted from wisp".to_owned(),
            reason => format!("Promoted from wisp: {reason}"),
        };
        change::add_comment(tx, &id, &author.actor, &comment)?;
        let bead = tx.get_live(&id).cloned();
        bead.ok_or_else(|| change::ChangeError::NotFound(id).into())
    })?;
    ctx.set_last_touched(&bead.id);
    build_confirmation(PlainBead(bead), |bead, page| {
        page.line(format!("✓ Promoted {} to a durable bead", bead.id));
    })
}
