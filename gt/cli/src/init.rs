//! `gt init`.

use std::path::PathBuf;

use gt::flow::townwide::init::{
    InitGate, InitReport, InitRepository, InitRequest, check_repository, find_repository_around,
    init_town,
};
use gt::host::runtime::available::{AvailableAgent, list_available_agents};
use kit::sys::Clock;
use kit::ui::escape;

use super::{CommandResult, build_report};
use crate::ask::{ask_jail, ask_line, ask_yes_no, can_ask};
use crate::context::Context;

/// Set up a town with a repository, a first task and an agent
///
/// On a terminal it asks a few questions, each with a default; an option answers its question. In
/// a script it asks nothing, and takes the defaults: the folder `~/gt`, the repository around the
/// working directory, no task, no test command, and the first agent program that is installed,
/// those with a login first.
///
/// Before anything is made it checks git, tmux, the agent program, and that the repository can be
/// read. Safe to run again: existing parts are kept. With `--json` {root, name, rig, bead, agent,
/// warnings[], started, jail, slung?, gate?, suggested_gate?}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The town's folder (default: ~/gt)
    path: Option<String>,
    /// The town's name (default: the name of its folder)
    #[arg(short, long)]
    name: Option<String>,
    /// The repository to work on: a URL or a path
    #[arg(long, value_name = "URL")]
    repo: Option<String>,
    /// Add no repository
    #[arg(long, conflicts_with = "repo")]
    no_repo: bool,
    /// The title of the first bead
    #[arg(long, value_name = "TITLE")]
    task: Option<String>,
    /// The agent program: claude, codex, gemini, opencode or another preset
    #[arg(long)]
    agent: Option<String>,
    /// The command that must pass before a change is merged
    #[arg(long, value_name = "COMMAND")]
    test: Option<String>,
    /// Run the repository's gates and setup commands in a jail
    #[arg(long)]
    jail: bool,
    /// Start the daemon, and sling the first bead
    #[arg(long)]
    start: bool,
    /// Ask nothing
    #[arg(short, long)]
    yes: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let is_asking = !args.yes && can_ask(ctx);
    let exe = kit::sys::env::current_exe().unwrap_or_default();
    let agents = list_available_agents(&ctx.env, &exe);
    let request = if is_asking {
        ask_all(ctx, &args, &agents)?
    } else {
        build_request(ctx, &args, &agents)
    };
    let clock = Clock::choose(ctx.env.get("BD_NOW"));
    let report = init_town(&ctx.env, &clock, &request, &|text| ctx.ui.status(text))?;
    for warning in &report.warnings {
        ctx.ui.warn(warning);
    }
    build_report(report, write_report)
}

/// Builds the request from the options and the defaults.
fn build_request(ctx: &Context, args: &Args, agents: &[AvailableAgent]) -> InitRequest {
    let repository = match &args.repo {
        Some(url) => Some(parse_repository(ctx, url)),
        None if args.no_repo => None,
        None => find_repository_around(ctx.env.cwd()),
    };
    InitRequest {
        root: resolve_root(ctx, args.path.as_deref().unwrap_or("~/gt")),
        name: args.name.clone(),
        repository,
        task: args.task.clone(),
        agent: args
            .agent
            .clone()
            .or_else(|| agents.first().map(|agent| agent.name.clone())),
        gate: args
            .test
            .clone()
            .map_or(InitGate::Report, InitGate::Command),
        jail: args.jail,
        start: args.start,
    }
}

/// Asks for each answer that no option gives.
fn ask_all(ctx: &Context, args: &Args, agents: &[AvailableAgent]) -> anyhow::Result<InitRequest> {
    let mut request = build_request(ctx, args, agents);
    if args.path.is_none() {
        let answer = ask_line(ctx, "1/5 Town: a name or a folder [~/gt]")?;
        if !answer.is_empty() {
            let in_home = format!("~/{answer}");
            let is_path = answer.contains('/') || answer == ".";
            request.root = resolve_root(ctx, if is_path { &answer } else { &in_home });
        }
    }
    if args.repo.is_none() && !args.no_repo {
        request.repository = ask_repository(ctx, request.repository)?;
    }
    if args.task.is_none() && request.repository.is_some() {
        let answer = ask_line(ctx, "3/5 First task, in one line [none]")?;
        request.task = Some(answer).filter(|task| !task.is_empty());
    }
    if args.agent.is_none() {
        request.agent = ask_agent(ctx, agents)?;
    }
    if args.test.is_none() && request.repository.is_some() {
        request.gate = ask_gate(ctx)?;
    }
    if !args.jail && request.repository.is_some() {
        request.jail = ask_jail(ctx)?;
    }
    if !args.start && request.task.is_some() && request.agent.is_some() {
        request.start = ask_yes_no(
            ctx,
            "Start the daemon and give the task to a worker now?",
            true,
        )?;
    }
    Ok(request)
}

