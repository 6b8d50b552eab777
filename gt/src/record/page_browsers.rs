//! The browsers that may read the page of the town. They are kept, so that an open page goes on after
//! the daemon was started again. Only hashes of their secrets are kept, and no permission to change
//! the town: while the daemon does not run, another process may take its port.

use std::path::PathBuf;

use anyhow::Context as _;
use jiff::{SignedDuration, Timestamp};
use kit::sys::file;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::state_file::{read_expendable_state, write_state};
use crate::town::Town;

/// The time for which a browser is kept.
const BROWSER_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// The page that the daemon served last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedPage {
    /// The root of the town. A copy of the town does not accept the browsers of the original.
    pub root: PathBuf,
    pub port: u16,
    pub browsers: Vec<SavedBrowser>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedBrowser {
    /// The hash of the cookie, see [`hash_secret`].
    pub cookie: String,
    /// The hash of the key.
    pub key: String,
    /// The time at which it opened its link.
    pub begun: Timestamp,
}

impl SavedPage {
    /// Reads the page with the browsers that are not too old. None without one.
    pub fn load(town: &Town) -> Option<Self> {
        let mut page: Self = read_expendable_state(&town.layout.page_browsers());
        let now = town.clock.now();
        page.browsers.retain(|browser| browser.is_valid(now));
        let is_own = page.root == town.layout.root();
        (is_own && !page.browsers.is_empty()).then_some(page)
    }

    pub fn save(&self, town: &Town) -> anyhow::Result<()> {
        write_state(&town.layout.page_browsers(), self)
    }

    /// Forgets all browsers. Returns how many could still use the page.
    pub fn forget(town: &Town) -> anyhow::Result<usize> {
        let known = Self::load(town).map_or(0, |page| page.browsers.len());
        let path = town.layout.page_browsers();
        file::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
        Ok(known)
    }
}

impl SavedBrowser {
    /// Returns true if the access of the browser has not ended.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        let age = now.duration_since(self.begun);
        !age.is_negative() && age < BROWSER_LIFETIME
    }
}

/// Hashes a secret of a browser. The secrets are random, so that a plain hash is enough.
pub fn hash_secret(secret: &str) -> String {
    Sha256::digest(secret.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_browser_is_kept_for_a_day_and_its_secrets_are_not() {
        let place = TestTown::new();
        let town = &place.town;
        assert_eq!(SavedPage::load(town), None);
        let now = town.clock.now();
        let browser = |hours| SavedBrowser {
            cookie: hash_secret("cookie"),
            key: hash_secret("key"),
            begun: now - SignedDuration::from_hours(hours),
        };
        let page = SavedPage {
            root: town.layout.root().to_owned(),
            port: 4000,
            browsers: vec![browser(1), browser(25), browser(-1)],
        };
        page.save(town).unwrap();
        let text = std::fs::read_to_string(town.layout.page_browsers()).unwrap();
        assert!(!text.contains("\"cookie\": \"cookie\""), "{text}");
        let kept = SavedPage::load(town).unwrap();
        assert_eq!(kept.browsers, [browser(1)]);
        assert_eq!(SavedPage::forget(town).unwrap(), 1);
        assert_eq!(SavedPage::load(town), None);
        assert_eq!(SavedPage::forget(town).unwrap(), 0);
        let copied = SavedPage {
            root: "/elsewhere".into(),
            ..page
        };
        copied.save(town).unwrap();
        assert_eq!(SavedPage::load(town), None);
        std::fs::write(town.layout.page_browsers(), "{").unwrap();
        assert_eq!(SavedPage::load(town), None);
    }
}
