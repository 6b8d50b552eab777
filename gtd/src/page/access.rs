//! Checks the access to the page: a one-time token, used from this machine.
//!
//! A browser sends requests of every page that is open in it, and resolves names as their owners
//! wish. So each request must name this server as its host, name no other origin, and carry the
//! cookie that the token was exchanged for. A browser sends cookies to the servers on all ports of
//! a host, so readings and actions also need the session's key, which scripts of this origin only
//! can read from the browser's storage.

use axum::http::{HeaderMap, HeaderName};
use gt::record::page_browsers::{SavedBrowser, hash_secret};
use jiff::{SignedDuration, Timestamp};

/// The time for which a token can be used.
const TOKEN_LIFE: SignedDuration = SignedDuration::from_mins(5);
/// The number of tokens and sessions that are kept. The oldest goes first.
const MAX_SESSIONS: usize = 32;

/// The permission of a user of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PagePermission {
    Read,
    Act,
}

/// The access of a browser, as it was when its request arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GrantedAccess {
    pub(crate) permission: PagePermission,
    /// The number of revocations before.
    revocations: u64,
}

/// The tokens and sessions of the page.
#[derive(Debug, Default)]
pub(crate) struct AccessBook {
    tokens: Vec<OfferedToken>,
    sessions: Vec<PageSession>,
    revocations: u64,
}

/// The access of one browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageSession {
    /// The hash of the cookie.
    cookie: String,
    /// The hash of the key.
    key: String,
    pub(crate) permission: PagePermission,
    begun: Timestamp,
}

#[derive(Debug)]
struct OfferedToken {
    secret: String,
    offered: Timestamp,
    permission: PagePermission,
}

impl AccessBook {
    /// Accepts a token from now on, once.
    pub(crate) fn offer_token(
        &mut self,
        secret: String,
        permission: PagePermission,
        now: Timestamp,
    ) {
        self.tokens.push(OfferedToken {
            secret,
            offered: now,
            permission,
        });
        drop_oldest(&mut self.tokens);
    }

    /// Takes a token. Returns its permission, and None if the token is unknown, used or too old.
    pub(crate) fn take_token(&mut self, token: &str, now: Timestamp) -> Option<PagePermission> {
        self.tokens.retain(|offered| {
            let age = now.duration_since(offered.offered);
            !age.is_negative() && age < TOKEN_LIFE
        });
        let place = self
            .tokens
            .iter()
            .position(|offered| is_same_secret(&offered.secret, token))?;
        Some(self.tokens.remove(place).permission)
    }

    /// Returns a book with the browsers of an earlier daemon.
    pub(crate) fn with_browsers(browsers: Vec<SavedBrowser>) -> Self {
        Self {
            sessions: browsers.into_iter().map(PageSession::from).collect(),
            ..Self::default()
        }
    }

    pub(crate) fn list_browsers(&self) -> Vec<SavedBrowser> {
        self.sessions.iter().map(SavedBrowser::from).collect()
    }

    pub(crate) fn begin_session(&mut self, session: PageSession) {
        self.sessions.push(session);
        drop_oldest(&mut self.sessions);
    }

    /// Forgets all tokens and sessions. Returns the number of sessions that had not ended.
    pub(crate) fn revoke(&mut self, now: Timestamp) -> usize {
        self.tokens.clear();
        self.revocations += 1;
        self.sessions
            .drain(..)
            .filter(|session| SavedBrowser::from(session).is_valid(now))
            .count()
    }

    pub(crate) fn grant(&self, permission: PagePermission) -> GrantedAccess {
        GrantedAccess {
            permission,
            revocations: self.revocations,
        }
    }

    /// Returns true if all browsers have lost their access since the request arrived.
    pub(crate) fn is_revoked(&self, access: GrantedAccess) -> bool {
        self.revocations != access.revocations
    }

    /// Returns a proof for a browser that this server knows it, which no other process on the port can
    /// give: a hash of the browser's key with a number of the browser. None for an unknown browser.
    pub(crate) fn prove_identity(&self, browser: &str, nonce: &str, port: u16) -> Option<String> {
        let session = self
            .sessions
            .iter()
            .find(|session| is_same_secret(&hash_secret(&session.key), browser))?;
        Some(hash_secret(&format!("{}:{port}:{nonce}", session.key)))
    }

    /// Returns the session in a `Cookie` header, if it has not ended.
    pub(crate) fn find_session(
        &self,
        cookies: &str,
        name: &str,
        now: Timestamp,
    ) -> Option<&PageSession> {
        cookies
            .split(';')
            .filter_map(|cookie| cookie.trim().split_once('='))
            .filter(|(other, _)| *other == name)
            .map(|(_, value)| hash_secret(value))
            .find_map(|hash| {
                self.sessions
                    .iter()
                    .filter(|session| SavedBrowser::from(*session).is_valid(now))
                    .find(|session| is_same_secret(&session.cookie, &hash))
            })
    }
}

impl PageSession {
    pub(crate) fn new(
        cookie: &str,
        key: &str,
        permission: PagePermission,
        begun: Timestamp,
    ) -> Self {
        Self {
            cookie: hash_secret(cookie),
            key: hash_secret(key),
            permission,
            begun,
        }
    }

    pub(crate) fn has_key(&self, key: &str) -> bool {
        is_same_secret(&self.key, &hash_secret(key))
    }
}

impl From<SavedBrowser> for PageSession {
    fn from(browser: SavedBrowser) -> Self {
        Self {
            cookie: browser.cookie,
            key: browser.key,
            permission: PagePermission::Read,
            begun: browser.begun,
        }
    }
}

