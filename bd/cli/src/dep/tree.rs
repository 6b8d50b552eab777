use std::collections::HashSet;

use anyhow::Context as _;
use serde::Serialize;

use crate::args;
use crate::context::Context;
use crate::line;
use crate::report::PlainBead;
use bd::bead::{Bead, Dep, DepKind, Status};
use bd::store::Snapshot;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, escape, tree};

/// Show the dependencies of a bead as a tree
///
/// A parent or child is marked as such; all beads without a mark block or are blocked. As JSON an array
/// of beads with `depth`, `parent_id` and `truncated`, each bead once at its
/// smallest depth.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// The depth
    #[arg(short = 'd', long, default_value_t = 50, value_name = "N")]
    max_depth: usize,
    /// down: its dependencies; up: its dependents; both
    #[arg(long, default_value = "down", value_parser = ["down", "up", "both"], value_name = "WAY")]
    direction: String,
    /// Show its dependents
    #[arg(long)]
    reverse: bool,
    /// Filter by status; the path to each bead stays
    #[arg(long, value_name = "STATUS", value_parser = args::parse_filter_value)]
    status: Option<String>,
    /// Print a diagram: mermaid
    #[arg(long, value_parser = ["mermaid"], value_name = "FORMAT")]
    format: Option<String>,
    /// Show a bead below each bead that leads to it, not only at its smallest depth
    #[arg(long)]
    show_all_paths: bool,
    #[arg(short = 't', long = "type", hide = true, value_name = "KIND", value_parser = args::parse_filter_value)]
    kind: Option<String>,
}

pub(super) fn run(ctx: &Context, args: &Args) -> CommandResult {
    let snapshot = ctx.store_for_id(&args.id)?.snapshot()?;
    let root = snapshot
        .resolve(&args.id)
        .with_context(|| format!("resolving {}", args.id))?;
    let depth = args.max_depth.max(1);
    let way = if args.reverse {
        "up"
    } else {
        args.direction.as_str()
    };
    let all_paths = args.show_all_paths;
    let mut found = collect_nodes(&snapshot, root, way == "up", depth, all_paths);
    if way == "both" {
        let offset = found.len() - 1;
        let more = collect_nodes(&snapshot, root, true, depth, all_paths);
        found.extend(more.into_iter().skip(1).map(|mut node| {
            // The root appears only once.
            node.below = if node.below == 0 {
                0
            } else {
                node.below + offset
            };
            node
        }));
    }
    if found.len() >= MAX_TREE_NODES {
        ctx.ui.warn(&format!(
            "the tree has more than {MAX_TREE_NODES} places; --max-depth limits it"
        ));
    }
    if let Some(status) = &args.status {
        found = filter_by_status(found, &Status::from(status.as_str()));
    }
    if args.format.is_some() {
        return build_report(found, |nodes, page| write_mermaid(page, nodes));
    }
    build_report(found, |nodes, page| write_tree(page, nodes))
}

/// The maximum number of nodes in a tree.
const MAX_TREE_NODES: usize = 10_000;

/// Keeps the nodes of a status and their ancestors in the tree. The root always stays.
fn filter_by_status(nodes: Vec<TreeNode>, status: &Status) -> Vec<TreeNode> {
    let mut is_kept = vec![false; nodes.len()];
    for at in (0..nodes.len()).rev() {
        if is_kept[at] || nodes[at].bead.status == *status {
            is_kept[at] = true;
            is_kept[nodes[at].below] = true;
        }
    }
    // The remaining nodes move up.
    let mut places = vec![0; nodes.len()];
    let mut kept: Vec<TreeNode> = Vec::new();
    for (at, mut node) in nodes.into_iter().enumerate() {
        if at == 0 || is_kept[at] {
            places[at] = kept.len();
            node.below = places[node.below];
            kept.push(node);
        }
    }
    kept
}

