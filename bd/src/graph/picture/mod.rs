//! Lays out beads and the edges by which they wait for each other, as a picture.
//!
//! The page, SVG files and the terminal show the same layout: each bead stands in a row below the
//! last bead that it waits for, and the rows are ordered so that few edges cross. The crate
//! `ascii-dag` arranges boxes and edges in the cells of a terminal; here a cell gets a size, an edge
//! a curve, and a state a shape.

mod svg;
mod terminal;

use std::collections::{BTreeSet, HashMap};

use ascii_dag::render::engine::{NodePaintCtx, NodeRegion};
use ascii_dag::{CustomNode, EdgePath, Graph, LayoutConfig, LayoutEdge, LayoutIR};
use jiff::Timestamp;
use serde::Serialize;

use crate::bead::{Bead, Status};
use crate::graph::layers::{self, LayeredBeads};
use crate::store::Snapshot;
pub use svg::{escape_markup, format_html, format_svg};
pub use terminal::{draw_in_columns, min_columns};

/// The size of a cell in the units of an SVG file.
const CELL_WIDTH: usize = 8;
const CELL_HEIGHT: usize = 16;

/// The size of a box on the page, in cells: two lines of text with a margin.
const PAGE_BOX: BoxSize = BoxSize {
    width: 26,
    height: 3,
};

/// The maximum number of beads in a picture.
const MAX_BEADS: usize = 1000;

/// The maximum number of rows that all edges of a picture cross together. The time of a layout
/// grows with it.
const MAX_EDGE_ROWS: usize = 6000;

/// The number of cells between two boxes of a row.
const BOX_GAP: usize = 2;

/// The character that fills the boxes of a layout for the terminal until texts take its place.
const BOX_FILLER: char = '\u{E000}';

/// The state of a bead in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PictureState {
    Ready,
    /// The bead waits for another one.
    Blocked,
    Deferred,
    Working,
    /// The change is in the merge queue.
    Merging,
    /// A person must act.
    Stopped,
    Done,
    Failed,
    Unknown,
}

impl PictureState {
    /// Returns the state of a bead as far as beads alone tell it.
    pub fn of_bead(snapshot: &Snapshot, bead: &Bead, now: Timestamp) -> Self {
        let is_merging = layers::find_needs(bead, |_| true)
            .into_iter()
            .filter_map(|need| snapshot.bead_ref(need))
            .any(|need| need.is_open() && need.is_internal());
        match bead.status {
            Status::Closed | Status::Tombstone => Self::Done,
            _ if is_merging => Self::Merging,
            Status::InProgress | Status::Hooked => Self::Working,
            Status::Deferred => Self::Deferred,
            _ if super::ready::is_deferred(bead, now) => Self::Deferred,
            Status::Blocked => Self::Blocked,
            _ if super::is_blocked(snapshot, &bead.id) => Self::Blocked,
            _ => Self::Ready,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Blocked => "blocked",
            Self::Deferred => "deferred",
            Self::Working => "working",
            Self::Merging => "merging",
            Self::Stopped => "stopped",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }

    pub fn symbol(self) -> char {
        match self {
            Self::Ready => '○',
            Self::Blocked => '●',
            Self::Deferred => '❄',
            Self::Working => '◐',
            Self::Merging => '⇡',
            Self::Stopped => '!',
            Self::Done => '✓',
            Self::Failed => '✗',
            Self::Unknown => '?',
        }
    }

    /// Returns true if the bead is still to be done.
    fn is_open(self) -> bool {
        !matches!(self, Self::Done | Self::Failed)
    }
}

/// A bead to draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PictureBead {
    pub id: String,
    pub title: String,
    pub state: PictureState,
    /// The positions of the beads that this one waits for.
    pub needs: Vec<usize>,
}

impl PictureBead {
    /// Returns connected beads with the edges between them. Merge requests and other records are
    /// no work of their own: a bead that waits for one is being merged.
    pub fn list_connected(
        snapshot: &Snapshot,
        connected: &LayeredBeads<'_>,
        now: Timestamp,
    ) -> Vec<Self> {
        let beads: Vec<&Bead> = connected
            .beads
            .iter()
            .copied()
            .filter(|bead| !bead.is_internal())
            .collect();
        let positions: HashMap<&str, usize> = beads
            .iter()
            .enumerate()
            .map(|(at, bead)| (bead.id.as_str(), at))
            .collect();
        beads
            .iter()
            .map(|bead| Self {
                id: bead.id.clone(),
                title: bead.title.clone(),
                state: PictureState::of_bead(snapshot, bead, now),
                needs: layers::find_needs(bead, |_| true)
                    .into_iter()
                    .filter_map(|need| positions.get(need).copied())
                    .collect::<BTreeSet<usize>>()
                    .into_iter()
                    .collect(),
            })
            .collect()
    }
}

