//! Creates many beads from one file in one transaction: beads written as Markdown, or a plan as
//! JSON.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use serde::Deserialize;

use super::{Args, request, target_store};
use crate::args;
use crate::context::Context;
use crate::report::PlainBead;
use bd::bead::{Bead, DepKind, Kind, RawJson, record};
use bd::change::{self, BeadPlan, NewBead, PlanBead, PlanEdge, PlanEndpoint};
use kit::cli::report::{CommandResult, build_report, build_report_with_exit};
use kit::failure::UsageError;
use kit::sys::file;
use kit::ui::{Page, counted, escape};

/// Creates the beads of a Markdown file. Reports each bead that cannot be created, and creates
/// the others.
pub(super) fn create_from_markdown(ctx: &Context, args: &Args, path: &str) -> CommandResult {
    ctx.check_writable("create")?;
    let is_markdown = [".md", ".markdown"].iter().any(|end| path.ends_with(end));
    if !is_markdown || path.split('/').any(|part| part == "..") {
        kit::bail_usage!("{path} is no Markdown file (.md or .markdown, without `..`)");
    }
    let drafts = parse_drafts(&read_batch_file(ctx, path)?)?;
    let (store, _) = target_store::choose_store(ctx, args)?;
    let result = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let mut made = Vec::new();
        let mut problems = Vec::new();
        for (title, sections) in drafts {
            let attempt = tx.attempt(|tx| -> anyhow::Result<Bead> {
                let draft = build_draft(title.clone(), &sections)?;
                super::check_kind(tx.vocabulary(), &draft.new.issue_type)?;
                let bead = change::create_bead(tx, draft.new)?;
                for (kind, target) in draft.edges {
                    change::add_dep(tx, &bead.id, &target, kind)?;
                }
                Ok(tx.get(&bead.id).cloned().unwrap_or(bead))
            });
            match attempt {
                Ok(bead) => made.push(bead),
                Err(error) => problems.push(error.context(format!("creating \"{title}\""))),
            }
        }
        Ok((made, problems))
    });
    let (beads, problems) = result?;
    for problem in &problems {
        ctx.ui.problem(&format!(
            "Error: {}",
            bd::error::describe_failure(problem).message
        ));
    }
    let exit = u8::from(beads.is_empty() && !problems.is_empty());
    let beads: Vec<PlainBead> = beads.into_iter().map(PlainBead).collect();
    build_report_with_exit(exit, beads, |beads, page| write_created_beads(beads, page))
}

fn read_batch_file(ctx: &Context, path: &str) -> anyhow::Result<String> {
    let absolute = ctx.env.make_absolute(path);
    let bytes = file::read_file_if_exists(&absolute)
        .map_err(|error| UsageError(format!("cannot read {path}: {error}")))?
        .ok_or_else(|| UsageError(format!("there is no file {path}")))?;
    String::from_utf8(bytes).map_err(|_| UsageError(format!("{path} is not UTF-8")).into())
}

#[derive(Debug, Default)]
struct IssueDraft {
    new: NewBead,
    edges: Vec<(DepKind, String)>,
}

/// The headings that assign the text below them to a field of the bead.
const FIELD_HEADINGS: [&str; 8] = [
    "priority",
    "type",
    "description",
    "design",
    "acceptance criteria",
    "assignee",
    "labels",
    "dependencies",
];

/// The text below each of [`FIELD_HEADINGS`], and the text below none of them.
type DraftSections = BTreeMap<String, String>;

/// Returns the fence of the code block in which a line leaves a Markdown text. A block ends with at
/// least as many of the characters that began it, and nothing else on the line.
fn step_over_fence<'a>(open: Option<&'a str>, line: &'a str) -> Option<&'a str> {
    let text = line.trim();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'));
    let Some(mark) = mark else { return open };
    let rest = text.trim_start_matches(mark);
    let fence = &text[..text.len() - rest.len()];
    match open {
        Some(begun) if begun.starts_with(mark) && fence.len() >= begun.len() && rest.is_empty() => {
            None
        }
        None if fence.len() >= 3 && !(mark == '`' && rest.contains('`')) => Some(fence),
        _ => open,
    }
}

