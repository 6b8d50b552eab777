use anyhow::Context as _;
use serde_json::{Value, json};

use crate::context::Context;
use bd::bead::{Bead, lines};
use bd::git::Git;
use bd::query::differ::{self, BeadDifference};
use kit::failure::UsageError;
use kit::ui::{Page, counted, cut, escape};

use super::report::plain_json;
use kit::cli::report::{CommandResult, build_report};

/// Show how beads differ from those of a commit
///
/// Compares the beads in a commit with the beads now, or with those of a second commit. As JSON an
/// array of `{issue_id, diff_type, old_value, new_value, fields}` with `diff_type` added, modified
/// or removed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The commit or branch before
    #[arg(value_name = "COMMIT", default_value = "HEAD")]
    before: String,
    /// The commit or branch after; the beads now if it is left out
    #[arg(value_name = "COMMIT")]
    after: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let store = ctx.store()?;
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
    let value: Value = found.iter().map(difference_to_json).collect();
    build_report(value, move |_, page| write_differences(&found, page))
}

fn beads_at(git: &Git, rev: &str) -> anyhow::Result<Vec<Bead>> {
    let commit = git.resolve(rev)?;
    let commit = commit.ok_or_else(|| UsageError(format!("no commit or branch \"{rev}\"")))?;
    let text = git.file_at(&commit, "./issues.jsonl")?;
    let read = lines::parse_lines(text.unwrap_or_default());
    if let Some(damage) = read.damaged.first() {
        let (line, reason) = (damage.line, &damage.reason);
        return Err(anyhow::anyhow!("line {line}: {reason}"))
            .with_context(|| format!("cannot read issues.jsonl of {rev}"));
    }
    Ok(read.beads.into_iter().map(|(_, _, bead)| *bead).collect())
}

/// The maximum width of a value on a line.
const VALUE: usize = 60;

fn shorten_value(value: &Value) -> String {
    let text = match value {
        Value::Null => return "(empty)".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(all) if all.iter().any(Value::is_object) => counted(all.len(), "entry"),
        other => other.to_string(),
    };
    cut::cut_to_width(&escape::escape_line(&text), VALUE)
}

fn difference_to_json(difference: &BeadDifference) -> Value {
    let mut value = json!({"issue_id": difference.bead().id, "diff_type": difference.kind()});
    for (name, bead) in [
        ("old_value", &difference.old),
        ("new_value", &difference.new),
    ] {
        if let Some(bead) = bead {
            value[name] = plain_json(bead);
        }
    }
    let field =
        |(name, old, new): &(String, Value, Value)| json!({"field": name, "old": old, "new": new});
    if !difference.fields.is_empty() {
        value["fields"] = difference.fields.iter().map(field).collect();
    }
    value
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
        for (name, old, new) in &difference.fields {
            if name == "updated_at" {
                continue;
            }
            let name = escape::escape_line(name);
            page.cut_line(format!(
                "    {name}: {} → {}",
                shorten_value(old),
                shorten_value(new)
            ));
        }
    }
}
