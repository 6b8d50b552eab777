//! `gt metrics`, and the same numbers on the daemon's socket and port.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use kit::sys::Clock;
use serde_json::{Value, json};
use town_tests::{Town, Worker, eventually};

/// The value of a series, with its labels.
fn value_of(text: &str, series: &str) -> Option<f64> {
    let mut lines = text.lines();
    lines.find_map(|line| line.strip_prefix(series)?.strip_prefix(' ')?.parse().ok())
}

fn assert_values(text: &str, expected: &[(&str, f64)]) {
    for (series, value) in expected {
        assert_eq!(value_of(text, series), Some(*value), "{series}\n{text}");
    }
}

/// A time zone in which it is noon, so that no test crosses midnight.
fn noon_zone() -> String {
    let hour = Clock::System.now().to_zoned(TimeZone::UTC).hour();
    format!("NOON{:+}", hour - 12)
}

fn docs(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    root.join("docs/metrics").join(name)
}

#[test]
fn metrics_are_the_numbers_of_the_other_commands() {
    let (town, origin) = Town::with_rig();
    let town = town.with_env("TZ", &noon_zone());
    let worker = Worker::in_town(town, origin);
    let town = &worker.town;
    town.gate("web", "true");
    town.bead("web", "Later");
    let metrics = || town.gt(["metrics"]).ok().out;
    let before = metrics();
    assert_values(
        &before,
        &[
            ("gastown_daemon_up", 0.0),
            ("gastown_rig_up{rig=\"web\"}", 1.0),
            ("gastown_beads_open{rig=\"web\"}", 2.0),
            ("gastown_beads_ready{rig=\"web\"}", 1.0),
            ("gastown_beads_closed_today{rig=\"web\"}", 0.0),
            ("gastown_workers{rig=\"web\",state=\"working\"}", 1.0),
            ("gastown_workers_stuck{rig=\"web\"}", 0.0),
            ("gastown_sessions_running{role=\"polecat\"}", 1.0),
            (
                "gastown_merge_queue_requests{rig=\"web\",state=\"ready\"}",
                0.0,
            ),
            ("gastown_convoys_open", 1.0),
        ],
    );
    worker.commit("work.txt");
    worker.hand_in();
    assert_values(
        &metrics(),
        &[(
            "gastown_merge_queue_requests{rig=\"web\",state=\"ready\"}",
            1.0,
        )],
    );
    worker.merge();
    write_transcript(town, &worker.sandbox);
    town.gt(["escalate", "The lexer is slow", "-s", "high"])
        .ok();
    let after = metrics();
    assert_values(
        &after,
        &[
            ("gastown_beads_open{rig=\"web\"}", 1.0),
            ("gastown_beads_closed_today{rig=\"web\"}", 1.0),
            ("gastown_merges_today{rig=\"web\"}", 1.0),
            (
                "gastown_merge_queue_requests{rig=\"web\",state=\"ready\"}",
                0.0,
            ),
            (
                "gastown_gate_runs_total{gate=\"check\",outcome=\"passed\",rig=\"web\"}",
                1.0,
            ),
            ("gastown_escalations_open{severity=\"high\"}", 1.0),
            ("gastown_escalations_raised_total{severity=\"high\"}", 1.0),
            ("gastown_needs_user{kind=\"question\"}", 1.0),
            (
                "gastown_tokens_today{kind=\"input\",rig=\"web\"}",
                1_000_000.0,
            ),
        ],
    );
    let costs = town.gt(["costs", "--today", "--json"]).ok().json();
    let total = costs["total_usd"].as_f64();
    assert!(total > Some(0.0), "{costs}");
    assert_eq!(
        value_of(&after, "gastown_cost_today_dollars{rig=\"web\"}"),
        total
    );
    assert_eq!(
        value_of(&after, "gastown_cost_per_merged_bead_dollars"),
        total
    );

    let families = town.gt(["metrics", "--json"]).ok().json();
    let names: Vec<&str> = families
        .as_array()
        .unwrap()
        .iter()
        .map(|family| family["name"].as_str().unwrap())
        .collect();
    let typed: Vec<&str> = after
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .collect();
    assert_eq!(names, typed);
    check_names_in_docs(&typed);
}

/// Writes a transcript of the worker with one request of today.
fn write_transcript(town: &Town, sandbox: &Path) {
    let real = sandbox.canonicalize().unwrap();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = real.to_string_lossy().chars().map(plain).collect();
    let place = town.path("home/.claude/projects").join(name);
    fs::create_dir_all(&place).unwrap();
    let request = json!({
        "type": "assistant", "timestamp": Clock::System.now().to_string(),
        "message": { "id": "m1", "model": "claude-sonnet-4-5-20250929",
            "usage": { "input_tokens": 1_000_000, "output_tokens": 100_000 } },
    });
    fs::write(place.join("one.jsonl"), request.to_string()).unwrap();
}

