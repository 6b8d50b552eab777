//! `bd mcp`: a client on standard input and output.

#![expect(
    clippy::needless_pass_by_value,
    reason = "arguments of calls are written in the call"
)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::Project;

struct Client {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    number: u64,
}

impl Client {
    fn start(project: &Project, args: &[&str]) -> Self {
        let mut command = project.command(&project.dir(), args);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take(), child.stdout.take().unwrap());
        let from = BufReader::new(from);
        let mut client = Self {
            child,
            to,
            from,
            number: 0,
        };
        let hello = client.ask(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "beads", "{hello}");
        assert_eq!(hello["result"]["protocolVersion"], "2025-11-25", "{hello}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        self.send(
            &json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}),
        );
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], self.number, "{answer}");
        answer
    }

    /// Whether a call succeeded, and its text as JSON.
    fn call(&mut self, name: &str, arguments: Value) -> (bool, Value) {
        let answer = self.ask("tools/call", json!({"name": name, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"));
        let value = serde_json::from_str(text).unwrap_or_else(|_| text.into());
        (result["isError"] != true, value)
    }

    fn ok(&mut self, name: &str, arguments: Value) -> Value {
        let (is_ok, value) = self.call(name, arguments);
        assert!(is_ok, "{name}: {value}");
        value
    }

    /// The client goes away; the server ends.
    fn end(mut self) {
        self.to = None;
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn the_tools_match_the_usual_server_and_are_described_briefly() {
    let project = Project::empty();
    let mut client = Client::start(&project, &["mcp"]);
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let usual = [
        "ready",
        "list",
        "search",
        "show",
        "create",
        "claim",
        "update",
        "close",
        "reopen",
        "dep",
        "comment",
        "blocked",
        "stats",
        "where_am_i",
        "init",
        "context",
    ];
    assert_eq!(names, usual);
    let size = tools.to_string().len();
    assert!(size < 10_000, "a model pays for each word: {size}");
    client.end();
}

/// Calls in order: the tool, its arguments, and where in the answer which value is.
const WORK: &str = r#"[
    ["init", {"prefix": "bd"}, "", null],
    ["where_am_i", {}, "/prefix", "bd"],
    ["create", {"title": "--json", "priority": 1, "labels": ["a", "b"], "id": "bd-k3f"}, "/labels", ["a", "b"]],
    ["create", {"title": "Four", "id": "bd-four", "issue_type": "bug", "priority": 3}, "/created_at", null],
    ["create", {"title": "Two", "id": "bd-two", "deps": ["discovered-from:bd-k3f"]}, "/title", "Two"],
    ["blocked", {}, "", []],
    ["dep", {"issue_id": "bd-two", "depends_on_id": "bd-four", "dep_type": "related"}, "/status", "added"],
    ["create", {"title": "Three", "id": "bd-three", "deps": ["bd-k3f"]}, "/status", "open"],
    ["blocked", {}, "/0/blocked_by", ["bd-k3f"]],
    ["ready", {"limit": 1}, "/0/id", "bd-k3f"],
    ["claim", {"issue_id": "k3f"}, "/0/assignee", "claude"],
    ["comment", {"issue_id": "bd-k3f", "text": "--author x"}, "/text", "--author x"],
    ["update", {"issue_id": "bd-k3f", "title": "New"}, "/0/title", "New"],
    ["show", {"issue_id": "bd-k3f"}, "/0/comments/0/author", "claude"],
    ["close", {"issue_id": "bd-k3f", "reason": "done"}, "/0/status", "closed"],
    ["search", {"query": "new", "status": "closed"}, "/0/title", "New"],
    ["reopen", {"issue_ids": ["bd-k3f"]}, "/0/status", "open"],
    ["list", {"labels": ["a"]}, "/0/id", "bd-k3f"],
    ["stats", {}, "/summary/total_issues", 4]
]"#;

#[test]
fn a_client_can_work_on_beads_with_the_tools() {
    let project = Project::empty();
    let mut client = Client::start(&project, &["mcp", "--actor", "claude"]);
    let (is_ok, error) = client.call("ready", json!({}));
    assert!(
        !is_ok && error["code"] == "no_project" && error["hint"].is_string(),
        "{error}"
    );
    let steps: Vec<(String, Value, String, Value)> = serde_json::from_str(WORK).unwrap();
    for (tool, arguments, place, wanted) in steps {
        let found = client.ok(&tool, arguments);
        let own = found.pointer(&place).cloned().unwrap_or_default();
        assert!(
            place.is_empty() && wanted.is_null() || own == wanted,
            "{tool}: {found}"
        );
    }
    // What others write is seen.
    project.ok(&["close", "bd-two"]);
    let bead = client.ok("show", json!({"issue_id": "bd-two"}))[0].clone();
    assert_eq!(bead["status"], "closed");
    project.ok(&["reopen", "bd-two"]);
    let stale = json!({"issue_id": "bd-two", "title": "X", "expect_version": bead["version"]});
    let (is_ok, error) = client.call("update", stale);
    assert!(!is_ok && error["code"] == "changed", "{error}");
    client.end();
}

#[test]
fn invalid_calls_get_an_error_response() {
    let project = Project::new();
    project.ok(&["create", "A", "--id", "bd-k3f"]);
    let mut client = Client::start(&project, &["mcp", "--readonly"]);
    let (is_ok, error) = client.call("show", json!({"issue_id": "bd-k3g"}));
    assert!(!is_ok && error["similar"] == json!(["bd-k3f"]), "{error}");
    let (is_ok, error) = client.call("show", json!({"id": "bd-k3f"}));
    assert!(
        !is_ok
            && error["error"]
                .as_str()
                .unwrap()
                .contains("it takes issue_id"),
        "{error}"
    );
    let (is_ok, error) = client.call("close", json!({"issue_id": "bd-k3f"}));
    assert!(!is_ok && error.to_string().contains("read-only"), "{error}");
    let (is_ok, error) = client.call("list", json!({"workspace_root": "none"}));
    assert!(
        !is_ok && error.to_string().contains("no such folder"),
        "{error}"
    );
    let unknown = client.ask("tools/call", json!({"name": "nope", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    client.end();
}

#[test]
fn a_context_sets_the_folder_of_later_calls() {
    let project = Project::new();
    let other = project.path("other");
    std::fs::create_dir(&other).unwrap();
    project.run_in(&other, &["init", "--prefix", "ot", "-q"]);
    project.run_in(&other, &["create", "There", "--id", "ot-1"]);
    let mut client = Client::start(&project, &["mcp"]);
    assert_eq!(client.ok("list", json!({})), json!([]));
    assert_eq!(
        client.ok("list", json!({"workspace_root": "other"}))[0]["id"],
        "ot-1"
    );
    assert_eq!(
        client.ok("context", json!({"workspace_root": "other"}))["workspace_root"],
        json!(other)
    );
    assert_eq!(client.ok("list", json!({}))[0]["id"], "ot-1");
    client.end();
}
