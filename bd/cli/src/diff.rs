use anyhow::Context as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::history;
use super::report::PlainBead;
use crate::context::Context;
use bd::bead::{Bead, lines};
use bd::git::Git;
use bd::query::differ::{self, BeadDifference, FieldDifference};
use kit::cli::report::{CommandResult, build_report};
use kit::failure::UsageError;
use kit::ui::{Page, counted, cut, escape};

/// Show how beads differ from those of a commit
///
/// Compares the beads of a commit with the current beads, or with those of a second commit. As JSON
/// an array of `{issue_id, diff_type, old_value, new_value, fields}` with `diff_type` added,
/// modified or removed. A bead in the place of the commit shows the history of the bead.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The older commit or branch
    #[arg(value_name = "COMMIT", default_value = "HEAD")]
    before: String,
    /// The newer commit or branch (default: the current beads)
    #[arg(value_name = "COMMIT")]
    after: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = ctx.store()?;
    // A bead in the place of a commit: its own changes are its history.
    if args.after.is_none() && store.snapshot()?.bead_ref(&args.before).is_some() {
        return history::run(ctx, history::Args::of_bead(args.before));
    }
    let git = Git::at(store.dir());
    let old = beads_at(&git, &args.before)?;
    let new = match &args.after {
        Some(rev) => beads_at(&git, rev)?,
        None => {
            let snapshot = store.snapshot()?;
            let durable = snapshot.select(|bead| !bead.is_ephemeral());
            durable.cloned().collect()
        }
    };
    let found = differ::find_differences(old.into_iter(), new.into_iter());
    build_report(DiffReport(found), |report, page| {
        write_differences(&report.0, page);
    })
}

fn beads_at(git: &Git, rev: &str) -> anyhow::Result<Vec<Bead>> {
    let commit = git
        .resolve(rev)?
        .ok_or_else(|| UsageError(format!("no commit or branch \"{rev}\"")))?;
    let Some(text) = git.file_at(&commit, "./issues.jsonl")? else {
        return Ok(Vec::new());
    };
    let read = lines::parse_lines(text);
    if let Some(damage) = read.damaged.first() {
        let line = damage.line;
        let reason = &damage.reason;
        return Err(anyhow::anyhow!("line {line}: {reason}"))
            .with_context(|| format!("cannot read issues.jsonl of {rev}"));
    }
    Ok(read.beads.into_iter().map(|(_, _, bead)| *bead).collect())
}

/// The maximum width of a value on a line.
const MAX_VALUE_WIDTH: usize = 60;

fn shorten_value(value: &Value) -> String {
    let text = match value {
        Value::Null => return "(empty)".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(all) if all.iter().any(Value::is_object) => counted(all.len(), "entry"),
        other => other.to_string(),
    };
    cut::cut_to_width(&escape::escape_line(&text), MAX_VALUE_WIDTH)
}

/// A bead that differs, for `--json`.
#[derive(Serialize)]
struct DifferenceRecord<'a> {
    issue_id: &'a str,
    diff_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_value: Option<PlainBead<&'a Bead>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_value: Option<PlainBead<&'a Bead>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    fields: &'a [FieldDifference],
}

struct DiffReport(Vec<BeadDifference>);

impl Serialize for DiffReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|difference| DifferenceRecord {
            issue_id: &difference.bead().id,
            diff_type: difference.kind(),
            old_value: difference.old.as_ref().map(PlainBead),
            new_value: difference.new.as_ref().map(PlainBead),
            fields: &difference.fields,
        }))
    }
}

fn write_differences(differences: &[BeadDifference], page: &mut Page) {
    if differences.is_empty() {
        page.line("No differences");
    }
    for difference in differences {
        let style = page.style().clone();
        let mark = match difference.kind() {
            "added" => style.green("+"),
            "removed" => style.red("-"),
            _ => style.yellow("~"),
        };
        let bead = difference.bead();
        let id = style.cyan(&escape::escape_line(&bead.id));
        super::line::write_fitted(page, &format!("{mark} {id} "), &bead.title, "");
        for field in &difference.fields {
            if field.name == "updated_at" {
                continue;
            }
            let name = escape::escape_line(&field.name);
            page.cut_line(format!(
                "    {name}: {} → {}",
                shorten_value(&field.old),
                shorten_value(&field.new)
            ));
        }
    }
}
