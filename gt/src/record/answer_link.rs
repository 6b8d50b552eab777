//! Links with which a question is answered from another device, such as a phone. Each answers one
//! escalation, once, within a day. Only the page of the daemon serves them, and only if `page.url`
//! and `page.port` are set.

use anyhow::Context;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::state_file::{change_state, read_state, read_state_or_default};
use crate::town::config::SettingsLayers;
use crate::town::{Town, TownLayout};

/// The time for which a link can be used.
const LINK_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// The number of random bytes in a link.
const SECRET_BYTES: usize = 16;

/// Returns the port of the page from the settings. None for any free one.
pub fn read_page_port(town: &Town) -> Option<u16> {
    let layers = SettingsLayers::load(town, None).ok()?;
    let port = layers.valid_value("page.port").as_u64()?;
    u16::try_from(port).ok().filter(|port| *port > 0)
}

/// The settings of the page for other devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicPage {
    /// The address under which other devices reach the page, without a slash at the end.
    pub url: String,
    /// The port on the loopback address that the user's own proxy or tunnel leads to.
    pub port: u16,
}

impl PublicPage {
    /// Reads the settings. None if other devices do not reach the page.
    pub fn from_settings(town: &Town) -> Option<Self> {
        let port = read_page_port(town)?;
        let layers = SettingsLayers::load(town, None).ok()?;
        let url = layers.valid_value("page.url");
        let url = normalize_address(url.as_str()?.trim_end_matches('/'))?;
        Some(Self { url, port })
    }

    /// Returns the host that browsers name, with its port if it is not the usual one.
    pub fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        rest.split('/').next().unwrap_or("")
    }

    /// Returns the origin that browsers name.
    pub fn origin(&self) -> &str {
        let scheme = self.url.find("://").map_or(0, |at| at + 3);
        &self.url[..scheme + self.host().len()]
    }
}

