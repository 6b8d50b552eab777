//! Reads the table of what a program in the jail finds.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const TABLE: &str = include_str!("../../../templates/jail.txt");

fn names(kind: &str) -> impl Iterator<Item = &'static str> {
    TABLE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" | "))
        .filter(move |(of_line, _)| *of_line == kind)
        .map(|(_, name)| name)
}

/// Returns the existing files and folders of the system that a program reads.
pub(super) fn system() -> impl Iterator<Item = &'static Path> {
    names("system").map(Path::new).filter(|path| path.exists())
}

/// Returns the folders of toolchains in a home folder, existing or not.
pub(super) fn toolchains(home: &Path) -> impl Iterator<Item = PathBuf> {
    names("home").map(|name| home.join(name))
}

pub(super) fn is_kept_variable(name: &str) -> bool {
    names("variable").any(|pattern| matches_name(pattern, name))
        || names("address").any(|address| address == name)
}

/// Returns the value of a variable; an empty one for an address that names a user.
pub(super) fn checked_value<'a>(name: &str, value: &'a OsStr) -> &'a OsStr {
    let names_user = value.as_encoded_bytes().contains(&b'@');
    if names_user && names("address").any(|address| address == name) {
        OsStr::new("")
    } else {
        value
    }
}

/// Returns true if a name is the pattern, or begins with one that ends in `*`.
pub(super) fn matches_name(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_the_table_has_a_known_kind_and_one_name() {
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let (kind, name) = line.split_once(" | ").unwrap();
            let is_path = matches!(kind, "system" | "home");
            assert!(is_path || matches!(kind, "variable" | "address"), "{line}");
            assert_eq!(name, name.trim());
            assert_eq!(kind == "system", name.starts_with('/'), "{line}");
            assert!(!name.contains(".."), "{line}");
        }
    }

    #[test]
    fn no_variable_of_a_credential_or_a_socket_is_kept() {
        let refused = [
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_ACCESS_KEY_ID",
            "AWS_PROFILE",
            "SSH_AUTH_SOCK",
            "SSH_AGENT_PID",
            "GPG_AGENT_INFO",
            "DBUS_SESSION_BUS_ADDRESS",
            "XDG_RUNTIME_DIR",
            "DISPLAY",
            "TMUX",
            "GT_LEASE",
            "BEADS_DIR",
            "GIT_SSH_COMMAND",
            "GIT_CONFIG_PARAMETERS",
            "CARGO_REGISTRY_TOKEN",
            "NPM_TOKEN",
            "NODE_OPTIONS",
            "LD_PRELOAD",
            "BASH_ENV",
            "ENV",
            "DATABASE_URL",
        ];
        for name in refused {
            assert!(!is_kept_variable(name), "{name}");
        }
        for name in ["PATH", "LC_ALL", "CARGO_HOME", "HTTPS_PROXY"] {
            assert!(is_kept_variable(name), "{name}");
        }
    }

    #[test]
    fn an_address_with_a_user_is_emptied() {
        let value = |text: &'static str| checked_value("HTTPS_PROXY", OsStr::new(text));
        assert_eq!(value("http://me:secret@proxy:1"), "");
        assert_eq!(value("http://proxy:1"), "http://proxy:1");
        assert_eq!(checked_value("PATH", OsStr::new("/a@b")), "/a@b");
    }
}
