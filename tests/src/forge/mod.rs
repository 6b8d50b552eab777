//! A stand-in for a forge and its programs `gh` and `glab`, with its state in a file. It knows the
//! commands that Gas Town uses, in the exact form, refuses every other, and merges into the bare
//! origin.

mod gitlab;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::{Repo, Town};

/// The variable with the path of the state, which the programs of the town pass on.
const STATE: &str = "FORGE_STATE";

/// The forge of a town, in the hands of its people.
pub struct Forge {
    state: PathBuf,
}

impl Forge {
    /// Puts `gh` and `glab` on the path of a town, for a forge that has `origin`.
    pub fn install(town: Town, origin: &Repo) -> (Town, Self) {
        for name in ["gh", "glab"] {
            let to = town.path("bin").join(name);
            std::fs::hard_link(crate::town::multicall(), to).unwrap();
        }
        let state = town.path("forge.json");
        let forge = Self {
            state: state.clone(),
        };
        let home = town.path("home");
        forge.write(&json!({
            "origin": origin.path(), "home": home, "logged_in": true, "pulls": [], "calls": [],
        }));
        (town.with_env(STATE, state.to_str().unwrap()), forge)
    }

    fn write(&self, state: &Value) {
        let next = self.state.with_extension("next");
        std::fs::write(&next, state.to_string()).unwrap();
        std::fs::rename(next, &self.state).unwrap();
    }

    fn read(&self) -> Value {
        serde_json::from_slice(&std::fs::read(&self.state).unwrap()).unwrap()
    }

    /// Changes the state, while no program of the town uses it.
    fn change<R>(&self, change: impl FnOnce(&mut Value) -> R) -> R {
        let lock = std::fs::File::create(self.state.with_extension("lock")).unwrap();
        lock.lock().unwrap();
        let mut state = self.read();
        let result = change(&mut state);
        self.write(&state);
        result
    }

    /// Sets a key of the forge, such as `logged_in`.
    pub fn set(&self, key: &str, value: Value) {
        self.change(|state| state[key] = value);
    }

    /// The pull requests.
    pub fn pulls(&self) -> Vec<Value> {
        self.read()["pulls"].as_array().unwrap().clone()
    }

    /// The commands of Gas Town so far, as one line each.
    pub fn calls(&self) -> Vec<String> {
        let calls = self.read()["calls"].as_array().unwrap().clone();
        calls
            .iter()
            .map(|call| call.as_str().unwrap().to_owned())
            .collect()
    }

    /// Sets a key of a pull request: `checks` (running, passed, failed), `decision`
    /// (REVIEW_REQUIRED, APPROVED, CHANGES_REQUESTED), `behind`, `draft`, `base`, `branch`, and
    /// `undecided`: GitHub names no decision, because the target requires no review.
    pub fn set_pull(&self, number: u64, key: &str, value: impl Into<Value>) {
        self.change(|state| *pull_mut(state, number, key) = value.into());
    }

    /// Reviews a pull request as a person: requests changes, with a comment on a line.
    pub fn request_changes(&self, number: u64, text: &str, comment: &str) {
        self.change(|state| {
            *pull_mut(state, number, "decision") = json!("CHANGES_REQUESTED");
            let reviews = pull_mut(state, number, "reviews").as_array_mut().unwrap();
            reviews.push(json!({ "id": 100 + reviews.len(), "text": text, "comment": comment }));
        });
    }

    /// Merges a pull request as a person: by `squash`, `rebase` or `merge`.
    pub fn merge(&self, number: u64, how: &str) {
        self.change(|state| merge(state, number, how).unwrap());
    }

    /// Closes a pull request as a person.
    pub fn close(&self, number: u64) {
        self.change(|state| close(state, number).unwrap());
    }
}

fn pull_mut<'a>(state: &'a mut Value, number: u64, key: &str) -> &'a mut Value {
    let pulls = state["pulls"].as_array_mut().unwrap();
    let pull = pulls.iter_mut().find(|pull| pull["number"] == number);
    &mut pull.unwrap()[key]
}

fn find_pull(state: &Value, number: &str) -> Result<Value, String> {
    let number: u64 = number
        .parse()
        .map_err(|_| format!("{number} is no number"))?;
    let mut pulls = state["pulls"].as_array().unwrap().iter();
    let mut pull = pulls
        .find(|pull| pull["number"] == number)
        .cloned()
        .ok_or("no pull request found")?;
    if pull["state"] == "open" {
        pull["head"] = json!(tip(state, pull["branch"].as_str().unwrap())?);
    }
    Ok(pull)
}

/// Runs git in the origin.
fn git(state: &Value, args: &[&str]) -> Result<String, String> {
    let done = kit::sys::ChildCommand::new("git")
        .args(["-C", state["origin"].as_str().unwrap()])
        .args(args)
        .env("HOME", state["home"].as_str().unwrap())
        .run()
        .map_err(|error| error.to_string())?;
    if done.is_success() {
        Ok(done.text())
    } else {
        Err(done.error_text() + &done.text())
    }
}

