use serde_json::json;

use crate::context::Context;
use bd::bead::id;
use bd::change::{self, NewIds};
use bd::config;
use kit::failure::UsageError;
use kit::ui::counted;

use kit::cli::report::{CommandResult, TextReport};

/// Change the prefix of all beads
///
/// Updates the edges and texts that name a bead.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The new prefix
    #[arg(value_name = "PREFIX")]
    prefix: String,
    /// Report what would be done
    #[arg(long)]
    dry_run: bool,
    /// Also rename beads of other prefixes
    #[arg(long)]
    repair: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("rename-prefix")?;
    let new = args.prefix.trim_end_matches('-').to_owned();
    if new.is_empty() || !id::is_well_formed(&format!("{new}-a")) {
        return Err(UsageError(format!(
            "invalid prefix {:?}: use letters, digits, '-', '_' and '.'",
            args.prefix
        ))
        .into());
    }
    let store = ctx.store()?;
    let old = store.prefix()?;
    if old == new {
        return Err(UsageError(format!("the prefix is {new} already")).into());
    }
    let snapshot = store.snapshot()?;
    let mut ids = NewIds::new();
    let mut foreign = Vec::new();
    for bead in snapshot.live() {
        let after_prefix = bead
            .id
            .strip_prefix(&old)
            .filter(|rest| rest.starts_with('-'));
        let prefix = id::prefix_of(&bead.id).unwrap_or_default();
        let rest = match after_prefix {
            Some(rest) => rest,
            None => {
                foreign.push(bead.id.clone());
                bead.id.strip_prefix(prefix).unwrap_or_default()
            }
        };
        ids.insert(bead.id.clone(), format!("{new}{rest}"));
    }
    if !foreign.is_empty() && !args.repair {
        let first = foreign
            .iter()
            .take(5)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        return Err(UsageError(format!("multiple prefixes found: {first} do not begin with {old}- (use --repair to rename them, too)")).into());
    }
    let count = ids.len();
    if !args.dry_run {
        store.transact(&ctx.author(), &ctx.clock, |tx| {
            change::rename_beads(tx, &ids)?;
            tx.describe("rename", "");
            Ok(())
        })?;
        config::set_setting(store.dir(), "issue-prefix", &new)?;
    }
    let value = json!({"old_prefix": old, "new_prefix": new, "issues_count": count, "dry_run": args.dry_run});
    let what = if args.dry_run {
        "Would rename"
    } else {
        "✓ Renamed"
    };
    let count = counted(count, "bead");
    TextReport::new(value, format!("{what} {count} from {old}- to {new}-")).into_answer()
}
