//! The commands of `glab`, and their answers. All are calls of GitLab's interface for programs,
//! whose answers do not depend on the version of `glab`.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    ChangeRequest, Forge, ForgeError, ForgePullRequest, ForgeReview, ForgeStage, NewPullRequest,
    OpenPullRequest,
};
use crate::town::config::MergeStrategy;

#[derive(Debug, Deserialize)]
struct MergeRequestJson {
    iid: u64,
    web_url: String,
    state: String,
    #[serde(default)]
    draft: bool,
    #[serde(default)]
    sha: Option<String>,
    source_branch: String,
    target_branch: String,
    #[serde(default)]
    source_project_id: Option<u64>,
    #[serde(default)]
    target_project_id: Option<u64>,
    #[serde(default)]
    merge_commit_sha: Option<String>,
    #[serde(default)]
    squash_commit_sha: Option<String>,
    #[serde(default)]
    detailed_merge_status: String,
    #[serde(default)]
    has_conflicts: bool,
    #[serde(default)]
    head_pipeline: Option<PipelineJson>,
}

#[derive(Debug, Deserialize)]
struct PipelineJson {
    status: String,
    #[serde(default)]
    web_url: String,
}

#[derive(Debug, Default, Deserialize)]
struct ApprovalsJson {
    #[serde(default)]
    approvals_left: Option<u64>,
    #[serde(default)]
    approved_by: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct ReviewerJson {
    user: UserJson,
    state: String,
}

#[derive(Debug, Deserialize)]
struct UserJson {
    username: String,
}

#[derive(Debug, Deserialize)]
struct NoteJson {
    id: u64,
    body: String,
    author: UserJson,
    #[serde(default)]
    system: bool,
    #[serde(default)]
    position: Option<PositionJson>,
}

#[derive(Debug, Deserialize)]
struct PositionJson {
    #[serde(default)]
    new_path: Option<String>,
    #[serde(default)]
    new_line: Option<u64>,
}

impl Forge {
    fn get<T: serde::de::DeserializeOwned>(&self, path: &str) -> Result<T, ForgeError> {
        let path = format!("projects/:fullpath/merge_requests{path}");
        self.query(["api".to_owned(), path], &[])
    }

    /// Sends a JSON object to the project's merge requests.
    fn send(&self, method: &str, path: &str, body: &Value) -> Result<Value, ForgeError> {
        let args = [
            "api".to_owned(),
            format!("projects/:fullpath/merge_requests{path}"),
            format!("--method={method}"),
            "--header=Content-Type: application/json".to_owned(),
            "--input=-".to_owned(),
        ];
        self.query(args, body.to_string().as_bytes())
    }
}

pub(super) fn find_open(forge: &Forge, branch: &str) -> Result<Option<u64>, ForgeError> {
    let branch = encode(branch);
    let listed: Vec<MergeRequestJson> =
        forge.get(&format!("?state=opened&source_branch={branch}"))?;
    // The branch of a fork may have the same name.
    Ok(listed
        .iter()
        .find(|listed| !listed.is_of_fork())
        .map(|listed| listed.iid))
}

/// Encodes a text for the query of an address.
fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

pub(super) fn view(forge: &Forge, number: u64) -> Result<ForgePullRequest, ForgeError> {
    let found: MergeRequestJson = forge.get(&format!("/{number}"))?;
    let review = if found.is_open() {
        read_review(forge, number, &found.detailed_merge_status)?
    } else {
        ForgeReview::None
    };
    Ok(found.into_pull_request(review))
}

impl MergeRequestJson {
    fn is_open(&self) -> bool {
        self.state != "merged" && self.state != "closed"
    }

    fn is_of_fork(&self) -> bool {
        self.source_project_id != self.target_project_id
    }