fn tip(state: &Value, branch: &str) -> Result<String, String> {
    git(
        state,
        &[
            "rev-parse",
            "--verify",
            "--quiet",
            &format!("refs/heads/{branch}"),
        ],
    )
}

/// Merges a pull request into the origin, past its hooks, as a forge does.
fn merge(state: &mut Value, number: u64, how: &str) -> Result<(), String> {
    let pull = find_pull(state, &number.to_string())?;
    let (base, branch) = (
        pull["base"].as_str().unwrap(),
        pull["branch"].as_str().unwrap(),
    );
    let (onto, head) = (tip(state, base)?, tip(state, branch)?);
    let title = format!("{} (#{number})", pull["title"].as_str().unwrap());
    let tree = git(state, &["merge-tree", "--write-tree", &onto, &head])?;
    let one = |parents: &[&str]| {
        let mut args = vec!["commit-tree", &tree, "-m", &title];
        for parent in parents {
            args.extend(["-p", *parent]);
        }
        git(state, &args)
    };
    let commit = match how {
        "merge" => one(&[&onto, &head])?,
        // One commit is enough to have another id than the head.
        "rebase" | "squash" => one(&[&onto])?,
        "fast-forward" => head.clone(),
        other => return Err(format!("no way to merge: {other}")),
    };
    let target = format!("refs/heads/{base}");
    git(state, &["update-ref", &target, &commit, &onto])?;
    for (key, value) in [("state", "merged"), ("head", &head), ("commit", &commit)] {
        *pull_mut(state, number, key) = json!(value);
    }
    *pull_mut(state, number, "how") = json!(how);
    Ok(())
}

/// The program that is called `name`.
pub fn program(name: &str, args: &[OsString]) -> ExitCode {
    let args: Vec<String> = args
        .iter()
        .skip(1)
        .map(|arg| arg.to_str().unwrap().to_owned())
        .collect();
    let state = kit::sys::Env::from_process()
        .get(STATE)
        .unwrap_or_default()
        .to_owned();
    let forge = Forge {
        state: PathBuf::from(state),
    };
    let answer = forge.change(|state| {
        let call = format!("{name} {}", args.join(" "));
        state["calls"].as_array_mut().unwrap().push(json!(call));
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        if !state["logged_in"].as_bool().unwrap() {
            return Err("You are not logged into any hosts.".to_owned());
        }
        match name {
            "gh" => gh(state, &words),
            _ => gitlab::glab(state, &words),
        }
    });
    match answer {
        Ok(text) => {
            print(&text, false);
            ExitCode::SUCCESS
        }
        Err(text) => {
            print(&text, true);
            ExitCode::FAILURE
        }
    }
}

fn print(text: &str, is_error: bool) {
    use std::io::Write;
    if is_error {
        writeln!(std::io::stderr(), "{text}").ok();
    } else {
        writeln!(std::io::stdout(), "{text}").ok();
    }
}

fn read_input() -> String {
    use std::io::Read;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text
}

fn unknown(words: &[&str]) -> Result<String, String> {
    Err(format!("the stand-in has no `{}`", words.join(" ")))
}

/// Adds a pull request. If `lose_answer` is set, the caller gets an error nevertheless.
fn add(
    state: &mut Value,
    branch: &str,
    base: &str,
    title: &str,
    text: &str,
) -> Result<Value, String> {
    tip(state, branch)?;
    let open = |pull: &Value| pull["state"] == "open" && pull["branch"] == branch;
    if state["pulls"].as_array().unwrap().iter().any(open) {
        return Err(format!(
            "a pull request for branch \"{branch}\" already exists"
        ));
    }
    let number = state["pulls"].as_array().unwrap().len() + 1;
    let pull = json!({
        "number": number, "url": format!("https://forge.example/a/b/pull/{number}"), "state": "open",
        "branch": branch, "base": base, "title": title, "text": text, "checks": "", "decision": "",
        "reviews": [], "comments": [], "behind": false, "draft": false,
    });
    state["pulls"].as_array_mut().unwrap().push(pull.clone());
    if state["lose_answer"] == true {
        state["lose_answer"] = json!(false);
        return Err("connection reset by peer".to_owned());
    }
    Ok(pull)
}

fn value_of<'a>(word: &'a str, option: &str) -> Result<&'a str, String> {
    word.strip_prefix(option)
        .ok_or_else(|| format!("{word} is not {option}VALUE"))
}

