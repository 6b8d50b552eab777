use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::line;
use super::report::{Entries, PlainBead};
use crate::context::Context;
use bd::bead::{Bead, Status};
use bd::graph::layers::{self, LayeredBeads};
use bd::graph::picture::{self, PictureBead, PictureState};
use bd::molecule::draw::{self, DrawnStep};
use bd::molecule::step_tree as steps;
use bd::store::Snapshot;
use kit::cli::report::{CommandResult, build_report};
use kit::ui::{Page, counted, escape};

/// Show the dependency graph of beads
///
/// Shows a bead with all beads connected to it by blocking edges or as parents and children, in
/// layers. Beads of layer 0 wait for nothing in the graph; each other bead stands one layer below
/// the last bead it waits for. Beads of a layer can be worked on at the same time. As JSON: `{root,
/// issues, layout}` with `layout` `{Nodes, Layers, MaxLayer, RootID}`; with --all an array.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID", required_unless_present = "all")]
    id: Option<String>,
    /// Show all open beads, in groups of connected beads
    #[arg(long, conflicts_with = "id")]
    all: bool,
    /// Draw a tree, one line per bead
    #[arg(long)]
    compact: bool,
    /// Print the graph as Mermaid
    #[arg(long, conflicts_with = "compact")]
    mermaid: bool,
    /// Print the graph as dot
    #[arg(long, conflicts_with_all = ["compact", "mermaid"])]
    dot: bool,
    /// Draw boxes and arrows in the terminal, if they fit
    #[arg(long = "box", conflicts_with_all = ["compact", "mermaid", "dot"])]
    boxes: bool,
    /// Print a drawing as an SVG file
    #[arg(long, conflicts_with_all = ["compact", "mermaid", "dot", "boxes"])]
    svg: bool,
    /// Print a page with the drawing and its beads as text
    #[arg(long, conflicts_with_all = ["compact", "mermaid", "dot", "boxes", "svg"])]
    html: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let snapshot = match &args.id {
        Some(id) => ctx.store_for_id(id)?.snapshot()?,
        None => ctx.store()?.snapshot()?,
    };
    let (parts, root) = match &args.id {
        Some(id) => {
            let bead = snapshot.resolve(id)?;
            (
                vec![layers::collect_component(&snapshot, &bead.id)],
                Some(bead),
            )
        }
        None => (layers::list_open_components(&snapshot), None),
    };
    let now = ctx.clock.now();
    let parts: Vec<GraphPart> = parts
        .iter()
        .filter_map(|part| GraphPart::from_layered(&snapshot, part, root, now))
        .collect();
    let form = match args {
        Args { compact: true, .. } => GraphForm::Tree,
        Args { mermaid: true, .. } => GraphForm::Mermaid,
        Args { dot: true, .. } => GraphForm::Dot,
        Args { boxes: true, .. } => GraphForm::Boxes,
        Args { svg: true, .. } => GraphForm::Svg,
        Args { html: true, .. } => GraphForm::Html,
        _ => GraphForm::Layers,
    };
    if parts.is_empty() && form.is_for_programs() {
        kit::bail_usage!("no open issues to draw");
    }
    if matches!(form, GraphForm::Svg | GraphForm::Html) && !ctx.ui.is_json() {
        let Some(text) = format_picture(&parts, form) else {
            kit::bail_usage!("the graph is too large to be drawn: --dot and --mermaid write it");
        };
        return build_report((), move |(), page| page.line(text.trim_end()));
    }
    let graph = GraphReport {
        parts,
        is_list: args.all,
    };
    build_report(graph, move |graph, page| {
        write_graph(&graph.parts, form, page);
    })
}

struct GraphReport {
    parts: Vec<GraphPart>,
    /// True if the JSON is an array of the parts.
    is_list: bool,
}