    fn into_pull_request(self, review: ForgeReview) -> ForgePullRequest {
        let head = self.sha.clone().unwrap_or_default();
        let is_of_fork = self.is_of_fork();
        let pipeline = self.head_pipeline.as_ref();
        let has_status = |states: &[&str]| {
            pipeline.is_some_and(|pipeline| states.contains(&pipeline.status.as_str()))
        };
        let stage = match self.state.as_str() {
            "merged" => ForgeStage::Merged {
                // A fast-forward makes no commit.
                commits: [self.merge_commit_sha, self.squash_commit_sha, self.sha]
                    .into_iter()
                    .flatten()
                    .collect(),
            },
            "closed" => ForgeStage::Closed,
            _ => ForgeStage::Open(OpenPullRequest {
                is_draft: self.draft,
                has_checks: pipeline.is_some(),
                checks_running: pipeline.is_some()
                    && !has_status(&["success", "skipped", "failed", "canceled", "manual"]),
                failed_checks: pipeline
                    .filter(|_| has_status(&["failed", "canceled"]))
                    .map(|pipeline| format!("pipeline {}", pipeline.web_url))
                    .into_iter()
                    .collect(),
                review,
                conflicts: self.has_conflicts,
                is_behind: self.detailed_merge_status == "need_rebase",
            }),
        };
        ForgePullRequest {
            number: self.iid,
            url: self.web_url,
            branch: (!is_of_fork).then_some(self.source_branch),
            head,
            target: self.target_branch,
            stage,
        }
    }
}

fn read_review(forge: &Forge, number: u64, status: &str) -> Result<ForgeReview, ForgeError> {
    let reviewers: Vec<ReviewerJson> = forge.get(&format!("/{number}/reviewers"))?;
    let requesting: Vec<String> = reviewers
        .into_iter()
        .filter(|reviewer| reviewer.state == "requested_changes")
        .map(|reviewer| reviewer.user.username)
        .collect();
    if !requesting.is_empty() {
        let notes: Vec<NoteJson> = forge.get(&format!("/{number}/notes?per_page=100&sort=asc"))?;
        return Ok(ForgeReview::ChangesRequested(
            notes
                .into_iter()
                .filter(|note| requesting.contains(&note.author.username))
                .map(NoteJson::into_change_request)
                .collect(),
        ));
    }
    let approvals: ApprovalsJson = forge.get(&format!("/{number}/approvals"))?;
    if approvals.approvals_left.is_some_and(|left| left > 0) || status == "not_approved" {
        return Ok(ForgeReview::Required);
    }
    Ok(match approvals.approved_by.as_slice() {
        [] => ForgeReview::None,
        _ => ForgeReview::Approved,
    })
}

impl NoteJson {
    /// Returns a note of a reviewer who requests changes. GitLab's own note about the request has
    /// no text.
    fn into_change_request(self) -> ChangeRequest {
        let place = self.position.and_then(|position| {
            let line = position
                .new_line
                .map_or_else(String::new, |line| format!(":{line}"));
            Some(format!("{}{line}: ", position.new_path?))
        });
        let text = if self.system { "" } else { &self.body };
        ChangeRequest {
            id: self.id.to_string(),
            author: self.author.username,
            text: format!("{}{text}", place.as_deref().unwrap_or("")),
        }
    }
}

pub(super) fn open(forge: &Forge, new: &NewPullRequest) -> Result<(u64, String), ForgeError> {
    let body = json!({
        "source_branch": new.branch,
        "target_branch": new.target,
        "title": new.title,
        "description": new.text,
    });
    let opened = forge.send("POST", "", &body)?;
    match (opened["iid"].as_u64(), opened["web_url"].as_str()) {
        (Some(number), Some(url)) => Ok((number, url.to_owned())),
        _ => Err(ForgeError::BadAnswer {
            program: forge.program.clone(),
            message: "it names no merge request".to_owned(),
        }),
    }
}

/// The project's own merge method decides between a merge commit and a fast-forward.
pub(super) fn merge(
    forge: &Forge,
    number: u64,
    head: &str,
    strategy: MergeStrategy,
) -> Result<(), ForgeError> {
    let body = json!({ "sha": head, "squash": strategy == MergeStrategy::Squash });
    forge
        .send("PUT", &format!("/{number}/merge"), &body)
        .map(drop)
}

pub(super) fn close(forge: &Forge, number: u64, reason: &str) -> Result<(), ForgeError> {
    forge.send(
        "POST",
        &format!("/{number}/notes"),
        &json!({ "body": reason }),
    )?;
    let close = json!({ "state_event": "close" });
    forge.send("PUT", &format!("/{number}"), &close).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(more: &str) -> ForgeStage {
        let text = format!(
            r#"{{"iid":3,"web_url":"https://gitlab.com/a/b/-/merge_requests/3","sha":"abc",
                "source_branch":"gt/web-1","target_branch":"main",{more}}}"#
        );
        let json: MergeRequestJson = serde_json::from_str(&text).unwrap();
        json.into_pull_request(ForgeReview::None).stage
    }

    #[test]
    fn the_answers_of_gitlab_are_read() {
        let merged = stage(r#""state":"merged","merge_commit_sha":null,"squash_commit_sha":"def""#);
        let commits = vec!["def".to_owned(), "abc".to_owned()];
        assert_eq!(merged, ForgeStage::Merged { commits });
        assert_eq!(stage(r#""state":"closed""#), ForgeStage::Closed);
        let opened = |more: &str| match stage(&format!(r#""state":"opened",{more}"#)) {
            ForgeStage::Open(open) => open,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            opened(r#""head_pipeline":null"#),
            OpenPullRequest::default()
        );
        assert!(opened(r#""head_pipeline":{"status":"running"}"#).checks_running);
        let failed = opened(r#""head_pipeline":{"status":"failed","web_url":"u"}"#);
        assert_eq!(failed.failed_checks, ["pipeline u"]);
        assert!(!failed.checks_running);
        assert!(opened(r#""detailed_merge_status":"need_rebase""#).is_behind);
        assert!(opened(r#""has_conflicts":true"#).conflicts);
    }

    #[test]
    fn the_name_of_a_branch_is_encoded() {
        assert_eq!(encode("gt/web-1&state=all"), "gt%2Fweb-1%26state%3Dall");
    }
}
