//! The commands that reach a host: one whose standard input and output are the pipe, and one that shows
//! a session.

use super::engine::EnginePlace;
use super::settings::{HostSettings, HostTransport};
use crate::town::TownLayout;

/// Returns the command whose standard input and output are the pipe to the host of a name.
pub(in crate::host) fn build_open_command(
    settings: &HostSettings,
    town: &TownLayout,
    name: &str,
) -> anyhow::Result<Vec<String>> {
    Ok(match &settings.transport {
        HostTransport::Ssh(host) => {
            let line = format!("{} box serve", quote_remote_path(&settings.program));
            build_ssh_pipe(host, &line)
        }
        HostTransport::Command(words) => words.clone(),
        HostTransport::Engine(_) => anyhow::bail!("it has no connection but in its places"),
        HostTransport::Place(_) => EnginePlace::load(town, name)?.open_command()?,
    })
}

/// Returns the command that runs a line of a shell on a machine, with its standard input and output as
/// the pipe. A connection that is cut ends.
pub fn build_ssh_pipe(machine: &str, line: &str) -> Vec<String> {
    let words = [
        "ssh",
        "-T",
        "-o",
        "BatchMode=yes",
        "-o",
        "ConnectTimeout=20",
        "-o",
        "ServerAliveInterval=10",
        "-o",
        "ServerAliveCountMax=3",
        "--",
        machine,
        line,
    ];
    words.map(str::to_owned).to_vec()
}

/// Returns the command that shows a session of the host of a name in the user's terminal. Empty
/// for a host that has none.
pub(super) fn build_attach_command(
    settings: &HostSettings,
    town: &TownLayout,
    name: &str,
    session: &str,
) -> Vec<String> {
    let host = match &settings.transport {
        HostTransport::Ssh(host) => host,
        HostTransport::Place(_) => {
            let place = EnginePlace::load(town, name);
            let command = place.and_then(|place| place.attach_command(session));
            return command.unwrap_or_else(|_| Vec::new());
        }
        _ => return Vec::new(),
    };
    let program = quote_remote_path(&settings.program);
    // Names of sessions and towns have no character that a shell reads.
    let line = format!("{program} box attach {} {session}", settings.town);
    ["ssh", "-t", "--", host, &line].map(str::to_owned).to_vec()
}

/// Quotes a word for a remote shell. A leading `~/` stays for the shell.
pub fn quote_remote_path(word: &str) -> String {
    let (home, rest) = match word.strip_prefix("~/") {
        Some(rest) => ("~/", rest),
        None => ("", word),
    };
    let quoted = shlex::try_quote(rest).unwrap_or_else(|_| "gt".into());
    format!("{home}{quoted}")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_program_of_an_ssh_host_is_one_word_of_the_remote_shell() {
        let ssh = |program: &str| {
            let transport = HostTransport::Ssh("big".to_owned());
            let settings = HostSettings {
                program: program.to_owned(),
                ..HostSettings::new(transport, "t".to_owned())
            };
            let town = TownLayout::new(Path::new("/nowhere"));
            build_open_command(&settings, &town, "big")
                .unwrap()
                .pop()
                .unwrap()
        };
        assert_eq!(ssh("gt"), "gt box serve");
        assert_eq!(ssh("~/bin/gt"), "~/bin/gt box serve");
        assert_eq!(ssh("/opt/my gt"), "'/opt/my gt' box serve");
        assert_eq!(ssh("gt; ls"), "'gt; ls' box serve");
    }
}
