//! `gt version`.

use super::{Answer, answer};

#[derive(serde::Serialize)]
struct Version {
    version: &'static str,
}

pub(super) fn run() -> Answer {
    let version = Version {
        version: env!("CARGO_PKG_VERSION"),
    };
    answer(version, |version, page| {
        page.line(format!("gt version {}", version.version));
    })
}
