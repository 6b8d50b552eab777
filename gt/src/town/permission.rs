//! The permissions of the roles: the table `gt/templates/permissions.txt` lists the commands that a
//! polecat may run, and those that no agent may run. The user gives and takes the others with the
//! settings `permissions.ROLE.given` and `.taken`.

use kit::table;
use serde::Serialize;

use crate::town::Town;
use crate::town::config::{SettingPlace, SettingsError, SettingsLayers};
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

impl Permission {
    /// Returns true if a worker with it could leave its jail.
    fn opens_jails(&self) -> bool {
        matches!(self.name, "agents" | "settings" | "town")
    }

    /// Returns true if a user can give it to a role or take it from one. No agent judges workers.
    fn is_changeable(&self) -> bool {
        self.holders != PermissionHolders::User && self.name != IN_PLACE
    }

    fn is_held_by(&self, caller: &Address, changes: &PermissionChanges) -> bool {
        let is_in = |list: &[String]| list.iter().any(|name| name == self.name);
        if *caller == Address::Overseer || !self.is_changeable() {
            return self.holders.include(caller);
        }
        let is_given = is_in(&changes.given)
            && !(self.opens_jails() && matches!(caller, Address::Polecat(..)));
        !is_in(&changes.taken) && (is_given || self.holders.include(caller))
    }
}

/// The permissions that the user gave to a role and took from it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PermissionChanges {
    given: Vec<String>,
    taken: Vec<String>,
}

impl PermissionChanges {
    /// Reads the changes for the role of an agent. A name that is no permission is an error, so that
    /// a misspelled one takes effect or is noticed.
    pub fn load(town: &Town, agent: &Address) -> Result<Self, SettingsError> {
        if *agent == Address::Overseer {
            return Ok(Self::default());
        }
        let layers = SettingsLayers::load(town, None)?;
        let read = |change| {
            let key = setting_name(agent.role(), change);
            layers.checked_value(&key)?;
            let names = layers.list(&key);
            let known: Vec<&str> = list_changeable();
            match names.iter().find(|name| !known.contains(&name.as_str())) {
                Some(unknown) => Err(SettingsError::BadValue {
                    place: SettingPlace::in_file(layers.town_path()),
                    key,
                    text: unknown.clone(),
                    expected: format!("one of {}", known.join(", ")),
                }),
                None => Ok(names),
            }
        };
        Ok(Self {
            given: read("given")?,
            taken: read("taken")?,
        })
    }

    /// Returns the changes after a permission was given to the role of an agent, or taken from it.
    #[must_use]
    pub fn with(&self, agent: &Address, permission: &str, is_given: bool) -> Self {
        let mut changes = self.clone();
        for list in [&mut changes.given, &mut changes.taken] {
            list.retain(|name| name != permission);
        }
        let is_own = read_table()
            .filter(|row| row.name == permission)
            .all(|row| row.holders.include(agent));
        match (is_given, is_own) {
            (true, false) => changes.given.push(permission.to_owned()),
            (false, true) => changes.taken.push(permission.to_owned()),
            _ => {}
        }
        changes
    }

    /// The settings of a role with their values.
    pub fn settings(&self, role: &str) -> [(String, String); 2] {
        [
            (setting_name(role, "given"), self.given.join(",")),
            (setting_name(role, "taken"), self.taken.join(",")),
        ]
    }
}

fn setting_name(role: &str, change: &str) -> String {
    format!("permissions.{role}.{change}")
}

/// Returns true for a permission that workers cannot have: with it one could end its own jail.
pub fn is_kept_from_workers(permission: &str) -> bool {
    read_table().any(|row| row.name == permission && row.opens_jails())
}

/// The names of the permissions that a user can give and take.
pub fn list_changeable() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for row in read_table().filter(Permission::is_changeable) {
        if !names.contains(&row.name) {
            names.push(row.name);
        }
    }
    names
}

/// A permission of a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldPermission {
    pub name: &'static str,
    pub is_held: bool,
    /// True if the user gave or took it.
    pub is_changed: bool,
    pub commands: Vec<&'static str>,
}

/// Returns all permissions, and whether an agent has them.
pub fn list_permissions(agent: &Address, changes: &PermissionChanges) -> Vec<HeldPermission> {
    let mut found: Vec<HeldPermission> = Vec::new();
    for row in read_table() {
        let commands = table::split_list(row.commands, ',');
        if let Some(known) = found.iter_mut().find(|known| known.name == row.name) {
            known.commands.extend(commands);
            continue;
        }
        let is_held = row.is_held_by(agent, changes);
        found.push(HeldPermission {
            name: row.name,
            is_held,
            is_changed: is_held != row.holders.include(agent),
            commands: commands.collect(),
        });
    }
    found
}

