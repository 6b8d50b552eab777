//! The command line: what people and hooks ask, and how the answer reads.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::CompleteEnv;
use serde_json::{Value as Json, json};

use crate::brief::Area;
use crate::constraint::{self, CODES, Meaning};
use crate::validate::{self, Outcome};
use crate::vault::Vault;
use crate::waiver::{self, Waiver};
use crate::{brief, decision, install, plant, review, sys};

/// Review convoys against the patterns of a repository
///
/// A plugin of Gas Town: `gt keeper install` in a rig puts its hooks in place, `gt keeper plant` fills the seed vault.
/// From then on `gt convoy create` is reviewed: known patterns are reused, near ones extended, new ones
/// allowed or left to a person, by the mode in keeper/keeper.yaml. The merge queue checks the result.
#[derive(Debug, Parser)]
#[command(name = "gt-keeper", version)]
struct Keeper {
    /// The folder that holds `keeper/` (default: GT_RIG_ROOT, else the nearest one above)
    #[arg(long, global = true, value_name = "PATH")]
    root: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
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
    /// Exit code 0 approves, 3 leaves the decision to a person, 1 rejects.
    Review(ReviewArgs),
    /// Review a specification without recording a decision
    Look(ReviewArgs),
    /// Record a person's decision (the convoy-reviewed hook)
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

/// What a command answers.
struct Answer {
    text: String,
    json: Json,
    exit: u8,
}

impl Answer {
    fn new(text: String, json: Json) -> Self {
        let exit = 0;
        Self { text, json, exit }
    }
}

/// The whole command line, for man pages and completions.
pub fn command() -> clap::Command {
    Keeper::command()
}

/// Runs one command line and says how it ended.
pub fn main(args: Vec<OsString>) -> ExitCode {
    if answers_shell(&args) {
        return ExitCode::SUCCESS;
    }
    let read = command().try_get_matches_from(args);
    let keeper = match read.and_then(|found| Keeper::from_arg_matches(&found)) {
        Ok(keeper) => keeper,
        Err(error) => {
            if error.use_stderr() {
                let text = error.render().to_string();
                let text = text.strip_prefix("error: ").unwrap_or(&text);
                sys::complain(&format!("Error: {}", text.trim_end()));
            } else {
                // Where standard output is closed nobody asked for help.
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
            sys::say(&text);
            ExitCode::from(answer.exit)
        }
        Err(error) => {
            let text = clean(&format!("{error:#}"));
            if keeper.json {
                sys::complain(&json!({ "error": text, "code": "failed" }).to_string());
            } else {
                sys::complain(&format!("Error: {text}"));
            }
            // What could not be judged is not refused: a person has to look.
            match keeper.command {
                Command::Review(_) | Command::Validate(_) => ExitCode::from(3),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

/// Prints candidates for a shell that completes a line; says whether a shell asked.
fn answers_shell(args: &[OsString]) -> bool {
    if !["bash", "zsh", "fish"].contains(&sys::var("COMPLETE").as_str()) {
        return false;
    }
    // A shell that completes a line has no place for an error: its user sees no candidates.
    CompleteEnv::with_factory(command)
        .try_complete(args.iter().cloned(), Some(&sys::cwd()))
        .ok();
    true
}

fn run(keeper: &Keeper) -> anyhow::Result<Answer> {
    let root = root(keeper.root.as_deref(), &keeper.command)?;
    match &keeper.command {
        Command::Install => {
            let placed = install::install(&root, &sys::exe()?)?;
            Ok(paths("installed", &placed))
        }
        Command::Uninstall => Ok(paths("removed", &install::uninstall(&root)?)),
        Command::Plant { source } => planted(&root, source.as_deref()),
        Command::Review(args) => reviewing(&root, args),
        Command::Look(args) => looking(&root, args),
        Command::Reviewed => {
            let answer = sys::var("GT_CONVOY_REVIEW");
            anyhow::ensure!(
                matches!(answer.as_str(), "approved" | "rejected"),
                "GT_CONVOY_REVIEW says neither approved nor rejected"
            );
            let path = sys::var("GT_CONVOY_ADR_PATH");
            if !path.is_empty() {
                review::answered(&root, &path, &answer)?;
            }
            Ok(Answer::new(String::new(), json!({ "answer": answer })))
        }
        Command::Brief { decision } => briefing(&root, decision.as_deref()),
        Command::Validate(args) => validating(&root, args),
        Command::Waive(args) => waiving(&root, args),
        Command::Explain { codes } => explaining(&root, codes),
        Command::List => listing(&root),
        Command::Show { decision } => {
            let path = decision::find(&root, decision)?;
            let text = sys::read(&path)?.unwrap_or_default();
            let json = json!({ "id": decision, "path": path, "text": text });
            Ok(Answer::new(clean(&text), json))
        }
    }
}

/// The folder that holds `keeper/`.
fn root(said: Option<&Path>, command: &Command) -> anyhow::Result<PathBuf> {
    if let Some(root) = said {
        return Ok(sys::cwd().join(root));
    }
    let by_hook = sys::var("GT_RIG_ROOT");
    if !by_hook.is_empty() {
        return Ok(PathBuf::from(by_hook));
    }
    let cwd = sys::cwd();
    let is_keepers = |folder: &&Path| {
        let keeper = folder.join("keeper");
        ["keeper.yaml", "seeds", "decisions"]
            .iter()
            .any(|name| keeper.join(name).exists())
    };
    // A rig's root has its repository beside it.
    let is_rig = |folder: &&Path| folder.join(".repo.git").is_dir();
    let begins = matches!(command, Command::Install | Command::Plant { .. });
    let found = cwd.ancestors().find(is_keepers);
    let found = found.or_else(|| cwd.ancestors().find(|folder| begins && is_rig(folder)));
    found
        .map(Path::to_owned)
        .context("there is no keeper/ here or above: go to a rig's folder, or say --root PATH")
}

fn paths(what: &str, paths: &[PathBuf]) -> Answer {
    let lines: String = paths
        .iter()
        .map(|path| format!("✓ {what} {}\n", path.display()))
        .collect();
    let text = if lines.is_empty() {
        format!("nothing was {what}\n")
    } else {
        lines
    };
    Answer::new(text, json!({ what: paths }))
}

fn planted(root: &Path, source: Option<&Path>) -> anyhow::Result<Answer> {
    let source = plant::source(root, source);
    let planted = plant::plant(root, &source)?;
    let mut text = format!("read {} files of {}\n", planted.files, source.display());
    for (domain, count, new) in &planted.domains {
        text.push_str(&format!(
            "✓ keeper/seeds/{domain}.yaml: {count} seeds, {new} new\n"
        ));
    }
    if planted.left > 0 {
        text.push_str(&format!(
            "! {} more found no room: so many are no pattern\n",
            planted.left
        ));
    }
    let domains: Vec<Json> = planted
        .domains
        .iter()
        .map(|(domain, count, new)| json!({ "domain": domain, "seeds": count, "new": new }))
        .collect();
    Ok(Answer::new(
        text,
        json!({ "files": planted.files, "domains": domains, "left": planted.left }),
    ))
}

/// A value of the command line, else of the file that a variable names, else of a variable.
fn said(given: Option<&String>, name: &str) -> anyhow::Result<String> {
    if let Some(text) = given {
        return Ok(text.clone());
    }
    let file = sys::var(&format!("{name}_FILE"));
    if file.is_empty() {
        return Ok(sys::var(name));
    }
    let text = sys::read(Path::new(&file)).with_context(|| format!("cannot read {file}"))?;
    Ok(text.unwrap_or_default())
}

fn reviewing(root: &Path, args: &ReviewArgs) -> anyhow::Result<Answer> {
    let question = review::Question {
        title: said(args.name.as_ref(), "GT_CONVOY_NAME")?,
        spec: said(args.spec.as_ref(), "GT_CONVOY_SPEC")?,
        mode: sys::var("KEEPER_MODE"),
    };
    let reply = review::hook(root, &question)?;
    if !reply.words.is_empty() {
        sys::complain(&clean(&reply.words));
    }
    let json = json!({ "result": reply.result, "reason": reply.words });
    let mut answer = Answer::new(reply.result, json);
    answer.exit = reply.exit;
    Ok(answer)
}

/// What a review would come to; nothing is written.
fn looking(root: &Path, args: &ReviewArgs) -> anyhow::Result<Answer> {
    let name = said(args.name.as_ref(), "GT_CONVOY_NAME")?;
    let spec = said(args.spec.as_ref(), "GT_CONVOY_SPEC")?;
    let text = format!("{name}.\n{spec}");
    let mode = review::Mode::choose(root, &sys::var("KEEPER_MODE"))?;
    let found = review::review(&Vault::load(root)?, mode, &spec, &text, &sys::today());
    let written = found.decision.write();
    let json = json!({ "status": found.status.word(), "new": found.gated, "decision": written });
    Ok(Answer::new(clean(&written), json))
}

fn briefing(root: &Path, id: Option<&str>) -> anyhow::Result<Answer> {
    let path = sys::var("GT_CONVOY_ADR_PATH");
    let decision = match id {
        Some(id) => decision::load(&decision::find(root, id)?)?,
        None if path.is_empty() => return Ok(Answer::new(String::new(), json!({ "text": "" }))),
        None => decision::load_below(root, &path)?,
    };
    // The first session of a convoy gets the whole decision, a later one the clauses that touch its bead.
    let area = if sys::var("GT_CONVOY_LATER").is_empty() {
        None
    } else {
        let bead = format!(
            "{}.\n{}",
            sys::var("GT_BEAD_TITLE"),
            sys::var("GT_BEAD_DESCRIPTION")
        );
        Area::of(&Vault::load(root)?, &bead)
    };
    let text = brief::brief(root, &decision, area.as_ref());
    let json = json!({ "text": text });
    Ok(Answer::new(text, json))
}

fn validating(root: &Path, args: &ValidateArgs) -> anyhow::Result<Answer> {
    let front = sys::var("GT_FRONT_MATTER");
    let found = match &args.decision {
        Some(id) => decision::load(&decision::find(root, id)?).map(Some),
        None => validate::decision_of(root, &sys::var("GT_CONVOY_ADR_PATH"), &front),
    };
    let decision = match found {
        Ok(Some(decision)) => decision,
        Ok(None) => {
            let text = "no decision was made about this change\n".to_owned();
            return Ok(Answer::new(
                text,
                json!({ "passes": true, "findings": [], "notes": [] }),
            ));
        }
        // What was decided and cannot be read is not passed over.
        Err(error) => {
            sys::complain(&clean(&format!(
                "its decision cannot be checked: {error:#}"
            )));
            let mut answer = Answer::new(String::new(), json!({ "passes": false }));
            answer.exit = 3;
            return Ok(answer);
        }
    };
    let base = said(args.base.as_ref(), "GT_BASE")?;
    let commit = said(args.commit.as_ref(), "GT_COMMIT")?;
    let files = validate::changed(&sys::cwd(), &base, &commit)?;
    let outcome = validate::check(
        &decision,
        &validate::overrides(&front),
        &waiver::all(root)?,
        &files,
    );
    Ok(checked(decision.field("id"), &outcome))
}

fn checked(adr: &str, outcome: &Outcome) -> Answer {
    let mut text = String::new();
    for one in &outcome.findings {
        let place = format!("{}:{}", one.file, one.line);
        let line = format!("{place}: rule \"{}\" of {adr}: {}", one.rule, one.what);
        let waived = one.waived.as_ref();
        let waived = waived.map(|why| format!(" (waived: {why})"));
        text.push_str(&clean(&format!("{line}{}", waived.unwrap_or_default())));
        text.push('\n');
    }
    for note in &outcome.notes {
        text.push_str(&clean(&format!("note: {note}")));
        text.push('\n');
    }
    if outcome.passes() {
        text.push_str(&format!("✓ nothing breaks {adr}\n"));
    } else {
        text.push_str(&format!(
            "Mend it, or let a person decide: gt keeper waive {adr} RULE --reason WHY\n"
        ));
    }
    let findings: Vec<Json> = outcome
        .findings
        .iter()
        .map(|one| {
            json!({ "rule": one.rule, "file": one.file, "line": one.line, "what": one.what,
                "waived": one.waived })
        })
        .collect();
    let json = json!({ "passes": outcome.passes(), "decision": adr, "findings": findings,
        "notes": outcome.notes });
    let mut answer = Answer::new(text, json);
    answer.exit = u8::from(!outcome.passes());
    answer
}

fn waiving(root: &Path, args: &WaiveArgs) -> anyhow::Result<Answer> {
    let decision = decision::load(&decision::find(root, &args.decision)?)?;
    let by = [sys::var("GT_ROLE"), sys::var("USER")];
    let waiver = Waiver {
        adr: decision.field("id").to_owned(),
        rule: args.rule.clone(),
        file: args.file.clone(),
        reason: args.reason.clone(),
        by: by.into_iter().find(|by| !by.is_empty()).unwrap_or_default(),
    };
    let path = waiver.keep(root)?;
    let text = format!(
        "✓ kept in {path}\n  it counts from the next check on; a merge that was stopped before is checked again once its task is closed: gt mq list, bd close TASK\n"
    );
    Ok(Answer::new(text, json!({ "waiver": path })))
}

fn explaining(root: &Path, codes: &[String]) -> anyhow::Result<Answer> {
    let mut asked: Vec<String> = Vec::new();
    for code in codes {
        if code.starts_with("ADR-") {
            let decision = decision::load(&decision::find(root, code)?)?;
            asked.extend(decision.texts("constraints"));
        } else {
            asked.push(code.clone());
        }
    }
    if codes.is_empty() {
        asked = CODES.iter().map(|code| code.code.to_owned()).collect();
    }
    let (mut text, mut list, mut unknown) = (String::new(), Vec::new(), false);
    for one in &asked {
        let (known, means) = match constraint::meaning(one) {
            Meaning::Known(code) => (true, code.meaning.to_owned()),
            Meaning::Prose => (true, String::new()),
            Meaning::Unknown => (false, "unknown: no constraint is called so".to_owned()),
        };
        unknown |= !known;
        let line = if means.is_empty() {
            one.clone()
        } else {
            format!("{one}: {means}")
        };
        text.push_str(&clean(&line));
        text.push('\n');
        list.push(json!({ "code": one, "known": known, "meaning": means }));
    }
    let mut answer = Answer::new(text, Json::Array(list));
    answer.exit = u8::from(unknown);
    Ok(answer)
}

fn listing(root: &Path) -> anyhow::Result<Answer> {
    let (mut text, mut list) = (String::new(), Vec::new());
    for path in sys::files(&decision::folder(root), "yaml")? {
        let found = decision::load(&path)?;
        let field = |key: &str| found.field(key).to_owned();
        let (id, status, spec) = (field("id"), field("status"), field("spec"));
        text.push_str(&clean(&format!("{id}  {status:<8}  {spec}")));
        text.push('\n');
        list.push(json!({ "id": id, "status": status, "spec": spec, "path": path }));
    }
    if list.is_empty() {
        text.push_str("no decisions yet\n");
    }
    Ok(Answer::new(text, Json::Array(list)))
}

/// Text of files without what a terminal would act on.
fn clean(text: &str) -> String {
    let harmful = |c: char| c.is_control() && c != '\n';
    text.chars()
        .map(|c| if harmful(c) { ' ' } else { c })
        .collect()
}
