//! The town as a page in a browser (`gt dashboard`).
//!
//! The server listens on the loopback address only, after `gt dashboard` has asked for it, or from
//! the start if links of escalations lead to it. `access` decides who may use it, `routes` answers
//! requests with the reports of `gt::view`, `events` reports changes to the browser, `answer` takes
//! answers by link.

mod access;
mod answer;
mod assets;
mod body;
mod events;
mod kept;
mod read;
mod routes;
#[cfg(test)]
mod tests;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use gt::host::live_town::open_live_town;
use gt::host::{LiveTown, daemon::protocol::DaemonAnswer};
use gt::record::answer_link::{PublicPage, read_page_port, record_served_port};
use gt::record::page_browsers::SavedPage;
use gt::town::identity::Address;
use gt::view::overview::OverviewMemory;

use crate::run::lock_mutex;
use access::{AccessBook, GrantedAccess, PagePermission};
pub(crate) use access::{header_text, is_own_host};

/// The number of random bytes in a token or cookie.
const SECRET_BYTES: usize = 16;

/// The page of a town, which is served after the first request for it.
#[derive(Clone, Default)]
pub(crate) struct PageServer {
    open: Arc<tokio::sync::Mutex<Option<Arc<ServedPage>>>>,
}

/// A page that is served.
pub(crate) struct ServedPage {
    port: u16,
    /// A hash of the files of the page.
    program: String,
    /// The town, in which the user of the page acts.
    town: Arc<LiveTown>,
    access: Mutex<AccessBook>,
    /// What the overview keeps between two readings.
    memory: OverviewMemory,
    costs: read::CostsCache,
    careers: read::CareerCache,
    kept: kept::KeptAnswers,
}

impl PageServer {
    /// Serves the page if it is not served yet, and returns its port with a new token.
    pub(crate) async fn open(&self, town: &LiveTown, port: u16, act: bool) -> DaemonAnswer {
        match self.serve(town, port).await {
            Ok(page) => {
                let permission = if act {
                    PagePermission::Act
                } else {
                    PagePermission::Read
                };
                let token = match create_secret() {
                    Ok(token) => token,
                    Err(error) => {
                        return DaemonAnswer::Error {
                            reason: format!("no random numbers: {error}"),
                        };
                    }
                };
                let now = page.town.clock.now();
                lock_mutex(&page.access).offer_token(token.clone(), permission, now);
                DaemonAnswer::Page {
                    port: page.port,
                    token,
                }
            }
            Err(error) => {
                let wanted = match (port, read_page_port(town)) {
                    (0, Some(set)) => format!("port {set} (setting page.port)"),
                    (port, _) => format!("port {port}"),
                };
                DaemonAnswer::Error {
                    reason: format!("{wanted} cannot be opened: {error}"),
                }
            }
        }
    }

    /// Ends the access of all browsers, also after the daemon was started again.
    pub(crate) async fn revoke(&self, town: &LiveTown) -> DaemonAnswer {
        let open = self.open.lock().await;
        // The book is locked until the file is gone, so that no browser is saved in between.
        let mut book = open.as_ref().map(|page| lock_mutex(&page.access));
        let revoked = book.as_mut().map(|book| book.revoke(town.clock.now()));
        match SavedPage::forget(town) {
            Ok(saved) => DaemonAnswer::Revoked {
                // The file may have browsers of a page on another port.
                browsers: revoked.map_or(saved, |revoked| revoked.max(saved)),
            },
            Err(error) => DaemonAnswer::Error {
                reason: format!("{error:#}"),
            },
        }
    }

    /// Serves the page from the start of the daemon, if links lead other devices to it.
    pub(crate) async fn open_for_links(&self, town: &LiveTown) {
        let mut served = None;
        if let Some(public) = PublicPage::from_settings(town) {
            match self.serve(town, public.port).await {
                Ok(page) => served = Some(page.port),
                Err(error) => {
                    let port = public.port;
                    tracing::warn!(port, %error, "the page is not served: messages carry no links");
                }
            }
        }
        if let Err(error) = record_served_port(town, served) {
            tracing::warn!(error = format!("{error:#}"), "messages may carry no links");
        }
    }

    /// Serves the page on the port of the last daemon, if a browser may still use it.
    pub(crate) async fn reopen(&self, town: &LiveTown) {
        let wanted = read_page_port(town);
        let Some(saved) =
            SavedPage::load(town).filter(|saved| wanted.is_none_or(|wanted| wanted == saved.port))
        else {
            return;
        };
        if let Err(error) = self.serve(town, saved.port).await {
            let port = saved.port;
            tracing::warn!(port, %error, "open pages do not go on");
        }
    }

    async fn serve(&self, town: &LiveTown, port: u16) -> std::io::Result<Arc<ServedPage>> {
        let mut open = self.open.lock().await;
        if let Some(page) = open.as_ref() {
            if port == 0 || port == page.port {
                return Ok(Arc::clone(page));
            }
            let reason = format!("the page is served on port {} already", page.port);
            return Err(std::io::Error::other(reason));
        }
        let port = match port {
            0 => read_page_port(town).unwrap_or(0),
            port => port,
        };
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = tokio::net::TcpListener::bind(address).await?;
        let port = listener.local_addr()?.port();
        let browsers = SavedPage::load(town).filter(|saved| saved.port == port);
        let book =
            AccessBook::with_browsers(browsers.map_or_else(Vec::new, |saved| saved.browsers));
        let page = Arc::new(ServedPage::new(town, port, book));
        let router = page.build_router();
        tracing::info!(port = page.port, "serving the page");
        tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the page is not served any more");
            }
        });
        *open = Some(Arc::clone(&page));
        Ok(page)
    }
}

impl ServedPage {
    fn new(town: &LiveTown, port: u16, access: AccessBook) -> Self {
        Self {
            port,
            program: assets::hash_assets(),
            town: Arc::new(open_live_town(
                &town.env,
                town.layout.root(),
                Address::Overseer,
            )),
            access: Mutex::new(access),
            memory: OverviewMemory::default(),
            costs: read::CostsCache::default(),
            careers: read::CareerCache::default(),
            kept: kept::KeptAnswers::default(),
        }
    }

    fn build_router(self: &Arc<Self>) -> axum::Router {
        routes::build_router(Arc::clone(self)).merge(answer::build_router(Arc::clone(self)))
    }

    fn is_revoked(&self, access: GrantedAccess) -> bool {
        lock_mutex(&self.access).is_revoked(access)
    }

    /// Returns the name of the cookie. Cookies do not distinguish ports, and each town has its own.
    fn cookie_name(&self) -> String {
        format!("gastown-{}", self.port)
    }
}

/// Creates a secret from the system's random numbers, in hexadecimal.
fn create_secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
