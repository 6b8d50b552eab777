//! `gt sling`.

use super::{CommandResult, build_report, build_report_with_exit};
use crate::context::Context;
use crate::hint::{HintTopic, show_hint_once};
use gt::flow::place::sandbox::PreparationWay;
use gt::flow::work::sling::{
    SlingBatch, SlingOptions, SlingPreview, SlingReport, formula, preview_sling, sling_batch,
};
use gt::host::daemon::is_daemon_running;
use gt::record::account::check_named_account;
use gt::town::Town;
use gt::town::identity::Address;
use kit::failure::UsageError;
use kit::ui::escape::{self, escape_line};

/// Give beads to workers
///
/// TARGET is a rig (an idle worker of it, else a new one), an agent's address
/// (`<rig>/polecats/<name>`, `<rig>/crew/<name>`, `mayor`) or nothing: an agent slings the bead to
/// itself, and a user to the rig of the bead. With several beads the last argument is the rig, and
/// one convoy tracks them. A bead that is still blocked is queued and slung automatically.
///
/// `gt sling CONVOY` slings its open beads. `gt sling EPIC` slings its children, each to its own
/// rig if no target is given; their convoy has its own branches, lands as one commit per rig and
/// closes the epic. Beads that find no free worker are queued.
///
/// `gt sling FORMULA --on BEAD [TARGET]` pours a formula for the bead: its steps are shown to the
/// worker one by one. `gt sling FORMULA [TARGET]` pours a formula that is work of its own. Without
/// one of them a worker gets the steps of the setting `molecule.formula`.
///
/// Steps: reserve bead and worker for each other in one transaction; put the worker's sandbox on a
/// fresh branch of the fetched target (leftovers go to a rescue ref first); make a convoy for a
/// bead that has none; start the agent's session with identity, work and instruction in its first
/// message.
///
/// With `--best`, or the setting `sling.choose` at `best`, the agent runtime is the one whose work on
/// beads of the same type was merged as submitted most often: the lower end of the interval of `gt
/// career --by program --rig RIG` decides, then the ratings of `gt rate`, then the median time. One
/// that is not installed or at a limit is passed over. A share of the work (setting `sling.explore`)
/// goes to the others. With too little work of the type the configured one is used. `gt why BEAD`
/// says which and why.
///
/// With `--dry-run --json` an array of {bead, title, target, waits_for[], obstacle?}.
///
/// The exit code is 3 if a new session waits for you, such as with a dialog about an API key.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The beads, then the target
    #[arg(required = true, value_name = "BEAD... [TARGET]")]
    words: Vec<String>,
    /// Use this agent runtime instead of the configured one
    #[arg(long)]
    agent: Option<String>,
    /// Use the agent runtime with the best record for each bead's type, and print why
    #[arg(long, conflicts_with = "agent")]
    best: bool,
    /// Use this account instead of the default one
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
    /// Run the worker on another machine that `gt host list` names
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Add instructions to the bead's own text
    #[arg(
        short = 'a',
        long = "args",
        alias = "message",
        short_alias = 'm',
        default_value = "",
        value_name = "ARGS"
    )]
    instructions: String,
    /// The first line of the instructions
    #[arg(short, long, default_value = "", hide = true)]
    subject: String,
    /// Take the bead from its worker, and sling it even if it is blocked
    #[arg(short, long)]
    force: bool,
    /// Make no convoy
    #[arg(long)]
    no_convoy: bool,
    /// Do this bead by the steps of the formula that is named first
    #[arg(long, value_name = "BEAD")]
    on: Option<String>,
    /// Set a variable of the formula; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<String>,
    /// Give the worker no steps of a formula
    #[arg(long, alias = "hook-raw-bead", conflicts_with = "on")]
    no_molecule: bool,
    /// Only show who would get which bead
    #[arg(short = 'n', long, conflicts_with_all = ["on", "var"])]
    dry_run: bool,
    /// Make a missing dog, or a worker whose name is close to that of another one
    #[arg(long)]
    create: bool,
}

