//! `gt convoy create`.

use clap::Args;

use super::super::{Answer, answer};
use crate::context::Context;
use crate::convoy::{self, New};

/// Make a convoy that tracks beads of any rig.
#[derive(Debug, Args)]
pub(super) struct CreateArgs {
    /// Its name.
    name: String,
    /// The beads it tracks.
    beads: Vec<String>,
    /// Who owns it and hears when it lands; you when left out.
    #[arg(long)]
    owner: Option<String>,
    /// Who else hears when it lands; the mayor when no address follows.
    #[arg(long, num_args = 0..=1, default_missing_value = "mayor/", require_equals = true)]
    notify: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: CreateArgs) -> Answer {
    let town = ctx.town()?;
    let owner = match args.owner {
        Some(text) => town.address(&text)?.mailbox(),
        None => town.actor.mailbox(),
    };
    for address in &args.notify {
        town.address(address)?;
    }
    let new = New {
        title: args.name,
        beads: args.beads,
        owner: Some(owner),
        notify: args.notify,
        about: String::new(),
    };
    let created = convoy::create(&town, &new)?;
    answer(created, |created, page| {
        let title = bd::ui::escape::line(&created.title);
        page.line(format!(
            "✓ convoy {} \"{title}\" tracks {} beads",
            created.id,
            created.added.len()
        ));
        page.line(format!("  follow it: gt convoy status {}", created.id));
    })
}
