use serde_json::{Value, json};

use crate::bead::{Bead, DepKind, record};
use crate::context::Context;
use crate::error::Usage;
use crate::store::Snapshot;
use crate::ui::{Page, Report, escape, time};

use super::report::{Answer, linked_json, plain_json};
use super::{each, line};

/// Show all about beads.
///
/// As JSON an array of objects: the bead, `labels`, `comments`, `parent`, and under `dependencies` and
/// `dependents` whole beads each with its `dependency_type`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The beads
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// A bead whose id looks like a flag
    #[arg(long = "id", value_name = "ID", allow_hyphen_values = true)]
    more: Vec<String>,
    /// One line each
    #[arg(long)]
    short: bool,
    /// Only the children
    #[arg(long)]
    children: bool,
    /// Only what points at it
    #[arg(long)]
    refs: bool,
    #[arg(long, hide = true)]
    local_time: bool,
    #[arg(long, hide = true)]
    long: bool,
    #[arg(long, hide = true)]
    include_dependents: bool,
    #[arg(long, hide = true)]
    include_comments: bool,
}

pub(super) fn run(ctx: &Context, args: &Args) -> Answer {
    let ids: Vec<&String> = args.ids.iter().chain(&args.more).collect();
    if ids.is_empty() {
        return Err(Usage(
            "at least one issue ID is required (use positional args or --id flag)".into(),
        )
        .into());
    }
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for id in ids {
        match load(ctx, id) {
            Ok(shown) => found.push(shown),
            Err(error) => problems.push(error.context(format!("Error fetching {id}"))),
        }
    }
    let beads = each::finish(ctx, found, problems)?;
    if let Some(last) = beads.last() {
        ctx.touch(&last.bead.id);
    }
    let form = match args {
        Args { short: true, .. } => Form::Short,
        Args { children: true, .. } => Form::Children,
        Args { refs: true, .. } => Form::Refs,
        _ => Form::Full,
    };
    Ok(Box::new(Show { beads, form }))
}

fn load(ctx: &Context, id: &str) -> anyhow::Result<Shown> {
    let snapshot = ctx.store_of(id)?.snapshot()?;
    for damage in snapshot.damaged() {
        ctx.ui.warn(&format!(
            "{}, line {}: {}",
            damage.file.display(),
            damage.line,
            damage.reason
        ));
    }
    let bead = snapshot.resolve(id)?.clone();
    Ok(Shown::of(&snapshot, bead))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Full,
    Short,
    Children,
    Refs,
}

/// Beads with what they are linked to.
#[derive(Debug)]
struct Show {
    beads: Vec<Shown>,
    form: Form,
}

#[derive(Debug)]
struct Shown {
    bead: Bead,
    dependencies: Vec<(Bead, DepKind)>,
    dependents: Vec<(Bead, DepKind)>,
}

impl Shown {
    fn of(snapshot: &Snapshot, bead: Bead) -> Self {
        let out = bead.dependencies.iter().filter_map(|edge| {
            let target = snapshot.get_live(&edge.depends_on_id)?;
            Some((target.clone(), edge.kind.clone()))
        });
        let back = snapshot.dependents_of(&bead.id).into_iter();
        Self {
            dependencies: out.collect(),
            dependents: back
                .map(|(holder, edge)| (holder.clone(), edge.kind.clone()))
                .collect(),
            bead,
        }
    }

    fn children(&self) -> impl Iterator<Item = &Bead> {
        let kind = DepKind::ParentChild;
        self.dependents
            .iter()
            .filter(move |(_, own)| *own == kind)
            .map(|(bead, _)| bead)
    }

    fn json(&self) -> Value {
        let linked = |list: &[(Bead, DepKind)]| -> Value {
            list.iter()
                .map(|(bead, kind)| linked_json(bead, kind.as_str()))
                .collect()
        };
        let mut value = record::value(&self.bead);
        if let Value::Object(object) = &mut value {
            object.shift_remove("dependencies");
            if !self.dependencies.is_empty() {
                object.insert("dependencies".into(), linked(&self.dependencies));
            }
            if !self.dependents.is_empty() {
                object.insert("dependents".into(), linked(&self.dependents));
            }
            if let Some(parent) = self.bead.parent() {
                object.insert("parent".into(), json!(parent));
            }
        }
        value
    }
}

impl Report for Show {
    fn json(&self) -> Value {
        let keyed = |list: fn(&Shown) -> Value| -> Value {
            let pairs = self
                .beads
                .iter()
                .map(|shown| (shown.bead.id.clone(), list(shown)));
            Value::Object(pairs.collect())
        };
        match self.form {
            Form::Children => keyed(|shown| shown.children().map(plain_json).collect()),
            Form::Refs => keyed(|shown| {
                let list = shown.dependents.iter();
                list.map(|(bead, kind)| linked_json(bead, kind.as_str()))
                    .collect()
            }),
            Form::Full | Form::Short => self.beads.iter().map(Shown::json).collect(),
        }
    }

