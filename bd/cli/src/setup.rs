use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use anyhow::Context as _;

use crate::context::Context;
use bd::hooks::settings;
use bd::hooks::tools::{AgentTool, MARKDOWN, TOOLS, ToolForm, YAML};
use kit::cli::report::{
    CommandResult, build_confirmation, build_empty_report, build_report, build_report_with_exit,
};
use kit::failure::UsageError;
use kit::sys::file;

/// Tell an agent about beads
///
/// Writes a marked section into the file that the agent reads, or hooks that run `bd prime` into
/// its settings. --remove takes exactly that out again. Run it again to bring the text up to date.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are bools")]
pub(crate) struct Args {
    /// The agent; --list lists all
    #[arg(value_name = "AGENT", required_unless_present_any = ["list", "print", "output"])]
    agent: Option<String>,
    /// List the agents
    #[arg(long, conflicts_with_all = ["agent", "check", "remove"])]
    list: bool,
    /// Print the text
    #[arg(long)]
    print: bool,
    /// Write the text to this file
    #[arg(short, long, value_name = "PATH")]
    output: Option<String>,
    /// Check the setup; exit with 1 if it is missing
    #[arg(long, conflicts_with = "remove")]
    check: bool,
    /// Remove the section or the hooks
    #[arg(long)]
    remove: bool,
    /// Use the settings of the project, not those of the user
    #[arg(long)]
    project: bool,
    /// Let hooks run `bd prime --stealth`, which uses no git
    #[arg(long)]
    stealth: bool,
}

/// The instructions for agents.
const AGENT_INSTRUCTIONS: &str = include_str!("../../templates/agents.md");

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if args.list {
        let agents = TOOLS.map(|tool| tool.name);
        return build_report(kit::report_value! { agents }, |report, page| {
            for name in report.agents {
                page.line(name);
            }
        });
    }
    if let Some(path) = &args.output {
        ctx.check_writable("setup")?;
        let path = ctx.env.make_absolute(path);
        write_file(&path, AGENT_INSTRUCTIONS)?;
        let report = kit::report_value! { path: path.display().to_string() };
        return build_confirmation(report, |report, page| {
            page.line(format!("✓ Wrote {}", report.path));
        });
    }
    if args.print {
        ctx.ui.raw(AGENT_INSTRUCTIONS);
        return build_empty_report();
    }
    let name = args.agent.as_deref().unwrap_or("");
    let tool = AgentTool::by_name(name).ok_or_else(|| {
        let names = TOOLS.map(|tool| tool.name).join(", ");
        UsageError(format!("unknown agent \"{name}\"; agents: {names}"))
    })?;
    let files = SetupFiles::for_tool(ctx, tool, args.project)?;
    if args.check {
        let is_set_up = files.are_current(&args)?;
        let word = if is_set_up { "installed" } else { "missing" };
        let exit = u8::from(!is_set_up);
        return build_report_with_exit(exit, files.report(word), move |report, page| {
            let name = report.tool;
            let path = &report.path;
            page.line(if is_set_up {
                format!("✓ {name} is set up: {path}")
            } else {
                format!("✗ {name} is not set up; run: bd setup {name}")
            });
        });
    }
    ctx.check_writable("setup")?;
    let changed = if args.remove {
        files.remove()?
    } else {
        files.install(&args)?
    };
    match (args.remove, changed) {
        (true, true) => build_confirmation(files.report("removed"), |report, page| {
            page.line(format!("✓ Removed from {}", report.path));
        }),
        (true, false) => build_report(files.report("missing"), |report, page| {
            page.line(format!("Nothing to remove: {} is not set up", report.tool));
        }),
        (false, true) => build_confirmation(files.report("installed"), |report, page| {
            page.line(format!("✓ Set up {}: {}", report.tool, report.path));
        }),
        (false, false) => build_confirmation(files.report("up_to_date"), |report, page| {
            page.line(format!("✓ {} is up to date: {}", report.tool, report.path));
        }),
    }
}

