//! Compares the running daemon with the installed programs, `gt stale`.

use serde::Serialize;

use super::life::{ask_status, read_daemon_status};
use super::program::{VERSION, find_difference};
use super::protocol::DaemonAnswer;
use crate::town::Town;

/// The result of the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DaemonBuild {
    /// True if the daemon runs from another build than the installed programs.
    pub stale: bool,
    /// The version of this program.
    pub version: &'static str,
    /// The version of the running daemon. None without a daemon, and for one that does not say.
    pub daemon_version: Option<String>,
    /// The difference, or the reason why there is nothing to compare.
    pub reason: String,
    /// The reason why the builds cannot be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Compares the running daemon with this program and with the installed `gtd`.
pub fn compare_daemon_build(town: &Town) -> DaemonBuild {
    let mut build = DaemonBuild {
        stale: false,
        version: VERSION,
        daemon_version: None,
        reason: "no daemon runs".to_owned(),
        error: None,
    };
    let Some(DaemonAnswer::Status { pid, version, .. }) = ask_status(town) else {
        let status = read_daemon_status(town);
        if status.running {
            build.reason.clear();
            build.error = Some(format!("the daemon (pid {}) does not answer", status.pid));
        }
        return build;
    };
    build.daemon_version.clone_from(&version);
    let difference = find_difference(town, pid, version.as_deref());
    build.stale = difference.is_some();
    build.reason = difference.unwrap_or_else(|| "the daemon runs from this build".to_owned());
    build
}
