//! The commands of `glab`.

use serde_json::{Value, json};

use super::{add, close, comment, find_pull, merge, read_input, refuse_merge, unknown, value_of};

const MERGE_REQUESTS: &str = "projects/:fullpath/merge_requests";

pub(super) fn glab(state: &mut Value, words: &[&str]) -> Result<String, String> {
    match words {
        ["auth", "status", ..] => Ok("Logged in".to_owned()),
        ["api", path] => {
            let path = value_of(path, MERGE_REQUESTS)?;
            if let Some(branch) = path.strip_prefix("?state=opened&source_branch=") {
                let branch = branch.replace("%2F", "/");
                let pulls = state["pulls"].as_array().unwrap().iter();
                let open =
                    pulls.filter(|pull| pull["state"] == "open" && pull["branch"] == *branch);
                let listed: Vec<Value> = open.map(gitlab_view).collect();
                return Ok(json!(listed).to_string());
            }
            let path = path.trim_start_matches('/');
            let (number, what) = path.split_once('/').unwrap_or((path, ""));
            let pull = find_pull(state, number)?;
            let requested = pull["decision"] == "CHANGES_REQUESTED";
            let reviews = pull["reviews"].as_array().unwrap().iter();
            Ok(match what {
                "" => gitlab_view(&pull),
                "reviewers" => json!([{ "user": { "username": "alice" },
                    "state": if requested { "requested_changes" } else { "unreviewed" } }]),
                "approvals" => json!({
                    "approvals_left": i32::from(pull["decision"] == "REVIEW_REQUIRED"),
                    "approved_by": if pull["decision"] == "APPROVED" { json!([{}]) } else { json!([]) },
                }),
                "notes?per_page=100&sort=asc" => reviews
                    .map(|review| {
                        json!({ "id": review["id"], "author": { "username": "alice" },
                            "system": false, "body": review["text"] })
                    })
                    .collect(),
                _ => return unknown(words),
            }
            .to_string())
        }
        [
            "api",
            path,
            method,
            "--header=Content-Type: application/json",
            "--input=-",
        ] => {
            let body: Value = serde_json::from_str(&read_input()).unwrap();
            let path = value_of(path, MERGE_REQUESTS)?.trim_start_matches('/');
            glab_send(state, path, value_of(method, "--method=")?, &body)
                .map(|sent| sent.to_string())
        }
        _ => unknown(words),
    }
}

fn glab_send(state: &mut Value, path: &str, method: &str, body: &Value) -> Result<Value, String> {
    let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
    if (path, method) == ("", "POST") {
        let (branch, base) = (text("source_branch"), text("target_branch"));
        let pull = add(state, &branch, &base, &text("title"), &text("description"))?;
        return Ok(gitlab_view(&pull));
    }
    let (number, what) = path.split_once('/').unwrap_or((path, ""));
    let pull = find_pull(state, number)?;
    let number = pull["number"].as_u64().unwrap();
    match (what, method) {
        ("merge", "PUT") => {
            if pull["head"] != body["sha"] {
                return Err("409 SHA does not match HEAD of source branch".to_owned());
            }
            refuse_merge(&pull)?;
            let how = if body["squash"] == true {
                "squash"
            } else {
                "merge"
            };
            merge(state, number, how)?;
        }
        ("notes", "POST") => comment(state, number, &text("body")),
        ("", "PUT") if body["state_event"] == "close" => close(state, number)?,
        _ => return Err(format!("404: {method} {path}")),
    }
    Ok(json!({}))
}

fn gitlab_view(pull: &Value) -> Value {
    let state = match pull["state"].as_str().unwrap() {
        "open" => "opened",
        other => other,
    };
    let pipeline = match pull["checks"].as_str().unwrap() {
        "" => Value::Null,
        "passed" => json!({ "status": "success", "web_url": "https://forge.example/ci" }),
        status => json!({ "status": status, "web_url": "https://forge.example/ci" }),
    };
    let commit = |wanted: &str| {
        let squashed = if pull["how"] == "squash" {
            "squash"
        } else {
            "merge"
        };
        if squashed == wanted {
            pull["commit"].clone()
        } else {
            Value::Null
        }
    };
    json!({
        "iid": pull["number"], "web_url": pull["url"], "state": state, "draft": pull["draft"],
        "sha": pull["head"], "source_branch": pull["branch"], "target_branch": pull["base"], "source_project_id": 1,
        "target_project_id": 1, "merge_commit_sha": commit("merge"),
        "squash_commit_sha": commit("squash"), "has_conflicts": false, "head_pipeline": pipeline,
        "detailed_merge_status": if pull["behind"] == true { "need_rebase" } else { "mergeable" },
    })
}
