//! The command line: parses the requests of users and hooks, and formats the answers.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::CompleteEnv;
use serde_json::{Value as Json, json};

use crate::brief::BeadArea;
use crate::constraint::{self, CODES, ConstraintMeaning};
use crate::validate::{self, ValidationOutcome};
use crate::vault::Vault;
use crate::waiver::{self, Waiver};
use crate::{brief, decision, install, plant, review, sys};

/// Review convoys against the patterns of a repository
///
/// A plugin of Gas Town: `gt keeper install` in a rig puts its hooks in place, `gt keeper plant`
/// fills the seed vault. From then on `gt convoy create` is reviewed: known patterns are reused,
/// near ones extended, new ones allowed or left to the user, by the mode in keeper/keeper.yaml. The
/// merge queue checks the result.
#[derive(Debug, Parser)]
#[command(name = "gt-keeper", version)]
struct KeeperArgs {
    /// The folder that holds `keeper/` (default: GT_RIG_ROOT, else the nearest one above)
    #[arg(long, global = true, value_name = "PATH")]
    root: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: KeeperCommand,
}

#[derive(Debug, Subcommand)]
enum KeeperCommand {
    /// Install the hooks in a rig's `hooks/` folder
    Install,
    /// Remove the hooks, and keep seeds and decisions
    Uninstall,
    /// Fill the seed vault from a repository, keeping edits
    Plant {
        /// The repository (default: the rig's own clone)
        source: Option<PathBuf>,
    },
    /// Review a convoy (the pre-convoy hook)
    ///
    /// Exit code 0 approves, 3 leaves the decision to the user, 1 rejects.
    Review(ReviewArgs),
    /// Review a specification without recording a decision
    Look(ReviewArgs),
    /// Record the user's decision (the convoy-reviewed hook)
    Reviewed,
    /// Print a decision in a few lines (the convoy-briefing hook)
    Brief {
        /// The decision, such as ADR-017 (default: that of the hook's variables)
        decision: Option<String>,
    },
    /// Check a change against its decision (the pre-merge hook)
    ///
    /// The exit code is 1 if a rule is broken.
    Validate(ValidateArgs),
    /// Waive a rule of a decision, and record the reason
    Waive(WaiveArgs),
    /// Explain constraint codes (default: all)
    Explain {
        /// Codes, or a decision with codes
        codes: Vec<String>,
    },
    /// List the decisions
    List,
    /// Show a decision
    Show {
        /// The decision, such as ADR-017
        decision: String,
    },
}

#[derive(Debug, Args)]
struct ReviewArgs {
    /// The convoy's name (default: GT_CONVOY_NAME)
    #[arg(long)]
    name: Option<String>,
    /// The convoy's specification (default: GT_CONVOY_SPEC_FILE or GT_CONVOY_SPEC)
    #[arg(long)]
    spec: Option<String>,
}

#[derive(Debug, Args)]
struct ValidateArgs {
    /// The decision, such as ADR-017 (default: that of the hook's variables)
    decision: Option<String>,
    /// The commit without the change (default: GT_BASE)
    #[arg(long)]
    base: Option<String>,
    /// The commit with the change (default: GT_COMMIT)
    #[arg(long)]
    commit: Option<String>,
}

#[derive(Debug, Args)]
struct WaiveArgs {
    /// The decision, such as ADR-017
    decision: String,
    /// The rule's text, or the constraint's code
    rule: String,
    /// The reason
    #[arg(long)]
    reason: String,
    /// Waive it only in this file
    #[arg(long, default_value = "")]
    file: String,
}

struct CommandAnswer {
    text: String,
    json: Json,
    exit: u8,
}

impl CommandAnswer {
    fn new(text: String, json: Json) -> Self {
        let exit = 0;
        Self { text, json, exit }
    }
}

/// Builds the whole command line. Man pages and completions are generated from it.
pub fn build_command_line() -> clap::Command {
    KeeperArgs::command()
}

