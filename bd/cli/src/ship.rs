use serde_json::json;

use crate::context::Context;
use bd::bead::Bead;
use bd::change;
use kit::failure::UsageError;

use kit::cli::report::{CommandResult, TextReport};

/// Publish a capability for other projects
///
/// The closed bead labelled `export:CAPABILITY` also gets the label `provides:CAPABILITY`. Beads of
/// other projects that wait for `external:PROJECT:CAPABILITY` are free then. As JSON: `{status,
/// capability, issue_id, label}`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The capability
    #[arg(value_name = "CAPABILITY")]
    capability: String,
    /// Publish the capability even if its bead is open
    #[arg(long)]
    force: bool,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let name = &args.capability;
    let (export, provides) = (format!("export:{name}"), format!("provides:{name}"));
    let store = ctx.store()?;
    let snapshot = store.snapshot()?;
    let found: Vec<&Bead> = snapshot.select(|bead| bead.has_label(&export)).collect();
    let bead = match found.as_slice() {
        [] => return Err(UsageError(format!("no bead has the label '{export}'")).into()),
        [one] => *one,
        many => {
            let ids: Vec<&str> = many.iter().map(|bead| bead.id.as_str()).collect();
            let ids = ids.join(", ");
            return Err(
                UsageError(format!("several beads have the label '{export}': {ids}")).into(),
            );
        }
    };
    let id = bead.id.clone();
    if bead.has_label(&provides) {
        let json = json!({"status": "already_shipped", "capability": name, "issue_id": id});
        return TextReport::new(json, format!("✓ {name} is already shipped ({id})")).into_answer();
    }
    if bead.is_open() && !args.force {
        let status = &bead.status;
        return Err(UsageError(format!(
            "bead {id} is not closed (status: {status}); use --force to ship it anyway"
        ))
        .into());
    }
    if args.dry_run {
        let json =
            json!({"status": "dry_run", "capability": name, "issue_id": id, "would_add": provides});
        return TextReport::new(
            json,
            format!("Would ship {name}: {id} gets the label {provides}"),
        )
        .into_answer();
    }
    ctx.check_writable("ship")?;
    store.transact(&ctx.author(), &ctx.clock, |tx| {
        Ok(change::add_label(tx, &id, &provides)?)
    })?;
    let json = json!({"status": "shipped", "capability": name, "issue_id": id, "label": provides});
    TextReport::new(
        json,
        format!("✓ Shipped {name}: {id} has the label {provides}"),
    )
    .into_answer()
}