/// Puts the subject above the instructions.
fn join_instructions(subject: &str, text: &str) -> String {
    [subject, text]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let mut beads = args.words;
    // One argument is a bead for the caller. The last of several arguments is the target.
    let target = if beads.len() > 1 {
        beads.pop().unwrap_or_default()
    } else {
        String::new()
    };
    if let [rig] = &beads[..]
        && target.is_empty()
        && town.find_bead(rig).is_err()
        && town.find_rig(rig).is_ok()
    {
        let text = format!("`{rig}` is a rig, and the bead is missing: `gt sling BEAD {rig}`");
        return Err(UsageError(text).into());
    }
    if let [rig] = &beads[..]
        && town.find_rig(rig).is_ok()
        && town.find_bead(rig).is_err()
        && town.find_bead(&target).is_ok()
    {
        let text = format!("`{rig}` is a rig; the bead comes first:\n  gt sling {target} {rig}");
        return Err(UsageError(text).into());
    }
    if let Some(text) = beads.iter().find(|bead| bead.contains(char::is_whitespace)) {
        let only = match &town.list_rigs()?[..] {
            [rig] if target.is_empty() => rig.name().to_owned(),
            _ => target,
        };
        return Err(refuse_text(text, &only).into());
    }
    if args.dry_run {
        return build_report(
            preview_sling(&town, &beads, &target, args.create)?,
            write_preview,
        );
    }
    if args.create {
        gt::flow::townwide::dog::add_missing_dog(&town, &target)?;
    }
    let account = check_named_account(&town, args.account)?;
    let mut no_convoy = args.no_convoy;
    if let Some(named) = formula_of(&town, &beads, args.on.as_deref()) {
        let values = bd::molecule::template::read_values(&args.var).map_err(UsageError)?;
        beads = match &args.on {
            Some(bead) => vec![formula::pour_on_bead(&town, &named, bead, &values)?],
            None => vec![formula::pour_as_work(&town, &named, &target, &values)?],
        };
        no_convoy |= args.on.is_none();
    } else if !args.var.is_empty() {
        return Err(UsageError("--var sets a variable of a formula; name one".into()).into());
    }
    let batch = SlingBatch {
        beads,
        target,
        options: SlingOptions {
            agent: args.agent,
            best: args.best,
            account,
            host: args.host,
            args: join_instructions(&args.subject, &args.instructions),
            no_convoy,
            no_molecule: args.no_molecule,
            force: args.force,
            create: args.create,
        },
    };
    let slung = sling_batch(&town, &batch, |problem| {
        ctx.ui.warn(&escape_line(problem));
    })?;
    gt::host::daemon::wake_daemon(&town);
    show_hint_once(ctx, &town, HintTopic::Convoy);
    let caller = town.actor.clone();
    let is_daemon_up = is_daemon_running(&town.layout);
    // Exit code 3: the work is deferred, until a user acts or the daemon starts the session.
    let exit = if slung
        .iter()
        .any(|slung| slung.needs_person.is_some() || slung.start_failed.is_some())
    {
        3
    } else {
        0
    };
    build_report_with_exit(exit, slung, move |slung, page| {
        for slung_bead in slung {
            write_sling_line(slung_bead, &caller, page);
        }
        let is_deferred =
            |slung: &SlingReport| !slung.waits_for.is_empty() || slung.start_failed.is_some();
        if !is_daemon_up && slung.iter().any(is_deferred) {
            page.line("the daemon does not run: queued beads start after");
            page.line("  gt up");
        }
    })
}

/// Refuses a text in place of a bead. A target may be an agent of a rig.
fn refuse_text(text: &str, target: &str) -> UsageError {
    let (text, target) = (escape_line(text), &*escape_line(target));
    let (rig, target) = match target.split('/').next() {
        None | Some("") => ("RIG", "RIG"),
        Some("mayor" | "deacon") => ("RIG", target),
        Some(rig) => (rig, target),
    };
    let word = escape::quote_for_shell(&text);
    UsageError(format!(
        "`{text}` is no bead; make one of the text first, then sling it:\n  bd create {word} --rig {rig}\n  gt sling BEAD {target}"
    ))
}

fn write_preview(previews: &Vec<SlingPreview>, page: &mut kit::ui::Page) {
    if previews.is_empty() {
        page.line("no open bead to sling");
    }
    for preview in previews {
        let title = kit::ui::escape::escape_line(&preview.title);
        let mark = if preview.obstacle.is_some() {
            "!"
        } else {
            "→"
        };
        page.line(format!(
            "{mark} {} to {}  {title}",
            preview.bead, preview.target
        ));
        if let Some(obstacle) = &preview.obstacle {
            let obstacle = kit::ui::escape::escape_line(obstacle);
            page.line(format!("  it would be refused: {obstacle}"));
        }
        if !preview.waits_for.is_empty() {
            page.line(format!(
                "  it would be queued until {} closes",
                preview.waits_for.join(", ")
            ));
        }
    }
    page.line("nothing was changed");
}

