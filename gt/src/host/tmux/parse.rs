//! Parses the output of tmux: rows of panes, and error messages.

use jiff::Timestamp;

use crate::host::{LiveSession, ProcessEnd};
use crate::town::process::Process;

/// The format of a pane's row. No field but the last can contain the separator. The token is an
/// option of the pane itself, so that a pane which a user opened beside ours has none.
pub(super) const ROW: &str = "#{session_name}|#{pane_id}|#{pane_pid}|#{pane_dead}|#{pane_dead_status}|#{pane_dead_signal}|#{session_created}|#{start_time}|#{window_activity}|#{session_attached}|#{pane_in_mode}|#{@gt_token}|#{pane_current_command}";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SessionRow {
    pub(super) live: LiveSession,
    /// The pane's own id, such as `%3`: a target that matches nothing else.
    pub(super) pane: String,
    /// True if a user scrolls in the pane.
    pub(super) scrolling: bool,
}

/// Parses the panes with a token in a listing.
pub(super) fn parse_rows(listing: &str) -> Vec<SessionRow> {
    listing.lines().filter_map(parse_row).collect()
}

fn parse_row(line: &str) -> Option<SessionRow> {
    let fields: Vec<&str> = line.splitn(13, '|').collect();
    let [
        name,
        pane,
        pid,
        dead,
        status,
        signal,
        created,
        server,
        activity,
        attached,
        mode,
        token,
        command,
    ] = fields[..]
    else {
        return None;
    };
    if token.is_empty() {
        return None;
    }
    let parse_time = |text: &str| Timestamp::from_second(text.parse().ok()?).ok();
    let pid = pid.parse().ok()?;
    let created = parse_time(created)?;
    let session = LiveSession {
        name: name.to_owned(),
        pid,
        process: Process::find(pid),
        token: token.to_owned(),
        created,
        host_started: parse_time(server).unwrap_or(created),
        activity: parse_time(activity).unwrap_or(created),
        dead: (dead == "1").then(|| parse_end(status, signal)),
        attached: attached.parse::<u32>().is_ok_and(|count| count > 0),
        command: command.to_owned(),
        unreachable: None,
        ended_because: None,
    };
    Some(SessionRow {
        live: session,
        pane: pane.to_owned(),
        scrolling: mode.parse::<u32>().is_ok_and(|depth| depth > 0),
    })
}

/// Parses the end of a process. Unknown while the process is not reaped.
fn parse_end(status: &str, signal: &str) -> ProcessEnd {
    match (status.parse(), self::parse_signal(signal)) {
        (Ok(code), _) => ProcessEnd::Exit(code),
        (_, Some(number)) => ProcessEnd::Signal(number),
        _ => ProcessEnd::Unknown,
    }
}

/// Parses the number of a signal. On some systems tmux prints its name, such as `kill`.
fn parse_signal(text: &str) -> Option<i32> {
    let strip_prefix = |name: &str| name.to_uppercase().trim_start_matches("SIG").to_owned();
    let number = text.parse().ok();
    number.or_else(|| {
        (1..=64).find(|number| {
            let name = signal_hook::low_level::signal_name(*number);
            name.is_some_and(|name| strip_prefix(name) == strip_prefix(text))
        })
    })
}

/// The meaning of a tmux error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TmuxFailure {
    /// The server ended before it answered.
    Ending,
    /// No server runs, so there are no sessions.
    NoServer,
    /// The session or pane does not exist.
    NotFound,
    Exists,
    Other,
}

/// Parses an error message.
pub(super) fn parse_failure(words: &str) -> TmuxFailure {
    let has_any = |signs: &[&str]| signs.iter().any(|sign| words.contains(sign));
    if has_any(&["server exited", "lost server"]) {
        TmuxFailure::Ending
    } else if has_any(&[
        "no server running",
        "error connecting to",
        "no current target",
        "no sessions",
    ]) {
        TmuxFailure::NoServer
    } else if has_any(&["can't find", "session not found"]) {
        TmuxFailure::NotFound
    } else if words.contains("duplicate session") {
        TmuxFailure::Exists
    } else {
        TmuxFailure::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pane_without_the_session_token_is_ignored() {
        let listing = "gt-web-nux|%1|4242|0|||1700000000|1699999999|1700000009|1|0|abc|claude\n\
                       gt-web-nux|%2|4243|0|||1700000000|1700000009|1|0||vim\n\
                       broken\n";
        let rows = parse_rows(listing);
        assert_eq!(rows.len(), 1);
        let SessionRow {
            live,
            pane,
            scrolling,
        } = &rows[0];
        assert_eq!((live.name.as_str(), pane.as_str()), ("gt-web-nux", "%1"));
        assert!(live.attached && live.dead.is_none() && !scrolling);
        assert_eq!(live.activity.as_second(), 1_700_000_009);
    }

    #[test]
    fn a_dead_pane_shows_how_it_ended() {
        let listing = "a|%1|4242|1|7||1700000000|||0|1|abc|x|y";
        let of = |status_and_signal: &str| parse_row(&listing.replace("7|", status_and_signal));
        let dead = |status_and_signal| of(status_and_signal).unwrap().live.dead;
        assert_eq!(dead("|9"), Some(ProcessEnd::Signal(9)));
        assert_eq!(dead("|kill"), Some(ProcessEnd::Signal(9)));
        assert_eq!(dead("|SIGSEGV"), Some(ProcessEnd::Signal(11)));
        assert_eq!(dead("|"), Some(ProcessEnd::Unknown));
        let row = parse_row(listing).unwrap();
        assert_eq!(row.live.dead, Some(ProcessEnd::Exit(7)));
        assert_eq!(row.live.command, "x|y");
        assert!(row.scrolling);
    }

    #[test]
    fn tmux_failures_are_distinguished() {
        assert_eq!(
            parse_failure("no server running on /tmp/x"),
            TmuxFailure::NoServer
        );
        assert_eq!(
            parse_failure("error connecting to /tmp/x (No such file or directory)"),
            TmuxFailure::NoServer
        );
        assert_eq!(
            parse_failure("server exited unexpectedly"),
            TmuxFailure::Ending
        );
        assert_eq!(
            parse_failure("can't find session: =a"),
            TmuxFailure::NotFound
        );
        assert_eq!(parse_failure("duplicate session: a"), TmuxFailure::Exists);
        assert_eq!(parse_failure("unknown command"), TmuxFailure::Other);
    }
}
