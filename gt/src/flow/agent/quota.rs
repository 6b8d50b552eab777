//! Finds the accounts that hit a usage limit, and changes the account of new sessions, `gt quota`.

use jiff::Timestamp;
use serde::Serialize;

use crate::host::ended::strip_end_message;
use crate::host::runtime;
use crate::host::{LiveSession, LiveTown};
use crate::record::account::AccountBook;
use crate::record::progress;
use crate::record::pulse::{ApiRefusal, SessionPulse};
use crate::record::quota::{self, QuotaBook, SessionAccount};
use crate::town::identity::SessionName;

/// The number of lines that are read of a screen. The output of an ended session is above the last
/// line, however tall the screen is.
const READ_LINES: usize = 200;

/// The number of last lines in which a refusal is searched.
const SEARCHED_LINES: usize = 20;

/// A session and the usage limit that it shows.
#[derive(Debug, Clone, Serialize)]
pub struct ScannedSession {
    pub session: String,
    /// The account that the session was started with, if it was started with one.
    pub account_handle: Option<String>,
    pub rate_limited: bool,
    /// The program's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched_line: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<String>,
}

/// Looks for usage limits in all sessions, and marks their accounts as limited.
pub fn scan_sessions(town: &LiveTown) -> anyhow::Result<Vec<ScannedSession>> {
    let mut scanned = Vec::new();
    for live in town.host.list()? {
        let account = quota::find_session_account(&town.layout, &live);
        let refusal = find_usage_limit(town, &live, account.as_ref())?;
        if let (Some(account), Some(refusal)) = (&account, &refusal) {
            quota::mark_limited(town, &account.account, refusal)?;
        }
        scanned.push(ScannedSession {
            session: live.name,
            account_handle: account.map(|account| account.account),
            rate_limited: refusal.is_some(),
            resets_at: refusal
                .as_ref()
                .and_then(|refusal| Some(refusal.until?.to_string())),
            matched_line: refusal.map(|refusal| refusal.words),
        });
    }
    Ok(scanned)
}

/// Returns the usage limit that a session reported by its hooks, or shows on its screen.
fn find_usage_limit(
    town: &LiveTown,
    live: &LiveSession,
    account: Option<&SessionAccount>,
) -> anyhow::Result<Option<ApiRefusal>> {
    let pulse = SessionPulse::load(&town.layout, &live.name, &live.token);
    if let Some(refusal) = pulse.refusal.filter(quota::is_usage_limit) {
        return Ok(Some(refusal));
    }
    let rigs = town.list_rigs()?;
    let Some(address) = SessionName::parse_address(&live.name, rigs.iter().map(|rig| rig.name()))
    else {
        return Ok(None);
    };
    let rig = address.rig().map(|rig| town.rig(rig));
    let agent = account.map(|account| account.agent.as_str());
    // The screen of an unknown program cannot be read.
    let Ok(found) = runtime::resolve_runtime(town, rig.as_ref(), &address, agent) else {
        return Ok(None);
    };
    // A session that ends during the scan shows no limit.
    let Ok(screen) = town.host.capture(&live.name, READ_LINES) else {
        return Ok(None);
    };
    let lines: Vec<&str> = strip_end_message(&screen).lines().collect();
    let last = lines[lines.len().saturating_sub(SEARCHED_LINES)..].join("\n");
    let refusal = progress::read_refusal(&last, &found.preset, live.activity);
    Ok(refusal.filter(quota::is_usage_limit))
}

/// A change of the account that new sessions use.
#[derive(Debug, Clone, Serialize)]
pub struct RotateReport {
    pub old_account: String,
    /// The next account. None if the old one is available.
    pub new_account: Option<String>,
    /// False for a dry run.
    pub rotated: bool,
}

/// All accounts are at their usage limit.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("no account is available: each is at its usage limit (gt quota status){}", describe(*.until))]
pub struct NoAccountAvailable {
    /// The first end of a limit.
    pub until: Option<Timestamp>,
}

fn describe(until: Option<Timestamp>) -> String {
    until.map_or_else(String::new, |until| {
        format!("; the first limit ends at {until}")
    })
}

/// Makes the next available account the default one, if the default one is at its usage limit.
pub fn rotate_account(town: &LiveTown, dry_run: bool) -> anyhow::Result<RotateReport> {
    let book = AccountBook::load(&town.layout)?;
    anyhow::ensure!(
        !book.default.is_empty(),
        "there is no default account to change (`gt account add NAME` makes one)"
    );
    let quota = QuotaBook::load(&town.layout)?;
    let now = town.clock.now();
    let mut report = RotateReport {
        old_account: book.default.clone(),
        new_account: None,
        rotated: false,
    };
    if quota.limit_of(&book.default, now).is_none() {
        return Ok(report);
    }
    let Some(next) = quota.next_available(book.accounts.keys(), &book.default, now) else {
        let until = book
            .accounts
            .keys()
            .filter_map(|handle| quota.limit_of(handle, now)?.until)
            .min();
        return Err(NoAccountAvailable { until }.into());
    };
    if !dry_run {
        AccountBook::change(&town.layout, |book| {
            book.find(&next)?;
            book.default.clone_from(&next);
            Ok(())
        })?;
        report.rotated = true;
    }
    report.new_account = Some(next);
    Ok(report)
}
