//! The command line of `gt`. Each command parses its arguments, makes one domain call and returns
//! one report.

#![expect(
    clippy::needless_pass_by_value,
    reason = "all commands are run alike, with their arguments"
)]

mod account;
mod agent_event;
mod ask;
mod assign;
mod attach;
mod audit;
mod backup;
#[path = "bd.rs"]
mod bd_command;
mod boot;
#[path = "box/mod.rs"]
mod box_;
mod brief;
mod broadcast;
mod career;
mod changelog;
mod checkpoint;
mod commit;
mod compact;
mod completion;
mod config;
mod connect;
pub mod context;
mod convoy;
mod costs;
mod crew;
mod cycle;
mod daemon;
mod dashboard;
mod deacon;
mod demo;
mod directive;
mod disable;
mod dnd;
mod doctor;
mod dog;
mod done;
mod down;
mod enable;
mod escalate;
mod estop;
mod external;
mod feed;
mod followup;
mod formula;
mod handoff;
mod hint;
mod hook;
mod hooks;
mod host;
mod init;
mod install;
mod jail;
mod mail;
mod map;
mod mayor;
mod metrics;
mod migrate;
mod mol;
mod mq;
mod namepool;
mod notify;
mod nudge;
mod pager;
mod peek;
mod plugin;
mod polecat;
mod prime;
mod prune_branches;
mod quota;
mod rate;
mod ready;
mod refinery;
mod release;
mod report;
mod rescue;
mod restore;
mod rig;
mod role;
mod scheduler;
mod scripted;
mod seance;
mod session_restart;
mod session_wrapper;
mod shell;
mod signal;
mod since;
mod sling;
mod stale;
mod status;
mod status_line;
mod thanks;
mod thaw;
mod theme;
mod timeline;
mod top;
mod trail;
mod uninstall;
mod unsling;
mod up;
mod version;
pub mod vocabulary;
mod whoami;
mod why;
mod witness;
mod worktree;

use std::ffi::OsString;
use std::process::ExitCode;

use bd::store::upkeep;
use clap::Args;
use gt::host::LiveTown;
use gt::host::live_town::open_live_town;
use gt::town::identity::Address;
use gt::town::permission::runs_in_place;
use kit::cli::overview::HelpPage;
use kit::cli::parse::{ParsedCommandLine, Program};
use kit::gateway::{self, CallerLine, ForwardedError};
use kit::sys::{Clock, Env, ExecError};
use kit::ui::Ui;

use crate::context::Context;
use crate::vocabulary::answer::OldLineAnswer;

const GT: Program<RootArgs, Command, Whole> = Program::new("gt");

pub(crate) use kit::cli::report::{
    CommandResult, build_empty_report, build_report, build_report_with_exit,
};

/// Run a town of AI coding agents
///
/// Work is tracked as beads (see `bd`). `gt sling` gives a bead to a worker in its own git worktree
/// and session, `gt done` hands finished work to the merge queue, `gt convoy` tracks a batch of
/// beads until it has landed. `gtd` is the daemon that keeps all of it moving. Any other word runs
/// the program `gt-<word>` of PATH or of the town's `plugins/<word>/`.
#[derive(Debug, Args)]
#[command(
    version,
    infer_subcommands = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