/// Checks that the rules and the board name metrics that exist, and that the board shows each of
/// them but the version.
fn check_names_in_docs(printed: &[&str]) {
    let mut shown = BTreeSet::new();
    for file in ["gastown.rules.yml", "grafana.json"] {
        let text = fs::read_to_string(docs(file)).unwrap();
        let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
        let words = text.split(|c: char| !is_name(c));
        for name in words.filter(|word| word.starts_with("gastown_")) {
            assert!(printed.contains(&name), "{file} names {name}");
            shown.insert(name.to_owned());
        }
    }
    let hidden: Vec<&&str> = printed
        .iter()
        .filter(|name| !shown.contains(**name))
        .collect();
    assert!(hidden.is_empty(), "neither rules nor board use {hidden:?}");
    let board = fs::read(docs("grafana.json")).unwrap();
    let board: Value = serde_json::from_slice(&board).unwrap();
    assert!(
        board["panels"]
            .as_array()
            .is_some_and(|panels| !panels.is_empty())
    );
}

/// Sends a request to a port and returns the answer. None if nothing listens.
fn get(port: u16, path: &str, host: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    Some(answer)
}

/// The number of TCP ports on which a process listens.
fn listening_ports(pid: u64) -> usize {
    let links = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let sockets: Vec<String> = links
        .filter_map(|entry| {
            let link = fs::read_link(entry.path()).ok()?;
            let inode = link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
            Some(inode.to_owned())
        })
        .collect();
    let tables = ["tcp", "tcp6"].map(|kind| fs::read_to_string(format!("/proc/{pid}/net/{kind}")));
    let tables: String = tables.into_iter().flatten().collect();
    let is_listening = |line: &&str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        fields.get(3) == Some(&"0A")
            && fields
                .get(9)
                .is_some_and(|inode| sockets.iter().any(|own| own == inode))
    };
    tables.lines().filter(is_listening).count()
}

#[test]
fn the_daemon_serves_metrics_only_if_a_port_is_set() {
    let (town, _origin) = Town::with_rig();
    town.up();
    let status = town.gt(["daemon", "status", "--json"]).ok().json();
    assert_eq!(listening_ports(status["pid"].as_u64().unwrap()), 0);

    // The socket needs no setting.
    let folder = town.path("run/gastown");
    let socket = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .flatten()
        .find(|entry| entry.path().extension().is_some_and(|end| end == "sock"))
        .unwrap();
    let mut stream = UnixStream::connect(socket.path()).unwrap();
    stream.write_all(b"{\"request\":\"metrics\"}\n").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["answer"], "metrics", "{answer}");
    let text = answer["text"].as_str().unwrap();
    assert_values(
        text,
        &[
            ("gastown_daemon_up", 1.0),
            ("gastown_rig_up{rig=\"web\"}", 1.0),
        ],
    );

    town.gt(["daemon", "stop"]).ok();
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let setting = ["config", "set", "metrics.port", &port.to_string()];
    town.gt(setting).ok();
    town.gt(["daemon", "start"]).ok();
    let host = format!("127.0.0.1:{port}");
    let scraped = eventually("the port is open", || get(port, "/metrics", &host));
    let (head, text) = scraped.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let kind = "content-type: text/plain; version=0.0.4; charset=utf-8";
    assert!(head.contains(kind), "{head}");
    assert_values(
        text,
        &[
            ("gastown_daemon_up", 1.0),
            ("gastown_workers_stuck{rig=\"web\"}", 0.0),
            ("gastown_cost_last_hour_dollars", 0.0),
        ],
    );
    // A name that someone else has pointed to this machine.
    let foreign = get(port, "/metrics", &format!("evil.example:{port}")).unwrap();
    assert!(foreign.starts_with("HTTP/1.1 403"), "{foreign}");
    let other = get(port, "/", &host).unwrap();
    assert!(other.starts_with("HTTP/1.1 404"), "{other}");
}

#[test]
fn the_daemon_sends_metrics_to_an_opentelemetry_collector() {
    let (town, _origin) = Town::with_rig();
    let collector = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = collector.local_addr().unwrap().port();
    let address = format!("http://127.0.0.1:{port}/in");
    town.gt(["config", "set", "metrics.otlp", &address]).ok();
    town.up();
    let (mut stream, _) = collector.accept().unwrap();
    let mut sent = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        sent.read_line(&mut head).unwrap();
    }
    assert!(
        head.starts_with("POST /in/v1/metrics HTTP/1.1\r\n"),
        "{head}"
    );
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.unwrap().parse().unwrap()];
    sent.read_exact(&mut body).unwrap();
    stream
        .write_all(b"HTTP/1.1 503 Later\r\ncontent-length: 0\r\n\r\n")
        .unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let metrics = &body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
    let names = |list: &Value| -> BTreeSet<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|metric| metric["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let command = town.gt(["metrics", "--json"]).ok().json();
    assert_eq!(names(metrics), names(&command));
    let up = metrics.as_array().unwrap().iter();
    let up = up.filter(|metric| metric["name"] == "gastown_daemon_up");
    let values: Vec<&Value> = up
        .map(|metric| &metric["gauge"]["dataPoints"][0]["asDouble"])
        .collect();
    assert_eq!(values, [1.0]);
    eventually("the refusal is in the log", || {
        let log = town.gt(["daemon", "logs"]).ok().out;
        log.contains("the collector answered 503").then_some(())
    });
}
