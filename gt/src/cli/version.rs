//! `gt version`.

use super::{Answer, answer};

#[derive(serde::Serialize)]
struct Version {
    version: &'static str,
    bd: &'static str,
}

pub(super) fn run() -> Answer {
    let version = Version { version: env!("CARGO_PKG_VERSION"), bd: bd::VERSION };
    answer(version, |version, page| {
        page.line(format!("gt version {} (bd {})", version.version, version.bd));
    })
}
