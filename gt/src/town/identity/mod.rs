//! Defines the identity of an agent: its address, its bead, its session, its valid names.
//!
//! An address is parsed once at the edge and is a value from then on. The long form
//! (`<rig>/polecats/<name>`) is canonical. The short forms of mail are accepted too.

mod detect;
mod session_name;

use std::fmt;
use std::str::FromStr;

pub(crate) use detect::caller_from_folder;
pub use detect::{DetectedCaller, detect_caller};
pub use session_name::SessionName;

/// The address of an agent or of a user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// The user who owns the town.
    Overseer,
    /// The coordinator that the user talks to.
    Mayor,
    Deacon,
    Boot,
    Dog(String),
    /// The agent that patrols a rig.
    Witness(String),
    /// The agent of a rig's merge queue.
    Refinery(String),
    /// A worker of a rig: rig and name.
    Polecat(String, String),
    /// A user-directed worker of a rig: rig and name.
    Crew(String, String),
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "`{text}` is not an agent's address (try mayor, <rig>/polecats/<name>, <rig>/crew/<name>, <rig>/witness)"
)]
pub struct BadAddress {
    pub text: String,
}

/// The roles of agents that have sessions.
pub const SESSION_ROLES: &[&str] = &[
    "boot", "crew", "deacon", "dog", "mayor", "polecat", "refinery", "witness",
];

impl Address {
    /// Returns the rig of the agent. None for town agents.
    pub fn rig(&self) -> Option<&str> {
        match self {
            Self::Witness(rig) | Self::Refinery(rig) => Some(rig),
            Self::Polecat(rig, _) | Self::Crew(rig, _) => Some(rig),
            Self::Overseer | Self::Mayor | Self::Deacon | Self::Boot | Self::Dog(_) => None,
        }
    }

    /// Returns the agent's own name within the rig or kennel. None for roles.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Polecat(_, name) | Self::Crew(_, name) | Self::Dog(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the name of the role, as in `GT_ROLE` and role files.
    pub fn role(&self) -> &'static str {
        match self {
            Self::Overseer => "overseer",
            Self::Mayor => "mayor",
            Self::Deacon => "deacon",
            Self::Boot => "boot",
            Self::Dog(_) => "dog",
            Self::Witness(_) => "witness",
            Self::Refinery(_) => "refinery",
            Self::Polecat(..) => "polecat",
            Self::Crew(..) => "crew",
        }
    }

    /// Returns the id of the agent's bead: `hq-mayor`, `<prefix>-<rig>-polecat-<name>`, ...
    /// `prefix` is the rig's, without hyphen.
    pub fn bead_id(&self, prefix: &str) -> String {
        match self {
            Self::Overseer => "hq-overseer".to_owned(),
            Self::Mayor => "hq-mayor".to_owned(),
            Self::Deacon => "hq-deacon".to_owned(),
            Self::Boot => "hq-boot".to_owned(),
            Self::Dog(name) => format!("hq-dog-{name}"),
            Self::Witness(rig) | Self::Refinery(rig) => format!("{prefix}-{rig}-{}", self.role()),
            Self::Polecat(rig, name) | Self::Crew(rig, name) => {
                format!("{prefix}-{rig}-{}-{name}", self.role())
            }
        }
    }

    /// Returns the form of the address in mail: `mayor/`, `<rig>/<name>`, `<rig>/witness`,
    /// `overseer`.
    pub fn mailbox(&self) -> String {
        match self {
            Self::Mayor | Self::Deacon => format!("{self}/"),
            Self::Polecat(rig, name) | Self::Crew(rig, name) => format!("{rig}/{name}"),
            _ => self.to_string(),
        }
    }

    /// Returns a form for texts to agents that does not look like a path.
    pub fn display_name(&self) -> String {
        match self {
            Self::Polecat(rig, name) | Self::Crew(rig, name) => {
                format!("{} {name} (rig: {rig})", self.role())
            }
            Self::Witness(rig) | Self::Refinery(rig) => format!("{} (rig: {rig})", self.role()),
            Self::Dog(name) => format!("dog {name}"),
            _ => self.role().to_owned(),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overseer => f.write_str("overseer"),
            Self::Mayor => f.write_str("mayor"),
            Self::Deacon => f.write_str("deacon"),
            Self::Boot => f.write_str("deacon-boot"),
            Self::Dog(name) => write!(f, "deacon/dogs/{name}"),
            Self::Witness(rig) => write!(f, "{rig}/witness"),
            Self::Refinery(rig) => write!(f, "{rig}/refinery"),
            Self::Polecat(rig, name) => write!(f, "{rig}/polecats/{name}"),
            Self::Crew(rig, name) => write!(f, "{rig}/crew/{name}"),
        }
    }
}

impl FromStr for Address {
    type Err = BadAddress;

    /// Parses the long forms and the short ones of mail. `<rig>/<name>` is parsed as a polecat,
    /// because only the town's folders show if it is a crew member (see
    /// [`crate::town::Town::parse_address`]).
    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let parts: Vec<&str> = text.trim().trim_end_matches('/').split('/').collect();
        let build_refusal = || BadAddress {
            text: text.to_owned(),
        };
        if parts.iter().any(|part| !is_name(part)) {
            return Err(build_refusal());
        }
        Ok(match *parts.as_slice() {
            ["overseer" | "human"] => Self::Overseer,
            ["mayor" | "may"] => Self::Mayor,
            ["deacon" | "dea"] => Self::Deacon,
            ["boot" | "deacon-boot"] => Self::Boot,
            ["deacon", "dogs", name] => Self::Dog(name.into()),
            [rig, "witness" | "wit"] => Self::Witness(rig.into()),
            [rig, "refinery" | "ref"] => Self::Refinery(rig.into()),
            [rig, "polecats", name] => Self::Polecat(rig.into(), name.into()),
            [rig, "crew", name] => Self::Crew(rig.into(), name.into()),
            [_, "polecats" | "crew"] => return Err(build_refusal()),
            [rig, name] => Self::Polecat(rig.into(), name.into()),
            _ => return Err(build_refusal()),
        })
    }
}