struct RootArgs {
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

kit::program! {
    #[command(alias = "accounts")]
    Account => account,
    Assign => assign,
    Attach => attach,
    Audit => audit,
    Backup => backup,
    Bd => bd_command,
    Boot => boot,
    Box => box_,
    Brief => brief,
    Broadcast => broadcast,
    Career => career,
    Changelog => changelog,
    Checkpoint => checkpoint,
    Commit => commit,
    Compact => compact,
    Completion => completion,
    Config => config,
    Connect => connect,
    #[command(alias = "convoys")]
    Convoy => convoy,
    Costs => costs,
    Crew => crew,
    Cycle => cycle,
    Daemon => daemon,
    Dashboard => dashboard,
    Deacon => deacon,
    Demo => demo,
    Directive => directive,
    Disable => disable,
    Dnd => dnd,
    #[command(alias = "check")]
    Doctor => doctor,
    #[command(alias = "dogs")]
    Dog => dog,
    Done => done,
    Down => down,
    Enable => enable,
    Escalate => escalate,
    Estop => estop,
    Feed => feed,
    Followup => followup,
    #[command(visible_alias = "formulas")]
    Formula => formula,
    Handoff => handoff,
    #[command(alias = "work")]
    Hook => hook,
    Hooks => hooks,
    Host => host,
    Init => init,
    Install => install,
    Jail => jail,
    Mail => mail,
    Map => map,
    Mayor => mayor,
    Metrics => metrics,
    Migrate => migrate,
    #[command(visible_alias = "molecule")]
    Mol => mol,
    #[command(alias = "mr")]
    Mq => mq,
    Namepool => namepool,
    Notify => notify,
    Nudge => nudge,
    Peek => peek,
    #[command(alias = "plugins")]
    Plugin => plugin,
    #[command(alias = "polecats")]
    Polecat => polecat,
    Prime => prime,
    PruneBranches => prune_branches,
    Quota => quota,
    Rate => rate,
    Ready => ready,
    Refinery => refinery,
    Release => release,
    Report => report,
    Rescue => rescue,
    Restore => restore,
    // Without its alias, `repo` would be taken for the begin of `report`.
    #[command(aliases = ["rigs", "repo"])]
    Rig => rig,
    Role => role,
    Scheduler => scheduler,
    Scripted => scripted,
    #[command(hide = true)]
    SessionRestart => session_restart,
    #[command(hide = true)]
    SessionWrapper => session_wrapper,
    Seance => seance,
    Shell => shell,
    Signal => signal,
    Sling => sling,
    Stale => stale,
    #[command(alias = "stat")]
    Status => status,
    #[command(hide = true)]
    StatusLine => status_line,
    Thanks => thanks,
    Thaw => thaw,
    Theme => theme,
    Timeline => timeline,
    #[command(alias = "dash")]
    Top => top,
    Trail => trail,
    Uninstall => uninstall,
    #[command(alias = "unhook")]
    Unsling => unsling,
    Up => up,
    Version => version,
    Whoami => whoami,
    Why => why,
    Witness => witness,
    Worktree => worktree,
}

/// Builds the whole command line. Man pages and completions are generated from it.
pub fn build_command_line() -> clap::Command {
    GT.build_whole()
}

/// Never called in practice: clap refuses a command line without a command.
fn reject_missing_command() -> CommandResult {
    anyhow::bail!("no command given; see gt --help")
}

/// Parses a command line. A line that is not one of ours is looked up among the external programs
/// and in the vocabulary; if it is answered there, or refused, returns the exit code.
fn read_line(
    env: &Env,
    args: Vec<OsString>,
) -> Result<ParsedCommandLine<RootArgs, Command>, ExitCode> {
    let words = args.clone();
    let answer = vocabulary::answer::answer_known_word(&words);
    let mut error = None;
    if answer.is_none() {
        match GT.read(args) {
            Ok(line) => return Ok(line),
            Err(refusal) => error = Some(refusal),
        }
    }
    if let Some(error) = &error
        && gateway::find_call_folder().is_none()
        && let Some(other) = external::find_external_command(env, &words, error, &GT.build_whole())
    {
        return Err(fail_to_start(env, other.replace_process()));
    }
    match answer.or_else(|| vocabulary::answer::answer_refused_line(&words, error.as_ref()?)) {
        Some(OldLineAnswer::Gt(line)) => return read_line(env, line),
        Some(OldLineAnswer::Bd(line)) => {
            // `gt describe WORKER`: `bd` shows beads, and `gt why` explains workers and rigs.
            if let Some(command) = vocabulary::find_command_of_gt(env, &line) {
                let command = command.iter().map(OsString::from);
                return read_line(env, command.chain(words[2..].iter().cloned()).collect());
            }
            let error = vocabulary::answer::replace_with_bd(env, line);
            return Err(fail_to_start(env, error));
        }
        Some(OldLineAnswer::Nothing) => return Err(ExitCode::SUCCESS),
        Some(OldLineAnswer::Refuse {
            mut failure,
            operands,
        }) => {
            let town = open_town_for_hints(env);
            failure.hint = failure
                .hint
                .map(|hint| vocabulary::fill_hint(&hint, &operands, town.as_ref()));
            let is_json = words.iter().any(|word| word == "--json");
            Ui::new(is_json, false, env).error(&failure);
            return Err(ExitCode::from(failure.exit));
        }
        None => {}
    }
    let is_json = words.iter().any(|word| word == "--json");
    let ui = Ui::new(
        is_json && error.as_ref().is_some_and(clap::Error::use_stderr),
        false,
        env,
    );
    let Some(error) = error else {
        return Err(ExitCode::FAILURE);
    };
    let town = open_town_for_hints(env);
    let program = GT.build_whole();
    if let Some(line) = vocabulary::complete_reading_line(&error, &words, &program, town.as_ref()) {
        return read_line(env, line);
    }
    if let Some(failure) = vocabulary::describe_unknown(&error, &words, &program, town.as_ref()) {
        ui.error(&failure);
        return Err(ExitCode::from(failure.exit));
    }
    Err(ui.exit_code(ui.command_line(&error)))
}

/// Opens the town whose rigs and workers a refused line may name.
fn open_town_for_hints(env: &Env) -> Option<LiveTown> {
    let root = gt::town::find_town(env).ok()?;
    Some(open_live_town(env, &root, Address::Overseer))
}

/// Reads a line that is called in a jail. `None` for a line that is answered there: help, and the
/// programs that extend `gt`.
fn read_callers_line(env: &Env, args: &[OsString]) -> Option<CallerLine> {
    match GT.read(args.to_vec()) {
        Ok(line) => Some(CallerLine {
            files: GT.find_named_files(args, &line.paths),
            path: line.path,
        }),
        Err(error) if !error.use_stderr() => None,
        Err(error) => external::find_external_command(env, args, &error, &GT.build_whole())
            .is_none()
            .then(CallerLine::default),
    }
}

/// Checks a line that an agent in a jail called: it runs outside, and names only files that the
/// agent sent.
fn check_forwarded_line(line: &ParsedCommandLine<RootArgs, Command>) -> Result<(), ForwardedError> {
    if gateway::find_call_folder().is_some() && runs_in_place("gt", &line.path) {
        return Err(ForwardedError::InPlace {
            program: "gt",
            command: line.path.join(" "),
        });
    }
    gateway::check_named_files(&line.paths)
}

/// Reports a program that could not be started.
fn fail_to_start(env: &Env, error: ExecError) -> ExitCode {
    let failure = gt::error::build_failure(&anyhow::Error::from(error));
    Ui::new(false, false, env).error(&failure);
    ExitCode::FAILURE
}

/// The table of the common commands, grouped by task, for the short help.
const COMMON_COMMANDS: &str = include_str!("../../templates/vocabulary/overview.txt");

/// Prints help of the program. The exit code of a line without a command is that of a usage error.
fn print_help(page: HelpPage, is_asked: bool, env: &Env) -> ExitCode {
    let text = kit::cli::overview::format_page(page, build_command_line(), COMMON_COMMANDS);
    let ui = Ui::new(false, false, env);
    if is_asked {
        ui.raw(&text);
        return ui.exit_code(0);
    }
    ui.problem(text.trim_end());
    ui.exit_code(2)
}

/// Runs one `gt` command line and returns its exit code.
pub fn main(env: Env, args: Vec<OsString>) -> ExitCode {
    let args = gateway::take_forwarded(args);
    if let Some(exit) = kit::cli::completion::answer_completion(&env, &args, || {
        completion::offer_values(build_command_line(), &env)
    }) {
        return exit;
    }
    let args = kit::cli::overview::ask_command_for_help(args, build_command_line);
    let words: Vec<String> = args
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    if let Some(page) = kit::cli::overview::find_page(&words) {
        return print_help(page, true, &env);
    }
    let args = if words[1..] == ["-v"] {
        vec!["gt".into(), "--version".into()]
    } else {
        args
    };
    if words.len() == 1 {
        return print_help(HelpPage::Overview, false, &env);
    }
    let forwarded = gateway::forward_call(&env, "gt", &args, || read_callers_line(&env, &args));
    if let Some(exit) = forwarded {
        return exit;
    }
    let line = match read_line(&env, args) {
        Ok(line) => line,
        Err(exit) => return exit,
    };
    let ui = Ui::new(line.root.json, false, &env);
    bd::git::report_slow_remotes(kit::ui::report_slow_remote);
    let ctx = Context::new(env, ui);
    // The first process of a session ends after the agent.
    if !matches!(
        line.command,
        Some(Command::Demo(_) | Command::Top(_) | Command::SessionWrapper(_))
    ) {
        gt::town::temporary::remove_on_signals();
    }
    let checked = check_forwarded_line(&line)
        .map_err(anyhow::Error::from)
        .and_then(|()| ctx.check_permission(&line.path, &line.given));
    let result = match (checked, line.command) {
        (Err(refused), _) => Err(refused),
        (Ok(()), Some(command)) => command.run(&ctx),
        (Ok(()), None) => reject_missing_command(),
    };
    let answer = ctx
        .reports
        .take_failure()
        .map_or(result, |error| Err(error.into()));
    let exit = match answer {
        Ok(report) => {
            ctx.ui.show(report.as_ref());
            ctx.ui.exit_code(report.exit())
        }
        Err(error) => {
            let failure = gt::error::build_failure(&error);
            ctx.ui.error(&failure);
            ExitCode::from(failure.exit)
        }
    };
    let clock = Clock::choose(ctx.env.get("BD_NOW"));
    upkeep::finish_command(&ctx.reports, Some(&clock), |notice| ctx.ui.warn(notice));
    exit
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{GT, build_command_line};

    fn list_paths(command: &clap::Command, above: &[String], paths: &mut Vec<Vec<String>>) {
        for sub in command.get_subcommands() {
            let path = [above, &[sub.get_name().to_owned()]].concat();
            list_paths(sub, &path, paths);
            paths.push(path);
        }
    }

    #[test]
    fn each_command_of_the_overview_exists_and_appears_once() {
        let command = build_command_line();
        let faults = kit::cli::overview::find_faults(&command, super::COMMON_COMMANDS);
        assert!(faults.is_empty(), "{faults:?}");
    }

    #[test]
    fn the_table_of_permissions_names_every_command_and_no_other() {
        let mut paths = Vec::new();
        list_paths(&build_command_line(), &[], &mut paths);
        let has_verbs = |path: &Vec<String>| {
            paths
                .iter()
                .any(|other| other.len() > path.len() && other.starts_with(path))
        };
        let unclassified: Vec<_> = paths
            .iter()
            .filter(|path| !has_verbs(path) && !gt::town::permission::is_classified(path))
            .collect();
        assert!(unclassified.is_empty(), "{unclassified:?}");
        for command in gt::town::permission::list_commands() {
            let path: Vec<String> = command.split(' ').map(str::to_owned).collect();
            assert!(paths.contains(&path), "there is no `gt {command}`");
        }
    }

    #[test]
    fn a_repeated_option_adds_up_or_is_refused() {
        let faults = kit::cli::repeat::find_option_faults(&GT);
        assert!(faults.is_empty(), "{faults:#?}");
    }

    #[test]
    fn clap_accepts_the_command_line() {
        build_command_line().debug_assert();
    }

    #[test]
    fn help_of_every_command_is_the_same_parsed_alone_or_in_the_tree() {
        for sub in build_command_line().get_subcommands() {
            let args = ["gt", sub.get_name(), "--help"].map(OsString::from);
            // `gt bd` passes the flag on.
            let help = |tree: clap::Command| {
                let answer = tree.clone().try_get_matches_from(&args);
                answer.map_or_else(|error| error.render().to_string(), |_| String::new())
            };
            let lean = GT.build_lean(&args).unwrap();
            assert_eq!(help(lean), help(build_command_line()), "{}", sub.get_name());
        }
    }
}
