//! `gt namepool themes`.

use super::super::{Answer, answer};
use crate::context::Context;
use gt::record::polecat;

/// List the themes
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_ctx: &Context, _args: Args) -> Answer {
    let themes: Vec<&str> = polecat::themes().collect();
    answer(themes, |themes, page| {
        for theme in themes {
            page.line(theme);
        }
    })
}
