//! `gt assign`.

use bd::bead::Kind;
use bd::change::NewBead;
use kit::failure::UsageError;
use kit::ui::escape::escape_line;

use super::{CommandResult, build_report, rig};
use crate::context::Context;
use gt::flow::place::crew;
use gt::flow::work::sling::{SlingReport, assign_new_bead};

/// Make a bead and put it on the hook of a crew member
///
/// The session of the member is started if it does not run. With `--json` {bead, title, target,
/// convoy, session, ...} as in `gt sling --json`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The crew member, or RIG/NAME
    member: String,
    /// The title of the bead
    title: String,
    /// The description
    #[arg(short, long, default_value = "")]
    description: String,
    /// The type of the bead
    #[arg(short = 't', long = "type", default_value = "task")]
    kind: String,
    /// The priority: 0 (highest) to 4
    #[arg(short, long, default_value_t = 2, value_parser = clap::value_parser!(i64).range(0..=4))]
    priority: i64,
    /// A label; repeat for each
    #[arg(short, long, value_delimiter = ',')]
    label: Vec<String>,
    /// The rig
    #[arg(long)]
    rig: Option<String>,
    /// Accepted for scripts: a running session always gets a message
    #[arg(long, hide = true)]
    nudge: bool,
    /// Accepted for scripts: a member may have several beads
    #[arg(short, long, hide = true)]
    force: bool,
    /// Only show who would get it
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let around = args
        .rig
        .as_deref()
        .map(|name| town.find_rig(name))
        .transpose()?
        .or_else(|| rig::resolve_rig(ctx, &town, None).ok());
    let in_place = around
        .as_ref()
        .filter(|rig| args.rig.is_some() || rig.crew(&args.member).join(".git").exists());
    let member = crew::find_member(&town, in_place, &args.member);
    if member.is_err() && town.find_bead(&args.member).is_ok() {
        let bead = &args.member;
        let text = format!(
            "`{bead}` is a bead, and `gt assign` makes a new one: `gt sling {bead} TARGET` gives it to an agent"
        );
        return Err(UsageError(text).into());
    }
    let (rig, name) = member?;
    let target = crew::member_address(&rig, &name).to_string();
    if args.dry_run {
        let title = escape_line(&args.title);
        return build_report(serde_json::json!({ "target": target }), move |_, page| {
            page.line(format!("→ {target}  {title}"));
            page.line("nothing was changed");
        });
    }
    let new = NewBead {
        title: args.title,
        description: args.description,
        issue_type: Kind::from_user_text(&args.kind),
        priority: args.priority,
        labels: args.label,
        ..NewBead::default()
    };
    let slung = assign_new_bead(&town, &rig, &name, new)?;
    build_report(slung, |slung: &SlingReport, page| {
        page.line(format!(
            "✓ {} → {}  {}",
            slung.bead,
            slung.target,
            escape_line(&slung.title)
        ));
        match &slung.session {
            Some(session) => page.line(format!("  session: {session}")),
            None => page.line("  the work waits on the hook until its session starts"),
        }
    })
}
