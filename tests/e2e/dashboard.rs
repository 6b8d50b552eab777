//! `gt dashboard`: the page in a real browser, and who may read it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};
use town_tests::browser::Browser;
use town_tests::showcase::Showcase;
use town_tests::{Cable, Town, Worker, eventually};

use crate::page_forms;

/// The accessibility rules of axe-core 4, from its npm package.
const AXE: &str = include_str!("../vendor/axe-core/axe.min.js");

/// The link to the page, and its port.
fn page_of(town: &Town, args: &[&str]) -> (String, u16) {
    let words = ["dashboard", "--json"].iter().chain(args).copied();
    let page = town.gt(words).ok().json();
    let port = u16::try_from(page["port"].as_u64().unwrap()).unwrap();
    (page["url"].as_str().unwrap().to_owned(), port)
}

/// A port that no one listens on.
pub(crate) fn free_port() -> u16 {
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    free.local_addr().unwrap().port()
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

/// Checks the views for people who use a keyboard or a screen reader, in light and dark.
fn check_accessibility(browser: &mut Browser, views: &[(&str, String, &str)]) {
    browser.evaluate(&format!("{AXE};1"));
    for scheme in ["light", "dark"] {
        browser.set_colour_scheme(scheme);
        for (name, hash, text) in views {
            browser.visit(hash);
            browser.wait_for(text);
            if *name == "costs" {
                let open =
                    "document.querySelectorAll('details').forEach((one) => { one.open = true; })";
                browser.evaluate(open);
            }
            let rules = "axe.run().then((found) => found.violations.map((one) => one.id))";
            assert_eq!(browser.evaluate(rules), json!([]), "{name} {scheme}");
        }
    }
}

/// Checks that the views say how the work stands.
/// The plot has the numbers of the command.
fn check_plot(browser: &mut Browser, town: &Town) {
    browser.visit("#/costs/agent.merges.rig");
    browser.wait_for("Merged requests of 30 days");
    browser.wait_for("1 in all");
    let plot = ["costs", "--plot", "--metric", "merges", "--by", "rig"];
    let printed = town.gt(plot).args(["--json"]).ok().json();
    let today = &printed["days"][29];
    assert_eq!(today["merges"], 1, "{printed}");
    assert_eq!(today["requests"], 2, "{printed}");
    let shown = "[...document.querySelectorAll('main details pre')].at(-1).textContent";
    let is_same = format!("JSON.stringify({printed}, null, 1) === {shown}");
    assert_eq!(browser.evaluate(&is_same), true, "{printed}");
    let heights =
        "[...document.querySelectorAll('.plot .bar')].map((bar) => bar.getAttribute('height'))";
    let heights = browser.evaluate(heights);
    assert_eq!(heights.as_array().unwrap().len(), 30);
    assert_eq!((&heights[0], &heights[29]), (&json!("0"), &json!("100")));
    let cells = "[...[...document.querySelectorAll('main details tr')].at(-1).children].map((cell) => cell.textContent)";
    let cells = browser.evaluate(cells);
    let cost = format!("${:.2}", today["cost_usd"].as_f64().unwrap());
    assert_eq!((&cells[0], &cells[3]), (&today["day"], &json!("1")));
    assert_eq!(cells[1], cost);
    let text = town.gt(plot).ok().out;
    assert!(text.starts_with("Today: 1. Last week: 0 per day"), "{text}");
}

fn check_facts(browser: &mut Browser, showcase: &Showcase, views: &[(&str, String, &str)]) {
    let bead = &showcase.worker.bead;
    let works = format!("Works on {bead}");
    let facts: [(&str, &[&str]); 8] = [
        (
            "town",
            &[
                "takes \"red\" in 3h",
                "Queued for a worker: 1",
                "Retry failed uploads",
                "unread messages",
            ],
        ),
        ("board", &["Done: 1", "Blocked: 1"]),
        ("bead", &["Now", "Sessions: 1", "Longest: "]),
        ("rig", &["Agents: ", "Merge queue: ", "■ green"]),
        ("map", &["waits for you", "web queued: 1 bead"]),
        ("agent", &[&works, "◐ working"]),
        ("convoy", &["queued for rig web", "by web/polecats/"]),
        (
            "costs",
            &[
                "claude, 5-hour window: unknown since it was reset at ",
                "claude, 7-day window: 40 % used",
            ],
        ),
    ];
    for (name, texts) in facts {
        let (_, hash, shown) = views.iter().find(|(view, ..)| *view == name).unwrap();
        browser.visit(hash);
        browser.wait_for(shown);
        for text in texts {
            browser.wait_for(text);
        }
        if name == "costs" {
            let links = browser.evaluate("document.querySelectorAll('td a').length");
            assert_eq!(links, 1);
            check_plot(browser, &showcase.worker.town);
        }
        if name == "convoy" {
            check_graph(browser);
        }
        if ["convoy", "bead", "agent"].contains(&name) {
            check_timeline(browser);
        }
        if name == "bead" {
            let first = browser.evaluate("document.querySelector('main h2').innerText");
            assert_eq!(first, "Now");
        }
    }
}

/// Checks the graph of a convoy in which one bead waits for another, and scales it by the keyboard.
fn check_graph(browser: &mut Browser) {
    let boxes =
        "[...document.querySelectorAll('.picture a')].map((box) => box.getAttribute('class'))";
    assert_eq!(
        browser.evaluate(boxes),
        json!(["working critical", "blocked critical"])
    );
    let label = "document.querySelector('.picture .blocked title').textContent";
    let label = browser.evaluate(label).to_string();
    assert!(label.contains("(blocked, after web-"), "{label}");
    let arrows = "document.querySelectorAll('.picture .arrow.critical').length";
    assert_eq!(browser.evaluate(arrows), 1);
    let width = "Number(document.querySelector('.picture svg').getAttribute('width'))";
    let original = browser.evaluate(width).as_f64().unwrap();
    let press = |key: &str| {
        format!(
            "document.querySelector('.picture').dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))"
        )
    };
    browser.evaluate(&press("+"));
    let larger = browser.evaluate(width).as_f64().unwrap();
    assert!(larger > original, "{larger}");
    // A larger picture is moved by the mouse.
    for _ in 0..5 {
        browser.evaluate(&press("+"));
    }
    let drag = "(() => {
        const picture = document.querySelector('.picture');
        const at = (x, y) => ({ clientX: x, clientY: y, pointerType: 'mouse', bubbles: true });
        picture.dispatchEvent(new PointerEvent('pointerdown', at(200, 200)));
        document.dispatchEvent(new PointerEvent('pointermove', at(190, 190)));
        document.dispatchEvent(new PointerEvent('pointermove', at(100, 100)));
        document.dispatchEvent(new PointerEvent('pointerup', at(100, 100)));
        const moved = picture.scrollLeft + picture.scrollTop;
        document.dispatchEvent(new PointerEvent('pointermove', at(200, 200)));
        return [moved > 0, moved === picture.scrollLeft + picture.scrollTop];
    })()";
    browser.evaluate("document.querySelector('.picture').scrollTo(0, 0)");
    assert_eq!(browser.evaluate(drag), json!([true, true]));
    browser.evaluate(&press("0"));
    assert!((browser.evaluate(width).as_f64().unwrap() - original).abs() < 1.0);
}

