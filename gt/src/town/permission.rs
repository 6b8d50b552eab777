//! The permissions of the roles: one table, `gt/templates/permissions.txt`, says which commands a
//! polecat may not run.

use crate::town::identity::Address;

const TABLE: &str = include_str!("../../templates/permissions.txt");

/// A row of the table.
struct Permission {
    name: &'static str,
    /// True if polecats have the permission, too.
    is_for_all: bool,
    commands: &'static str,
}

/// A command that its caller may not run.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "{who} is a worker: it may not run `gt {command}`, which needs the permission \"{permission}\""
)]
pub struct PermissionError {
    pub who: String,
    pub command: String,
    pub permission: String,
}

/// Checks that an agent may run a command, given as its words without flags.
pub fn check_permission(caller: &Address, path: &[String]) -> Result<(), PermissionError> {
    let Address::Polecat(..) = caller else {
        return Ok(());
    };
    let (permission, is_allowed) = match find_permission(path) {
        Some(permission) => (permission.name, permission.is_for_all),
        None => ("unknown", false),
    };
    if is_allowed {
        return Ok(());
    }
    Err(PermissionError {
        who: caller.to_string(),
        command: path.join(" "),
        permission: permission.to_owned(),
    })
}

/// Checks that an agent may end or restart the session of another.
pub fn check_session_of(caller: &Address, agent: &Address) -> Result<(), PermissionError> {
    match caller {
        Address::Polecat(..) if caller != agent => Err(PermissionError {
            who: caller.to_string(),
            command: format!("handoff {agent}"),
            permission: "agents".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Returns the permission that a command needs: that of the longest row that names its first words.
fn find_permission(path: &[String]) -> Option<Permission> {
    let names = (1..=path.len())
        .rev()
        .map(|length| path[..length].join(" "));
    names.into_iter().find_map(|name| {
        let mut rows = read_table();
        rows.find(|row| {
            row.commands
                .split(',')
                .any(|command| command.trim() == name)
        })
    })
}

fn read_table() -> impl Iterator<Item = Permission> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let (name, rest) = line.split_once('|')?;
        let (roles, commands) = rest.split_once('|')?;
        Some(Permission {
            name: name.trim(),
            is_for_all: roles.trim() == "all",
            commands,
        })
    })
}

/// Returns the commands that the table names.
pub fn list_commands() -> Vec<&'static str> {
    let rows = read_table();
    rows.flat_map(|row| row.commands.split(',').map(str::trim))
        .collect()
}

/// Returns true if the table names a command or its first words.
pub fn is_classified(path: &[String]) -> bool {
    find_permission(path).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &str) -> Vec<String> {
        command.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_polecat_reads_and_does_its_own_work_and_nothing_else() {
        let polecat = Address::Polecat("web".into(), "nux".into());
        for allowed in [
            "status",
            "mq list",
            "escalate",
            "mail send",
            "done",
            "trail commits",
        ] {
            assert_eq!(
                check_permission(&polecat, &words(allowed)),
                Ok(()),
                "{allowed}"
            );
        }
        for refused in [
            "config set",
            "mq retry",
            "escalate resolve",
            "sling",
            "rig park",
            "new",
        ] {
            let error = check_permission(&polecat, &words(refused)).unwrap_err();
            assert_eq!(error.command, refused);
        }
        assert!(check_permission(&Address::Mayor, &words("rig park")).is_ok());
        assert!(check_session_of(&polecat, &polecat).is_ok());
        assert!(check_session_of(&polecat, &Address::Mayor).is_err());
        assert!(check_session_of(&Address::Mayor, &polecat).is_ok());
    }
}