/// Removes the setup of all agents from the files of the project. Returns the changed files.
pub(super) fn remove_from_project(ctx: &Context) -> anyhow::Result<Vec<PathBuf>> {
    let mut changed = Vec::new();
    for tool in TOOLS {
        let files = SetupFiles::for_tool(ctx, tool, true)?;
        if files.remove()? {
            changed.extend([files.path.clone()]);
            changed.extend(files.included_file.clone());
        }
    }
    Ok(changed)
}

/// Returns the agents whose settings of the user run bd, in all projects.
pub(super) fn find_user_setups(ctx: &Context) -> Vec<&'static str> {
    TOOLS
        .into_iter()
        .filter(|tool| {
            let ToolForm::Hooks { events, .. } = tool.form else {
                return false;
            };
            SetupFiles::for_tool(ctx, *tool, false)
                .ok()
                .and_then(|files| read_optional(&files.path).ok()?)
                .is_some_and(|text| events.iter().any(|event| has_bd_hook(&text, event)))
        })
        .map(|tool| tool.name)
        .collect()
}

#[derive(Serialize)]
struct SetupReport {
    tool: &'static str,
    path: String,
    status: &'static str,
}

/// The files that integrate bd with a tool.
struct SetupFiles {
    tool: AgentTool,
    /// The file that the tool reads.
    path: PathBuf,
    /// Our own file, which the tool's file refers to.
    included_file: Option<PathBuf>,
}

const PRIME_COMMAND: &str = "bd prime";
const STEALTH_COMMAND: &str = "bd prime --stealth";

/// Returns the entry in a tool's YAML settings that includes our file.
fn build_read_entry(path: &str) -> String {
    format!("read:\n  - {path}")
}

impl SetupFiles {
    fn for_tool(ctx: &Context, tool: AgentTool, in_project: bool) -> anyhow::Result<Self> {
        let project = match ctx.project() {
            Ok(found) => found.dir.parent().unwrap_or(&found.dir).to_owned(),
            Err(_) => ctx.env.cwd().to_owned(),
        };
        let (path, own) = match tool.form {
            ToolForm::Section { path, .. } => (project.join(path), None),
            ToolForm::Reading { path, settings } => {
                (project.join(settings), Some(project.join(path)))
            }
            ToolForm::Hooks { project: own, .. } if in_project => (project.join(own), None),
            ToolForm::Hooks { user, .. } => {
                let home = ctx.env.home().ok_or_else(|| {
                    UsageError("no home folder: set HOME, or use --project".into())
                })?;
                (home.join(user), None)
            }
        };
        // Files are often links within a project, such as CLAUDE.md to AGENTS.md. A link that leads
        // out of it may come with the repository.
        let root = file::follow_link(&project);
        for path in [Some(&path), own.as_ref()].into_iter().flatten() {
            let target = file::follow_link(path);
            if path.starts_with(&project) && target != *path && !target.starts_with(&root) {
                kit::bail_usage!(
                    "{} leads out of the project, to {}; nothing was written",
                    path.display(),
                    target.display()
                );
            }
        }
        Ok(Self {
            tool,
            path,
            included_file: own,
        })
    }

    fn shown(&self) -> String {
        self.path.display().to_string()
    }

    fn report(&self, status: &'static str) -> SetupReport {
        SetupReport {
            tool: self.tool.name,
            path: self.shown(),
            status,
        }
    }

    fn are_current(&self, args: &Args) -> anyhow::Result<bool> {
        let Some(text) = read_optional(&self.path)? else {
            return Ok(false);
        };
        Ok(match self.tool.form {
            ToolForm::Section { .. } => MARKDOWN.is_in(&text),
            ToolForm::Reading { .. } => YAML.is_in(&text),
            ToolForm::Hooks { events, .. } => events.iter().all(|event| {
                if args.stealth {
                    settings::has_hook(&text, event, STEALTH_COMMAND)
                } else {
                    has_bd_hook(&text, event)
                }
            }),
        })
    }

