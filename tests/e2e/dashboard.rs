//! `gt dashboard`: the page in a real browser, and who may read it.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
use town_tests::browser::Browser;
use town_tests::{Town, Worker, eventually};

/// The accessibility rules of axe-core 4, from its npm package.
const AXE: &str = include_str!("../vendor/axe-core/axe.min.js");

/// The link to the page, and its port.
fn page_of(town: &Town, args: &[&str]) -> (String, u16) {
    let words = ["dashboard", "--json"].iter().chain(args).copied();
    let page = town.gt(words).ok().json();
    let port = u16::try_from(page["port"].as_u64().unwrap()).unwrap();
    (page["url"].as_str().unwrap().to_owned(), port)
}

/// Sends a request, and returns the status line, the headers and the body.
pub(crate) fn send(port: u16, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let length = body.len();
    let request = format!("{head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Opens a view and waits until it is shown.
fn visit(browser: &mut Browser, hash: &str) {
    browser.evaluate(&format!("location.hash = {}", json!(hash)));
    let shown = format!(
        "document.querySelector('main').dataset.view === {}",
        json!(hash)
    );
    eventually(hash, || (browser.evaluate(&shown) == true).then_some(()));
}

/// Checks the page for people who use a keyboard or a screen reader, in light and dark.
fn check_accessibility(browser: &mut Browser, request: &str) {
    browser.evaluate(&format!("{AXE};1"));
    for scheme in ["light", "dark"] {
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.call("Emulation.setEmulatedMedia", media);
        for hash in ["#/", "#/board", "#/mail", "#/costs", request] {
            visit(browser, hash);
            let rules = "axe.run().then((found) => found.violations.map((one) => one.id))";
            assert_eq!(browser.evaluate(rules), json!([]), "{hash} {scheme}");
        }
    }
}

/// The headers of a browser that has opened a link: its cookie and its key.
fn browser_headers(entered: &str) -> (String, String) {
    let after = |name: &str| entered.split_once(name).unwrap().1;
    let until = |text: &str, end: char| text.split(end).next().unwrap().trim().to_owned();
    let cookie = until(after("set-cookie: "), ';');
    let key = until(after("location: /#key="), '\r');
    (
        format!("\r\nCookie: {cookie}"),
        format!("\r\nX-Gastown-Key: {key}"),
    )
}

pub(crate) fn status_of(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap()
}

#[test]
fn the_page_is_for_the_browser_with_the_link_only() {
    let (town, _origin) = Town::with_rig();
    town.gt(["dashboard"]).fails("`gt up`");
    town.up();
    let (url, port) = page_of(&town, &[]);
    let host = format!("127.0.0.1:{port}");
    let path = url.strip_prefix(&format!("http://{host}")).unwrap();
    let get = |path: &str, headers: &str| {
        send(
            port,
            &format!("GET {path} HTTP/1.1\r\nHost: {host}{headers}"),
            "",
        )
    };
    for (path, headers) in [
        ("/", ""),
        ("/api/overview", ""),
        ("/page.js", ""),
        ("/?token=", ""),
        ("/?token=00000000000000000000000000000000", ""),
        ("/api/overview", &format!("\r\nCookie: gastown-{port}=0")),
    ] {
        assert_eq!(status_of(&get(path, headers)), "403", "{path}");
    }
    // A name that someone else has pointed to this machine.
    let foreign = format!("GET {path} HTTP/1.1\r\nHost: evil.example:{port}");
    assert_eq!(status_of(&send(port, &foreign, "")), "403");
    let entered = get(path, "");
    assert_eq!(status_of(&entered), "303", "{entered}");
    assert_eq!(status_of(&get(path, "")), "403", "a link is valid once");
    let (_, rest) = entered.split_once("set-cookie: ").unwrap();
    assert!(rest.contains("HttpOnly; SameSite=Lax"), "{entered}");
    let (cookie, key) = browser_headers(&entered);
    // Servers on other ports of this host get the cookie, too, but not the key.
    assert_eq!(status_of(&get("/page.js", &cookie)), "200");
    assert_eq!(status_of(&get("/api/overview", &cookie)), "403");
    assert_eq!(status_of(&get("/api/overview", &key)), "403");
    let cookie = format!("{cookie}{key}");
    let overview = get("/api/overview", &cookie);
    assert_eq!(status_of(&overview), "200", "{overview}");
    assert!(overview.contains("content-security-policy: default-src 'none'"));
    let from_elsewhere = format!("{cookie}\r\nOrigin: http://evil.example");
    assert_eq!(status_of(&get("/api/overview", &from_elsewhere)), "403");
    let post = |cookie: &str, origin: &str| {
        let head = format!(
            "POST /api/act HTTP/1.1\r\nHost: {host}{cookie}{origin}\r\nContent-Type: application/json"
        );
        send(port, &head, r#"{"act":"park","rig":"web"}"#)
    };
    let origin = format!("\r\nOrigin: http://{host}");
    let refused = post(&cookie, &origin);
    assert_eq!(status_of(&refused), "403");
    assert!(refused.contains("gt dashboard --act"), "{refused}");
    let (url, _) = page_of(&town, &["--act"]);
    let entered = get(url.strip_prefix(&format!("http://{host}")).unwrap(), "");
    let (cookie, key) = browser_headers(&entered);
    assert_eq!(status_of(&post(&cookie, &origin)), "403", "without the key");
    let cookie = format!("{cookie}{key}");
    assert_eq!(status_of(&post(&cookie, "")), "403", "no page is named");
    assert_eq!(status_of(&post(&cookie, &origin)), "200");
    let status = town.gt(["status", "--json"]).ok().json();
    assert_eq!(status["rigs"][0]["held"]["state"], "parked");
}

#[test]
fn the_page_shows_each_view_and_every_change() {
    const MARKUP: &str = "<img src=x onerror=document.title='owned'>";
    let worker = Worker::new();
    let town = &worker.town;
    town.up();
    let (url, port) = page_of(town, &["--act"]);
    let mut browser = Browser::start(&town.path("browser"));
    browser.open(&url);
    browser.wait_for("Needs you: 0");
    let agent = town.gt(["status", "--json"]).ok().json()["rigs"][0]["agents"][0].clone();
    browser.wait_for("◐ working");
    // A change is seen without a reload.
    let title = format!("Another {MARKUP}");
    let other = town.bead("web", &title);
    let convoy = town.gt(["convoy", "create", MARKUP, &other, "--json"]).ok();
    let convoy = convoy.json()["id"].as_str().unwrap().to_owned();
    browser.wait_for(&format!("0/1 {MARKUP}"));
    town.gt([
        "escalate",
        "Which <b>colour</b>?",
        "--decision",
        "--option",
        "red",
        "--option",
        "blue",
    ])
    .env("GT_ROLE", agent["address"].as_str().unwrap())
    .ok();
    browser.wait_for("Which <b>colour</b>?");
    let go = |browser: &mut Browser, hash: &str, text: &str| {
        browser.evaluate(&format!("location.hash = {}", json!(hash)));
        browser.wait_for(text);
    };
    go(&mut browser, &format!("#/bead/{other}"), &title);
    go(&mut browser, &format!("#/convoy/{convoy}"), "Wave 1: 1");
    go(&mut browser, "#/board", &title);
    town.gt(["mail", "send", "overseer", "-s", MARKUP, "-m", "Look."])
        .ok();
    go(&mut browser, "#/mail", MARKUP);
    go(&mut browser, "#/costs", "Costs today");
    let address = agent["address"].as_str().unwrap();
    let encoded = address.replace('/', "%2F");
    go(&mut browser, &format!("#/agent/{encoded}"), "Screen");
    worker.commit("a.txt");
    worker.hand_in();
    let request = eventually("it is in the queue or merged", || {
        let all = town.events("done");
        Some(all.first()?["payload"]["request"].as_str()?.to_owned())
    });
    go(&mut browser, &format!("#/request/{request}"), "+++ b/a.txt");
    go(&mut browser, "#/bead/web-nothing", "there is no bead");
    // Numbers are those of the command.
    go(&mut browser, "#/", "Needs you: ");
    let shown = browser.evaluate(
        "fetch('/api/overview', { headers: { 'x-gastown-key': localStorage.getItem('key') } }).then((answer) => answer.json())",
    );
    let printed = town.gt(["top", "--json"]).ok().json();
    for part in ["needs_you", "requests", "estimates"] {
        assert_eq!(shown[part], printed[part], "{part}");
    }
    // Changes during a lost connection are shown afterwards.
    let network = |offline: bool| json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
    browser.call("Network.emulateNetworkConditions", network(true));
    town.gt(["escalate", "Missed?", "--decision", "--option", "yes"])
        .env("GT_ROLE", address)
        .ok();
    browser.call("Network.emulateNetworkConditions", network(false));
    browser.wait_for("Missed?");
    // An answer by its button.
    let click = "[...document.querySelectorAll('.need')].find((need) => need.innerText.includes('colour')).querySelector('button').click()";
    browser.evaluate("window.confirm = () => true");
    browser.evaluate(click);
    browser.wait_for("is resolved: red");
    let needs = "[...document.querySelectorAll('.need')].map((need) => need.innerText).join()";
    eventually("it needs no one any more", || {
        let text = browser.evaluate(needs);
        (!text.as_str()?.contains("colour")).then_some(())
    });
    // Nothing in it was markup, and no request left this machine.
    assert_ne!(browser.evaluate("document.title"), "owned");
    assert_eq!(
        browser.evaluate("document.querySelectorAll('main img').length"),
        0
    );
    let own = format!("http://127.0.0.1:{port}/");
    for request in browser.events("Network.requestWillBeSent") {
        let url = request["request"]["url"].as_str().unwrap();
        assert!(url.starts_with(&own) || url.starts_with("data:"), "{url}");
    }
    let faults = browser.events("Runtime.exceptionThrown");
    assert_eq!(faults, [] as [Value; 0]);
    check_accessibility(&mut browser, &format!("#/request/{request}"));
    // It fits a phone.
    let metrics = json!({ "width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": true });
    browser.call("Emulation.setDeviceMetricsOverride", metrics);
    for hash in ["#/", "#/board", "#/mail", "#/costs"] {
        visit(&mut browser, hash);
        let overflow =
            "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.evaluate(overflow), 0, "{hash}");
    }
}
