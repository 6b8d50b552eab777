//! `gt mq retry`.

use super::super::{CommandResult, build_report};
use crate::context::Context;
use gt::flow::mq;

/// Retry merge requests that are blocked or keep failing
///
/// With `--json` {request, was?}; of several requests, an array.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The merge requests; the rig before them is not needed
    #[arg(required = true, value_name = "REQUEST")]
    words: Vec<String>,
}

#[derive(serde::Serialize)]
struct RetryRequestReport {
    request: String,
    was: Option<String>,
}

#[derive(serde::Serialize)]
#[serde(untagged)]
enum RetryReport {
    One(RetryRequestReport),
    Several(Vec<RetryRequestReport>),
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    let has_rig = args.words.len() > 1 && town.find_rig(&args.words[0]).is_ok();
    let (rig, requests) = args.words.split_at(usize::from(has_rig));
    // A wrong id is found before the first request is continued.
    let find = |request: &String| {
        super::find_request(&town, &[rig, std::slice::from_ref(request)].concat())
    };
    let found: Vec<_> = requests.iter().map(find).collect::<Result<_, _>>()?;
    let mut retried = Vec::new();
    for (request, rig) in found {
        let was = mq::retry_request(&rig, &request.store, &request.bead.id)?;
        retried.push(RetryRequestReport {
            request: request.bead.id,
            was,
        });
    }
    gt::host::daemon::wake_daemon(&town);
    let report = match retried.len() {
        1 => RetryReport::One(retried.remove(0)),
        _ => RetryReport::Several(retried),
    };
    build_report(report, |report, page| {
        let all = match report {
            RetryReport::One(retried) => std::slice::from_ref(retried),
            RetryReport::Several(all) => all,
        };
        for retried in all {
            match &retried.was {
                Some(_) => page.line(format!("✓ {} is in the queue again", retried.request)),
                None => page.line(format!(
                    "{} is in the queue already: it waits for nobody",
                    retried.request
                )),
            }
        }
    })
}