/// Returns the formula to sling: the first argument with `--on`, or if it names no bead.
fn formula_of(town: &Town, words: &[String], on: Option<&str>) -> Option<String> {
    let [first] = words else { return None };
    if on.is_none() && town.find_bead(first).is_ok() {
        return None;
    }
    formula::find_formula(town, first).or_else(|| on.map(|_| first.clone()))
}

fn write_sling_line(slung: &SlingReport, caller: &Address, page: &mut kit::ui::Page) {
    let title = kit::ui::escape::escape_line(&slung.title);
    if slung.waits_for.is_empty() {
        let mark = if slung.needs_person.is_some() || slung.start_failed.is_some() {
            "!"
        } else {
            "✓"
        };
        page.line(format!("{mark} {} → {}  {title}", slung.bead, slung.target));
    } else {
        let blockers = slung.waits_for.join(", ");
        page.line(format!(
            "… {} waits for {blockers}, then goes to {}  {title}",
            slung.bead, slung.target
        ));
    }
    let SlingReport { host, .. } = slung;
    let facts = [
        ("convoy", slung.convoy.as_deref()),
        ("branch", slung.branch.as_deref()),
        ("host", host.as_deref()),
        ("sandbox", slung.sandbox.map(PreparationWay::as_str)),
        ("session", slung.session.as_deref()),
        ("leftovers saved in", slung.rescued.as_deref()),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            page.line(format!("  {name}: {value}"));
        }
    }
    if let Some(choice) = &slung.agent_choice {
        page.line(format!("  agent: {}", escape::escape_line(&choice.agent)));
        page.line(format!("    {}", escape::escape_line(&choice.reason)));
    }
    if !slung.hidden.is_empty() {
        page.line("  files of the repository for agent programs that the sandbox does not have:");
        for file in &slung.hidden {
            let file = kit::ui::escape::escape_line(&file.to_string_lossy());
            page.line(format!("    {file}"));
        }
        page.line("  → gt config get sandbox.hide_executed_files");
    }
    if let Some(question) = &slung.needs_person {
        let question = kit::ui::escape::escape_line(question);
        let text = format!("  its session needs you: a dialog is open ({question})");
        page.line(page.style().yellow(&text));
        page.line(format!("  → gt attach {}", slung.target));
    }
    if let Some(reason) = &slung.start_failed {
        // Further lines are for programs that show no next step of their own.
        let reason = kit::ui::escape::escape_line(reason.lines().next().unwrap_or(""));
        let text = format!("  its session could not be started: {reason}");
        page.line(page.style().yellow(&text));
        if let Some(command) = &slung.start_after {
            page.line("  on the hook; the daemon starts it after");
            page.line(format!("  → {command}"));
        } else {
            page.line("  on the hook; the daemon starts it");
            page.line(format!("  → gt why {}", slung.bead));
        }
    }
    if let Some(command) = start_command_of(slung, caller) {
        page.line(format!(
            "  no session runs there: the work waits on the hook for `{command}`"
        ));
    }
}

/// Returns the command that starts the agent with the work, if only a user starts that agent and it
/// does not run.
fn start_command_of(slung: &SlingReport, caller: &Address) -> Option<String> {
    match slung.target.parse().ok()? {
        _ if slung.session.is_some() => None,
        // The caller runs already, in a session of the town or not.
        target if target == *caller => None,
        Address::Mayor => Some("gt mayor start".to_owned()),
        Address::Crew(rig, name) => Some(format!("gt crew start {rig}/{name}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_for_an_agent_of_a_rig_becomes_a_bead_of_the_rig() {
        for (target, rig) in [
            ("web", "web"),
            ("web/amber", "web"),
            ("mayor", "RIG"),
            ("", "RIG"),
        ] {
            let refusal = refuse_text("Say hello", target).to_string();
            let target = if target.is_empty() { rig } else { target };
            let lines = format!("\n  bd create 'Say hello' --rig {rig}\n  gt sling BEAD {target}");
            assert!(refusal.ends_with(&lines), "{refusal}");
        }
    }
}