    /// Writes the missing parts. Returns true if anything was written.
    fn install(&self, args: &Args) -> anyhow::Result<bool> {
        let old = read_optional(&self.path)?;
        let text = old.as_deref().unwrap_or("");
        let new = match self.tool.form {
            ToolForm::Section { preamble: head, .. } => {
                let text = if old.is_none() { head } else { text };
                MARKDOWN.insert(text, AGENT_INSTRUCTIONS)
            }
            ToolForm::Reading { path, settings } => {
                if !YAML.is_in(text) && text.lines().any(|line| line.starts_with("read:")) {
                    kit::bail_usage!(
                        "{settings} has a list `read:` already; add this line to it: - {path}"
                    );
                }
                YAML.insert(text, &build_read_entry(path))
            }
            ToolForm::Hooks { events, .. } => {
                let command = if args.stealth {
                    STEALTH_COMMAND
                } else {
                    PRIME_COMMAND
                };
                let mut text = old.clone().unwrap_or_else(|| EMPTY_SETTINGS.to_owned());
                for event in events {
                    text = settings::add_hook(&text, event, command)
                        .with_context(|| format!("cannot change {}", self.shown()))?;
                }
                text
            }
        };
        let mut changed = old.as_ref() != Some(&new);
        if changed {
            write_file(&self.path, &new)?;
        }
        if let Some(included_file) = &self.included_file
            && read_optional(included_file)?.as_deref() != Some(AGENT_INSTRUCTIONS)
        {
            write_file(included_file, AGENT_INSTRUCTIONS)?;
            changed = true;
        }
        Ok(changed)
    }

    /// Removes our parts. Returns true if anything was removed.
    fn remove(&self) -> anyhow::Result<bool> {
        let Some(old) = read_optional(&self.path)? else {
            return Ok(false);
        };
        let (new, blank) = match self.tool.form {
            ToolForm::Section { preamble: head, .. } => (MARKDOWN.remove(&old), head),
            ToolForm::Reading { .. } => (YAML.remove(&old), ""),
            ToolForm::Hooks { events, .. } => {
                let mut text = old.clone();
                // The last inserted entry is removed first.
                for event in events.iter().rev() {
                    for command in [STEALTH_COMMAND, PRIME_COMMAND] {
                        text = settings::remove_hook(&text, event, command);
                    }
                }
                (Some(text), EMPTY_SETTINGS)
            }
        };
        let new = new.filter(|new| *new != old);
        if let Some(included_file) = self.included_file.as_ref().filter(|_| new.is_some()) {
            remove_file(included_file)?;
        }
        match &new {
            None => {}
            Some(new) if new == blank => {
                remove_file(&self.path)?;
            }
            Some(new) => write_file(&self.path, new)?,
        }
        Ok(new.is_some())
    }
}

/// Initial settings in JSON.
const EMPTY_SETTINGS: &str = "{\n}\n";

fn read_optional(path: &Path) -> anyhow::Result<Option<String>> {
    let text = file::read_file_if_exists(path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    text.map(String::from_utf8)
        .transpose()
        .with_context(|| format!("{} is not UTF-8", path.display()))
}

fn has_bd_hook(text: &str, event: &str) -> bool {
    settings::has_hook(text, event, PRIME_COMMAND)
        || settings::has_hook(text, event, STEALTH_COMMAND)
}

/// Removes a file, and its folder if nothing else is in it.
fn remove_file(path: &Path) -> anyhow::Result<()> {
    file::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))?;
    // A folder with other files is not removed.
    for folder in path.ancestors().skip(1).take(2) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}

fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    path.parent()
        .map_or(Ok(()), |folder| file::create_folder(folder, 0o755))
        .and_then(|()| file::replace_file(&file::follow_link(path), text.as_bytes(), file::SHARED))
        .with_context(|| format!("cannot write {}", path.display()))
}
