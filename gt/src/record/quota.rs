//! Reads and writes `mayor/quota.json`: the accounts that hit a usage limit of their provider.
//!
//! A limit with a known end is over at that time, without a change of the file. The form of the
//! file is that of the original, whose `resets_at` may also be a time of day such as `7pm`.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::pulse::ApiRefusal;
use super::reset_time::parse_reset_time;
use super::state_file;
use crate::host::LiveSession;
use crate::town::{Town, TownLayout};

/// The status of an account that hit a limit.
const LIMITED_STATUS: &str = "limited";
const AVAILABLE_STATUS: &str = "available";

/// The time after which a limit without a named end is tried again.
const UNNAMED_LIMIT: SignedDuration = SignedDuration::from_hours(1);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuotaBook {
    version: u32,
    accounts: BTreeMap<String, AccountQuota>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The use of an account. Times are in RFC 3339, empty for none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AccountQuota {
    status: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub limited_at: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resets_at: String,
    /// The time of the last session start with the account.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_used: String,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// A usage limit that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageLimit {
    pub since: Option<Timestamp>,
    /// The end. None if only `gt quota clear` ends it.
    pub until: Option<Timestamp>,
}

impl AccountQuota {
    /// Returns the limit that holds at `now`.
    pub fn limit_at(&self, now: Timestamp) -> Option<UsageLimit> {
        if self.status != LIMITED_STATUS {
            return None;
        }
        let since: Option<Timestamp> = self.limited_at.parse().ok();
        let until = self.resets_at.parse().ok().or_else(|| {
            parse_reset_time(&format!("resets {}", self.resets_at), since.unwrap_or(now))
        });
        until
            .is_none_or(|until| until > now)
            .then_some(UsageLimit { since, until })
    }
}

impl QuotaBook {
    pub fn load(layout: &TownLayout) -> anyhow::Result<Self> {
        state_file::read_state_or_default(&layout.quota_json())
    }

    /// Changes the file under its lock.
    fn change(layout: &TownLayout, change: impl FnOnce(&mut Self)) -> anyhow::Result<()> {
        state_file::change_state(layout, &layout.quota_json(), |book: &mut Self| {
            book.version = book.version.max(1);
            change(book);
        })
    }

    pub fn find(&self, handle: &str) -> AccountQuota {
        self.accounts.get(handle).cloned().unwrap_or_default()
    }

    pub fn limit_of(&self, handle: &str, now: Timestamp) -> Option<UsageLimit> {
        self.accounts.get(handle)?.limit_at(now)
    }

    /// Returns the account for a new session in place of `handle`: of `handles`, the available one
    /// that was not used for the longest time.
    pub fn next_available<'a>(
        &self,
        handles: impl IntoIterator<Item = &'a String>,
        handle: &str,
        now: Timestamp,
    ) -> Option<String> {
        handles
            .into_iter()
            .filter(|other| *other != handle)
            .filter(|other| self.limit_of(other, now).is_none())
            .min_by_key(|other| -> Option<Timestamp> {
                self.accounts.get(*other)?.last_used.parse().ok()
            })
            .cloned()
    }
}

/// Returns true if a refusal means that the account, not the service, is at its limit.
pub fn is_usage_limit(refusal: &ApiRefusal) -> bool {
    refusal.limit_of.is_some() || matches!(refusal.kind.as_str(), "rate_limit" | "billing_error")
}

/// Marks an account as limited by a refusal. A limit that has ended is not marked.
pub fn mark_limited(town: &Town, handle: &str, refusal: &ApiRefusal) -> anyhow::Result<()> {
    let now = town.clock.now();
    // Money does not come back with time.
    let unnamed = (refusal.kind != "billing_error").then_some(refusal.at + UNNAMED_LIMIT);
    let until = refusal.until.or(unnamed);
    if until.is_some_and(|until| until <= now) {
        return Ok(());
    }
    QuotaBook::change(&town.layout, |book| {
        let account = book.accounts.entry(handle.to_owned()).or_default();
        if account.limit_at(now).is_none() {
            account.limited_at = refusal.since.to_string();
        }
        LIMITED_STATUS.clone_into(&mut account.status);
        account.resets_at = until.map(|until| until.to_string()).unwrap_or_default();
    })
}

/// Ends the limit of accounts. Returns those that were limited.
pub fn clear_limits(town: &Town, handles: &[String]) -> anyhow::Result<Vec<String>> {
    let mut cleared = Vec::new();
    QuotaBook::change(&town.layout, |book| {
        for handle in handles {
            let Some(account) = book.accounts.get_mut(handle) else {
                continue;
            };
            if account.status == LIMITED_STATUS {
                cleared.push(handle.clone());
            }
            AVAILABLE_STATUS.clone_into(&mut account.status);
            account.limited_at.clear();
            account.resets_at.clear();
        }
    })?;
    Ok(cleared)
}

/// The account and the agent program that a session was started with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionAccount {
    token: String,
    pub account: String,
    /// The name of the runtime.
    pub agent: String,
}

/// Records the account of a session, and that the account was used.
pub fn record_session(
    town: &Town,
    session: &str,
    started: (&str, &str),
    account: &str,
) -> anyhow::Result<()> {
    let (token, agent) = started;
    let record = SessionAccount {
        token: token.to_owned(),
        account: account.to_owned(),
        agent: agent.to_owned(),
    };
    state_file::write_state(&town.layout.session_account(session), &record)?;
    QuotaBook::change(&town.layout, |book| {
        let account = book.accounts.entry(account.to_owned()).or_default();
        if account.status.is_empty() {
            AVAILABLE_STATUS.clone_into(&mut account.status);
        }
        account.last_used = town.clock.now().to_string();
    })
}

/// Returns the account that a session was started with.
pub fn find_session_account(layout: &TownLayout, live: &LiveSession) -> Option<SessionAccount> {
    read_session_account(layout, &live.name, &live.token)
}

/// Returns the account that the session of a name and token was started with.
pub fn read_session_account(
    layout: &TownLayout,
    session: &str,
    token: &str,
) -> Option<SessionAccount> {
    let path = layout.session_account(session);
    let record: SessionAccount = state_file::read_state(&path).ok()??;
    (record.token == token).then_some(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_limit_holds_until_its_end_in_either_form() {
        let now = at("2026-01-01T12:00:00Z");
        for (resets_at, until) in [
            ("2026-01-01T13:00:00Z", Some("2026-01-01T13:00:00Z")),
            ("3pm (UTC)", Some("2026-01-01T15:00:00Z")),
            ("", None),
        ] {
            let account = AccountQuota {
                status: LIMITED_STATUS.to_owned(),
                limited_at: "2026-01-01T11:00:00Z".to_owned(),
                resets_at: resets_at.to_owned(),
                ..AccountQuota::default()
            };
            let limit = account.limit_at(now).unwrap();
            assert_eq!(limit.until, until.map(at));
            let later = account.limit_at(at("2026-01-02T00:00:00Z"));
            assert_eq!(later.is_some(), until.is_none(), "{resets_at}");
        }
        assert_eq!(AccountQuota::default().limit_at(now), None);
    }

    #[test]
    fn a_file_of_the_original_is_kept_whole() {
        let text = r#"{"version":1,"accounts":{"a":{"status":"limited","resets_at":"7pm","x":1}},"active_swaps":{"d":"a"}}"#;
        let book: QuotaBook = serde_json::from_str(text).unwrap();
        let again = serde_json::to_value(&book).unwrap();
        let expected: Value = serde_json::from_str(text).unwrap();
        assert_eq!(again, expected);
    }
}
