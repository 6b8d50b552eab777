//! The command line of `bd`: parses the arguments, makes one domain call and renders one report.
#![expect(
    clippy::needless_pass_by_value,
    clippy::struct_excessive_bools,
    clippy::format_push_string,
    reason = "every command is run(ctx, args) -> CommandResult; flags are bools; lines for people are built once"
)]

mod absent;
mod activity;
mod admin;
mod agent;
mod args;
mod assign;
mod audit;
mod batch;
mod blocked;
mod children;
mod cleanup;
mod close;
mod comment;
mod comments;
mod compact;
mod completion;
mod config;
mod context;
mod cook;
mod count;
mod create;
mod create_form;
mod daemon;
mod defer;
mod delete;
mod dep;
mod diff;
mod doctor;
mod duplicate;
mod duplicates;
mod each;
mod edit;
mod epic;
mod everyday;
mod export;
mod find_duplicates;
mod forget;
mod formula;
mod gate;
mod graph;
mod greet;
mod history;
mod hook;
mod hooks;
mod human;
mod import;
mod info;
mod init;
mod kv;
mod label;
mod line;
mod link;
mod lint;
mod list;
mod mail;
mod mcp;
mod memories;
mod merge;
mod merge_slot;
mod migrate;
mod mol;
#[path = "move.rs"]
mod move_;
mod note;
mod onboard;
mod orphans;
mod pin;
mod prime;
mod priority;
mod promote;
mod purge;
mod q;
mod query;
mod quickstart;
mod ready;
mod reassign;
mod recall;
mod refile;
mod relate;
mod remember;
mod rename;
mod rename_prefix;
mod reopen;
mod repair;
mod repo;
mod report;
mod resolve_conflicts;
mod restore;
mod schema;
mod search;
mod set_state;
mod setup;
mod ship;
mod show;
mod slot;
mod stale;
mod state;
mod status;
mod supersede;
mod swarm;
mod sync;
mod tag;
mod template;
mod todo;
mod town_beads;
mod types;
mod undefer;
mod undo;
mod uninstall;
mod unpin;
mod unrelate;
mod update;
mod usage;
mod version;
mod watch;
#[path = "where.rs"]
mod where_;
mod wisp;
mod worktree;

use std::ffi::OsString;
use std::process::ExitCode;

use bd::bead::id;
use bd::error::{self};
use bd::git;
use bd::store::find::{self, BeadsElsewhere};
use bd::store::upkeep;
use clap::Args;
use clap::error::{ContextKind, ContextValue};
use context::Context;
use kit::cli::overview::{self as help, HelpPage};
use kit::cli::parse::{ParsedCommandLine, Program};
use kit::cli::report::CommandResult;
use kit::failure::{Failure, UsageError};
use kit::gateway::{self, CallerLine, ForwardedError};
use kit::sys::Env;
use kit::ui::{self, Ui};

const BD: Program<RootArgs, Command, Whole> = Program::new("bd");

/// Track work as beads, in git, for humans and agents
///
/// A bead is one unit of work. Beads are lines of `.beads/issues.jsonl`, in git beside the code
/// they are about. There is no server. `bd create` makes a bead, `bd ready` lists beads to start
/// now, `bd update ID --claim` claims one, `bd close ID` closes it. Any unambiguous part of an id
/// stands for the id, except in `bd delete`, --deps, --waits-for and --parent, and for archived
/// beads.
///
/// The exit code is 0 if the command did what was asked, 3 if `update --expect-version` found
/// another version, and 1 for any other failure. With --json a failure is an object with `error`, a
/// stable `code`, and if they are known a `hint` and `similar` ids, on standard output and standard
/// error.
#[derive(Debug, Args)]
#[command(
    version,
    disable_version_flag = true,
    subcommand_help_heading = "Available Commands",
    help_template = "{about-with-newline}\n{usage-heading} {usage}\n\n{all-args}"
)]
struct RootArgs {
    #[command(flatten)]
    global: GlobalArgs,
    /// Print the version
    #[arg(short = 'V', long, help_heading = "Options")]
    version: bool,
}

