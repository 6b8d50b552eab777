//! The daemon's log: lines on standard error, which journald or `daemon/daemon.log` keeps.

use kit::sys::Env;
use tracing_subscriber::EnvFilter;

/// Begins logging; `GTD_LOG` chooses what, as in `debug` or `gtd=trace`.
pub(crate) fn start_logging(env: &Env) {
    let filter = env
        .get("GTD_LOG")
        .and_then(|text| EnvFilter::try_new(text).ok());
    let begun = tracing_subscriber::fmt()
        .with_env_filter(filter.unwrap_or_else(|| EnvFilter::new("info")))
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_target(false)
        // It would say on standard error, too, that a line could not be written there, and panic where that fails.
        .log_internal_errors(false)
        .try_init();
    // Already begun: tests run the loop more than once in a process.
    begun.ok();
}