/// Runs one command line and returns its exit code.
pub fn main(args: Vec<OsString>) -> ExitCode {
    if is_completion_answered(&args) {
        return ExitCode::SUCCESS;
    }
    let read = build_command_line().try_get_matches_from(args);
    let keeper = match read.and_then(|found| KeeperArgs::from_arg_matches(&found)) {
        Ok(keeper) => keeper,
        Err(error) => {
            if error.use_stderr() {
                let text = error.render().to_string();
                let text = text.strip_prefix("error: ").unwrap_or(&text);
                sys::print_error(&format!("Error: {}", text.trim_end()));
            } else {
                // If standard output is closed, the help is not needed.
                error.print().ok();
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match run(&keeper) {
        Ok(answer) => {
            let text = if keeper.json {
                format!("{:#}\n", answer.json)
            } else {
                answer.text
            };
            if let Err(error) = sys::print_text(&text) {
                sys::print_error(&format!("Error: cannot write to standard output: {error}"));
                return failure_code(&keeper.command);
            }
            ExitCode::from(answer.exit)
        }
        Err(error) => {
            let text = escape_control_chars(&format!("{error:#}"));
            if keeper.json {
                sys::print_error(&json!({ "error": text, "code": "failed" }).to_string());
            } else {
                sys::print_error(&format!("Error: {text}"));
            }
            failure_code(&keeper.command)
        }
    }
}

/// Returns the exit code of a failed command. A change that could not be checked is not rejected;
/// the user must look at it.
fn failure_code(command: &KeeperCommand) -> ExitCode {
    match command {
        KeeperCommand::Review(_) | KeeperCommand::Validate(_) => ExitCode::from(3),
        _ => ExitCode::FAILURE,
    }
}

/// Prints candidates for a shell that completes a command line. Returns true if a shell requested
/// them.
fn is_completion_answered(args: &[OsString]) -> bool {
    if !["bash", "zsh", "fish"].contains(&sys::env_var("COMPLETE").as_str()) {
        return false;
    }
    // A shell that completes a line cannot show an error. The user sees no candidates.
    CompleteEnv::with_factory(build_command_line)
        .try_complete(args.iter().cloned(), Some(&sys::working_dir()))
        .ok();
    true
}

fn run(keeper: &KeeperArgs) -> anyhow::Result<CommandAnswer> {
    let root = find_root(keeper.root.as_deref(), &keeper.command)?;
    match &keeper.command {
        KeeperCommand::Install => {
            let placed = install::install_hooks(&root, &sys::program_path()?)?;
            Ok(list_paths("installed", &placed))
        }
        KeeperCommand::Uninstall => Ok(list_paths("removed", &install::uninstall_hooks(&root)?)),
        KeeperCommand::Plant { source } => run_plant(&root, source.as_deref()),
        KeeperCommand::Review(args) => run_review(&root, args),
        KeeperCommand::Look(args) => preview_review(&root, args),
        KeeperCommand::Reviewed => {
            let answer = sys::env_var("GT_CONVOY_REVIEW");
            anyhow::ensure!(
                matches!(answer.as_str(), "approved" | "rejected"),
                "GT_CONVOY_REVIEW says neither approved nor rejected"
            );
            let path = sys::env_var("GT_CONVOY_ADR_PATH");
            if !path.is_empty() {
                review::record_answer(&root, &path, &answer)?;
            }
            Ok(CommandAnswer::new(
                String::new(),
                json!({ "answer": answer }),
            ))
        }
        KeeperCommand::Brief { decision } => run_brief(&root, decision.as_deref()),
        KeeperCommand::Validate(args) => run_validate(&root, args),
        KeeperCommand::Waive(args) => run_waive(&root, args),
        KeeperCommand::Explain { codes } => run_explain(&root, codes),
        KeeperCommand::List => run_list(&root),
        KeeperCommand::Show { decision } => {
            let path = decision::find_decision(&root, decision)?;
            let text = sys::read_text(&path)?
                .with_context(|| format!("there is no decision {}", path.display()))?;
            let json = json!({ "id": decision, "path": path, "text": text });
            Ok(CommandAnswer::new(escape_control_chars(&text), json))
        }
    }
}

/// Finds the folder that contains `keeper/`.
fn find_root(requested: Option<&Path>, command: &KeeperCommand) -> anyhow::Result<PathBuf> {
    if let Some(root) = requested {
        return Ok(sys::working_dir().join(root));
    }
    let by_hook = sys::env_var("GT_RIG_ROOT");
    if !by_hook.is_empty() {
        return Ok(PathBuf::from(by_hook));
    }
    let cwd = sys::working_dir();
    let may_begin = matches!(
        command,
        KeeperCommand::Install | KeeperCommand::Plant { .. }
    );
    let found = cwd
        .ancestors()
        .find(|folder| {
            let keeper = folder.join("keeper");
            ["keeper.yaml", "seeds", "decisions"]
                .iter()
                .any(|name| keeper.join(name).exists())
        })
        .or_else(|| {
            // The root of a rig has the repository as a subfolder.
            cwd.ancestors()
                .find(|folder| may_begin && folder.join(".repo.git").is_dir())
        });
    found
        .map(Path::to_owned)
        .context("there is no keeper/ here or above: go to a rig's folder, or say --root PATH")
}

fn list_paths(what: &str, paths: &[PathBuf]) -> CommandAnswer {
    let lines: String = paths
        .iter()
        .map(|path| format!("✓ {what} {}\n", path.display()))
        .collect();
    let text = if lines.is_empty() {
        format!("nothing was {what}\n")
    } else {
        lines
    };
    CommandAnswer::new(text, json!({ what: paths }))
}

fn run_plant(root: &Path, source: Option<&Path>) -> anyhow::Result<CommandAnswer> {
    let (source, planted) = plant::plant_from(root, source)?;
    let mut text = format!("read {} files of {source}\n", planted.files);
    for domain in &planted.domains {
        text.push_str(&format!(
            "✓ keeper/seeds/{}.yaml: {} seeds, {} new\n",
            domain.name, domain.seeds, domain.new
        ));
    }
    let left = planted.left();
    if left > 0 {
        text.push_str(&format!(
            "! {left} more found no room: so many are no pattern\n"
        ));
    }
    let domains: Vec<Json> = planted
        .domains
        .iter()
        .map(|domain| json!({ "domain": domain.name, "seeds": domain.seeds, "new": domain.new }))
        .collect();
    Ok(CommandAnswer::new(
        text,
        json!({ "files": planted.files, "domains": domains, "left": left }),
    ))
}

/// Returns the value from the command line, from the file that a variable names, or from a
/// variable.
fn read_text_option(given: Option<&String>, name: &str) -> anyhow::Result<String> {
    if let Some(text) = given {
        return Ok(text.clone());
    }
    let file = sys::env_var(&format!("{name}_FILE"));
    if file.is_empty() {
        return Ok(sys::env_var(name));
    }
    sys::read_text(Path::new(&file))
        .with_context(|| format!("cannot read {file}"))?
        .with_context(|| format!("{name}_FILE names {file}, which does not exist"))
}

fn run_review(root: &Path, args: &ReviewArgs) -> anyhow::Result<CommandAnswer> {
    let question = review::ReviewRequest {
        title: read_text_option(args.name.as_ref(), "GT_CONVOY_NAME")?,
        spec: read_text_option(args.spec.as_ref(), "GT_CONVOY_SPEC")?,
        mode: sys::env_var("KEEPER_MODE"),
    };
    let reply = review::run_hook(root, &question)?;
    if !reply.words.is_empty() {
        sys::print_error(&escape_control_chars(&reply.words));
    }
    let json = json!({ "result": reply.result, "reason": reply.words });
    let mut answer = CommandAnswer::new(reply.result, json);
    answer.exit = reply.exit;
    Ok(answer)
}

/// Shows the result of a review without writing anything.
fn preview_review(root: &Path, args: &ReviewArgs) -> anyhow::Result<CommandAnswer> {
    let name = read_text_option(args.name.as_ref(), "GT_CONVOY_NAME")?;
    let spec = read_text_option(args.spec.as_ref(), "GT_CONVOY_SPEC")?;
    let text = format!("{name}.\n{spec}");
    let mode = review::KeeperMode::choose(root, &sys::env_var("KEEPER_MODE"))?;
    let found = review::review_text(
        &Vault::load(root)?,
        mode,
        &spec,
        &text,
        &sys::format_today(),
    );
    let written = found.decision.to_yaml();
    let json = json!({ "status": found.status.word(), "new": found.gated, "decision": written });
    Ok(CommandAnswer::new(escape_control_chars(&written), json))
}

fn run_brief(root: &Path, id: Option<&str>) -> anyhow::Result<CommandAnswer> {
    let path = sys::env_var("GT_CONVOY_ADR_PATH");
    let decision = match id {
        Some(id) => decision::load_decision(&decision::find_decision(root, id)?)?,
        None if path.is_empty() => {
            return Ok(CommandAnswer::new(String::new(), json!({ "text": "" })));
        }
        None => decision::load_below(root, &path)?,
    };
    // The first session of a convoy gets the whole decision, a later one the clauses that touch its
    // bead.
    let area = if sys::env_var("GT_CONVOY_LATER").is_empty() {
        None
    } else {
        let bead = format!(
            "{}.\n{}",
            sys::env_var("GT_BEAD_TITLE"),
            sys::env_var("GT_BEAD_DESCRIPTION")
        );
        BeadArea::from_text(&Vault::load(root)?, &bead)
    };
    let text = brief::build_brief(root, &decision, area.as_ref());
    let json = json!({ "text": text });
    Ok(CommandAnswer::new(text, json))
}

fn run_validate(root: &Path, args: &ValidateArgs) -> anyhow::Result<CommandAnswer> {
    let front = sys::env_var("GT_FRONT_MATTER");
    let found = match &args.decision {
        Some(id) => decision::load_decision(&decision::find_decision(root, id)?).map(Some),
        None => {
            validate::load_decision_of_change(root, &sys::env_var("GT_CONVOY_ADR_PATH"), &front)
        }
    };
    let decision = match found {
        Ok(Some(decision)) => decision,
        Ok(None) => {
            let text = "no decision was made about this change\n".to_owned();
            return Ok(CommandAnswer::new(
                text,
                json!({ "passes": true, "findings": [], "notes": [] }),
            ));
        }
        // An unreadable decision must not be ignored.
        Err(error) => {
            sys::print_error(&escape_control_chars(&format!(
                "its decision cannot be checked: {error:#}"
            )));
            let mut answer = CommandAnswer::new(String::new(), json!({ "passes": false }));
            answer.exit = 3;
            return Ok(answer);
        }
    };
    let base = read_text_option(args.base.as_ref(), "GT_BASE")?;
    let commit = read_text_option(args.commit.as_ref(), "GT_COMMIT")?;
    let files = validate::list_changed_files(&sys::working_dir(), &base, &commit)?;
    let outcome = validate::check_change(
        &decision,
        &validate::parse_overrides(&front),
        &waiver::load_waivers(root)?,
        &files,
    );
    Ok(report_validation(decision.field("id"), &outcome))
}

fn report_validation(adr: &str, outcome: &ValidationOutcome) -> CommandAnswer {
    let mut text = String::new();
    for finding in &outcome.findings {
        let place = format!("{}:{}", finding.file, finding.line);
        let mut line = format!(
            "{place}: rule \"{}\" of {adr}: {}",
            finding.rule, finding.what
        );
        if let Some(why) = &finding.waived {
            line.push_str(&format!(" (waived: {why})"));
        }
        text.push_str(&escape_control_chars(&line));
        text.push('\n');
    }
    for note in &outcome.notes {
        text.push_str(&escape_control_chars(&format!("note: {note}")));
        text.push('\n');
    }
    if outcome.is_passed() {
        text.push_str(&format!("✓ nothing breaks {adr}\n"));
    } else {
        text.push_str(&format!(
            "Fix it, or let the user decide: gt keeper waive {adr} RULE --reason WHY\n"
        ));
    }
    let findings: Vec<Json> = outcome
        .findings
        .iter()
        .map(|finding| {
            json!({ "rule": finding.rule, "file": finding.file, "line": finding.line, "what": finding.what,
                "waived": finding.waived })
        })
        .collect();
    let json = json!({ "passes": outcome.is_passed(), "decision": adr, "findings": findings,
        "notes": outcome.notes });
    let mut answer = CommandAnswer::new(text, json);
    answer.exit = u8::from(!outcome.is_passed());
    answer
}

fn run_waive(root: &Path, args: &WaiveArgs) -> anyhow::Result<CommandAnswer> {
    let decision = decision::load_decision(&decision::find_decision(root, &args.decision)?)?;
    let by = [sys::env_var("GT_ROLE"), sys::env_var("USER")];
    let waiver = Waiver {
        adr: decision.field("id").to_owned(),
        rule: args.rule.clone(),
        file: args.file.clone(),
        reason: args.reason.clone(),
        by: by.into_iter().find(|by| !by.is_empty()).unwrap_or_default(),
    };
    let path = waiver.save(root)?;
    let text = format!(
        "✓ kept in {path}\n  it counts from the next check on; a merge that was stopped before is checked again once its task is closed: gt mq list, bd close TASK\n"
    );
    Ok(CommandAnswer::new(text, json!({ "waiver": path })))
}

fn run_explain(root: &Path, codes: &[String]) -> anyhow::Result<CommandAnswer> {
    let mut asked: Vec<String> = Vec::new();
    for code in codes {
        if code.starts_with("ADR-") {
            let decision = decision::load_decision(&decision::find_decision(root, code)?)?;
            asked.extend(decision.texts("constraints"));
        } else {
            asked.push(code.clone());
        }
    }
    if codes.is_empty() {
        asked = CODES.iter().map(|code| code.code.to_owned()).collect();
    }
    let mut text = String::new();
    let mut list = Vec::new();
    let mut unknown = false;
    for asked_code in &asked {
        let (known, means) = match constraint::parse_constraint(asked_code) {
            ConstraintMeaning::Known(code) => (true, code.meaning.to_owned()),
            ConstraintMeaning::Prose => (true, String::new()),
            ConstraintMeaning::Unknown => (false, "unknown: no constraint is called so".to_owned()),
        };
        unknown |= !known;
        let line = if means.is_empty() {
            asked_code.clone()
        } else {
            format!("{asked_code}: {means}")
        };
        text.push_str(&escape_control_chars(&line));
        text.push('\n');
        list.push(json!({ "code": asked_code, "known": known, "meaning": means }));
    }
    let mut answer = CommandAnswer::new(text, Json::Array(list));
    answer.exit = u8::from(unknown);
    Ok(answer)
}

fn run_list(root: &Path) -> anyhow::Result<CommandAnswer> {
    let mut text = String::new();
    let mut list = Vec::new();
    for path in sys::list_files(&decision::decisions_folder(root), "yaml")? {
        let found = decision::load_decision(&path)?;
        let id = found.field("id");
        let status = found.field("status");
        let spec = found.field("spec");
        text.push_str(&escape_control_chars(&format!("{id}  {status:<8}  {spec}")));
        text.push('\n');
        list.push(json!({ "id": id, "status": status, "spec": spec, "path": path }));
    }
    if list.is_empty() {
        text.push_str("no decisions yet\n");
    }
    Ok(CommandAnswer::new(text, Json::Array(list)))
}

/// Escapes characters in the text of files that a terminal would interpret.
fn escape_control_chars(text: &str) -> String {
    text.replace(|c: char| c.is_control() && c != '\n', " ")
}