/// Flags of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
struct GlobalArgs {
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    /// Act as NAME
    #[arg(long, global = true, value_name = "NAME")]
    actor: Option<String>,
    /// Use the beads in the folder of this file
    #[arg(long, global = true, value_name = "PATH")]
    db: Option<String>,
    /// Run as if started in this folder
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    directory: Option<String>,
    /// Refuse all changes
    #[arg(long, global = true)]
    readonly: bool,
    /// Print only data and errors; of a created bead its id
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Accepted for older scripts
    #[arg(short, long, global = true, hide = true)]
    verbose: bool,
    #[arg(long, global = true, hide = true)]
    no_db: bool,
    #[arg(long, global = true, hide = true)]
    no_daemon: bool,
    #[arg(long, global = true, hide = true)]
    no_auto_flush: bool,
    #[arg(long, global = true, hide = true)]
    no_auto_import: bool,
    #[arg(long, global = true, hide = true)]
    sandbox: bool,
    #[arg(long, global = true, hide = true)]
    allow_stale: bool,
    #[arg(long, global = true, hide = true)]
    profile: bool,
    #[arg(long, global = true, hide = true, value_name = "DURATION")]
    lock_timeout: Option<String>,
    #[arg(long, global = true, hide = true, value_name = "MODE")]
    dolt_auto_commit: Option<String>,
}

kit::program! {
    Init => init,
    Uninstall => uninstall,
    #[command(visible_alias = "new")]
    Create => create,
    Q => q,
    CreateForm => create_form,
    Batch => batch,
    #[command(visible_alias = "view")]
    Show => show,
    Update => update,
    Edit => edit,
    #[command(visible_alias = "done")]
    Close => close,
    Reopen => reopen,
    List => list,
    Children => children,
    Ready => ready,
    Blocked => blocked,
    Dep => dep,
    Graph => graph,
    #[command(hide = true)]
    Relate => relate,
    #[command(hide = true)]
    Unrelate => unrelate,
    Label => label,
    Comments => comments,
    Comment => comment,
    Delete => delete,
    Search => search,
    Query => query,
    Count => count,
    #[command(visible_alias = "stats")]
    Status => status,
    Epic => epic,
    Swarm => swarm,
    Stale => stale,
    Orphans => orphans,
    Duplicates => duplicates,
    Duplicate => duplicate,
    Supersede => supersede,
    #[command(visible_alias = "find-dups")]
    FindDuplicates => find_duplicates,
    State => state,
    SetState => set_state,
    Assign => assign,
    Priority => priority,
    Note => note,
    Tag => tag,
    Link => link,
    Pin => pin,
    Unpin => unpin,
    Rename => rename,
    RenamePrefix => rename_prefix,
    Move => move_,
    Refile => refile,
    Slot => slot,
    Agent => agent,
    Audit => audit,
    MergeSlot => merge_slot,
    Ship => ship,
    Remember => remember,
    Recall => recall,
    Memories => memories,
    Forget => forget,
    Kv => kv,
    Lint => lint,
    History => history,
    Diff => diff,
    Activity => activity,
    Undo => undo,
    Compact => compact,
    Purge => purge,
    Doctor => doctor,
    Repair => repair,
    ResolveConflicts => resolve_conflicts,
    Admin => admin,
    #[command(hide = true)]
    Cleanup => cleanup,
    Restore => restore,
    Defer => defer,
    Undefer => undefer,
    Todo => todo,
    Human => human,
    Mail => mail,
    Types => types,
    Formula => formula,
    Cook => cook,
    Mol => mol,
    Template => template,
    Promote => promote,
    #[command(hide = true)]
    Wisp => wisp,
    Gate => gate,
    Where => where_,
    Config => config,
    Completion => completion,
    Prime => prime,
    Setup => setup,
    Onboard => onboard,
    Quickstart => quickstart,
    Sync => sync,
    Export => export,
    Import => import,
    Info => info,
    Merge => merge,
    Hooks => hooks,
    Worktree => worktree,
    Repo => repo,
    #[command(hide = true)]
    Hook => hook,
    Migrate => migrate,
    #[command(hide = true, alias = "daemons")]
    Daemon => daemon,
    Mcp => mcp,
    Schema => schema,
    Version => version,
}

/// The table of the common commands, grouped by task, for the short help.
const COMMON_COMMANDS: &str = include_str!("../../templates/vocabulary/overview.txt");

/// Builds the whole command line. Man pages and completions are generated from it.
pub fn build_command_line() -> clap::Command {
    BD.build_whole()
}

/// Reads a line that is called in a jail. `None` for a request for help, which is answered there.
fn read_callers_line(args: &[OsString]) -> Option<CallerLine> {
    match BD.read(args.to_vec()) {
        Ok(line) => Some(CallerLine {
            files: BD.find_named_files(args, &line.paths),
            path: line.path,
        }),
        Err(error) => error.use_stderr().then(CallerLine::default),
    }
}

/// Checks a line that an agent in a jail called: its command, the files that it names, and that it
/// names neither other beads nor another author.
fn check_forwarded_line(line: &ParsedCommandLine<RootArgs, Command>) -> Result<(), ForwardedError> {
    if line.command.is_none() {
        return Ok(());
    }
    gateway::check_listed("bd", &line.path)?;
    gateway::check_options(&line.given, &["actor", "db", "directory"])?;
    gateway::check_named_files(&line.paths)
}

