//! Detects the caller. The session above this process decides, then `GT_ROLE`, and the working
//! directory fills gaps: a worker can change its variables, but not those of its session.

use std::path::Path;

use kit::sys::Env;
use kit::sys::ancestor::SessionVariables;

use super::Address;
use crate::town::TownLayout;

/// The identity of the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedCaller {
    /// The address. `None` if neither variables nor folder determine it.
    pub address: Option<Address>,
    /// The source: `session`, `env`, `cwd` or `none`.
    pub source: &'static str,
    /// The address that the folder suggests, if it differs from the variables.
    pub mismatch: Option<Address>,
}

/// Detects the caller of this command in `layout`'s town. `session` are the variables of the agent
/// session that the command runs in.
pub fn detect_caller(
    env: &Env,
    layout: &TownLayout,
    session: Option<&SessionVariables>,
) -> DetectedCaller {
    let by_folder = caller_from_folder(layout.root(), env.cwd());
    let by_session = session
        .and_then(|session| session.role_in_town(layout.root()))
        .and_then(|role| role.parse().ok());
    let source = if by_session.is_some() {
        "session"
    } else {
        "env"
    };
    match by_session.or_else(|| caller_from_env(env)) {
        Some(address) => DetectedCaller {
            mismatch: by_folder.filter(|other| *other != address),
            address: Some(address),
            source,
        },
        None if by_folder.is_some() => DetectedCaller {
            address: by_folder,
            source: "cwd",
            mismatch: None,
        },
        None => DetectedCaller {
            address: None,
            source: "none",
            mismatch: None,
        },
    }
}

/// Reads `GT_ROLE` (a full address, or a role that `GT_RIG`, `GT_POLECAT` and `GT_CREW` complete).
fn caller_from_env(env: &Env) -> Option<Address> {
    let role = env.get("GT_ROLE")?;
    let text = match role {
        "witness" | "refinery" => format!("{}/{role}", env.get("GT_RIG")?),
        "polecat" => format!("{}/polecats/{}", env.get("GT_RIG")?, env.get("GT_POLECAT")?),
        "crew" => format!("{}/crew/{}", env.get("GT_RIG")?, env.get("GT_CREW")?),
        whole => whole.to_owned(),
    };
    text.parse().ok()
}

/// Returns the agent whose folder of the town this is.
pub(crate) fn caller_from_folder(town: &Path, cwd: &Path) -> Option<Address> {
    let parts: Vec<&str> = cwd
        .strip_prefix(town)
        .ok()?
        .components()
        .filter_map(|c| c.as_os_str().to_str())
        .collect();
    Some(match *parts.as_slice() {
        ["mayor", ..] => Address::Mayor,
        ["deacon", "dogs", "boot", ..] => Address::Boot,
        ["deacon", "dogs", name, ..] => Address::Dog(name.into()),
        ["deacon", ..] => Address::Deacon,
        [rig, "witness", ..] => Address::Witness(rig.into()),
        [rig, "refinery", ..] => Address::Refinery(rig.into()),
        [rig, "polecats", name, ..] => Address::Polecat(rig.into(), name.into()),
        [rig, "crew", name, ..] => Address::Crew(rig.into(), name.into()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(cwd: &str, vars: &[(&str, &str)]) -> DetectedCaller {
        let env = Env::with_vars(Path::new(cwd), vars.iter().copied());
        detect_caller(&env, &TownLayout::new(Path::new("/town")), None)
    }

    #[test]
    fn the_folder_decides_if_no_variable_is_set() {
        let found = at("/town/web/polecats/nux/web/src", &[]);
        assert_eq!(
            found.address,
            Some(Address::Polecat("web".into(), "nux".into()))
        );
        assert_eq!(found.source, "cwd");
    }

    #[test]
    fn variables_override_the_folder_and_a_mismatch_is_reported() {
        let found = at("/town/web/crew/max", &[("GT_ROLE", "web/polecats/nux")]);
        assert_eq!(
            found.address,
            Some(Address::Polecat("web".into(), "nux".into()))
        );
        assert_eq!(
            found.mismatch,
            Some(Address::Crew("web".into(), "max".into()))
        );
    }

    #[test]
    fn a_role_word_is_completed_by_rig_and_name() {
        let vars = [
            ("GT_ROLE", "polecat"),
            ("GT_RIG", "web"),
            ("GT_POLECAT", "nux"),
        ];
        let found = at("/elsewhere", &vars);
        assert_eq!(
            found.address,
            Some(Address::Polecat("web".into(), "nux".into()))
        );
    }

    #[test]
    fn the_town_root_and_a_bare_rig_identify_no_agent() {
        assert_eq!(at("/town", &[]).address, None);
        assert_eq!(at("/town/web", &[]).address, None);
    }
}
