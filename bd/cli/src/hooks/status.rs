use serde_json::{Value, json};

use crate::context::Context;
use bd::hooks::{self, GitHook};
use kit::cli::report::CommandResult;
use kit::ui::{Page, Report};

/// Show which git hooks are installed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    Ok(Box::new(HooksStatusReport(hooks::read_hooks(
        &super::open_repository(ctx),
    )?)))
}

/// The current state of the hooks.
#[derive(Debug)]
struct HooksStatusReport(Vec<GitHook>);

fn is_outdated(hook: &GitHook) -> bool {
    let version = hook.version.as_deref();
    version.is_some_and(|version| version != env!("CARGO_PKG_VERSION"))
}

impl Report for HooksStatusReport {
    fn json(&self) -> Value {
        // The keys are those of existing clients.
        let hook_json = |hook: &GitHook| {
            json!({
                "Name": hook.name,
                "Installed": hook.version.is_some(),
                "Version": hook.version.as_deref().unwrap_or_default(),
                "IsShim": hook.version.is_some(),
                "Outdated": is_outdated(hook),
                "Chained": hook.is_chained,
            })
        };
        let hooks: Value = self.0.iter().map(hook_json).collect();
        json!({"hooks": hooks})
    }

    fn human(&self, page: &mut Page) {
        for hook in &self.0 {
            let state = match &hook.version {
                Some(version) if is_outdated(hook) => {
                    format!("⚠ {} (version {version})", hook.name)
                }
                Some(_) if hook.is_chained => format!("✓ {}, after your own hook", hook.name),
                Some(_) => format!("✓ {}", hook.name),
                None if hook.exists => format!("✗ {} is a hook of your own", hook.name),
                None => format!("✗ {}", hook.name),
            };
            page.line(state);
        }
        if self
            .0
            .iter()
            .any(|hook| hook.version.is_none() || is_outdated(hook))
        {
            page.line("Install them with: bd hooks install");
        }
    }
}