/// Parses the beads of a Markdown file, each with its title. `## Title` begins a bead. The text
/// up to the first of [`FIELD_HEADINGS`] is the description, and any other heading with its text
/// belongs to the description. Code blocks contain no headings.
fn parse_drafts(text: &str) -> Result<Vec<(String, DraftSections)>, UsageError> {
    let mut found: Vec<(String, DraftSections)> = Vec::new();
    let mut section = String::new();
    let mut fence: Option<&str> = None;
    for line in text.trim_start_matches('\u{feff}').lines() {
        fence = step_over_fence(fence, line);
        let is_code = fence.is_some();
        if let Some(title) = line.strip_prefix("## ").filter(|_| !is_code) {
            let title = title.trim();
            found.push((title.to_owned(), DraftSections::new()));
            section = "intro".to_owned();
        } else if let Some((_, sections)) = found.last_mut() {
            let name = line
                .strip_prefix("### ")
                .filter(|_| !is_code)
                .map(|name| name.trim().to_lowercase());
            if let Some(known) = name
                .iter()
                .find(|name| FIELD_HEADINGS.contains(&name.as_str()))
            {
                section.clone_from(known);
                continue;
            }
            if name.is_some() {
                let is_told = sections.contains_key("description");
                section = if is_told { "description" } else { "intro" }.to_owned();
            }
            let part = sections.entry(section.clone()).or_default();
            part.push_str(line);
            part.push('\n');
        }
    }
    if found.is_empty() {
        kit::bail_usage!("no issues found in markdown file (expected ## Issue Title format)");
    }
    Ok(found)
}

fn build_draft(title: String, sections: &DraftSections) -> Result<IssueDraft, UsageError> {
    let [
        intro,
        description,
        design,
        criteria,
        assignee,
        priority,
        kind,
    ] = [
        "intro",
        "description",
        "design",
        "acceptance criteria",
        "assignee",
        "priority",
        "type",
    ]
    .map(|name| sections.get(name).map_or("", |text| text.trim()));
    Ok(IssueDraft {
        new: NewBead {
            title,
            description: match description {
                "" => intro.to_owned(),
                description => description.to_owned(),
            },
            design: design.to_owned(),
            acceptance_criteria: criteria.to_owned(),
            assignee: assignee.to_owned(),
            labels: split_items(sections, "labels"),
            priority: match priority {
                "" => 2,
                priority => args::parse_priority_arg(priority)?,
            },
            issue_type: match kind {
                "" => Kind::Task,
                kind => Kind::from_user_text(kind),
            },
            ..NewBead::default()
        },
        edges: split_items(sections, "dependencies")
            .into_iter()
            .map(request::parse_edge)
            .collect(),
    })
}

/// Splits a section at commas and lines.
fn split_items(sections: &DraftSections, name: &str) -> Vec<String> {
    sections
        .get(name)
        .iter()
        .flat_map(|text| text.split([',', '\n']))
        .map(|item| {
            let item = item.trim();
            item.strip_prefix("- ").unwrap_or(item).trim().to_owned()
        })
        .filter(|item| !item.is_empty())
        .collect()
}

