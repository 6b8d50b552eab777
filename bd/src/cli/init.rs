use crate::bead::id;
use crate::context::Context;
use crate::error::Usage;
use crate::store::paths::Paths;
use crate::store::{StoreError, create, find, mark};

use super::report::{Answer, Said};

/// Start a beads project in this folder.
///
/// Makes `.beads/` with an empty `issues.jsonl`, settings and a README, and sets this clone's git up to merge
/// beads field by field (a setting in `.git/config`; see `bd merge`). Nothing else in the repository is
/// touched: no git hooks, no other files. In a linked git worktree it refuses, since the
/// main repository's beads are used there. A folder that has beads already is left as it is; with --force
/// what is missing is added.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Prefix of new ids; the default is the folder's name
    #[arg(short, long)]
    prefix: Option<String>,
    /// Add what is missing from a folder that has beads already
    #[arg(long)]
    force: bool,
    #[arg(short, long, hide = true, value_name = "BRANCH")]
    branch: Option<String>,
    #[arg(long, hide = true)]
    skip_hooks: bool,
    /// Do not set git up to merge beads field by field
    #[arg(long, alias = "skip-merge-driver")]
    no_merge_driver: bool,
    #[arg(long, hide = true)]
    from_jsonl: bool,
    #[arg(long, hide = true)]
    contributor: bool,
    #[arg(long, hide = true)]
    team: bool,
    #[arg(long, hide = true)]
    stealth: bool,
    #[arg(long, hide = true)]
    setup_exclude: bool,
    #[arg(long, hide = true)]
    non_interactive: bool,
    #[arg(long, hide = true)]
    skip_agents: bool,
    #[arg(long, hide = true, value_name = "NAME")]
    backend: Option<String>,
    #[arg(long, hide = true, value_name = "TOKEN")]
    destroy_token: Option<String>,
    #[arg(long, hide = true, value_name = "PORT")]
    server_port: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> Answer {
    ctx.may_change("init")?;
    let named = ctx.env.get("BEADS_DIR").map(|path| ctx.env.absolute(path));
    let cwd = ctx.env.cwd();
    if named.is_none() {
        refuse_odd_places(cwd)?;
    }
    let place = named.unwrap_or_else(|| cwd.join(".beads"));
    let dir = find::follow(&place, &mut Vec::new());
    if create::is_initialized(&dir) && !args.force {
        return Err(StoreError::AlreadyInitialized(dir).into());
    }
    let had = dir.join("config.yaml").is_file();
    let configured = had.then(|| ctx.config.get("issue-prefix")).flatten();
    let folder = || {
        let name = cwd.file_name().unwrap_or_default().to_string_lossy();
        id::clean_prefix(&name)
    };
    let prefix = args.prefix.or(configured).unwrap_or_else(folder);
    let prefix = prefix.trim_end_matches('-').to_owned();
    if !id::is_well_formed(&format!("{prefix}-a")) {
        return Err(Usage(format!(
            "invalid prefix \"{prefix}\": use letters, digits, '-', '_' and '.'"
        ))
        .into());
    }
    create::complete(&dir, Some(&prefix))?;
    let driver = !args.no_merge_driver && !args.stealth && merge_driver(ctx, &dir)?;
    let paths = Paths::of(&dir);
    if mark::is_foreign(&paths) {
        let path = paths.mark().display().to_string();
        ctx.ui.warn(&format!("{path} is a database of another program: it is left as it is and its issues are not read; export them there to issues.jsonl"));
    }
    if ctx.ui.is_quiet() {
        return Said::default().answer();
    }
    let path = dir.display().to_string();
    let json = serde_json::json!({"path": path, "prefix": prefix, "merge_driver": driver});
    let mut lines = vec![
        "✓ bd initialized successfully!".to_owned(),
        format!("  Beads: {path}"),
        format!("  Issue prefix: {prefix}"),
        format!("  Issues will be named: {prefix}-<hash> (e.g. {prefix}-a3f)"),
    ];
    if driver {
        lines.push(
            "  Merge driver: git merges beads field by field (other clones: bd merge --install)"
                .to_owned(),
        );
    }
    Said::lines(json, lines).answer()
}

/// Sets git up to merge these beads, where the folder is in a repository; says whether it is.
fn merge_driver(ctx: &Context, dir: &std::path::Path) -> Result<bool, StoreError> {
    create::attributes(dir)?;
    if find::GitPlace::of(dir).root.is_none() {
        return Ok(false);
    }
    if let Err(error) = super::merge::install(dir) {
        // The project is made; without the driver git merges line by line.
        ctx.ui.warn(&format!(
            "git is not set up to merge beads field by field ({error}); try 'bd merge --install'"
        ));
        return Ok(false);
    }
    Ok(true)
}

/// No project is started inside another's `.beads` or in a linked worktree.
fn refuse_odd_places(cwd: &std::path::Path) -> Result<(), Usage> {
    if cwd
        .ancestors()
        .any(|folder| folder.file_name().is_some_and(|name| name == ".beads"))
    {
        return Err(Usage(
            "cannot run 'bd init' inside a .beads directory".into(),
        ));
    }
    if let Some(main) = find::GitPlace::of(cwd).main_root {
        return Err(Usage(format!(
            "cannot run 'bd init' from within a git worktree; run it in the main repository, {}",
            main.display()
        )));
    }
    Ok(())
}