/// Checks that the worker's time is drawn, that each part leads to an event, and that all is there as
/// text.
fn check_timeline(browser: &mut Browser) {
    let parts = "[...document.querySelectorAll('.lane svg > a[href]')].map((part) => [part.getAttribute('class'), part.getAttribute('href')])";
    let parts = browser.evaluate(parts);
    let work = parts
        .as_array()
        .unwrap()
        .iter()
        // The worker may ask in the second in which it began.
        .find(|part| part[0] == "working" || part[0] == "waiting_for_user");
    let address = work.unwrap_or_else(|| panic!("no one works: {parts}"))[1]
        .as_str()
        .unwrap();
    let lines = "document.querySelectorAll('.timeline + .legend + details tbody tr').length > 0";
    assert_eq!(browser.evaluate(lines), true);
    let shown = browser.evaluate("location.hash");
    browser.visit(address);
    let (_, time) = address.rsplit_once('/').unwrap();
    let is_led = format!("document.activeElement?.dataset?.at === decodeURIComponent('{time}')");
    eventually("the event of the work", || {
        (browser.evaluate(&is_led) == true).then_some(())
    });
    browser.visit(shown.as_str().unwrap());
}

/// A value with all numbers as decimals: a browser prints 18.0 as 18.
fn with_decimals(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(values) => values.iter().map(with_decimals).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), with_decimals(value)))
            .collect(),
        other => other.clone(),
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
    let wanted = free_port();
    let setting = ["config", "set", "--town", "page.port", &wanted.to_string()];
    town.gt(setting).ok();
    town.up();
    let (url, port) = page_of(&town, &[]);
    assert_eq!(port, wanted);
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
    let act = |cookie: &str, origin: &str, change: &str| {
        let head = format!(
            "POST /api/act HTTP/1.1\r\nHost: {host}{cookie}{origin}\r\nContent-Type: application/json"
        );
        send(port, &head, change)
    };
    let post = |cookie: &str, origin: &str| act(cookie, origin, r#"{"act":"park","rig":"web"}"#);
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
    let create = |title: &str| json!({ "act": "create_bead", "rig": "web", "title": title });
    let made = act(&cookie, &origin, &create("Name the limit").to_string());
    assert_eq!(status_of(&made), "200", "{made}");
    let beads = town.bd("web", ["search", "Name the limit", "--json"]);
    let beads = beads.ok().json();
    assert!(
        made.contains(beads[0]["id"].as_str().unwrap()),
        "{made} {beads}"
    );
    let id = beads[0]["id"].as_str().unwrap();
    let close = |reason: &str| {
        let change = json!({ "act": "close_bead", "bead": id, "reason": reason });
        status_of(&act(&cookie, &origin, &change.to_string())).to_owned()
    };
    assert_ne!(close(" "), "200", "a reason is needed");
    assert_eq!(close("it is right"), "200");
    assert_ne!(close("again"), "200", "it is closed already");
    let reason = town.show("web", id)["close_reason"].clone();
    assert_eq!(reason, "Nothing to change: it is right");
    let unnamed = act(&cookie, &origin, &create(" ").to_string());
    assert!(unnamed.contains("title"), "{unnamed}");
    assert_ne!(status_of(&unnamed), "200", "{unnamed}");
    // All browsers lose their access, and a link that no one has opened is void.
    let (unused, _) = page_of(&town, &["--act"]);
    let revoked = town.gt(["dashboard", "--revoke", "--json"]).ok().json();
    assert_eq!(revoked, json!({ "revoked": 2 }));
    assert_eq!(status_of(&get("/api/overview", &cookie)), "403");
    assert_eq!(status_of(&post(&cookie, &origin)), "403");
    let unused = unused.strip_prefix(&format!("http://{host}")).unwrap();
    assert_eq!(status_of(&get(unused, "")), "403");
    let again = town.gt(["dashboard", "--revoke"]).ok().out;
    assert!(again.starts_with("No browser had access"), "{again}");
    town.gt(["dashboard", "--revoke", "--act"])
        .fails("--revoke");
    check_revocation_of_an_earlier_port(&town);
}