/// Beads and edges with their places, in the units of an SVG file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GraphPicture {
    pub width: usize,
    pub height: usize,
    pub boxes: Vec<PictureBox>,
    pub arrows: Vec<PictureArrow>,
}

/// A bead with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PictureBox {
    #[serde(flatten)]
    pub bead: PictureBead,
    pub symbol: char,
    pub x: usize,
    pub y: usize,
    pub width: usize,
    pub height: usize,
    /// The outline of the box, which depends on the state, as the `d` of an SVG path.
    pub outline: String,
    /// True on the longest chain of beads that are still to be done.
    pub is_critical: bool,
}

/// An edge from the bead that comes first to the one that waits for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PictureArrow {
    /// The positions of the beads.
    pub from: usize,
    pub to: usize,
    /// The curve as the `d` of an SVG path.
    pub curve: String,
    pub is_critical: bool,
}

#[derive(Debug, Clone, Copy)]
struct BoxSize {
    width: usize,
    height: usize,
}

/// Returns true if a picture of these beads is small enough to be made and to be read.
pub fn is_drawable(beads: &[PictureBead]) -> bool {
    let rows = list_rows(beads);
    let span: usize = beads
        .iter()
        .zip(&rows)
        .flat_map(|(bead, row)| {
            bead.needs
                .iter()
                .map(|need| row.saturating_sub(rows[*need]))
        })
        .sum();
    beads.len() <= MAX_BEADS && span <= MAX_EDGE_ROWS
}

/// Returns the row of each bead: one below the last bead that it waits for. Edges of a circle do not
/// count.
fn list_rows(beads: &[PictureBead]) -> Vec<usize> {
    let chains = CriticalChains::measure_all(beads, |_| true);
    let lengths = chains.lengths.into_iter();
    lengths.map(Option::unwrap_or_default).collect()
}

/// Lays out beads for the page or an SVG file. `None` if they are too many.
pub fn lay_out(beads: Vec<PictureBead>) -> Option<GraphPicture> {
    if !is_drawable(&beads) {
        return None;
    }
    let graph = build_graph(&beads, PAGE_BOX);
    let layout = graph.compute_layout_with_config(&layout_config());
    let critical = find_critical_path(&beads);
    let mut boxes: Vec<PictureBox> = beads
        .into_iter()
        .enumerate()
        .map(|(at, bead)| PictureBox {
            outline: String::new(),
            symbol: bead.state.symbol(),
            is_critical: critical.contains(&at),
            bead,
            x: 0,
            y: 0,
            width: PAGE_BOX.width * CELL_WIDTH,
            height: PAGE_BOX.height * CELL_HEIGHT,
        })
        .collect();
    for node in layout.nodes() {
        if let Some(place) = boxes.get_mut(node.id) {
            place.x = node.x * CELL_WIDTH;
            place.y = node.y * CELL_HEIGHT;
            place.outline = place.compute_outline();
        }
    }
    let rows = list_row_tops(&layout);
    let mut arrows: Vec<PictureArrow> = layout
        .edges()
        .iter()
        .map(|edge| PictureArrow {
            from: edge.from_id,
            to: edge.to_id,
            curve: trace_curve(edge, &rows),
            is_critical: critical
                .windows(2)
                .any(|pair| pair == [edge.from_id, edge.to_id]),
        })
        .collect();
    arrows.sort_by_key(|arrow| (arrow.is_critical, arrow.from, arrow.to));
    let bottom = boxes.iter().map(|place| place.y + place.height).max();
    Some(GraphPicture {
        width: layout.width() * CELL_WIDTH,
        height: bottom.unwrap_or(0),
        boxes,
        arrows,
    })
}

fn layout_config() -> LayoutConfig<'static> {
    let mut config = LayoutConfig::standard();
    config.node_spacing = BOX_GAP;
    config
}

/// Builds a graph whose nodes are the positions of the beads.
fn build_graph(beads: &[PictureBead], size: BoxSize) -> Graph<'static> {
    let mut graph = Graph::new();
    for at in 0..beads.len() {
        let node = CustomNode {
            label: "",
            width: size.width,
            height: size.height,
            painter: Some(fill_box),
            payload: "",
        };
        graph.add_node(at, node);
    }
    for (at, bead) in beads.iter().enumerate() {
        for need in bead.needs.iter().filter(|need| **need != at) {
            graph.add_edge(*need, at, None);
        }
    }
    graph
}