/// Runs one `bd` command line and returns its exit code.
pub fn main(env: Env, args: Vec<OsString>) -> ExitCode {
    let args = gateway::take_forwarded(args);
    let args = everyday::replace_everyday_word(args);
    let args = help::ask_command_for_help(args, build_command_line);
    if let Some(exit) = kit::cli::completion::answer_completion(&env, &args, || {
        completion::offer_values(build_command_line(), &env, &args)
    }) {
        return exit;
    }
    let is_json = args.iter().any(|arg| arg == "--json");
    let words: Vec<String> = args
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    if let Some(page) = help::find_page(&words) {
        return print_help(page, &env);
    }
    if let Some(exit) = gateway::forward_call(&env, "bd", &args, || read_callers_line(&args)) {
        return exit;
    }
    let line = match BD.read(args.clone()) {
        Ok(line) => line,
        Err(error) => {
            if let Some(args) = show_bead_instead(&error, args, &env) {
                return main(env, args);
            }
            return absent::answer_absent_command(&error, &words)
                .unwrap_or_else(|| report_usage_error(&error, &words, is_json, &env));
        }
    };
    let checked = check_forwarded_line(&line);
    let global = line.root.global;
    let json = global.json;
    let screen = Ui::new(json, global.quiet, &env);
    git::report_slow_remotes(ui::report_slow_remote);
    // Other programs print their version for `-v` alone.
    let is_alone = line.command.is_none();
    if line.root.version || (global.verbose && is_alone && words.len() == 2) {
        screen.raw(&format!("{}\n", version::format_version()));
        return screen.exit_code(0);
    }
    let Some(command) = line.command else {
        return print_page(HelpPage::Overview, &screen);
    };
    let ctx = match checked
        .map_err(anyhow::Error::from)
        .and_then(|()| build_context(env, &global))
        .and_then(|ctx| init_fresh_clone(ctx, &command, &global))
    {
        Ok(ctx) => ctx,
        Err(error) => return report_failure(&screen, &error),
    };
    greet::print_notices(&ctx, &command);
    let result = command.run(&ctx);
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
            let failure = error::describe_failure(&error).with_similar(find_similar(&ctx, &error));
            print_failure(&ctx.ui, &failure)
        }
    };
    let clock = (!ctx.is_readonly).then_some(&ctx.clock);
    upkeep::finish_command(&ctx.reports, clock, |notice| ctx.ui.warn(notice));
    exit
}

/// Prints help of the program and returns the exit code.
fn print_help(page: HelpPage, env: &Env) -> ExitCode {
    print_page(page, &Ui::new(false, false, env))
}

fn print_page(page: HelpPage, screen: &Ui) -> ExitCode {
    let text = help::format_page(page, build_command_line(), COMMON_COMMANDS);
    screen.raw(&text);
    screen.exit_code(0)
}

/// Returns the environment for the directory that the flags name.
fn resolve_env(env: Env, global: &GlobalArgs) -> anyhow::Result<Env> {
    let mut env = env;
    if let Some(folder) = &global.directory {
        let folder = env.make_absolute(folder);
        if !folder.is_dir() {
            let folder = folder.display();
            kit::bail_usage!("no such folder: {folder} (-C)");
        }
        env = env.in_dir(&folder);
    }
    if let Some(path) = &global.db {
        let dir = find::folder_of_database(&env.make_absolute(path));
        env = env.with_var("BEADS_DIR", &dir.to_string_lossy());
    }
    Ok(env)
}

fn build_context(env: Env, global: &GlobalArgs) -> anyhow::Result<Context> {
    let env = resolve_env(env, global)?;
    let mut ctx = Context::new(env, global.json, global.quiet, global.readonly)?;
    if global.db.is_some() {
        ctx.set_named_by("--db");
    }
    if let Some(actor) = &global.actor {
        ctx.config.set_flag("actor", actor);
    }
    Ok(ctx)
}