impl From<&PageSession> for SavedBrowser {
    fn from(session: &PageSession) -> Self {
        Self {
            cookie: session.cookie.clone(),
            key: session.key.clone(),
            begun: session.begun,
        }
    }
}

fn drop_oldest<T>(entries: &mut Vec<T>) {
    let over = entries.len().saturating_sub(MAX_SESSIONS);
    entries.drain(..over);
}

/// Compares two secrets in a time that does not depend on where they differ.
fn is_same_secret(secret: &str, other: &str) -> bool {
    let differences = secret.bytes().zip(other.bytes()).map(|(a, b)| a ^ b);
    secret.len() == other.len() && differences.fold(0, |all, one| all | one) == 0
}

/// Returns true if a `Host` header names this server. Another name may have been resolved to this
/// machine by its owner.
pub(crate) fn is_own_host(host: &str, port: u16) -> bool {
    own_hosts(port).iter().any(|own| own == host)
}

pub(crate) fn header_text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns true if an `Origin` header names this server.
pub(crate) fn is_own_origin(origin: &str, port: u16) -> bool {
    let host = origin.strip_prefix("http://");
    host.is_some_and(|host| is_own_host(host, port))
}

fn own_hosts(port: u16) -> [String; 2] {
    ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    #[test]
    fn a_token_is_taken_once_and_in_time() {
        let mut book = AccessBook::default();
        book.offer_token("token".to_owned(), PagePermission::Act, NOW);
        assert_eq!(book.take_token("tokem", NOW), None);
        assert_eq!(book.take_token("", NOW), None);
        assert_eq!(book.take_token("token", NOW), Some(PagePermission::Act));
        assert_eq!(book.take_token("token", NOW), None);
        book.offer_token("late".to_owned(), PagePermission::Read, NOW);
        assert_eq!(book.take_token("late", NOW + TOKEN_LIFE), None);
    }

    #[test]
    fn a_session_is_found_by_its_cookie_and_has_one_key() {
        let mut book = AccessBook::default();
        let session = PageSession::new("s1", "k1", PagePermission::Read, NOW);
        book.begin_session(session.clone());
        assert_eq!(book.find_session("a=b; gt=s1", "gt", NOW), Some(&session));
        let late = NOW + SignedDuration::from_hours(24);
        assert_eq!(book.find_session("gt=s1", "gt", late), None);
        for cookies in ["gt=s2", "gt=", "other=s1", "s1", "gt=s1x", "gt=k1", ""] {
            assert_eq!(book.find_session(cookies, "gt", NOW), None, "{cookies}");
        }
        assert!(session.has_key("k1"));
        assert!(!session.has_key("s1") && !session.has_key(""));
        let again = AccessBook::with_browsers(book.list_browsers());
        assert_eq!(again.find_session("gt=s1", "gt", NOW), Some(&session));
        let hash = &book.list_browsers()[0].cookie;
        assert_eq!(book.find_session(&format!("gt={hash}"), "gt", NOW), None);
        let acting = PageSession::new("s2", "k2", PagePermission::Act, NOW);
        book.begin_session(acting);
        let again = AccessBook::with_browsers(book.list_browsers());
        let kept = again.find_session("gt=s2", "gt", NOW).unwrap();
        assert_eq!(kept.permission, PagePermission::Read);
        let known = hash_secret(&hash_secret("k1"));
        let proof = hash_secret(&format!("{}:4000:n", hash_secret("k1")));
        assert_eq!(book.prove_identity(&known, "n", 4000), Some(proof.clone()));
        assert_ne!(book.prove_identity(&known, "n", 4001), Some(proof));
        assert_eq!(book.prove_identity(&hash_secret("k1"), "n", 4000), None);
    }

    #[test]
    fn a_revocation_ends_sessions_and_unused_links() {
        let mut book = AccessBook::default();
        book.offer_token("token".to_owned(), PagePermission::Act, NOW);
        for name in ["s1", "s2"] {
            book.begin_session(PageSession::new(name, "k", PagePermission::Act, NOW));
        }
        let granted = book.grant(PagePermission::Act);
        assert!(!book.is_revoked(granted));
        assert_eq!(book.revoke(NOW), 2);
        assert!(book.is_revoked(granted));
        assert!(!book.is_revoked(book.grant(PagePermission::Act)));
        assert_eq!(book.take_token("token", NOW), None);
        assert_eq!(book.find_session("gt=s1", "gt", NOW), None);
        assert_eq!(book.list_browsers(), []);
        book.begin_session(PageSession::new("old", "k", PagePermission::Read, NOW));
        assert_eq!(book.revoke(NOW + SignedDuration::from_hours(24)), 0);
    }

    #[test]
    fn only_the_own_host_and_origin_are_accepted() {
        for host in ["127.0.0.1:4000", "localhost:4000"] {
            assert!(is_own_host(host, 4000));
            assert!(is_own_origin(&format!("http://{host}"), 4000));
        }
        for host in [
            "evil.example:4000",
            "127.0.0.1:4001",
            "127.0.0.1",
            "localhost.evil.example:4000",
            "",
        ] {
            assert!(!is_own_host(host, 4000), "{host}");
            assert!(!is_own_origin(&format!("http://{host}"), 4000), "{host}");
        }
        assert!(!is_own_origin("null", 4000));
        assert!(!is_own_origin("https://localhost:4000", 4000));
    }
}