fn gh(state: &mut Value, words: &[&str]) -> Result<String, String> {
    match words {
        ["auth", "status", ..] => Ok("Logged in".to_owned()),
        [
            "pr",
            "list",
            "--state=open",
            "--json=number,isCrossRepository",
            head,
        ] => {
            let branch = value_of(head, "--head=")?;
            let pulls = state["pulls"].as_array().unwrap().iter();
            let open = pulls.filter(|pull| pull["state"] == "open" && pull["branch"] == branch);
            let listed: Vec<Value> = open
                .map(|pull| json!({ "number": pull["number"], "isCrossRepository": false }))
                .collect();
            Ok(json!(listed).to_string())
        }
        ["pr", "view", number, fields] => {
            let all = gh_view(&find_pull(state, number)?);
            let fields = value_of(fields, "--json=")?.split(',');
            let chosen = fields.map(|field| (field.to_owned(), all[field].clone()));
            let shown = Value::Object(chosen.collect());
            Ok(shown.to_string())
        }
        ["pr", "create", "--body-file=-", head, base, title] => {
            let (branch, base) = (value_of(head, "--head=")?, value_of(base, "--base=")?);
            let title = value_of(title, "--title=")?;
            let pull = add(state, branch, base, title, &read_input())?;
            Ok(pull["url"].as_str().unwrap().to_owned())
        }
        ["pr", "merge", how, number, head] => {
            let pull = find_pull(state, number)?;
            if pull["head"] != value_of(head, "--match-head-commit=")? {
                return Err("Head branch was modified. Review and try the merge again.".to_owned());
            }
            refuse_merge(&pull)?;
            merge(
                state,
                pull["number"].as_u64().unwrap(),
                value_of(how, "--")?,
            )?;
            Ok(String::new())
        }
        ["pr", "close", number, text] => {
            let number = find_pull(state, number)?["number"].as_u64().unwrap();
            comment(state, number, value_of(text, "--comment=")?);
            close(state, number)?;
            Ok(String::new())
        }
        ["api", path] => {
            let rest = value_of(path, "repos/{owner}/{repo}/pulls/")?;
            let rest = rest.strip_suffix("?per_page=100").ok_or("one page only")?;
            let (number, what) = rest.split_once('/').ok_or("not found")?;
            let pull = find_pull(state, number)?;
            let reviews = pull["reviews"].as_array().unwrap().iter();
            let listed: Vec<Value> = match what {
                "reviews" => reviews
                    .map(|review| {
                        json!({ "id": review["id"], "state": "CHANGES_REQUESTED",
                            "body": review["text"], "user": { "login": "alice" } })
                    })
                    .collect(),
                "comments" => reviews
                    .map(|review| {
                        json!({ "pull_request_review_id": review["id"], "path": "work.txt",
                            "line": 1, "body": review["comment"] })
                    })
                    .collect(),
                _ => return unknown(words),
            };
            Ok(json!(listed).to_string())
        }
        _ => unknown(words),
    }
}

fn refuse_merge(pull: &Value) -> Result<(), String> {
    let refused = pull["decision"] == "REVIEW_REQUIRED" || pull["checks"] == "failed";
    if refused || pull["behind"] == true || pull["state"] != "open" {
        return Err("the base branch policy prohibits the merge.".to_owned());
    }
    Ok(())
}

fn close(state: &mut Value, number: u64) -> Result<(), String> {
    let head = find_pull(state, &number.to_string())?["head"].clone();
    *pull_mut(state, number, "head") = head;
    *pull_mut(state, number, "state") = json!("closed");
    Ok(())
}

fn comment(state: &mut Value, number: u64, text: &str) {
    let comments = pull_mut(state, number, "comments").as_array_mut().unwrap();
    comments.push(json!(text));
}

fn gh_view(pull: &Value) -> Value {
    let checks = match pull["checks"].as_str().unwrap() {
        "running" => json!([{ "__typename": "CheckRun", "name": "ci", "status": "IN_PROGRESS",
            "conclusion": "", "detailsUrl": "https://forge.example/ci" }]),
        "passed" => json!([{ "__typename": "CheckRun", "name": "ci", "status": "COMPLETED",
            "conclusion": "SUCCESS", "detailsUrl": "https://forge.example/ci" }]),
        "failed" => json!([{ "__typename": "StatusContext", "context": "ci", "state": "FAILURE",
            "targetUrl": "https://forge.example/ci" }]),
        _ => json!([]),
    };
    let commit = match &pull["commit"] {
        Value::String(commit) => json!({ "oid": commit }),
        _ => Value::Null,
    };
    let undecided = pull["undecided"] == true;
    let latest = match pull["decision"].as_str().unwrap() {
        state @ ("APPROVED" | "CHANGES_REQUESTED") => json!([{ "author": { "login": "alice" },
            "authorAssociation": "MEMBER", "state": state }]),
        _ => json!([]),
    };
    json!({
        "number": pull["number"], "url": pull["url"], "headRefOid": pull["head"],
        "state": pull["state"].as_str().unwrap().to_uppercase(), "isDraft": pull["draft"],
        "headRefName": pull["branch"], "isCrossRepository": false,
        "baseRefName": pull["base"], "mergeable": "MERGEABLE", "mergeCommit": commit,
        "mergeStateStatus": if pull["behind"] == true { "BEHIND" } else { "CLEAN" },
        "reviewDecision": if undecided { json!("") } else { pull["decision"].clone() },
        "latestReviews": latest, "statusCheckRollup": checks,
    })
}

/// Lets no one push to `main` of an origin, as a forge that protects it.
pub fn protect(origin: &Repo) {
    origin.hook(
        "pre-receive",
        "while read old new ref; do\n  [ \"$ref\" != refs/heads/main ] || { echo 'error: GH006: Protected \
         branch update failed for refs/heads/main.' >&2; exit 1; }\ndone",
    );
}