/// A plan of beads and edges. An unknown key is an error, because it may hold the order of work.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FilePlan {
    #[serde(default)]
    nodes: Vec<FileNode>,
    #[serde(default)]
    edges: Vec<FileEdge>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileNode {
    /// The name that the plan's edges use for this bead.
    key: String,
    title: String,
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    description: String,
    #[serde(default)]
    assignee: String,
    #[serde(default)]
    priority: Option<i64>,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    metadata: Option<RawJson>,
    #[serde(default)]
    parent_key: Option<String>,
    #[serde(default)]
    parent_id: Option<String>,
    /// The keys of nodes, or ids of beads, that this bead waits for.
    #[serde(default, alias = "needs")]
    depends_on: Vec<String>,
    /// The keys of nodes, or ids of beads, that wait for this bead.
    #[serde(default)]
    blocks: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEdge {
    #[serde(default)]
    from_key: Option<String>,
    #[serde(default)]
    from_id: Option<String>,
    #[serde(default)]
    to_key: Option<String>,
    #[serde(default)]
    to_id: Option<String>,
    #[serde(rename = "type", default)]
    kind: Option<String>,
}

impl FilePlan {
    /// Converts the file to a plan for the store.
    fn into_plan(
        self,
        path: &str,
        check_kind: impl Fn(&Kind) -> Result<(), UsageError>,
    ) -> Result<BeadPlan, UsageError> {
        let mut plan = BeadPlan::default();
        let keys: BTreeSet<String> = self.nodes.iter().map(|node| node.key.clone()).collect();
        let find_endpoint = |name: String| {
            if keys.contains(&name) {
                PlanEndpoint::Key(name)
            } else {
                PlanEndpoint::Id(name)
            }
        };
        for node in self.nodes {
            let own = PlanEndpoint::Key(node.key.clone());
            for before in node.depends_on {
                let kind = DepKind::Blocks;
                plan.edges
                    .push(build_edge(own.clone(), find_endpoint(before), kind));
            }
            for after in node.blocks {
                let kind = DepKind::Blocks;
                plan.edges
                    .push(build_edge(find_endpoint(after), own.clone(), kind));
            }
            let kind = Kind::from_user_text(node.kind.as_deref().unwrap_or("task"));
            check_kind(&kind)?;
            plan.beads.push(PlanBead {
                key: node.key,
                parent: choose_endpoint(node.parent_key, node.parent_id),
                new: NewBead {
                    title: node.title,
                    description: node.description,
                    assignee: node.assignee,
                    priority: node.priority.unwrap_or(2),
                    labels: node.labels,
                    metadata: node
                        .metadata
                        .and_then(|raw| record::compact_json(raw.get()).ok()),
                    issue_type: kind,
                    ..NewBead::default()
                },
            });
        }
        for edge in self.edges {
            let from = choose_endpoint(edge.from_key, edge.from_id);
            let to = choose_endpoint(edge.to_key, edge.to_id);
            let (Some(from), Some(to)) = (from, to) else {
                kit::bail_usage!("{path}: an edge has an end without key and id");
            };
            let kind = DepKind::from(edge.kind.as_deref().unwrap_or("blocks"));
            plan.edges.push(build_edge(from, to, kind));
        }
        Ok(plan)
    }
}

fn choose_endpoint(key: Option<String>, id: Option<String>) -> Option<PlanEndpoint> {
    key.map(PlanEndpoint::Key).or(id.map(PlanEndpoint::Id))
}

fn build_edge(from: PlanEndpoint, to: PlanEndpoint, kind: DepKind) -> PlanEdge {
    PlanEdge {
        from,
        to,
        kind,
        metadata: String::new(),
    }
}

/// Creates the beads and edges of a plan, all or nothing.
pub(super) fn create_from_plan(ctx: &Context, args: &Args, path: &str) -> CommandResult {
    ctx.check_writable("create")?;
    let plan: FilePlan = serde_json::from_str(&read_batch_file(ctx, path)?)
        .map_err(|error| UsageError(format!("{path} is no plan of nodes and edges: {error}")))?;
    let (store, _) = target_store::choose_store(ctx, args)?;
    let made = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let plan = plan.into_plan(path, |kind| super::check_kind(tx.vocabulary(), kind))?;
        Ok(change::create_all(tx, plan)?)
    });
    let ids = made.with_context(|| path.to_owned())?;
    build_report(kit::report_value! { ids }, |report, page| {
        let mark = page.style().green("✓");
        let count = counted(report.ids.len(), "issue");
        page.line(format!("{mark} Created {count}:"));
        for (key, id) in &report.ids {
            page.line(format!("  {} → {id}", escape::escape_line(key)));
        }
    })
}

fn write_created_beads(beads: &[PlainBead], page: &mut Page) {
    let mark = page.style().green("✓");
    if beads.is_empty() {
        return;
    }
    let count = counted(beads.len(), "issue");
    page.line(format!("{mark} Created {count}:"));
    for bead in beads {
        page.cut_line(format!(
            "  {}: {} [P{}, {}]",
            bead.id,
            escape::escape_line(&bead.title),
            bead.priority,
            bead.issue_type
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_heading_of_a_markdown_file_becomes_a_bead() {
        let text = "intro\n## One\nFirst line\nsecond\n### Priority\n1\n### Labels\na, b\n### Dependencies\n- blocks:x-1\n## Two\n### Type\nbug\n";
        let found: Vec<IssueDraft> = parse_drafts(text)
            .unwrap()
            .into_iter()
            .map(|(title, sections)| build_draft(title, &sections).unwrap())
            .collect();
        let one = &found[0];
        assert_eq!(one.new.description, "First line\nsecond");
        assert_eq!(
            (one.new.priority, &one.new.labels[..]),
            (1, &["a".to_owned(), "b".to_owned()][..])
        );
        assert_eq!(one.edges, [(DepKind::Blocks, "x-1".to_owned())]);
        assert_eq!(found[1].new.issue_type, Kind::Bug);
        assert!(parse_drafts("# no\n").is_err());
    }

    #[test]
    fn a_heading_in_a_code_block_is_no_bead() {
        for block in [
            "```\n## no\n```",
            "~~~md\n## no\n~~~",
            "~~~\n```\n## no\n~~~~",
            "````\n```\n## no\n````",
            "  ```sh\n## no\n  ```",
        ] {
            let text = format!("\u{feff}## One\n{block}\n## Two\n`` `a` ``\n```a``` b\n## Three\n");
            let drafts = parse_drafts(&text).unwrap();
            let titles: Vec<&str> = drafts.iter().map(|(title, _)| title.as_str()).collect();
            assert_eq!(titles, ["One", "Two", "Three"], "{block}");
        }
    }
}