fn fill_box(region: &mut NodeRegion<'_, '_>, _: NodePaintCtx<'_>) {
    for y in 0..region.height() {
        for x in 0..region.width() {
            region.set(x, y, BOX_FILLER);
        }
    }
}

/// Returns the first line of each row of boxes, from top to bottom.
fn list_row_tops(layout: &LayoutIR<'_>) -> Vec<usize> {
    let mut tops: Vec<usize> = layout.nodes().iter().map(|node| node.y).collect();
    tops.sort_unstable();
    tops.dedup();
    tops
}

/// The meaning of the mark of the critical path, a star or a thick line.
pub const CRITICAL_LEGEND: &str = "the longest chain of beads that are still to be done";

/// Returns the positions of the beads on the longest chain of beads that are still to be done, first
/// to last, and none if no bead waits for another. Of several chains, the one of the beads that
/// come first. Edges of a circle do not count.
pub fn find_critical_path(beads: &[PictureBead]) -> Vec<usize> {
    let chains = CriticalChains::measure_all(beads, PictureState::is_open);
    let last = (0..beads.len()).max_by_key(|at| (chains.lengths[*at], std::cmp::Reverse(*at)));
    let mut path: Vec<usize> = std::iter::successors(last, |at| chains.before[*at]).collect();
    path.reverse();
    if path.len() > 1 { path } else { Vec::new() }
}

/// The longest chains that end at each bead.
struct CriticalChains<'a> {
    beads: &'a [PictureBead],
    counts: fn(PictureState) -> bool,
    /// The number of beads of the chain that count; `None` if it is not measured yet.
    lengths: Vec<Option<usize>>,
    /// The bead before the last one.
    before: Vec<Option<usize>>,
}

impl<'a> CriticalChains<'a> {
    /// Measures the chains of the beads whose state counts.
    fn measure_all(beads: &'a [PictureBead], counts: fn(PictureState) -> bool) -> Self {
        let mut chains = Self {
            beads,
            counts,
            lengths: vec![None; beads.len()],
            before: vec![None; beads.len()],
        };
        let mut entered = vec![false; beads.len()];
        for at in 0..beads.len() {
            chains.measure(at, &mut entered);
        }
        chains
    }

    /// Measures the chain that ends at a bead. An explicit stack, because chains may be long.
    fn measure(&mut self, at: usize, entered: &mut [bool]) {
        let mut open = vec![(at, false)];
        while let Some((at, are_needs_measured)) = open.pop() {
            if self.lengths[at].is_some() {
                continue;
            }
            let bead = &self.beads[at];
            if !(self.counts)(bead.state) {
                self.lengths[at] = Some(0);
            } else if are_needs_measured {
                let longest = bead
                    .needs
                    .iter()
                    .filter_map(|need| Some((self.lengths[*need]?, *need)))
                    .filter(|(length, _)| *length > 0)
                    .max_by_key(|(length, need)| (*length, std::cmp::Reverse(*need)));
                self.before[at] = longest.map(|(_, need)| need);
                self.lengths[at] = Some(1 + longest.map_or(0, |(length, _)| length));
            } else if !std::mem::replace(&mut entered[at], true) {
                open.push((at, true));
                open.extend(bead.needs.iter().map(|need| (*need, false)));
            }
        }
    }
}

impl PictureBox {
    /// Computes the outline: each kind of state has its own shape, so that colour is not needed.
    fn compute_outline(&self) -> String {
        let left = self.x;
        let top = self.y;
        let right = left + self.width;
        let bottom = top + self.height;
        // The ends of the straight lines between cut corners.
        let from = left + CELL_WIDTH;
        let to = right - CELL_WIDTH;
        match self.bead.state {
            PictureState::Working => {
                let radius = self.height / 2;
                let from = left + radius;
                let to = right - radius;
                format!(
                    "M{from} {top}H{to}A{radius} {radius} 0 0 1 {to} {bottom}H{from}A{radius} {radius} 0 0 1 {from} {top}Z"
                )
            }
            PictureState::Merging => {
                let middle = top + self.height / 2;
                format!("M{from} {top}H{to}L{right} {middle}L{to} {bottom}H{from}L{left} {middle}Z")
            }
            PictureState::Stopped | PictureState::Failed => {
                let high = top + CELL_WIDTH;
                let low = bottom - CELL_WIDTH;
                format!(
                    "M{from} {top}H{to}L{right} {high}V{low}L{to} {bottom}H{from}L{left} {low}V{high}Z"
                )
            }
            _ => format!("M{left} {top}H{right}V{bottom}H{left}Z"),
        }
    }
}

