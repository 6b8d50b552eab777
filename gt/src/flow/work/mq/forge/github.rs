//! The commands of `gh`, and their answers.

use serde::Deserialize;

use super::{
    ChangeRequest, Forge, ForgeError, ForgePullRequest, ForgeReview, ForgeStage, NewPullRequest,
    OpenPullRequest,
};
use crate::town::config::MergeStrategy;

const REQUEST_FIELDS: &str = "number,url,state,isDraft,headRefOid,headRefName,isCrossRepository,\
                      baseRefName,mergeable,mergeStateStatus,reviewDecision,latestReviews,\
                      statusCheckRollup,mergeCommit";

/// The reviewers who belong to the project. Anyone may review a public pull request.
const OWN_REVIEWERS: [&str; 3] = ["OWNER", "MEMBER", "COLLABORATOR"];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullRequestJson {
    number: u64,
    url: String,
    state: String,
    is_draft: bool,
    head_ref_oid: String,
    head_ref_name: String,
    #[serde(default)]
    is_cross_repository: bool,
    base_ref_name: String,
    #[serde(default)]
    mergeable: String,
    #[serde(default)]
    merge_state_status: String,
    #[serde(default)]
    review_decision: Option<String>,
    #[serde(default)]
    latest_reviews: Option<Vec<LatestReviewJson>>,
    #[serde(default)]
    status_check_rollup: Option<Vec<CheckJson>>,
    #[serde(default)]
    merge_commit: Option<CommitJson>,
}

/// The latest review of one user.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LatestReviewJson {
    state: String,
    #[serde(default)]
    author_association: String,
}

/// A check run, or a status that another program set on the commit.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CheckJson {
    name: String,
    context: String,
    status: String,
    conclusion: String,
    state: String,
    details_url: String,
    target_url: String,
}

#[derive(Debug, Deserialize)]
struct CommitJson {
    oid: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedJson {
    number: u64,
    is_cross_repository: bool,
}

#[derive(Debug, Deserialize)]
struct ReviewJson {
    id: u64,
    state: String,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    user: Option<UserJson>,
}

#[derive(Debug, Deserialize)]
struct UserJson {
    login: String,
}

/// A comment of a review on a line.
#[derive(Debug, Deserialize)]
struct LineCommentJson {
    pull_request_review_id: Option<u64>,
    path: String,
    #[serde(default)]
    line: Option<u64>,
    body: String,
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

pub(super) fn find_open(forge: &Forge, branch: &str) -> Result<Option<u64>, ForgeError> {
    let mut args = words([
        "pr",
        "list",
        "--state=open",
        "--json=number,isCrossRepository",
    ]);
    args.push(format!("--head={branch}"));
    let listed: Vec<ListedJson> = forge.query(args, &[])?;
    // The branch of a fork may have the same name.
    Ok(listed
        .iter()
        .find(|listed| !listed.is_cross_repository)
        .map(|listed| listed.number))
}

pub(super) fn view(forge: &Forge, number: u64) -> Result<ForgePullRequest, ForgeError> {
    let mut args = words(["pr", "view"]);
    args.extend([number.to_string(), format!("--json={REQUEST_FIELDS}")]);
    let found: PullRequestJson = forge.query(args, &[])?;
    let requests = if found.decision() == "CHANGES_REQUESTED" && found.state == "OPEN" {
        read_change_requests(forge, number)?
    } else {
        Vec::new()
    };
    Ok(found.into_pull_request(requests))
}

impl PullRequestJson {
    fn into_pull_request(self, requests: Vec<ChangeRequest>) -> ForgePullRequest {
        let stage = match self.state.as_str() {
            "MERGED" => ForgeStage::Merged {
                // A push of the head to the target merges it, too.
                commits: self
                    .merge_commit
                    .map(|commit| commit.oid)
                    .into_iter()
                    .chain([self.head_ref_oid.clone()])
                    .collect(),
            },
            "CLOSED" => ForgeStage::Closed,
            _ => ForgeStage::Open(OpenPullRequest {
                is_draft: self.is_draft,
                has_checks: self.checks().next().is_some(),
                checks_running: self.checks().any(CheckJson::is_running),
                failed_checks: self
                    .checks()
                    .filter(|check| check.is_failed())
                    .map(CheckJson::describe)
                    .collect(),
                review: match self.decision() {
                    "APPROVED" => ForgeReview::Approved,
                    "REVIEW_REQUIRED" => ForgeReview::Required,
                    "CHANGES_REQUESTED" => ForgeReview::ChangesRequested(requests),
                    _ => ForgeReview::None,
                },
                conflicts: self.mergeable == "CONFLICTING",
                is_behind: self.merge_state_status == "BEHIND",
            }),
        };
        ForgePullRequest {
            number: self.number,
            url: self.url,
            branch: (!self.is_cross_repository).then_some(self.head_ref_name),
            head: self.head_ref_oid,
            target: self.base_ref_name,
            stage,
        }
    }

