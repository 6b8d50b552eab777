//! A Chromium without a window, driven by the DevTools protocol.
#![expect(
    clippy::disallowed_methods,
    reason = "the harness starts and ends the browser itself"
)]

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use crate::eventually;

/// The time after which the browser counts as dead.
const PATIENCE: Duration = Duration::from_secs(120);

/// A page in a browser of its own. Ends with the value.
pub struct Browser {
    child: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: String,
    number: u64,
    /// The events since the start.
    events: Vec<Value>,
}

impl Browser {
    /// Starts a browser whose profile is in `folder`.
    pub fn start(folder: &Path) -> Self {
        Self::start_with(folder, &[])
    }

    /// Starts a browser that reaches everything, this machine too, through a port.
    pub fn start_behind(folder: &Path, port: u16) -> Self {
        let proxy = format!("--proxy-server=http://127.0.0.1:{port}");
        Self::start_with(folder, &[&proxy, "--proxy-bypass-list=<-loopback>"])
    }

    fn start_with(folder: &Path, more: &[&str]) -> Self {
        let mut child = Command::new("chromium")
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--remote-debugging-port=0",
            ])
            .arg(format!("--user-data-dir={}", folder.display()))
            .args(more)
            .arg("about:blank")
            .env("HOME", folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("chromium (Debian's package of that name): {error}"));
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        let address = loop {
            let mut line = String::new();
            assert!(errors.read_line(&mut line).unwrap() > 0, "{said}");
            if let Some((_, address)) = line.split_once("DevTools listening on ") {
                break address.trim().to_owned();
            }
            said.push_str(&line);
        };
        // A full pipe would stop the browser.
        std::thread::spawn(move || for _ in errors.lines() {});
        let (socket, _) = tungstenite::connect(address).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
        }
        let mut browser = Self {
            child,
            socket,
            session: String::new(),
            number: 0,
            events: Vec::new(),
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", attach);
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Calls a method of the protocol.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers write the value in place"
    )]
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, &params);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Calls a method of the protocol. Returns the whole answer, which may be an error.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let mut request = json!({ "id": self.number, "method": method, "params": params });
        if !self.session.is_empty() {
            request["sessionId"] = json!(self.session);
        }
        self.socket
            .send(Message::text(request.to_string()))
            .unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else {
                continue;
            };
            let answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.number {
                return answer;
            }
            self.events.push(answer);
        }
    }

    pub fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url }));
    }

    /// Opens a view of the town's page and waits until it is shown.
    pub fn visit(&mut self, hash: &str) {
        self.evaluate(&format!("location.hash = {}", json!(hash)));
        let shown = format!(
            "document.querySelector('main').dataset.view === {}",
            json!(hash)
        );
        eventually(hash, || (self.evaluate(&shown) == true).then_some(()));
    }

    /// Makes the page light or dark.
    pub fn set_colour_scheme(&mut self, scheme: &str) {
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", media);
    }

    /// Returns the visible part of the page as a WebP picture.
    pub fn screenshot(&mut self) -> Vec<u8> {
        let form = json!({ "format": "webp", "quality": 80 });
        let answer = self.call("Page.captureScreenshot", form);
        BASE64.decode(answer["data"].as_str().unwrap()).unwrap()
    }

    /// Returns the value of a JavaScript expression, which may be a promise.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", params);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// Returns the value of a JavaScript expression; `None` while the page is being loaded again.
    pub fn evaluate_if_loaded(&mut self, expression: &str) -> Option<Value> {
        let params = json!({ "expression": expression, "returnByValue": true });
        let answer = self.ask("Runtime.evaluate", &params);
        let error = answer["error"]["message"].as_str().unwrap_or_default();
        if error.contains("navigated or closed") || error.contains("context") {
            return None;
        }
        assert!(answer["error"].is_null(), "{expression}: {answer}");
        Some(answer["result"]["result"]["value"].clone())
    }

    /// Returns the visible text of the page.
    pub fn text(&mut self) -> String {
        let text = self.evaluate("document.body ? document.body.innerText : ''");
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the page shows a text.
    pub fn wait_for(&mut self, text: &str) {
        eventually(text, || self.text().contains(text).then_some(()));
    }

    /// Returns the parameters of all events with this name since the start.
    pub fn events(&mut self, method: &str) -> Vec<Value> {
        // Events that came before the answer are kept.
        self.evaluate("1");
        let events = self.events.iter();
        events
            .filter(|event| event["method"] == method)
            .map(|event| event["params"].clone())
            .collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
