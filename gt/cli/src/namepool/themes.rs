//! `gt namepool themes`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::record::polecat;

/// List the themes
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_ctx: &Context, _args: Args) -> CommandResult {
    let themes: Vec<&str> = polecat::theme_names().collect();
    build_report(themes, |themes, page| {
        for theme in themes {
            page.line(theme);
        }
    })
}