    /// Returns the forge's decision about the reviews. Without a required review it has none, and
    /// the latest review of each user decides.
    fn decision(&self) -> &str {
        let has_review = |state: &str| {
            self.latest_reviews.iter().flatten().any(|review| {
                review.state == state && OWN_REVIEWERS.contains(&&*review.author_association)
            })
        };
        match self.review_decision.as_deref() {
            Some(decision) if !decision.is_empty() => decision,
            _ if has_review("CHANGES_REQUESTED") => "CHANGES_REQUESTED",
            _ if has_review("APPROVED") => "APPROVED",
            _ => "",
        }
    }

    fn checks(&self) -> impl Iterator<Item = &CheckJson> {
        self.status_check_rollup.iter().flatten()
    }
}

impl CheckJson {
    fn is_running(&self) -> bool {
        match self.state.as_str() {
            "" => self.status != "COMPLETED",
            state => state == "PENDING" || state == "EXPECTED",
        }
    }

    fn is_failed(&self) -> bool {
        let result = if self.state.is_empty() {
            &self.conclusion
        } else {
            &self.state
        };
        let passed = ["SUCCESS", "NEUTRAL", "SKIPPED"].contains(&result.as_str());
        !self.is_running() && !passed
    }

    fn describe(&self) -> String {
        format!(
            "{}{} {}{}",
            self.name, self.context, self.details_url, self.target_url
        )
    }
}

/// Reads the reviews that request changes, each with its comments on lines.
fn read_change_requests(forge: &Forge, number: u64) -> Result<Vec<ChangeRequest>, ForgeError> {
    let [reviews, comments] = ["reviews", "comments"]
        .map(|list| format!("repos/{{owner}}/{{repo}}/pulls/{number}/{list}?per_page=100"));
    let reviews: Vec<ReviewJson> = forge.query(["api".to_owned(), reviews], &[])?;
    let comments: Vec<LineCommentJson> = forge.query(["api".to_owned(), comments], &[])?;
    Ok(reviews
        .into_iter()
        .filter(|review| review.state == "CHANGES_REQUESTED")
        .map(|review| {
            let mut text = review.body.unwrap_or_default();
            for comment in &comments {
                if comment.pull_request_review_id == Some(review.id) {
                    let line = comment
                        .line
                        .map_or_else(String::new, |line| format!(":{line}"));
                    text.push_str(&format!("\n\n{}{line}: {}", comment.path, comment.body));
                }
            }
            ChangeRequest {
                id: review.id.to_string(),
                author: review.user.map(|user| user.login).unwrap_or_default(),
                text: text.trim().to_owned(),
            }
        })
        .collect())
}

pub(super) fn open(forge: &Forge, new: &NewPullRequest) -> Result<(u64, String), ForgeError> {
    let mut args = words(["pr", "create", "--body-file=-"]);
    args.extend([
        format!("--head={}", new.branch),
        format!("--base={}", new.target),
        format!("--title={}", new.title),
    ]);
    let output = forge.run(args, new.text.as_bytes())?;
    // The last line is the address, which ends in the number.
    let url = output.lines().last().unwrap_or("").trim().to_owned();
    let number = url.rsplit('/').next().and_then(|word| word.parse().ok());
    let number = number.ok_or_else(|| ForgeError::BadAnswer {
        program: forge.program.clone(),
        message: format!("`{url}` is no address of a pull request"),
    })?;
    Ok((number, url))
}

pub(super) fn merge(
    forge: &Forge,
    number: u64,
    head: &str,
    strategy: MergeStrategy,
) -> Result<(), ForgeError> {
    let strategy = match strategy {
        MergeStrategy::Rebase => "--rebase",
        MergeStrategy::Squash => "--squash",
        MergeStrategy::Merge => "--merge",
    };
    let mut args = words(["pr", "merge", strategy]);
    args.extend([number.to_string(), format!("--match-head-commit={head}")]);
    forge.run(args, &[]).map(drop)
}

pub(super) fn close(forge: &Forge, number: u64, reason: &str) -> Result<(), ForgeError> {
    let mut args = words(["pr", "close"]);
    args.extend([number.to_string(), format!("--comment={reason}")]);
    forge.run(args, &[]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(more: &str) -> ForgeStage {
        let text = format!(
            r#"{{"number":7,"url":"https://github.com/a/b/pull/7","isDraft":false,
                "headRefOid":"abc","headRefName":"gt/web-1","baseRefName":"main",{more}}}"#
        );
        let json: PullRequestJson = serde_json::from_str(&text).unwrap();
        json.into_pull_request(Vec::new()).stage
    }