fn ask_repository(
    ctx: &Context,
    default: Option<InitRepository>,
) -> anyhow::Result<Option<InitRepository>> {
    let shown = default.as_ref().map_or("none", |found| found.url.as_str());
    let question = format!(
        "2/5 Repository: a URL, a path, or none [{}]",
        escape::escape_line(shown)
    );
    loop {
        let repository = match ask_line(ctx, &question)?.as_str() {
            "" => default.clone(),
            "none" => None,
            url => Some(parse_repository(ctx, url)),
        };
        let Some(found) = &repository else {
            return Ok(None);
        };
        match check_repository(&ctx.env, found) {
            Ok(()) => return Ok(repository),
            Err(error) => ctx.ui.warn(&error.to_string()),
        }
    }
}

fn ask_agent(ctx: &Context, agents: &[AvailableAgent]) -> anyhow::Result<Option<String>> {
    let Some(first) = agents.first() else {
        ctx.ui.status(
            "4/5 Agent: no agent program is installed. Install one, such as Claude Code or Codex, and run \
             `gt init` again; the town is made without one.",
        );
        return Ok(None);
    };
    let list: Vec<String> = agents
        .iter()
        .map(|agent| match agent.login {
            Some(false) => format!("{} (no login found)", agent.name),
            _ => agent.name.clone(),
        })
        .collect();
    let question = format!("4/5 Agent: {} [{}]", list.join(", "), first.name);
    loop {
        let answer = ask_line(ctx, &question)?;
        if answer.is_empty() {
            return Ok(Some(first.name.clone()));
        }
        if agents.iter().any(|agent| agent.name == answer) {
            return Ok(Some(answer));
        }
        ctx.ui.status("Choose one of the list, or press Enter.");
    }
}

fn ask_gate(ctx: &Context) -> anyhow::Result<InitGate> {
    let question = "5/5 Command that must pass before a change is merged, or none \
                    [the one that the repository's files suggest, such as `make test`]";
    Ok(match ask_line(ctx, question)?.as_str() {
        "" => InitGate::Suggested,
        "none" => InitGate::Report,
        command => InitGate::Command(command.to_owned()),
    })
}

/// Reads a user's repository. The folder of a clone stands for its remote.
fn parse_repository(ctx: &Context, url: &str) -> InitRepository {
    let path = ctx.env.make_absolute(url);
    if !path.is_dir() {
        return InitRepository {
            url: url.to_owned(),
            is_copied: false,
        };
    }
    find_repository_around(&path).unwrap_or_else(|| InitRepository {
        url: path.display().to_string(),
        is_copied: false,
    })
}

/// Drops a trailing `.`, which has no name. Symbolic links stay as the user wrote them.
fn resolve_root(ctx: &Context, path: &str) -> PathBuf {
    ctx.env.make_absolute(path).components().collect()
}

fn write_report(report: &InitReport, page: &mut kit::ui::Page) {
    let root = report.root.display();
    page.line(format!("✓ the town \"{}\" is ready: {root}", report.name));
    if let Some(agent) = &report.agent {
        page.line(format!("  agent  {}", escape::escape_line(agent)));
    }
    if let Some(rig) = &report.rig {
        page.line(format!("  rig    {rig}"));
    }
    if let Some(bead) = &report.bead {
        page.line(format!("  task   {bead}"));
    }
    if let Some(gate) = &report.gate {
        page.line(format!("  tests  {}", escape::escape_line(gate)));
    }
    if let Some(slung) = &report.slung {
        page.line(format!("  worker {}", slung.target));
    }
    page.line("Next:");
    page.line(format!("  cd {root}"));
    let rig = report.rig.as_deref();
    if let (Some(gate), Some(rig)) = (report.suggested_gate, rig) {
        page.line("  # Nothing is tested before it is merged. To set a gate:");
        page.line(format!(
            "  gt config set --rig {rig} merge_queue.test_command '{gate}'"
        ));
    }
    if let Some(rig) = rig.filter(|_| !report.jail) {
        page.line("  # Gates and setup commands run with all your rights. To put them in a jail:");
        page.line(format!("  gt config set --rig {rig} sandbox.jail on"));
    }
    if rig.is_none() {
        page.line("  gt rig add NAME GIT-URL     a repository to work on");
    }
    if !report.started {
        page.line("  gt up                       the daemon");
    }
    match (&report.slung, &report.bead, rig) {
        (Some(slung), ..) => {
            page.line(format!(
                "  gt attach {:<18}watch the worker (leave: Ctrl-b d)",
                slung.target
            ));
        }
        (None, Some(bead), _) => {
            page.line(format!("  gt sling {bead:<19}give the task to a worker"));
        }
        (None, None, Some(rig)) => {
            page.line(format!("  (cd {rig} && bd create \"...\")   a first task"));
        }
        (None, None, None) => {}
    }
    page.line("  gt status                   what is going on");
}