/// In a fresh clone, reads the beads from the sync branch before the command runs.
fn init_fresh_clone(
    mut ctx: Context,
    command: &Command,
    global: &GlobalArgs,
) -> anyhow::Result<Context> {
    let reads_beads = !matches!(
        command,
        Command::Init(_)
            | Command::Merge(_)
            | Command::Version(_)
            | Command::Completion(_)
            | Command::Quickstart(_)
            | Command::Schema(_)
            | Command::Daemon(_)
            | Command::Import(_)
            | Command::Migrate(_)
            | Command::Uninstall(_)
            | Command::Mcp(_)
    );
    let is_there = ctx
        .project()
        .is_ok_and(|found| found.dir.join("issues.jsonl").is_file());
    if is_there || !reads_beads {
        return Ok(ctx);
    }
    let found = ctx.project().ok();
    let Some(there) = bd::sync::fresh::find_fresh_clone(&ctx.env, &ctx.config, found) else {
        if found.is_none() {
            let on_branch = bd::sync::fresh::find_fresh_clone_around(&ctx.env, &ctx.config)
                .map(|there| BeadsElsewhere::Branch(there.branch));
            let place =
                on_branch.or_else(|| bd::sync::fresh::find_absent_beads(&ctx.env, &ctx.config));
            if let Some(place) = place {
                ctx.set_elsewhere(place);
            }
        }
        return Ok(ctx);
    };
    if ctx.is_readonly {
        let place = there.dir.display();
        ctx.ui.warn(&format!(
            "{place} has no beads yet, and their branch is not read in read-only mode"
        ));
        ctx.set_elsewhere(BeadsElsewhere::Branch(there.branch));
        return Ok(ctx);
    }
    let taken = there.fetch(&ctx.clock)?;
    ctx.ui.status(&init::describe_taken(&taken));
    build_context(ctx.env, global)
}

/// Prints the error of a failed command on standard error. With JSON, prints it on standard output
/// too, where existing clients look for it.
fn report_failure(screen: &Ui, error: &anyhow::Error) -> ExitCode {
    print_failure(screen, &bd::error::describe_failure(error))
}

fn print_failure(screen: &Ui, failure: &Failure) -> ExitCode {
    if screen.is_json() {
        screen.raw(&kit::json::to_pretty_json(&failure.json()));
    }
    screen.error(failure);
    ExitCode::from(failure.exit)
}

/// Returns ids similar to the id that a failed command did not find.
fn find_similar(ctx: &Context, error: &anyhow::Error) -> Vec<String> {
    let Some(given) = error::unknown_id(error) else {
        return Vec::new();
    };
    let Ok(snapshot) = ctx
        .store_for_id(given)
        .and_then(|store| Ok(store.snapshot()?))
    else {
        return Vec::new();
    };
    id::find_similar_ids(
        given,
        snapshot
            .bead_refs()
            .filter(|bead| !bead.is_tombstone())
            .map(|bead| bead.id()),
    )
}

/// Returns the line that shows a bead, for a line whose command is the id of one.
fn show_bead_instead(error: &clap::Error, args: Vec<OsString>, env: &Env) -> Option<Vec<OsString>> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let at = args.iter().position(|arg| arg == word.as_str())?;
    let is_command = args[1..at]
        .iter()
        .all(|arg| arg.to_string_lossy().starts_with('-'));
    let is_alone = args[at + 1..]
        .iter()
        .all(|arg| arg.to_string_lossy().starts_with('-'));
    if !is_command || !is_alone || !word.contains('-') {
        return None;
    }
    let ctx = Context::new(env.clone(), false, true, true).ok()?;
    let snapshot = ctx.store_for_id(word).ok()?.snapshot().ok()?;
    snapshot.bead_ref(word)?;
    let mut line = args;
    line.insert(at, OsString::from("show"));
    Some(line)
}

/// Prints help or a usage error, and returns the exit code.
fn report_usage_error(error: &clap::Error, words: &[String], is_json: bool, env: &Env) -> ExitCode {
    let screen = Ui::new(is_json && error.use_stderr(), false, &Env::default());
    if let Some(failure) = usage::describe_unknown(error, words, env) {
        return print_failure(&screen, &failure);
    }
    if screen.is_json() {
        return report_failure(&screen, &UsageError(plain_usage(error)).into());
    }
    // Existing clients know only 1 as the exit code of a failure.
    screen.exit_code(screen.command_line(error).min(1))
}

/// Returns clap's message in one line, without the usage below it.
fn plain_usage(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let message = rendered.strip_prefix("error: ").unwrap_or(&rendered);
    let text = message.split("\n\nUsage:").next().unwrap_or(message);
    let (text, tips) = text.split_once("\n\n  tip: ").unwrap_or((text, ""));
    let tip = match join_words(tips.split("\n\n").next().unwrap_or("")) {
        tip if tip.is_empty() => tip,
        tip => format!(" ({tip})"),
    };
    format!("{}{tip}", join_words(text))
}

fn join_words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn clap_accepts_the_command_line() {
        super::build_command_line().debug_assert();
    }

    #[test]
    fn each_command_of_the_overview_exists_and_appears_once() {
        let command = super::build_command_line();
        let faults = kit::cli::overview::find_faults(&command, super::COMMON_COMMANDS);
        assert!(faults.is_empty(), "{faults:?}");
    }
}

#[cfg(test)]
mod parse_tests;