    fn opened(more: &str) -> OpenPullRequest {
        match stage(&format!(r#""state":"OPEN",{more}"#)) {
            ForgeStage::Open(open) => open,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_answers_of_gh_are_read() {
        let merged = stage(r#""state":"MERGED","mergeCommit":{"oid":"def"}"#);
        let commits = vec!["def".to_owned(), "abc".to_owned()];
        assert_eq!(merged, ForgeStage::Merged { commits });
        assert_eq!(
            stage(r#""state":"CLOSED","mergeCommit":null"#),
            ForgeStage::Closed
        );
        let new = r#""mergeable":"UNKNOWN","reviewDecision":"","statusCheckRollup":null"#;
        assert_eq!(opened(new), OpenPullRequest::default());
        let approved = opened(r#""reviewDecision":"APPROVED","mergeStateStatus":"BEHIND""#);
        assert_eq!(approved.review, ForgeReview::Approved);
        assert!(approved.is_behind);
        assert!(opened(r#""mergeable":"CONFLICTING""#).conflicts);
    }

    #[test]
    fn latest_reviews_of_the_project_decide_if_the_forge_does_not() {
        let review = |decision: &str, latest: &[(&str, &str)]| {
            let latest: Vec<String> = latest
                .iter()
                .map(|(state, by)| format!(r#"{{"state":"{state}","authorAssociation":"{by}"}}"#))
                .collect();
            let latest = latest.join(",");
            opened(&format!(
                r#""reviewDecision":"{decision}","latestReviews":[{latest}]"#
            ))
            .review
        };
        let approved = ("APPROVED", "MEMBER");
        let requested = ("CHANGES_REQUESTED", "OWNER");
        assert_eq!(review("", &[approved]), ForgeReview::Approved);
        assert_eq!(
            review("", &[approved, requested]),
            ForgeReview::ChangesRequested(Vec::new())
        );
        assert_eq!(
            review("REVIEW_REQUIRED", &[approved]),
            ForgeReview::Required
        );
        let strangers = [("APPROVED", "NONE"), ("CHANGES_REQUESTED", "CONTRIBUTOR")];
        assert_eq!(review("", &strangers), ForgeReview::None);
        assert_eq!(review("", &[("COMMENTED", "OWNER")]), ForgeReview::None);
    }

    #[test]
    fn check_runs_and_statuses_run_pass_or_fail() {
        let checks = |list: &str| {
            let open = opened(&format!(r#""statusCheckRollup":[{list}]"#));
            (open.checks_running, open.failed_checks)
        };
        let passed = r#"{"name":"a","status":"COMPLETED","conclusion":"SKIPPED"},{"context":"b","state":"SUCCESS"}"#;
        assert_eq!(checks(passed), (false, vec![]));
        let running = r#"{"name":"a","status":"IN_PROGRESS","conclusion":""},{"context":"b","state":"EXPECTED"}"#;
        assert_eq!(checks(running), (true, vec![]));
        let failed = r#"{"name":"a","status":"COMPLETED","conclusion":"TIMED_OUT","detailsUrl":"u"},
            {"context":"b","state":"ERROR","targetUrl":"v"}"#;
        let names = vec!["a u".to_owned(), "b v".to_owned()];
        assert_eq!(checks(failed), (false, names));
    }
}
