//! How much a test of chance tries.

/// The small count, or the large one in `make nightly`, which sets `GASTOWN_STORM=full`.
#[expect(
    clippy::disallowed_methods,
    reason = "the setting is one of the test run"
)]
pub fn count<T>(small: T, full: T) -> T {
    if std::env::var("GASTOWN_STORM").is_ok_and(|value| value == "full") {
        full
    } else {
        small
    }
}