/// A command that its caller may not run.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "{who} is {kind}: it may not run `gt {command}`, which needs the permission \"{permission}\". \
     Ask with\ngt escalate \"<what you need>\""
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
    changes: &PermissionChanges,
) -> Result<(), PermissionError> {
    let permission = find_permission(path, options).unwrap_or(Permission {
        name: "unknown",
        holders: PermissionHolders::Leaders,
        commands: "",
    });
    if permission.is_held_by(caller, changes) {
        return Ok(());
    }
    let permission = permission.name;
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

/// Returns the name of the permission that a command needs, given as a line.
pub fn find_permission_name(command: &str) -> &'static str {
    let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    let found = find_permission(&words, &[]).filter(|row| row.name != IN_PLACE);
    found.map_or("of the user", |row| row.name)
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
pub fn list_bd_commands(caller: &Address, changes: &PermissionChanges) -> Vec<String> {
    read_table()
        .filter(|row| row.is_held_by(caller, changes) && row.name != IN_PLACE)
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

    fn polecat() -> Address {
        Address::Polecat("web".into(), "nux".into())
    }

    fn none() -> PermissionChanges {
        PermissionChanges::default()
    }

    fn words(command: &str) -> Vec<String> {
        command.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_polecat_reads_and_does_its_own_work_and_nothing_else() {
        let polecat = polecat();
        for allowed in [
            "status",
            "mq list",
            "escalate",
            "mail send",
            "done",
            "trail commits",
        ] {
            assert_eq!(
                check_permission(&polecat, &words(allowed), &[], &none()),
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
            let error = check_permission(&polecat, &words(refused), &[], &none()).unwrap_err();
            assert_eq!(error.command, refused);
        }
        assert!(check_permission(&Address::Mayor, &words("rig park"), &[], &none()).is_ok());
        for agent in [&polecat, &Address::Mayor, &Address::Deacon] {
            assert!(check_permission(agent, &words("rate"), &[], &none()).is_err());
        }
        assert!(check_permission(&Address::Overseer, &words("rate"), &[], &none()).is_ok());
        assert!(check_session_of(&polecat, &polecat).is_ok());
        assert!(check_session_of(&polecat, &Address::Mayor).is_err());
        assert!(check_session_of(&Address::Mayor, &polecat).is_ok());
    }

    #[test]
    fn a_worker_cannot_be_given_what_opens_jails() {
        for name in ["settings", "town", "agents"] {
            assert!(is_kept_from_workers(name), "{name}");
            let given = none().with(&polecat(), name, true);
            for command in ["config set", "rig park", "crew"] {
                assert!(
                    check_permission(&polecat(), &words(command), &[], &given).is_err(),
                    "{name}: {command}"
                );
            }
        }
        assert!(!is_kept_from_workers("assign work"));
    }

    #[test]
    fn an_option_can_need_more_than_its_command() {
        let polecat = polecat();
        for (command, option) in [("doctor", "fix"), ("followup", "sling")] {
            let check = |caller, options: &[String]| {
                check_permission(caller, &words(command), options, &none()).is_ok()
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
        let polecat = list_bd_commands(&polecat(), &none());
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

    #[test]
    fn the_user_gives_and_takes_all_permissions_but_to_judge_workers() {
        let may = |command: &str, changes: &PermissionChanges| {
            check_permission(&polecat(), &words(command), &[], changes).is_ok()
        };
        let given = none().with(&polecat(), "merge queue", true);
        assert!(may("mq retry", &given) && !may("mq retry", &none()));
        assert!(!may(
            "mq retry",
            &given.with(&polecat(), "merge queue", false)
        ));
        let taken = none().with(&polecat(), "write", false);
        assert!(!may("mail send", &taken) && may("done", &taken));
        assert!(!list_bd_commands(&polecat(), &taken).contains(&"create".to_owned()));
        for never in ["judge workers", IN_PLACE] {
            assert!(!list_changeable().contains(&never));
            let forced = none().with(&polecat(), never, true);
            assert!(!may("rate", &forced));
        }
        assert!(may("commit", &none().with(&polecat(), IN_PLACE, false)));
    }
}
