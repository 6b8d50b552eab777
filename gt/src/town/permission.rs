//! The permissions of the roles: the table `gt/templates/permissions.txt` lists the commands that a
//! polecat may run, and those that no agent may run.

use kit::table;

use crate::town::identity::Address;

const PERMISSIONS_TABLE: &str = include_str!("../../templates/permissions.txt");

/// A row of the table.
struct Permission {
    name: &'static str,
    holders: PermissionHolders,
    commands: &'static str,
}

/// The callers that have a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PermissionHolders {
    All,
    /// Everyone but polecats.
    Leaders,
    /// The user, and no agent.
    User,
}

impl PermissionHolders {
    /// Parses the word of the table. A word that is not known names the fewest callers.
    fn parse(word: &str) -> Self {
        match word {
            "all" => Self::All,
            "leaders" => Self::Leaders,
            _ => Self::User,
        }
    }

    fn include(self, caller: &Address) -> bool {
        match caller {
            Address::Overseer => true,
            Address::Polecat(..) => self == Self::All,
            _ => self != Self::User,
        }
    }
}

/// A command that its caller may not run.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "{who} is {kind}: it may not run `gt {command}`, which needs the permission \"{permission}\""
)]
pub struct PermissionError {
    pub who: String,
    /// The kind of the caller: `a worker` or `an agent`.
    pub kind: &'static str,
    pub command: String,
    pub permission: String,
}

/// Checks that an agent may run a command, given as its words without flags, with these options.
pub fn check_permission(
    caller: &Address,
    path: &[String],
    options: &[String],
) -> Result<(), PermissionError> {
    let (permission, holders) = match find_permission(path, options) {
        Some(permission) => (permission.name, permission.holders),
        None => ("unknown", PermissionHolders::Leaders),
    };
    if holders.include(caller) {
        return Ok(());
    }
    let is_worker = matches!(caller, Address::Polecat(..));
    Err(PermissionError {
        who: caller.to_string(),
        kind: if is_worker { "a worker" } else { "an agent" },
        command: path.join(" "),
        permission: permission.to_owned(),
    })
}

/// Checks that an agent may end or restart the session of another.
pub fn check_session_of(caller: &Address, agent: &Address) -> Result<(), PermissionError> {
    match caller {
        Address::Polecat(..) if caller != agent => Err(PermissionError {
            who: caller.to_string(),
            kind: "a worker",
            command: format!("handoff {agent}"),
            permission: "agents".to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Returns the permission that a command needs: that of the row that names it with one of its
/// options, else that of the longest row that names its first words.
fn find_permission(path: &[String], options: &[String]) -> Option<Permission> {
    let command = path.join(" ");
    let with_options = options
        .iter()
        .map(|option| format!("{command} --{}", option.replace('_', "-")));
    let without = (1..=path.len())
        .rev()
        .map(|length| path[..length].join(" "));
    with_options.chain(without).find_map(|name| {
        read_table().find(|row| table::split_list(row.commands, ',').any(|command| command == name))
    })
}

/// The name of the permission for commands that need nothing of the town. In a jail they run where
/// they are called.
const IN_PLACE: &str = "in place";

/// Returns true for a command of `program` that needs nothing of the town.
pub fn runs_in_place(program: &str, path: &[String]) -> bool {
    // `bd` alone is a command of `gt`.
    let (path, shortest) = match program {
        BD => ([&[BD.to_owned()], path].concat(), 2),
        _ => (path.to_vec(), 1),
    };
    (shortest..=path.len()).any(|length| {
        let name = path[..length].join(" ");
        read_table()
            .filter(|row| row.name == IN_PLACE)
            .any(|row| table::split_list(row.commands, ',').any(|command| command == name))
    })
}

/// The program whose commands begin with its name in the table.
const BD: &str = "bd";

/// Returns the commands of `bd` that an agent may run in the town.
pub fn list_bd_commands(caller: &Address) -> Vec<String> {
    read_table()
        .filter(|row| row.holders.include(caller) && row.name != IN_PLACE)
        .flat_map(|row| table::split_list(row.commands, ','))
        .filter_map(|command| command.strip_prefix("bd "))
        .map(str::to_owned)
        .collect()
}

fn read_table() -> impl Iterator<Item = Permission> {
    table::read_rows(PERMISSIONS_TABLE).map(|[name, roles, commands]| Permission {
        name,
        holders: PermissionHolders::parse(roles),
        commands,
    })
}

/// Returns the commands of `gt` that the table names, without their options.
pub fn list_commands() -> Vec<&'static str> {
    read_table()
        .flat_map(|row| table::split_list(row.commands, ','))
        .filter(|command| !command.starts_with("bd "))
        .map(|command| command.split_once(" --").map_or(command, |(name, _)| name))
        .collect()
}

/// Returns true if the table names a command or its first words.
pub fn is_classified(path: &[String]) -> bool {
    find_permission(path, &[]).is_some()
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
                check_permission(&polecat, &words(allowed), &[]),
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
            let error = check_permission(&polecat, &words(refused), &[]).unwrap_err();
            assert_eq!(error.command, refused);
        }
        assert!(check_permission(&Address::Mayor, &words("rig park"), &[]).is_ok());
        for agent in [&polecat, &Address::Mayor, &Address::Deacon] {
            assert!(check_permission(agent, &words("rate"), &[]).is_err());
        }
        assert!(check_permission(&Address::Overseer, &words("rate"), &[]).is_ok());
        assert!(check_session_of(&polecat, &polecat).is_ok());
        assert!(check_session_of(&polecat, &Address::Mayor).is_err());
        assert!(check_session_of(&Address::Mayor, &polecat).is_ok());
    }

    #[test]
    fn an_option_can_need_more_than_its_command() {
        let polecat = Address::Polecat("web".into(), "nux".into());
        for (command, option) in [("doctor", "fix"), ("seance", "talk")] {
            let check = |caller, options: &[String]| {
                check_permission(caller, &words(command), options).is_ok()
            };
            assert!(check(&polecat, &["json".to_owned()]));
            assert!(!check(&polecat, &[option.to_owned()]));
            assert!(check(&Address::Mayor, &[option.to_owned()]));
        }
    }

    #[test]
    fn programs_of_the_caller_run_only_where_they_are_called() {
        for command in ["commit", "scripted", "session-wrapper", "bd"] {
            assert!(runs_in_place("gt", &words(command)), "{command}");
        }
        assert!(runs_in_place("bd", &words("merge")));
        for command in ["done", "prime", "status", "merge"] {
            assert!(!runs_in_place("gt", &words(command)), "{command}");
        }
        assert!(!runs_in_place("bd", &words("list")));
        assert!(!runs_in_place("bd", &[]));
        assert!(!runs_in_place("gt", &[]));
    }

    #[test]
    fn a_polecat_may_not_set_up_or_rewrite_the_beads_of_a_rig() {
        let polecat = list_bd_commands(&Address::Polecat("web".into(), "nux".into()));
        let has = |command: &str| polecat.iter().any(|known| known == command);
        assert!(has("list") && has("create") && has("close"));
        for command in [
            "mcp",
            "init",
            "admin",
            "import",
            "config set",
            "delete",
            "edit",
            "mail",
            "hooks",
        ] {
            assert!(!has(command), "{command}");
        }
    }
}
