//! Converts between agents and session names: `hq-mayor`, `gt-<rig>-witness`,
//! `gt-<rig>-crew-<name>`, `gt-<rig>-<name>`.

use std::fmt;

use super::Address;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionName(String);

impl SessionName {
    /// Returns the session name of an agent. None for users.
    pub fn for_agent(address: &Address) -> Option<Self> {
        Some(Self(match address {
            Address::Overseer => return None,
            Address::Mayor => "hq-mayor".to_owned(),
            Address::Deacon => "hq-deacon".to_owned(),
            Address::Boot => "gt-boot".to_owned(),
            Address::Dog(name) => format!("hq-dog-{name}"),
            Address::Witness(rig) => format!("gt-{rig}-witness"),
            Address::Refinery(rig) => format!("gt-{rig}-refinery"),
            Address::Crew(rig, name) => format!("gt-{rig}-crew-{name}"),
            Address::Polecat(rig, name) => format!("gt-{rig}-{name}"),
        }))
    }

    /// Parses the agent of a session name. `rigs` are the town's rigs: names may contain hyphens,
    /// so the longest matching rig is used.
    pub fn parse_address<'a>(
        name: &str,
        rigs: impl IntoIterator<Item = &'a str>,
    ) -> Option<Address> {
        match name {
            "hq-mayor" => return Some(Address::Mayor),
            "hq-deacon" => return Some(Address::Deacon),
            "gt-boot" => return Some(Address::Boot),
            _ => {}
        }
        if let Some(dog) = name.strip_prefix("hq-dog-") {
            return Some(Address::Dog(dog.to_owned()));
        }
        let rest = name.strip_prefix("gt-")?;
        let rig = rigs
            .into_iter()
            .filter(|rig| {
                rest.strip_prefix(*rig)
                    .is_some_and(|rest| rest.starts_with('-'))
            })
            .max_by_key(|rig| rig.len())?;
        let worker = &rest[rig.len() + 1..];
        let rig = rig.to_owned();
        Some(match worker {
            "witness" => Address::Witness(rig),
            "refinery" => Address::Refinery(rig),
            _ => match worker.strip_prefix("crew-") {
                Some(name) => Address::Crew(rig, name.to_owned()),
                None => Address::Polecat(rig, worker.to_owned()),
            },
        })
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_convert_both_ways() {
        let rigs = ["web", "web_api"];
        for text in [
            "mayor",
            "deacon",
            "web/witness",
            "web_api/refinery",
            "web/crew/a-b",
            "web_api/polecats/nux",
        ] {
            let address: Address = text.parse().unwrap();
            let name = SessionName::for_agent(&address).unwrap();
            assert_eq!(
                SessionName::parse_address(name.as_str(), rigs),
                Some(address),
                "{name}"
            );
        }
    }

    #[test]
    fn the_longest_matching_rig_wins() {
        let found = SessionName::parse_address("gt-web-api-nux", ["web", "web-api"]);
        assert_eq!(
            found,
            Some(Address::Polecat("web-api".into(), "nux".into()))
        );
    }

    #[test]
    fn foreign_session_names_belong_to_no_agent() {
        assert_eq!(SessionName::parse_address("main", ["web"]), None);
        assert_eq!(SessionName::parse_address("gt-other-nux", ["web"]), None);
    }
}