/// Returns all beads reached from the root, level by level: each one once, or once per path with
/// `all_paths`.
fn collect_nodes(
    snapshot: &Snapshot,
    root: &Bead,
    up: bool,
    max_depth: usize,
    all_paths: bool,
) -> Vec<TreeNode> {
    let mut seen = HashSet::from([root.id.clone()]);
    let mut nodes = vec![TreeNode {
        bead: PlainBead(root.clone()),
        depth: 0,
        parent: root.id.clone(),
        below: 0,
        edge: None,
        truncated: false,
    }];
    let mut at = 0;
    while at < nodes.len() && nodes.len() < MAX_TREE_NODES {
        let id = nodes[at].bead.id.clone();
        let depth = nodes[at].depth;
        let mut next = list_neighbours(snapshot, &id, up);
        if all_paths {
            next.retain(|(bead, _)| !is_on_path(&nodes, at, &bead.id));
        } else {
            next.retain(|(bead, _)| !seen.contains(&bead.id));
        }
        if depth >= max_depth {
            nodes[at].truncated = !next.is_empty();
            next.clear();
        }
        next.sort_by(|(a, _), (b, _)| a.priority.cmp(&b.priority).then_with(|| a.id.cmp(&b.id)));
        for (bead, edge) in next {
            if seen.insert(bead.id.clone()) || all_paths {
                nodes.push(TreeNode {
                    bead: PlainBead(bead.clone()),
                    depth: depth + 1,
                    parent: id.clone(),
                    below: at,
                    edge: name_edge(&edge.kind, up),
                    truncated: false,
                });
            }
        }
        at += 1;
    }
    nodes
}

/// Returns true if a bead is on the path from a node to the root.
fn is_on_path(nodes: &[TreeNode], mut at: usize, id: &str) -> bool {
    loop {
        if nodes[at].bead.id == id {
            return true;
        }
        if at == 0 {
            return false;
        }
        at = nodes[at].below;
    }
}

/// Names the relation of a bead to the bead above it, unless one blocks the other.
fn name_edge(kind: &DepKind, up: bool) -> Option<String> {
    match kind {
        DepKind::Blocks => None,
        DepKind::ParentChild if up => Some("child".to_owned()),
        DepKind::ParentChild => Some("parent".to_owned()),
        other => Some(other.as_str().to_owned()),
    }
}

fn list_neighbours<'a>(snapshot: &'a Snapshot, id: &str, up: bool) -> Vec<(&'a Bead, &'a Dep)> {
    if up {
        return snapshot.dependents_of(id);
    }
    let edges = snapshot
        .get_live(id)
        .map_or(&[][..], |bead| &bead.dependencies);
    edges
        .iter()
        .filter_map(|edge| {
            let target = snapshot.get_live(&edge.depends_on_id)?;
            Some((target, edge))
        })
        .collect()
}

#[derive(Serialize)]
struct TreeNode {
    #[serde(flatten)]
    bead: PlainBead,
    depth: usize,
    #[serde(rename = "parent_id")]
    parent: String,
    /// The position of the parent node in the list.
    #[serde(skip)]
    below: usize,
    /// The relation to the bead above, unless one blocks the other.
    #[serde(skip)]
    edge: Option<String>,
    truncated: bool,
}

/// Writes the tree as a mermaid diagram.
fn write_mermaid(page: &mut Page, nodes: &[TreeNode]) {
    page.line("flowchart TD");
    let mut named = HashSet::new();
    for TreeNode { bead, .. } in nodes {
        if !named.insert(bead.id.as_str()) {
            continue;
        }
        let title = escape::escape_line(&bead.title)
            .replace('\\', "\\\\")
            .replace('"', "#quot;");
        page.line(format!("  {0}[\"{0}: {title}\"]", bead.id));
    }
    let mut drawn = HashSet::new();
    for node in nodes.iter().filter(|node| node.depth > 0) {
        if !drawn.insert((&node.parent, &node.bead.id)) {
            continue;
        }
        page.line(format!("  {} --> {}", node.parent, node.bead.id));
    }
}

fn write_tree(page: &mut Page, nodes: &[TreeNode]) {
    let mut children = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate().skip(1) {
        children[node.below].push(at);
    }
    for (branch, at) in tree::walk_tree(&[0], &children) {
        let node = &nodes[at];
        let style = page.style().clone();
        let symbol = line::paint_symbol(&style, &node.bead.status);
        let prefix = format!("{branch}{symbol} {}: ", style.cyan(&node.bead.id));
        let more = if node.truncated { " …" } else { "" };
        let edge = node.edge.as_deref().map_or(String::new(), |edge| {
            style.dim(&format!(" · {}", escape::escape_line(edge)))
        });
        let tail = format!(
            " [P{}] ({}){edge}{more}",
            node.bead.priority, node.bead.status
        );
        line::write_fitted(page, &prefix, &node.bead.title, &tail);
    }
}
