use crate::context::Context;
use bd::hooks::{self, GitHook, HookPlace};
use kit::cli::report::{CommandResult, build_report};
use kit::ui::Page;

/// Show which git hooks are installed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    let place = HookPlace::find(&super::open_repository(ctx))?;
    let hooks = hooks::read_hooks(&place, env!("CARGO_PKG_VERSION"))?;
    // The keys are those of existing clients.
    let listed = hooks.iter().map(|hook| {
        kit::report_value! {
            Name: hook.name,
            Installed: hook.version.is_some(),
            Version: hook.version.clone().unwrap_or_default(),
            IsShim: hook.version.is_some(),
            Outdated: is_outdated(hook),
            Chained: hook.is_chained
        }
    });
    let report = kit::report_value! { hooks: listed.collect::<Vec<_>>() };
    let advice = super::describe_place(&place, ctx.env.cwd());
    build_report(report, move |_, page| {
        write_hooks(&hooks, page);
        let is_missing = hooks.iter().all(|hook| hook.version.is_none());
        for line in advice.iter().filter(|_| is_missing) {
            page.line(line);
        }
    })
}

fn is_outdated(hook: &GitHook) -> bool {
    let version = hook.version.as_deref();
    version.is_some_and(|version| version != env!("CARGO_PKG_VERSION"))
}

fn write_hooks(hooks: &[GitHook], page: &mut Page) {
    for hook in hooks {
        let state = match &hook.version {
            Some(version) if is_outdated(hook) => {
                format!("⚠ {} (version {version})", hook.name)
            }
            Some(_) if hook.is_edited => format!("✓ {}, edited", hook.name),
            Some(_) if hook.is_chained => format!("✓ {}, after your own hook", hook.name),
            Some(_) => format!("✓ {}", hook.name),
            None if hook.exists => format!("✗ {} is a hook of your own", hook.name),
            None => format!("✗ {}", hook.name),
        };
        page.line(state);
    }
    if hooks
        .iter()
        .any(|hook| hook.version.is_none() || is_outdated(hook))
    {
        page.line("Install them with: bd hooks install");
    }
}
