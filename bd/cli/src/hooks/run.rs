use std::path::Path;

use crate::context::Context;
use bd::git::Git;
use kit::cli::report::{CommandResult, build_empty_report};

/// Run a git hook of bd
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The hook
    #[arg(value_name = "HOOK")]
    hook: String,
    /// The arguments that git passes to the hook
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARG"
    )]
    rest: Vec<String>,
}

pub(crate) fn run(ctx: &Context, args: Args) -> CommandResult {
    if ctx.project().is_ok() {
        match args.hook.as_str() {
            "pre-commit" => stage_issues(ctx)?,
            // Reading the beads reports the lines that were rolled back.
            "post-merge" => report_rollback(ctx),
            "post-checkout" if args.rest.get(2).is_some_and(|kind| kind == "1") => {
                report_rollback(ctx);
            }
            "post-checkout" | "pre-push" | "prepare-commit-msg" => {}
            hook => kit::bail_usage!("unknown hook {hook:?}"),
        }
    }
    build_empty_report()
}

fn report_rollback(ctx: &Context) {
    let read = ctx.store().and_then(|store| Ok(store.snapshot()?));
    if let Err(error) = read {
        // The merge is complete, so problems with the beads are only warnings.
        ctx.ui.warn(&format!("{error:#}"));
    }
}

/// Folds all changes into the issues file, and stages the file if git tracks it.
fn stage_issues(ctx: &Context) -> anyhow::Result<()> {
    let store = ctx.store()?;
    if let Err(error) = store.fold(&ctx.clock) {
        // A problem with the beads must not stop a commit.
        ctx.ui.warn(&format!(
            "the commit does not take the beads along: {error}"
        ));
        return Ok(());
    }
    let git = Git::at(store.dir());
    // Beads of another repository are not part of this commit.
    let is_here = git.top().ok() == Git::at(ctx.env.cwd()).top().ok();
    if !is_here {
        return Ok(());
    }
    let index = ctx
        .env
        .get("GIT_INDEX_FILE")
        .map(|path| ctx.env.make_absolute(path));
    let file_name = index.as_deref().and_then(Path::file_name);
    // `git commit FILE` uses a temporary index. The next commit would revert a file added to it.
    if file_name.is_some_and(|name| name.to_string_lossy().starts_with("next-index")) {
        return Ok(());
    }
    let call_on_issues = |args: &[&str]| {
        let call = git.plumbing(args).args(store.issues_file().file_name());
        match &index {
            Some(index) => call.env("GIT_INDEX_FILE", index),
            None => call,
        }
    };
    let is_tracked = call_on_issues(&["ls-files", "--error-unmatch", "--"])
        .finish()?
        .is_success();
    if !is_tracked {
        return Ok(());
    }
    if ctx.env.get("BEADS_NO_AUTO_STAGE").is_some() {
        if call_on_issues(&["diff", "--quiet", "--"])
            .finish()?
            .is_success()
        {
            return Ok(());
        }
        kit::bail_usage!(
            "{} has changes that are not staged (BEADS_NO_AUTO_STAGE is set)\n  git add {}",
            store.issues_file().display(),
            store.issues_file().display()
        );
    }
    call_on_issues(&["add", "--"]).finish_checked()?;
    Ok(())
}