/// Returns true if a text is a valid name for a rig or an agent: letters, digits, `-` and `_`, so
/// that it is the same in paths, branches, session names and addresses.
pub fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && !text.starts_with('-')
}

/// Words with another meaning in a rig or in an address, which no worker may have as name.
const RESERVED_WORDS: &[&str] = &[
    "boot", "crew", "dea", "deacon", "dog", "dogs", "human", "may", "mayor", "overseer", "polecat",
    "polecats", "ref", "refinery", "wit", "witness",
];

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{name}` cannot be the name of a {role}: {reason}; choose another name")]
pub struct WorkerNameError {
    pub name: String,
    pub role: &'static str,
    pub reason: String,
}

/// Checks the name of a polecat or crew member. The name of its session must identify this worker
/// and no other agent of the town, whose rigs are given.
pub fn check_worker_name<'a>(
    address: &Address,
    rigs: impl IntoIterator<Item = &'a str>,
) -> Result<(), WorkerNameError> {
    let name = address.name().unwrap_or("");
    let session = SessionName::for_agent(address);
    let meant = session
        .as_ref()
        .and_then(|session| SessionName::parse_address(session.as_str(), rigs));
    let reason = if !is_name(name) {
        "only letters, digits, - and _ are allowed".to_owned()
    } else if RESERVED_WORDS.contains(&name.to_ascii_lowercase().as_str()) {
        "the town uses it itself".to_owned()
    } else if let (Some(session), Some(meant)) = (session, meant)
        && meant != *address
    {
        format!("its session would be {session}, which is that of {meant}")
    } else {
        return Ok(());
    };
    let name = name.to_owned();
    let role = address.role();
    Err(WorkerNameError { name, role, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_round_trips_through_its_text() {
        for text in [
            "overseer",
            "mayor",
            "deacon",
            "deacon-boot",
            "deacon/dogs/alpha",
            "web/witness",
            "web/refinery",
            "web/polecats/nux",
            "web/crew/max",
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
    }

    #[test]
    fn mailbox_forms_are_parsed_as_the_same_agent() {
        assert_eq!("mayor/".parse(), Ok(Address::Mayor));
        assert_eq!(
            "web/nux".parse(),
            Ok(Address::Polecat("web".into(), "nux".into()))
        );
    }

    #[test]
    fn paths_and_empty_parts_are_not_addresses() {
        for text in [
            "",
            "../x",
            "web//nux",
            "web/polecats",
            "a/b/c/d",
            "web/polecats/../x",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_parsed_address_contains_no_path_separator() {
        let nux = Address::Polecat("web".into(), "nux".into());
        assert_eq!(nux.display_name(), "polecat nux (rig: web)");
        assert_eq!(nux.bead_id("wb"), "wb-web-polecat-nux");
        assert_eq!(nux.mailbox(), "web/nux");
    }

    #[test]
    fn no_two_valid_agents_share_a_session_name() {
        let rigs = [
            "web", "web_api", "web-api", "crew-x", "web-crew", "boot", "a",
        ];
        let names = [
            "nux",
            "crew",
            "crew-x",
            "crew-crew-x",
            "x",
            "api",
            "api-nux",
            "witness",
            "Witness",
            "refinery",
            "wit",
            "mayor",
            "deacon",
            "boot",
            "dog",
            "overseer",
            "web-51",
            "51",
            "a-b",
            "api-crew-x",
            "crew_x",
            "-x",
            "",
        ];
        let mut all = vec![
            Address::Mayor,
            Address::Deacon,
            Address::Boot,
            Address::Dog("a".into()),
        ];
        for rig in rigs {
            all.extend([Address::Witness(rig.into()), Address::Refinery(rig.into())]);
            for name in names {
                let (rig, name) = (rig.to_owned(), name.to_owned());
                for worker in [
                    Address::Polecat(rig.clone(), name.clone()),
                    Address::Crew(rig, name),
                ] {
                    if check_worker_name(&worker, rigs).is_ok() {
                        all.push(worker);
                    }
                }
            }
        }
        assert!(all.len() > 100, "{}", all.len());
        for (at, one) in all.iter().enumerate() {
            for other in &all[at + 1..] {
                let (name, of_other) = (SessionName::for_agent(one), SessionName::for_agent(other));
                assert_ne!(name, of_other, "{one} {other}");
            }
        }
    }

    #[test]
    fn a_name_that_means_another_agent_is_refused_with_the_reason() {
        let refused = |address: &str, words: &str| {
            let address: Address = address.parse().unwrap();
            let error = check_worker_name(&address, ["web", "web-api"]).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        };
        refused(
            "web/polecats/crew-x",
            "gt-web-crew-x, which is that of web/crew/x",
        );
        refused(
            "web/polecats/witness",
            "`witness` cannot be the name of a polecat: the town uses it itself",
        );
        refused(
            "web/polecats/api-nux",
            "which is that of web-api/polecats/nux",
        );
        refused("web/crew/Mayor", "`Mayor` cannot be the name of a crew");
        let fine: Address = "web-api/polecats/nux".parse().unwrap();
        check_worker_name(&fine, ["web", "web-api"]).unwrap();
    }
}
