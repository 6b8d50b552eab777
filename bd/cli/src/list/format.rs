//! `--format`: the edges of a list for other programs, or user-defined lines.

use std::collections::HashMap;

use serde_json::{Value, json};

use bd::bead::{Bead, Dep, record};
use bd::query::template::LineTemplate;
use kit::failure::UsageError;
use kit::ui::{Page, escape};

use super::row::DrawnRow;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListFormat {
    Ids,
    /// One line `FROM TO` per edge, for the program digraph.
    Digraph,
    /// A graph for the program dot.
    Dot,
    /// One line per bead, or one per edge if the template uses fields of edges.
    Lines(LineTemplate),
}

/// The first part of the names of an edge's fields.
const OF_EDGE: [&str; 5] = ["issue_id", "depends_on_id", "type", "issue", "dependency"];

impl ListFormat {
    pub(super) fn parse(text: &str) -> Result<Self, UsageError> {
        Ok(match text {
            "id" | "ids" => Self::Ids,
            "digraph" => Self::Digraph,
            "dot" => Self::Dot,
            text if text.contains("{{") => {
                let read = LineTemplate::parse(text);
                Self::Lines(read.map_err(|error| UsageError(format!("invalid --format: {error}")))?)
            }
            other => {
                kit::bail_usage!(
                    "invalid --format \"{other}\": use id, json, digraph, dot, or a template such as '{{{{.ID}}}} {{{{.Title}}}}'"
                );
            }
        })
    }

    pub(super) fn print(&self, page: &mut Page, rows: &[DrawnRow]) {
        match self {
            Self::Ids => rows.iter().for_each(|row| page.line(&row.bead.id)),
            Self::Digraph => {
                for ListEdge { from, edge, .. } in list_edges(rows) {
                    page.line(escape::escape_line(&format!(
                        "{} {}",
                        from.id, edge.depends_on_id
                    )));
                }
            }
            Self::Dot => write_dot(page, rows),
            Self::Lines(template) if template.has_field_prefix(&OF_EDGE) => {
                for edge in list_edges(rows) {
                    page.line(escape::escape_block(&template.fill(&edge_value(&edge))));
                }
            }
            Self::Lines(template) => {
                for row in rows {
                    let line = kit::json::unmark_numbers(template.fill(&json!(row)));
                    page.line(escape::escape_block(&line));
                }
            }
        }
    }
}

/// An edge between two beads of the list.
struct ListEdge<'a> {
    from: &'a Bead,
    edge: &'a Dep,
    to: &'a Bead,
}

/// Returns the edges between beads of the list.
fn list_edges(rows: &[DrawnRow]) -> Vec<ListEdge<'_>> {
    let beads: HashMap<&str, &Bead> = rows
        .iter()
        .map(|row| (row.bead.id.as_str(), &row.bead))
        .collect();
    let mut found = Vec::new();
    for DrawnRow { bead, .. } in rows {
        for edge in &bead.dependencies {
            let to = beads.get(edge.depends_on_id.as_str());
            found.extend(to.map(|to| ListEdge {
                from: bead,
                edge,
                to,
            }));
        }
    }
    found
}

fn edge_value(list_edge: &ListEdge<'_>) -> Value {
    let ListEdge { from, edge, to } = list_edge;
    json!({
        "issue_id": from.id,
        "depends_on_id": edge.depends_on_id,
        "type": edge.kind.as_str(),
        "issue": record::bead_to_json_value(from),
        "dependency": record::bead_to_json_value(to),
    })
}

fn write_dot(page: &mut Page, rows: &[DrawnRow]) {
    page.line("digraph dependencies {");
    page.line("  rankdir=TB;");
    page.line("  node [shape=box, style=rounded];");
    for DrawnRow { bead, .. } in rows {
        let id = escape_dot(&bead.id);
        let title = escape_dot(&bead.title);
        page.line(format!("  \"{id}\" [label=\"{id}\\n{title}\"];"));
    }
    for ListEdge { from, edge, .. } in list_edges(rows) {
        let from = escape_dot(&from.id);
        let to = escape_dot(&edge.depends_on_id);
        let kind = escape_dot(edge.kind.as_str());
        page.line(format!("  \"{from}\" -> \"{to}\" [label=\"{kind}\"];"));
    }
    page.line("}");
}

fn escape_dot(text: &str) -> String {
    escape::escape_line(text)
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
}