    fn human(&self, page: &mut Page) {
        for (number, shown) in self.beads.iter().enumerate() {
            match self.form {
                Form::Short => line::listed(page, &shown.bead, ""),
                Form::Children => linked(page, "CHILDREN", shown.children()),
                Form::Refs => linked(
                    page,
                    "REFERENCES",
                    shown.dependents.iter().map(|(bead, _)| bead),
                ),
                Form::Full => {
                    if number > 0 {
                        page.blank();
                    }
                    full(page, shown);
                }
            }
        }
    }
}

fn full(page: &mut Page, shown: &Shown) {
    let bead = &shown.bead;
    head(page, bead);
    for (name, text) in [
        ("DESCRIPTION", &bead.description),
        ("DESIGN", &bead.design),
        ("ACCEPTANCE CRITERIA", &bead.acceptance_criteria),
        ("NOTES", &bead.notes),
    ] {
        if !text.is_empty() {
            page.blank();
            page.line(page.style().bold(name));
            page.line(escape::block(text).trim_end());
        }
    }
    if !bead.labels.is_empty() {
        page.blank();
        page.line(format!("LABELS: {}", escape::line(&bead.labels.join(", "))));
    }
    links(page, shown);
    if !bead.comments.is_empty() {
        page.blank();
        page.line(page.style().bold("COMMENTS"));
        for comment in &bead.comments {
            let when = time::local(comment.created_at.instant());
            page.line(format!("  {when} {}", escape::line(&comment.author)));
            for line in escape::block(&comment.text).lines() {
                page.line(format!("    {line}"));
            }
        }
    }
}

fn head(page: &mut Page, bead: &Bead) {
    let style = page.style().clone();
    let kind = bead.issue_type.as_str().to_uppercase();
    let start = format!(
        "{} {} [{kind}] · ",
        line::painted_symbol(&style, &bead.status),
        style.cyan(&bead.id)
    );
    let priority = line::priority(&style, bead.priority);
    let status = bead.status.as_str().to_uppercase();
    page.line(format!(
        "{start}{}   [{priority} · {status}]",
        style.bold(&escape::line(&bead.title))
    ));
    let mut facts = vec![format!("Owner: {}", escape::line(&bead.created_by))];
    if !bead.assignee.is_empty() {
        facts.push(format!("Assignee: {}", escape::line(&bead.assignee)));
    }
    facts.push(format!("Type: {}", bead.issue_type));
    page.line(facts.join(" · "));
    let mut times = vec![
        format!("Created: {}", bead.created_at.day()),
        format!("Updated: {}", bead.updated_at.day()),
    ];
    let more = [
        ("Due", &bead.due_at),
        ("Deferred until", &bead.defer_until),
        ("Closed", &bead.closed_at),
    ];
    for (name, stamp) in more {
        times.extend(
            stamp
                .as_ref()
                .map(|stamp| format!("{name}: {}", stamp.day())),
        );
    }
    page.line(times.join(" · "));
    let more = [
        ("Close reason", bead.close_reason.as_str()),
        ("External", bead.external_ref.as_deref().unwrap_or_default()),
        ("Hook", &bead.hook_bead),
        ("State", &bead.agent_state),
    ];
    for (name, text) in more {
        if !text.is_empty() {
            page.line(format!("{name}: {}", escape::line(text)));
        }
    }
}

fn links(page: &mut Page, shown: &Shown) {
    let group = |list: &[(Bead, DepKind)], wanted: &dyn Fn(&DepKind) -> bool| -> Vec<Bead> {
        let found = list.iter().filter(|(_, kind)| wanted(kind));
        found.map(|(bead, _)| bead.clone()).collect()
    };
    let is_related = |kind: &DepKind| matches!(kind, DepKind::Related | DepKind::RelatesTo);
    let is_parent = |kind: &DepKind| *kind == DepKind::ParentChild;
    let is_found = |kind: &DepKind| *kind == DepKind::DiscoveredFrom;
    let is_other = |kind: &DepKind| !is_related(kind) && !is_parent(kind) && !is_found(kind);
    let mut related = group(&shown.dependencies, &is_related);
    for bead in group(&shown.dependents, &is_related) {
        if !related.iter().any(|own| own.id == bead.id) {
            related.push(bead);
        }
    }
    for (name, beads) in [
        ("PARENT", group(&shown.dependencies, &is_parent)),
        ("DEPENDS ON", group(&shown.dependencies, &is_other)),
        ("DISCOVERED FROM", group(&shown.dependencies, &is_found)),
        ("CHILDREN", group(&shown.dependents, &is_parent)),
        ("BLOCKS", group(&shown.dependents, &is_other)),
        ("DISCOVERED", group(&shown.dependents, &is_found)),
        ("RELATED", related),
    ] {
        if !beads.is_empty() {
            page.blank();
            linked(page, name, beads.iter());
        }
    }
}

fn linked<'a>(page: &mut Page, name: &str, beads: impl Iterator<Item = &'a Bead>) {
    page.line(page.style().bold(name));
    for bead in beads {
        let style = page.style().clone();
        let symbol = line::painted_symbol(&style, &bead.status);
        let head = format!("  → {symbol} {}: ", style.cyan(&bead.id));
        let tail = format!(" {}", line::priority(&style, bead.priority));
        line::fitted(page, &head, &bead.title, &tail);
    }
}