/// Traces an edge as a curve that leaves and meets the boxes vertically and passes the boxes of the
/// rows between them on the way that the layout left free.
fn trace_curve(edge: &LayoutEdge<'_>, rows: &[usize]) -> String {
    let center = |x: usize| x * CELL_WIDTH + CELL_WIDTH / 2;
    let waypoints: &[(usize, usize)] = match &edge.path {
        EdgePath::MultiSegment { waypoints, .. } => waypoints,
        _ => &[],
    };
    let mut x = center(edge.from_x);
    let mut y = (edge.from_y + 1) * CELL_HEIGHT;
    let mut curve = format!("M{x} {y}");
    let mut line = edge.from_y;
    for (column, last_line) in waypoints {
        // The free way begins at the next row of boxes.
        let next = rows.iter().find(|top| **top > line).copied();
        let top = next.unwrap_or(*last_line).min(*last_line) * CELL_HEIGHT;
        push_bend(&mut curve, [x, y], [center(*column), top]);
        x = center(*column);
        y = (last_line + 1) * CELL_HEIGHT;
        line = *last_line;
        curve.push_str(&format!("V{y}"));
    }
    push_bend(
        &mut curve,
        [x, y],
        [center(edge.to_x), edge.to_y * CELL_HEIGHT],
    );
    curve
}

/// Appends a bend that begins and ends vertically.
fn push_bend(curve: &mut String, [x, y]: [usize; 2], [to_x, to_y]: [usize; 2]) {
    let middle = usize::midpoint(y, to_y);
    curve.push_str(&format!("C{x} {middle} {to_x} {middle} {to_x} {to_y}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn bead(id: &str, state: PictureState, needs: &[usize]) -> PictureBead {
        PictureBead {
            id: id.to_owned(),
            title: format!("Title of {id}"),
            state,
            needs: needs.to_vec(),
        }
    }

    #[test]
    fn the_critical_path_is_the_longest_chain_of_open_beads() {
        let (done, open) = (PictureState::Done, PictureState::Blocked);
        let beads = [
            bead("a", done, &[]),
            bead("b", open, &[0]),
            bead("c", open, &[1]),
            bead("d", open, &[]),
            bead("e", open, &[2, 3]),
        ];
        assert_eq!(find_critical_path(&beads), [1, 2, 4]);
        assert_eq!(find_critical_path(&beads[..2]), [0; 0]);
    }

    #[test]
    fn beads_of_a_circle_and_beads_that_wait_for_themselves_are_drawn() {
        let open = PictureState::Blocked;
        let picture = lay_out(vec![
            bead("a", open, &[1]),
            bead("b", open, &[0]),
            bead("c", open, &[2]),
        ])
        .unwrap();
        assert_eq!(picture.boxes.len(), 3);
        assert_eq!(picture.arrows.len(), 2);
        assert!(picture.boxes.iter().all(|place| !place.outline.is_empty()));
    }

    #[test]
    fn a_graph_of_too_many_edges_is_not_drawn() {
        let all: Vec<PictureBead> = (0..40)
            .map(|at| {
                let needs: Vec<usize> = (0..at).collect();
                bead(&format!("b-{at}"), PictureState::Ready, &needs)
            })
            .collect();
        assert!(!is_drawable(&all) && is_drawable(&all[..20]));
        assert_eq!(
            terminal::draw_in_columns(&all, 1000, |_, text| text.into()),
            None
        );
    }

    #[test]
    fn boxes_stand_below_what_they_wait_for_and_never_over_each_other() {
        let beads: Vec<PictureBead> = (0..60)
            .map(|at: usize| {
                let needs: Vec<usize> = [at / 2, at / 3, at.saturating_sub(7)]
                    .into_iter()
                    .filter(|need| *need < at)
                    .collect();
                bead(&format!("b-{at}"), PictureState::Ready, &needs)
            })
            .collect();
        let picture = lay_out(beads).unwrap();
        for (at, one) in picture.boxes.iter().enumerate() {
            for need in &one.bead.needs {
                assert!(picture.boxes[*need].y + one.height < one.y);
            }
            for other in &picture.boxes[at + 1..] {
                assert!(one.y != other.y || one.x.abs_diff(other.x) > one.width);
            }
            assert!(one.x + one.width <= picture.width && one.y + one.height <= picture.height);
        }
    }
}
