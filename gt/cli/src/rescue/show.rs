//! `gt rescue show`.

use kit::ui::{Page, escape};

use super::super::{CommandResult, build_empty_report, build_report, pager};
use crate::context::Context;
use gt::flow::place::rescue::{self, SavedSubmodule, SavedWorkDetails};

/// Show the commits and changes of saved work
///
/// The commits that are not on the rig's target branch, the newest first; what was not committed is
/// the first one. On a terminal it uses a pager as git does. With `--json` the object of `gt rescue
/// list`, and log.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rescue ref
    #[arg(value_name = "REF")]
    reference: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let found = rescue::show_saved_work(&town, &args.reference)?;
    let mut page = ctx.ui.page();
    write_saved_work(&found, &mut page);
    if pager::show_in_pager(ctx, page.text()) {
        return build_empty_report();
    }
    build_report(found, write_saved_work)
}

fn write_saved_work(found: &SavedWorkDetails, page: &mut Page) {
    let work = &found.work;
    page.line(page.style().bold(&work.reference));
    for line in escape::escape_block(&found.log).lines() {
        page.line(line);
    }
    if found.log.trim().is_empty() {
        page.line("all of it is on the target branch");
    }
    write_submodules(&found.submodules, page);
}

/// Writes how to check out saved work in submodules.
pub(super) fn write_submodules(submodules: &[SavedSubmodule], page: &mut Page) {
    for SavedSubmodule {
        path,
        commit,
        repository,
    } in submodules
    {
        let folder = escape::quote_for_shell(path);
        let repository = escape::quote_for_shell(&repository.display().to_string());
        page.line(format!(
            "The work in the submodule {} is the commit {commit:.12}. To check it out:",
            escape::escape_line(path)
        ));
        let fetch = format!("git -C {folder} fetch {repository} {commit}");
        page.line(format!("  {}", escape::escape_line(&fetch)));
        let checkout = format!("git -C {folder} checkout {commit}");
        page.line(format!("  {}", escape::escape_line(&checkout)));
    }
}