impl Serialize for GraphReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_list {
            self.parts.serialize(serializer)
        } else {
            self.parts.last().serialize(serializer)
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GraphForm {
    Layers,
    Tree,
    Boxes,
    Mermaid,
    Dot,
    Svg,
    Html,
}

impl GraphForm {
    /// Returns true if the whole output is one file for another program.
    fn is_for_programs(self) -> bool {
        matches!(self, Self::Mermaid | Self::Dot | Self::Svg | Self::Html)
    }
}

/// One connected component.
#[derive(Debug)]
struct GraphPart {
    root: Bead,
    beads: Vec<Bead>,
    layer: Vec<usize>,
    steps: Vec<DrawnStep>,
    drawn: Vec<PictureBead>,
}

impl GraphPart {
    /// Returns `None` for a component without beads.
    fn from_layered(
        snapshot: &Snapshot,
        part: &LayeredBeads<'_>,
        root: Option<&Bead>,
        now: Timestamp,
    ) -> Option<Self> {
        Some(Self {
            root: root.or(part.root())?.clone(),
            beads: part.beads.iter().map(|bead| (*bead).clone()).collect(),
            layer: part.layer.clone(),
            steps: draw::steps_of_beads(&part.beads),
            drawn: PictureBead::list_connected(snapshot, part, now),
        })
    }

    /// Draws boxes and arrows, or the layers if the terminal is too narrow.
    fn draw_boxes(&self, page: &mut Page) {
        let style = page.style().clone();
        let width = page.known_width().unwrap_or(usize::MAX);
        let drawing = picture::draw_in_columns(&self.drawn, width, |bead, text| match bead.state {
            PictureState::Working => style.yellow(text),
            PictureState::Blocked => style.red(text),
            PictureState::Done => style.green(text),
            PictureState::Deferred => style.dim(text),
            _ => text.to_owned(),
        });
        match drawing {
            Some(lines) => {
                for line in lines {
                    page.line(line);
                }
                if !picture::find_critical_path(&self.drawn).is_empty() {
                    page.line(style.dim(&format!("  * {}", picture::CRITICAL_LEGEND)));
                }
            }
            None => self.draw_layers(page),
        }
    }

    fn draw_layers(&self, page: &mut Page) {
        let mut last = None;
        for ((bead, layer), step) in self.beads.iter().zip(&self.layer).zip(&self.steps) {
            if last.replace(*layer) != Some(*layer) {
                let ready = if *layer == 0 {
                    " (waits for nothing)"
                } else {
                    ""
                };
                page.line(format!("Layer {layer}{ready}"));
            }
            let style = page.style().clone();
            let needs = step
                .needs
                .iter()
                .map(|need| self.beads[*need].id.as_str())
                .collect::<Vec<_>>()
                .join(", ");
            let after = match needs.as_str() {
                "" => String::new(),
                needs => format!(" (after {})", escape::escape_line(needs)),
            };
            let mark = line::paint_symbol(&style, &bead.status);
            let priority = line::paint_priority(&style, bead.priority);
            let id = style.cyan(&escape::escape_line(&bead.id));
            let prefix = format!("  {mark} {id} [{priority}] ");
            line::write_fitted(page, &prefix, &bead.title, &after);
        }
    }
}

impl Serialize for GraphPart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut nodes = Vec::new();
        let mut layers: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for ((bead, layer), step) in self.beads.iter().zip(&self.layer).zip(&self.steps) {
            let row = layers.entry(*layer).or_default();
            let needs = step.needs.iter().map(|need| &self.beads[*need].id);
            let node = kit::report_value! {
                Issue: PlainBead(bead), Layer: layer, Position: row.len(),
                DependsOn: needs.collect::<Vec<_>>()
            };
            row.push(&bead.id);
            nodes.push((&bead.id, node));
        }
        let layout = kit::report_value! {
            Nodes: Entries(nodes),
            Layers: layers.values().collect::<Vec<_>>(),
            MaxLayer: layers.keys().last().unwrap_or(&0),
            RootID: &self.root.id
        };
        let issues: Vec<_> = self.beads.iter().map(PlainBead).collect();
        kit::report_value! { root: PlainBead(&self.root), issues, layout }.serialize(serializer)
    }
}

fn write_graph(parts: &[GraphPart], form: GraphForm, page: &mut Page) {
    if let GraphForm::Mermaid | GraphForm::Dot = form {
        let all = parts.iter().map(|part| match form {
            GraphForm::Mermaid => draw::format_mermaid(&part.steps),
            _ => draw::format_dot(&part.root.id, &part.steps),
        });
        for text in all {
            page.line(text.trim_end());
        }
        return;
    }
    if parts.is_empty() {
        page.line("No open issues");
    }
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            page.blank();
        }
        let layers = part.layer.last().map_or(0, |last| last + 1);
        let size = counted(part.beads.len(), "bead");
        let tail = format!(" ({size}, {})", counted(layers, "layer"));
        let id = escape::escape_line(&part.root.id);
        let prefix = format!("📊 {}: ", page.style().cyan(&id));
        line::write_fitted(page, &prefix, &part.root.title, &tail);
        if form == GraphForm::Tree {
            let style = page.style().clone();
            steps::draw_step_tree(page, &part.steps, |at| {
                let status = part
                    .beads
                    .get(at)
                    .map_or(&Status::Open, |bead| &bead.status);
                format!("{} ", line::paint_symbol(&style, status))
            });
        } else if form == GraphForm::Boxes {
            part.draw_boxes(page);
        } else {
            part.draw_layers(page);
        }
    }
}

/// Formats all parts as one picture. `None` if they are too large.
fn format_picture(parts: &[GraphPart], form: GraphForm) -> Option<String> {
    let mut beads: Vec<PictureBead> = Vec::new();
    for part in parts {
        let first = beads.len();
        beads.extend(part.drawn.iter().cloned().map(|mut bead| {
            for need in &mut bead.needs {
                *need += first;
            }
            bead
        }));
    }
    let title = match parts {
        [part] => format!("{}: {}", part.root.id, part.root.title),
        parts => counted(parts.len(), "graph"),
    };
    let drawn = picture::lay_out(beads)?;
    Some(match form {
        GraphForm::Html => picture::format_html(&drawn, &title),
        _ => picture::format_svg(&drawn, &title),
    })
}
