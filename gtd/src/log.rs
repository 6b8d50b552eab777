//! Writes the daemon's log to standard error, which journald or `daemon/daemon.log` keeps.

use kit::sys::Env;
use tracing_subscriber::EnvFilter;

/// Starts logging. `GTD_LOG` selects the content, for example `debug` or `gtd=trace`.
pub(crate) fn start_logging(env: &Env) {
    let filter = env
        .get("GTD_LOG")
        .and_then(|text| EnvFilter::try_new(text).ok());
    let begun = tracing_subscriber::fmt()
        .with_env_filter(filter.unwrap_or_else(|| EnvFilter::new("info")))
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_target(false)
        // If a line cannot be written to standard error, the report of that error would go there
        // too, and panic.
        .log_internal_errors(false)
        .try_init();
    // Fails if logging has started already, because tests run the loop more than once per process.
    begun.ok();
}