/// Writes scheme and host of an address as browsers name them: in small letters, and without the
/// usual port. None for an address without a host.
fn normalize_address(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let scheme = scheme.to_ascii_lowercase();
    let host = host.to_ascii_lowercase();
    let usual = if scheme == "http" { ":80" } else { ":443" };
    let host = host.strip_suffix(usual).unwrap_or(&host);
    (!host.is_empty()).then(|| format!("{scheme}://{host}{path}"))
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct AnswerLinks {
    /// The port on which the daemon serves links. None if it does not.
    #[serde(default)]
    served: Option<u16>,
    #[serde(default)]
    links: Vec<AnswerLink>,
}

#[derive(Debug, Serialize, Deserialize)]
struct AnswerLink {
    secret: String,
    escalation: String,
    created: Timestamp,
}

impl AnswerLink {
    fn is_valid(&self, now: Timestamp) -> bool {
        let age = now.duration_since(self.created);
        !age.is_negative() && age < LINK_LIFETIME
    }
}

/// Records the port on which the daemon serves links. A program that has taken the port of the
/// setting must get none.
pub fn record_served_port(town: &Town, port: Option<u16>) -> anyhow::Result<()> {
    let path = town.layout.answer_links();
    if port.is_none() && !path.exists() {
        return Ok(());
    }
    change_state(&town.layout, &path, |all: &mut AnswerLinks| {
        all.served = port;
    })
}

fn read_served_port(town: &Town) -> anyhow::Result<Option<u16>> {
    let known: Option<AnswerLinks> = read_state(&town.layout.answer_links())?;
    Ok(known.and_then(|known| known.served))
}

/// Explains why messages carry no links although the settings ask for them. None if all is well.
pub fn explain_missing_links(town: &Town) -> Option<String> {
    let port = PublicPage::from_settings(town)?.port;
    let served = read_served_port(town).ok().flatten();
    (served != Some(port)).then(|| {
        format!(
            "messages carry no answer links: port {port} (setting page.port) is not served, because \
             another program has it or gtd started before the setting"
        )
    })
}

/// Returns the link that answers an escalation. None if other devices do not reach the page.
pub fn offer_answer_link(town: &Town, escalation: &str) -> anyhow::Result<Option<String>> {
    let Some(page) = PublicPage::from_settings(town) else {
        return Ok(None);
    };
    if read_served_port(town)? != Some(page.port) {
        return Ok(None);
    }
    let now = town.clock.now();
    let secret = create_secret()?;
    let secret = change_links(&town.layout, |links| {
        links.retain(|link| link.is_valid(now));
        // The routes of an escalation carry the same link, so that it is used once.
        if let Some(link) = links.iter_mut().find(|link| link.escalation == escalation) {
            link.created = now;
            return link.secret.clone();
        }
        links.push(AnswerLink {
            secret: secret.clone(),
            escalation: escalation.to_owned(),
            created: now,
        });
        secret
    })?;
    Ok(Some(format!("{}/answer/{secret}", page.url)))
}

/// Returns the escalation that a link answers. None if it is unknown, used or too old.
pub fn find_answer_link(town: &Town, secret: &str) -> anyhow::Result<Option<String>> {
    let links: AnswerLinks = read_state_or_default(&town.layout.answer_links())?;
    let now = town.clock.now();
    let found = links
        .links
        .into_iter()
        .find(|link| link.is_valid(now) && link.secret == secret);
    Ok(found.map(|link| link.escalation))
}

/// Takes a link, so that it is not used again. Returns its escalation. None if it is unknown, used
/// or too old.
pub fn take_answer_link(town: &Town, secret: &str) -> anyhow::Result<Option<String>> {
    let now = town.clock.now();
    change_links(&town.layout, |links| {
        links.retain(|link| link.is_valid(now));
        let place = links.iter().position(|link| link.secret == secret)?;
        Some(links.remove(place).escalation)
    })
}

fn change_links<R>(
    layout: &TownLayout,
    change: impl FnOnce(&mut Vec<AnswerLink>) -> R,
) -> anyhow::Result<R> {
    change_state(layout, &layout.answer_links(), |all: &mut AnswerLinks| {
        change(&mut all.links)
    })
}

/// Creates a secret from the system's random numbers. Those of the town can be predicted.
fn create_secret() -> anyhow::Result<String> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).context("cannot create a link: no random numbers")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use kit::sys::Clock;

    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn host_and_origin_are_parts_of_the_address() {
        let page = |url: &str| PublicPage {
            url: url.to_owned(),
            port: 1,
        };
        let town = page("https://town.example:8443/gas");
        assert_eq!(town.host(), "town.example:8443");
        assert_eq!(town.origin(), "https://town.example:8443");
        assert_eq!(page("http://phone").origin(), "http://phone");
    }

    #[test]
    fn addresses_are_written_as_browsers_name_them() {
        for (given, named) in [
            ("https://Town.Example:443/Gas", "https://town.example/Gas"),
            ("HTTP://phone:80", "http://phone"),
            ("https://town:80", "https://town:80"),
        ] {
            assert_eq!(normalize_address(given).as_deref(), Some(named));
        }
        assert_eq!(normalize_address("https://:443/"), None);
        assert_eq!(normalize_address("town.example"), None);
    }

    #[test]
    fn a_link_answers_one_escalation_once_within_a_day() {
        let mut place = TestTown::new();
        let town = &place.town;
        assert_eq!(offer_answer_link(town, "hq-1").unwrap(), None);
        let settings = r#"{"page":{"url":"https://t.example/","port":4000}}"#;
        std::fs::write(town.layout.settings(), settings).unwrap();
        // Another program may have the port.
        assert_eq!(offer_answer_link(town, "hq-1").unwrap(), None);
        record_served_port(town, Some(4001)).unwrap();
        assert_eq!(offer_answer_link(town, "hq-1").unwrap(), None);
        record_served_port(town, Some(4000)).unwrap();
        let link = offer_answer_link(town, "hq-1").unwrap().unwrap();
        assert_eq!(offer_answer_link(town, "hq-1").unwrap().unwrap(), link);
        assert_ne!(offer_answer_link(town, "hq-2").unwrap().unwrap(), link);
        let secret = link.strip_prefix("https://t.example/answer/").unwrap();
        assert_eq!(secret.len(), 2 * SECRET_BYTES);
        assert_eq!(find_answer_link(town, "").unwrap(), None);
        assert_eq!(
            find_answer_link(town, secret).unwrap().as_deref(),
            Some("hq-1")
        );
        assert_eq!(
            take_answer_link(town, secret).unwrap().as_deref(),
            Some("hq-1")
        );
        assert_eq!(take_answer_link(town, secret).unwrap(), None);
        let late = offer_answer_link(town, "hq-3").unwrap().unwrap();
        let (_, late) = late.rsplit_once('/').unwrap();
        // A repeated message has the whole time.
        let repeated = town.clock.now() + LINK_LIFETIME - SignedDuration::from_mins(1);
        place.town.town.clock = Clock::choose(Some(&repeated.to_string()));
        offer_answer_link(&place.town, "hq-3").unwrap();
        let after = (repeated + LINK_LIFETIME - SignedDuration::from_mins(1)).to_string();
        place.town.town.clock = Clock::choose(Some(&after));
        assert!(find_answer_link(&place.town, late).unwrap().is_some());
        let after = (repeated + LINK_LIFETIME).to_string();
        place.town.town.clock = Clock::choose(Some(&after));
        let town = &place.town;
        assert_eq!(find_answer_link(town, late).unwrap(), None);
        assert_eq!(take_answer_link(town, late).unwrap(), None);
    }
}