/// A page on another port knows none of the browsers in the file.
fn check_revocation_of_an_earlier_port(town: &Town) {
    let (url, port) = page_of(town, &[]);
    let host = format!("127.0.0.1:{port}");
    let path = url.strip_prefix(&format!("http://{host}")).unwrap();
    let entered = send(port, &format!("GET {path} HTTP/1.1\r\nHost: {host}"), "");
    assert_eq!(status_of(&entered), "303");
    town.kill_daemon();
    let other = free_port().to_string();
    town.gt(["config", "set", "--town", "page.port", &other])
        .ok();
    town.up();
    page_of(town, &[]);
    let revoked = town.gt(["dashboard", "--revoke", "--json"]).ok().json();
    assert_eq!(revoked, json!({ "revoked": 1 }));
}

#[test]
fn the_board_counts_all_beads_and_knows_blockers_of_other_rigs() {
    let (town, _origin) = Town::with_rig();
    let _other = town.add_rig("api", "api");
    let interface = town.bead("api", "Define the interface");
    let edge = format!("external:api:{interface}");
    let blocked = town.bead_with("web", "Use the interface", &["--deps", &edge]);
    let open = town.bead("web", "Parse dates");
    let later = kit::sys::Clock::choose(None).now() + jiff::SignedDuration::from_hours(1);
    let first = town.bead("web", "Closed first");
    town.bd("web", ["close", &first]).ok();
    let mut last = String::new();
    for number in 0..21 {
        last = town.bead("web", &format!("Bead {number}"));
        let at = later + jiff::SignedDuration::from_mins(number);
        let close = town.bd("web", ["close", &last]);
        close.env("BD_NOW", at.to_string()).ok();
    }
    // The last change of a bead is not its end.
    let at = later + jiff::SignedDuration::from_hours(1);
    let note = town.bd("web", ["update", &first, "--notes", "Seen"]);
    note.env("BD_NOW", at.to_string()).ok();
    town.up();
    let (url, port) = page_of(&town, &[]);
    let host = format!("127.0.0.1:{port}");
    let path = url.strip_prefix(&format!("http://{host}")).unwrap();
    let get = |path: &str, headers: &str| {
        let head = format!("GET {path} HTTP/1.1\r\nHost: {host}{headers}");
        send(port, &head, "")
    };
    let (cookie, key) = browser_headers(&get(path, ""));
    let answer = get("/api/board", &format!("{cookie}{key}"));
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let board: Value = serde_json::from_str(body).unwrap();
    let columns = board["web"].as_array().unwrap().iter();
    let columns: Vec<(&str, u64, Vec<&str>)> = columns
        .map(|column| {
            let beads = column["beads"].as_array().unwrap().iter();
            let ids = beads.map(|bead| bead["id"].as_str().unwrap()).collect();
            let name = column["name"].as_str().unwrap();
            (name, column["total"].as_u64().unwrap(), ids)
        })
        .collect();
    assert_eq!(columns[0], ("Open", 1, vec![open.as_str()]));
    assert_eq!(columns[1], ("Blocked", 1, vec![blocked.as_str()]));
    assert_eq!(columns[2], ("In progress", 0, vec![]));
    assert_eq!(columns[3], ("In review", 0, vec![]));
    let (name, total, done) = &columns[4];
    assert_eq!((*name, *total, done.len()), ("Done", 22, 20));
    assert_eq!(done[0], last, "the last closed one comes first");
    assert!(!done.contains(&first.as_str()));
}

