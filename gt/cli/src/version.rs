//! `gt version`.

use super::{Answer, answer};
use crate::context::Context;

#[derive(serde::Serialize)]
struct Version {
    version: &'static str,
}

/// Print the version
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_ctx: &Context, _args: Args) -> Answer {
    let version = Version {
        version: env!("CARGO_PKG_VERSION"),
    };
    answer(version, |version, page| {
        page.line(format!("gt version {}", version.version));
    })
}
