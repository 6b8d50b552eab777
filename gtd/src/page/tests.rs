//! Requests over a connection, as a browser sends them.

use gt::host::live_town::open_live_town;
use kit::sys::Env;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::access::PageSession;
use super::*;

/// A page of a folder that is no town yet, and a browser that may act.
struct TestPage {
    _folder: tempfile::TempDir,
    page: Arc<ServedPage>,
    access: GrantedAccess,
}

impl TestPage {
    fn new(port: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_str().unwrap();
        let env = Env::with_vars(folder.path(), [("HOME", home), ("PATH", "")]);
        let town = open_live_town(&env, folder.path(), Address::Deacon);
        let mut book = AccessBook::default();
        let now = town.clock.now();
        book.begin_session(PageSession::new("cookie", "key", PagePermission::Act, now));
        let access = book.grant(PagePermission::Act);
        let page = Arc::new(ServedPage::new(&town, port, book));
        Self {
            _folder: folder,
            page,
            access,
        }
    }

    fn revoke(&self) {
        let now = self.page.town.clock.now();
        assert_eq!(lock_mutex(&self.page.access).revoke(now), 1);
    }
}

/// A connection on which a change is sent, up to the first bytes of its body.
struct HalfSentChange {
    place: TestPage,
    stream: TcpStream,
}

/// The change names a bead that does not exist.
const CHANGE: &str = r#"{"act":"acknowledge","escalation":"hq-none"}"#;

impl HalfSentChange {
    /// Returns after the access was checked: only then the server asks for the body.
    async fn send() -> Self {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .unwrap();
        let port = listener.local_addr().unwrap().port();
        let place = TestPage::new(port);
        let router = place.page.build_router();
        tokio::spawn(async move { axum::serve(listener, router).await });
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
            .await
            .unwrap();
        let head = format!(
            "POST /api/act HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n\
             Cookie: gastown-{port}=cookie\r\nX-Gastown-Key: key\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n",
            CHANGE.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let asked = "HTTP/1.1 100 Continue\r\n\r\n";
        let mut answer = vec![0; asked.len()];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(String::from_utf8_lossy(&answer), asked);
        stream.write_all(&CHANGE.as_bytes()[..5]).await.unwrap();
        Self { place, stream }
    }

    /// Sends the rest. Returns the answer.
    async fn finish(mut self) -> String {
        self.stream
            .write_all(&CHANGE.as_bytes()[5..])
            .await
            .unwrap();
        self.read_answer().await
    }

    async fn read_answer(&mut self) -> String {
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).await.unwrap();
        answer
    }
}

#[tokio::test]
async fn a_change_whose_rest_arrives_after_a_revocation_is_refused() {
    let answer = HalfSentChange::send().await.finish().await;
    // The change is tried.
    assert!(answer.starts_with("HTTP/1.1 422 "), "{answer}");
    let change = HalfSentChange::send().await;
    change.place.revoke();
    let answer = change.finish().await;
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    assert!(answer.contains("was revoked"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let answer = HalfSentChange::send().await.read_answer().await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[tokio::test]
async fn a_revocation_counts_the_browsers_of_a_page_on_another_port() {
    let place = TestPage::new(1);
    let town = &place.page.town;
    let browser = lock_mutex(&place.page.access).list_browsers().remove(0);
    let saved = SavedPage {
        root: town.layout.root().to_owned(),
        port: 2,
        browsers: vec![browser.clone(), browser],
    };
    saved.save(town).unwrap();
    let server = PageServer {
        open: Arc::new(tokio::sync::Mutex::new(Some(Arc::clone(&place.page)))),
    };
    let answer = server.revoke(town).await;
    assert!(
        matches!(answer, DaemonAnswer::Revoked { browsers: 2 }),
        "{answer:?}"
    );
    assert_eq!(SavedPage::load(town), None);
}

#[test]
fn a_stream_that_begins_after_a_revocation_ends_at_once() {
    let place = TestPage::new(1);
    place.revoke();
    let (send, mut events) = tokio::sync::mpsc::channel(64);
    events::send_changes(&place.page, place.access, Some(0), &send).unwrap();
    assert!(events.try_recv().is_err());
}