#[test]
fn the_page_shows_each_view_as_text_and_fits_phones_and_screen_readers() {
    const MARKUP: &str = " <img src=x onerror=document.title='owned'>\u{1b}[31m";
    let showcase = Showcase::build(MARKUP);
    showcase.is_drawn();
    let town = &showcase.worker.town;
    let (url, port) = page_of(town, &["--act"]);
    let mut browser = Browser::start(&town.path("browser"));
    browser.open(&url);
    browser.wait_for("Needs you: 1");
    let views = showcase.views();
    for (name, hash, text) in &views {
        browser.visit(hash);
        browser.wait_for(text);
        let images = browser.evaluate("document.querySelectorAll('img').length");
        assert_eq!(images, 0, "{name}");
        let text = browser.text();
        assert!(!text.contains("hunter2"), "{name}");
        let raw_time = browser.evaluate("/\\d-\\d\\dT\\d\\d:/.test(document.body.innerText)");
        assert_eq!(raw_time, false, "{name}: {text}");
    }
    check_facts(&mut browser, &showcase, &views);
    // The screen has the colours of the terminal.
    let agent = &views.iter().find(|(name, ..)| *name == "agent").unwrap().1;
    browser.visit(agent);
    browser.wait_for("41 passed");
    let styles = "[...document.querySelectorAll('.terminal span')].map((span) => [span.className, span.style.color, span.style.backgroundColor, span.textContent.trim()])";
    let styles = browser.evaluate(styles).to_string();
    for part in [
        r#"["bold","","","> Cache compiled templates"]"#,
        r#"["i2","","","✓"]"#,
        r#""rgb(0, 175, 255)","","running the tests""#,
        r#""","rgb(40, 60, 40)","41 passed""#,
    ] {
        assert!(styles.contains(part), "{part}: {styles}");
    }
    check_accessibility(&mut browser, &views);
    let metrics = json!({ "width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": true });
    browser.call("Emulation.setDeviceMetricsOverride", metrics);
    for (name, hash, text) in &views {
        browser.visit(hash);
        browser.wait_for(text);
        let overflow =
            "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.evaluate(overflow), 0, "{name}");
    }
    let report = town.gt(["report", "--html"]).ok().out;
    assert!(
        report.contains("Needs you") && report.contains("&lt;img src=x"),
        "{report}"
    );
    assert!(!report.contains("<img") && !report.contains("http") && !report.contains('\u{1b}'));
    town.gt(["report", "--output", "week.html"]).ok();
    let page = std::fs::read_to_string(town.root().join("week.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    town.gt(["report", "--output", "week.html"]).fails("exists");
    town.gt(["report", "-o", "week.html", "--force"]).ok();
    let report = town.gt(["report", "--week"]).ok().out;
    assert!(
        report.contains("## Landed") && report.contains("\\<img src=x"),
        "{report}"
    );
    let numbers = town.gt(["report", "--json"]).ok().json();
    let merged = &numbers["merged"]["web"][0];
    assert!(report.contains(merged["id"].as_str().unwrap()), "{report}");
    assert_eq!(numbers["numbers"]["total"]["merges"], 1);
    // No text was taken as markup, and no request left this machine.
    assert_ne!(browser.evaluate("document.title"), "owned");
    let own = format!("http://127.0.0.1:{port}/");
    for request in browser.events("Network.requestWillBeSent") {
        let url = request["request"]["url"].as_str().unwrap();
        assert!(url.starts_with(&own) || url.starts_with("data:"), "{url}");
    }
    let faults = browser.events("Runtime.exceptionThrown");
    assert_eq!(faults, [] as [Value; 0]);
}

/// Checks that the page has the careers of the command. `overview` is the script that reads the
/// overview.
fn check_careers(browser: &mut Browser, town: &Town, overview: &str) {
    let careers = overview.replace("overview", "career?by=model");
    eventually("the careers of the page and of the command agree", || {
        let shown = browser.evaluate(&careers);
        let printed = town.gt(["career", "--by", "model", "--json"]).ok().json();
        (shown["kinds"] == printed["kinds"] && shown["cards"] == printed["cards"]).then_some(())
    });
}

/// The script that asks the daemon as the page does.
fn fetch_from_page(path: &str) -> String {
    format!(
        "fetch('{path}', {{ headers: {{ 'x-gastown-key': localStorage.getItem('key') }} }}).then((answer) => answer.json())"
    )
}

/// Checks that the page draws the numbers of the command.
fn check_timeline_numbers(browser: &mut Browser, town: &Town, bead: &str) {
    let path = fetch_from_page(&format!("/api/timeline?name={bead}"));
    // The daemon keeps an answer for a while.
    let drawn = eventually("the page draws the numbers of the command", || {
        let drawn = browser.evaluate(&path);
        let printed = town.gt(["timeline", bead, "--json"]).ok().json();
        (with_decimals(&drawn) == with_decimals(&printed)).then_some(drawn)
    });
    assert_eq!(drawn["lanes"][0]["marks"][0]["kind"], "attempt");
}

/// Checks the views of submitted work: its request, its column on the board, links in its events.
fn check_work_in_review(browser: &mut Browser, worker: &Worker) {
    let town = &worker.town;
    worker.commit("b.txt");
    town.gt(["mq", "pause", "web", "--reason", "Look first"])
        .ok();
    let request = worker.hand_in();
    browser.visit(&format!("#/request/{request}"));
    browser.wait_for("+++ b/b.txt");
    browser.visit("#/board");
    browser.wait_for("In review: 1");
    town.gt(["mq", "resume", "web"]).ok();
    // Ids in the events of a bead and in the feed are links.
    browser.visit(&format!("#/bead/{}", worker.bead));
    browser.wait_for("The bead as data");
    let links = format!(
        "[...document.querySelectorAll('[data-at] a')].some((link) => link.hash === '#/request/{request}')"
    );
    eventually("the link to the request", || {
        (browser.evaluate(&links) == true).then_some(())
    });
    let data = "JSON.parse([...document.querySelectorAll('details pre')].at(-1).textContent).id";
    assert_eq!(browser.evaluate(data), json!(worker.bead));
}

#[test]
fn every_open_view_shows_a_change() {
    let showcase = Showcase::build("");
    let worker = &showcase.worker;
    let town = &worker.town;
    let (url, _) = page_of(town, &["--act"]);
    let mut browser = Browser::start(&town.path("browser"));
    browser.open(&url);
    browser.wait_for("Needs you: 1");
    browser.wait_for("◐ working");
    let views = showcase.views();
    let open = |browser: &mut Browser, name: &str| {
        let (_, hash, text) = views.iter().find(|(view, ..)| *view == name).unwrap();
        browser.visit(hash);
        browser.wait_for(text);
    };
    open(&mut browser, "board");
    let other = town.bead("web", "Another bead");
    browser.wait_for("Another bead");
    open(&mut browser, "bead");
    town.bd("web", ["update", &worker.bead, "--notes", "Seen so far"])
        .ok();
    browser.wait_for("Seen so far");
    open(&mut browser, "convoy");
    town.gt(["convoy", "add", &showcase.convoy, &other]).ok();
    browser.wait_for("Wave 1: 2");
    let boxes = browser.evaluate("document.querySelectorAll('.picture a').length");
    assert_eq!(boxes, 3);
    open(&mut browser, "agent");
    let session = format!("gt-{}", worker.name.replace('/', "-"));
    town.type_line(&session, "a new line");
    browser.wait_for("a new line");
    page_forms::check_conversation(&mut browser, &showcase);
    open(&mut browser, "mail");
    town.gt(["mail", "send", "overseer", "-s", "The second", "-m", "Text"])
        .ok();
    browser.wait_for("The second");
    open(&mut browser, "channel");
    town.gt([
        "mail",
        "send",
        "channel:news",
        "-s",
        "Release 2.5",
        "-m",
        "Out",
    ])
    .ok();
    browser.wait_for("Release 2.5");
    open(&mut browser, "settings");
    town.gt(["config", "set", "--town", "budget.day", "7"]).ok();
    browser.wait_for("budget.day = 7");
    page_forms::check_settings(&mut browser, town);
    check_work_in_review(&mut browser, worker);
    open(&mut browser, "records");
    browser.wait_for("2 of 2 merged");
    browser.wait_for("Work: merged");
    browser.wait_for("task: too few to compare: no model has finished 5");
    check_timeline_numbers(&mut browser, town, &worker.bead);
    // Numbers are those of the command.
    open(&mut browser, "town");
    let overview = fetch_from_page("/api/overview");
    // The town goes on between two readings.
    eventually("the page and the command agree", || {
        let shown = browser.evaluate(&overview);
        let printed = town.gt(["top", "--json"]).ok().json();
        let parts = ["needs_you", "requests", "estimates"];
        parts
            .iter()
            .all(|part| shown[part] == printed[part])
            .then_some(())
    });
    check_careers(&mut browser, town, &overview);
    browser.visit("#/bead/web-nothing");
    browser.wait_for("there is no bead");
    // A stuck worker is marked everywhere, and retried by a button.
    town.gt(["config", "set", "patrol.breaker.wait", "0s"]).ok();
    town.script("echo 'cannot go on'\nexit 7");
    let stuck = town.bead("web", "Parse dates");
    let name = town.sling(&stuck);
    let retry =
        "[...document.querySelectorAll('button')].some((button) => button.innerText === 'Retry')";
    open(&mut browser, "town");
    let (rig, polecat) = name.split_once('/').unwrap();
    browser.wait_for(&format!("STUCK: {rig}/polecats/{polecat} on {stuck}"));
    // The feed may have the text first.
    eventually("the button", || {
        (browser.evaluate(retry) == true).then_some(())
    });
    let screen = "[...document.querySelectorAll('.need details pre')].map((pre) => pre.textContent).join('')";
    let screen = browser.evaluate(screen).to_string();
    assert!(screen.contains("cannot go on"), "{screen}");
    browser.visit("#/board");
    browser.wait_for("stuck");
    browser.visit(&format!("#/agent/{rig}%2Fpolecats%2F{polecat}"));
    browser.wait_for(&format!("Works on {stuck} Parse dates"));
    browser.wait_for("! stalled");
    town.script("while :; do sleep 1; done");
    browser.evaluate("[...document.querySelectorAll('button')].find((button) => button.innerText === 'Retry').click()");
    browser.wait_for(&format!("{name} is tried again"));
    browser.wait_for("◐ working");
    let faults = browser.events("Runtime.exceptionThrown");
    assert_eq!(faults, [] as [Value; 0]);
}

#[test]
fn a_lost_connection_misses_nothing_and_an_answer_keeps_the_focus() {
    let worker = Worker::new();
    let town = &worker.town;
    town.up();
    let (url, port) = page_of(town, &["--act"]);
    let cable = Cable::to(port);
    let mut browser = Browser::start_behind(&town.path("browser"), cable.port());
    browser.open(&url);
    browser.wait_for("Needs you: 0");
    let ask = |question: &str| {
        town.gt(["escalate", question, "--decision", "--option", "red"])
            .ok();
    };
    ask("Which colour?");
    browser.wait_for("Needs you: 1");
    browser.evaluate("document.querySelector('.need button').focus()");
    // More events than the feed shows at first.
    cable.cut();
    browser.wait_for("not connected");
    for number in 0..40 {
        town.bd("web", ["create", &format!("Bead {number}")]).ok();
    }
    ask("Missed?");
    town.gt([
        "mail",
        "send",
        "overseer",
        "-s",
        "Also missed",
        "-m",
        "Text",
    ])
    .ok();
    cable.mend();
    browser.wait_for("Needs you: 2");
    browser.visit("#/mail");
    browser.wait_for("Also missed");
    browser.visit("#/");
    browser.wait_for("Needs you: 2");
    // A redraw keeps the focus and opened details.
    browser.evaluate("document.querySelector('.need button').focus()");
    ask("A third?");
    browser.wait_for("Needs you: 3");
    let focused = browser.evaluate("document.activeElement.innerText");
    assert_eq!(focused, "red");
    let answer = "[...document.querySelectorAll('.need')].find((need) => need.innerText.includes('colour')).querySelector('button').click()";
    browser.evaluate(answer);
    // The answer is asked for once more in a form of the page.
    browser.evaluate("document.querySelector('dialog .no').click()");
    assert!(!browser.text().contains("is resolved"));
    browser.evaluate(answer);
    browser.evaluate("document.querySelector('dialog .yes').click()");
    browser.wait_for("is resolved: red");
    browser.wait_for("Needs you: 2");
    // Without the daemon no state is shown. A new one knows the browser.
    town.kill_daemon();
    browser.wait_for("gt up");
    let stale = browser.text();
    assert!(
        !stale.contains("Needs you") && !stale.contains("working"),
        "{stale}"
    );
    town.up();
    browser.wait_for("Needs you: 2");
    browser.wait_for("this page may only read");
    eventually("the buttons are gone", || {
        (!browser.text().contains("Acknowledge")).then_some(())
    });
    let (url, _) = page_of(town, &[]);
    let mut browser = Browser::start(&town.path("browser2"));
    browser.open(&url);
    browser.wait_for("Needs you: 2");
    assert!(
        !browser.text().contains("Acknowledge"),
        "the new link only reads"
    );
    let faults = browser.events("Runtime.exceptionThrown");
    assert_eq!(faults, [] as [Value; 0]);
}

#[test]
#[ignore = "writes docs/screens: make screens"]
fn screens_are_drawn() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/screens");
    std::fs::create_dir_all(&folder).unwrap();
    let showcase = Showcase::build("");
    showcase.is_drawn();
    let town = &showcase.worker.town;
    let (url, _) = page_of(town, &["--act"]);
    let mut browser = Browser::start(&town.path("browser"));
    let size = json!({ "width": 1100, "height": 760, "deviceScaleFactor": 1, "mobile": false });
    browser.call("Emulation.setDeviceMetricsOverride", size);
    browser.open(&url);
    browser.wait_for("Needs you: 1");
    for scheme in ["light", "dark"] {
        browser.set_colour_scheme(scheme);
        for (name, hash, text) in showcase.views() {
            browser.visit(&hash);
            browser.wait_for(text);
            let path = folder.join(format!("{name}-{scheme}.webp"));
            std::fs::write(path, browser.screenshot()).unwrap();
        }
    }
}
